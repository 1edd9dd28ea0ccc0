"""The cases of suites of several processors: forms and sizes, who runs them, and edges that any processor makes alike.

Edge number i is a hash of i, so that every GPU writes its own part of the edges into its own memory, and any part can
be made again. The random list of 2^k elements is a permutation that is computed both ways.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

FORMS = ("spread", "merge", "host", "device", "memory", "stream", "rows", "list", "empty")
ARRAY = 1 << 30
"""Edges of an array, at most."""
_ODD = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_FACTORS = (0x2C1B3C6D, 0x297A2D39)


@dataclass(frozen=True)
class Case:
    """One row of a suite: a form, n = 2^vertices, m = 2^edges, the type of ids, edges per batch of a stream; and the
    seconds of a turn after which a contestant is out.

    share: of "memory", in place of m: the bytes of the pairs over those of one GPU's memory. one_tree: whether edges
    connect all vertices in the end; if not, the last vertex has none, and no run may stop before the last edge.
    """

    form: str
    vertices: float = 0
    edges: float = 0
    ids: str = "int32"
    batch: int = 10**8
    limit: float = 40.0
    share: float = 0.0
    one_tree: bool = False

    @property
    def name(self) -> str:
        size = f"{self.share:g} memories" if self.share else f"m=2^{self.edges:g}"
        return f"{self.form} {self.ids} n=2^{self.vertices:g} {size}" + (", one tree" if self.one_tree else "")

    @property
    def n(self) -> int:
        return int(2**self.vertices)

    @property
    def drawn(self) -> int:
        """Endpoints of edges are below this number."""
        return self.n if self.one_tree else max(1, self.n - 1)

    def edges_for(self, memory: int) -> int:
        """How many edges: for GPUs with so many bytes."""
        return int(self.share * memory) // 8 // 1024 * 1024 if self.share else int(2**self.edges)


def groups(gpus: int) -> dict[str, list[Any]]:
    """Contestants by name: processors alone, then several together. Without a GPU, sets of CPU threads."""
    if gpus == 0:
        return {"cpu": ["cpu"]} | {f"{k} x cpu": ["cpu"] * k for k in (2, 4)}
    counts = [k for k in (1, 2, 4, 8) if k <= gpus]
    alone = {f"{k} gpu{'s' * (k > 1)}": list(range(k)) for k in counts}
    beside = {f"cpu + {name}": ["cpu", *words] for name, words in alone.items()}
    return {"cpu": ["cpu"], **alone, **beside, **({"gpu twice": [0, 0]} if gpus == 1 else {})}


def contestants(case: Case, gpus: int) -> dict[str, list[Any]]:
    """Those that run a case: CPU threads only what is in host memory, and what is more than a memory all GPUs."""
    every = groups(gpus)
    if gpus == 0:
        return {name: words for name, words in every.items() if case.form != "list" or words == ["cpu"]}
    if case.form in ("host", "empty"):
        sizes = {1, gpus}
        return {name: words for name, words in every.items() if "cpu" not in words[:-1] or len(words) - 1 in sizes}
    if case.form == "memory":
        fits = case.share < 0.9 * gpus
        return {name: words for name, words in every.items() if fits and words == list(range(gpus))}
    if case.form == "list":
        return {name: words for name, words in every.items() if words == [0]}
    return {name: words for name, words in every.items() if "cpu" not in words}


# edges ----------------------------------------------------------------------------------------------------------------


def hashed(numbers: Any, n: int) -> Any:
    """Vertices below n for 64-bit numbers of NumPy."""
    with np.errstate(over="ignore"):
        z = (numbers + np.uint64(1)) * np.uint64(_ODD[0])
        z = (z ^ (z >> np.uint64(30))) * np.uint64(_ODD[1])
        z = (z ^ (z >> np.uint64(27))) * np.uint64(_ODD[2])
        z ^= z >> np.uint64(31)
        return (z >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)


@cache
def _kernel(cupy: Any) -> Any:
    return cupy.ElementwiseKernel(
        "uint64 first, uint64 n",
        "T id",
        f"""
        unsigned long long z = (first + 2ull * (unsigned long long)i + 1ull) * {_ODD[0]}ull;
        z = (z ^ (z >> 30)) * {_ODD[1]}ull;
        z = (z ^ (z >> 27)) * {_ODD[2]}ull;
        z ^= z >> 31;
        id = (T)((z >> 32) * n >> 32);
        """,
        "landbridge_benchmark_edges",
    )


def pairs(module: Any, n: int, first: int, count: int, dtype: str) -> tuple[Any, Any]:
    """The edges first..first+count-1 among n <= 2^32 vertices; of CuPy, in the memory of its current GPU."""
    if module is np:
        numbers = np.uint64(2 * first) + np.arange(0, 2 * count, 2, dtype=np.uint64)
        u, v = (hashed(numbers + np.uint64(k), n).astype(dtype) for k in (0, 1))
        return u, v
    result = []
    for k in (0, 1):
        array = module.empty(count, dtype=dtype)
        _kernel(module)(np.uint64(2 * first + k), np.uint64(n), array)
        result.append(array)
    return result[0], result[1]


def spans(m: int, most: int = ARRAY) -> Iterator[tuple[int, int]]:
    """(first, count) of consecutive arrays."""
    for first in range(0, m, most):
        yield first, min(most, m - first)


# lists ----------------------------------------------------------------------------------------------------------------


def place_to_element(x: Any, bits: int, module: Any = np) -> Any:
    """The element at each place of the list of 2^bits elements, as 64-bit numbers."""
    mask, half = module.uint64(2**bits - 1), module.uint64((bits + 1) // 2)
    for factor in _FACTORS:
        x = x ^ (x >> half)
        x = x * module.uint64(factor) & mask
    return x ^ (x >> half)


def element_to_place(x: Any, bits: int, module: Any = np) -> Any:
    """The place of each element: the inverse."""
    mask, half = module.uint64(2**bits - 1), module.uint64((bits + 1) // 2)
    for factor in reversed(_FACTORS):
        x = x ^ (x >> half)
        x = x * module.uint64(pow(factor, -1, 2**bits)) & mask
    return x ^ (x >> half)


def successors(module: Any, bits: int, first: int, count: int) -> tuple[Any, Any]:
    """(successors, ranks) of the elements first..first+count-1 of the list of 2^bits elements."""
    elements = module.arange(first, first + count, dtype=module.uint64)
    places = element_to_place(elements, bits, module)
    last = module.uint64(2**bits - 1)
    after = place_to_element(module.minimum(places + module.uint64(1), last), bits, module)
    dtype = module.int32 if bits <= 31 else module.int64
    return after.astype(dtype), (last - places).astype(module.int64)
