"""Every forest plan of a GPU on graphs of the zoo, on a GPU: a spanning forest of the input, as the verifier says."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.zoo import Specimen, zoo

import landbridge
from gpu.test_matrix import DTYPES, OPTIONS, with_options
from landbridge import Graph, InvalidCombination, SpanningForest
from landbridge.edges.forms import EdgeList
from landbridge.edges.generators import generate
from landbridge.plan import Plan, parse

pytestmark = pytest.mark.gpu

PLANS = landbridge.plans("forest", engine="gpu", extended=True)
FORESTS = [options for options in OPTIONS if not with_options(PLANS[0], options).no_forest]


def check(plan: Plan, graph: Graph, specimen: Specimen, where: str) -> SpanningForest:
    forest = landbridge.spanning_forest(graph, plan=plan)
    assert (forest.device, forest.count) == ("gpu", specimen.count), where
    assert isinstance(forest.u, np.ndarray) != graph.on_device, where
    assert forest.edge.dtype == np.int64
    wide = graph.wide or dict(plan.engine.options if plan.engine else ()).get("ids") == "wide"
    assert forest.u.dtype == forest.v.dtype == (np.int64 if wide else np.int32)
    landbridge.check_forest(graph, forest)
    return forest


@pytest.mark.parametrize("text", PLANS)
def test_every_plan_on_graphs_of_every_kind(text: str) -> None:
    at = PLANS.index(text)
    for i, specimen in enumerate(zoo()[at % 3 :: 3]):
        plan = with_options(text, FORESTS[at % len(FORESTS)] if i % 2 else {})
        dtype, layout = DTYPES[(i // 2 + at) % 2], plan.layout or "csr"
        graph = specimen.graph(layout, dtype)
        check(plan, graph.to_device() if i % 3 else graph, specimen, f"{plan} on {specimen}, {dtype}")


@pytest.mark.parametrize("text", PLANS[::23])
def test_positions_are_those_of_the_input(text: str) -> None:
    """Where rows are made of pairs for the plan, or pairs of rows, and where rows are not known to be symmetric."""
    plan = with_options(text, {})
    for i, specimen in enumerate(zoo()):
        other = specimen.graph("coo" if plan.layout == "csr" else "csr", "int32")
        check(plan, other.to_device() if i % 2 else other, specimen, f"{plan} on {specimen}")
        if specimen.symmetric:
            graph = specimen.graph(plan.layout or "csr", "int32", promise=False)
            check(plan, graph, specimen, f"{plan} on {specimen}, no promise")


def test_long_rows_and_many_words() -> None:
    """Hubs that all blocks share, stretches of vertices without edges, and warps that link many edges at once."""
    for text in ("rmat(16,edges=1048576,a=0.57,b=0.19,c=0.19,d=0.05,seed=1)", "grid2d(700,700)", ""):
        leaves = np.arange(400_000)
        edges = generate(text) if text else EdgeList(leaves[100_000:], np.full(300_000, 7), num_vertices=400_000)
        pairs = Graph((edges.u, edges.v), num_vertices=edges.num_vertices)
        expected = landbridge.components(pairs, device="cpu").count
        for graph in (pairs.to_device(), pairs.to_rows().to_device()):
            for plan in ("auto", "jtb(two_try)", "hooks(compress)", "bfscc", "async(halve)@gpu(balance=thread)"):
                forest = landbridge.spanning_forest(graph, plan=plan)
                assert forest.count == expected
                landbridge.check_forest(graph, forest)
        for plan in (
            "kout(2)+async(halve)",
            "hb(4)+ecl(halve)",
            "kout(3,hybrid)+jtb(two_try)",
            "bfs+early(naive)",
            "ldd+async(split)",
        ):
            graph = pairs.to_device()
            landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan=plan, device="gpu"))


def test_ends_in_the_ids_of_the_graph() -> None:
    u, v = np.array([5, 7, 5]), np.array([7, 900_000_000_000, 900_000_000_000])
    forest = landbridge.spanning_forest((u, v), ids="sparse", device="gpu")
    assert (forest.count, len(forest.edge)) == (1, 2)
    assert set(forest.u.tolist() + forest.v.tolist()) == {5, 7, 900_000_000_000}
    landbridge.check_forest((u, v), forest)


def test_no_vertices_no_edges() -> None:
    for n in (0, 3):
        graph = Graph(([], []), num_vertices=n)
        for where in (graph, graph.to_rows()):
            forest = landbridge.spanning_forest(where, device="gpu")
            assert (forest.count, len(forest.u), len(forest.edge)) == (n, 0, 0)


def test_what_names_no_edges_is_refused_with_the_reason() -> None:
    for text in sorted(set(landbridge.plans(engine="gpu")) - set(landbridge.plans("forest", engine="gpu"))):
        plan = parse(text)
        reason = plan.no_forest
        assert reason
        with pytest.raises(InvalidCombination) as caught:
            landbridge.spanning_forest(([0, 1], [1, 2]), plan=plan)
        assert str(caught.value) == f"{plan}: {reason}"
    with pytest.raises(InvalidCombination, match="start=tile unites in a block"):
        landbridge.spanning_forest(([0, 1], [1, 2]), plan="async(split)@gpu(start=tile)")
