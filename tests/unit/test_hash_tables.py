"""Hash tables take ids crafted to collide as quickly as random ones, and no result depends on their seeds."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import landbridge
from landbridge import _core
from landbridge.edges.forms import EdgeList
from landbridge.edges.names import NameArray
from landbridge.edges.numbering import Numbering

U64 = NDArray[np.uint64]
COUNT = 1 << 15
BASE = 0x0123456789ABCDEF


@pytest.fixture(autouse=True)
def seed() -> Iterator[None]:
    """A seed for each test, and a new one afterwards."""
    _core.set_hash_seed(12345)
    yield
    _core.set_hash_seed(random.SystemRandom().getrandbits(64))


def unshift(x: U64, by: int) -> U64:
    """The inverse of x ^= x >> by."""
    state = x
    for _ in range(64 // by):
        state = x ^ (state >> np.uint64(by))
    return state


def divide(x: U64, factor: int) -> U64:
    return x * np.uint64(pow(factor, -1, 2**64))


def unscrambled(x: U64) -> U64:
    """The inverse of the finaliser of SplitMix64."""
    x = divide(unshift(x, 31), 0x94D049BB133111EB)
    return unshift(divide(unshift(x, 27), 0xBF58476D1CE4E5B9), 30)


def unspread(x: U64) -> U64:
    """The inverse of another pair of multiplications with public factors."""
    return unshift(divide(unshift(divide(x, 0xBF58476D1CE4E5B9), 29), 0x9E3779B97F4A7C15), 32)


def in_a_row(count: int) -> U64:
    return np.arange(count, dtype=np.uint64) + np.uint64(BASE)


IDS: dict[str, Callable[[int], U64]] = {
    "SplitMix64 in a row": lambda n: unscrambled(in_a_row(n)),
    "two factors in a row": lambda n: unspread(in_a_row(n)),
    "in a row": in_a_row,
    "high bits": lambda n: in_a_row(n) << np.uint64(40),
    "steps of 2^32 + 1": lambda n: in_a_row(n) * np.uint64(2**32 + 1),
    "high and low bits": lambda n: in_a_row(n) << np.uint64(54) | in_a_row(n) & np.uint64(1023) | np.uint64(1 << 53),
}


def numbered(ids: U64) -> None:
    Numbering(1).take(EdgeList(ids, ids[::-1].copy()))


def renumbered(ids: U64) -> None:
    _core.renumber(ids, ids[::-1].copy(), 1)


def seconds(call: Callable[[Any], None], argument: Any) -> float:
    best = float("inf")
    for _ in range(3):
        began = time.thread_time()
        call(argument)
        best = min(best, time.thread_time() - began)
    return best


@pytest.mark.parametrize("call", [numbered, renumbered])
@pytest.mark.parametrize("kind", IDS)
def test_ids_crafted_to_collide_take_no_longer(call: Callable[[U64], None], kind: str) -> None:
    ids = IDS[kind](COUNT)
    rng = np.random.default_rng(1)
    usual = seconds(call, rng.integers(0, 2**64 - 1, COUNT, dtype=np.uint64))
    assert seconds(call, rng.permutation(ids)) < 3 * usual + 1e-3
    assert seconds(call, ids) < 3 * usual + 1e-3


def blocks(count: int, word: bytes) -> NameArray:
    """Names of 201 bytes, valid UTF-8, with one word in bytes 8..15 and a count in the eight in front."""
    table = np.full((count, 201), ord("x"), np.uint8)
    table[:, :8] = np.frombuffer(b"".join(b"%08d" % i for i in range(count)), np.uint8).reshape(-1, 8)
    table[:, 8:16] = np.frombuffer(word, np.uint8)
    return NameArray(np.arange(count + 1, dtype=np.int64) * 201, table.ravel())


def test_names_crafted_to_cancel_the_hash_take_no_longer() -> None:
    def numbered(names: NameArray) -> None:
        Numbering(1).number(names)

    # The word that made one factor of a product zero for every name of this length.
    usual, crafted = blocks(20_000, b"anything"), blocks(20_000, bytes.fromhex("7d6c7bf1a4928e39"))
    reverse = blocks(20_000, bytes.fromhex("7d6c7bf1a4928e39")[::-1])
    least = seconds(numbered, usual)
    assert seconds(numbered, crafted) < 3 * least + 1e-3
    assert seconds(numbered, reverse) < 3 * least + 1e-3


@pytest.mark.parametrize("ids", [None, "sparse"])
def test_results_do_not_depend_on_the_seed(ids: str | None) -> None:
    rng = np.random.default_rng(8)
    u, v = rng.integers(-(2**62), 2**62, 3_000)[rng.integers(0, 3_000, (2, 2_500))]
    pair: Any = (u, v) if ids else (u.astype(str), v.astype(str))
    answers = []
    for secret in (0, 1, 2**64 - 1, 0x9E3779B97F4A7C15):
        _core.set_hash_seed(secret)
        whole = landbridge.components(pair, ids=ids)
        parts = [landbridge.components(tuple(x[i::2] for x in pair), ids=ids) for i in range(2)]
        chunks = landbridge.components(chunks=[tuple(x[i::2] for x in pair) for i in range(2)], ids=ids)
        for result in (whole, landbridge.merge(*parts), chunks):
            assert result.ids is not None
            answers.append((result.count, result.labels.tolist(), result.ids.tolist()))
    assert all(answer == answers[0] for answer in answers)


def hash_words(seed: int) -> list[int]:
    """The words of the hash of names that the core derives from a seed."""

    def mix(counter: int) -> int:
        z = (seed + (counter + 1) * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    return [mix(0), mix(1) | 1, mix(2) | 1]


def test_names_with_one_hash_are_different_names() -> None:
    # With a known seed they can be computed: the two words of a name of 16 bytes are factors of one product, so they
    # may change places.
    add, _, other = hash_words(12345)
    swap = add ^ 16 ^ other
    rng = random.Random(1)
    names = []
    for _ in range(100):
        a, b = rng.getrandbits(64), rng.getrandbits(64)
        names += [(a, b), (b ^ swap, a ^ swap)]
    data = np.array(names, dtype="<u8").reshape(-1).view(np.uint8)
    array = NameArray(np.arange(len(names) + 1, dtype=np.int64) * 16, data)
    table = Numbering(1)
    assert np.array_equal(table.number(array), np.arange(len(names)))
    assert np.array_equal(table.find(array), np.arange(len(names)))
    only = Numbering(1)
    only.number(NameArray(np.arange(2, dtype=np.int64) * 16, data[:16]))
    assert only.find(array).tolist() == [0] + [-1] * (len(names) - 1)
