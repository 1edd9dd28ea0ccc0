"""What can be asked of a result, on answers worked by hand and against the definitions."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge import Components, Profile

NO_TIME = Profile({}, 0.0, 1, 0.0)


def result(count: int, labels: list[int]) -> Components:
    return Components(count, np.array(labels, dtype=np.int32), "async(naive)", "cpu", NO_TIME)


WORKED = result(4, [0, 1, 0, 2, 1, 3, 2, 2])


def test_first_and_representatives() -> None:
    assert WORKED.first.tolist() == [0, 1, 3, 5]
    assert WORKED.representatives.tolist() == [0, 1, 0, 3, 1, 5, 3, 3]
    assert WORKED.first.dtype == WORKED.representatives.dtype == np.int32


def test_sizes_and_the_largest() -> None:
    assert WORKED.sizes().tolist() == [2, 2, 3, 1]
    assert WORKED.largest_size == 3
    assert WORKED.largest().tolist() == [3, 6, 7]


def test_of_several_largest_the_one_with_the_smallest_vertex() -> None:
    assert result(3, [0, 1, 2, 2, 1]).largest().tolist() == [1, 4]


def test_groups_are_rows_of_vertices() -> None:
    offsets, members = WORKED.groups()
    assert offsets.tolist() == [0, 2, 4, 7, 8]
    assert members.tolist() == [0, 2, 1, 4, 3, 6, 7, 5]


def test_a_graph_without_vertices_has_nothing() -> None:
    empty = landbridge.components(([], []))
    assert (empty.count, empty.largest_size) == (0, 0)
    offsets, members = empty.groups()
    assert offsets.tolist() == [0]
    for array in (empty.labels, empty.first, empty.representatives, empty.sizes(), empty.largest(), members):
        assert array.shape == (0,)
        assert array.dtype.kind == "i"


def test_it_is_a_pair_and_a_frozen_record() -> None:
    count, labels = WORKED
    assert len(WORKED) == 2
    assert (count, labels.tolist()) == (4, WORKED.labels.tolist())
    with pytest.raises(dataclasses.FrozenInstanceError):
        WORKED.count = 5  # type: ignore[misc]
    assert repr(WORKED) == ("Components(count=4, vertices=8, largest=3, isolated=1, plan='async(naive)', device='cpu')")


def test_ids_come_along_where_vertices_were_renumbered() -> None:
    result = landbridge.components(([70, 10], [30, 10]), ids="sparse")
    assert result.ids is not None
    assert {int(i): int(c) for i, c in zip(result.ids, result.labels, strict=True)} == {10: 0, 30: 1, 70: 1}
    assert landbridge.components(([7], [3])).ids is None


@pytest.mark.parametrize("ids", ["narrow", "wide"])
@pytest.mark.parametrize("specimen", zoo(), ids=str)
def test_definitions_hold_on_the_zoo(specimen: Specimen, ids: str) -> None:
    result = landbridge.components(specimen.graph("coo"), plan=f"rem_cas@cpu(ids={ids})")
    n, labels = specimen.n, specimen.answer
    low = np.full(specimen.count, n, dtype=np.int64)
    np.minimum.at(low, labels, np.arange(n))
    assert np.array_equal(result.first, low)
    assert np.array_equal(result.representatives, low[labels])
    assert np.all(result.representatives <= np.arange(n))
    sizes = result.sizes()
    assert sizes.sum() == n
    assert np.all(sizes > 0)
    assert result.largest_size == max(sizes.tolist(), default=0) == len(result.largest())
    assert np.all(np.diff(result.largest()) > 0)
    offsets, members = result.groups()
    assert np.array_equal(np.sort(members), np.arange(n))
    for c in range(min(specimen.count, 50)):
        assert np.array_equal(members[offsets[c] : offsets[c + 1]], np.flatnonzero(labels == c))


@pytest.mark.parametrize(
    "nodes", [(1, "a"), (1, (2, 3)), (b"x", "y"), (frozenset([1]), 2), (frozenset([1]), frozenset())]
)
def test_frames_of_several_types_of_ids_are_of_pandas(nodes: tuple[Any, Any]) -> None:
    """Arrow has no column for them, or would convert one to another."""
    networkx = pytest.importorskip("networkx")
    pytest.importorskip("pandas")
    graph = networkx.Graph([nodes])
    answer = landbridge.components(graph)
    assert list(answer.frame()["id"]) == list(answer.frame("pandas")["id"]) == list(nodes)
    for library in ("polars", "pyarrow"):
        pytest.importorskip(library)
        with pytest.raises(landbridge.InputError, match=r"no column of Arrow.*frame\('pandas'\) takes them"):
            answer.frame(library)
