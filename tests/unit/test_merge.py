"""What `merge` takes, and what it refuses by name."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx
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
    with pytest.raises(InputError, match="part 0 are the numbers that occur, and those of part 1 are 0"):
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
    with pytest.raises(InputError, match="part 0 are the numbers that occur, and those of part 1 are 0"):
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


PARTS: dict[str, Any] = {
    "dense": lambda: landbridge.components(([0], [1])),
    "labels": lambda: np.array([0, 0]),
    "dense stream": lambda: landbridge.Incremental(2),
    "sparse": lambda: landbridge.components([(7, 9)], ids="sparse"),
    "sparse forest": lambda: landbridge.spanning_forest([(7, 9)], ids="sparse"),
    "names": lambda: landbridge.components([("ann", "bob")]),
    "objects": lambda: landbridge.components(networkx.Graph([((0, 1), (0, 2))])),
}
MIXTURES = [
    (
        ("dense", "sparse"),
        "0..n-1",
        "the numbers that occur",
        "compute both with ids='sparse', or both with ids='dense'",
    ),
    (("labels", "sparse"), "0..n-1", "the numbers that occur", "compute both with ids='sparse'"),
    (("dense stream", "sparse forest"), "0..n-1", "the numbers that occur", "compute both with ids='sparse'"),
    (("dense", "names"), "0..n-1", "the names that occur", "ids='names' reads the numbers of text files as names"),
    (("sparse", "names"), "the numbers that occur", "the names that occur", "ids='names' reads the numbers of text"),
    (("dense", "objects"), "0..n-1", "objects", "ids='names'"),
]


@pytest.mark.parametrize(("kinds", "first", "second", "advice"), MIXTURES)
def test_parts_of_two_kinds_are_refused_with_what_to_do(
    kinds: tuple[str, str], first: str, second: str, advice: str
) -> None:
    one, other = (PARTS[kind]() for kind in kinds)
    for parts, places in (((one, one, other), (0, 2)), ((other, one), (1, 0))):
        words = sorted(zip(places, (first, second), strict=True))
        with pytest.raises(InputError) as caught:
            landbridge.merge(*parts)
        places_and_kinds = ", and those of part ".join(f"{i} are {kind}" for i, kind in words)
        assert str(caught.value).startswith(f"the vertices of part {places_and_kinds}: which of them are the same")
        assert advice in str(caught.value)


@pytest.mark.parametrize("kind", ["dense", "sparse", "names"])
@pytest.mark.parametrize("empty", ["dense", "sparse", "names"])
def test_answers_without_vertices_go_with_all(kind: str, empty: str, tmp_path: Path) -> None:
    path = tmp_path / "none.csv"
    path.write_text("source,target\n")
    ids: Any = empty
    nothing, part = landbridge.components(path, ids=ids), PARTS[kind]()
    for parts in ((nothing, part), (part, nothing), (nothing, part, nothing)):
        merged = landbridge.merge(*parts)
        assert (merged.count, merged.id_kind, len(merged.labels)) == (1, kind, 2)
    assert landbridge.merge(nothing, nothing).id_kind == empty
