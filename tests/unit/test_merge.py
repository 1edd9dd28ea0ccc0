"""What `merge` takes, and what it refuses by name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import InputError


def test_the_largest_set_of_vertices_counts() -> None:
    merged = landbridge.merge(np.array([0, 0]), np.array([5, 5, 9, 5]), num_vertices=6)
    assert merged.labels.tolist() == [0, 0, 1, 0, 2, 3]
    assert merged.count == 4
    assert landbridge.merge().count == 0
    assert landbridge.merge(num_vertices=2).labels.tolist() == [0, 1]
    assert landbridge.merge([], [7]).labels.tolist() == [0]


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        (np.array([0, -1, -3]), "part 1: vertex 2 has the label -3; labels are not negative"),
        (
            np.array([0.5]),
            "part 1: a part is Components, a forest, an Incremental or an integer array of labels",
        ),
        (np.zeros((2, 2), int), r"part 1: .*not an array of int64 of shape \(2, 2\)"),
        ("text", "part 1: .*not str"),
        (SimpleNamespace(u=np.array([0]), v=np.array([2]), num_vertices=2), "part 1: edge 0: vertex 2 is out of range"),
        (SimpleNamespace(u=np.array([0]), v=np.array([1, 1]), num_vertices=2), "part 1: u has 1 ids and v has 2"),
    ],
)
def test_what_is_no_part_is_refused_with_its_number(part: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        landbridge.merge([0, 0], part)


def test_named_and_numbered_parts_do_not_mix() -> None:
    named = landbridge.components(([10**12], [3]), ids="sparse")
    with pytest.raises(InputError, match="part 1 numbers its vertices and part 0 names them"):
        landbridge.merge(named, [0, 0])
    with pytest.raises(InputError, match="num_vertices has no meaning with ids"):
        landbridge.merge(named, num_vertices=9)
    with pytest.raises(InputError, match="num_vertices must be a whole number"):
        landbridge.merge([0], num_vertices=-1)


def test_forests_with_ids_merge_by_id() -> None:
    pairs = (np.array([2, 900, 7]), np.array([900, 40, 7]))
    forest, other = landbridge.spanning_forest(pairs, ids="sparse"), landbridge.components(([40], [1]), ids="sparse")
    merged = landbridge.merge(forest, other)
    assert merged.ids is not None
    assert (merged.ids.tolist(), merged.labels.tolist()) == ([1, 2, 7, 40, 900], [0, 0, 1, 0, 0])
    named = landbridge.spanning_forest((["q", "b", "x"], ["b", "q", "x"]))
    assert landbridge.merge(named, landbridge.components((["a"], ["q"]))).labels.tolist() == [0, 0, 0, 1]
    with pytest.raises(InputError, match="part 1 numbers its vertices and part 0 names them"):
        landbridge.merge(forest, [0, 0])


def test_ids_of_both_kinds_of_integers_stay_exact() -> None:
    def part(dtype: str, u: int, v: int) -> landbridge.Components:
        return landbridge.components((np.array([u], dtype), np.array([v], dtype)), ids="sparse")

    big = 2**60
    merged = landbridge.merge(part("i8", big + 1, 5), part("u8", big + 2, 9))
    assert merged.ids is not None
    assert merged.ids.tolist() == [5, 9, big + 1, big + 2]
    assert merged.labels.tolist() == [0, 1, 0, 1]
    merged = landbridge.merge(part("i8", -big - 1, 5), part("u8", big + 2, 5))
    assert merged.ids is not None
    assert merged.ids.tolist() == [-big - 1, 5, big + 2]
    with pytest.raises(InputError, match="no type of integers holds both"):
        landbridge.merge(part("i8", -1, 5), part("u8", 2**63, 5))
