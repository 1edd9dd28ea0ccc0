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

_MANY = 4
_WORK_OF_MANY: dict[WorkKind, int] = {"rows": 2**17, "pairs": 2**16}
"""From so many threads and so much work on each thread has enough to do with much less (`_LEAST_OF_MANY`): together
they save more than they lose by waking. On 16 processors, 46 graphs of 10^5 edges as CSR, natural and permuted: 16
threads took 0.59 of one thread's time, eight 0.60 and four 0.70."""
_PAIRS_OF_ALL = 2**20
"""The same of an edge list by the number of threads. On 16 processors of a Xeon, 114 edge lists of 57 graphs, in random
order and sorted: of 10^5 edges 16 threads took 0.93 of one thread's time, eight 1.05 and four 1.15; of 2 x 10^5 edges
0.70, 0.86 and 1.05; of 5 x 10^5 edges 0.46, 0.60 and 0.82. Three were not measured."""
_LEAST_OF_MANY = 2**12
"""Work of each of many threads."""


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
    if threads >= _MANY and kind in _WORK_OF_MANY:
        by_threads = _PAIRS_OF_ALL // threads if kind == "pairs" else 0
        if work >= max(_WORK_OF_MANY[kind], by_threads):
            return min(threads, work // _LEAST_OF_MANY)
    fits = max(1, min(threads, work // _WORK_OF_A_THREAD))
    return 1 if kind == "pairs" and fits == 2 and work < _WORK_OF_TWO else fits
