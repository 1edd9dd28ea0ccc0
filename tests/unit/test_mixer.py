"""The mixer of the headers, over arrays of keys."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from landbridge import _core
from landbridge.cluster.keys import hash_keys, owner

WORDS = st.integers(0, 2**64 - 1)


@given(st.lists(WORDS, max_size=50), WORDS)
def test_each_key_is_mixed_as_one_is(keys: list[int], counter: int) -> None:
    bits = _core.mix_each(np.array(keys, np.uint64), counter)
    assert bits.tolist() == [_core.mix(key, counter) for key in keys]


def test_keys_are_spread_over_owners_alike_in_both_widths() -> None:
    """Consecutive keys: no owner of 8 has 5 % more or less than its part, and different seeds give different bits."""
    keys = np.arange(100_000, dtype=np.uint64)
    wide = np.stack([keys, np.zeros_like(keys)], axis=1)
    for some in (keys, wide, wide[:, ::-1]):
        assert np.abs(np.bincount(owner(some, 8), minlength=8) / 12_500 - 1).max() < 0.05
    assert (hash_keys(keys, 0) != hash_keys(keys, 1)).all()
    assert (hash_keys(wide, 3) == hash_keys(keys, 3)).all()
