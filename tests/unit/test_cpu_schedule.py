"""Schedules of CPU threads: owners of vertices, and samplings that are judged by what they have left."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles.refusals import refused

import landbridge
from benchmarks.zoo.cells import draw
from landbridge import InputError
from landbridge.edges.forms import Adjacency
from landbridge.profile import SAMPLED_FURTHER, UNITED_ALL


def rows(name: str, symmetric: bool = True) -> tuple[landbridge.Graph, NDArray[np.int32]]:
    drawn = draw(f"{name}/csr/5e3")
    return landbridge.Graph(Adjacency(*drawn.csr(), symmetric=symmetric)), drawn.labels


@pytest.mark.parametrize("plan", ["hb(4)+rem_cas(naive,split_one)", "hb(0)+async(halve)", "kout(1)+jtb"])
@pytest.mark.parametrize(
    "name",
    [
        "tree-recursive/bit-reversed", "ring-4/permuted", "uniform-16/natural", "critical/permuted", "pairs/blocks",
        "duplicates/natural", "path+uniform-16/permuted", "clusters-50/permuted",
    ],
)  # fmt: skip
def test_more_is_sampled_without_an_edge_lost(name: str, plan: str) -> None:
    for symmetric, threads in product((True, False), (1, 2)):
        graph, labels = rows(name, symmetric)
        answer = landbridge.components(graph, plan=f"{plan}@cpu(adapt=on)", threads=threads)
        assert np.array_equal(answer.labels, labels)
        forest = landbridge.spanning_forest(graph, plan=f"{plan}@cpu(adapt=on)", threads=threads)
        landbridge.check_forest(graph, forest)


def test_more_is_sampled_where_the_largest_tree_is_small() -> None:
    plan = "hb(4)+rem_cas(naive,split_one)"
    small, large = rows("ring-4/permuted")[0], rows("grid/natural")[0]
    assert landbridge.components(small, plan=f"{plan}@cpu(adapt=on)").profile.turns == (SAMPLED_FURTHER,)
    repeated = rows("duplicates/natural")[0]  # the arcs that follow in its rows are those of the sample again
    assert landbridge.components(repeated, plan=f"{plan}@cpu(adapt=on)").profile.turns == (SAMPLED_FURTHER,)
    hopeless = rows("cliques-8/permuted")[0]
    assert landbridge.components(hopeless, plan=f"{plan}@cpu(adapt=on)").profile.turns == (SAMPLED_FURTHER, UNITED_ALL)
    no_large_one = rows("clusters-50/permuted")[0]  # as searches find before
    assert landbridge.components(no_large_one, plan=f"{plan}@cpu(adapt=on)").profile.turns == (UNITED_ALL,)
    assert landbridge.components(small, plan=plan).profile.turns == ()
    assert landbridge.components(large, plan=f"{plan}@cpu(adapt=on)").profile.turns == ()


@pytest.mark.parametrize(
    "plan", ["rem_cas(naive,splice)", "rem_cas(naive,split_one)", "hb(4)+rem_cas(naive,split_one)"]
)
def test_owners_are_named(plan: str) -> None:
    graph, labels = rows("grid/natural")
    owned = {}
    for owners in ("off", "on"):
        answer = landbridge.components(graph, plan=f"{plan}@cpu(owners={owners})", threads=2)
        assert np.array_equal(answer.labels, labels)
        owned[owners] = answer.profile.owned
    assert owned["off"] == 0 < owned["on"]
    assert landbridge.components(graph, plan=plan, threads=2).profile.owned == 0
    assert landbridge.components(graph, plan=f"{plan}@cpu(owners=on)", threads=1).profile.owned == 0


def test_pairs_have_owners_by_name() -> None:
    drawn = draw("grid/natural/pairs-sorted/2e5")
    for threads, owners in product((1, 2), ("off", "on")):
        answer = landbridge.components(
            drawn.pairs(), plan=f"rem_cas(naive,splice)@cpu(owners={owners})", threads=threads
        )
        assert np.array_equal(answer.labels, drawn.labels)
        assert (answer.profile.owned > 0) == (threads == 2 and owners == "on")


@pytest.mark.parametrize("form", ["sorted", "made", "reversed", "random"])
@pytest.mark.parametrize(
    "name",
    [
        "path/natural", "grid/natural", "grid-3d/natural", "star-first/natural", "star-last/natural", "hubs/natural",
        "caterpillar/blocks", "web/natural", "ring-8/natural", "tree-recursive/permuted", "pairs/natural",
    ],
)  # fmt: skip
def test_owners_lose_no_edge(name: str, form: str) -> None:
    """Inside their ranges, across a border, and where so many lead out that every walk is watched."""
    drawn = draw(f"{name}/pairs-{form}/3e5")
    u, v = drawn.pairs()
    n = int(max(u.max(), v.max())) + 1
    for endpoints in ((u, v), (u.astype(np.int64), v.astype(np.int64)), (u[::2], v[::2])):
        known = landbridge.components(endpoints, plan="async(halve)", threads=1).labels
        for threads in (2, 3):
            answer = landbridge.components(endpoints, threads=threads, device="cpu")
            assert answer.plan == "rem_cas(naive,halve_one)@cpu(climb=on,owners=on,skip=tree)"
            assert np.array_equal(answer.labels, known)
    graph = landbridge.Graph((u, v), num_vertices=n)
    landbridge.check_forest(graph, landbridge.spanning_forest(graph, threads=2, device="cpu"))
    landbridge.check_forest(graph, landbridge.spanning_forest((u, v), threads=3, device="cpu"))


def test_ids_that_have_not_been_validated_may_lie_anywhere() -> None:
    """8 spans of 2^61 are 0 in 64 bits."""
    u = np.zeros(1 << 17, dtype=np.int64)
    chunk, few = 1 << 15, 16
    for begin in range(0, len(u), chunk):
        u[begin + (chunk - 1) * np.arange(few) // (few - 1)] = [*[0] * 7, *[2**61 - 1] * 8, -1]
    with refused(InputError, f"edge {chunk - 1}: vertex -1 is negative; ids='sparse' takes negative ids"):
        landbridge.components((u, u), threads=2, device="cpu")


def test_owners_take_most_edges_of_a_grid_in_natural_order() -> None:
    """And hardly any of a permuted one."""
    owned = {}
    for order in ("natural", "permuted"):
        drawn = draw(f"grid/{order}/pairs-sorted/3e5")
        owned[order] = landbridge.components(drawn.pairs(), threads=2, device="cpu").profile.owned / drawn.num_edges
    assert owned["natural"] > 0.8
    assert owned["permuted"] < 0.1


@pytest.mark.parametrize("name", ["web/natural", "uniform-16/natural", "path/permuted"])
def test_lists_without_locality_or_with_few_links_have_no_owners(name: str) -> None:
    answer = landbridge.components(draw(f"{name}/pairs-sorted/3e5").pairs(), threads=2, device="cpu")
    assert answer.profile.owned == 0


@pytest.mark.parametrize("size", ["3e5", "1e6"])
def test_of_lists_with_more_edges_a_vertex_only_those_without_long_ones_have_owners(size: str) -> None:
    owned = {}
    for name in ("ring-4", "small-world"):
        drawn = draw(f"{name}/natural/pairs-sorted/{size}")
        owned[name] = landbridge.components(drawn.pairs(), threads=2, device="cpu").profile.owned / drawn.num_edges
    assert owned["ring-4"] > 0.9
    assert owned["small-world"] == 0


def test_tiny_components_of_near_ids_are_united_by_their_owners() -> None:
    drawn = draw("triples/natural/csr/1e5")
    graph = landbridge.Graph(Adjacency(*drawn.csr(), symmetric=True))
    answer = landbridge.components(graph, threads=2, device="cpu")
    assert np.array_equal(answer.labels, drawn.labels)
    assert answer.profile.owned == drawn.num_edges


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    "name",
    ["pairs/permuted", "uniform-half/natural", "triples/natural", "path+uniform-16/permuted", "uniform-2/permuted"],
)
def test_labels_are_numbered_by_smallest_vertices(name: str, threads: int) -> None:
    """Across ranges of threads and chunks of vertices, with parents near and far."""
    drawn = draw(f"{name}/pairs-random/2e5")
    u, v = drawn.pairs()
    for endpoints in ((u, v), (u.astype(np.int64), v.astype(np.int64))):
        answer = landbridge.components(landbridge.Graph(endpoints, num_vertices=drawn.n), threads=threads, device="cpu")
        assert answer.count == drawn.labels.max() + 1
        assert np.array_equal(answer.labels, drawn.labels)
    wide = landbridge.components((u, v), plan="async(halve)@cpu(ids=wide)", threads=threads, device="cpu")
    assert np.array_equal(wide.labels, drawn.labels[: len(wide.labels)])


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("paths", [2, 3, 40_000])
def test_long_chains_across_the_ranges_of_threads_are_numbered(paths: int, threads: int) -> None:
    """Paths side by side, from their ends: the forest is as deep as they are long, and leads through every range."""
    n = 200_000
    later = np.arange(n - 1, paths - 1, -1)
    answer = landbridge.components((later - paths, later), plan="rem_cas(naive,halve_one)", threads=threads)
    assert np.array_equal(answer.labels, np.arange(n) % paths)


@pytest.mark.parametrize("order", ["natural", "permuted"])
def test_edges_to_a_hub_have_owners_once_its_root_is_small(order: str) -> None:
    """At first the root of the hub, which its neighbours' owners must not write, is larger than the neighbours."""
    drawn = draw(f"star-middle/{order}/pairs-sorted/1e6")
    answer = landbridge.components(drawn.pairs(), device="cpu", threads=2)
    assert np.array_equal(answer.labels, drawn.labels)
    assert answer.profile.owned > 0.9 * drawn.num_edges
    forest = landbridge.spanning_forest(drawn.pairs(), device="cpu", threads=2)
    landbridge.check_forest(landbridge.Graph(drawn.pairs()), forest)
