"""The engine of one NVIDIA GPU, through CuPy: the rules of the CPU under CUDA schedules, compiled at run time.

A run is a list of launches. Nothing is read back between them: what one kernel leaves for the next lies in a control
block on the device, and the host reads that once, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from landbridge.device import cuda
from landbridge.engine.base import Solver, TableEngine
from landbridge.engine.gpu import NAME


class GpuEngine(TableEngine):
    """One NVIDIA GPU."""

    name = NAME
    solvers: ClassVar[Mapping[str, Solver | str]] = {
        "components": "landbridge.engine.gpu.components",
        "forest": "landbridge.engine.gpu.forest",
        "incremental": "landbridge.engine.gpu.streams",
        "list_ranking": "landbridge.engine.gpu.lists",
    }

    def missing(self) -> str:
        return cuda.missing()

    def places(self) -> list[str]:
        return [f"{self.name} {device['device']}: {device['name']}" for device in cuda.describe()]

    def require(self) -> None:
        cuda.current()

    def inserters(self, threads: int) -> int:
        return 1


ENGINE = GpuEngine()
