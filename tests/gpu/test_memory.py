"""An estimate of `estimate_memory` is what CuPy's pool has to give, or a little more."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge.edges.generators import generate, linked_list
from landbridge.edges.successors import ScanSpec
from landbridge.engine.gpu.list_memory import counted_bytes
from landbridge.plan import parse, parse_rank

pytestmark = pytest.mark.gpu


def representatives(problem: str = "components") -> list[str]:
    """One plan of each sampling with each finish, of all that a GPU has."""
    by_kind: dict[tuple[str, str, bool, str], str] = {}
    for text in landbridge.plans(problem, engine="gpu", extended=True):
        plan = parse(text)
        sample = plan.sample.name if plan.sample else ""
        by_kind.setdefault((sample, plan.finish.link, plan.finish.stages is None, plan.layout or ""), text)
    return list(by_kind.values())


def in_a_new_thread(work: Any) -> Any:
    """The answer of a thread that has prepared nothing for later calls."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def peak_of(work: Any) -> int:
    """The most bytes that CuPy's pool lent at once while `work` ran, of those that it lent to `work`.

    What was lent before and is given back meanwhile (a captured run that makes room for another) does not count.
    """
    from landbridge.device import cuda

    hooks = cuda.cupy().cuda.memory_hook

    class Peak(hooks.MemoryHook):  # type: ignore[misc, name-defined]
        name = "Peak"

        def __init__(self) -> None:
            self.live: dict[int, int] = {}
            self.most = 0

        def malloc_postprocess(self, **event: Any) -> None:
            self.live[event["pmem_id"]] = event["mem_size"]
            self.most = max(self.most, sum(self.live.values()))

        def free_postprocess(self, **event: Any) -> None:
            self.live.pop(event["pmem_id"], None)

    with Peak() as peak:
        result = work()
    del result
    return int(peak.most)


@pytest.fixture(scope="module")
def graphs() -> dict[str, Any]:
    pairs = landbridge.Graph.from_edges(generate("uniform(150000,4,seed=1)"))
    rows = pairs.to_rows()
    return {
        "pairs on the host": pairs,
        "rows on the host": rows,
        "pairs on the device": pairs.to_device(),
        "rows on the device": rows.to_device(),
        "rows without the promise": landbridge.Graph.from_edges(
            landbridge.edges.forms.Adjacency(rows.to_device().offsets, rows.to_device().a)
        ),
    }


@pytest.mark.parametrize("text", representatives())
def test_no_plan_takes_more(text: str, graphs: dict[str, Any]) -> None:
    for name, graph in graphs.items():
        landbridge.components(graph, plan=text)  # loads kernels; the next run of a graph on the device is kept
        used = peak_of(lambda graph=graph: landbridge.components(graph, plan=text))
        estimate = landbridge.estimate_memory(graph, plan=text)
        assert used <= estimate <= 1.05 * used + 4096, f"{text}, {name}: {used} bytes, {estimate} estimated"


@pytest.mark.parametrize("text", representatives("forest")[::3])
def test_no_forest_takes_more(text: str, graphs: dict[str, Any]) -> None:
    for name, graph in graphs.items():
        used = peak_of(lambda graph=graph: landbridge.spanning_forest(graph, plan=text, device="gpu"))
        estimate = landbridge.estimate_memory(graph, plan=text, problem="forest", device="gpu")
        assert used <= estimate, f"{text}, {name}: {used} bytes, {estimate} estimated"


def test_the_default_plan_takes_four_bytes_a_vertex(graphs: dict[str, Any]) -> None:
    """And a quarter of a byte for the queue of deferred edges."""
    graph = graphs["rows on the device"]
    landbridge.components(graph)
    again = landbridge.Graph(landbridge.edges.forms.Adjacency(graph.offsets, graph.a), symmetric=True)
    used = peak_of(lambda: landbridge.components(again))
    assert 4 * graph.num_vertices <= used <= 4.25 * graph.num_vertices + 4096


def test_a_search_takes_half_a_byte_a_vertex_more(graphs: dict[str, Any]) -> None:
    """Two bits for each vertex, and a cell for each sixteenth one."""
    graph, plan = graphs["rows on the device"], "bfs+rem_cas(naive,halve_one)"
    landbridge.components(graph, plan=plan)
    again = landbridge.Graph(landbridge.edges.forms.Adjacency(graph.offsets, graph.a), symmetric=True)
    used = peak_of(lambda: landbridge.components(again, plan=plan))
    assert 4.5 * graph.num_vertices <= used <= 4.75 * graph.num_vertices + 8192


def test_pairs_of_the_host_at_once() -> None:
    u, v = (np.random.default_rng(i).integers(0, 100_000, 400_000) for i in (1, 2))
    landbridge.components((u, v), device="gpu")
    used = peak_of(lambda: landbridge.components((u, v), device="gpu"))
    estimate = landbridge.estimate_memory((u, v), device="gpu")
    assert used <= estimate <= 1.05 * used + 4096


LIST_PLANS = landbridge.plans("list_ranking", engine="gpu", extended=True)


@pytest.mark.parametrize("text", [*LIST_PLANS, "chains@gpu(ids=wide)"])
@pytest.mark.parametrize("lists", [1, 100_000])
def test_no_list_ranking_takes_more(text: str, lists: int) -> None:
    """Where a short list is ranked by one launch, and where it is longer; from both ends."""
    from landbridge.device import cuda

    plan = parse_rank(text)
    for n, bits, values in product((300_000, 6_000_000), (32, 64), (False, True)):
        successor = cuda.cupy().asarray(linked_list(n, 1, lists).astype(f"int{bits}"))
        weights = cuda.cupy().ones(n, np.int64) if values else None
        for from_head in (False, True):
            origin = "head" if from_head else "tail"

            def work(successor: Any = successor, weights: Any = weights, origin: Any = origin) -> Any:
                return landbridge.rank_list(successor, weights=weights, plan=text, origin=origin, full=True)

            work()
            used = in_a_new_thread(partial(peak_of, work))
            sizes = landbridge.ListSizes(n, lists, bits, values, True)
            scan = ScanSpec("sum", from_head, exclusive=from_head, of_links=True, tails=True)
            estimate = counted_bytes(sizes, plan, scan)
            case = f"{text}, {n} elements of {bits} bits, {values=}, from the {origin}"
            assert used <= estimate <= 1.25 * used + 2**18, f"{case}: {used} bytes, {estimate} estimated"
            assert estimate <= landbridge.estimate_memory(sizes, plan=text, problem="list_ranking")


@pytest.mark.parametrize("text", landbridge.plans("incremental", engine="gpu")[::7])
@pytest.mark.parametrize("place", ["host", "device"])
def test_no_stream_takes_more(text: str, place: str, graphs: dict[str, Any]) -> None:
    graph = graphs[f"pairs on the {place}"]

    def work() -> Any:
        stream = landbridge.Incremental(plan=text, device="gpu")
        stream.insert(graph.a, graph.b)
        return stream.components()

    work()
    used, estimate = peak_of(work), landbridge.estimate_memory(graph, plan=text, device="gpu", problem="incremental")
    assert used <= estimate <= 1.1 * used + 2**18, f"{text}: {used} bytes, {estimate} estimated"
