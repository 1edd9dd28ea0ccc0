"""Random multigraphs with ids of every type, in partitions; answers by search; an engine that fails and repeats."""

from __future__ import annotations

import itertools
import os
import sys
import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from landbridge.cluster.in_process import InProcess, Partition, by_receiver, only
from landbridge.cluster.versions import versions_of

KINDS = ("int32", "int64", "uint64", "string", "large_string", "uuid", "binary")
_TYPES = {kind: pa.type_for_alias(kind) for kind in KINDS if kind != "uuid"} | {"uuid": pa.binary(16)}


def ids_of_kind(kind: str, numbers: Any) -> pa.Array:
    """Different ids of a type for different numbers, in an order that is not theirs."""
    mixed = [(int(x) * 0x9E3779B97F4A7C15) % 2**64 for x in numbers]
    if kind == "int32":
        return pa.array([(x % 2**32) - 2**31 for x in mixed], pa.int32())
    if kind == "int64":
        return pa.array([x - 2**63 for x in mixed], pa.int64())
    if kind == "uint64":
        return pa.array(mixed, pa.uint64())
    if kind == "uuid":
        return pa.array([uuid.UUID(int=x << 64 | x).bytes for x in mixed], pa.binary(16))
    words = [f"{x % 977}é{'x' * (x % 5)}-{x}" for x in mixed]
    return pa.array([w.encode() for w in words] if kind == "binary" else words, _TYPES[kind])


