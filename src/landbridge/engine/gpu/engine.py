"""The engine of one GPU: the CPU's phases under CUDA schedules, compiled at run time.

A run is a list of launches. Nothing is read back between them: what one kernel leaves for the next lies in a control
block on the device, and the host reads that once, at the end.
"""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from landbridge.device import cuda, launch, names, transfer
from landbridge.device.jit import Program
from landbridge.device.launch import BLOCK, SEARCH_BLOCK, WORD_COUNT, WORD_DEFERRED, WORD_LINKS, WORD_OUTSIDE
from landbridge.edges.on_device import is_device_array
from landbridge.engine import gpu_rounds, gpu_systems
from landbridge.engine.base import needs
from landbridge.engine.memory import gpu_bytes
from landbridge.engine.sizes import Sizes
from landbridge.errors import InputError, OutOfDeviceMemory
from landbridge.graph import Graph
from landbridge.plan import Finish, Plan, Sample, parse
from landbridge.plan.choose import Facts, choose_gpu
from landbridge.result import Components, IdArray, Profile

_SCAN_TILE = 4096  # lb::gpu::scan_tile
_TILE = 1024  # lb::gpu::tile_vertices
_WORTH_ONE_PASS = 2**17  # pairs in host memory from which checking them on the way is worth it
_FUSED_BLOCK = 1024  # lb::gpu::fused_threads
_FUSED = 2**14  # vertices and edges up to which one block is faster than several launches
_TILE_BITS = 13  # a tile of the contracting start has 2^13 vertices, two bytes each in shared memory
_TILE_THREADS = 1024  # lb::gpu::contract_threads
_WARP_QUEUE_BLOCKS = 6  # lb::gpu::warp_queue_blocks
_BLOCK_ROW = 2**11  # lb::gpu::block_row
_ATTEMPTS = 4  # rounds of compression after which walks go on however long they get
_PICK_ALL, _PICK_OUTSIDE, _PICK_ROOTS, _PICK_LEADING = range(4)  # lb::gpu::Pick


@dataclass(frozen=True, slots=True)
class Schedule:
    """The engine's options, with what is left out filled in. fuse: "block" for a whole run in one block, or "off"."""

    arcs: str = "vertex"
    atomics: str = "aggregated"
    balance: str = "tile"
    fuse: str = "off"
    hints: str = "off"
    merge: str = "off"
    owner: str = "larger"
    reads: str = "stale"
    seed: int = 1
    start: str = "self"
    wide: bool = False

    @classmethod
    def of(cls, plan: Plan, graph: Graph) -> Schedule:
        """The options of a plan for a graph. Raises InputError where they do not fit it."""
        options = dict(plan.engine.options) if plan.engine is not None else {}
        wide = graph.wide
        if options.get("ids") == "narrow" and wide:
            raise InputError(f"ids=narrow holds fewer than 2^31 vertices, and the graph has {graph.num_vertices}")
        small = "block" if graph.num_vertices + graph.num_edges <= _FUSED else "off"
        start = str(options.get("start", "self")) if plan.sample is None else "self"
        hooked = start != "self"
        # Old values pay where few links contend, or where most edges are dropped at their first look.
        few = plan.sample is not None or hooked
        balance = str(options.get("balance", balance_of(plan)))
        return cls(
            arcs=str(options.get("arcs", "reorganised")),
            balance=balance,
            fuse=str(options.get("fuse", small)) if _plain(plan) else "off",
            atomics=str(options.get("atomics", "aggregated")),
            hints=str(options.get("hints", "off")),
            merge=str(options.get("merge", "off")),
            # The lanes of a warp share a row: from its smaller end they link different roots below one. A start that
            # hooks leaves nothing to do for the first arcs, seen from their larger ends.
            owner=str(options.get("owner", "larger" if hooked or balance != "edge" else "smaller")),
            reads=str(options.get("reads", "stale" if few or balance == "edge" else "fresh")),
            seed=int(options.get("seed", 1)),
            start=start,
            wide=wide or options.get("ids") == "wide",
        )


