"""The engine of CPU threads and one GPU together."""

from __future__ import annotations

from typing import Any

from landbridge.engine.cpu.engine import ENGINE as CPU
from landbridge.engine.parts import HYBRID
from landbridge.engine.parts.engine import PartsEngine
from landbridge.plan import BasePlan


class HybridEngine(PartsEngine):
    """CPU threads and a GPU; with ``devices=`` any processors in their place."""

    name = HYBRID

    def words(self, plan: BasePlan | None) -> tuple[Any, ...]:
        if self._words is not None:
            return self._words
        return self.default_words() if plan is None else (CPU.name, plan.option("device", 0))

    def default_words(self) -> tuple[Any, ...]:
        return (CPU.name, 0)


ENGINE = HybridEngine()
