"""The zoo of the benchmarks: sizes, components by construction, orders that only rename, forms of the same edges."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.zoo.cells import BATCHES, EDGE_ORDERS, FORMS, Drawn, cell, cells, draw, sample
from benchmarks.zoo.numbers import random_words
from benchmarks.zoo.orders import ORDERS
from benchmarks.zoo.structures import LISTS, STRUCTURES, UNIONS

SIZE = 5000
NAMES = (*STRUCTURES, *UNIONS)


def test_the_words_are_those_of_the_committed_results() -> None:
    assert random_words(np, 2, 1).tolist() == [0xDA99F79526CC49D6, 0x22BD0E7E4C7B6C72]


def keys(u: object, v: object) -> list[int]:
    low, high = np.minimum(u, v).astype(np.int64), np.maximum(u, v)  # type: ignore[call-overload]
    return sorted((low << 32 | high).tolist())


def component_sizes(drawn: Drawn) -> list[int]:
    return sorted(np.bincount(drawn.labels).tolist())


@pytest.mark.parametrize("name", NAMES)
def test_a_structure_has_the_edges_it_says(name: str) -> None:
    drawn = draw(f"{name}/natural/csr/5e3")
    assert 0.8 * SIZE <= drawn.num_edges <= 1.2 * SIZE
    assert min(drawn.u.min(), drawn.v.min()) >= 0
    assert max(drawn.u.max(), drawn.v.max()) < drawn.n
    assert drawn.u.dtype == drawn.v.dtype == np.int32
    count = int(drawn.labels.max()) + 1
    assert drawn.components in (None, count)
    offsets, neighbors = drawn.csr()
    assert len(offsets) == drawn.n + 1 and offsets[-1] == len(neighbors)
    assert len(neighbors) <= 2 * drawn.num_edges
    assert len(neighbors) >= 1.4 * drawn.num_edges
    row = np.repeat(np.arange(drawn.n), np.diff(offsets))
    assert set(keys(row, neighbors)) == set(keys(drawn.u, drawn.v)) - (
        set(keys(range(drawn.n), range(drawn.n))) if drawn.simple else set()
    )


def test_most_structures_say_how_many_components_they_have() -> None:
    known = [name for name in NAMES if draw(f"{name}/natural/csr/1e3").components is not None]
    assert len(known) > len(NAMES) / 2


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ["ring-2", "percolation-50", "hubs", "duplicates", "path+uniform-16"])
def test_an_order_renames_the_vertices_and_nothing_else(name: str, order: str) -> None:
    natural, other = draw(f"{name}/natural/csr/5e3"), draw(f"{name}/{order}/csr/5e3")
    assert natural.n == other.n
    names = np.full(natural.n, -1)
    names[natural.u], names[natural.v] = other.u, other.v
    assert (names[natural.u] == other.u).all() and (names[natural.v] == other.v).all()
    used = names[names >= 0]
    assert len(np.unique(used)) == len(used)
    assert component_sizes(natural) == component_sizes(other)


def test_breadth_first_ids_rise_along_the_search() -> None:
    drawn = draw("grid/breadth-first/csr/5e3")
    offsets, neighbors = drawn.csr()
    least = np.minimum.reduceat(neighbors, offsets[:-1])
    assert (least[1:] < np.arange(1, drawn.n)).all()
    assert (np.diff(least[1:]) >= 0).all()


def test_bits_reversed_part_neighbours() -> None:
    drawn = draw("path/bit-reversed/csr/4e3")
    assert np.median(np.abs(drawn.u - drawn.v)) > drawn.n / 4


@pytest.mark.parametrize("order", EDGE_ORDERS)
def test_forms_hold_the_same_edges(order: str) -> None:
    drawn = draw("small-world/permuted/pairs-random/5e3")
    u, v = drawn.pairs(order)
    rising = np.diff(u.astype(np.int64) << 32 | v)
    falling = np.diff(v.astype(np.int64) << 32 | u)
    assert (order in ("sorted", "both")) == bool((rising >= 0).all())
    if order == "both":
        assert (len(u), drawn.num_edges) == (2 * drawn.num_edges, len(drawn.u))
        u, v = u[u < v], v[u < v]
    assert keys(u, v) == keys(drawn.u, drawn.v)
    assert (order == "reversed") == bool((falling <= 0).all())


def test_batches_follow_each_other() -> None:
    drawn = draw("tree-recent/blocks/stream-random-1e3/5e3")
    batches = drawn.batches()
    assert [len(u) for u, _ in batches] == [1000] * 5
    assert np.array_equal(np.concatenate([u for u, _ in batches]), drawn.pairs()[0])
    assert len(draw("path/natural/stream-sorted/5e3").batches()) == 1


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", LISTS)
def test_lists_go_along_the_edges_of_paths(name: str, order: str) -> None:
    drawn = draw(f"{name}/{order}/list/5e3")
    after = drawn.successors()
    (linked,) = np.nonzero(after >= 0)
    assert keys(linked, after[linked]) == keys(drawn.u, drawn.v)
    assert np.bincount(after[linked], minlength=drawn.n).max() == 1
    assert drawn.n - len(linked) == drawn.components  # as many tails as lists, so none is a ring


def test_a_name_and_a_seed_make_the_same_edges() -> None:
    for name in ("uniform-4", "rmat", "attachment-4", "web", "hubs"):
        one, again, other = (draw(f"{name}/permuted/csr/2e3", seed=seed) for seed in (1, 1, 2))
        assert np.array_equal(one.u, again.u) and np.array_equal(one.v, again.v)
        assert not np.array_equal(one.u, other.u)


def test_power_laws_have_hubs() -> None:
    for name in ("rmat", "attachment-4", "tree-attachment", "web"):
        drawn = draw(f"{name}/natural/csr/1e5")
        degree = np.bincount(np.concatenate([drawn.u, drawn.v]))
        assert degree.max() > 10 * degree.mean(), name


def test_cells_are_selected_by_patterns() -> None:
    assert {one.structure for one in cells("ring-*/natural/csr/1e6")} == {f"ring-{k}" for k in (1, 2, 4, 8, 16, 32)}
    assert {one.size for one in cells("path/permuted/forest/{1e4,3e5}")} == {"1e4", "3e5"}
    every = list(cells())
    assert len(every) == (len(NAMES) * (len(FORMS) - 1) + len(LISTS)) * len(ORDERS) * 5
    assert {one.structure for one in every if one.form == "list"} == set(LISTS)
    assert sample(every, 20, 1) == sample(every, 20, 1) != sample(every, 20, 2)
    assert cell("path/natural/stream-random-1e3/1e6").batch == 1000
    assert all(cell(f"path/natural/stream-random-{size}/1e6").batch == float(size) for size in BATCHES)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("path/natural/csr", "a cell is structure/order/form/size"),
        ("pth/natural/csr/1e4", "no structure is called 'pth'"),
        ("path/nature/csr/1e4", "no order of ids is called 'nature'"),
        ("path/natural/pairs/1e4", "no form is called 'pairs'"),
        ("path/natural/csr/many", "a size is like 1e6"),
        ("grid/natural/list/1e4", "'grid' has no lists; path, paths"),
    ],
)
def test_a_wrong_name_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cell(name)
    with pytest.raises(ValueError, match="nothing matches"):
        list(cells("x*/natural/csr/1e4"))
