"""Fractional independent sets on a GPU (Banerjee and Kothapalli).

The launches of their steps, and the rounds of removals, for which the CPU may draw the random bits.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, cast

import numpy as np

from landbridge import _core
from landbridge.device import cuda, layout, list_kernels
from landbridge.device.jit import Kernel
from landbridge.device.launch import grid_for
from landbridge.device.layout import Struct
from landbridge.device.list_kernels import Number
from landbridge.device.pinned import PinnedRing
from landbridge.device.timeline import seconds_between
from landbridge.engine.gpu.launch_list import LaunchList
from landbridge.engine.gpu.list_steps import Array, ListSteps, filled, scan_values

_TILE, _SCAN_THREADS = layout.constant("removal_tile"), layout.constant("removal_scan_threads")


_MOST_SHARED = 2**32 - 64
_DRAWN_WORDS = 2**16
"""Words of one draw for several rounds: half a megabyte, drawn and copied while the GPU works on the round before."""


def bit_words(left: int, elements: int) -> int:
    """Words of 64 bits with the random bits for a round with so many elements left, of so many in all.

    Bits that elements share are 2^32 - 64 at most.
    """
    return (left if left == elements else min(left, _MOST_SHARED)) // 64 + 1


def rounds_of_draw(words: int, rounds: int) -> int:
    """For how many of so many rounds, of so many words each, the CPU draws the bits together."""
    return max(1, min(rounds, _DRAWN_WORDS // words))


class IndependentSets:
    """Removals of independent sets in rounds, over the steps of one array of successors.

    predecessor: -1 at heads. values: changed by removals. rounds: how many there will be.
    """

    def __init__(self, steps: ListSteps, predecessor: Array, values: Array, op: str, rounds: int) -> None:
        self.steps, self.values = steps, values
        n, v, empty = steps.n, cast(Number, values.dtype.name), steps.empty
        self.v = v
        self.program = list_kernels.independent_sets(steps.s, steps.t, steps.index, v)
        self.scan = scan_values(None, op)
        self.previous = empty(n, steps.index)
        self.elements = layout.struct_type("LinkedElements")(
            next=empty(n, steps.index), previous=self.previous, value=values, elements=n, control=steps.control
        )
        self.active, self.survivors = empty(n, steps.index), empty(n, steps.index)
        self.removed = empty(n, steps.index)
        self.sizes = filled(steps.device, rounds + 1, np.uint64, 0)
        self.predecessor = layout.struct_type("ElementArray")(cells=predecessor)
        self._selected, self._stay = empty(n, np.uint8), empty(n // _TILE + 2, np.uint64)

    def _removal(self, bits: Array | None, key: int, number: int) -> Struct:
        return layout.struct_type("Removal")(
            active=self.active, survivors=self.survivors, removed=self.removed, selected=self._selected,
            stay=self._stay, sizes=self.sizes, bits=bits, drawn=0 if bits is None else 64 * bits.size, key=key,
            round=number,
        )  # fmt: skip

    def start(self, launches: LaunchList) -> None:
        removal = self._removal(None, 0, 0)
        launches.over(
            "remove", self._kernel("start_removals"), self.steps.n,
            self.steps.lists, self.predecessor, self.elements, removal,
        )  # fmt: skip

    def remove(self, launches: LaunchList, number: int, key: int, bound: int, drawn: Array | None) -> None:
        """One round. bound: elements left at most.

        drawn: words with `bit_words` random bits; None for bits that follow from the key.
        """
        device = self.steps.device
        removal = self._removal(drawn, key, number)
        blocks = grid_for(device, bound, waves=16)
        launches.add("remove", self._kernel("select_removed"), blocks, self.elements, removal)
        launches.add("remove", self._kernel("scan_tiles"), 1, removal, threads=_SCAN_THREADS)
        launches.add("remove", self._kernel("unlink_removed"), blocks, self.elements, removal, self.scan)
        self.active, self.survivors = self.survivors, self.active

    def gather(self, launches: LaunchList, left: int) -> tuple[Array, Array, Struct]:
        """The remaining elements as lists of their own, backwards: their predecessors by position, and values."""
        rest, value = self.steps.empty(left, np.int64), self.steps.empty(left, self.v)
        lists = layout.struct_type("RemainingLists")(
            active=self.active, count=left, position=self.survivors, previous=rest, value=value
        )
        launches.over("rank the rest", self._kernel("number_remaining"), left, lists)
        launches.over("rank the rest", self._kernel("gather_remaining"), left, self.elements, lists)
        return rest, value, lists

    def scatter(
        self, launches: LaunchList, lists: Struct, place: Array, end: Array | None, *, ends: bool
    ) -> tuple[Array, Array | None]:
        """The answers of the remaining elements, in arrays for all."""
        steps, left = self.steps, int(lists.fields["count"])
        ranks, last = steps.empty(steps.n, self.v), steps.empty(steps.n, steps.t) if ends else None
        self._output = steps.output(ranks, last)
        answers = layout.struct_type("RemainingRanks")(place=place, end=end)
        launches.over("rank the rest", self._kernel("scatter_remaining"), left, lists, answers, self._output)
        return ranks, last

    def reinsert(self, launches: LaunchList, first: int, count: int) -> None:
        """Insert the elements that one round removed: those from `first` on in the list of all removed ones."""
        removed = layout.struct_type("RemovedElements")(elements=self.removed[first:], count=count)
        launches.over(
            "reinsert", self._kernel("reinsert_removed"), count, self.elements, removed, self.scan, self._output
        )

    def _kernel(self, name: str) -> Kernel:
        return Kernel(self.program, name)


class Removals:
    """The rounds of removals of a run, whose steps submit their launches.

    The host stays up to two rounds ahead, or as many as two draws serve.

    draws_bits: the CPU draws the bits of each round. idle: then, the share of the time in which the device waited for
    them.
    """

    def __init__(self, sets: IndependentSets, seed: int, *, draws_bits: bool) -> None:
        self._sets, self._seed, self._draws_bits = sets, seed, draws_bits
        self._stream = cuda.cupy().cuda.get_current_stream()
        self.idle: float | None = None

    def run(self, rounds: int) -> list[int]:
        """How many elements are left after each round, the first number before all."""
        steps = self._sets.steps
        launches = steps.launches()
        self._sets.start(launches)
        with ExitStack() as stack:
            ring = stack.enter_context(PinnedRing(1))
            buffer = ring.take(8 * (rounds + 1))
            sizes = buffer.host(rounds + 1, np.uint64)
            sizes[:] = steps.n
            draws = None
            if self._draws_bits and rounds:
                draws = _RandomBits(steps, self._seed, stack.enter_context(PinnedRing(2, mirrored=True)))
            self._remove(rounds, sizes, ring, draws)
            self._stream.synchronize()
            if draws is not None:
                self.idle = draws.idle()
            return [int(size) for size in sizes]

    def _remove(self, rounds: int, sizes: Any, ring: PinnedRing, draws: _RandomBits | None) -> None:
        bound, before, t = self._sets.steps.n, None, 1
        while t <= rounds:
            first, drawn = t, [None] if draws is None else draws.draw(t, bound, rounds - t + 1)
            for words in drawn:
                self._sets.remove(self._sets.steps.launches(), t, _core.mix(self._seed, t), bound, words)
                t += 1
            ring.copy_to_host(self._sets.sizes[first:t], sizes[first:t])
            ended = self._stream.record()
            if draws is not None:
                draws.end_rounds(ended)
            if before is not None:
                before.synchronize()
                bound = int(sizes[first - 1])
            before = ended


class _RandomBits:
    """Random bits of the CPU for the removals of a GPU: it draws those of the next round while the GPU works on one.

    An eighth of a byte for each element left crosses the interconnect, and a kernel finds the bit of an element and of
    both neighbors in a table that fits the cache. How many were left one draw before is there by then. Where few are
    left, the GPU is faster than the host queues a draw, so one draw serves several rounds.
    """

    def __init__(self, steps: ListSteps, seed: int, ring: PinnedRing) -> None:
        self._seed, self._ring, self._threads = seed, ring, int(_core.available_threads())
        self._compute = cuda.cupy().cuda.get_current_stream()
        self._began = self._compute.record()
        self._spans: list[tuple[Any, Any]] = []
        self._elements = steps.n

    def draw(self, t: int, bound: int, rounds: int) -> list[Array]:
        """Words with the bits of round t and of those after it, of so many rounds to come: an array for each round.

        bound: elements left at most.
        """
        words = bit_words(bound, self._elements)
        count = rounds_of_draw(words, rounds)
        self._buffer = self._ring.take(8 * words * count)
        _core.draw_words(self._buffer.host(words * count, np.uint64), _core.mix(self._seed, t), self._threads)
        (drawn,) = self._ring.upload(self._buffer, (words * count, np.uint64, 0))
        self._rounds_began = self._compute.record()
        return [drawn[words * i : words * (i + 1)] for i in range(count)]

    def end_rounds(self, event: Any) -> None:
        """The GPU has used the bits of the last draw at this event."""
        self._ring.release(self._buffer, event)
        self._spans.append((self._rounds_began, event))

    def idle(self) -> float:
        """The share of the time since the first draw in which the GPU waited for bits. All rounds have ended."""
        busy = sum(seconds_between(began, ended) for began, ended in self._spans)
        whole = seconds_between(self._began, self._spans[-1][1])
        return max(0.0, 1 - busy / whole) if whole > 0 else 0.0
