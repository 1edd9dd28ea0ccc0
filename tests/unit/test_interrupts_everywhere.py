"""SIGINT at a random moment of every public call that takes long: it raises soon, and what it leaves is usable."""

from __future__ import annotations

import inspect
import json
import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_interrupts import Call, seconds_to_stop

import landbridge
from landbridge import Graph, Incremental, Sizes, TimeLimitExceeded, time_limit
from landbridge.edges.forms import EdgeList

# A signal may come inside a callback of Python's own, which drops what a handler raises: another attempt counts.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

N, M = 1 << 20, 1 << 22
SOON = 0.3
"""Seconds of processor time of one thread, which other programs do not lengthen."""


@pytest.fixture(autouse=True)
def python_handles_signals() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@cache
def pairs() -> Any:
    return np.random.default_rng(1).integers(0, N, (2, M))


@cache
def graph() -> Graph:
    return Graph(tuple(pairs()), num_vertices=N)


@cache
def rows() -> Graph:
    return graph().to_rows()


@cache
def answer() -> landbridge.Components:
    return landbridge.components(graph())


@cache
def forest() -> landbridge.SpanningForest:
    return landbridge.spanning_forest(graph())


@cache
def both_directions() -> landbridge.CSR:
    u, v = pairs()[:, : M // 4]
    rows = Graph((np.r_[u, v], np.r_[v, u]), num_vertices=N).to_rows()
    return landbridge.CSR(rows.offsets, rows.a)


@cache
def many_objects() -> Any:
    return np.array([(1 << 70) + x * 7919 % 1000003 for x in range(N)], dtype=object)


@cache
def one_list() -> Any:
    order = np.random.default_rng(2).permutation(M)
    successor = np.empty(M, dtype=np.int64)
    successor[order[:-1]], successor[order[-1]] = order[1:], order[-1]
    return successor


@cache
def ranks() -> Any:
    return landbridge.rank_list(one_list())


@cache
def tuples() -> list[Any]:
    return list(zip(*pairs()[:, : M // 4].tolist(), strict=True))


@cache
def names() -> list[Any]:
    return [(f"vertex {x}", f"vertex {y}") for x, y in tuples()[: M // 16]]


@cache
def list_of_successors() -> list[int]:
    return one_list().tolist()  # type: ignore[no-any-return]


@cache
def stream() -> Incremental:
    full = Incremental(N, forest=True)
    full.insert(*pairs())
    return full


def saved(folder: Path) -> Path:
    path = folder / "saved.lb"
    if not path.exists():
        stream().save(path)
    return path


def saved_answer(folder: Path) -> Path:
    path = folder / "saved.npz"
    if not path.exists():
        answer().save(path)
    return path


def calls(folder: Path) -> dict[str, Call]:
    """Long calls by the public name that they run, and what they are beside it."""
    u, v = pairs()
    kinds = np.arange(M) % 2 == 0
    return {
        "components: arrays": lambda: landbridge.components((u, v)),
        "components: a Graph": lambda: landbridge.components(graph()),
        "components: rows": lambda: landbridge.components(rows(), plan="bfscc"),
        "components: one thread": lambda: landbridge.components(rows(), plan="serial_search"),
        "components: sparse ids": lambda: landbridge.components((u * 1000, v * 1000), ids="sparse"),
        "components: tuples": lambda: landbridge.components(tuples()),
        "components: tuples of scalars": lambda: landbridge.components(
            list(zip(u[: M // 8], v[: M // 8], strict=True))
        ),
        "components: tuples of names": lambda: landbridge.components(names()),
        "components: chunks": lambda: landbridge.components(chunks=[(u, v)]),
        "components_of_chunks": lambda: landbridge.components_of_chunks([(u, v)]),
        "spanning_forest": lambda: landbridge.spanning_forest(graph()),
        "deduplicate": lambda: landbridge.deduplicate((u, v)),
        "why": lambda: landbridge.why((u, v), 0, 1),
        "why: a score": lambda: landbridge.why((u, v), 0, 1, score=(u * v % 1000003) / 7),
        "deduplicate: objects": lambda: landbridge.deduplicate((u, v), keep=many_objects()),
        "explain": lambda: landbridge.explain((u, v)),
        "estimate_memory": lambda: landbridge.estimate_memory(Sizes.of(graph())),
        "Graph": lambda: [Graph((u, v)) for _ in range(10)],
        "Graph: tuples": lambda: Graph(tuples()),
        "Graph: all arcs compared": lambda: Graph(both_directions(), symmetric=True, check=True),
        "Graph.from_edges": lambda: [Graph.from_edges(EdgeList(u, v)) for _ in range(10)],
        "Graph.to_rows": lambda: graph().to_rows(),
        "Graph.to_pairs": lambda: rows().to_pairs(),
        "Graph.to_host": lambda: graph().to_host(),
        "check_components": lambda: landbridge.check_components(graph(), answer()),
        "check_forest": lambda: landbridge.check_forest(graph(), forest()),
        "rank_list": lambda: landbridge.rank_list(one_list()),
        "rank_list: a list": lambda: landbridge.rank_list(list_of_successors()),
        "scan_list: lists": lambda: landbridge.scan_list(list_of_successors(), [0.5] * M),
        "scan_list": lambda: landbridge.scan_list(one_list(), np.ones(M, np.int64)),
        "check_ranks": lambda: landbridge.check_ranks(one_list(), ranks()),
        "merge": lambda: landbridge.merge(*[answer()] * 20),
        "merge: forests": lambda: landbridge.merge(*[forest()] * 5),
        "merge: names": lambda: landbridge.merge(*[landbridge.components(names())] * 3),
        "Components.frame": lambda: answer().frame("pandas"),
        "Components.groups": lambda: sum(1 for _ in answer().groups()),
        "Components.largest_components": lambda: answer().largest_components(3),
        "Components.largest": lambda: answer().largest(),
        "Components.sizes": lambda: answer().sizes(),
        "Components.save": lambda: answer().save(folder / "answer.npz"),
        "Components.load": lambda: landbridge.Components.load(saved_answer(folder)),
        "SpanningForest.frame": lambda: forest().frame("pandas"),
        "SpanningForest.why": lambda: forest().why(0, 1),
        "Incremental.insert": lambda: Incremental(N).insert(u, v),
        "Incremental.insert: tuples": lambda: Incremental(N).insert(tuples()),
        "Incremental.insert: rounds": lambda: Incremental(N, plan="lt(parent,root,once)").insert(u, v),
        "Incremental.apply": lambda: Incremental(N).apply(u, v, kinds, order="inserts_first"),
        "Incremental.connected": lambda: stream().connected(u, v),
        "Incremental.components": lambda: [stream().components() for _ in range(50)],
        "Incremental.forest": lambda: [stream().forest() for _ in range(5)],
        "Incremental.find": lambda: stream().find(u),
        "Incremental.size": lambda: stream().size(u),
        "Incremental.members": lambda: stream().members(0),
        "Incremental.frame": lambda: stream().frame("pandas"),
        "Incremental.changes": lambda: stream().changes(0),
        "Incremental.save": lambda: stream().save(folder / "stream.lb"),
        "Incremental.load": lambda: Incremental.load(saved(folder)),
    }


def seconds_under_limit(call: Call, limit: float) -> float:
    """Seconds of processor time of a call that has so much time, whether it ends before or not."""
    began = time.process_time()
    with suppress(TimeLimitExceeded), time_limit(limit):
        call()
    return time.process_time() - began


NOT_LONG = {
    **dict.fromkeys(("CSR", "Components", "Deduplicated", "EdgePath", "Explanation", "Profile", "Ranking", "Share",
                     "Sizes", "ListSizes", "SpanningForest", "Incremental", "time_limit", "plans"), "reads no edges"),
    **dict.fromkeys(("EdgePath.frame", "Sizes.of", "Sizes.facts", "Sizes.from_input", "ListSizes.of", "ListSizes.facts",
                     "ListSizes.from_input", "Incremental.close"), "one path, or a few numbers"),
    **dict.fromkeys(("Graph.to_device",), "a GPU"),
    "Graph.of_checked_pairs": "references arrays",
    "Components.plot": "of another library, for small graphs",
    "Incremental.merge": "one batch, which runs to its end",
    "Incremental.compact": "as save, of a stream with a journal",
}  # fmt: skip
"""Public calls without a case, and why."""


def test_every_public_call_has_a_case() -> None:
    public = json.loads((Path(__file__).parents[1] / "golden" / "public.json").read_text())
    objects = {name: getattr(landbridge, name) for name in public["names"]}
    known = {name for name, x in objects.items() if not (inspect.isclass(x) and issubclass(x, Exception))}
    known |= {f"{kind}.{name}" for kind, members in public["members"].items() for name in members if members[name]}
    cases = {name.split(":")[0] for name in calls(Path())}
    assert known - cases - set(NOT_LONG) == set(), "a public call needs a case here, or a reason in NOT_LONG"
    assert (cases | set(NOT_LONG)) - known == set(), "no public call has this name"


@pytest.mark.long
@pytest.mark.parametrize("name", calls(Path()))
def test_a_call_stops_at_any_moment(name: str, tmp_path: Path) -> None:
    call = calls(tmp_path)[name]
    began = time.monotonic()
    call()
    whole = time.monotonic() - began
    rng = np.random.default_rng(3)
    times = [seconds_to_stop(call, float(rng.random() * whole)) for _ in range(3)]
    delays = [seconds for seconds in times if math.isfinite(seconds)]
    # Of two threads; other programs may lengthen the way of a signal.
    assert not delays or min(delays) < 2 * SOON, times
    limit = max(whole * 0.3, 1e-3)
    durations = [seconds_under_limit(call, limit) for _ in range(3)]
    assert min(durations) < 2 * (limit + SOON), (whole, durations)
    assert stream().components().count == answer().count
    assert landbridge.components(graph()).count == answer().count


@pytest.mark.parametrize(
    "call",
    [
        lambda limit: landbridge.rank_list(one_list(), timeout=limit),
        lambda limit: landbridge.scan_list(one_list(), one_list(), timeout=limit),
        lambda limit: landbridge.check_ranks(one_list(), one_list(), timeout=limit),
        lambda limit: landbridge.check_components(graph(), np.zeros(N, np.int64), timeout=limit),
        lambda limit: landbridge.check_forest(graph(), (pairs()[0],) * 3, timeout=limit),
    ],
)
def test_limits_of_lists_and_checks(call: Callable[[float], object]) -> None:
    with pytest.raises(TimeLimitExceeded, match=r"longer than 1e-06 s"):
        call(1e-6)
