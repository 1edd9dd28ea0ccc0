"""Streams on one GPU: the trees of `Incremental` in device memory, batches as one or two launches."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from landbridge.device import cuda, launch, names
from landbridge.device.launch import BLOCK, CONTROL_WORDS, WORD_COUNT
from landbridge.engine.gpu import Schedule, rule_of
from landbridge.errors import InputError, OutOfDeviceMemory
from landbridge.plan import Finish, Plan

_NEXT, _LOW, _GREW, _ARCS, _LINKS = 11, 10, 12, 14, 15  # lb::gpu::word_next, word_low and so on
_SCAN_TILE = 4096  # lb::gpu::scan_tile
_SEVERAL = 4  # lb::gpu::several
_DRAWN = 1024  # lb::gpu::drawn_labels
_BLOCKS = 12
"""Blocks a multiprocessor for inserting: twice what fits at once, so that none waits for the longest."""
_NARROW = 2**31 - 1
_SLICE = 2**31
"""Edges of one launch: a waiting edge is known by 32 bits."""

# When an automatic stream does more than insert (docs/incremental.md says why). Edges are all so far.
_MARK_FROM = 3.5
"""Edges a vertex from which the largest tree is marked, where the parents do not fit the L2 cache."""
_MARK_SMALL = 16.0
"""The same where they fit."""
_MARK_LEAST = 2**22
"""Edges below which it is not worth the launches."""
_MARK_AGAIN = 4
"""The tree is looked for again when there are so many times as many edges or cells."""
_HOOK_SORTED, _HOOK_SCATTERED, _HOOK_MOST = 0.25, 1.5, 3.5
"""Edges a vertex from which a batch may be hooked, where they are sorted and where not, and up to which. Random edges
of a mesh leave no large tree for long; sorted ones make chains that somebody would have to walk."""
_HOOK_LEAST = 2**16
_HOOK_NEAR = 128
"""Ends are near if the batch has that many times as many edges as lie between them."""
_HOOK_CLOSE, _HOOK_FALLS = 0.9, (0.125, 0.6)
"""The share of near pairs from which a batch is a mesh, and the shares of pairs that begin below the one before them
between which its edges are scattered: of most pairs about 0.37 if their order is random."""

_ASKS = Finish("hooks", "compress")
"""Whose cells rounds use, and how queries beside them find roots."""

Array = Any


def no_room(most: int) -> OutOfDeviceMemory:
    """What is raised where vertices up to `most` need more memory than the device has."""
    return OutOfDeviceMemory(f"the GPU has too little memory for all vertices up to {most}")


class Look(NamedTuple):
    """What a check has seen of a batch. vertices: one more than the largest id of an insert. close, falls: how many
    pairs are near, and of most pairs how many begin below the one before; 0 where that was not asked."""

    vertices: int
    close: int = 0
    falls: int = 0


class DeviceTrees:
    """What `landbridge._core.IncrementalTrees` is, on the current GPU: the same methods, for arrays on either side.

    Arrays on the GPU are read there and answered there; arrays in host memory are copied. Work is queued on CuPy's
    current stream, behind that of any other stream; calls of several threads take turns.

    A call that raises InputError or OutOfDeviceMemory has changed no component, position or number of vertices: all
    memory it needs is there, and then the vertices become known, before any edge is looked at. Cells may have been
    made for vertices that are not known, and wider ones.
    """

    def __init__(self, plan: Plan, vertices: int, keep_forest: bool) -> None:
        options = dict(plan.engine.options) if plan.engine is not None else {}
        finish = plan.finish
        self.mixed = finish.mixed
        self.keeps_forest = keep_forest
        schedule = Schedule(reads=str(options.get("reads", "stale")), merge=str(options.get("merge", "off")))
        self._rule = rule_of(_ASKS if finish.standalone else finish, schedule)
        self._start, self._skip = options.get("start"), options.get("skip")
        self._seed = int(options.get("seed", 1))
        self._finish, self._asked_wide = finish, options.get("ids") == "wide"
        self._wide = self._asked_wide or vertices > _NARROW
        self._lock = threading.RLock()
        self._recorded = False  # whether `_after` is the end of a turn
        with cuda.errors("starting a stream"):
            self._device = cuda.current()
            self._after = cuda.cupy().cuda.Event(disable_timing=True)
            self._loaded: dict[tuple[names.Width, bool], dict[str, Any]] = {}
            self._seen = self._zeros(CONTROL_WORDS, np.uint64)
            self._control = self._zeros(CONTROL_WORDS, np.uint64)
            self._blank = self._zeros(CONTROL_WORDS, np.uint64)  # for kernels that would stop where one tree is left
            # Bits of the members of the largest tree, and where it is: what a sampling leaves in its control block.
            self._marks: Any = None
            self._marked = self._zeros(CONTROL_WORDS, np.uint64)
            self._taken = self._marked_edges = self._marked_cells = 0
            self.hooked = ""  # how the last batch was
            self._parent: Any = None
            self._words: Any = None
            self._aux: Any = None
            self._owner: Any = None
            self._owner_u: Any = None
            self._owner_v: Any = None
            self._cells = self._links = self._position = self._vertices = 0
            self._grow(max(1, vertices))
            self._vertices = vertices

    # what is known ------------------------------------------------------------------------------------------------

    @property
    def vertices(self) -> int:
        return self._vertices

    @property
    def position(self) -> int:
        return self._position

    @property
    def count(self) -> int:
        """Waits for the batches that are queued."""
        with self._lock, self._turn("counting components"):
            return self._vertices - int(self._control[_LINKS])

    # operations ---------------------------------------------------------------------------------------------------

    def prepare(self, u: Array, v: Array, is_query: Array | None, vertices: int) -> None:
        with self._lock, self._turn("making room"):
            a, b, _ = self._ends(u, v)
            kinds = None if is_query is None else cuda.cupy().asarray(is_query)
            look = self._check(a, b, kinds, "edge" if kinds is None else "operation")
            self._room(max(look.vertices, vertices))

    def insert(self, u: Array, v: Array) -> None:
        with self._lock, self._turn("inserting edges"):
            a, b, _ = self._ends(u, v)
            look = self._check(a, b, None, "edge", self._may_hook(len(a)))
            self._insert(a, b, None, look.vertices, look)
            self._position += len(a)

    def look(self, u: Array, v: Array) -> Look:
        """What `insert_known` has to be told of a batch on the GPU. Raises InputError for the first negative id."""
        with self._lock, self._turn("looking at edges"):
            return self._check(u, v, None, "edge", self._may_hook(len(u)))

    def insert_known(self, u: Array, v: Array, look: Look) -> None:
        """Insert edges on the GPU that somebody has looked at. Nothing is read back: the call returns with the work
        queued."""
        with self._lock, self._turn("inserting edges"):
            self._insert(u, v, None, look.vertices, look)
            self._position += len(u)

    def insert_one(self, u: int, v: int) -> None:
        self.insert(np.array([u]), np.array([v]))

    def insert_at(self, u: Array, v: Array, at: Array | None, advance: int, vertices: int) -> None:
        with self._lock, self._turn("inserting edges"):
            a, b, _ = self._ends(u, v)
            look = self._check(a, b, None, "edge")
            places = None if at is None else cuda.cupy().asarray(at).astype(np.uint64)
            self._insert(a, b, places, max(look.vertices, vertices))
            self._position += advance

    def apply(self, u: Array, v: Array, is_query: Array, inserts_first: bool) -> Array:
        with self._lock, self._turn("running operations"):
            cupy = cuda.cupy()
            a, b, here = self._ends(u, v)
            kinds = cupy.asarray(is_query)
            look = self._check(a, b, kinds, "operation")
            bits = cupy.empty(-(-len(a) // 32), dtype=np.uint32)
            self._room(look.vertices)
            if self.mixed and not inserts_first:
                self._operations(a, b, kinds, bits, 3, vertices=look.vertices)
            else:
                self._operations(a, b, kinds, bits, 1, vertices=look.vertices)
                self._operations(a, b, kinds, bits, 2)
            self._position += len(a)
            packed = bits.view(np.uint8)[: (len(a) + 7) // 8]
            return packed if here else packed.get()

    def connected(self, u: Array, v: Array) -> Array:
        with self._lock, self._turn("asking"):
            cupy = cuda.cupy()
            a, b, here = self._ends(u, v)
            self._check(a, b, None, "query")
            bits = cupy.empty(-(-len(a) // 32), dtype=np.uint32)
            answers = cupy.empty(len(a), dtype=bool)
            self._operations(a, b, None, bits, 2)
            if len(a):
                spread = self._kernels(64)["spread_bits"]
                self._run(spread, len(a), (bits, answers, len(a)))
            return answers if here else answers.get()

    def connected_one(self, u: int, v: int) -> bool:
        return bool(self.connected(np.array([u]), np.array([v]))[0])

    # moments ------------------------------------------------------------------------------------------------------

    def labels(self, threads: int, *, spent: bool = False) -> tuple[int, Array]:
        """(count, labels) on the GPU. spent: the trees are needed no more, so the labels may take their memory."""
        del threads
        with self._lock, self._turn("numbering components"):
            n = self._vertices
            found = self._roots(spent)
            kernels = self._device.kernels(names.base(self._shape(64)))
            if n:
                control = self._zeros(CONTROL_WORDS, np.uint64)
                tiles = self._zeros(-(-n // _SCAN_TILE), np.uint64)
                grid = (launch.grid_for(self._device, n, _SCAN_TILE),)
                kernels["number"](grid, (BLOCK,), tuple(launch.argument(x) for x in (found, n, tiles, control)))
                self._run(kernels["label"], n, (found, n, control))
                count = int(control[WORD_COUNT])
            else:
                count = 0
            return count, self._signed(found)

    def snapshot(self, with_forest: bool) -> tuple[int, NDArray[Any], tuple[NDArray[Any], ...] | None]:
        """(position, representatives, forest or None) in host memory."""
        with self._lock, self._turn("looking at the trees"):
            roots = self._signed(self._roots()).get()
            forest = None
            if with_forest:
                n, none = self._vertices, (1 << (64 if self._wide else 32)) - 1
                kept = cuda.cupy().flatnonzero(self._owner_u[:n] != self._owner_u.dtype.type(none))
                forest = tuple(x[kept].astype(np.int64).get() for x in (self._owner_u, self._owner_v, self._owner))
            return self._position, roots, forest

    # the machine --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _turn(self, doing: str) -> Iterator[None]:
        """The errors of a call, and its place behind what other streams have queued, also if it fails."""
        with cuda.errors(doing):
            here = cuda.cupy().cuda.get_current_stream()
            if here.is_capturing():  # nothing outside may be waited for then, or wait for it
                yield
                return
            if self._recorded:  # the stream may be another one with the same handle
                here.wait_event(self._after)
            try:
                yield
            finally:
                self._after.record(here)
                self._recorded = True

    def _zeros(self, size: int, dtype: Any) -> Any:
        return cuda.cupy().zeros(max(1, size), dtype=dtype)

    def _shape(self, edge: names.Width) -> names.Shape:
        return names.Shape(64 if self._wide else 32, edge)

    def _kernels(self, edge: names.Width, wide: bool | None = None) -> dict[str, Any]:
        """The kernels for ids of so many bits and the cells there are, or wide ones or not."""
        wide = self._wide if wide is None else wide
        found = self._loaded.get((edge, wide))
        if found is None:
            found = self._device.kernels(names.stream(self._rule, names.Shape(64 if wide else 32, edge)))
            self._loaded[edge, wide] = found
        return found

    def _run(
        self,
        kernel: Callable[..., None],
        items: int,
        arguments: tuple[Any, ...],
        per_block: int = BLOCK,
        waves: int = 8,
    ) -> None:
        grid = (launch.grid_for(self._device, items, per_block, waves),)
        kernel(grid, (BLOCK,), tuple(launch.argument(a) for a in arguments))

    def _ends(self, u: Array, v: Array) -> tuple[Any, Any, bool]:
        cupy = cuda.cupy()
        here = isinstance(u, cupy.ndarray)
        return cupy.asarray(u), cupy.asarray(v), here

    def _own(self) -> tuple[Any, ...]:
        return (self._parent, self._words, self._aux, self._owner, self._owner_u, self._owner_v)

    def _check(self, a: Any, b: Any, kinds: Any, what: str, looks: bool = False) -> Look:
        """One read-back. Raises InputError for the first negative id."""
        if len(a) == 0:
            return Look(0)
        limit = 2 ** (8 * a.dtype.itemsize - 1) if a.dtype.kind == "i" else 2**64 - 1
        strides = (launch.stride_of(a), launch.stride_of(b))
        near = len(a) // _HOOK_NEAR if looks else -1
        self._seen.data.memset_async(0, self._seen.nbytes)
        arguments = (a, b, *strides, kinds, len(a), np.uint64(limit), self._seen, near)
        self._run(self._kernels(launch.width_of(a))["largest_inserted"], len(a), arguments, BLOCK * _SEVERAL, _BLOCKS)
        found = self._seen.get()
        if found[_NEXT]:
            i = len(a) - int(found[_NEXT])
            if a.dtype.kind == "u":  # 2^64 - 1, and one more than that fits no word
                larger = cuda.cupy().maximum(a, b)
                inserts = larger[:0] if what == "query" else larger if kinds is None else larger[kinds == 0]
                reaches = bool((inserts == np.uint64(2**64 - 1)).any())
                return Look(2**64 if reaches else int(found[_LOW]))
            raise InputError(f"{what} {i}: vertex {min(int(a[i]), int(b[i]))} is negative")
        return Look(int(found[_LOW]), int(found[_ARCS]), int(found[_GREW]))

    def _know(self, vertices: int) -> None:
        """So many vertices are known now, at least. There are cells for them."""
        self._vertices = max(self._vertices, vertices)

    def _room(self, vertices: int) -> None:
        """Cells for so many vertices, at least; or OutOfDeviceMemory, and nothing has changed."""
        if vertices <= self._cells:
            return
        generous = max(vertices, self._cells + self._cells // 4 + 64)
        with cuda.errors(f"making room for all vertices up to {vertices - 1}"):
            self._grow(generous if generous <= _NARROW or vertices > _NARROW else vertices)

    def _grow(self, vertices: int) -> None:
        """Make cells for so many vertices. Nothing of the stream is touched before everything is there."""
        wide, old = self._wide or vertices > _NARROW, self._cells
        cell = np.uint64 if wide else np.uint32
        types: dict[str, Any] = {
            "_words" if self._rule.ranked else "_parent": np.uint64 if self._rule.ranked else cell,
            **({"_aux": cell} if self._rule.uses_aux else {}),
            **({"_owner": np.uint64, "_owner_u": cell, "_owner_v": cell} if self.keeps_forest else {}),
        }
        # CuPy multiplies in 64 bits without looking: what it is asked for must be possible.
        if vertices * sum(np.dtype(t).itemsize for t in types.values()) > self._device.memory:
            raise no_room(vertices - 1)
        begin = self._kernels(64, wide)["begin_cells"]
        grown = {name: cuda.cupy().empty(vertices, dtype=dtype) for name, dtype in types.items()}
        marks = None if self._marks is None else self._widened(self._marks, -(-vertices // 32))
        for name, array in grown.items() if old else ():
            _carry_over(getattr(self, name)[:old], array[:old])
        arrays = (grown.get(name) for name in ("_parent", "_words", "_aux", "_owner_u"))
        self._run(begin, vertices - old, (*arrays, old, vertices))
        # In one step: no signal comes between.
        vars(self).update(grown, _marks=marks, _wide=wide, _cells=vertices)

    def _insert(self, a: Any, b: Any, at: Any, vertices: int, look: Look | None = None) -> None:
        """Insert edges, of which look is what a check has seen; so many vertices are known then, at least."""
        self._room(vertices)
        m, n, first = len(a), self._cells, self._position
        if m == 0:
            self._know(vertices)
            return
        hooks = self._hooks(m, look)
        marks = self._skip != "off" if hooks == "scattered" else not hooks and self._due(m)
        # All that is needed, before anything has changed.
        self._load(launch.width_of(a), bool(hooks), marks)
        if (hooks == "scattered" or marks) and self._marks is None:
            self._marks = self._zeros(-(-n // 32), np.uint32)
        roots = self._parent
        if marks and self._rule.ranked:
            roots = cuda.cupy().empty(n, dtype=np.uint64 if self._wide else np.uint32)
        self._know(vertices)
        self.hooked = hooks
        ends = (a, b, launch.stride_of(a), launch.stride_of(b))
        head = 0 if hooks else min(m, max(0, n - self._taken)) if marks else m
        head -= head % _SEVERAL if head < m else 0
        if hooks:
            self._hook(ends, at, first, m, hooks == "scattered")
        self._unite(ends, at, first, 0, head)
        self._taken += m
        if self._rule.ranked and marks:
            self._settle(roots, n)
        elif hooks or marks:
            self._flatten(roots, n)
        if marks:
            self._mark(roots, n)
        self._unite(ends, at, first, head, m)

    def _load(self, edge: names.Width, hooks: bool, marks: bool) -> None:
        """Have the kernels of a batch loaded, which takes memory."""
        self._kernels(edge)
        if hooks:
            self._device.kernels(names.marks(self._shape(edge)))
        if hooks or marks:
            self._device.kernels(names.base(self._shape(64)))
        if marks:
            self._device.kernels(names.marks(self._shape(64)))
            if self._rule.ranked:
                self._device.kernels(names.upkeep(self._rule, self._shape(64)))

    def _unite(self, ends: tuple[Any, ...], at: Any, first: int, begin: int, end: int) -> None:
        """Insert the edges [begin, end)."""
        insert = self._kernels(launch.width_of(ends[0]))["insert_edges"]
        marks = (self._marks, self._marked) if self._marked_cells else (None, None)
        for start in range(begin, end, _SLICE):
            stop = min(end, start + _SLICE)
            arguments = (*ends, *self._own(), at, np.uint64(first), self._control, start, stop, self._cells, *marks)
            self._run(insert, stop - start, arguments, BLOCK * _SEVERAL, _BLOCKS)

    def _may_hook(self, m: int) -> bool:
        """Whether a batch of so many edges is worth a look at how near their ends are."""
        return self._start is None and m >= _HOOK_LEAST and not self._rule.ranked

    def _hooks(self, m: int, look: Look | None) -> Literal["", "sorted", "scattered"]:
        """How a batch is hooked before it is inserted, if it is: as the plan says, else where it looks like a mesh."""
        if self._start is not None or look is None or self._rule.ranked:
            return "scattered" if self._start == "hook" and not self._rule.ranked else ""
        low, high = (share * m for share in _HOOK_FALLS)
        scattered = low <= look.falls <= high
        least = _HOOK_SCATTERED if scattered else _HOOK_SORTED
        fits = least * self._cells <= m and self._taken + m <= _HOOK_MOST * self._cells
        if not fits or look.close < _HOOK_CLOSE * m:
            return ""
        return "scattered" if scattered else "sorted"

    def _due(self, m: int) -> bool:
        """Whether the largest tree is marked while a batch of so many edges is inserted."""
        edges, n = self._taken + m, self._cells
        if self._skip is not None:
            return self._skip == "tree" and edges > n
        narrow = n * (8 if self._wide or self._rule.ranked else 4) <= self._device.cache
        if edges < max(_MARK_LEAST, n * (_MARK_SMALL if narrow else _MARK_FROM)):
            return False
        return edges >= _MARK_AGAIN * self._marked_edges or n >= _MARK_AGAIN * self._marked_cells

    def _hook(self, ends: tuple[Any, ...], at: Any, first: int, m: int, scattered: bool) -> None:
        """Hang larger ends that are roots below the other ends."""
        kernels = self._device.kernels(names.marks(self._shape(launch.width_of(ends[0]))))
        if scattered:
            self._marked_cells = 0  # meanwhile the marks say something else
            self._run(kernels["mark_linked"], self._cells, (self._parent, self._cells, self._marks))
        owners = (self._owner, self._owner_u, self._owner_v)
        place = (at, np.uint64(first), self._control, 0, m, self._cells, self._marks if scattered else None)
        self._run(kernels["hook_edges"], m, (*ends, self._parent, *owners, *place), BLOCK * _SEVERAL, _BLOCKS)

    def _mark(self, roots: Any, n: int) -> None:
        """Mark the members of the largest tree; every vertex has its root in `roots`."""
        self._marked.fill(0)
        choose = self._device.kernels(names.base(self._shape(64)))["choose_skip"]
        choose((1,), (_DRAWN,), tuple(launch.argument(x) for x in (roots, n, np.uint64(self._seed), self._marked, 0)))
        mark = self._device.kernels(names.marks(self._shape(64)))["mark_tree"]
        self._run(mark, n, (roots, n, self._marked, self._marks))
        self._marked_edges, self._marked_cells = self._taken, n

    def _widened(self, array: Any, size: int) -> Any:
        """A copy with zeros behind it."""
        wide = self._zeros(size, array.dtype)
        wide[: len(array)] = array
        return wide

    def _settle(self, roots: Any, n: int) -> None:
        """The root of every vertex, of trees linked by rank."""
        upkeep = self._device.kernels(names.upkeep(self._rule, self._shape(64)))
        self._run(upkeep["settle_ranked"], n, (self._words, roots, n))

    def _flatten(self, parents: Any, n: int) -> None:
        """Every vertex becomes a child of its root."""
        compress = self._device.kernels(names.base(self._shape(64)))["compress"]
        self._run(compress, n, (parents, n, self._blank, 0))

    def _operations(self, a: Any, b: Any, kinds: Any, bits: Any, what: int, *, vertices: int = 0) -> None:
        """Run operations; so many vertices are known then, and have cells already."""
        if len(a) == 0:
            return
        strides = (launch.stride_of(a), launch.stride_of(b))
        place = (np.uint64(self._position), self._control, len(a), self._cells, bits, what)
        kernel = self._kernels(launch.width_of(a))["run_operations"]
        self._know(vertices)
        self._run(kernel, len(a), (a, b, *strides, kinds, *self._own(), *place))

    def _signed(self, roots: Any) -> Any:
        """Roots as labels, in the type that what is known takes: a call that failed may have left wider cells."""
        if not self._wide:
            return roots.view(np.int32)
        signed = roots.view(np.int64)
        return signed if self._asked_wide or self._vertices > _NARROW else signed.astype(np.int32)

    def _roots(self, spent: bool = False) -> Any:
        """A copy of the cells, or the cells themselves, in which every vertex holds the smallest of its tree."""
        n, cupy = self._vertices, cuda.cupy()
        cell = np.uint64 if self._wide else np.uint32
        kernels = self._device.kernels(names.base(self._shape(64)))
        if n == 0:
            return cupy.empty(0, dtype=cell)
        if not self._rule.ranked:
            roots = self._parent[:n] if spent else self._parent[:n].copy()
            self._flatten(roots, n)
            return roots
        roots, low = cupy.empty(n, dtype=cell), cupy.empty(n, dtype=cell)
        self._settle(roots, n)
        self._run(kernels["fill_none"], n, (low, n))
        self._run(kernels["offer_low"], n, (roots, low, n))
        self._run(kernels["take_low"], n, (roots, low, n))
        return roots


def _carry_over(old: Any, new: Any) -> None:
    """Copy cells; where the new ones are wider, "none" is all their bits, too."""
    new[...] = old
    if new.dtype != old.dtype:
        new[old == np.uint32(2**32 - 1)] = np.uint64(2**64 - 1)
