"""The oracles answer right where a person can see the answer, and agree with each other everywhere else."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.reference import PURE, Oracle, by_scipy, first_seen
from oracles.zoo import CHUNK_ARCS, CHUNK_VERTICES, Specimen, small, zoo

WORKED = [
    (0, [], []),
    (1, [], [0]),
    (3, [], [0, 1, 2]),
    (3, [(1, 1)], [0, 1, 2]),
    (4, [(3, 0)], [0, 1, 2, 0]),
    (5, [(4, 3), (1, 2), (2, 4)], [0, 1, 1, 1, 1]),
    (6, [(5, 0), (0, 5), (4, 1), (1, 4), (4, 4)], [0, 1, 2, 3, 1, 0]),
    (7, [(6, 5), (3, 6), (0, 2), (2, 0), (2, 2)], [0, 1, 0, 2, 3, 2, 2]),
]


@pytest.mark.parametrize("oracle", PURE.values(), ids=PURE.keys())
@pytest.mark.parametrize(("n", "edges", "labels"), WORKED)
def test_worked_graphs(oracle: Oracle, n: int, edges: list[tuple[int, int]], labels: list[int]) -> None:
    answer = oracle(n, [a for a, _ in edges], [b for _, b in edges])
    assert answer.tolist() == labels


def test_first_seen_numbers_parts_in_the_order_they_appear() -> None:
    assert first_seen([7, 7, 2, 9, 2]).tolist() == [0, 0, 1, 2, 1]


@pytest.mark.parametrize("specimen", small(), ids=str)
def test_oracles_agree_on_the_zoo(specimen: Specimen) -> None:
    for oracle in PURE.values():
        assert np.array_equal(oracle(specimen.n, specimen.u, specimen.v), specimen.answer)


@pytest.mark.parametrize("specimen", zoo(), ids=str)
def test_scipy_agrees_on_the_zoo(specimen: Specimen) -> None:
    pytest.importorskip("scipy")
    assert np.array_equal(by_scipy(specimen.n, specimen.u, specimen.v), specimen.answer)


@pytest.mark.parametrize("specimen", zoo(), ids=str)
def test_specimens_are_what_they_say(specimen: Specimen) -> None:
    offsets, neighbors = specimen.rows
    assert offsets[0] == 0
    assert offsets[-1] == len(specimen.u) == len(specimen.v) == len(neighbors)
    rows = np.repeat(np.arange(specimen.n), np.diff(offsets))
    stored = sorted(zip(specimen.u.tolist(), specimen.v.tolist(), strict=True))
    assert sorted(zip(rows.tolist(), neighbors.tolist(), strict=True)) == stored
    if specimen.symmetric:
        assert sorted((b, a) for a, b in stored) == stored


def test_the_zoo_crosses_every_grain() -> None:
    sizes = {s.n for s in zoo()}
    assert {g + d for g in (64, 1024, CHUNK_VERTICES) for d in (-1, 0, 1)} <= sizes
    assert {0, 1} <= sizes
    assert max(int(np.bincount(s.u, minlength=1).max(initial=0)) for s in zoo()) > CHUNK_ARCS
    assert sum(not s.symmetric for s in zoo()) > 20
    assert {s.name for s in small()} < {s.name for s in zoo()}
