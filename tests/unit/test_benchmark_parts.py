"""The cases of suites of several processors: who runs them, and edges and lists that any processor makes alike."""

from __future__ import annotations

import numpy as np
import pytest

import landbridge
from benchmarks.parts_cases import (
    Case,
    contestants,
    element_to_place,
    groups,
    pairs,
    place_to_element,
    spans,
    successors,
)


@pytest.mark.parametrize("gpus", [0, 1, 2, 4, 8])
def test_contestants_are_single_processors_and_groups_of_all_sizes(gpus: int) -> None:
    names = set(groups(gpus))
    for form in ("spread", "host", "device", "stream", "rows", "list", "empty"):
        assert set(contestants(Case(form), gpus)) <= names
    if gpus:
        assert next(iter(contestants(Case("spread"), gpus))) == "1 gpu"
        assert f"cpu + {gpus} gpu{'s' * (gpus > 1)}" in contestants(Case("host"), gpus)
        assert list(contestants(Case("memory", share=0.8 * gpus), gpus).values()) == [list(range(gpus))]
        assert not contestants(Case("memory", share=gpus), gpus)


def test_any_part_of_the_edges_can_be_made_again() -> None:
    u, v = pairs(np, 1000, 0, 5000, "int32")
    assert (u.dtype, int(u.min()) >= 0, int(max(u.max(), v.max())) < 1000) == (np.int32, True, True)
    assert abs(float(u.mean()) - 500) < 20 and not np.array_equal(u, v)
    parts = [pairs(np, 1000, first, count, "int32") for first, count in spans(5000, 700)]
    assert np.array_equal(u, np.concatenate([a for a, _ in parts]))
    assert np.array_equal(v, np.concatenate([b for _, b in parts]))


@pytest.mark.parametrize("bits", [3, 10, 17])
def test_the_list_is_a_permutation_with_known_ranks(bits: int) -> None:
    places = np.arange(2**bits, dtype=np.uint64)
    elements = place_to_element(places, bits)
    assert np.array_equal(np.sort(elements), places)
    assert np.array_equal(element_to_place(elements, bits), places)
    successor, ranks = successors(np, bits, 0, 2**bits)
    assert np.array_equal(landbridge.rank_list(successor, device="cpu"), ranks)
    assert np.array_equal(successors(np, bits, 4, 4)[0], successor[4:8])
