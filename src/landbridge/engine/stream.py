"""Streams on one GPU: the trees of `Incremental` in device memory, batches as one or two launches."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.device import cuda, launch, names
from landbridge.device.launch import BLOCK, CONTROL_WORDS, WORD_COUNT
from landbridge.engine.gpu import Schedule, rule_of
from landbridge.errors import InputError
from landbridge.plan import Plan

_NEXT, _LOW, _LINKS = 11, 10, 15  # lb::gpu::word_next, word_low, word_links
_SCAN_TILE = 4096  # lb::gpu::scan_tile
_SEVERAL = 4  # lb::gpu::several
_NARROW = 2**31 - 1
_HEAD = 1.0
"""A batch many times as long as there are vertices: after so many edges a vertex the trees are flattened once."""
_LONG = 1.1

Array = Any


class DeviceTrees:
    """What `landbridge._core.IncrementalTrees` is, on the current GPU: the same methods, for arrays on either side.

    Arrays on the GPU are read there and answered there; arrays in host memory are copied. Work is queued on CuPy's
    current stream, behind that of any other stream; calls of several threads take turns.
    """

    def __init__(self, plan: Plan, vertices: int, keep_forest: bool) -> None:
        options = dict(plan.engine.options) if plan.engine is not None else {}
        finish = plan.finish
        self.mixed = finish.mixed
        self.keeps_forest = keep_forest
        schedule = Schedule(reads=str(options.get("reads", "stale")), merge=str(options.get("merge", "off")))
        self._rule = rule_of(finish, schedule)
        self._finish, self._wide = finish, options.get("ids") == "wide" or vertices > _NARROW
        self._lock = threading.RLock()
        self._after: tuple[Any, Any] | None = None
        with cuda.errors("starting a stream"):
            self._device = cuda.current()
            self._control = self._zeros(CONTROL_WORDS, np.uint64)
            self._blank = self._zeros(CONTROL_WORDS, np.uint64)  # for kernels that would stop where one tree is left
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

    def insert(self, u: Array, v: Array) -> None:
        with self._lock, self._turn("inserting edges"):
            a, b, _ = self._ends(u, v)
            self._admit(a, b, None, "edge")
            self._insert(a, b, None, self._position)
            self._position += len(a)

    def insert_known(self, u: Array, v: Array, vertices: int) -> None:
        """Arrays on the GPU whose ids somebody has found to be below `vertices`: nothing is read back."""
        with self._lock, self._turn("inserting edges"):
            self._know(vertices)
            self._insert(u, v, None, self._position)
            self._position += len(u)

    def insert_one(self, u: int, v: int) -> None:
        self.insert(np.array([u]), np.array([v]))

    def insert_at(self, u: Array, v: Array, at: Array | None, advance: int, vertices: int) -> None:
        with self._lock, self._turn("inserting edges"):
            a, b, _ = self._ends(u, v)
            self._admit(a, b, None, "edge")
            self._know(vertices)
            places = None if at is None else cuda.cupy().asarray(at).astype(np.uint64)
            self._insert(a, b, places, self._position)
            self._position += advance

    def apply(self, u: Array, v: Array, is_query: Array, inserts_first: bool) -> Array:
        with self._lock, self._turn("running operations"):
            cupy = cuda.cupy()
            a, b, here = self._ends(u, v)
            kinds = cupy.asarray(is_query)
            self._admit(a, b, kinds, "operation")
            bits = cupy.empty(-(-len(a) // 32), dtype=np.uint32)
            if self.mixed and not inserts_first:
                self._operations(a, b, kinds, bits, 3)
            else:
                self._operations(a, b, kinds, bits, 1)
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
            return count, found.view(np.int64 if self._wide else np.int32)

    def snapshot(self, with_forest: bool) -> tuple[int, NDArray[Any], tuple[NDArray[Any], ...] | None]:
        """(position, representatives, forest or None) in host memory."""
        with self._lock, self._turn("looking at the trees"):
            roots = self._roots().view(np.int64 if self._wide else np.int32).get()
            forest = None
            if with_forest:
                n, none = self._vertices, (1 << (64 if self._wide else 32)) - 1
                kept = cuda.cupy().flatnonzero(self._owner_u[:n] != self._owner_u.dtype.type(none))
                forest = tuple(x[kept].astype(np.int64).get() for x in (self._owner_u, self._owner_v, self._owner))
            return self._position, roots, forest

    # the machine --------------------------------------------------------------------------------------------------

    def _turn(self, doing: str) -> Any:
        return _Turn(self, doing)

    def _zeros(self, size: int, dtype: Any) -> Any:
        return cuda.cupy().zeros(max(1, size), dtype=dtype)

    def _shape(self, edge: names.Width) -> names.Shape:
        return names.Shape(64 if self._wide else 32, edge)

    def _kernels(self, edge: names.Width) -> dict[str, Any]:
        return self._device.kernels(names.stream(self._rule, self._shape(edge)))

    def _run(self, kernel: Callable[..., None], items: int, arguments: tuple[Any, ...], per_block: int = BLOCK) -> None:
        grid = (launch.grid_for(self._device, items, per_block),)
        kernel(grid, (BLOCK,), tuple(launch.argument(a) for a in arguments))

    def _ends(self, u: Array, v: Array) -> tuple[Any, Any, bool]:
        cupy = cuda.cupy()
        here = isinstance(u, cupy.ndarray)
        return cupy.asarray(u), cupy.asarray(v), here

    def _own(self) -> tuple[Any, ...]:
        return (self._parent, self._words, self._aux, self._owner, self._owner_u, self._owner_v)

    def _check(self, a: Any, b: Any, kinds: Any, what: str) -> int:
        """One more than the largest id of an insert. One read-back. Raises InputError for the first negative id."""
        if len(a) == 0:
            return 0
        limit = 2 ** (8 * a.dtype.itemsize - 1) if a.dtype.kind == "i" else 2**64 - 1
        words = self._zeros(CONTROL_WORDS, np.uint64)
        strides = (launch.stride_of(a), launch.stride_of(b))
        arguments = (a, b, *strides, kinds, len(a), np.uint64(limit), words)
        self._run(self._kernels(launch.width_of(a))["largest_inserted"], len(a), arguments, 4 * BLOCK)
        found = words.get()
        if found[_NEXT]:
            i = len(a) - int(found[_NEXT])
            raise InputError(f"{what} {i}: vertex {min(int(a[i]), int(b[i]))} is negative")
        return int(found[_LOW])

    def _admit(self, a: Any, b: Any, kinds: Any, what: str) -> None:
        self._know(self._check(a, b, kinds, what))

    def _know(self, vertices: int) -> None:
        if vertices > self._cells:
            generous = max(vertices, self._cells + self._cells // 4 + 64)
            self._grow(generous if generous <= _NARROW or vertices > _NARROW else vertices)
        self._vertices = max(self._vertices, vertices)

    def _grow(self, vertices: int) -> None:
        if vertices > _NARROW and not self._wide:
            self._widen()
        cell = np.uint64 if self._wide else np.uint32
        fresh = {
            "_words" if self._rule.ranked else "_parent": np.uint64 if self._rule.ranked else cell,
            **({"_aux": cell} if self._rule.uses_aux else {}),
            **({"_owner": np.uint64, "_owner_u": cell, "_owner_v": cell} if self.keeps_forest else {}),
        }
        grown = {name: cuda.cupy().empty(vertices, dtype=dtype) for name, dtype in fresh.items()}
        for name, array in grown.items():
            if self._cells:
                array[: self._cells] = getattr(self, name)[: self._cells]
            setattr(self, name, array)
        begin = self._kernels(64)["begin_cells"]
        arguments = (self._parent, self._words, self._aux, self._owner_u, self._cells, vertices)
        self._run(begin, vertices - self._cells, arguments)
        self._cells = vertices

    def _widen(self) -> None:
        """Cells of 64 bits in place of 32."""
        for name in ("_parent", "_aux", "_owner_u", "_owner_v"):
            cells = getattr(self, name)
            if cells is not None:
                wide = cells.astype(np.uint64)
                wide[cells == np.uint32(2**32 - 1)] = np.uint64(2**64 - 1)
                setattr(self, name, wide)
        self._wide = True

    def _insert(self, a: Any, b: Any, at: Any, first: int) -> None:
        m = len(a)
        if m == 0:
            return
        kernels = self._kernels(launch.width_of(a))
        head = int(_HEAD * self._cells) if m > _LONG * self._cells and not self._rule.ranked else m
        strides = (launch.stride_of(a), launch.stride_of(b))
        for begin, end in ((0, head), (head, m)):
            if begin == end:
                continue
            if begin:
                self._flatten(self._parent, self._cells)
            arguments = (a, b, *strides, *self._own(), at, np.uint64(first), self._control, begin, end, self._cells)
            self._run(kernels["insert_edges"], end - begin, arguments, BLOCK * _SEVERAL)

    def _flatten(self, parents: Any, n: int) -> None:
        """Every vertex becomes a child of its root."""
        compress = self._device.kernels(names.base(self._shape(64)))["compress"]
        self._run(compress, n, (parents, n, self._blank, 0))

    def _operations(self, a: Any, b: Any, kinds: Any, bits: Any, what: int) -> None:
        if len(a) == 0:
            return
        strides = (launch.stride_of(a), launch.stride_of(b))
        place = (np.uint64(self._position), self._control, len(a), self._cells, bits, what)
        kernel = self._kernels(launch.width_of(a))["run_operations"]
        self._run(kernel, len(a), (a, b, *strides, kinds, *self._own(), *place))

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
        upkeep = self._device.kernels(names.upkeep(self._rule, self._shape(64)))
        self._run(upkeep["settle_ranked"], n, (self._words, roots, n))
        self._run(kernels["fill_none"], n, (low, n))
        self._run(kernels["offer_low"], n, (roots, low, n))
        self._run(kernels["take_low"], n, (roots, low, n))
        return roots


class _Turn:
    """The errors of a call, and its place behind what other streams have queued."""

    def __init__(self, trees: DeviceTrees, doing: str) -> None:
        self._trees, self._errors = trees, cuda.errors(doing)

    def __enter__(self) -> None:
        self._errors.__enter__()
        after = self._trees._after
        here = cuda.cupy().cuda.get_current_stream()
        if after is not None and after[0] != here.ptr:
            here.wait_event(after[1])

    def __exit__(self, *problem: Any) -> bool | None:
        if problem[0] is None:
            here = cuda.cupy().cuda.get_current_stream()
            event = cuda.cupy().cuda.Event(disable_timing=True)
            event.record(here)
            self._trees._after = (here.ptr, event)
        return self._errors.__exit__(*problem)
