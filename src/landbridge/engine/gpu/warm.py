"""Compiling in advance what the automatic choice may select, as the solvers of this engine say."""

from __future__ import annotations

from collections.abc import Iterator

from landbridge.device import cuda
from landbridge.device.jit import Program
from landbridge.engine.gpu.engine import ENGINE


def programs_of_choice() -> Iterator[Program]:
    """Every program that a solver names, in its order."""
    for problem in ENGINE.solvers:
        yield from ENGINE.solver(problem).programs()


def warm(device: cuda.Device) -> None:
    """Compile them for a device, so that a first call need not."""
    for program in dict.fromkeys(programs_of_choice()):
        device.kernels(program)
