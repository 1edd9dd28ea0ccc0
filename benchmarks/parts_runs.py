"""What benchmarks take from the inside of the engine over several processors. No other program here imports it."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import numpy as np

from landbridge.device import cuda, transfer
from landbridge.engine.parts.device_trees import MergingTrees
from landbridge.engine.parts.processors import processors_of
from landbridge.engine.parts.routes import transport_between
from landbridge.plan import parse

_PLAN = parse("rem_cas(naive,halve_one)")


def gpus() -> int:
    """How many GPUs there are."""
    return cuda.count()


def wait() -> None:
    """Until every GPU is idle."""
    for ordinal in range(gpus()):
        cuda.cupy().cuda.Device(ordinal).synchronize()


def on_gpu(ordinal: int) -> Any:
    """A context in which a GPU is CuPy's current one; any context where there is none."""
    return cuda.device(ordinal).selected() if gpus() else contextlib.nullcontext()


def release() -> None:
    """Give what CuPy keeps of the memory of all GPUs back."""
    for ordinal in range(gpus()):
        with on_gpu(ordinal):
            cuda.cupy().get_default_memory_pool().free_all_blocks()


def fetch(array: Any, threads: int) -> Any:
    """An array in host memory."""
    return array if isinstance(array, np.ndarray) else transfer.fetch(array, threads)


def places(words: list[Any], threads: int) -> list[str]:
    """The names of the hardware behind processors."""
    return [processor.identity() for processor in processors_of(words, threads)]


class Merge:
    """Two processors with trees of n vertices, each of half of the edges; `run` merges them.

    send: "parents", "bitmap" or "" for what the engine selects; of GPUs alone.
    """

    def __init__(self, words: list[Any], n: int, edges: tuple[Any, Any], send: str, threads: int) -> None:
        receiver, sender = processors_of(words, threads)
        self.link = transport_between(receiver, sender)
        self._parts = [p.trees(p.plan(_PLAN), n, False, bulk=True) for p in (receiver, sender)]
        self._threads, half = threads, len(edges[0]) // 2
        for trees, processor, part in zip(
            self._parts, (receiver, sender), (slice(None, half), slice(half, None)), strict=True
        ):
            if isinstance(trees, MergingTrees):
                trees.send = send
            trees.insert(*(processor.adopt(x[part]) for x in edges))
            trees.close()
            int(trees.count)

    def run(self) -> tuple[float, int]:
        """Seconds, and the bytes that crossed the link. Once: the receiver has everything afterwards."""
        wait()
        began = time.perf_counter()
        moved = self.link.merge(*self._parts, False)
        wait()
        return time.perf_counter() - began, moved

    def labels(self) -> tuple[int, Any]:
        """Count and labels, where the receiver has them."""
        count, labels = self._parts[0].labels(self._threads)
        return int(count), labels
