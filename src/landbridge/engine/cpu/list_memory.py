"""What list ranking on CPU threads takes beyond the successors: an upper bound, by the arrays of the core."""

from __future__ import annotations

from typing import Any

from landbridge import _core
from landbridge.engine.cpu.memory import ALWAYS, mapped
from landbridge.engine.sizes import ListSizes
from landbridge.plan import RankPlan

_VALUE = 8  # bytes
_REST = 7 / 8
"""The share of elements that a round of removals leaves at most, but for ends of lists and chance."""


def list_bytes(sizes: ListSizes, plan: RankPlan) -> int:
    """Bytes that a plan takes, the ranks and tails among them, in the direction that takes more."""
    n, id_bytes = sizes.elements, sizes.id_bits // 8
    cell = 8 if sizes.wide or plan.option("ids", "") == "wide" else 4
    copied = mapped(id_bytes * n) if sizes.on_device else 0
    copied += mapped(8 * n) if sizes.on_device and sizes.values else 0
    copied += mapped(8 * n) if plan.option("ids", "") == "wide" and id_bytes < 8 else 0
    out = mapped((_VALUE if sizes.values else cell) * n) + mapped(cell * n)
    run = _Run(plan, cell, plan.option("threads", _core.available_threads()))
    return ALWAYS + copied + out + (run.with_values if sizes.values else run.of_links)(n, max(1, sizes.lists))


class _Run:
    """The arrays of a run beside its answer. cell: bytes of an element."""

    def __init__(self, plan: RankPlan, cell: int, threads: int) -> None:
        self._plan, self._cell, self._threads = plan, cell, threads

    def _strategy(self, n: int) -> Any:
        plan = self._plan
        return _core.list_strategy(
            _core.ListPlan(plan.name, dict(plan.values), plan.option("seed", 1), self._threads), n
        )

    def of_links(self, n: int, lists: int) -> int:
        """Without values. Plans that combine towards the end of a list take more from its head on."""
        strategy, cells = self._strategy(n), mapped(self._cell * n)
        if strategy.method == "walks":
            state = mapped(strategy.state_bytes * n) if self._cell == 4 else 2 * mapped(8 * n)
            if strategy.state_bytes < 8 and strategy.blocks + lists >= 2**16:
                state = mapped(8 * n)
            return state + self._sublists(n, lists, strategy, self._cell)
        if strategy.method == "jumps":
            jumps = mapped(8 * n) if self._cell == 4 else 2 * mapped(8 * n) + 2 * cells
            return cells + max(jumps, cells)
        if strategy.method == "independent_sets":
            return 2 * cells + mapped(8 * n) + self._removals(n, lists, strategy)
        return mapped(n)

    def with_values(self, n: int, lists: int) -> int:
        """With values, of which the run has a copy."""
        strategy, cells, values = self._strategy(n), mapped(self._cell * n), mapped(_VALUE * n)
        if strategy.method == "jumps":
            return values + cells + max(values + 2 * cells, cells)
        if strategy.method == "independent_sets":
            return values + 2 * cells + self._removals(n, lists, strategy)
        return values + cells + self._prefix(n, lists, strategy)

    def _prefix(self, n: int, lists: int, strategy: Any) -> int:
        """Of lb::core::lists::prefix."""
        if strategy.method == "serial":
            return mapped(n)
        return mapped(self._cell * n) + mapped(_VALUE * n) + self._sublists(n, lists, strategy, _VALUE)

    def _sublists(self, n: int, lists: int, strategy: Any, value: int) -> int:
        """The sublists of walks, and their places in their lists."""
        most = strategy.blocks + (lists if lists > 1 else 0)
        count = min(n, most)
        arrays = 3 * mapped(self._cell * most) + mapped(value * most)
        places = 2 * mapped(self._cell * count) + 2 * mapped(value * count)
        if not strategy.recursion:
            return arrays + places + mapped(count)
        own = 2 * mapped(_VALUE * count) + 2 * mapped(self._cell * count)
        inner = mapped(count) if count > n // 2 else self._prefix(count, lists, self._strategy(count))
        return arrays + places + own + inner

    def _removals(self, n: int, lists: int, strategy: Any) -> int:
        """Of lb::core::lists::IndependentSets, without its values."""
        cells, values = mapped(self._cell * n), mapped(_VALUE * n)
        ends = min(n, 2 * lists)
        left = min(n, ends + int((n - ends) * _REST**strategy.rounds * 1.05) + 1000)
        rest = 2 * mapped(self._cell * left) + 2 * mapped(_VALUE * left)
        rest_plan = _Run(RankPlan("chains"), self._cell, self._threads)
        inner = rest_plan._prefix(left, lists, rest_plan._strategy(left))
        return 5 * cells + values + max(mapped(n), rest + inner)
