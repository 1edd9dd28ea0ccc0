"""Trials: random multigraphs, how they are divided, what is asked for, and what fails meanwhile; and whether the
answer of an engine is that of one process, bit for bit."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from cluster_cases import KINDS, Case, batch, ids_of_kind, smallest
from oracles.zoo import zoo

import landbridge
from landbridge.cluster.forests import bytes_per_key, bytes_per_row
from landbridge.cluster.running import edges_of
from landbridge.errors import InputError

METHODS = ("auto", "auto", "tree", "sample", "contract")
ZOO = 2000
"""Edges of a specimen of the zoo, at most."""


@dataclass(frozen=True)
class Trial:
    """seed: that all else follows from. graphs: in the case, which have no id in common. vertices: ids that edges need
    not name. lost: a worker is killed meanwhile."""

    seed: int
    graphs: int
    case: Case
    vertices: pa.Array | None
    method: str
    memory: int | None
    min_size: int
    check: bool
    forest: bool
    lost: bool

    def __str__(self) -> str:
        words = f"trial {self.seed}: {self.graphs} graphs, {self.case.kind}, {len(self.case.pairs)} edges in"
        words += f" {len(self.case.partitions)} partitions, method={self.method!r}, memory={self.memory}"
        flags = [name for name in ("check", "forest", "lost") if getattr(self, name)]
        return ", ".join([words, f"min_size={self.min_size}", *flags])

    @property
    def isolated(self) -> list[Any]:
        """Vertices as loops."""
        return [] if self.vertices is None else [(x, x) for x in self.vertices.to_pylist()]


class Cluster(Protocol):
    """An engine that runs trials: components as a table of two columns, and edges of a forest; failures: injected so
    far, by kind."""

    kinds: tuple[str, ...]
    failures: Callable[[], Counter[str]]

    def components(self, trial: Trial) -> pa.Table:
        """Ids and components."""

    def forest(self, trial: Trial) -> pa.Table:
        """Edges."""


@cache
def _specimens() -> list[Any]:
    return [one for one in zoo() if len(one.u) <= ZOO and one.n <= ZOO]


def _graph(rng: np.random.Generator) -> tuple[Any, Any]:
    """Edges between vertices that are numbers from 0 on."""
    shape = rng.random()
    if shape < 0.25:
        one = _specimens()[int(rng.integers(len(_specimens())))]
        return one.u, one.v
    n = int(rng.integers(2, rng.choice([5, 60, 60, 400])))
    m = int(n * rng.choice([0.4, 0.6, 1, 3]))
    u, v = rng.integers(0, n, (2, m))
    if shape < 0.4:  # pairs as in deduplication
        v = np.where(rng.random(m) < 0.2, v, np.minimum(u + rng.geometric(0.3, m), n - 1))
    elif shape < 0.5:  # a component of which each partition has a part
        u, v = rng.permutation(n)[: n - 1], np.arange(n - 1)
    elif shape < 0.6:
        u = np.where(rng.random(m) < 0.7, 0, u)
    elif shape < 0.7:
        v = np.where(rng.random(m) < 0.5, u, v)
    return u, v


def _divided(rng: np.random.Generator, graphs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Partitions of several graphs' edges: the rows of each in any order or as they are, cut anywhere; some partitions
    are empty, some come twice, and one may have all rows."""
    count = int(rng.integers(1, 10))
    parts: list[list[tuple[Any, Any]]] = [[(np.empty(0, np.int64),) * 2] for _ in range(count)]
    for u, v in graphs:
        rows = rng.permutation(len(u)) if rng.random() < 0.5 else np.arange(len(u))
        bounds = [0, *np.sort(rng.integers(0, len(u) + 1, int(rng.integers(0, count)))).tolist(), len(u)]
        places = rng.permutation(count)
        for place, (begin, stop) in zip(places, itertools.pairwise(bounds), strict=False):
            parts[place].append((u[rows[begin:stop]], v[rows[begin:stop]]))
    whole = [tuple(np.concatenate(columns) for columns in zip(*part, strict=True)) for part in parts]
    result = whole + [whole[int(i)] for i in rng.integers(0, count, int(rng.integers(0, 3)))]
    if rng.random() < 0.2:
        result.append(tuple(np.concatenate(columns) for columns in zip(*whole, strict=True)))
    return [result[i] for i in rng.permutation(len(result))]  # type: ignore[misc]


