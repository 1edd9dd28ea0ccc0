"""The launches of list ranking: each step of a plan appends to a launch list. Nothing is run or read here.

A run executes the steps in segments, between which it reads the control block of the family ``lists``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

import numpy as np

from landbridge import _core
from landbridge.device import layout, list_kernels
from landbridge.device.jit import Kernel
from landbridge.device.launch import grid_for
from landbridge.device.layout import Struct
from landbridge.device.list_kernels import Number, StateLayout, WalkTypes
from landbridge.engine.gpu.launch_list import Device, Launch, LaunchList

Array = Any  # of CuPy, or counted
Ends = Literal["", "tails", "heads"]

WORDS = layout.control("lists")

_OPS = layout.enum("ScanOp")
_SAMPLED_THREADS, _SAMPLED_BLOCKS = layout.constant("sampled_threads"), layout.constant("sampled_blocks")
_MOST_WINDOWS = layout.constant("most_windows")
_WINDOW_BITS = 20  # 4 MB of the result: scattering within it stays in the cache
_IN_PLACE, _ONE_LAUNCH = 2**22, 2**22
"""Elements up to which all items that walks write fit the cache, of 64 bits and of 32. The number of a walk and a place
in it take log2(n) + 8 bits at most."""
_PATIENCE = 64  # expected lengths after which a walk is given up
_JUMP_THREADS, _IN_PLACE_THREADS = 512, 128
ONE_BLOCKS = 2
"""Blocks a multiprocessor of the kernel that ranks a single list."""
_NO_LIMIT = 2**31  # waves


def splitter_shift(n: int) -> int:
    """The default of chains: one splitter in each block of 2^shift elements."""
    return 3 if n <= 2**21 else 4 if n <= 2**24 else 5 if n <= 2**25 else 6


def splitter_key(seed: int) -> int:
    """32 bits that follow from the seed."""
    return _core.mix(seed, 0) >> 32


def end_bit(words: Array) -> Any:
    """lb::phase::end_bit for words of this type: the highest bit."""
    return words.dtype.type(1 << (8 * words.itemsize - 1))


def wide_type(values: Array) -> Any:
    """The type of 64 bits in which the CPU, and runs over sublists, combine values: floats as doubles."""
    return np.dtype(np.float64 if values.dtype.kind == "f" else np.int64)


def filled(device: Device, size: int, dtype: Any, byte: int) -> Array:
    """An array with this value in every byte, for launches that are executed later on CuPy's current CUDA stream."""
    array = device.empty(max(1, size), dtype)
    fill = getattr(array.data, "memset_async", None)  # an array that is only counted has none
    if fill is not None:
        fill(byte, array.nbytes)
    return array


