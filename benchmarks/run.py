"""Run a suite: `python -m benchmarks.run SUITE`.

Every timed answer is checked; the exit status is 1 if one was wrong. Suites lie in `benchmarks/suites`, their
graphs in `benchmarks/graphs.toml`, the peers in `peers`. A peer that is a program of its own is named by an
environment variable, see its module; a peer that is missing is skipped with a note.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from benchmarks.kinds import kind_of
from benchmarks.sink import Sink
from benchmarks.suites import load_suite, suite_names
from benchmarks.tables import noise
from peers import PEERS


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    result = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.partition("\n")[0])
    result.add_argument("suite", choices=suite_names(), help="a file of benchmarks/suites")
    result.add_argument("--threads", type=int, action="append", metavar="N", help="thread count; may be repeated")
    result.add_argument("--only", action="append", metavar="GRAPH", help="run this graph only; may be repeated")
    result.add_argument(
        "--peers",
        metavar="NAMES",
        help=f"peers separated by commas, or none; known: {', '.join(n for n, _ in PEERS)}",
    )
    result.add_argument("--batches", type=int, action="append", metavar="N", help="this size only; may be repeated")
    result.add_argument("--plan", action="append", metavar="TEXT", help="landbridge's plan; may be repeated")
    result.add_argument("--claim", action="append", metavar="ID", help="check this claim only; may be repeated")
    result.add_argument("--repeat", type=int, metavar="R", help="turns each contestant takes on a graph")
    result.add_argument("--trials", type=int, metavar="T", help="recorded calls, or replays, in a turn")
    result.add_argument("--against", metavar="TREE", help="for old_new: a source tree of landbridge, compiled in place")
    result.add_argument("--phases", action="store_true", default=None, help="on a GPU: print the time of each launch")
    result.add_argument("--cells", action="append", metavar="PATTERN", help="of the zoo, such as 'ring-*/*/csr/1e6'")
    result.add_argument("--sample", type=int, metavar="N", help="draw so many cells of the zoo at random")
    result.add_argument("--seed", type=int, metavar="S", help="for --sample, and for what the cells draw")
    result.add_argument("--seconds", type=float, metavar="T", help="begin no further cell of the zoo behind so many")
    result.add_argument(
        "--out", type=Path, metavar="FILE", help="append the results to this file, a JSON object per line"
    )
    return result


def overrides(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the suite's values that the command line replaces."""
    values: dict[str, Any] = {
        "threads": arguments.threads,
        "graphs": arguments.only,
        "repeat": arguments.repeat,
        "batches": arguments.batches,
        "trials": arguments.trials,
        "landbridge": arguments.plan,
        "claims": arguments.claim,
        "against": arguments.against,
        "phases": arguments.phases,
        "cells": arguments.cells,
        "sample": arguments.sample,
        "seed": arguments.seed,
        "seconds": arguments.seconds,
    }
    if arguments.peers is not None:
        names = [name for name in arguments.peers.split(",") if name]
        values["peers"] = [] if names == ["none"] else names
    return {name: value for name, value in values.items() if value is not None}


def main(argv: list[str] | None = None) -> int:
    """Run a suite, print its summary; return 0, 1 after a wrong answer or a missed bar, 2 after a user's
    error.
    """
    arguments = parser().parse_args(argv)
    try:
        suite = load_suite(arguments.suite, overrides(arguments))
        kind = kind_of(suite)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    sink = Sink(suite, arguments.out)
    kind.run(sink)
    print("\n\n".join(filter(None, [kind.summary(sink.records), noise(sink.records)])))
    for failure in sink.failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if sink.failures else 0


if __name__ == "__main__":
    sys.exit(main())
