"""Mutations of binary files, and files with false headers: edges or an error of the library, in bounded memory.

Mutations target the numbers of a format: fields are set to boundary values, arrays to descending and distant ones,
parts are cut, repeated and exchanged. The law is the same for reading at once, with sparse ids and in chunks.
"""

from __future__ import annotations

import io
import random
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.files import npy, npz, rows

from landbridge.edges.chunks import open_chunks
from landbridge.edges.files import FORMATS, detect_format, read
from landbridge.edges.forms import Adjacency, EdgeList
from landbridge.edges.options import Options
from landbridge.errors import InputError, MissingDependency

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FIELDS = (0, 1, 2, 7, 127, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
MOST = 1 << 25
"""Bytes that NumPy and Python may hold for a file of a few hundred bytes, its result included."""


def table(write: Callable[[Any, Any], None], *, text: bool = False) -> bytes:
    endpoints = [0, 1, 2, 5], [1, 2, 0, 3]
    columns = [[f"n{end}" for end in side] if text else pa.array(side, pa.int64()) for side in endpoints]
    out = io.BytesIO()
    write(pa.table({"src": columns[0], "dst": columns[1], "weight": [0.5] * 4}), out)
    return out.getvalue()


def ipc(frame: Any, out: Any) -> None:
    with pa.ipc.new_file(out, frame.schema) as file:
        file.write_table(frame)


PATH = {"indptr": np.array([0, 1, 3, 4]), "indices": np.array([1, 0, 2, 1]), "data": np.ones(4), "shape": [3, 3]}
SEEDS = {
    "npy": [npy([[0, 1], [1, 2], [5, 3]]), npy(np.array([[0, 1], [1, 2], [5, 3]], ">i4", order="F"), (2, 0))],
    "npz": [
        npz(u=[0, 1, 2], v=[1, 2, 0]),
        npz(zipfile.ZIP_STORED, **PATH, format=np.array(b"csr")),
        npz(row=[0, 1], col=[1, 2], data=[1.0, 1.0], shape=[3, 3]),
    ],
    "sg": [rows("sg", [0, 1, 3, 4], [1, 0, 2, 1])],
    "wsg": [rows("wsg", [0, 1, 3, 4], [1, 0, 2, 1])],
    "egr": [rows("egr", [0, 1, 3, 4], [1, 0, 2, 1])],
    "parquet": [
        table(pq.write_table),
        table(lambda t, out: pq.write_table(t, out, compression="zstd", row_group_size=2), text=True),
    ],
    "arrow": [table(ipc), table(ipc, text=True)],
}


def mutations(data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Endless; equally many of each kind."""
    while True:
        at = rng.randrange(len(data))
        width = rng.choice((1, 2, 4, 8))
        value = (rng.choice(FIELDS) % (1 << 8 * width)).to_bytes(width, rng.choice(("little", "big")))
        yield data[:at] + value + data[at + width :]
        aligned = at // 4 * 4 + len(data) % 4  # the numbers of vertices and arcs
        yield data[:aligned] + value + data[aligned + width :]
        yield data[:at] + bytes((data[at] ^ 1 << rng.randrange(8),)) + data[at + 1 :]
        yield data[:at]
        end = min(len(data), at + rng.randrange(1, 64))
        yield data[:at] + data[end:]
        yield data[:end] + data[at:]
        other = rng.randrange(len(data))
        yield data[:at] + data[other : other + end - at] + data[end:]
        digits = [i for i in range(len(data)) if 48 <= data[i] < 58] or [at]
        place = rng.choice(digits)  # of the texts in headers
        yield data[:place] + rng.choice((b"0", b"-1", b"9" * 18, b"9" * 30, b"7" * 5000)) + data[place + 1 :]


def law(path: Path) -> int:
    """The number of ways of reading a file that yield edges; the others raise an error of the library in one line."""
    gave = 0
    ways: list[Callable[[], object]] = [lambda: read(path, threads=1), lambda: read(path, ids="sparse", threads=1)]
    if FORMATS[detect_format(path)].chunks is not None:
        ways.append(lambda: [chunk.edges for read_ in open_chunks(path, Options()).readers for chunk in read_()])
    for way in ways:
        try:
            result = way()
        except (InputError, MissingDependency, OSError, MemoryError) as error:
            assert "\n" not in str(error)
            assert len(str(error)) < 1000 + len(str(path))
        else:
            assert isinstance(result, EdgeList | Adjacency | list)
            gave += 1
    return gave


def fuzz(kind: str, tmp_path: Path, cases: int) -> None:
    rng = random.Random(kind)
    path = tmp_path / f"file.{kind}"
    gave = 0
    for seed in SEEDS[kind]:
        path.write_bytes(seed)
        assert law(path) >= 2  # a seed must be readable
        inputs = mutations(seed, rng)
        for _ in range(cases // len(SEEDS[kind])):
            path.write_bytes(next(inputs))
            tracemalloc.reset_peak()
            gave += law(path)
            assert tracemalloc.get_traced_memory()[1] < MOST, path
    assert gave > 0


@pytest.fixture
def traced() -> Iterator[None]:
    """The memory of Python and NumPy is counted."""
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("kind", SEEDS)
def test_a_mutated_file_yields_edges_or_a_library_error(kind: str, tmp_path: Path) -> None:
    fuzz(kind, tmp_path, 430)


@pytest.mark.slow
@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("kind", SEEDS)
def test_many_mutated_files_yield_edges_or_a_library_error(kind: str, tmp_path: Path) -> None:
    fuzz(kind, tmp_path, 20_000)
