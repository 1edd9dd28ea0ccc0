"""Calls with many operations, cut into batches.

A batch runs to its end: edges that have been united cannot be taken back. So a call with more operations than `MOST` is
a sequence of batches of that many; the trees of a CPU cut inserts without a journal themselves. Between two batches a
signal handler of Python runs, and a limit of time counts. What such a call leaves is the first batches, whole, in the
trees and in the journal alike.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from landbridge import _core
from landbridge.engine.base import Trees
from landbridge.streams.form import Record

MOST = 1 << 20
"""Operations of a batch: about 0.1 s of one thread. A multiple of 8, so that answers are cut between bytes."""


def cuts(count: int) -> Iterator[slice]:
    """The batches of a call with so many operations, in order. A limit of time ends it before each of them."""
    for begin in range(0, count, MOST):
        _core.check_time()
        yield slice(begin, min(begin + MOST, count))


def insert_summary(trees: Trees, record: Record) -> None:
    """Insert a record into trees of this call alone."""
    u, v, at = record.u, record.v, record.at
    if trees.reads_device or len(u) <= MOST:
        trees.insert_at(u, v, at, record.advance, record.vertices)
        return
    if at is None:  # each batch says where its edges are, because the position moves at the end
        at = np.arange(len(u))
    trees.prepare(u, v, None, record.vertices)
    for cut in cuts(len(u)):
        trees.insert_at(u[cut], v[cut], at[cut], 0, 0)
    trees.insert_at(u[:0], v[:0], at[:0], record.advance, record.vertices)