def trial_of(seed: int, kinds: tuple[str, ...] = KINDS, lost: float = 0.01, most: int = 15) -> Trial:
    """lost: the part of trials in which a worker is killed. most: graphs of a trial."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(kinds))
    graphs, first = [], 0
    for _ in range(int(rng.integers(1, most + 1))):  # no two have an id in common
        u, v = _graph(rng)
        graphs.append((u + first, v + first))
        first += int(max(u.max(), v.max(), 0)) + 3 if len(u) else 1
    parts = [[batch(ids_of_kind(kind, u), ids_of_kind(kind, v))] for u, v in _divided(rng, graphs)]
    pairs = [pair for part in parts for pair in zip(*(x.to_pylist() for x in part[0].columns), strict=True)]
    case = Case(kind, list(dict.fromkeys(pairs)), parts)
    vertices = ids_of_kind(kind, rng.integers(0, first + 5, int(rng.integers(0, 30)))) if rng.random() < 0.3 else None
    method, forest = str(rng.choice(METHODS)), bool(rng.random() < 0.15)
    return Trial(
        seed,
        len(graphs),
        case,
        None if forest else vertices,
        "tree" if forest and method == "contract" else method,
        None if forest else _memory(rng, case),
        1 if forest else int(rng.choice([1, 1, 1, 2, 3])),
        bool(rng.random() < 0.4) and not forest,
        forest,
        bool(rng.random() < lost),
    )


def quick(kinds: tuple[str, ...]) -> Iterator[int]:
    """Seeds of trials whose methods take few tasks."""
    for seed in itertools.count():
        trial = trial_of(seed, kinds)
        if trial.method in {"tree", "sample"} and trial.memory is None and not trial.check:
            yield seed


def _memory(rng: np.random.Generator, case: Case) -> int | None:
    """As much as an engine gives; or what makes a partition yield forests of parts of it, or a few tasks share ids."""
    if rng.random() < 0.5:
        return None
    ids = edges_of(case.type, case.type).ids
    rows = len({x for pair in case.pairs for x in pair}) + 1
    tasks = float(rng.choice([0.6, 0.6, 1.2, 3]))
    return max(int(rows * (bytes_per_row(ids) + 32) / tasks), 2 * bytes_per_key(ids))


def _bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def expected(trial: Trial) -> dict[Any, Any]:
    """Ids and components by a search; and by one process of landbridge, where it takes ids of the type."""
    pairs = [*trial.case.pairs, *trial.isolated]
    components = smallest(pairs)
    sizes = Counter(components.values())
    kind = trial.case.type
    if pairs and (pa.types.is_integer(kind) or pa.types.is_string(kind)):
        table = pa.table({name: pa.array([pair[i] for pair in pairs], kind) for i, name in enumerate(("u", "v"))})
        numbers = {"ids": "sparse"} if pa.types.is_integer(kind) else {}
        frame = landbridge.components(table, columns=("u", "v"), **numbers).frame("pyarrow")
        ids, representatives = frame["id"].to_pylist(), frame["representative"].to_pylist()
        assert dict(zip(ids, representatives, strict=True)) == components, trial
    return {x: component for x, component in components.items() if sizes[component] >= trial.min_size}


def verify(trial: Trial, cluster: Cluster) -> None:
    """Raise AssertionError unless a cluster gives the right answer."""
    kind = trial.case.type
    if trial.forest:
        try:
            table = cluster.forest(trial)
        except InputError as error:
            assert "a spanning forest of about" in str(error), trial
            return
        forest = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        components = smallest(trial.case.pairs)
        assert set(forest) <= set(trial.case.pairs), trial
        assert len(forest) == len(components) - len(set(components.values())), trial
        assert smallest([*forest, *((x, x) for x in components)]) == components, trial
        return
    table = cluster.components(trial)
    rows = dict(zip(table.column(0).to_pylist(), table.column(1).to_pylist(), strict=True))
    assert len(rows) == table.num_rows, f"{trial}: an id comes twice"
    answer = expected(trial)
    if rows != answer:
        differ = [x for x in answer if rows.get(x) != answer[x]]
        more = [x for x in rows if x not in answer]
        raise AssertionError(
            f"{trial}: {len(differ)} ids differ, such as {differ[:3]}; {len(more)} are not of the input"
        )
    assert not rows or {str(one).removeprefix("large_") for one in table.schema.types} == {
        str(kind).removeprefix("large_")
    }, f"{trial}: {table.schema}"


def run_trials(
    cluster: Cluster, seeds: Iterator[int], seconds: float, *, jobs: int = 1, lost: float = 0.0, most: int = 15
) -> Counter[str]:
    """Trials until the seeds or the seconds are over, `jobs` at once; how many of each sort there were. Raises the
    first failure. lost, most: as `trial_of` has them."""
    counts: Counter[str] = Counter()
    end, lock = time.monotonic() + seconds, threading.Lock()
    failed = threading.Event()

    def turn() -> None:
        while time.monotonic() < end and not failed.is_set():
            with lock:
                seed = next(seeds, None)
            if seed is None:
                return
            trial = trial_of(seed, cluster.kinds, lost, most)
            try:
                verify(trial, cluster)
            except BaseException as error:
                failed.set()
                raise AssertionError(str(trial)) from error
            sort = "forest" if trial.forest else trial.method
            sorts = [sort, trial.case.kind, *(["check"] if trial.check else []), *(["lost"] if trial.lost else [])]
            with lock:
                counts.update(["trials", *sorts, *(["small memory"] if trial.memory else [])])
                counts["graphs"] += trial.graphs

    with ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(turn) for _ in range(jobs)]:
            done.result()
    return counts