@dataclass(frozen=True, slots=True)
class SampledForm:
    """How walks between sampled splitters are laid out. in_place: items lie at their elements' places."""

    shift: int
    splitters: int
    window_bits: int
    owner_bits: int
    limit: int
    in_place: bool

    @classmethod
    @lru_cache(maxsize=256)
    def of_one(cls, n: int, splitters: int, multiprocessors: int) -> SampledForm | None:
        """The same for a single list that one launch ranks, whose threads have a walk each; None for a long one."""
        if n > _ONE_LAUNCH:
            return None
        threads = ONE_BLOCKS * multiprocessors * _SAMPLED_THREADS
        shift = max(2, (max(1, n - 1) // threads).bit_length())
        return cls.of(n, 1, splitters or max(1, n >> shift))

    @classmethod
    def of(cls, n: int, tails: int, splitters: int) -> SampledForm | None:
        """For so many splitters, 0 for the default; None if the lists are too long or too many for an item."""
        shift = splitter_shift(n) if splitters == 0 else max(1, min(30, round(math.log2(max(2, n / splitters)))))
        count = (n + (1 << shift) - 1) >> shift
        window_bits = max(_WINDOW_BITS, (max(1, n - 1)).bit_length() - int(math.log2(_MOST_WINDOWS)))
        limit = min(n + 1, _PATIENCE << shift)
        owner_bits = max(1, (count + tails).bit_length())
        if window_bits + owner_bits + limit.bit_length() > 64:
            return None
        in_place = n <= _IN_PLACE
        return cls(shift, count, 0 if in_place else window_bits, owner_bits, limit, in_place)


class ListSteps:
    """The steps over one array of successors. Arrays that a step fills are complete once its launches have run.

    s, t, index: the types of successors, of elements in the result, and of unsigned elements. control: the control
    block, zero before the first launch. submit: takes the launches as they are appended (`LaunchList`).
    """

    def __init__(
        self, device: Device, successor: Array, element: Number, submit: Callable[[Launch], None] | None = None
    ) -> None:
        self.device, self.successor, self.n = device, successor, len(successor)
        self._submit = submit
        self.s, self.t = cast(Number, successor.dtype.name), element
        self.index = list_kernels.index_of(element)
        self.renew_control()

    def renew_control(self) -> None:
        """A control block of zeros, for what runs from now on."""
        self.control = filled(self.device, WORDS["end"], np.uint64, 0)
        self.lists = layout.struct_type("ListArrays")(successor=self.successor, elements=self.n, control=self.control)

    def launches(self) -> LaunchList:
        return LaunchList(self.device, self._submit)

    def empty(self, size: int, dtype: Any) -> Array:
        return self.device.empty(max(1, size), dtype)

    def output(self, ranks: Array, ends: Array | None, *, from_tail: bool = False, heads: bool = False) -> Struct:
        return layout.struct_type("RankOutput")(ranks=ranks, ends=ends, from_tail=from_tail, heads=heads)

    # the survey of the successors -------------------------------------------------------------------------------------

    def survey(self, launches: LaunchList) -> None:
        """Range, tails, and the sum of successors."""
        launches.over("check", Kernel(list_kernels.survey(self.s), "survey_lists"), self.n, self.lists)

    def mark_predecessors(self, launches: LaunchList, phase: str) -> Struct:
        """A bit for each element that has a predecessor; invalid if one has two."""
        words = filled(self.device, layout.words_of(self.n), np.uint32, 0)
        has_predecessor = layout.struct_type("ElementBits")(words=words)
        kernel = Kernel(list_kernels.survey(self.s), "mark_predecessors")
        launches.over(phase, kernel, self.n, self.lists, has_predecessor)
        return has_predecessor

    def list_heads(self, launches: LaunchList, has_predecessor: Struct, tails: int, shift: int, key: int) -> Array:
        """The heads, at most so many; without sampled splitters of this shift and key where it is not negative."""
        heads = self.empty(tails, np.int64)
        places = layout.struct_type("HeadList")(heads=heads, capacity=tails)
        kernel = Kernel(list_kernels.survey(self.s), "list_heads")
        launches.over("walk", kernel, self.n, self.lists, has_predecessor, places, splitter_sampling(shift, key))
        return heads

    def find_predecessors(self, launches: LaunchList) -> Array:
        """Predecessors, -1 at heads; invalid if an element has two."""
        predecessor = filled(self.device, self.n, self.t, 0xFF)
        kernel = Kernel(list_kernels.predecessors(self.s, self.t), "find_predecessors")
        cells = layout.struct_type("ElementArray")(cells=predecessor)
        launches.over("check", kernel, self.n, self.lists, cells)
        return predecessor

    # walks between sampled splitters ------------------------------------------------------------------------------

    def walk_sampled(
        self, launches: LaunchList, form: SampledForm, key: int, heads: Array | None, *, from_head: bool, tails: bool
    ) -> tuple[Array, Array | None]:
        """Ranks in 32 bits, and the tails of lists.

        heads: those that are no splitters. None: one list, whose head follows from the survey in the control block.
        """
        n, device, count = self.n, self.device, form.splitters + (1 if heads is None else len(heads))
        program = list_kernels.sampled(self.s, self.t)
        zeros = filled(device, 2 * count, np.uint32, 0)
        sublists = layout.struct_type("SampledSublists")(
            words=filled(device, count, np.uint64, 0), tail=self.empty(count, np.uint32),
            predecessors=zeros[:count], count=count,
        )  # fmt: skip
        items = filled(device, n, np.uint64, 0xFF) if form.in_place else self.empty(n, np.uint64)
        windows = (n + (1 << form.window_bits) - 1) >> form.window_bits
        fill = None if form.in_place else filled(device, windows, np.uint64, 0)
        queues = layout.struct_type("ItemQueues")(
            items=items, fill=fill, window_bits=form.window_bits, owner_bits=form.owner_bits
        )
        walks = layout.struct_type("SampledWalks")(heads=heads, limit=form.limit)
        arguments = (self.lists, splitter_sampling(form.shift, key), walks, queues, sublists)
        if form.in_place:
            blocks, threads = grid_for(device, count, _IN_PLACE_THREADS, _NO_LIMIT), _IN_PLACE_THREADS
            launches.add("walk", Kernel(program, "walk_in_place"), blocks, *arguments, threads=threads)
        else:
            blocks, threads = grid_for(device, count, _SAMPLED_THREADS, _SAMPLED_BLOCKS), _SAMPLED_THREADS
            launches.add("walk", Kernel(program, "walk_to_queues"), blocks, *arguments, threads=threads)
        blocks = grid_for(device, count, _JUMP_THREADS, 2)
        launches.add(
            "splitters", Kernel(program, "jump_sublists"), blocks, self.lists, sublists,
            threads=_JUMP_THREADS, cooperative=True,
        )  # fmt: skip
        ranks = layout.struct_type("SublistRanks")(
            length=zeros[count:] if from_head else None,
            first=self.empty(count, np.uint32), tail=self.empty(count, np.uint32) if tails else None,
        )  # fmt: skip
        if from_head:
            launches.over("splitters", Kernel(program, "measure_lists"), count, self.lists, sublists, ranks)
        launches.over("splitters", Kernel(program, "rank_sublists"), count, self.lists, sublists, ranks)
        out = self.empty(n, self.t) if form.in_place else filled(device, n, self.t, 0xFF)
        ends = self.empty(n, self.t) if tails else None
        output = self.output(out, ends)
        blocks = grid_for(device, n, waves=_NO_LIMIT)
        launches.add("ranks", Kernel(program, "scatter_ranks"), blocks, self.lists, queues, sublists, ranks, output)
        if not form.in_place:
            launches.over("ranks", Kernel(program, "check_all_ranked"), n, self.lists, output)
        return out, ends

    # pointer jumping ----------------------------------------------------------------------------------------------

    def jump_rounds(
        self,
        launches: LaunchList,
        kernel: Kernel,
        n: int,
        pairs: tuple[JumpArrays, JumpArrays],
        *,
        scan: Struct,
        phase: str,
    ) -> tuple[JumpArrays, int]:
        """Jumps until all elements have reached their ends: the arrays with the answer, and how many rounds."""
        source, target = pairs
        rounds = n.bit_length() + 1
        for t in range(1, rounds + 1):
            work = layout.struct_type("JumpRound")(elements=n, round=t, control=self.control)
            launches.over(phase, kernel, n, source.struct, target.struct, work, scan)
            source, target = target, source
        return source, rounds

    def jump_packed(self, launches: LaunchList, *, blocked: bool, ends: bool) -> tuple[Array, Array | None, int]:
        """Wyllie in packed words: links to the end, the ends, and how many rounds."""
        n = self.n
        program = list_kernels.packed_jumps(self.s, self.t)
        jumps = layout.struct_type("JumpWords")(words=self.empty(n, np.uint64), blocked=blocked)
        launches.over("jump", Kernel(program, "start_words"), n, self.lists, jumps)
        rounds = n.bit_length() + 1
        for t in range(1, rounds + 1):
            work = layout.struct_type("JumpRound")(elements=n, round=t, control=self.control)
            launches.over("jump", Kernel(program, "jump_words"), n, self.lists, jumps, work)
        ranks, last = self.empty(n, self.t), self.empty(n, self.t) if ends else None
        launches.over("ranks", Kernel(program, "unpack_words"), n, self.lists, jumps, self.output(ranks, last))
        return ranks, last, rounds

    def jump_arrays(self, launches: LaunchList, values: Array, op: str) -> tuple[JumpArrays, int]:
        """Wyllie from array to array: where the jumps have led, the values on the way, and how many rounds."""
        n, v = self.n, cast(Number, values.dtype.name)
        program = list_kernels.array_jumps(self.s, self.index, v)
        first = JumpArrays(self.empty(n, self.index), values)
        second = JumpArrays(self.empty(n, self.index), self.empty(n, v))
        launches.over("jump", Kernel(program, "start_jumps"), n, self.lists, first.struct)
        kernel = Kernel(program, "jump_round")
        scan = scan_values(None, op)
        return self.jump_rounds(launches, kernel, n, (first, second), scan=scan, phase="jump")


class JumpArrays:
    """One of the two pairs of arrays of pointer jumping."""

    __slots__ = ("last", "struct", "value")

    def __init__(self, last: Array, value: Array) -> None:
        self.last, self.value = last, value
        self.struct = layout.struct_type("JumpArrays")(last=last, value=value)


def scan_values(values: Array | None, op: str, *, exclusive: bool = False) -> Struct:
    """What a scan combines."""
    return layout.struct_type("ScanValues")(values=values, op=_OPS[op], exclusive=exclusive)


def splitter_blocks(blocks: int, seed: int, *, first_of_block: bool) -> Struct:
    """One splitter in each of so many blocks of indices."""
    return layout.struct_type("SplitterBlocks")(blocks=blocks, first_of_block=first_of_block, seed=seed)


def splitter_sampling(shift: int, key: int) -> Struct:
    """One sampled splitter in each block of 2^shift elements."""
    return layout.struct_type("SplitterSampling")(shift=shift, key=key)


class MarkedWalks:
    """Walks between marked splitters, over the steps of one array of successors.

    values: what is combined; None for links. splitters: `splitter_blocks`. has_predecessor, heads: as `ListSteps` finds
    them.
    """

    def __init__(
        self,
        steps: ListSteps,
        states: StateLayout,
        values: Array | None,
        op: str,
        *,
        exclusive: bool,
        splitters: Struct,
        has_predecessor: Struct,
        heads: Array,
    ) -> None:
        self.steps = steps
        self.splitters, self.blocks = splitters, int(splitters.fields["blocks"])
        self.count = count = self.blocks + len(heads)
        if values is not None:
            self.v = result = cast(Number, values.dtype.name)
        elif states == "separate":
            self.v, result = "uint64", "int64"
        else:
            self.v, result = "uint32", "int32"
        self.result: Number = result
        self.program = WalkTypes(states, values is None, steps.s, self.v, result, steps.t).program
        self.scan = scan_values(values, op, exclusive=exclusive)
        self.states = layout.struct_type("StateArrays")(
            words=steps.empty(steps.n, list_kernels.word_of(states, steps.t)),
            places=None if states == "bits64" else steps.empty(steps.n, self.v),
        )
        self.start, self.has_predecessor = steps.empty(count, np.int64), has_predecessor
        self.next, self.previous = steps.empty(count, np.int64), filled(steps.device, count, np.int64, 0xFF)
        self.total = steps.empty(count, self.v)
        self.sublists = layout.struct_type("Sublists")(
            start=self.start, next=self.next, tail=steps.empty(count, np.int64), previous=self.previous,
            total=self.total, count=count,
        )  # fmt: skip

    def walk(self, launches: LaunchList) -> None:
        """Every element gets its sublist and its place in it. The heads lie behind the splitters in `start` before."""
        steps, n, lists = self.steps, self.steps.n, self.steps.lists
        launches.over("walk", self._kernel("reset_states"), n, lists, self.states)
        launches.over(
            "walk", self._kernel("place_splitters"), self.blocks,
            lists, self.has_predecessor, self.splitters, self.sublists,
        )  # fmt: skip
        walks = (lists, self.states, self.scan, self.sublists)
        launches.over("walk", self._kernel("claim_starts"), self.count, *walks)
        # As many threads as there are walks, as the papers have it.
        launches.add("walk", self._kernel("walk_sublists"), grid_for(steps.device, self.count, waves=2**16), *walks)

    def jump(self, launches: LaunchList) -> tuple[JumpArrays, int]:
        """Of each sublist the first one of its list and the sum before it, and how many rounds that takes."""
        steps, count = self.steps, self.count
        first, second = self.jump_arrays(), self.jump_arrays()
        launches.over("splitters", self._kernel("start_sublist_jumps"), count, self.sublists, self.scan, first.struct)
        kernel = self._kernel("jump_round")
        return steps.jump_rounds(launches, kernel, count, (first, second), scan=self.scan, phase="splitters")

    def jump_arrays(self) -> JumpArrays:
        return JumpArrays(self.steps.empty(self.count, np.uint64), self.steps.empty(self.count, self.v))

    def write_ranks(
        self, launches: LaunchList, places: JumpArrays, *, from_tail: bool, ends: Ends
    ) -> tuple[Array, Array | None]:
        """The answer of every element, and the requested ends of its list."""
        steps, n, count = self.steps, self.steps.n, self.count
        totals = layout.struct_type("ListTotals")(tail=steps.empty(count, np.int64), whole=steps.empty(count, self.v))
        placed = (self.sublists, self.scan, places.struct, totals)
        launches.over("splitters", self._kernel("total_lists"), count, *placed)
        ranks, last = steps.empty(n, self.result), steps.empty(n, steps.t) if ends else None
        output = steps.output(ranks, last, from_tail=from_tail, heads=ends == "heads")
        launches.over("ranks", self._kernel("write_ranks"), n, steps.lists, self.states, *placed, output)
        return ranks, last

    def _kernel(self, name: str) -> Kernel:
        return Kernel(self.program, name)
