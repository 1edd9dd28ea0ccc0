"""Small files that unpack to much, one of each format, and the memory that reading one takes: see test_bombs.py.

Run as a program, python bombs.py FOLDER MAX_BYTES CASE..., it prints what each case did and the peak of its memory
in bytes above what the process had before, as JSON. Each case is a forked child, which begins with the same memory and
may take `SECONDS` of processor time.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import resource
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

BLOCK = 1 << 20
SECONDS = 240
LINES = b"0 1\n" * (BLOCK // 4)
NAMES = b"a,b\n" * (BLOCK // 4)


def _zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)  # type: ignore[no-any-return]


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": _zstd
}  # fmt: skip


def many(pack: Callable[[bytes], bytes], blocks: int, head: bytes = b"", block: bytes = LINES) -> bytes:
    """A member for each block."""
    return (pack(head) if head else b"") + pack(block) * blocks


def one(suffix: str, blocks: int, block: bytes, head: bytes = b"") -> bytes:
    """One member or frame with all blocks."""
    if suffix == "zst":
        import zstandard

        out = io.BytesIO()
        with zstandard.ZstdCompressor(level=1).stream_writer(out, closefd=False) as file:
            for data in (head, *[block] * blocks):
                file.write(data)
        return out.getvalue()
    packer: Any = zlib.compressobj(1, wbits=31) if suffix == "gz" else bz2.BZ2Compressor()
    return b"".join([*(packer.compress(data) for data in (head, *[block] * blocks)), packer.flush()])


def _npy_head(edges: int) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": "<i8", "fortran_order": False, "shape": (edges, 2)})
    return out.getvalue()


def _npz(blocks: int) -> bytes:
    out = io.BytesIO()
    array = io.BytesIO()
    np.save(array, np.zeros(blocks * BLOCK // 16, np.int64))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name in ("u.npy", "v.npy"):
            file.writestr(name, array.getvalue())
    return out.getvalue()


def _tables(blocks: int, kind: str) -> Any:
    import pyarrow as pa

    if kind == "numbers":
        zeros = np.zeros(blocks * BLOCK // 16, np.int64)
        return pa.table({"u": zeros, "v": zeros})
    rows = blocks * BLOCK // 8192
    column = pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["x" * 4096])
    return pa.table({"u": column, "v": column})


def _parquet(blocks: int, kind: str) -> bytes:
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(_tables(blocks, kind), out, compression="zstd", store_schema=False)
    return out.getvalue()


def _arrow(blocks: int, kind: str) -> bytes:
    import pyarrow as pa

    if kind == "runs":
        stops, zero = pa.array([blocks * BLOCK // 16], pa.int32()), pa.array([0], pa.int64())
        column = pa.RunEndEncodedArray.from_arrays(stops, zero)
        table = pa.table({"u": column, "v": column})
    else:
        table = _tables(blocks, kind)
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
        file.write_table(table, max_chunksize=1 << 20)
    return out.getvalue()


def _journal(_blocks: int) -> bytes:
    from landbridge.streams.form import Head, Record, head_bytes, record_parts

    far = np.array([2**31 - 2], np.uint32)
    parts = record_parts(Record(0, 1, 0, far, far, None))
    return b"".join([head_bytes(Head("rem_cas(naive,halve_one)", False)), *map(bytes, parts)])


FILES: dict[str, Callable[[int], bytes]] = {
    **{f"many.txt.{suffix}": lambda n, pack=pack: many(pack, n) for suffix, pack in PACKERS.items()},  # type: ignore[misc]
    **{f"one.txt.{suffix}": lambda n, suffix=suffix: one(suffix, n, LINES) for suffix in ("gz", "zst")},  # type: ignore[misc]
    "names.csv.gz": lambda n: many(gzip.compress, n, b"src,dst\n", NAMES),
    "endless.txt.gz": lambda n: many(gzip.compress, n, b"0 1 ", b"x" * BLOCK),
    "blank.txt.gz": lambda n: many(gzip.compress, n, block=b"\n" * BLOCK),
    "a.mtx.gz": lambda n: many(
        gzip.compress, n, b"%%MatrixMarket matrix coordinate pattern general\n", b"%" + b" " * (BLOCK - 2) + b"\n"
    ),
    "a.graph.gz": lambda n: many(gzip.compress, n, b"%d 0\n" % (n * BLOCK), b"\n" * BLOCK),
    "a.gr.gz": lambda n: many(gzip.compress, n, b"p sp 2 1\n", b"c" + b" " * (BLOCK - 2) + b"\n"),
    "a.npy.gz": lambda n: many(gzip.compress, n, _npy_head(n * BLOCK // 16), bytes(BLOCK)),
    "a.egr.gz": lambda n: many(gzip.compress, n, struct.pack("<iii", 0, n * BLOCK // 4, 0), bytes(BLOCK)),
    "a.sg.gz": lambda n: many(gzip.compress, n, struct.pack("<Bqqq", 0, n * BLOCK // 4, 0, 0), bytes(BLOCK)),
    "a.npz": _npz,
    "a.jsonl.gz": lambda n: many(gzip.compress, n, block=b'{"u":0,"v":1}\n\n' * (BLOCK // 15)),
    "numbers.parquet": lambda n: _parquet(n, "numbers"),
    "names.parquet": lambda n: _parquet(n, "names"),
    "numbers.arrow": lambda n: _arrow(n, "numbers"),
    "names.arrow": lambda n: _arrow(n, "names"),
    "runs.arrow": lambda n: _arrow(n, "runs"),
    "declared.mtx": lambda _: b"%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 1\n1 2\n",
    "far.npy": lambda _: _npy_head(1) + struct.pack("<qq", 0, 2_000_000_000),
    "a.journal": _journal,
}
MODES: dict[str, dict[str, str]] = {"whole": {}, "sparse": {"ids": "sparse"}, "names": {"ids": "names"}, "chunks": {}}


def cases() -> Iterator[str]:
    """Every file in every way in which it can be read."""
    named = ("names.csv.gz", "names.parquet", "names.arrow")
    for name in FILES:
        for mode in MODES:
            whole_only = name.endswith((".mtx.gz", ".graph.gz", ".gr.gz", ".egr.gz", ".sg.gz", ".npz", ".mtx"))
            if mode == "chunks" and whole_only:
                continue
            if mode == "names" and name not in named and ".txt" not in name:
                continue
            if mode == "sparse" and (name in named or name in ("declared.mtx", "far.npy")):
                continue
            if name == "a.journal" and mode != "whole":
                continue
            yield f"{name} {mode}"


def run(case: str, folder: Path, most: int | None) -> str:
    """What happened in this process."""
    import landbridge

    name, mode = case.split()
    path, limit = str(folder / name), {} if most is None else {"max_bytes": most}
    try:
        if name == "a.journal":
            answer: Any = landbridge.Incremental(journal=path, **limit)
        elif mode == "chunks":
            answer = landbridge.components(chunks=path, threads=1, **limit)
        else:
            answer = landbridge.components(path, threads=1, **MODES[mode], **limit)
        return f"answer {answer.count}"
    except (landbridge.LandbridgeError, MemoryError, OSError) as error:
        return f"{type(error).__name__}: {error}"


def measured(case: str, folder: Path, most: int | None) -> tuple[str, int]:
    """What happened in a child of this process, and its peak."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            outcome = run(case, folder, most)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            os.write(send, json.dumps([outcome[:500], peak * 1024]).encode())
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as file:
        text = file.read()
    os.waitpid(child, 0)
    return tuple(json.loads(text)) if text else ("ended", 0)


def main() -> None:
    """The program."""
    folder, most = Path(sys.argv[1]), int(sys.argv[2]) or None
    import pyarrow.json
    import pyarrow.parquet  # noqa: F401 - in all children
    import zstandard  # noqa: F401 - likewise

    import landbridge.edges.files  # noqa: F401 - likewise

    print(json.dumps({case: measured(case, folder, most) for case in sys.argv[3:]}))


if __name__ == "__main__":
    main()
