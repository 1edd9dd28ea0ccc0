"""The cost of forms of input, of frames, names and merging, over a minimal call with the same result.

Each case is a ratio of two calls that take turns in one process: a user's call, and a call without the form of input.
Both answers are checked against each other. Cases are drawn from a seed and grow with the suite's `scale`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import landbridge
from benchmarks.kinds.base import Kind
from benchmarks.records import Record, grouped
from benchmarks.sink import Sink
from benchmarks.tables import Table, ratio_text
from benchmarks.turns import Entrant, interleave
from peers.timing import Timed, timed


@dataclass(frozen=True)
class Door:
    """ours, base: what is timed. same: whether both answers agree. bar: the most that ours/base may be."""

    name: str
    ours: Callable[..., Any]
    base: Callable[..., Any]
    same: Callable[[Any, Any], bool]
    bar: float


def counts(ours: Any, base: Any) -> bool:
    return bool(ours.count == base.count)


def texts(ids: Any) -> Any:
    """Names of records made of numbers: some with gaps, some with a long common beginning."""
    return np.array([f"record-{x:08x}-org" if x % 2 else f"b{x}" for x in ids.tolist()], dtype=object)


def pairs(rng: Any, n: int, m: int) -> tuple[Any, Any]:
    """Pairs as in deduplication: most join ids that are close, clusters are small."""
    u = rng.integers(0, n, m)
    return u, np.minimum(u + rng.geometric(0.4, m) - 1, n - 1)


def nearly_dense(rng: Any, scale: int) -> Iterator[Door]:
    import pyarrow as pa

    for n, m in ((scale, 4 * scale), (scale, 16 * scale), (4 * scale, 4 * scale)):
        u, v = rng.integers(0, n, (2, m))
        table = pa.table({"src": u, "dst": v})
        dense = landbridge.components(table, ids="dense")
        singletons = int((np.bincount(np.concatenate([u, v]), minlength=len(dense.labels)) == 0).sum())
        yield Door(
            f"table of nearly dense ids, n = {n}, m = {m} / ids='dense'",
            lambda t=table: landbridge.components(t),
            lambda t=table: landbridge.components(t, ids="dense"),
            lambda ours, base, a=singletons: bool(ours.count == base.count - a),
            1.1,
        )


def frames(rng: Any, scale: int) -> Iterator[Door]:
    import pandas as pd
    import polars as pl

    u, v = pairs(rng, scale, 3 * scale // 2)
    columns = {"left": texts(u), "right": texts(v)}
    pandas, polars = pd.DataFrame(columns), pl.DataFrame({k: list(c) for k, c in columns.items()})
    yield Door(
        f"pandas text, {len(u)} pairs / polars",
        lambda: landbridge.components(pandas),
        lambda: landbridge.components(polars),
        counts,
        1.2,
    )
    of_pandas, of_polars = landbridge.components(pandas), landbridge.components(polars)
    yield Door(
        f"frame() of pandas, {len(of_pandas.labels)} names / polars",
        of_pandas.frame,
        of_polars.frame,
        lambda ours, base: ours["representative"].tolist() == base["representative"].to_list(),
        1.2,
    )


def graphs(rng: Any, scale: int) -> Iterator[Door]:
    import networkx as nx

    u, v = rng.integers(0, scale, (2, scale))
    graph = nx.Graph(zip(u.tolist(), v.tolist(), strict=True))
    yield Door(
        f"NetworkX graph, {graph.number_of_edges()} edges / list(G.edges())",
        lambda: landbridge.components(graph),
        lambda: list(graph.edges()),
        lambda ours, base: bool(ours.count == nx.number_connected_components(graph)),
        1.3,
    )


def matrices(rng: Any, scale: int) -> Iterator[Door]:
    import scipy.sparse as sp

    for name, degree, symmetric in (("kNN", 5, False), ("random", 9, False), ("symmetric", 9, True)):
        rows = np.repeat(np.arange(scale), degree)
        near = (rows + rng.integers(-40, 41, len(rows))) % scale
        columns = near if name == "kNN" else rng.integers(0, scale, len(rows))
        matrix = sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=(scale, scale)).tocsr()
        for form in ("csr", "csc", "coo"):
            m: Any = (matrix + matrix.T if symmetric else matrix).asformat(form)
            prebuilt = landbridge.Graph(m)
            yield Door(
                f"SciPy {form}, {name}, {m.nnz} entries / a Graph made before",
                lambda m=m: landbridge.components(m),
                lambda g=prebuilt: landbridge.components(g),
                counts,
                1.2,
            )


def merges(rng: Any, scale: int) -> Iterator[Door]:
    for kind in ("text", "numbers"):
        halves = []
        for _ in range(2):
            u, v = pairs(rng, scale, 3 * scale // 2)
            halves.append((texts(u), texts(v)) if kind == "text" else (u * 1_000_003, v * 1_000_003))
        ids = "names" if kind == "text" else "sparse"
        first, second = (landbridge.components(half, ids=ids) for half in halves)
        both = landbridge.components(tuple(np.concatenate(x) for x in zip(*halves, strict=True)), ids=ids)
        yield Door(
            f"merge of two results, {kind}, {len(first.labels)} ids each / one recomputed",
            lambda a=first, b=second: landbridge.merge(a, b),
            lambda half=halves[1], ids=ids: landbridge.components(half, ids=ids),
            lambda ours, base, both=both: bool(ours.count == both.count),
            1.3,
        )


def second_day(rng: Any, scale: int) -> Iterator[Door]:
    for kind in ("names", "sparse"):
        today, tomorrow = (pairs(rng, scale, m) for m in (2 * scale, max(1000, scale // 50)))
        form = texts if kind == "names" else (lambda ids: ids * 1_000_003)
        old, new = (tuple(form(x) for x in day) for day in (today, tomorrow))
        stream = landbridge.Incremental(ids=kind)
        stream.insert(*old)

        def into_empty(new: Any = new, kind: str = kind) -> Any:
            fresh = landbridge.Incremental(ids=kind)
            fresh.insert(*new)
            return fresh

        def on_top(stream: Any = stream, new: Any = new) -> Any:
            stream.insert(*new)
            return stream

        yield Door(
            f"{len(new[0])} pairs of {kind} into a stream of {len(old[0])} / into an empty one",
            on_top,
            into_empty,
            lambda ours, base, new=new: bool(np.all(ours.connected(*new)) and np.all(base.connected(*new))),
            1.5,
        )


def backend(rng: Any, scale: int) -> Iterator[Door]:
    """A graph that the NetworkX backend holds, from the second call on, over NetworkX itself."""
    import networkx as nx

    from landbridge.compat import networkx as ours

    whole = ("is_forest", "is_tree", "is_connected", "number_of_isolates")
    for degree in (20, 4, 2):
        n = 2 * scale // degree
        graph = nx.Graph(zip(*rng.integers(0, n, (2, scale)).tolist(), strict=True))
        graph.add_nodes_from(range(n))
        held = ours.convert_from_nx(graph)
        what = f"{graph.number_of_edges()} edges, {n} nodes"
        sets = nx.connected_components.orig_func
        yield Door(
            f"list(nx.connected_components) in the backend, {what} / NetworkX",
            lambda g=held: list(ours.connected_components(g)),
            lambda g=graph, sets=sets: list(sets(g)),
            lambda ours, base: bool(ours == base),
            1 / 25 if degree == 2 else 1 / 50,  # a copy of each set takes 1/35, which belong to the caller
        )
        if degree == 2:
            yield Door(
                f"max(nx.connected_components, key=len) in the backend, {what} / NetworkX",
                lambda g=held: max(ours.connected_components(g), key=len),
                lambda g=graph, sets=sets: max(sets(g), key=len),
                lambda ours, base: bool(ours == base),
                1 / 50,
            )
        if degree != 4:
            continue
        member = next(iter(max(sets(graph), key=len)))
        yield Door(
            f"nx.node_connected_component in the backend, {what} / NetworkX",
            lambda g=held, x=member: ours.node_connected_component(g, x),
            lambda g=graph, x=member: nx.node_connected_component.orig_func(g, x),
            lambda ours, base: bool(ours == base),
            1 / 50,
        )
        yield Door(
            f"nx.number_connected_components in the backend, {what} / NetworkX",
            lambda g=held: ours.number_connected_components(g),
            lambda g=graph: nx.number_connected_components.orig_func(g),
            lambda ours, base: bool(ours == base),
            1 / 50,
        )

        def all_of(module: Any, g: Any, t: int = n - 1, whole: Any = whole) -> list[Any]:
            functions = [getattr(module, name) for name in ("has_path", "isolates", *whole)]
            path, isolated, *others = (getattr(function, "orig_func", function) for function in functions)
            return [path(g, 0, t), list(isolated(g)), *(function(g) for function in others)]

        yield Door(
            f"nx.has_path, isolates, {', '.join(whole)} in the backend, {what} / NetworkX",
            partial(all_of, ours, held),
            partial(all_of, nx, graph),
            lambda ours, base: bool(ours == base),
            1 / 50,
        )


def spanning(rng: Any, scale: int) -> Iterator[Door]:
    """Trees of Kruskal's algorithm in the backend, and graphs made in it, over NetworkX itself."""
    import networkx as nx
    import pandas as pd

    from landbridge.compat import networkx as ours

    u, v, weight = rng.integers(0, scale // 2, (3, scale))
    frame = pd.DataFrame({"source": u, "target": v, "weight": weight})
    make = nx.from_pandas_edgelist.orig_func
    yield Door(
        f"nx.from_pandas_edgelist and number_connected_components in the backend, {scale} rows / NetworkX",
        lambda: ours.number_connected_components(ours.from_pandas_edgelist(frame)),
        lambda: nx.number_connected_components.orig_func(make(frame)),
        lambda ours, base: bool(ours == base),
        0.2,
    )
    graph = make(frame, edge_attr="weight")
    held = ours.convert_from_nx(graph, edge_attrs={"weight": 1})
    yield Door(
        f"nx.minimum_spanning_edges in the backend, {graph.number_of_edges()} edges / NetworkX",
        lambda: list(ours.minimum_spanning_edges(held, data=False)),
        lambda: list(nx.minimum_spanning_edges.orig_func(graph, data=False)),
        lambda ours, base: bool(ours == base),
        0.5,
    )


CASES = {
    "nearly dense": nearly_dense,
    "frames": frames,
    "graphs": graphs,
    "matrices": matrices,
    "merge": merges,
    "second day": second_day,
}
LIBRARIES = {"backend": backend, "spanning": spanning, "matrices": matrices}
"""The cases of the suite `doors`."""


def run(sink: Sink) -> None:
    """Time every case in `repeat` turns; `bars.scale` vertices or so. A missed bar and a wrong answer are failures."""
    suite = sink.suite
    scale = int(suite.bars["scale"])
    for case, make in (LIBRARIES if suite.name == "doors" else CASES).items():
        for number, door in enumerate(make(np.random.default_rng(7), scale)):
            measure(sink, door, f"{case} {number}")


def measure(sink: Sink, door: Door, case: str) -> None:
    """Let both calls take turns, behind one each that is not recorded."""
    answers: dict[str, Any] = {}

    def entrant(name: str, call: Callable[..., Any]) -> Entrant:
        def record(turn: Timed) -> None:
            answers[name] = turn.result

        return Entrant(name, partial(timed, call, warm_up=False), record)

    entrants = [entrant("landbridge", door.ours), entrant("base", door.base)]
    ours, base = interleave(entrants, repeat=sink.suite.repeat, warm_up=True)
    if not door.same(answers["landbridge"], answers["base"]):
        sink.fail(f"{door.name}: the answers differ")
        return
    common = {"form": case, "what": door.name}
    sink.add_tally(base, **common)
    sink.add_tally(ours, bar=door.bar, **common)
    ratio = ours.median / base.median
    sink.say(f"  {ratio:6.2f}  (bar {door.bar})  {door.name}")
    if ratio > door.bar:
        sink.fail(f"{door.name}: {ratio:.2f}; the bar is {door.bar}")


def door_table(records: list[Record]) -> Table:
    """The ratio of medians for each case, that of the fastest turns, and the bar."""
    table = Table(["what / what it is held against", "ratio", "of the fastest", "bar", "seconds"])
    for what, group in grouped(records, lambda record: str(record["what"])).items():
        pair = {record["contestant"]: record for record in group}
        ours, base = pair["landbridge"], pair["base"]
        ratios = [ratio_text(ours[key] / base[key]) for key in ("median", "min")]
        table.rows.append([what, *ratios, f"{ours['bar']:g}", f"{ours['median']:.3g}"])
    return table


def summary(records: list[Record]) -> str:
    return door_table(records).markdown() if records else ""


KIND = Kind(run, summary, frozenset({"repeat", "bars"}))
