"""Cells of the zoo by name, `structure/order/form/size`, and what is drawn from one.

from benchmarks.zoo.cells import cells, draw
drawn = draw("ring-8/permuted/stream-random-1e5/1e6")
drawn.n, drawn.pairs(), drawn.csr(), drawn.batches(), drawn.successors(), drawn.labels
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.zoo.numbers import on_host, permutation, random_words
from benchmarks.zoo.orders import ORDERS, renamed
from benchmarks.zoo.structures import LISTS, STRUCTURES, UNIONS, Edges, make, structure

SIZES = ("1e4", "1e5", "1e6", "1e7", "1e8")
EDGE_ORDERS = ("sorted", "made", "random", "reversed", "both")
"""Of an edge list: by endpoints, as the structure makes them, at random, by endpoints downwards; by endpoints with each
edge in both directions, as in the rows of a symmetric CSR."""
BATCHES = ("1e3", "1e4", "1e5", "1e6", "1e7")
FORMS = (
    "csr",
    "csr-plain",
    "csr-upper",
    "forest",
    *(f"pairs-{order}" for order in EDGE_ORDERS),
    "forest-random",
    *(f"stream-{order}" for order in EDGE_ORDERS),
    *(f"stream-random-{size}" for size in BATCHES),
    *(f"stream-sorted-{size}" for size in BATCHES),
    *(f"chunks-{order}" for order in EDGE_ORDERS),
    "list",
)
"""csr: a symmetric CSR that is said to be; plain: the same, of which nothing is said; upper: one with each edge in the
row of its smaller endpoint alone; forest: a spanning forest of it; pairs: an edge list; forest-ORDER: a forest of one;
stream: insertions in one batch or in batches of a size; chunks: an iterable of 2^20 edges each; list: the paths of a
structure of `LISTS` as linked lists."""
_FORM = re.compile(
    rf"(csr(-plain|-upper)?|forest|list|(pairs|forest|stream|chunks)-({'|'.join(EDGE_ORDERS)})(-\d+e\d+)?)"
)
CHUNK = 2**20


@dataclass(frozen=True)
class Cell:
    """One cell. size: about how many edges, as text."""

    structure: str
    order: str
    form: str
    size: str

    def __str__(self) -> str:
        return f"{self.structure}/{self.order}/{self.form}/{self.size}"

    @property
    def edges(self) -> int:
        return int(float(self.size))

    @property
    def problem(self) -> str:
        """csr, forest, pairs, stream, chunks or list."""
        return self.form.partition("-")[0]

    @property
    def edge_order(self) -> str:
        """Of the edge list; empty for a CSR and for lists."""
        return "" if self.problem == "csr" else [*self.form.split("-"), ""][1]

    @property
    def is_csr(self) -> bool:
        return self.problem == "csr" or self.form == "forest"

    @property
    def symmetric(self) -> bool | None:
        """What is said of a CSR."""
        return True if self.form in ("csr", "forest") else None

    @property
    def batch(self) -> int:
        """The edges of a batch; all of them if the form names no size."""
        parts = self.form.split("-")
        return int(float(parts[2])) if len(parts) > 2 else CHUNK if parts[0] == "chunks" else 2**62

    @property
    def graph(self) -> tuple[str, str, str]:
        """What cells of the same vertices and edges have in common."""
        return self.structure, self.order, self.size


def cell(name: str) -> Cell:
    """The cell of that name. Raises ValueError for a part that is unknown."""
    parts = name.split("/")
    if len(parts) != 4:
        raise ValueError(f"a cell is structure/order/form/size, not {name!r}")
    one = Cell(*parts)
    structure(one.structure)
    if one.order not in ORDERS:
        raise ValueError(f"no order of ids is called {one.order!r}; known: {', '.join(ORDERS)}")
    if not _FORM.fullmatch(one.form):
        raise ValueError(f"no form is called {one.form!r}; known: {', '.join(FORMS)}")
    if one.form == "list" and one.structure not in LISTS:
        raise ValueError(f"{one.structure!r} has no lists; {', '.join(LISTS)} have")
    if not re.fullmatch(r"\d+e\d+", one.size):
        raise ValueError(f"a size is like 1e6, not {one.size!r}")
    return one


def cells(pattern: str = "*/*/*/*") -> Iterator[Cell]:
    """The cells that a pattern names, part by part: `*` and `?` stand for letters, `{a,b}` for one of several; only `*`
    and a part with a plus sign give unions. A part without them may be any union, form or size. Of several cells those
    are left out that are lists of a structure that has none. Raises ValueError.
    """
    parts = pattern.split("/")
    if len(parts) != 4:
        raise ValueError(f"a pattern is structure/order/form/size, not {pattern!r}")
    known = ((*STRUCTURES, *UNIONS), tuple(ORDERS), FORMS, SIZES)
    structures, orders, forms, sizes = (list(_matching(*each)) for each in zip(parts, known, strict=True))
    for size in sizes:
        for a in structures:
            for order in orders:
                for form in forms:
                    if form != "list" or a in LISTS or len(structures) * len(forms) == 1:
                        yield cell(f"{a}/{order}/{form}/{size}")


def _matching(part: str, known: Sequence[str]) -> Iterator[str]:
    alternatives = part[1:-1].split(",") if part.startswith("{") and part.endswith("}") else [part]
    for alternative in alternatives:
        if not set(alternative) & set("*?["):
            yield alternative
            continue
        with_unions = "+" in alternative or alternative == "*"
        names = [name for name in known if fnmatchcase(name, alternative) and (with_unions or "+" not in name)]
        if not names:
            raise ValueError(f"nothing matches {alternative!r}; known: {', '.join(known)}")
        yield from names


def sample(of: Sequence[Cell], count: int, seed: int) -> list[Cell]:
    """`count` of the cells at random, in their order."""
    return [of[i] for i in np.sort(permutation(np, len(of), seed)[:count])]


class Drawn:
    """The edges of a cell under the ids of its order, in NumPy's memory or CuPy's (`xp`). Arrays are made when asked
    for, and only the edges as made are kept.
    """

    def __init__(self, of: Cell, xp: Any, seed: int) -> None:
        self.cell, self.xp, self.seed = of, xp, seed
        edges: Edges = renamed(xp, make(xp, of.structure, of.edges, seed), of.order, seed + 7)
        self.n, self.u, self.v = edges.n, edges.u, edges.v
        self.components, self.simple = edges.components, edges.simple

    @property
    def num_edges(self) -> int:
        return len(self.u)

    @property
    def num_pairs(self) -> int:
        """Pairs of the cell's edge list."""
        return self.num_edges * (2 if self.cell.edge_order == "both" else 1)

    def _keys(self) -> Any:
        """Each edge as a word, the smaller endpoint above the larger one, ascending."""
        low, high = self.xp.minimum(self.u, self.v), self.xp.maximum(self.u, self.v)
        keys = low.astype(np.int64) << 32 | high
        keys.sort()
        return keys

    def pairs(self, order: str | None = None) -> tuple[Any, Any]:
        """The endpoints of the edges in an order of `EDGE_ORDERS`, the cell's own if none is named; int32."""
        order = order or self.cell.edge_order or "sorted"
        if order == "made":
            return self.u, self.v
        if order == "random":
            at = self.xp.argsort(random_words(self.xp, len(self.u), self.seed + 11))
            return self.u[at], self.v[at]
        keys = self._keys()
        low, high = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
        if order == "sorted":
            return low, high
        if order == "both":
            keys = self.xp.concatenate([keys, high.astype(np.int64) << 32 | low])
            keys.sort()
            return (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
        return self.xp.ascontiguousarray(high[::-1]), self.xp.ascontiguousarray(low[::-1])

    def successors(self) -> Any:
        """The element after each of linked lists, -1 for the last ones; int32."""
        after = self.xp.full(self.n, -1, dtype=np.int32)
        after[self.u] = self.v
        return after

    def batches(self, endpoints: tuple[Any, Any] | None = None) -> list[tuple[Any, Any]]:
        """`pairs`, or `endpoints` if they are at hand, in batches of the cell's size."""
        u, v = endpoints or self.pairs()
        step = min(self.cell.batch, max(len(u), 1))
        return [(u[i : i + step], v[i : i + step]) for i in range(0, len(u), step)]

    def csr(self) -> tuple[Any, Any]:
        """Offsets and neighbours, int32 where they fit: symmetric but for the form `csr-upper`, rows ascending, simple
        if the structure is."""
        xp = self.xp
        if self.cell.form == "csr-upper":
            keys = self._keys()
        else:
            keys = xp.concatenate([self.u.astype(np.int64) << 32 | self.v, self.v.astype(np.int64) << 32 | self.u])
            keys.sort()
        if self.simple:
            keep = xp.empty(len(keys), dtype=bool)
            keep[:1] = True
            keep[1:] = keys[1:] != keys[:-1]
            keep &= keys >> 32 != keys & 0xFFFFFFFF
            keys = keys[keep]
        bounds = xp.arange(self.n + 1, dtype=np.int64) << 32
        offsets = xp.searchsorted(keys, bounds)
        return offsets.astype(np.int32 if len(keys) < 2**31 else np.int64), (keys & 0xFFFFFFFF).astype(np.int32)

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """The right labels by SciPy, numbered by the smallest vertex of each component; on the host."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        u, v = on_host(self.u), on_host(self.v)
        matrix = csr_array((np.ones(len(u), np.int8), (u, v)), shape=(self.n, self.n))
        labels: NDArray[np.int32] = connected_components(matrix, directed=False)[1]
        return labels


def draw(name: str | Cell, xp: Any = np, seed: int = 1) -> Drawn:
    """The edges of a cell: the same ones for a name and a seed, on NumPy and on CuPy."""
    return Drawn(cell(name) if isinstance(name, str) else name, xp, seed)
