"""Ids batch by batch: their numbers, the ids of numbers, and a batch that fails."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge import InputError, _core
from landbridge.edges.forms import EdgeList
from landbridge.edges.names import NameArray, encoded
from landbridge.edges.numbering import Numbering

EMPTY_SLOT = 0x9E3779B97F4A7C15 - 2**64  # with the bits that mark a free slot
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 20) | st.just(EMPTY_SLOT)
WORDS = st.text(max_size=20) | st.sampled_from(
    ["", "a", "ab", "ab\0", "abcdefgh", "abcdefghi", "ü", "\U0010ffff", "\uffff"]
)


def names_of(words: list[str]) -> NameArray:
    return NameArray(*encoded(words, "a word"))


def as_ids(kind: str, ids: list[Any]) -> Any:
    return names_of(ids) if kind == "names" else np.array(ids, dtype=np.int64)


def plain(ids: Any) -> list[Any]:
    id_list: list[Any] = ids.tolist()
    return id_list


def order_of(kind: str) -> Any:
    return (lambda x: x.encode()) if kind == "names" else None


def check(table: Numbering, known: list[Any], kind: str) -> None:
    """Assert that the table holds exactly `known`, in the order of their numbers."""
    assert len(table) == len(known)
    assert plain(table.fresh(0)) == known
    assert plain(table.fresh(len(known) // 2)) == known[len(known) // 2 :]
    assert table.find(as_ids(kind, known)).tolist() == list(range(len(known)))
    order, ids = table.in_order()
    assert plain(ids) == sorted(known, key=order_of(kind))
    assert [known[i] for i in order] == plain(ids)


@pytest.mark.parametrize("kind", ["sparse", "names"])
@given(data=st.data(), threads=st.sampled_from([1, 3]), fixed=st.booleans())
def test_a_numbering_lists_ids_by_first_appearance(kind: str, data: st.DataObject, threads: int, fixed: bool) -> None:
    table = Numbering(threads, kind if fixed else None)
    known: list[Any] = []
    element = WORDS if kind == "names" else NUMBERS
    for _ in range(data.draw(st.integers(1, 5))):
        batch = data.draw(st.lists(element, max_size=12))
        step = data.draw(st.sampled_from(["number", "take", "add", "forget", "find"]))
        new = list(dict.fromkeys(x for x in batch if x not in known))
        if step == "number":
            numbers = table.number(as_ids(kind, batch))
            known += new
            assert numbers.tolist() == [known.index(x) for x in batch]
        elif step == "take" and kind == "sparse":
            pairs = np.array(batch[: len(batch) // 2 * 2], np.int64).reshape(-1, 2)
            edges = table.take(EdgeList(pairs[:, 0], pairs[:, 1]))
            known += dict.fromkeys(x for x in pairs.ravel().tolist() if x not in known)
            assert np.column_stack([edges.u, edges.v]).ravel().tolist() == [known.index(x) for x in pairs.ravel()]
        elif step == "add":
            if new == batch:
                table.add(as_ids(kind, batch))
                known += batch
            else:
                with pytest.raises(InputError, match="is there already, as number"):
                    table.add(as_ids(kind, batch))
        elif step == "forget":
            keep = data.draw(st.integers(0, len(known)))
            table.forget(keep)
            del known[keep:]
        else:
            expected = [known.index(x) if x in known else -1 for x in batch]
            assert table.find(as_ids(kind, batch)).tolist() == expected
            assert [table.find(x) for x in batch] == expected
    check(table, known, kind)


@pytest.mark.parametrize("kind", ["sparse", "names"])
def test_numbers_do_not_depend_on_threads_or_seeds(kind: str) -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 60_000, (150_000, 2)) * 1_000_003
    answers = []
    for threads, seed in [(1, 0), (2, 1), (5, 2), (3, 2**64 - 1)]:
        _core.set_hash_seed(seed)
        table = Numbering(threads, kind)
        if kind == "sparse":
            edges = [table.take(EdgeList(part[:, 0], part[:, 1])) for part in np.array_split(values, 3)]
            numbers = np.concatenate([np.column_stack([e.u, e.v]) for e in edges]).ravel()
        else:
            numbers = table.number(names_of([str(x) for x in values.ravel().tolist()]))
        known = {x: i for i, x in enumerate(dict.fromkeys(values.ravel().tolist()))}
        assert numbers.tolist() == [known[x] for x in values.ravel().tolist()]
        table.forget(30_000)
        keep = list(known)[:30_000]
        check(table, [str(x) for x in keep] if kind == "names" else keep, kind)
        order, ids = table.in_order()
        answers.append((order.tolist(), plain(ids)))
    _core.set_hash_seed(random.SystemRandom().getrandbits(64))
    assert all(answer == answers[0] for answer in answers)


def test_types_and_signs_of_integers() -> None:
    table = Numbering(2)
    assert (table.kind, len(table), table.find(3), table.find("x"), len(table.fresh(0))) == (None, 0, -1, -1, 0)
    table.take(EdgeList(np.array([5], np.int32), np.array([-1], np.int32)))
    assert table.in_order()[1].dtype == np.int32
    assert table.find(np.array([2**64 - 1, 5], np.uint64)).tolist() == [-1, 0]
    assert table.find(np.array([-1, 5], np.int8)).tolist() == [1, 0]
    assert (table.find(2**64 - 1), table.find(-1), table.find(10**30), table.find(np.int64(5))) == (-1, 1, -1, 0)
    with pytest.raises(InputError, match=r"some ids are negative and some from 2\^63 on"):
        table.number(np.array([7, 2**63], np.uint64))
    assert plain(table.fresh(0)) == [5, -1]  # the failed batch changed nothing
    assert table.in_order()[1].dtype == np.int32
    table.number(np.array([2**40]))
    assert table.in_order()[1].dtype == np.int64
    large = Numbering(1, "sparse")
    large.add(np.array([2**64 - 1, 3], np.uint64))
    assert (large.find(-1), large.find(2**64 - 1)) == (-1, 0)
    assert large.find(np.array([-1, 3])).tolist() == [-1, 1]
    assert plain(large.fresh(0)) == [2**64 - 1, 3]


def test_kinds_do_not_mix() -> None:
    numbers, names = Numbering(1, "sparse"), Numbering(1, "names")
    assert (numbers.kind, names.kind) == ("sparse", "names")
    for table, wrong in [(numbers, names_of(["a"])), (names, np.array([1]))]:
        with pytest.raises(InputError, match="those of the chunks before"):
            table.number(wrong)
        with pytest.raises(InputError, match="the ids here are"):
            table.find(wrong)
        assert len(table) == 0
    with pytest.raises(InputError, match="the ids here are numbers, not names"):
        numbers.find("a")
    with pytest.raises(InputError, match="the ids here are names, not numbers"):
        names.find(1)
    for table in (numbers, names):
        with pytest.raises(InputError, match="there are 0 ids, not 3"):
            table.fresh(3)


@pytest.mark.parametrize("kind", ["sparse", "names"])
def test_a_batch_that_runs_out_of_memory_changes_nothing(kind: str) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.permutation(2**40 + np.arange(80_000)).reshape(2, -1)
    table = Numbering(2, kind)
    ids = [names_of([str(x) for x in part]) if kind == "names" else part for part in (first, second)]
    table.number(ids[0])
    before = plain(table.fresh(0))
    failures = 0
    for k in range(1, 40):
        _core.fail_allocation(k)
        try:
            table.number(ids[1])
        except MemoryError:
            failures += 1
            check(table, before, kind)
            continue
        finally:
            _core.fail_allocation(0)
        break
    else:
        raise AssertionError("memory lacked to the end")
    assert failures > 3
    check(table, [*before, *plain(ids[1])], kind)


def test_names_are_found_after_others_are_dropped() -> None:
    """A name may occupy the home slot of one with a lower number: growing a table rehashes those first that wrapped
    around its end."""
    names, half = np.array([str(i) for i in range(520)], dtype=object), 260
    try:
        for seed in range(600):
            _core.set_hash_seed(seed)
            table = Numbering(1, "names")
            table.number(names)
            table.forget(half)
            assert table.find(names).tolist() == [*range(half), *[-1] * half]
    finally:
        _core.set_hash_seed(random.SystemRandom().getrandbits(64))
