"""The choice of a plan on CPU threads, from facts alone and from graphs that have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.spatial import cKDTree

import landbridge
from landbridge.edges.generators import generate
from landbridge.edges.successors import Lists
from landbridge.engine.cpu.choose import choose_components, choose_forest, choose_ranking
from landbridge.engine.cpu.lists import facts_of as facts_of_lists
from landbridge.plan import ListFacts
from landbridge.plan.choose import Facts

UNIFORM = Facts(
    vertices=2**20, edges=2**23, layout="csr", symmetric=True, average_degree=8.0, skew=2.0,
    first_smaller=0.87, local=0.03, expansion=6.6, threads=2,
)  # fmt: skip
MESH = replace(UNIFORM, average_degree=6.0, expansion=2.1, first_smaller=0.86)
IN_ORDER = replace(MESH, first_smaller=0.998, local=1.0)
HOOKS, HALVING = "hb(4)+rem_cas(naive,split_one)@cpu(adapt=on)", "hb(4)+ecl(halve)@cpu(adapt=on)"
TWO_ARCS = "kout(2)+ecl(halve)@cpu(adapt=on)"
EACH_ONCE, PAIRS = "rem_cas(naive,split_one)", "rem_cas(naive,halve_one)@cpu(climb=on,owners=on,skip=tree)"
OWNED = f"{EACH_ONCE}@cpu(owners=on)"

SHAPES = {
    "random": (UNIFORM, HALVING),
    "random, with hubs": (replace(UNIFORM, skew=50.0), HOOKS),
    "the larger side of two first": (replace(UNIFORM, first_smaller=0.1, upward=0.9, symmetric=False), TWO_ARCS),
    "the larger side of two first, hubs": (replace(UNIFORM, skew=50.0, first_smaller=0.1), TWO_ARCS),
    "two sides alike": (replace(UNIFORM, first_smaller=0.5, upward=0.5), HALVING),
    "mesh in random order": (MESH, HALVING),
    "mesh in its own order": (IN_ORDER, HOOKS),
    "mesh with shuffled blocks": (replace(MESH, first_smaller=0.96, local=0.5), HOOKS),
    "cliques in random order": (replace(MESH, expansion=0.44), EACH_ONCE),
    "clusters of fifty": (replace(UNIFORM, edges=2**22, expansion=3.7, enclosed=0.65), EACH_ONCE),
    "clusters of twenty": (replace(UNIFORM, edges=2**22, expansion=1.8, enclosed=0.9), EACH_ONCE),
    "clusters of fifty, nothing said": (
        replace(UNIFORM, edges=2**22, symmetric=False, expansion=3.7, enclosed=0.65),
        HALVING,
    ),
    "many clusters of fifty": (replace(UNIFORM, expansion=3.7, enclosed=0.65), HALVING),
    "many clusters of fifty, one thread": (replace(UNIFORM, threads=1, expansion=3.7, enclosed=0.65), EACH_ONCE),
    "many clusters of twenty, near ids": (replace(UNIFORM, local=1.0, expansion=1.8, enclosed=0.9), EACH_ONCE),
    "clusters of fifty and a hub": (replace(UNIFORM, skew=50.0, expansion=3.7, enclosed=0.65), HOOKS),
    "one graph of fifty": (replace(UNIFORM, vertices=50, expansion=3.7, enclosed=0.65), HALVING),
    "near neighbours, half enclosed": (replace(UNIFORM, expansion=2.8, enclosed=0.5), HALVING),
    "mesh, half enclosed": (replace(MESH, enclosed=0.65), HALVING),
    "ring, two thirds enclosed": (replace(MESH, expansion=1.0, enclosed=0.75), HALVING),
    "sparse mesh, laid out": (replace(MESH, average_degree=4.0, equidistant=0.1), HALVING),
    "sparse mesh, laid out, nothing said": (
        replace(MESH, average_degree=4.0, equidistant=0.1, symmetric=False),
        HALVING,
    ),
    "sparse mesh, one colour after another": (
        replace(MESH, average_degree=4.0, first_smaller=0.5, upward=0.5, equidistant=0.5),
        EACH_ONCE,
    ),
    "lattice in strides": (replace(MESH, first_smaller=0.98, local=0.2, expansion=2.9, equidistant=0.3), TWO_ARCS),
    "lattice in its own order": (replace(MESH, first_smaller=0.999, local=0.03, expansion=2.9, equidistant=1.0), HOOKS),
    "few arcs for one thread, nothing said": (
        replace(UNIFORM, average_degree=6.0, threads=1, symmetric=False),
        HALVING,
    ),
    "tree in its own order, one thread, nothing said": (
        replace(IN_ORDER, average_degree=2.0, threads=1, symmetric=False),
        HOOKS,
    ),
    "path, laid out": (replace(MESH, average_degree=2.0, equidistant=0.3), EACH_ONCE),
    "sparse": (replace(MESH, average_degree=4.0), EACH_ONCE),
    "sparse, though it grows": (replace(UNIFORM, average_degree=4.0), EACH_ONCE),
    "few arcs for one thread": (replace(UNIFORM, average_degree=6.0, threads=1), EACH_ONCE),
    "few arcs for several": (replace(UNIFORM, average_degree=6.0, threads=2), HALVING),
    "few arcs for several, and small": (replace(UNIFORM, average_degree=6.0, threads=2, edges=400_000), HALVING),
    "each edge in one row": (replace(UNIFORM, first_smaller=0.0, upward=1.0, symmetric=False), EACH_ONCE),
    "each edge in one row, a mesh": (replace(MESH, first_smaller=0.0, upward=1.0, symmetric=False), HALVING),
    "sparse mesh, nothing said": (replace(MESH, average_degree=4.0, symmetric=False), TWO_ARCS),
    "sparse mesh, each edge in one row": (replace(MESH, average_degree=4.0, upward=1.0, symmetric=False), EACH_ONCE),
    "components of ten, nothing said": (
        replace(MESH, average_degree=3.3, symmetric=False, expansion=1.2, enclosed=0.8),
        EACH_ONCE,
    ),
    "path, nothing said": (replace(MESH, average_degree=2.0, symmetric=False), EACH_ONCE),
    "rows in descending order": (replace(UNIFORM, first_smaller=0.03, symmetric=False), TWO_ARCS),
    "nothing said": (replace(UNIFORM, symmetric=False), HALVING),
    "nothing said, hubs": (replace(UNIFORM, symmetric=False, skew=50.0), HOOKS),
    "nothing said, hubs and empty rows": (
        replace(UNIFORM, symmetric=False, average_degree=6.0, skew=50.0, empty=0.3),
        EACH_ONCE,
    ),
    "nothing said, long rows, hubs and empty rows": (
        replace(UNIFORM, symmetric=False, average_degree=32.0, skew=50.0, empty=0.3),
        HOOKS,
    ),
    "hubs and empty rows": (replace(UNIFORM, skew=50.0, empty=0.3), HOOKS),
    "nothing said, empty rows": (replace(UNIFORM, symmetric=False, empty=0.3), HALVING),
    "grid in its own order, one thread": (replace(IN_ORDER, average_degree=4.0, threads=1), HOOKS),
    "path in its own order, one thread": (replace(IN_ORDER, average_degree=2.0, threads=1), EACH_ONCE),
    "sparse, down to hubs": (replace(UNIFORM, average_degree=2.0, first_smaller=0.98), HOOKS),
    "star in random order": (replace(UNIFORM, average_degree=2.0, first_smaller=0.94, expansion=7.9, skew=5e4), HOOKS),
    "sparse, down a mesh": (replace(MESH, average_degree=2.4, first_smaller=0.98), HOOKS),
    "small components of near ids": (replace(MESH, average_degree=1.3, local=1.0, expansion=0.4), OWNED),
    "small components of scattered ids": (replace(MESH, average_degree=1.3, local=0.1, expansion=0.4), EACH_ONCE),
    "COO edge list": (replace(UNIFORM, layout="coo"), PAIRS),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_has_its_plan_and_a_reason(shape: str) -> None:
    facts, plan = SHAPES[shape]
    choice = choose_components(facts)
    assert str(choice.plan) == plan
    assert all(choice.reasons)


def test_every_choice_has_a_forest_and_every_sample_adapts() -> None:
    values = product((1.5, 5.0, 40.0), (0.0, 0.5, 1.0), (0.0, 0.6, 1.0), (0.0, 0.5, 2.0, 7.0), ("csr", "coo"))
    for degree, smaller, local, expansion, layout in values:
        facts = replace(
            UNIFORM, average_degree=degree, first_smaller=smaller, local=local, expansion=expansion, layout=layout
        )
        plan = choose_components(facts).plan
        assert (plan.option("adapt", "off") == "on") == (plan.sample is not None)
        assert not choose_forest(facts).plan.no_forest


@pytest.mark.parametrize(
    ("graph", "plan"),
    [
        ("delaunay(20000,seed=1)", EACH_ONCE),
        ("trigrid(150,150)", HOOKS),
        ("trigrid(150,150,permute=true,seed=1)", EACH_ONCE),
        ("trigrid(400,400,permute=true,seed=1)", HALVING),
    ],
)
def test_probes_of_graphs_lead_there(graph: str, plan: str) -> None:
    edges = generate(graph)
    rows = landbridge.Graph((edges.u, edges.v), num_vertices=edges.num_vertices).to_rows()
    assert landbridge.components(rows).plan == plan


def grid_by_colour(side: int) -> landbridge.Graph:
    """A square grid whose even places have ids before its odd ones."""
    place = np.arange(side * side).reshape(side, side)
    is_odd = (np.add.outer(np.arange(side), np.arange(side)) % 2).ravel()
    ids = np.argsort(np.argsort(is_odd, kind="stable"))
    pairs = ((place[:, :-1], place[:, 1:]), (place[:-1], place[1:]))
    u, v = (ids[np.concatenate([pair[i].ravel() for pair in pairs])] for i in (0, 1))
    return landbridge.Graph((u, v), num_vertices=side * side).to_rows()


def clusters(size: int, vertices: int) -> landbridge.Graph:
    """Eight neighbours for each vertex, on average, among the vertices of its cluster, ids in no order."""
    draw = np.random.default_rng(1)
    u = draw.integers(0, vertices, 4 * vertices)
    v = u // size * size + draw.integers(0, size, len(u))
    ids = draw.permutation(vertices)
    return landbridge.Graph((ids[u], ids[v]), num_vertices=vertices).to_rows()


def test_distances_that_return_are_seen() -> None:
    laid_out = grid_by_colour(300)
    assert laid_out.probe.equidistant > 0.3
    ids = np.random.default_rng(1).permutation(laid_out.num_vertices)
    u = np.repeat(np.arange(laid_out.num_vertices), np.diff(laid_out.offsets))
    scattered = landbridge.Graph((ids[u], ids[laid_out.a]), num_vertices=laid_out.num_vertices)
    assert scattered.to_rows().probe.equidistant < 0.01


@pytest.mark.parametrize(("size", "enclosed"), [(20, 0.72), (50, 0.5)])
def test_small_components_are_seen_and_not_sampled(size: int, enclosed: float) -> None:
    graph = clusters(size, 50_000)
    assert graph.probe.enclosed > enclosed
    assert landbridge.components(graph, threads=2).plan == EACH_ONCE
    large = clusters(50_000, 50_000)
    assert large.probe.enclosed < 0.3
    assert landbridge.components(large, threads=2).plan == HALVING


@pytest.mark.parametrize(("side", "degree"), [(1, 20), (1, 28), (2, 24), (3, 16)])
def test_near_neighbours_are_no_communities(side: int, degree: int) -> None:
    # As many vertices are two steps away as in clusters, and the third step goes on more often.
    points = np.random.default_rng(2).random((20_000, side))
    near = cKDTree(points).query(points, degree // 2 + 1)[1][:, 1:]
    u = np.repeat(np.arange(len(points)), near.shape[1])
    ids = np.random.default_rng(3).permutation(len(points))
    graph = landbridge.Graph((ids[u], ids[near.ravel()]), num_vertices=len(points)).to_rows()
    assert landbridge.components(graph, threads=2).plan == HALVING


def test_sizes_alone_lead_to_the_plan_of_a_graph_in_order() -> None:
    sizes = landbridge.Sizes(10**6, 10**7, "csr", symmetric=True)
    assert str(choose_components(sizes.facts(2)).plan) == HOOKS


@pytest.mark.parametrize("n", [2**20, 10**6])
@pytest.mark.parametrize("length", [2, 3, 4, 64])
def test_a_probe_of_lists_is_in_step_with_no_length(n: int, length: int) -> None:
    element = np.arange(n)
    successor = np.where(element % length == length - 1, element, np.minimum(element + 1, n - 1))
    facts = facts_of_lists(Lists(successor, None, False, successor), 2)
    assert facts.tails == pytest.approx(1 / length, abs=0.03)
    assert facts.near == pytest.approx(1 - 1 / length, abs=0.03)


def list_in(order: np.ndarray) -> Lists:
    """One list that takes its elements in this order."""
    successor = np.empty(len(order), np.int64)
    successor[order[:-1]], successor[order[-1]] = order[1:], order[-1]
    return Lists(successor, None, False, successor)


def from_both_ends(n: int) -> np.ndarray:
    return np.stack([np.arange(n // 2), np.arange(n - 1, n // 2 - 1, -1)], axis=1).ravel()


def in_blocks(n: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    of_block = rng.permuted(np.tile(np.arange(1024), (n // 1024, 1)), axis=1)
    return (rng.permutation(n // 1024)[:, None] * 1024 + of_block).ravel()


@pytest.mark.parametrize(
    ("order", "threads_of_one_walk"),
    [(from_both_ends, [1, 2, 4]), (in_blocks, [1]), (np.random.default_rng(2).permutation, [])],
)
def test_one_walk_ranks_a_list_whose_elements_are_in_reach_of_each_other(
    order: Callable[[int], np.ndarray], threads_of_one_walk: list[int]
) -> None:
    lists = list_in(order(2**20))
    serial = [k for k in (1, 2, 4, 16) if choose_ranking(facts_of_lists(lists, k)).plan.name == "serial"]
    assert serial == threads_of_one_walk


@pytest.mark.parametrize("wrong", [-(2**62), -2, 2**20, 2**62])
def test_a_probe_of_lists_reads_no_successor_that_there_is_not(wrong: int) -> None:
    successor = np.full(2**20, wrong)
    facts = facts_of_lists(Lists(successor, None, False, successor), 1)
    assert (facts.tails, facts.near) == (0.0, 0.0)


def test_one_walk_ranks_lists_until_there_are_threads_enough() -> None:
    def threads_of_one_walk(tails: float, near: float) -> list[int]:
        facts = [ListFacts(2**20, tails, near, threads) for threads in range(1, 13)]
        return [one.threads for one in facts if choose_ranking(one).plan.name == "serial"]

    assert threads_of_one_walk(0.5, 0.0) == [1, 2, 3, 4], "lists of two, in no order"
    assert threads_of_one_walk(1 / 3, 0.0) == [1, 2, 3]
    assert threads_of_one_walk(1 / 8, 0.0) == [1]
    assert threads_of_one_walk(0.0, 0.0) == [], "a single list in no order"
    assert threads_of_one_walk(0.0, 1.0) == [1, 2, 3, 4], "a single list in the order of memory"
    assert threads_of_one_walk(0.5, 0.5) == list(range(1, 9)), "lists of two in the order of memory"