def smallest(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Of each id the smallest one that a search from it reaches; text by its bytes."""
    near = defaultdict(set)
    for u, v in pairs:
        near[u].add(v)
        near[v].add(u)
    result: dict[Any, Any] = {}
    order = sorted(near, key=lambda x: x.encode() if isinstance(x, str) else x)
    for first in order:
        if first in result:
            continue
        result[first] = first
        waiting = [first]
        while waiting:
            for x in near[waiting.pop()]:
                if x not in result:
                    result[x] = first
                    waiting.append(x)
    return result


@dataclass(frozen=True)
class Case:
    """A multigraph in partitions, each a list of batches."""

    kind: str
    pairs: list[tuple[Any, Any]]
    partitions: list[Partition]

    @property
    def type(self) -> pa.DataType:
        return _TYPES[self.kind]

    def answer(self, min_size: int = 1) -> dict[Any, Any]:
        components = smallest(self.pairs)
        sizes: dict[Any, int] = defaultdict(int)
        for component in components.values():
            sizes[component] += 1
        return {x: c for x, c in components.items() if sizes[c] >= min_size}


def batch(u: pa.Array, v: pa.Array) -> pa.RecordBatch:
    return pa.record_batch([u, v], names=["src", "dst"])


def random_case(rng: np.random.Generator, kind: str | None = None, most: int = 60) -> Case:
    """A random multigraph: sparse, dense, a star, a path, loops; with cuts anywhere, empty and repeated partitions."""
    kind = kind or str(rng.choice(KINDS))
    n, m = int(rng.integers(1, most)), int(rng.integers(0, most + 20))
    shape = rng.integers(4)
    u, v = rng.integers(0, n, m), rng.integers(0, n, m)
    if shape == 1:
        u[:] = 0
    elif shape == 2:
        u, v = np.arange(n - 1), np.arange(1, n)
        order = rng.permutation(n - 1)
        u, v = u[order], v[order]
    elif shape == 3:
        v = np.where(rng.random(m) < 0.5, u, v)
    a, b = ids_of_kind(kind, u), ids_of_kind(kind, v)
    cuts = np.sort(rng.integers(0, len(u) + 1, int(rng.integers(0, 9)))).tolist()
    bounds = [0, *cuts, len(u)]
    partitions: list[Partition] = []
    for begin, stop in itertools.pairwise(bounds):
        middle = int(rng.integers(begin, stop + 1))
        partitions.append([batch(a[i:j], b[i:j]) for i, j in ((begin, middle), (middle, stop))])
    if rng.random() < 0.3:
        partitions.append(partitions[int(rng.integers(len(partitions)))])
    if rng.random() < 0.3:
        partitions.insert(int(rng.integers(len(partitions))), [])
    pairs = list(zip(a.to_pylist(), b.to_pylist(), strict=True))
    return Case(kind, pairs, [partitions[i] for i in rng.permutation(len(partitions))])


def packed(count: int, kind: str, seed: int = 0, most: int = 40) -> Case:
    """So many random cases as one, whose ids have nothing in common: its partition i has partition i of each."""
    rng = np.random.default_rng(seed)
    pairs: list[tuple[Any, Any]] = []
    parts: list[list[Any]] = []
    for number in range(count):
        case = random_case(rng, kind, most)
        first = number * 10**12

        def apart(column: pa.Array, first: int = first) -> pa.Array:
            rows = column.to_pylist()
            apart_rows = [x % 10**11 + first for x in rows] if kind == "int64" else [f"{first}-{x}" for x in rows]
            return pa.array(apart_rows, _TYPES[kind])

        for i, batches in enumerate(case.partitions):
            while len(parts) <= i:
                parts.append([])
            parts[i] += [batch(apart(one.column(0)), apart(one.column(1))) for one in batches]
            for one in parts[i][len(parts[i]) - len(batches) :]:
                pairs += zip(one.column(0).to_pylist(), one.column(1).to_pylist(), strict=True)
    schema = pa.schema([("src", _TYPES[kind]), ("dst", _TYPES[kind])])
    tables = [pa.Table.from_batches(batches, schema=schema).combine_chunks() for batches in parts]
    whole = [table.to_batches() or [batch(*(pa.array([], kind) for kind in schema.types))] for table in tables]
    return Case(kind, pairs, [*whole, [batch(*(pa.array([], kind) for kind in schema.types))]])


def skewed(ids: int = 6000, parts: int = 8) -> list[tuple[Any, Any]]:
    """Partitions of edges: a path through half of all ids, in random order; as many edges of one vertex, all in the
    first partition, to ids of the other half and to itself; and no edges in the last one."""
    rng = np.random.default_rng(9)
    path = rng.permutation(ids // 2)
    rows = rng.permutation(ids // 2 - 1)
    u, v = path[rows], path[rows + 1]
    hub = np.full(ids // 2, ids // 2)
    others = ids // 2 + rng.integers(0, ids // 2, ids // 2)
    middle = [(u[i :: parts - 2], v[i :: parts - 2]) for i in range(parts - 2)]
    return [(hub, others), *middle, (u[:0], v[:0])]


class Unreliable(InProcess):
    """Runs tasks again after they failed half-way, delivers batches in any order, and some of them twice."""

    def __init__(self, rng: np.random.Generator, memory: int, repeat: bool) -> None:
        super().__init__(tasks=int(rng.integers(1, 5)), memory=memory, places=int(rng.integers(4)))
        self._rng, self._repeat = rng, repeat

    def run(self, task: Any, number: int, batches: Partition) -> Partition:
        if self._rng.random() < 0.3:
            for _ in zip(range(2), task(number, iter(batches)), strict=False):
                pass
        return super().run(task, number, batches)

    def delivered(self, batches: Partition) -> Partition:
        repeated = [one for one in batches if self._repeat and self._rng.random() < 0.2]
        arrived = super().delivered(batches) + repeated
        return [arrived[i] for i in self._rng.permutation(len(arrived))]

    def reduce_groups(self, sources: Any, task: Any, groups: int) -> Any:
        """Merge trees of any shape."""
        parts = [([part], kinds) for data, kinds in sources for part in data]
        return super().reduce_groups([parts[i] for i in self._rng.permutation(len(parts))], task, groups)

    def map_messages(self, source: Any, task: Any, to_all: Any = None) -> Any:
        """Messages to all may come late, in part, or not at all."""
        whole = super().map_messages(source, task, to_all)
        if to_all is None or self._rng.random() < 0.5:
            return whole
        other = super().map_messages(source, task, None)
        return [whole[i] if self._rng.random() < 0.5 else other[i] for i in range(len(whole))]


class Recomputing(InProcess):
    """An engine that loses what it holds of the first pass, of what is sent from there and of merges: each receiver may
    read the output of another run of a task, whose rows came in another order. phases: it loses something at all times,
    or behind so many counts of versions."""

    def __init__(self, rng: np.random.Generator, memory: int, rate: float, phases: int | None = None) -> None:
        super().__init__(tasks=2, memory=memory)
        self._rng, self._rate, self._phases, self._losing = rng, rate, phases, phases is None

    def map_partitions(self, edges: Any, task: Any) -> Any:
        def run(number: int, batches: Partition) -> Partition:
            if batches:
                rows = pa.Table.from_batches(batches)
                batches = rows.take(pa.array(self._rng.permutation(rows.num_rows))).to_batches()
            return self.run(task, number, batches)

        return [Recomputed(self, run, i, batches) for i, batches in enumerate(edges)]

    def map_messages(self, source: Any, task: Any, to_all: Any = None) -> Any:
        if to_all is not None:
            return super().map_messages(source, task, to_all)
        run = lambda number, part: self.run(task, number, only(part, source[1]))  # noqa: E731
        return [Recomputed(self, run, i, part) for i, part in enumerate(source[0])]

    def reduce_groups(self, sources: Any, task: Any, groups: int) -> Any:
        """A merge that runs again reads what it merges again."""
        parts = [(part, kinds) for data, kinds in sources for part in data]

        def run(number: int, group: list[Any]) -> Partition:
            rows = [group[i] for i in self._rng.permutation(len(group))]
            return self.run(task, number, [batch for part, kinds in rows for batch in only(part, kinds)])

        bounds = [i * len(parts) // groups for i in range(groups + 1)]
        return [Recomputed(self, run, i, parts[b:e]) for i, (b, e) in enumerate(itertools.pairwise(bounds))]

    def lost(self) -> bool:
        """Whether a held output is lost before it is read."""
        return self._losing and bool(self._rng.random() < self._rate)

    def persist(self, data: Any) -> list[dict[str, Any]]:
        """The counters."""
        counters = super().persist(data)
        if self._phases is not None and versions_of(counters):
            self._losing, self._phases = self._phases > 0, self._phases - 1
        return counters

    def _by_receiver(self, sources: Any) -> dict[int, Partition]:
        """Each receiver reads on its own. What no task has made anew since another one read it is divided once."""
        divided: dict[Any, tuple[Partition, dict[int, Partition]]] = {}

        def read() -> Iterator[dict[int, Partition]]:
            for data, kinds in sources:
                for part in data:
                    batches = list(part)
                    key = (kinds, *map(id, batches))
                    if key not in divided:
                        divided[key] = batches, by_receiver(self.delivered(only(batches, kinds)), kinds)
                    yield divided[key][1]

        receivers = dict.fromkeys(to for groups in read() for to in groups)
        return {to: [batch for groups in read() for batch in groups.get(to, ())] for to in receivers}


class Recomputed(Sequence[Any]):
    """The batches of a task, which is run again if they are lost."""

    def __init__(self, engine: Recomputing, run: Any, number: int, batches: Any) -> None:
        self._engine, self._run, self._words = engine, run, (number, batches)
        self._held = run(number, batches)

    def __iter__(self) -> Iterator[Any]:
        if self._engine.lost():
            self._held = self._run(*self._words)
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __getitem__(self, place: Any) -> Any:
        return self._held[place]


class Lazy(InProcess):
    """Counts what is in the plan of each result where an engine builds a plan from the plans of all sources.

    largest: the steps in the largest plan, where one that is read twice counts twice. steps: how many were planned.
    """

    def __init__(self, memory: int) -> None:
        super().__init__(memory=memory)
        self._plans: list[tuple[Any, int]] = []
        self.largest = self.steps = 0

    def _planned(self, result: Any, sources: Any) -> Any:
        of_source = [next((size for one, size in self._plans if one is data), 1) for data, _ in sources]
        self._plans.append((result, 1 + sum(of_source)))
        self.steps += 1
        self.largest = max(self.largest, 1 + sum(of_source))
        return result

    def map_messages(self, source: Any, task: Any, to_all: Any = None) -> Any:
        sources = [source] if to_all is None else [source, to_all]
        return self._planned(super().map_messages(source, task, to_all), sources)

    def reduce_groups(self, sources: Any, task: Any, groups: int) -> Any:
        return self._planned(super().reduce_groups(sources, task, groups), sources)

    def shuffle(self, sources: Any, task: Any, receivers: int) -> Any:
        return self._planned(super().shuffle(sources, task, receivers), sources)

    def table(self, sources: Any, task: Any, columns: Any, receivers: int) -> Any:
        return self._planned(super().table(sources, task, columns, receivers), sources)


def spark_settings() -> dict[str, str]:
    """Settings of a session of Spark for tests: on this machine, tasks may fail three times, little is compiled."""
    short = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for a program of seconds, to compile little takes less time
    return {
        "spark.driver.extraJavaOptions": short,
        "spark.executor.extraJavaOptions": short,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.task.maxFailures": "4",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
