"""Random trials on an engine whose tasks fail: python tests/cluster dask|spark [--seconds S] [--cases N] [--seed K]

Labels are compared with those of one process, bit for bit. Prints how many trials there were, of which sorts, and what
has failed meanwhile; exit code 1 and the trial if an answer is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from pathlib import Path


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="tests/cluster", description="Random trials on an engine whose tasks fail.")
    parser.add_argument("engine", choices=["dask", "spark"])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0, help="of the first trial; each has the next one")
    parser.add_argument("--jobs", type=int, default=2, help="trials at once")
    parser.add_argument("--lost", type=float, default=0.01, help="in this part of trials a worker of Dask is killed")
    parser.add_argument("--graphs", type=int, default=15, help="of a trial, at most")
    parser.add_argument("--master", default="local[2,4]", help="of Spark")
    options = parser.parse_args()
    sys.path.append(str(Path(__file__).parents[1]))
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # each failure is a page otherwise; workers read it, too
    from trials import run_trials

    if options.engine == "dask":
        from dask_faults import dask_cluster

        engine = dask_cluster()
    else:
        from spark_faults import spark_cluster

        engine = spark_cluster(options.master)
    began = time.monotonic()
    seeds = iter(range(options.seed, options.seed + options.cases))
    with engine as cluster:
        try:
            words = {"jobs": options.jobs, "lost": options.lost, "most": options.graphs}
            counts = run_trials(cluster, seeds, options.seconds, **words)
        except AssertionError:
            traceback.print_exc()
            return 1
        figures = {"seconds": round(time.monotonic() - began), **dict(sorted(counts.items()))}
        print(json.dumps({**figures, "failures": dict(cluster.failures())}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
