"""Raw pairs of many edges: checked and united in one pass, with the number of vertices found on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import Graph, InputError
from landbridge.edges.forms import EdgeList
from landbridge.engine.sizes import ONE_PASS_FROM

M = ONE_PASS_FROM + 777


def pairs(n: int, dtype: Any = np.int64) -> tuple[Any, Any]:
    draw = np.random.default_rng(n)
    return draw.integers(0, n, M).astype(dtype), draw.integers(0, n, M).astype(dtype)


def one_pass(result: landbridge.Components) -> bool:
    # Every other way starts the parents, samples or builds rows in a phase of its own.
    return list(result.profile.seconds) == ["finish", "number"]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
@pytest.mark.parametrize("n", [1, 2, M // 3, 3 * M])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_it_says_what_the_graph_says(dtype: Any, n: int, threads: int) -> None:
    edges = pairs(n, dtype)
    result = landbridge.components(edges, threads=threads)
    graph = Graph(edges)
    checked = landbridge.components(graph, threads=threads)
    assert one_pass(result)
    assert not one_pass(checked)
    assert result.count == checked.count
    assert result.labels.dtype == np.int32
    assert np.array_equal(result.labels, checked.labels)
    landbridge.check_components(graph, result)


PLAIN = ("async(inter)", "early(compress)", "ecl(halve)", "afforest(naive)", "rem_cas(split,splice)")
OTHERS = ("hooks(naive)", "jtb(two_try)", "kout(2)+async(halve)", "stages(async(halve),q=0.5)", "bfscc")


@pytest.mark.parametrize("plan", PLAIN)
def test_with_a_plan_by_name(plan: str) -> None:
    edges = pairs(M // 2)
    result = landbridge.components(edges, plan=plan, threads=3)
    assert one_pass(result)
    assert result.plan == plan
    landbridge.check_components(edges, result)


@pytest.mark.parametrize("plan", OTHERS)
def test_plans_that_need_more_than_parents_take_the_other_way(plan: str) -> None:
    edges = pairs(M // 2)
    result = landbridge.components(edges, plan=plan, threads=2)
    assert not one_pass(result)
    assert np.array_equal(result.labels, landbridge.components(edges).labels)


def test_a_stage_larger_than_any_integer_is_one_stage() -> None:
    edges = pairs(M // 2)
    result = landbridge.components(edges, plan="stages(async(halve),q=1e300)")
    assert np.array_equal(result.labels, landbridge.components(edges).labels)


def test_ends_that_do_not_lie_side_by_side() -> None:
    u, v = pairs(M // 2)
    expected = landbridge.components((u, v)).labels
    for form in (np.stack((u, v), axis=1), np.stack((u, v)), (u[::-1], v[::-1]), np.stack((u, v, u), axis=1)[:, :2]):
        result = landbridge.components(form, threads=2)
        assert one_pass(result)
        assert np.array_equal(result.labels, expected)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("value", [-1, -2, "least"])
@pytest.mark.parametrize("at", [0, M // 2, M - 1])
def test_a_negative_id_is_named_and_never_followed(dtype: Any, value: Any, at: int) -> None:
    u, v = pairs(1000, dtype)
    v[at] = np.iinfo(dtype).min if value == "least" else value
    with pytest.raises(InputError, match=rf"^edge {at}: vertex -\d+ is negative; ids='sparse' takes negative ids$"):
        landbridge.components((u, v), threads=2)


@pytest.mark.parametrize("value", [2**64 - 1, 2**64 - 2, 2**63, 2**57])
def test_an_id_beyond_any_memory_is_refused(value: int) -> None:
    u, v = pairs(1000, np.uint64)
    u[M // 2] = value
    with pytest.raises(InputError, match="sparse"):
        landbridge.components((u, v), threads=2)


def test_an_id_far_beyond_the_edges_takes_the_other_way() -> None:
    u, v = pairs(1000)
    u[M - 1] = 17 * M + 2**20
    result = landbridge.components((u, v), threads=2)
    assert not one_pass(result)
    assert len(result.labels) == int(u[M - 1]) + 1
    assert result.count == int(u[M - 1]) + 1 - 1000


def test_original_ids_are_not_lost() -> None:
    u, v = pairs(1000)
    ids = np.arange(1000) * 7
    result = landbridge.components(EdgeList(u, v, ids=ids))
    assert result.ids is not None
    assert np.array_equal(result.ids, ids)


@pytest.mark.parametrize("m", [10, M])
def test_ends_of_different_lengths_are_refused(m: int) -> None:
    u, v = (x[:m] for x in pairs(1000))
    for u_, v_ in ((u, v[:-1]), (u[:-1], v)):
        for make in (landbridge.components, Graph.from_edges):
            with pytest.raises(InputError, match=rf"^u has {len(u_)} ids and v has {len(v_)}; edge i needs both"):
                make(EdgeList(u_, v_))
