"""How many threads run where a caller does not say."""

from __future__ import annotations

import time
from typing import Literal

from landbridge import _core
from landbridge.errors import InputError
from landbridge.passes import is_whole

_MOST_THREADS = 65535
_WORK_OF_A_THREAD = 2**17
"""Vertices and edges, as `landbridge.engine.sizes.work_of` counts them, for each thread from which on another one saves
time. Of 24 graphs of 2 x 10^4 to 10^5 edges two threads took 1.1 to 1.2 times as long as one in the mean, and single
ones up to five times: threads pass lines of the cache to each other, and one has to be woken."""
_WORK_OF_TWO = 2**20
"""The same of an edge list, from which on a second thread alone saves time: both have to lock the cells that they link,
and one does not. Of 40 lists of 5 x 10^5 and 10^6 edges two threads took 1.1 times as long as one in the mean, of 2 x
10^6 edges 0.94 times, and of 4 x 10^6 0.76 times."""

WorkKind = Literal["pairs", "rows", "lists"]
"""What work is counted of: a COO edge list, a CSR, linked lists."""

_MANY: dict[WorkKind, tuple[int, int, int]] = {"rows": (4, 2**17, 2**12), "pairs": (5, 3 * 2**16, 2**14)}
"""From so many threads and so much work on each thread has enough to do with much less: together they save more than
they lose by waking. On 16 processors, 46 graphs of 10^5 edges as CSR, natural and permuted: 16 threads took 0.59 of
one thread's time, eight 0.60 and four 0.70. 30 graphs of 4 x 10^5 edges: 16 threads took 0.55 for edge lists in random
order and 0.84 in the order in which a structure was made; two to four threads took 0.6 to 1.0. On 16 of a Xeon lists of
2 x 10^5 edges of few vertices, as of clusters, purchases and pages, took 0.4 to 0.9 of one thread's time."""


class _Processors:
    """How many this process may run on, asked at most once a second: asking takes as long as a small answer."""

    def __init__(self) -> None:
        self._asked, self._number = -1.0, 0

    def number(self) -> int:
        now = time.monotonic()
        if not self._number or now - self._asked > 1.0:
            self._asked, self._number = now, int(_core.available_threads())
        return self._number


_processors = _Processors()


def default_threads(threads: int | None) -> int:
    """The number of threads to use: the given one, or all processors this process may run on."""
    if threads is None:
        return _processors.number()
    if not is_whole(threads) or threads < 1:
        raise InputError(f"threads must be a positive integer, not {threads!r}")
    if threads > _MOST_THREADS:
        raise InputError(f"{threads} threads: at most {_MOST_THREADS} run")
    return int(threads)


def fitting_threads(threads: int, work: int, kind: WorkKind) -> int:
    """How many of so many threads are worth waking for so much work, as `landbridge.engine.sizes.work_of` counts it."""
    if kind in _MANY:
        many, least, of_each = _MANY[kind]
        if threads >= many and work >= least:
            return min(threads, work // of_each)
    fits = max(1, min(threads, work // _WORK_OF_A_THREAD))
    return 1 if kind == "pairs" and fits == 2 and work < _WORK_OF_TWO else fits
