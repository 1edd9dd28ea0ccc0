"""Forks processes that save a stream, or write a journal, and kills each at a random moment; then looks at the file.

    python victim.py save|journal PATH KILLS [names|sparse]

Prints how often the process died with work half done, and fails at the first file that is not as promised.
"""

from __future__ import annotations

import os
import random
import select
import signal
import struct
import sys
import time
from pathlib import Path

import numpy as np

from landbridge import Incremental

N = 5_000
ACKNOWLEDGED = struct.Struct("<q")


def edges(position: int, ids: str | None) -> tuple[np.ndarray, np.ndarray]:
    """The batch that comes at a position; one in eight is large. Ids are new for a long time."""
    rng = np.random.default_rng(position)
    if ids is None:
        u, v = rng.integers(0, N, (2, 20_000 if position % 8 == 0 else 40))
    else:
        u, v = rng.integers(0, 20_000, (2, 400 if position % 8 == 0 else 20)) * 10**6
    return (u.astype("U"), v.astype("U")) if ids == "names" else (u, v)


def run(pipe: int, mode: str, path: Path, ids: str | None, *, sync: bool) -> None:
    """What a victim does, again and again: insert a batch, and report it after the call.

    Without sync more of its time goes into writing.
    """
    if mode == "journal":
        stream = Incremental(journal=path, ids=ids, sync=sync, threads=1)
    else:
        stream = Incremental.load(path, threads=1) if path.exists() else Incremental(ids=ids, threads=1)
    while True:
        stream.insert(*edges(stream.position, ids))
        if mode == "save":
            stream.save(path)
        os.write(pipe, ACKNOWLEDGED.pack(stream.position))


def acknowledged(pipe: int) -> list[int]:
    data = bytearray()
    while block := os.read(pipe, 1 << 16):
        data += block
    return [position for (position,) in ACKNOWLEDGED.iter_unpack(data[: len(data) // 8 * 8])]


def main(mode: str, path: Path, kills: int, ids: str | None) -> None:
    chance = random.Random(1)
    expected = Incremental(ids=ids, threads=1)
    half_done = told_of = 0
    for kill in range(kills):
        reading, writing = os.pipe()
        victim = os.fork()
        if victim == 0:
            os.close(reading)
            run(writing, mode, path, ids, sync=kill % 2 == 0)
        os.close(writing)
        if kill % 4:  # else it may die before its first batch; on a busy machine that would be all
            select.select([reading], [], [], 10)
        time.sleep(chance.random() * 0.025)
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
        positions = acknowledged(reading)
        os.close(reading)
        told_of += len(positions)
        if mode == "journal":
            stream = Incremental(journal=path, ids=ids, sync=False, threads=1)
            half_done += stream.dropped > 0
        else:
            half_done += any(path.parent.glob("*.partial"))
            stream = Incremental.load(path, threads=1) if path.exists() else Incremental(ids=ids, threads=1)
        assert stream.position >= max(positions, default=expected.position), (
            f"kill {kill}: an acknowledged batch is lost"
        )
        while expected.position < stream.position:
            expected.insert(*edges(expected.position, ids))
        assert stream.position == expected.position, f"kill {kill}: a batch is there in part"
        assert stream.count == expected.count, f"kill {kill}: {stream.count} components, not {expected.count}"
        mine, yours = stream.components(), expected.components()
        assert np.array_equal(mine.labels, yours.labels), f"kill {kill}: other components"
        assert ids is None or list(mine.ids) == list(yours.ids), f"kill {kill}: other ids"
        if mode == "journal":
            if kill % 25 == 24 or (ids is not None and kill % 9 == 8):
                stream.compact()
            stream.close()
    print(half_done, told_of)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else None)
