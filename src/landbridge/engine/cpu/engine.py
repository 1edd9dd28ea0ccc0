"""The engine of CPU threads, over the compiled core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from landbridge.engine.base import Solver, TableEngine
from landbridge.engine.cpu import NAME


class CpuEngine(TableEngine):
    """Threads of this process."""

    name = NAME
    solvers: ClassVar[Mapping[str, Solver | str]] = {
        "components": "landbridge.engine.cpu.components",
        "forest": "landbridge.engine.cpu.forest",
        "incremental": "landbridge.engine.cpu.trees",
        "list_ranking": "landbridge.engine.cpu.lists",
    }


ENGINE = CpuEngine()