def _plain(plan: Plan) -> bool:
    """Whether a plan is one rule over all edges that needs nothing beside the parents."""
    finish = plan.finish
    return plan.sample is None and not finish.standalone and finish.stages is None and not any(needs()[finish.link])


def balance_of(plan: Plan) -> str:
    """The balance of a plan that names none: equal shares of arcs where all are looked at, as without sampling."""
    return "edge" if plan.sample is None else "tile"


def rule_of(finish: Finish, schedule: Schedule) -> names.Rule:
    """The rule of a finish that is not a standalone algorithm."""
    ranked, uses_aux = needs()[finish.link]
    return names.Rule(finish.link, finish.find, finish.splice, ranked, uses_aux, schedule.reads, schedule.merge)


def programs_of(plan: Plan, schedule: Schedule, shape: names.Shape, rows: bool) -> list[Program]:
    """Every program that a run of the plan on such a graph loads. The tests compile them without a GPU."""
    sample, finish = plan.sample, plan.finish
    needed = [names.base(shape)]
    if "rounds" in finish.traits:
        needed.append(gpu_rounds.program(finish, shape, rows))
        if sample is None:
            return needed
        finish = gpu_rounds.UNITES_SAMPLES
    elif finish.standalone:
        return [*needed, *(gpu_systems.programs(finish, shape) or [names.search(shape)])]
    rule = rule_of(finish, schedule)
    if schedule.fuse == "block":
        return [names.unite_small(rule, shape)]
    upkeep = names.upkeep(rule, shape)
    needed += [upkeep] if upkeep.names else []
    if not rows:
        return [*needed, names.unite_pairs(rule, shape)]
    needed.append(names.unite_rows(rule, schedule.balance, shape))
    if sample is None:
        if schedule.start == "tile":
            return [*needed, names.tiles(shape)]
        return [*needed, names.hooks(shape)] if schedule.start != "self" else needed
    if sample.name == "kout":
        needed.append(names.unite_sample(rule, str(sample["choice"]), _arcs(sample, schedule), shape))
    elif sample.name == "hb":
        needed.append(names.hooks(shape))
    else:
        needed.append(names.search(shape))
    return needed


