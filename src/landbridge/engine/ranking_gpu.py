"""List ranking on one GPU: the phases of the CPU under CUDA schedules.

`chains`, the default, walks between splitters that need no mark and writes nothing where it goes: what it finds of an
element is appended to the queue of a part of the result that fits the cache, and put in order part by part. The other
plans are those of their papers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, cast

import numpy as np

from landbridge import _core
from landbridge.device import cuda, launch, list_names
from landbridge.device.jit import Program
from landbridge.device.list_names import Number, Walking
from landbridge.edges.successors import Lists
from landbridge.engine.ranking import Wish, explained
from landbridge.errors import InputError, ListError
from landbridge.plan import RankPlan
from landbridge.result import Profile, Ranking

Array = Any  # of CuPy

# lb::gpu::RankWord
_TAILS, _SUM, _WRONG, _BROKEN, _HEADS, _TAKEN, _TICKET, _BARRIER, _MOVING, _LONG, _LEFT = range(11)
_WORDS = 16
_CHASE_BLOCK, _MOST_WINDOWS = 512, 128  # lb::gpu::chase_threads, most_windows
_WINDOW_BITS = 20  # 4 MB of the result: scattering within it stays in the cache
_HERE = 2**22
"""Elements up to which all that walks find fits the cache."""
_PATIENCE = 64  # expected lengths after which a walk is given up
_FIS_TILE = 2048
_OPS = ("sum", "min", "max")  # lb::rank::Op


class _Broken(Exception):
    """The successors are no lists; which element proves it is found on the host."""


def splitter_shift(n: int) -> int:
    """The default of chains: one splitter in each block of 2^shift elements."""
    return 3 if n <= 2**21 else 5 if n <= 2**25 else 7


def fis_rounds(n: int, factor: float) -> int:
    """Rounds of removals: factor * lg lg n, none for lists too short to have any; by 1000 nothing is left."""
    return 0 if n < 16 else math.floor(min(1000.0, max(0.0, factor * math.log2(math.log2(n)))))


def _neutral(op: str, kind: Number) -> Any:
    dtype = np.dtype(kind)
    if op == "sum":
        return dtype.type(0)
    if dtype.kind == "f":
        return dtype.type(np.inf if op == "min" else -np.inf)
    return dtype.type(np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min)


class Run:
    """One run on the current device. Not for use by two threads at once."""

    def __init__(self, successor: Array, plan: RankPlan) -> None:
        self.cupy = cuda.cupy()
        self.device = cuda.current()
        self.successor, self.plan = successor, plan
        self.n = len(successor)
        self.s: Number = cast(Number, successor.dtype.name)
        self.t: Number = "int32" if self.n < 2**31 and not plan.wide else "int64"
        self.index: Number = "uint32" if self.t == "int32" else "uint64"
        self.seed = plan.option("seed", 1)
        self.control = self.cupy.zeros(_WORDS, np.uint64)
        self.marks: list[tuple[str, Any]] = [("", self._now())]
        self.idle: list[float] = []
        self.tails = self.head = 0

    # what everything is made of --------------------------------------------------------------------------------------

    def _now(self) -> Any:
        return self.cupy.cuda.get_current_stream().record()

    def lap(self, phase: str) -> None:
        """What was launched since the last lap belongs to this phase."""
        self.marks.append((phase, self._now()))

    def kernels(self, program: Program) -> dict[str, Any]:
        return self.device.kernels(program)

    def go(self, kernel: Any, items: int, *arguments: Any, block: int = 256, waves: int = 8) -> None:
        """Launch for so many items, each thread striding over its share."""
        grid = launch.grid_for(self.device, items, block, waves)
        kernel((grid,), (block,), tuple(launch.argument(a) for a in arguments))

    def words(self) -> list[int]:
        """The control block, after everything before has run."""
        return [int(word) for word in self.control.get()]

    def clear(self, *words: int) -> None:
        for word in words:
            self.control[word] = 0

    def empty(self, size: int, dtype: Any) -> Array:
        return self.cupy.empty(max(1, size), dtype)

    def array(self, size: int, dtype: Any, value: int) -> Array:
        """Filled with the byte `value`."""
        found = self.empty(size, dtype)
        found.data.memset_async(value, found.nbytes, self.cupy.cuda.get_current_stream())
        return found

    # the phases -------------------------------------------------------------------------------------------------------

    def survey(self) -> None:
        """Range, tails, and the head if there is one list. Raises _Broken."""
        kernels = self.kernels(list_names.survey(self.s))
        self.go(kernels["survey_lists"], self.n, self.successor, self.n, self.control)
        words = self.words()
        self.tails = words[_TAILS]
        self.head = (self.n * (self.n - 1) // 2 - words[_SUM]) % 2**64
        if words[_WRONG] or not self.tails:
            raise _Broken
        self.lap("check")

    def led(self) -> Array:
        """A bit for each element that is somebody's successor; also sees to it that none has two predecessors."""
        bits = self.array((self.n + 31) // 32, np.uint32, 0)
        kernels = self.kernels(list_names.survey(self.s))
        self.go(kernels["mark_led"], self.n, self.successor, self.n, bits, self.control)
        return bits

    def heads(self, led: Array, shift: int) -> Array:
        """The heads; with shift >= 0 without those that are splitters. Raises _Broken."""
        found = self.empty(self.tails, np.int64)
        self.clear(_HEADS)
        kernels = self.kernels(list_names.survey(self.s))
        arguments = (self.n, led, shift, np.uint64(self.key), found, self.tails, self.control)
        self.go(kernels["list_heads"], self.n, *arguments)
        words = self.words()
        if words[_BROKEN] or words[_HEADS] > self.tails or (shift < 0 and words[_HEADS] != self.tails):
            raise _Broken
        return found[: words[_HEADS]]

    @property
    def key(self) -> int:
        """32 bits that follow from the seed."""
        return (self.seed * 0x9E3779B97F4A7C15 >> 17) & 0xFFFFFFFF

    def reversed(self) -> Array:
        """Predecessors, -1 at heads. Raises _Broken."""
        before = self.array(self.n, self.t, 0xFF)
        kernels = self.kernels(list_names.reverse(self.s, self.t))
        self.go(kernels["reverse_lists"], self.n, self.successor, self.n, before, self.control)
        if self.words()[_BROKEN]:
            raise _Broken
        self.lap("check")
        return before

    # chains -----------------------------------------------------------------------------------------------------------

    def chase(self, from_head: bool, want_tails: bool) -> tuple[Array, Array | None] | None:
        """Ranks and tails by walks that write to queues; None if the lists are too long or too many for an item."""
        n = self.n
        wanted = int(self.plan["splitters"])
        shift = splitter_shift(n) if wanted == 0 else max(1, min(30, round(math.log2(max(2, n / wanted)))))
        splitters = (n + (1 << shift) - 1) >> shift
        window_bits = max(_WINDOW_BITS, (max(1, n - 1)).bit_length() - int(math.log2(_MOST_WINDOWS)))
        limit = min(n + 1, _PATIENCE << shift)
        owner_bits = max(1, (splitters + self.tails).bit_length())
        if self.t == "int64" or window_bits + owner_bits + limit.bit_length() > 64:
            return None
        if self.tails == 1:
            if self.head >= n:
                raise _Broken
            post = self._is_post(self.head, shift)
            heads = self.cupy.full(1, self.head, np.int64)[: 0 if post else 1]
        else:
            heads = self.heads(self.led(), shift)
        count = splitters + len(heads)
        kernels = self.kernels(list_names.chase(self.s, self.t))
        here = n <= _HERE
        items = self.array(n, np.uint64, 0xFF) if here else self.empty(n, np.uint64)
        words = self.array(count, np.uint64, 0)
        tail, led = self.empty(count, np.uint32), self.array(count, np.uint32, 0)
        out = self.empty(n, self.t) if here else self.array(n, self.t, 0xFF)
        walks = (self.successor, n, heads, count, shift, np.uint64(self.key))
        there = (words, tail, led, self.control)
        if here:
            window_bits = 0
            self.go(kernels["chase_here"], count, *walks, owner_bits, limit, items, *there, block=128, waves=2**20)
        else:
            fill = self.array((n + (1 << window_bits) - 1) >> window_bits, np.uint64, 0)
            arguments = (*walks, window_bits, owner_bits, limit, items, fill, *there)
            self.go(kernels["chase"], count, *arguments, block=_CHASE_BLOCK, waves=4)
        self.lap("walk")
        blocks = max(1, min(self.device.multiprocessors * 2, -(-count // 512)))
        jumps = tuple(launch.argument(a) for a in (words, count, count.bit_length() + 1, self.control))
        kernels["settle_pieces"]((blocks,), (512,), jumps, enable_cooperative_groups=True)
        length = None
        if from_head:
            length = self.array(count, np.uint32, 0)
            self.go(kernels["measure_lists"], count, words, led, count, length)
        first, named = self.empty(count, np.uint32), self.empty(count, np.uint32) if want_tails else None
        self.go(kernels["name_pieces"], count, words, count, length, first, tail, named)
        self.lap("splitters")
        tails = self.empty(n, self.t) if want_tails else None
        placed = (items, n, window_bits, owner_bits, first, named, count, from_head, out, tails, self.control)
        self.go(kernels["scatter_ranks"], n, *placed, waves=2**31)
        if not here:
            self.go(kernels["check_given"], n, out, n, self.control)
        self.lap("ranks")
        found = self.words()
        if found[_LONG]:
            return None  # hardly ever, and then another plan finds out whether a list or the seed is to blame
        if found[_BROKEN] or found[_TAKEN] != n:
            raise _Broken
        return out, tails

    def _is_post(self, i: int, shift: int) -> bool:
        """lb::rank::Posts::is_post."""
        number = i >> shift
        h = (number ^ self.key) * 0x9E3779B1 & 0xFFFFFFFF
        h = (h ^ h >> 15) * 0x85EBCA77 & 0xFFFFFFFF
        h ^= h >> 13
        first, length = number << shift, 1 << shift
        return first + (h % (self.n - first) if self.n - first < length else h & (length - 1)) == i

    # walks between marked splitters -------------------------------------------------------------------------------

    def pieces_wanted(self) -> tuple[int, bool]:
        """How many splitters the plan asks for, and whether each is the first element of its block."""
        n, plan = self.n, self.plan
        if plan.name == "rehman":
            return -(-n // max(1, (n - 1).bit_length())), True
        if plan.name == "wei_jaja":
            return min(n, int(plan["sublists"])), False
        if plan.name == "random_splitter":
            r = min(n, int(plan["splitters"]))
            while r > 1 and r * (r - 1).bit_length() > n:
                r //= 2
            return r, False
        wanted = int(plan["splitters"]) if plan.name == "chains" else 0
        return min(n, wanted or max(1, n >> splitter_shift(n))), False

    def walk(
        self,
        values: Array | None,
        op: str,
        *,
        exclusive: bool,
        from_tail: bool = False,
        ends: str,
    ) -> tuple[Array, Array | None]:
        """Prefixes along the successors, or what is left of them to the tail. ends: "", "tails" or "heads"."""
        n = self.n
        led = self.led()
        heads = self.heads(led, -1)
        blocks, first = self.pieces_wanted()
        count = blocks + len(heads)
        v: Number
        result: Number
        if values is not None:
            v = result = cast(Number, values.dtype.name)
            layout = "apart"
        elif self.t == "int64":
            layout, v, result = "apart", "uint64", "int64"
        else:
            short = self.plan.name == "random_splitter" and self.plan["layout"] == "bits48" and count <= 0xFFFE
            layout, v, result = ("bits48" if short else "bits64"), "uint32", "int32"
        kernels = self.kernels(Walking(layout, values is None, self.s, v, result, self.t).program)
        owner_type = {"bits64": "uint64", "bits48": "uint16", "apart": self.index}[layout]
        a = self.empty(n, owner_type)
        b = None if layout == "bits64" else self.empty(n, v)
        neutral, code = _neutral(op, v), _OPS.index(op)
        start = self.empty(count, np.int64)
        start[blocks:] = heads
        self.go(kernels["reset_states"], n, self.successor, n, a, b)
        self.go(kernels["place_starts"], blocks, n, blocks, first, np.uint64(self.seed), led, start)
        how = (values, code, neutral, exclusive)
        self.go(kernels["claim_starts"], count, self.successor, a, b, *how, start, count)
        next_, tail, total = self.empty(count, np.int64), self.empty(count, np.int64), self.empty(count, v)
        before = self.array(count, np.int64, 0xFF)
        # As many threads as there are walks, as the papers have it.
        walks = (self.successor, a, b, *how, start, count, next_, tail, before, total, self.control)
        self.go(kernels["walk_pieces"], count, *walks, waves=2**16)
        words = self.words()
        if words[_BROKEN] or words[_TAKEN] != n:
            raise _Broken
        self.clear(_TAKEN)
        self.lap("walk")
        last, base = self.place_pieces(kernels, next_, before, total, op)
        list_tail, whole = self.empty(count, np.int64), self.empty(count, v)
        self.go(kernels["end_lists"], count, last, base, total, tail, count, code, neutral, list_tail, whole)
        self.lap("splitters")
        out = self.empty(n, result)
        names = self.empty(n, self.t) if ends else None
        given = (
            code,
            neutral,
            last,
            base,
            list_tail,
            whole,
            start,
            from_tail,
            ends == "heads",
            out,
            names,
            self.control,
        )
        self.go(kernels["give_ranks"], n, self.successor, a, b, n, *given)
        if self.words()[_BROKEN]:
            raise _Broken
        self.lap("ranks")
        return out, names

    def place_pieces(
        self, kernels: dict[str, Any], next_: Array, before: Array, total: Array, op: str
    ) -> tuple[Array, Array]:
        """Of each piece, the first one of its list (marked as lb::phase::arrived has it) and what lies before it."""
        count, name = len(next_), self.plan.name
        neutral = _neutral(op, cast(Number, total.dtype.name))
        top = np.uint64(1 << 63)
        if name not in ("wei_jaja", "rehman"):
            last, value = self.empty(count, np.uint64), self.empty(count, total.dtype)
            other_last, other_value = self.empty(count, np.uint64), self.empty(count, total.dtype)
            self.go(kernels["aim_pieces"], count, before, total, count, neutral, last, value)
            self.rounds(kernels["jump_round"], count, (last, value), (other_last, other_value), op)
            return (last, value) if self._even else (other_last, other_value)
        kind = np.float64 if total.dtype.kind == "f" else np.int64
        totals = total.astype(kind)
        if name == "rehman" and int(self.plan["stop"]) < count <= self.n // 2:
            inner = Run(next_, self.plan)
            inner.survey()
            places, firsts = inner.walk(totals, op, exclusive=True, ends="heads")
            assert firsts is not None
            return firsts.astype(np.uint64) | top, places.astype(total.dtype)
        host = next_.get()
        # The CPU ranks the pieces, as published.
        try:
            places, ends, _ = _core.scan_lists(host, totals.get(), op, True, True, False, True, plan="serial")
        except _core.CoreListError:
            raise _Broken from None
        firsts = np.full(count, -1, np.int64)
        alone = np.flatnonzero(before.get() < 0)
        firsts[ends[alone]] = alone
        return (
            self.cupy.asarray(firsts[ends].astype(np.uint64) | top),
            self.cupy.asarray(places.astype(total.dtype)),
        )

    def rounds(self, kernel: Any, n: int, first: tuple[Array, Array], second: tuple[Array, Array], op: str) -> None:
        """Jumps until everybody has arrived; `_even` tells which pair holds the answer. Raises _Broken."""
        self._even = True
        code, neutral = _OPS.index(op), _neutral(op, cast(Number, first[1].dtype.name))
        for _ in range(n.bit_length() + 1):
            self.clear(_MOVING)
            source, target = (first, second) if self._even else (second, first)
            self.go(kernel, n, *source, *target, n, code, neutral, self.control)
            self._even = not self._even
        words = self.words()
        if words[_MOVING] or words[_BROKEN]:
            raise _Broken

    # towards the end ----------------------------------------------------------------------------------------------

    def jump_packed(self, want_ends: bool) -> tuple[Array, Array | None]:
        """Wyllie in packed words, for links."""
        n = self.n
        kernels = self.kernels(list_names.jump(self.s, self.t))
        words = self.empty(n, np.uint64)
        blocks = self.plan["share"] == "block"
        self.go(kernels["start_words"], n, self.successor, n, blocks, words)
        for _ in range(n.bit_length() + 1):
            self.clear(_MOVING)
            self.go(kernels["jump_words"], n, words, n, blocks, self.control)
        found = self.words()
        if found[_MOVING] or found[_BROKEN]:
            raise _Broken
        self.lap("jump")
        out, ends = self.empty(n, self.t), self.empty(n, self.t) if want_ends else None
        self.go(kernels["take_words"], n, words, n, out, ends)
        self.lap("ranks")
        return out, ends

    def jump_apart(self, values: Array, op: str, want_ends: bool) -> tuple[Array, Array | None]:
        """Wyllie from array to array, for values."""
        n = self.n
        v = cast(Number, values.dtype.name)
        kernels = self.kernels(list_names.jump_apart(self.s, self.index, v))
        last, other = self.empty(n, self.index), self.empty(n, self.index)
        self.go(kernels["start_apart"], n, self.successor, n, last)
        spare = self.empty(n, values.dtype)
        self.rounds(kernels["jump_round"], n, (last, values), (other, spare), op)
        self.lap("jump")
        last, value = (last, values) if self._even else (other, spare)
        if not want_ends:
            return value, None
        top = np.dtype(self.index).type(1 << (8 * last.itemsize - 1))
        return value, (last ^ top).astype(self.t)

    def independent_sets(self, before: Array, values: Array, op: str, want_ends: bool) -> tuple[Array, Array | None]:
        """Phases I to III of Banerjee and Kothapalli."""
        n, v = self.n, cast(Number, values.dtype.name)
        kernels = self.kernels(list_names.independent_sets(self.s, self.t, self.index, v))
        neutral, code = _neutral(op, v), _OPS.index(op)
        nxt, prv = self.empty(n, self.index), self.empty(n, self.index)
        active, kept, log = self.empty(n, self.index), self.empty(n, self.index), self.empty(n, self.index)
        drop = self.empty(n, np.uint8)
        stay = self.empty(n // _FIS_TILE + 2, np.uint64)
        rounds = fis_rounds(n, float(self.plan["factor"]))
        sizes = self.array(rounds + 1, np.uint64, 0)
        self.go(kernels["fis_start"], n, self.successor, before, n, nxt, prv, active, self.control)
        host_sizes = self.cupy.cuda.alloc_pinned_memory(8 * (rounds + 1))
        seen = np.frombuffer(host_sizes, np.uint64, rounds + 1)
        seen[:] = n
        bound = n
        source = _Draws(self, n) if self.plan.name == "fis_hybrid" and rounds else None
        stream = self.cupy.cuda.get_current_stream()
        done: list[Any] = []
        for t in range(1, rounds + 1):
            drew = None
            if source is not None:
                bits, began = source.draw(t, bound)
                drew = source.dealt
                self.go(kernels["fis_deal"], bound, active, bits, drew, self.control)
            key = _mix(self.seed, t)
            arguments = (active, nxt, prv, drew, np.uint64(key), drop, stay, self.control)
            self.go(kernels["fis_decide"], bound, *arguments, waves=16)
            kernels["fis_offsets"]((1,), (1024,), (stay, self.control))
            remove = (active, kept, log, drop, stay, nxt, prv, values, n, code, neutral, self.control)
            self.go(kernels["fis_remove"], bound, *remove, waves=16)
            kernels["fis_next"]((1,), (1,), (stay, sizes, np.int64(t), self.control))
            self.cupy.cuda.runtime.memcpyAsync(seen.ctypes.data + 8 * t, sizes.data.ptr + 8 * t, 8, 2, stream.ptr)
            done.append(self._now())
            if source is not None:
                source.finished(t, began, done[-1])
            active, kept = kept, active
            if t >= 2:
                done[t - 2].synchronize()
                bound = int(seen[t - 1])
        stream.synchronize()
        left = int(seen[rounds]) if rounds else n
        if source is not None:
            self.idle.append(source.idle())
        self.lap("remove")
        position = kept
        self.go(kernels["fis_number"], left, active, left, position)
        rest, rest_value = self.empty(left, np.int64), self.empty(left, values.dtype)
        self.go(kernels["fis_gather"], left, active, left, position, prv, values, rest, rest_value, self.control)
        if self.words()[_BROKEN]:
            raise _Broken
        inner = Run(rest, RankPlan("chains"))
        inner.survey()
        place, rest_end = inner.walk(rest_value, op, exclusive=False, ends="heads" if want_ends else "")
        result = self.empty(n, values.dtype)
        names = self.empty(n, self.t) if want_ends else None
        if rest_end is not None:
            rest_end = rest_end.astype(np.int64)
        self.go(kernels["fis_spread"], left, active, left, place, rest_end, result, names)
        self.lap("rank the rest")
        marks = [int(x) for x in seen] if rounds else [n]
        for t in range(rounds, 0, -1):
            count = marks[t - 1] - marks[t]
            part = log[n - marks[t - 1] :]
            self.go(kernels["fis_return"], count, part, count, nxt, values, code, neutral, result, names)
        self.lap("put back")
        return result, names


def _mix(seed: int, t: int) -> int:
    """lb::mix."""
    mask = 2**64 - 1
    z = (seed + (t + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
    return z ^ z >> 31


class _Draws:
    """Random bits of the CPU for the removals of a GPU: two buffers here, two there, and a stream that copies.

    While the GPU works on round t, the CPU fills the buffers of round t + 1. A buffer here is written again once it has
    been copied, one there once it has been dealt.
    """

    def __init__(self, run: Run, n: int) -> None:
        cupy = self._cupy = run.cupy
        self._run, self._threads = run, int(_core.available_threads())
        words = (n + 63) // 64
        memory = [cupy.cuda.alloc_pinned_memory(8 * words) for _ in range(2)]
        self._here = [np.frombuffer(m, np.uint64, words) for m in memory]
        self._there = [run.empty(words, np.uint64) for _ in range(2)]
        self._copies = cupy.cuda.Stream(non_blocking=True)
        self._copied: list[Any] = [None, None]
        self._used: list[Any] = [None, None]
        self.dealt = run.empty(n, np.uint8)
        self._compute = cupy.cuda.get_current_stream()
        self._began = self._compute.record()
        self._rounds: list[tuple[Any, Any]] = []

    def draw(self, t: int, count: int) -> tuple[Array, Any]:
        """Bits for so many elements on the device, and the event from which on the GPU may work on the round."""
        slot, words = t % 2, (count + 63) // 64
        if self._copied[slot] is not None:
            self._copied[slot].synchronize()
        _core.draw_words(self._here[slot][:words], _mix(self._run.seed, t), self._threads)
        if self._used[slot] is not None:
            self._copies.wait_event(self._used[slot])
        target, source = self._there[slot].data.ptr, self._here[slot].ctypes.data
        self._cupy.cuda.runtime.memcpyAsync(target, source, 8 * words, 1, self._copies.ptr)
        self._copied[slot] = self._copies.record()
        self._compute.wait_event(self._copied[slot])
        return self._there[slot], self._compute.record()

    def finished(self, t: int, began: Any, ended: Any) -> None:
        """The GPU is done with the round's bits at this event."""
        self._used[t % 2] = ended
        self._rounds.append((began, ended))

    def idle(self) -> float:
        """The share of the time since the first draw in which the GPU waited for bits. All rounds have ended."""
        elapsed = self._cupy.cuda.get_elapsed_time
        busy = sum(elapsed(began, ended) for began, ended in self._rounds)
        whole = elapsed(self._began, self._rounds[-1][1])
        return max(0.0, 1 - busy / whole) if whole > 0 else 0.0


# a whole run --------------------------------------------------------------------------------------------------------


def _ends_of(run: Run) -> Array:
    own = run.cupy.arange(run.n, dtype=run.successor.dtype)
    return (run.successor == own) | (run.successor == -1)


def _along(run: Run, successor: Array) -> Run:
    """A run over the same elements in another order; its laps count as the first one's."""
    other = Run(successor, run.plan)
    other.marks, other.idle = run.marks, run.idle
    other.survey()
    return other


def _renamed(run: Run, ends: Array) -> Array:
    """Lists called by their heads, called by their tails."""
    tails = run.cupy.flatnonzero(_ends_of(run)).astype(ends.dtype)
    tail_of = run.empty(run.n, ends.dtype)
    tail_of[ends[tails]] = tails
    return tail_of[ends]


def _from_the_start(plan: RankPlan) -> bool:
    return plan.name not in ("wyllie", "fis", "fis_hybrid")


def _links(run: Run, wish: Wish) -> tuple[Array, Array | None]:
    """Links between elements and an end of their list."""
    plan = run.plan
    if _from_the_start(plan):
        found = run.chase(wish.from_head, wish.tails) if plan.name == "chains" else None
        if found is not None:
            return found
        run.clear(_BROKEN, _TAKEN)
        return run.walk(None, "sum", exclusive=True, from_tail=not wish.from_head, ends="tails" if wish.tails else "")
    before = run.reversed() if wish.from_head or plan.name != "wyllie" else None
    along = _along(run, before) if wish.from_head else run
    if before is None:
        run.led()
    if plan.name == "wyllie" and run.t == "int32":
        out, ends = along.jump_packed(wish.tails)
    else:
        values = (~_ends_of(along)).astype(np.int64)
        against = run.successor.astype(run.t, copy=False) if wish.from_head else before
        out, ends = _towards(along, against, values, "sum", wish.tails)
        out = out.astype(run.t)
    return out, _renamed(run, ends) if wish.from_head and ends is not None else ends


def _towards(along: Run, against: Array | None, values: Array, op: str, tails: bool) -> tuple[Array, Array | None]:
    if along.plan.name == "wyllie":
        return along.jump_apart(values, op, tails)
    assert against is not None
    # A tail that has itself as its successor has no predecessor when lists are read backwards.
    own = along.cupy.arange(along.n, dtype=against.dtype)
    against = against.copy()
    against[against == own] = -1
    return along.independent_sets(against, values, op, tails)


def _scan(run: Run, values: Array, wish: Wish) -> tuple[Array, Array | None]:
    """As lb::core::scan_lists."""
    cupy, op = run.cupy, str(wish.op)
    neutral = _neutral(op, cast(Number, values.dtype.name))
    own = cupy.where(_ends_of(run), neutral, values) if wish.of_links else values
    if op == "sum" and values.dtype.kind == "i":
        size = cupy.abs(own).view(np.uint64)
        total = (int((size >> np.uint64(32)).sum()) << 32) + int((size & np.uint64(2**32 - 1)).sum())
        if total >= 2**63:
            raise InputError("the values add up to more than 64 bits hold; give them as float64")
    from_start = _from_the_start(run.plan)
    backwards = from_start != wish.from_head
    before = run.reversed() if backwards or (not from_start and run.plan.name != "wyllie") else None
    along = run
    if backwards:
        assert before is not None
        along = _along(run, before)
    if from_start:
        ends = ("heads" if backwards else "tails") if wish.tails else ""
        return along.walk(own, op, exclusive=wish.exclusive, ends=ends)
    if before is None:
        run.led()
    if wish.exclusive:
        last = _ends_of(along)
        own = cupy.where(last, neutral, own[cupy.where(last, 0, along.successor)])
    against = run.successor.astype(run.t, copy=False) if backwards else before
    out, names = _towards(along, against, own.copy() if own is values else own, op, wish.tails)
    return out, _renamed(run, names) if backwards and names is not None else names


def _with_lap(run: Run, work: Callable[[], tuple[Array, Array | None]]) -> tuple[Array, Array | None]:
    found = work()
    run.lap("ranks")
    return found


def _seconds(run: Run) -> Iterator[tuple[str, float]]:
    for (_, before), (phase, after) in pairwise(run.marks):
        yield phase, run.cupy.cuda.get_elapsed_time(before, after) / 1e3


def rank_on_gpu(lists: Lists, wish: Wish, plan: RankPlan, threads: int) -> Ranking:
    """Run the plan on its GPU. What was on the host comes back to the host."""
    with cuda.errors("list ranking on a GPU"):
        device = cuda.current()
        ordinal = plan.option("device", device.ordinal)
        with cuda.cupy().cuda.Device(cuda.device(ordinal).ordinal):
            return _rank(lists, wish, plan, threads)


def _rank(lists: Lists, wish: Wish, plan: RankPlan, threads: int) -> Ranking:
    cupy = cuda.cupy()
    began = time.perf_counter()
    n = len(lists)
    if n == 0:
        home = cupy if lists.on_device else np
        ranks = home.empty(0, np.int32 if wish.op is None or lists.values is None else lists.values.dtype)
        profile = Profile({}, time.perf_counter() - began, threads, 0.0)
        return Ranking(ranks, home.empty(0, np.int32), str(plan), "gpu", profile)
    start = cupy.cuda.get_current_stream().record()
    successor = cupy.asarray(lists.successor)
    run = Run(successor.astype(np.int64) if plan.wide else successor, plan)
    values = None if wish.op is None or lists.values is None else cupy.asarray(lists.values)
    run.marks[0] = ("", start)
    run.lap("transfer")
    try:
        run.survey()
        ranks, tails = _with_lap(run, lambda: _links(run, wish) if values is None else _scan(run, values, wish))
    except _Broken:
        host = lists.successor.get() if lists.on_device else lists.successor
        raise ListError(explained(_core.problem_of_lists(host), lists)) from None
    if not lists.on_device:
        ranks, tails = ranks.get(), None if tails is None else tails.get()
        run.lap("transfer back")
    run.marks[-1][1].synchronize()
    seconds: dict[str, float] = {}
    for phase, value in _seconds(run):
        seconds[phase] = seconds.get(phase, 0.0) + value
    if run.idle:
        seconds["idle"] = run.idle[0] * seconds["remove"]
    return Ranking(ranks, tails, str(plan), "gpu", Profile(seconds, time.perf_counter() - began, threads, 0.0))
