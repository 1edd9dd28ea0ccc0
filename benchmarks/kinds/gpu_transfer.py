"""Transfers of edges to a GPU and of labels from it.

The limit is one long copy from pinned memory, which takes the time of the interconnect. Copies of pageable arrays by
CuPy and by landbridge are compared with it. A rate counts the bytes of the arrays in host memory: ids that
are sent narrower than they are stored can pass the limit. Every copy is compared with its source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import landbridge
from benchmarks.check import WrongAnswer, check_labels
from benchmarks.gpu import Gpu
from benchmarks.gpu_runs import fetch, send
from benchmarks.kinds.base import Kind
from benchmarks.machine import cores
from benchmarks.records import Record
from benchmarks.sink import Sink
from benchmarks.tables import Table, ms_text
from benchmarks.turns import Entrant, interleave
from peers.timing import Timed, timed

CHUNK = 16 << 20
PHASE = "of these: "


@dataclass(frozen=True)
class Expected:
    """The CPU engine's answer for the pairs; `benchmarks.check.Reference`."""

    name: str
    count: int
    labels: Any


@dataclass(frozen=True)
class Copy:
    """One way: its bytes in host memory, the call, and what is wrong with its result."""

    what: str
    size: int
    call: Callable[[], Any]
    check: Callable[[Any], object]


def run(sink: Sink) -> None:
    gpu, threads = Gpu(), cores()
    sink.place = gpu.place()
    rng = np.random.default_rng(1)
    narrow = rng.integers(0, 2**22, sink.suite.millions * 10**6, dtype=np.int32)
    wide = narrow.astype(np.int64), narrow[::-1].astype(np.int64)
    for copy in copies(gpu, narrow, wide[0], threads):
        add(sink, gpu, copy, threads)
    for copy in answers(wide, threads):
        add(sink, gpu, copy, threads)
    phases = [landbridge.components(wide, device="gpu").profile.seconds for _ in range(sink.suite.repeat)]
    for phase in phases[0]:
        fields: dict[str, Any] = {"bytes": 2 * wide[0].nbytes, "threads": threads, "timing": "device"}
        sink.add(PHASE + phase, [seconds[phase] for seconds in phases], **fields)


def add(sink: Sink, gpu: Gpu, copy: Copy, threads: int) -> None:
    """Time one way, the device idle before and behind it, and record it."""

    def check(turn: Timed) -> None:
        copy.check(turn.result)

    turn = partial(timed, copy.call, sink.suite.repeat, before=gpu.wait, wait=gpu.wait)
    (tally,) = interleave([Entrant(copy.what, turn, check, threads=threads)], repeat=1)
    sink.add_tally(tally, bytes=copy.size)
    if tally.times:
        sink.say(f"{copy.what:32} {copy.size / tally.median / 1e9:7.1f} GB/s  {tally.median * 1e3:9.2f} ms")


def same(expected: Any) -> Callable[[Any], object]:
    """A check that an array on either side equals one in host memory."""

    def check(array: Any) -> None:
        if not np.array_equal(array if isinstance(array, np.ndarray) else array.get(), expected):
            raise WrongAnswer("the copy is not its source")

    return check


def copies(gpu: Gpu, narrow: Any, wide: Any, threads: int) -> Iterator[Copy]:
    """Copies of one array, the limits first."""
    cupy, cupyx = gpu.cupy, import_module("cupyx")
    m = len(narrow)
    pinned, on_device = cupyx.empty_pinned(m, dtype=np.int32), cupy.empty(m, dtype=np.int32)
    pinned[:] = narrow
    cuda_stream = cupy.cuda.get_current_stream()

    def to_device() -> Any:
        on_device.set(pinned)
        return on_device

    def sent(array: Any) -> Any:
        return send((array,), (np.int32,), threads)[0][0]

    is_narrow = same(narrow)
    yield Copy("limit, pinned to device", narrow.nbytes, to_device, is_narrow)
    to_host = partial(on_device.get, stream=cuda_stream, out=pinned)
    yield Copy("limit, device to pinned", narrow.nbytes, to_host, is_narrow)
    yield Copy("CuPy, int32 to device", narrow.nbytes, partial(cupy.asarray, narrow), is_narrow)
    yield Copy("CuPy, int32 from device", narrow.nbytes, on_device.get, is_narrow)
    yield Copy("int32 to device", narrow.nbytes, partial(sent, narrow), is_narrow)
    yield Copy("int64 to device as int32", wide.nbytes, partial(sent, wide), is_narrow)
    yield Copy("int32 from device", narrow.nbytes, partial(fetch, on_device, threads), is_narrow)


def answers(wide: tuple[Any, Any], threads: int) -> Iterator[Copy]:
    """The whole way, from two arrays to labels in host memory: checking, sending, computing, fetching."""
    expected = landbridge.components(wide, device="cpu")
    reference = Expected("two arrays", expected.count, expected.labels)

    def check(result: Any) -> None:
        check_labels("landbridge", reference, result.count, result.labels)

    def in_chunks(u: Any, v: Any) -> Any:
        chunks = ((u[i : i + CHUNK], v[i : i + CHUNK]) for i in range(0, len(u), CHUNK))
        return landbridge.components(chunks=chunks, num_vertices=len(expected.labels), device="gpu")

    size = wide[0].nbytes + wide[1].nbytes
    solve = partial(landbridge.components, device="gpu")
    yield Copy("two int64 arrays to labels", size, partial(solve, wide), check)
    yield Copy("a checked Graph to labels", size, partial(solve, landbridge.Graph(wide)), check)
    yield Copy("chunks of int64 pairs to labels", size, partial(in_chunks, *wide), check)
    narrow = tuple(array.astype(np.int32) for array in wide)
    yield Copy("chunks of int32 pairs to labels", size // 2, partial(in_chunks, *narrow), check)
    on_cpu = partial(landbridge.components, wide, device="cpu")
    yield Copy(f"the same on {threads} CPU threads", size, on_cpu, check)


def transfer_table(records: Sequence[Record]) -> str:
    """Rates between host memory and the device; of bytes as they lie in host memory."""
    table = Table(["what", "GB/s", "ms"])
    phases = [record for record in records if record["contestant"].startswith(PHASE)]
    for record in records:
        if record in phases:
            continue
        rate = f"{record['bytes'] / record['median'] / 1e9:.1f}"
        table.rows.append([record["contestant"], rate, ms_text(record["median"])])
        if record["contestant"] == "a checked Graph to labels":
            # Phases of a run have a time; only what moves all of the bytes has a rate.
            table.rows += [[phase["contestant"], "", ms_text(phase["median"])] for phase in phases]
    return f"{table.markdown()}\n\n{records[0]['threads']} threads."


def summary(records: list[Record]) -> str:
    return transfer_table(records) if records else ""


KIND = Kind(run, summary, frozenset({"device", "repeat", "millions"}))
