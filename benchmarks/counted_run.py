"""One run of the automatic plan on a graph of the benchmarks, for a program that counts what its kernels do.

    python -m benchmarks.counted_run GRAPH

The kernels of the second run lie between the start and the stop of CUDA's profiler. Prints the plan. Exits with an
exception on a wrong answer.
"""

from __future__ import annotations

import sys

from benchmarks.check import check_labels
from benchmarks.gpu import Gpu
from benchmarks.gpu_cases import generated, on_device
from benchmarks.gpu_runs import ComponentsRun, chosen_plan


def main(name: str) -> None:
    gpu = Gpu()
    case = on_device(gpu, generated(name))
    plan = chosen_plan(case.graph, "auto")
    run = ComponentsRun(case.graph, plan)
    run.launch()
    run.complete()
    gpu.ready()
    gpu.cupy.cuda.profiler.start()
    run.launch()
    gpu.cupy.cuda.profiler.stop()
    check_labels("landbridge", case, *run.answer())
    print(f"plan: {plan}")


if __name__ == "__main__":
    main(sys.argv[1])
