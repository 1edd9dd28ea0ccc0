"""What is looked up in a batch of a stream before it is inserted: the largest id, ids at fault, and how edges lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from landbridge.device import cuda
from landbridge.device.layout import Struct
from landbridge.device.pinned import PinnedWords
from landbridge.engine.gpu.edge_schedule import near_of
from landbridge.engine.gpu.execute import Executable
from landbridge.engine.gpu.stream_launches import BATCH, CHECK, COMPONENTS, StreamLaunches, edge_arrays
from landbridge.engine.gpu.stream_schedule import BatchFacts
from landbridge.errors import InputError

_NO_FACTS = BatchFacts(0)
_SAMPLE = 2**16
"""Edges of a sample."""
_BOUND, _FIRST_FAULT, _NEAR, _DESCENTS = (BATCH[word] for word in ("bound", "first_fault", "near_edges", "descents"))


class BatchChecks:
    """The checks of one stream on the current device. Not for use by two threads at once.

    control: for the cells of the stream, of the family `components`. It lies beside the report, so that one copy reads
    both. waiting: how many edges waited at the last check, because their walks were cut off.
    """

    def __init__(self, device: cuda.Device) -> None:
        self._device = device
        words = cuda.cupy().zeros(COMPONENTS["end"] + BATCH["end"], dtype=np.uint64)
        self._words, self.control, self._report = words, words[: COMPONENTS["end"]], words[COMPONENTS["end"] :]
        self._read_words = PinnedWords(len(words))
        self.waiting = 0
        self._last_check: Any = None
        self._last_limits = (0, 0)  # of no check

    def check(
        self, launches: StreamLaunches, a: Any, b: Any, kinds: Any, what: str, *, near: bool, edges: Struct | None
    ) -> BatchFacts:
        """One read-back. Raises InputError for the first negative id. near: whether near endpoints are counted. edges:
        `edge_arrays` of both, where the caller has it."""
        m = len(a)
        if m == 0:
            return _NO_FACTS
        limit = limit_of(a.dtype)
        distance = near_of(m) if near else -1
        check = self._last_check  # batches of a stream are often of one size
        if kinds is not None or (limit, distance) != self._last_limits:
            check = CHECK(is_query=kinds, limit=limit, every=1, near=distance, report=self._report)
            if kinds is None:
                self._last_check, self._last_limits = check, (limit, distance)
        self._look(launches, edges or edge_arrays(a, b), check)
        words = self._read()
        vertices, refused = words[_BOUND], words[_FIRST_FAULT]
        if refused == 0:
            return BatchFacts(vertices, words[_NEAR], words[_DESCENTS])
        signed = a.dtype.kind == "i"
        i = m - refused
        if signed:
            raise InputError(f"{what} {i}: vertex {min(int(a[i]), int(b[i]))} is negative")
        # 2^64 - 1, and one more than that fits no word.
        larger = cuda.cupy().maximum(a, b)
        inserts = larger[:0] if what == "query" else larger if kinds is None else larger[kinds == 0]
        reaches = bool((inserts == np.uint64(2**64 - 1)).any())
        return BatchFacts(2**64 if reaches else vertices)

    def sample(self, launches: StreamLaunches, edges: Struct, *, near: bool) -> Callable[[], BatchFacts | None]:
        """Queue a look at a sample. The function that is returned waits for it, once: the facts of all edges by those
        of the sample: vertices by the largest id in it, and what is counted of near endpoints, in proportion. None if
        an id in it is at fault."""
        m, every = edges.fields["edges"], max(1, edges.fields["edges"] // _SAMPLE)
        limit = limit_of(edges.fields["u"].dtype)
        check = CHECK(is_query=None, limit=limit, every=every, near=near_of(m) if near else -1, report=self._report)
        self._look(launches, edges, check)

        def facts() -> BatchFacts | None:
            words = self._read()
            if words[_FIRST_FAULT]:
                return None
            return BatchFacts(words[_BOUND], words[_NEAR] * every, words[_DESCENTS] * every, sampled=True)

        return facts

    def _look(self, launches: StreamLaunches, edges: Struct, check: Struct) -> None:
        """Queue a check."""
        self._report.data.memset_async(0, self._report.nbytes)
        launches.check(edges, check)
        Executable(launches.list, self._device)()

    def _read(self) -> list[int]:
        """The words of the report."""
        copied = self._read_words.read(self._words).tolist()
        self.waiting = copied[COMPONENTS["cut"]]
        words: list[int] = copied[COMPONENTS["end"] :]
        return words


def limit_of(dtype: Any) -> int:
    """What is no id, and all that is larger."""
    return 1 << (8 * dtype.itemsize - 1) if dtype.kind == "i" else 2**64 - 1
