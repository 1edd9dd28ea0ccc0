"""Names in ascending order of their bytes, whatever their common prefixes."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge import _core


def texts(names: list[bytes]) -> tuple[Any, Any]:
    bounds = np.cumsum([0, *map(len, names)]).astype(np.int64)
    return bounds, np.frombuffer(b"".join(names), np.uint8)


def ordered(names: list[bytes], threads: int) -> list[bytes]:
    """All different names in the order of the table; asserts that the numbers are theirs."""
    table = _core.Names(threads)
    table.number_each(*texts(names))
    distinct = list(dict.fromkeys(names))
    order, offsets, data = table.in_order()
    result = [data[a:b].tobytes() for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
    assert [distinct[i] for i in order] == result
    return result


short = st.lists(st.binary(max_size=4) | st.sampled_from([b"\0" * i for i in range(40)]), max_size=80)


@given(st.lists(st.tuples(st.binary(max_size=3), st.integers(0, 40), st.binary(max_size=20)), max_size=120), short)
def test_names_ascend_by_bytes(parts: list[tuple[bytes, int, bytes]], more: list[bytes]) -> None:
    # Runs of one byte make long common prefixes; trailing zeros are what zero padding of a word hides.
    names = [head * 3 + b"a" * run + tail for head, run, tail in parts] + more
    for threads in (1, 3):
        assert ordered(names, threads) == sorted(set(names))


def shuffled(names: list[bytes]) -> list[bytes]:
    random.Random(7).shuffle(names)
    return names


def random_text(count: int) -> list[bytes]:
    rng = random.Random(1)
    return [rng.randbytes(rng.randrange(12)) for _ in range(count)]


SETS: dict[str, Callable[[int], list[bytes]]] = {
    "records": lambda n: [b"record-%07d" % i for i in range(n)],
    "numbers": lambda n: [b"%d" % (i * i) for i in range(n)],
    "uuids": lambda n: [str(uuid.UUID(int=random.Random(i).getrandbits(128))).encode() for i in range(n)],
    "urls": lambda n: [b"https://www.example.org/%d/index.html?article=%d" % (i % 7, i) for i in range(n)],
    "random": random_text,
    "zeros": lambda n: [b"\0" * i for i in range(min(n, 700))],
    "two long beginnings": lambda n: [(b"x" if i % 2 else b"y") * 300 + b"%d" % i for i in range(n)],
    "ladder": lambda n: [b"a" * i + b"b" for i in range(min(n, 700))],
    "ends": lambda n: [b"z" * 40 + bytes([i % 251, i // 251 % 251, i // 63001]) + b"\0" * (i % 3) for i in range(n)],
}


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("threads", [1, 3])
def test_many_names_ascend_by_bytes(kind: str, threads: int) -> None:
    names = shuffled(SETS[kind](70_000))
    assert ordered(names, threads) == sorted(set(names))


def test_trailing_zeros_differ_in_the_second_word_of_a_key() -> None:
    """All names have 8 to 15 bytes behind their common prefix."""
    names = [b"%c1234567" % c + b"\0" * k for c in range(65, 75) for k in range(8)]
    for threads in (1, 3):
        assert ordered(shuffled(names), threads) == sorted(names)


def test_sorting_names_with_long_common_prefixes_takes_linear_time() -> None:
    def seconds(names: list[bytes]) -> float:
        table = _core.Names(1)
        table.number_each(*texts(shuffled(names)))
        best = float("inf")
        for _ in range(3):
            began = time.perf_counter()
            table.in_order()
            best = min(best, time.perf_counter() - began)
        return best / sum(map(len, names))

    # 3 MB each. Byte by byte it would be a thousand passes.
    usual = seconds([random.Random(i).randbytes(16) for i in range(190_000)])
    for alike in (
        [b"x" * 10_000 + b"%d" % i for i in range(300)],
        [b"a" * i + b"b" for i in range(2_400)],
        [b"\0" * i for i in range(2_400)],
        [bytes([i % 5 + 65]) * 3_000 + b"%04d" % i for i in range(1_000)],
    ):
        assert any(seconds(alike) < 10 * usual for _ in range(3))
