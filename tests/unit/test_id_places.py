"""Ids of both endpoints of edges as places in their order, compared with NumPy's sort."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from landbridge import _core

BOUNDS = {"any": (0, 2**64 - 1), "few": (0, 5), "dense": (2**63, 2**63 + 100_000), "one": (7, 7)}


def check(a: Any, b: Any, threads: int) -> None:
    ids, in_a, in_b = _core.places(a, b, threads)
    expected, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    assert np.array_equal(ids, expected)
    assert np.array_equal(np.concatenate([in_a, in_b]), places)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("count", [0, 1, 2, 1000, 40_000, 150_000])
def test_places_are_those_of_a_sort(bounds: str, count: int) -> None:
    a, b = np.random.default_rng(count).integers(*BOUNDS[bounds], (2, count), dtype=np.uint64, endpoint=True)
    for threads in (1, 3):
        check(a, b, threads)


def test_one_id_far_away_makes_one_large_bucket() -> None:
    a, b = np.random.default_rng(1).integers(0, 10**9, (2, 100_000), dtype=np.uint64)
    a[17] = 2**64 - 1
    check(a, b, 2)


def test_columns_of_two_lengths_are_refused() -> None:
    with pytest.raises(_core.CoreInputError, match="there are 2 and 1 ids"):
        _core.places(np.zeros(2, np.uint64), np.zeros(1, np.uint64))


CHANGED = """
import threading, time
import numpy as np
from landbridge import _core

a, b = np.random.default_rng(1).integers(0, 2**40, (2, 300_000), dtype=np.uint64)
done = threading.Event()

def change():
    at = 0
    while not done.is_set():
        at = (at + 12_345) % len(a)
        kept, a[at] = a[at], 2**62
        time.sleep(0)
        a[at] = kept

threading.Thread(target=change, daemon=True).start()
end = time.monotonic() + 2
while time.monotonic() < end:
    ids, in_a, in_b = _core.places(a, b, 2)
    assert in_a.min() >= 0 and in_b.min() >= 0 and max(in_a.max(), in_b.max()) < len(ids)
done.set()
"""


def test_ids_that_change_meanwhile_crash_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", CHANGED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_more_rows_than_places_have_bits_for_are_refused() -> None:
    """Each of 2^30 rows may have two ids of its own, and a place is a number of 32 bits with a sign."""
    untouched = np.zeros(2**30, np.uint64)  # address space alone
    with pytest.raises(_core.CoreInputError, match=r"there are 2\^30 edges or more"):
        _core.places(untouched, untouched)