def _arcs(sample: Sample, schedule: Schedule) -> str:
    # Edge reorganisation is defined for two first arcs.
    defined = schedule.arcs != "reorganised" or (sample["choice"] == "first" and sample["k"] == 2)
    return schedule.arcs if defined and sample["choice"] != "max_degree" else "vertex"


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel with its grid and arguments, ready to go."""

    phase: str
    name: str
    function: Any
    grid: tuple[int]
    block: tuple[int]
    arguments: tuple[Any, ...]
    shared: int = 0  # bytes of dynamic shared memory
    cooperative: bool = False  # waits for its own grid and has to fit the device at once

    def __call__(self) -> None:
        if self.cooperative:
            self.function(self.grid, self.block, self.arguments, enable_cooperative_groups=True)
        else:
            self.function(self.grid, self.block, self.arguments, self.shared)


class Run:
    """A plan made ready for one graph on the current device: arrays, kernels, launches.

    `launch` may be called any number of times, also while a stream is captured; each call fills `labels` and `control`
    anew on CuPy's current stream and reads nothing back. `labels` are complete once `read` has returned. Not for use by
    two threads at once.
    """

    def __init__(self, graph: Graph, plan: Plan, schedule: Schedule) -> None:
        cupy = cuda.cupy()
        self.device = cuda.current()
        self.n, self.m = graph.num_vertices, graph.num_edges
        self._schedule, self._symmetric = schedule, bool(graph.symmetric)
        self._offsets, self._a, self._b = graph.offsets, graph.a, graph.b
        offset: names.Width = 64 if graph.offsets is None else launch.width_of(graph.offsets)
        self._shape = names.Shape(64 if schedule.wide else 32, launch.width_of(graph.a), offset)
        self._cell = np.dtype(np.uint64 if schedule.wide else np.uint32)
        self._kernels = self._load(programs_of(plan, schedule, self._shape, graph.offsets is not None))
        self.labels = cupy.empty(self.n, dtype=np.int64 if schedule.wide else np.int32)
        behind = 0 if schedule.fuse == "block" else 2 * launch.DEFERRED_CAPACITY
        self.control = cupy.empty(launch.CONTROL_WORDS + behind, dtype=np.uint64)[: launch.CONTROL_WORDS]
        self._tiles = cupy.empty(-(-self.n // _SCAN_TILE), dtype=np.uint64)
        self._words = self._aux = self._list = self._huge = self._queue = None
        self.launches: list[Launch] = []
        if schedule.fuse == "block":
            self._fused()
            return
        if "rounds" in plan.finish.traits:
            gpu_rounds.add(self, plan.sample, plan.finish)
        elif plan.finish.standalone and plan.finish.link != "bfscc":
            gpu_systems.add(self, plan.finish)
        elif plan.finish.standalone:
            self._search_all()
        else:
            self._unite(plan.sample, plan.finish)
        self._number()

    def launch(self, lap: Callable[[str], None] | None = None) -> None:
        """Run on the current stream. `lap` is called with a phase's name after its last launch."""
        phase = self.launches[0].phase
        for step in self.launches:
            if lap is not None and step.phase != phase:
                lap(phase)
                phase = step.phase
            step()
        if lap is not None:
            lap(phase)

    def read(self, lap: Callable[[str], None] | None = None) -> tuple[int, int]:
        """How many components there are, and how many vertices were outside the tree that was skipped. Waits.

        A run whose paths were long has put edges aside. It ends here, and `lap` is called then.
        """
        words = self._complete(lap)
        return int(words[WORD_COUNT]), int(words[WORD_OUTSIDE])

    def _complete(self, lap: Callable[[str], None] | None) -> Any:
        """The control block, once nothing is left of what was put aside."""
        first = words = self.control.get()
        for patient in range(1, _ATTEMPTS + 1):
            met = int(words[WORD_DEFERRED])
            if met == 0:
                break
            again = met > launch.DEFERRED_CAPACITY and int(words[WORD_LINKS]) + 1 < self.n
            self._end(again, again and patient == _ATTEMPTS)
            if lap is not None:
                lap("finish")
            words = self.control.get()
        words[WORD_OUTSIDE] = first[WORD_OUTSIDE]
        return words

    def _end(self, again: bool, patient: bool) -> None:
        """Compress all paths, unite what was put aside and, where walks were given up, all edges `again`; number."""
        if "unite_deferred" not in self._kernels:
            self._kernels.update(self._load([names.deferred(self._shape)]))
        usual, self.launches = self.launches, []
        self._vertices("finish", "compress", self.labels, self.n, self.control, 0)
        self._add("finish", "unite_deferred", 1, self.labels, self.control, self.n, int(patient))
        if again:
            self.launches += [step for step in usual if step.name.startswith("unite_") or step.phase == "skip"]
        if patient:
            self._add("finish", "unite_deferred", 1, self.labels, self.control, self.n, 0)
        steps, self.launches = self.launches, usual
        for step in (*steps, *(step for step in usual if step.name in ("number", "label"))):
            step()

    def _load(self, programs: list[Program]) -> dict[str, Any]:
        """The kernels of all programs by name."""
        return {name: kernel for program in programs for name, kernel in self.device.kernels(program).items()}

    # what a run is made of ------------------------------------------------------------------------------------

    def _array(self, size: int, dtype: Any = None) -> Any:
        return cuda.cupy().empty(max(1, size), dtype=self._cell if dtype is None else dtype)

    def _add(self, phase: str, kernel: str, blocks: int, *arguments: Any, block: int = BLOCK, shared: int = 0) -> None:
        values = tuple(launch.argument(a) for a in arguments)
        self.launches.append(Launch(phase, kernel, self._kernels[kernel], (blocks,), (block,), values, shared=shared))

    def _vertices(self, phase: str, kernel: str, *arguments: Any) -> None:
        self._add(phase, kernel, launch.grid_for(self.device, self.n), *arguments)

    def _search(self, phase: str, kernel: str, *arguments: Any) -> None:
        if self._queue is None:
            self._queue = self._array(self.n)
        self._vertices(phase, "fill_none", self.labels, self.n)
        graph = (self._offsets, self._a, self.n, self.labels, self._queue, self.control)
        self._cooperative(phase, kernel, self.device.multiprocessors, *graph, *arguments)

    def _cooperative(self, phase: str, kernel: str, blocks: int, *arguments: Any, block: int = SEARCH_BLOCK) -> None:
        """A kernel with a grid barrier; the blocks have to fit the device at once."""
        values = tuple(launch.argument(a) for a in arguments)
        function = self._kernels[kernel]
        self.launches.append(Launch(phase, kernel, function, (blocks,), (block,), values, cooperative=True))

    def _fused(self) -> None:
        strides = (launch.stride_of(self._a), 1 if self._b is None else launch.stride_of(self._b))
        arguments = (self._offsets, self._a, self._b, *strides, self.n, self.m, self.labels, self.control)
        self._add("finish", "unite_small", 1, *arguments, block=_FUSED_BLOCK)

    def _start(self, adopt: bool) -> None:
        self._vertices("start", "start", self.labels, self.n, self.control, self._tiles, len(self._tiles), int(adopt))

    def _prepare(self, rule: names.Rule) -> None:
        if rule.ranked or rule.uses_aux:
            self._vertices("start", "prepare", self.labels, self._words, self._aux, self.n)

    def _search_all(self) -> None:
        self._start(adopt=True)
        self._search("finish", "search_all")

    def _unite(self, sample: Sample | None, finish: Finish) -> None:
        rule = rule_of(finish, self._schedule)
        if rule.uses_aux:
            self._aux = self._array(self.n)
        if rule.ranked:
            self._words = self._array(self.n, np.uint64)
        if self._offsets is None:
            self._start(adopt=False)
            self._prepare(rule)
            self._pairs(rule, finish.stages)
        elif sample is None:
            hooked = self._schedule.start != "self"
            self._start(adopt=hooked)
            if self._schedule.start == "tile":
                self._contract("start")
            elif hooked:
                self._hook("start")
            if self._schedule.start == "star":
                self._vertices("start", "compress", self.labels, self.n, self.control, 0)
            self._prepare(rule)
            # Taken from its larger end, a first arc is one that the start has hooked, or the edge of another row.
            done = int(
                self._schedule.start in ("hook", "star") and self._symmetric and self._schedule.owner == "larger"
            )
            self._rows("finish", done, self.m, _PICK_ALL, one_way=self._symmetric)
        else:
            self._sample(rule, sample)
            done = int(sample["k"]) if sample.name == "kout" and sample["choice"] == "first" else 0
            if self._symmetric:
                self._rows("finish", done, self.m, _PICK_OUTSIDE)
            else:
                self._rows("finish", 0, self.m, _PICK_LEADING)
        if rule.ranked:
            self._settle("number", rule)
            self._lowest("number")

    def _rows(self, phase: str, skip: int, limit: int, pick: int, one_way: bool = False) -> None:
        if self._list is None and self._schedule.balance in ("worklist", "gather"):
            self._list = self._array(self.n)
        if self._huge is None and self._schedule.balance == "tile":
            self._huge = self._array(self.m // _BLOCK_ROW + 1)
        cells = (self.labels, self._words, self._aux, self._list, self._huge, self.control)
        # Threads that share a short row: as many as it has arcs to work on, so that few of them wait.
        width = min(limit, self.m / self.n / (2 if one_way else 1))
        lanes = 1 if width < 2 else 2 if width < 4 else 4
        flags = (self._schedule.hints == "stream") + 2 * (self._schedule.atomics == "single")
        tile = _TILE_BITS if self._schedule.start == "tile" and one_way else 0
        owner = 1 + ("larger", "smaller").index(self._schedule.owner) if one_way else 0
        arguments = (self._offsets, self._a, self.n, *cells, skip, limit, pick, owner, tile, lanes, flags)
        per_block = {"tile": _TILE, "warp": BLOCK // 32, "block": 1}.get(self._schedule.balance, BLOCK)
        if self._schedule.balance == "edge":
            # Shares are fixed, so all blocks have to run at once.
            blocks = launch.grid_for(self.device, self.n + self.m, waves=_WARP_QUEUE_BLOCKS)
        else:
            blocks = launch.grid_for(self.device, self.n, per_block)
        self._add(phase, "unite_rows", blocks, *arguments)
        if "unite_queued" in self._kernels and (self._schedule.balance != "tile" or limit > _BLOCK_ROW):
            self._add(phase, "unite_queued", launch.grid_for(self.device, self.m, BLOCK, waves=4), *arguments)

    def _pairs(self, rule: names.Rule, stages: float | None) -> None:
        ends = (self._a, self._b, launch.stride_of(self._a), launch.stride_of(self._b))
        group = self.m if stages is None else max(1, math.ceil(stages * self.n))
        for first in range(0, self.m, max(1, group)):
            last = min(first + group, self.m)
            if rule.ranked and first > 0:
                self._settle("finish", rule)
            cells = (self.labels, self._words, self._aux, self.control, first, last, int(first > 0))
            self._add("finish", "unite_pairs", launch.grid_for(self.device, last - first), *ends, *cells)

    def _sample(self, rule: names.Rule, sample: Sample, stars: bool = False) -> None:
        """Sample, and choose the tree to skip. stars: leave every parent a root."""
        seed = self._schedule.seed
        if sample.name == "kout":
            self._start(adopt=False)
            self._prepare(rule)
            cells = (self.labels, self._words, self._aux, self.control)
            arguments = (self._offsets, self._a, self.n, *cells, int(sample["k"]), np.uint64(seed))
            self._vertices("sample", "unite_sample", *arguments)
        elif sample.name == "hb":
            self._start(adopt=True)
            self._hook("sample")
            self._prepare(rule)
            if int(sample["k"]) > 0:
                self._rows("sample", 0, int(sample["k"]), _PICK_ROOTS)
        elif sample.name == "bfs":
            self._start(adopt=True)
            self._search("sample", "search_star", np.uint64(seed))
            self._prepare(rule)
            return
        else:
            self._start(adopt=True)
            self._search("sample", "decompose", math.exp(float(sample["beta"])), np.uint64(seed))
            self._lowest("sample")
            self._prepare(rule)
        if rule.ranked:
            self._settle("skip", rule)
            self._choose(0)
        elif stars or not self._symmetric:
            # The finish asks for the parents of neighbours and has to meet roots there.
            self._vertices("skip", "compress", self.labels, self.n, self.control, 0)
            self._choose(0)
        else:
            self._choose(0)
            self._vertices("skip", "compress", self.labels, self.n, self.control, 1)
            self._choose(1)

    def _choose(self, again: int) -> None:
        seed = np.uint64(self._schedule.seed)
        self._add("skip", "choose_skip", 1, self.labels, self.n, seed, self.control, again, block=1024)

    def _hook(self, phase: str) -> None:
        arguments = (self._offsets, self._a, self.n, self.labels, self.control, int(self._symmetric))
        self._vertices(phase, "hook_rows", *arguments)

    def _contract(self, phase: str) -> None:
        arguments = (self._offsets, self._a, self.n, self.labels, self.control, _TILE_BITS, int(self._symmetric))
        blocks = min(-(-self.n >> _TILE_BITS), 2 * self.device.multiprocessors)
        self._add(phase, "contract_tiles", blocks, *arguments, block=_TILE_THREADS, shared=2 << _TILE_BITS)

    def _settle(self, phase: str, rule: names.Rule) -> None:
        self._vertices(phase, "settle_ranked", self._words, self.labels, self.n)

    def _lowest(self, phase: str) -> None:
        """Trees named by any member take the name of their smallest."""
        if self._queue is None:
            self._queue = self._array(self.n)
        self._vertices(phase, "fill_none", self._queue, self.n)
        self._vertices(phase, "offer_low", self.labels, self._queue, self.n)
        self._vertices(phase, "take_low", self.labels, self._queue, self.n)

    def _number(self) -> None:
        self._add(
            "number", "number", launch.grid_for(self.device, self.n, _SCAN_TILE), self.labels, self.n, self._tiles,
            self.control,
        )  # fmt: skip
        self._vertices("number", "label", self.labels, self.n, self.control)


REPLAYED = 2**22  # vertices up to which a plan that comes again for a graph is kept as a CUDA graph


class _Replay:
    """A run captured as a CUDA graph: one launch for all of its kernels. Owns its labels, so results are copies."""

    def __init__(self, graph: Graph, plan: Plan, schedule: Schedule) -> None:
        cupy = cuda.cupy()
        self._run = Run(graph, plan, schedule)
        self._words = cupy.cuda.alloc_pinned_memory(8 * launch.CONTROL_WORDS)
        self._told = np.frombuffer(self._words, np.uint64, launch.CONTROL_WORDS)
        self._lock = threading.Lock()
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            self._run.launch()
            self._captured = stream.end_capture()

    def __call__(self) -> tuple[int, int, Any]:
        """How many components there are, how many vertices the finish looked at, and the labels."""
        with self._lock:
            stream = cuda.cupy().cuda.get_current_stream()
            self._captured.launch(stream)
            labels = self._run.labels.copy()
            self._run.control.get(out=self._told, stream=stream, blocking=True)
            if self._told[WORD_DEFERRED]:
                count, outside = self._run.read()
                return count, outside, self._run.labels.copy()
            return int(self._told[WORD_COUNT]), int(self._told[WORD_OUTSIDE]), labels


_replays: weakref.WeakKeyDictionary[Graph, dict[tuple[str, int], _Replay | None]] = weakref.WeakKeyDictionary()
_replays_lock = threading.Lock()


def _replay(graph: Graph, plan: Plan, schedule: Schedule, device: cuda.Device) -> _Replay | None:
    """What the graph keeps of this plan: nothing at the first call, a captured run from the second on."""
    key = (str(plan), device.ordinal)
    with _replays_lock:
        kept = _replays.setdefault(graph, {})
        if key not in kept:
            kept[key] = None
            return None
        found = kept[key]
        if found is None:
            found = kept[key] = _Replay(graph, plan, schedule)
        return found


_UNSEEN = "rem_cas(naive,halve_one)"  # the plan of small graphs when nobody chose one
_PER_THREAD = threading.local()


def _unseen(u: Any, v: Any, m: int, plan: Plan) -> tuple[int, Any] | None:
    """Count and labels of a few pairs that nobody has validated; None if ids are wrong or too large for one block."""
    cupy, device = cuda.cupy(), cuda.current()
    words = getattr(_PER_THREAD, "words", None)
    if words is None:
        # The kernel writes its words where the host can read them without a copy.
        memory = cupy.cuda.alloc_pinned_memory(8 * launch.CONTROL_WORDS)
        words = _PER_THREAD.words = (memory, np.frombuffer(memory, np.uint64, launch.CONTROL_WORDS))
    memory, told = words
    rule = rule_of(plan.finish, Schedule(reads="fresh"))
    kernel = device.kernels(names.unite_unseen(rule, launch.width_of(u)))["unite_unseen"]
    labels = cupy.empty(launch.UNSEEN_VERTICES, dtype=np.int32)
    strides = np.int64(launch.stride_of(u)), np.int64(launch.stride_of(v))
    kernel((1,), (_FUSED_BLOCK,), (u, v, *strides, np.int64(m), labels, np.uint64(memory.ptr)))
    cupy.cuda.get_current_stream().synchronize()
    if told[launch.WORD_TROUBLE]:
        return None
    return int(told[launch.WORD_COUNT]), labels[: int(told[launch.WORD_LOW])]


def warm(device: cuda.Device) -> None:
    """Compile what the automatic choice may ask for, for 32-bit vertices, so that a first call need not."""
    plain, hooked = parse("rem_cas(naive,halve_one)"), parse("hb(2)+rem_cas(naive,halve_one)")
    two = parse("kout(2)+rem_cas(naive,splice)")
    even = Schedule(balance=balance_of(plain))
    for shape in (names.Shape(32, 32, 32), names.Shape(32, 64, 64), names.Shape(32, 32, 64)):
        needed = programs_of(plain, even, shape, False)
        for start in ("self", "hook"):
            needed += programs_of(plain, replace(even, start=start), shape, True)
        needed += programs_of(hooked, Schedule(), shape, True)
        for merge in ("off", "near"):
            needed += programs_of(two, Schedule(arcs="reorganised", merge=merge), shape, True)
        needed += [names.unite_unseen(rule_of(plain.finish, Schedule(reads="fresh")), shape.edge)]
        for program in (*needed, names.validation(shape.edge), names.probe(shape.edge, shape.offset)):
            device.kernels(program)


class _Solving:
    """Connected components on one GPU."""

    def at_once(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> Components | None:
        """Pairs in host memory are checked while they are copied into pinned memory: one pass instead of two.

        Of pairs on the GPU, a few are checked and united by one block.
        """
        m = len(u)
        if not isinstance(u, np.ndarray):
            return self._small(u, v, m, plan, threads)
        if m < _WORTH_ONE_PASS:
            return None
        if plan is None:
            plan = choose_gpu(Facts(0, m, "coo", False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, threads)).plan
        options = dict(plan.engine.options) if plan.engine is not None else {}
        if plan.layout == "csr" or plan.sample is not None or plan.finish.standalone or options.get("ids") == "wide":
            return None
        try:
            with cuda.errors("components on a GPU"):
                device = cuda.device(int(options["device"])) if "device" in options else cuda.current()
                with cuda.cupy().cuda.Device(device.ordinal):
                    began = time.perf_counter()
                    marks = [("", cuda.cupy().cuda.get_current_stream().record())]
                    (a, b), largest = transfer.send((u, v), (np.int32, np.int32), threads)
                    # What is negative, too large or far from dense takes the way that says where it is.
                    if not 0 <= largest < min(2**31 - 1, 16 * m + 2**20):
                        return None
                    graph = Graph.of_checked_pairs(a, b, largest + 1)
                    return self._components(graph, plan, device, threads, (began, marks))
        except OutOfDeviceMemory:
            return None  # the other way says how much it takes

    def _small(self, u: Any, v: Any, m: int, plan: Plan | None, threads: int) -> Components | None:
        if m > launch.UNSEEN_EDGES or not is_device_array(u) or u.dtype != v.dtype:
            return None
        chosen = parse(_UNSEEN) if plan is None else plan
        options = dict(chosen.engine.options) if chosen.engine is not None else {}
        if not _plain(chosen) or options.get("fuse", "block") != "block" or options.keys() & {"ids", "device"}:
            return None
        began = time.perf_counter()
        with cuda.errors("components on a GPU"):
            if int(u.device.id) != cuda.current().ordinal:
                return None
            found = _unseen(u, v, m, chosen)
        if found is None:
            return None
        total = time.perf_counter() - began
        return Components(*found, str(chosen), "gpu", Profile({"compute": total}, total, threads, 0.0))

    def components(self, graph: Graph, plan: Plan, threads: int) -> Components:
        options = dict(plan.engine.options) if plan.engine is not None else {}
        try:
            with cuda.errors("components on a GPU"):
                device = cuda.device(int(options["device"])) if "device" in options else cuda.current()
                with cuda.cupy().cuda.Device(device.ordinal):
                    return self._components(graph, plan, device, threads)
        except OutOfDeviceMemory as error:
            needed, free = gpu_bytes(Sizes.of(graph), plan), cuda.free_memory()
            raise OutOfDeviceMemory(f"{error}; {plan} takes {needed:,} bytes here, and {free:,} are free") from error

    def _components(
        self,
        graph: Graph,
        plan: Plan,
        device: cuda.Device,
        threads: int,
        sent: tuple[float, list[tuple[str, Any]]] | None = None,
    ) -> Components:
        """`sent`: when the caller began and his first mark, if he has sent the graph from the host just now."""
        cupy = cuda.cupy()
        began = sent[0] if sent is not None else time.perf_counter()
        host, n = sent is not None or not graph.on_device, graph.num_vertices
        schedule = Schedule.of(plan, graph)
        if n == 0:
            labels: Any = (np if host else cupy).empty(0, dtype=np.int32)
            profile = Profile({}, time.perf_counter() - began, threads, 0.0)
            return Components(0, labels, str(plan), "gpu", profile, graph.ids, graph.notes)
        one_way = "symmetric" in plan.finish.traits and not graph.symmetric
        as_it_is = not host and not one_way and plan.layout in (None, graph.layout)
        if as_it_is and n <= REPLAYED and schedule.fuse == "off":
            replay = _replay(graph, plan, schedule, device)
            if replay is not None:
                count, outside, labels = replay()
                total = time.perf_counter() - began
                skipped = 1 - outside / n if plan.sample is not None and graph.symmetric else 0.0
                profile = Profile({"compute": total}, total, threads, skipped)
                return Components(count, labels, str(plan), "gpu", profile, graph.ids, graph.notes)
        if one_way or (plan.layout == "csr" and graph.layout == "coo"):
            graph = graph.to_rows(threads)
        elif plan.layout == "coo" and graph.layout == "csr":
            graph = graph.to_pairs()
        if schedule.fuse == "block" and not host:
            run = Run(graph, plan, schedule)
            run.launch()
            count, _ = run.read()
            total = time.perf_counter() - began
            profile = Profile({"compute": total}, total, threads, 0.0)
            return Components(count, run.labels, str(plan), "gpu", profile, graph.ids, graph.notes)
        stream = cupy.cuda.get_current_stream()
        marks = sent[1] if sent is not None else [("", stream.record())]
        if host:
            graph = graph.to_device(threads)
            marks.append(("transfer", stream.record()))
        run = Run(graph, plan, schedule)
        if schedule.fuse == "block":
            run.launch()
            marks.append(("finish", stream.record()))
        else:
            run.launch(lambda phase: marks.append((phase, stream.record())))
        labels = run.labels
        if host:
            labels = transfer.fetch(labels, threads)
            marks.append(("transfer back", stream.record()))
        ended = len(marks)
        count, outside = run.read(lambda phase: marks.append((phase, stream.record())))
        if host and len(marks) > ended:
            labels = transfer.fetch(run.labels, threads)
            marks.append(("transfer back", stream.record()))
            stream.synchronize()
        seconds: dict[str, float] = {}
        for (_, before), (phase, after) in pairwise(marks):
            seconds[phase] = seconds.get(phase, 0.0) + cupy.cuda.get_elapsed_time(before, after) / 1e3
        skipped = 1 - outside / n if plan.sample is not None and graph.symmetric else 0.0
        profile = Profile(seconds, time.perf_counter() - began, threads, skipped)
        return Components(count, labels, str(plan), "gpu", profile, graph.ids, graph.notes)


_SOLVING = _Solving()
components, one_pass = _SOLVING.components, _SOLVING.at_once
