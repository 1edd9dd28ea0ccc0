"""What is fuzzed: a target runs one input through a reader in every way, and returns what happened in a few words.

An input yields edges, the same in every way of reading it, or an error of the library in one line; a violation is an
AssertionError, or any other exception. What happened is the guide: an input with a new outcome joins the corpus.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import landbridge
from fuzz import mutations
from fuzz.files import npy, npz, rows
from fuzz.mutations import Seal
from landbridge.cli import labels
from landbridge.edges.chunks import open_chunks
from landbridge.edges.files import FORMATS, read
from landbridge.edges.formats.registry import format_by_suffix
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import Options
from landbridge.errors import CheckFailed, InputError, LandbridgeError, MissingDependency
from landbridge.result import Components
from landbridge.streams import inspection

CORPUS = Path(__file__).parents[1] / "corpus"
MOST = 1 << 24
"""Bytes that the vertices of a stream may take."""
EXPECTED = (InputError, MissingDependency, MemoryError, OSError)

Run = Callable[[Path], str]


@dataclass(frozen=True)
class Target:
    """A reader under test: the suffix of its files, the first ones, how they are read, and how checksums agree."""

    suffix: str
    seeds: Callable[[], list[bytes]]
    run: Run
    seal: Seal | None = None


def outcome_of(error: BaseException, path: Path) -> str:
    """An error as a line without the numbers and texts of one input."""
    text = str(error)
    assert "\n" not in text, text
    assert len(text) < 1000, text
    text = text.replace(str(path), "").lstrip(": ")
    text = re.sub(r"'[^']*'|\"[^\"]*\"|: [^ ].*", "'", re.sub(r"\d+", "0", text))
    return f"{type(error).__name__} {text[:120]}"


def attempted(call: Callable[[], Any], path: Path) -> tuple[Any, str]:
    """What a call returns, or None and its error; any other exception than those of the contract is raised."""
    try:
        return call(), ""
    except EXPECTED as error:
        return None, outcome_of(error, path)


# readers of edges --------------------------------------------------------------------------------------------------


def pairs_of(edges: Any) -> list[tuple[Any, Any]]:
    """The edges in the ids of the input."""
    if isinstance(edges, EdgeList):
        u, v = edges.u, edges.v
    else:
        u, v = np.repeat(np.arange(len(edges.offsets) - 1), np.diff(edges.offsets)), edges.neighbors
    if edges.ids is not None:
        u, v = edges.ids[u], edges.ids[v]
    return list(zip(u.tolist(), v.tolist(), strict=True))


def in_chunks(path: Path, ids: str) -> list[tuple[Any, Any]]:
    """The same, read in chunks."""
    file = open_chunks(str(path), Options(ids=ids, threads=2), chunk_size=5)
    return [pair for reader in file.readers for chunk in reader() for pair in pairs_of(chunk.edges)]


def reads(path: Path) -> str:
    """Whole with one thread and several, with sparse ids, as names, and in chunks."""
    outcome = []
    row = format_by_suffix(path.name) or FORMATS["edges"]
    for ids in ("auto", "sparse", "dense", *(["names"] if row.has_names else [])):
        edges, problem = attempted(lambda ids=ids: read(str(path), ids=ids, threads=1), path)  # type: ignore[misc]
        if edges is not None and len(edges.u if isinstance(edges, EdgeList) else edges.neighbors) > 1 << 20:
            return "large"
        again, problem_again = attempted(lambda ids=ids: read(str(path), ids=ids, threads=3), path)  # type: ignore[misc]
        if problem != problem_again and any(str(p).startswith("MemoryError") for p in (problem, problem_again)):
            # Arrow decompresses columns side by side: the first error may be of either one.
            assert None not in (problem, problem_again)
            return "no memory"
        assert problem == problem_again, (problem, problem_again)
        whole = None if edges is None else _checked(edges, ids, path)
        if whole is not None:
            assert whole == pairs_of(again), "threads"
        outcome.append(problem or _size(edges))
        if row.chunks is None:
            continue
        parts, problem_in_parts = attempted(lambda ids=ids: in_chunks(path, ids), path)  # type: ignore[misc]
        if whole is not None and parts is not None:
            # The order of the shares of several readers is not that of the file.
            assert whole == parts or sorted(map(str, whole)) == sorted(map(str, parts)), ("chunks", ids)
        elif row.is_text and (whole is None) != (parts is None):
            raise AssertionError(f"{ids}: whole {problem!r}, in chunks {problem_in_parts!r}")
    return " | ".join(dict.fromkeys(outcome))


def _checked(edges: Any, ids: str, path: Path) -> list[tuple[Any, Any]]:
    pairs = pairs_of(edges)
    graph, _ = attempted(lambda: landbridge.Graph(edges, threads=1), path)
    if graph is not None and graph.num_vertices < 1 << 20:
        result = landbridge.components(graph, plan="rem_cas(naive,splice)", threads=1)
        assert result.count <= graph.num_vertices
        if ids == "sparse" and graph.ids is not None:
            assert (graph.ids[1:] > graph.ids[:-1]).all()
    return pairs


def _size(edges: Any) -> str:
    m = len(edges.u) if isinstance(edges, EdgeList) else len(edges.neighbors)
    dtype = edges.u.dtype if isinstance(edges, EdgeList) else f"{edges.offsets.dtype}/{edges.neighbors.dtype}"
    notes = " ".join(re.sub(r"\d+|'[^']*'", "0", note)[:60] for note in edges.notes)
    return f"ok {type(edges).__name__} {m.bit_length()} {dtype} {'ids' if edges.ids is not None else ''} {notes}"


# streams and answers -----------------------------------------------------------------------------------------------


def _described(stream: landbridge.Incremental) -> tuple[int, int, int]:
    return stream.num_vertices, stream.count, stream.position


def opens_journal(path: Path) -> str:
    """A journal opens and gives the same again, or stays as it is, byte for byte."""
    before = path.read_bytes()
    kind = {8: "sparse", 16: "names"}.get(before[12] & 24) if len(before) > 12 else None
    inspected, problem = attempted(lambda: inspection.inspect(str(path)), path)
    stream = None
    outcome = ""
    try:
        stream = landbridge.Incremental(ids=kind, journal=path, threads=1, max_bytes=MOST)
    except (LandbridgeError, MemoryError, OSError) as error:
        outcome = outcome_of(error, path)
        assert path.read_bytes() == before, "a journal that does not open is left as it is"
    if stream is None:
        if inspected is not None and inspected.opens:  # ids, flags or vertices that only a stream refuses
            return f"refused though whole: {outcome}"
        return outcome
    state = _described(stream)
    stream.close()
    assert before.startswith(path.read_bytes()) or inspected is None or not inspected.plan, "opening only cuts"
    assert inspected is not None and inspected.opens, problem
    again = landbridge.Incremental(ids=kind, journal=path, threads=1, max_bytes=MOST)
    assert (_described(again), again.dropped) == (state, 0)
    again.close()
    return f"opened {kind} {state[2].bit_length()} {bool(inspected.problem)} {inspected.records.bit_length()}"


def loads_stream(path: Path) -> str:
    """A saved stream."""
    try:
        stream = landbridge.Incremental.load(path, threads=1, max_bytes=MOST)
    except (LandbridgeError, MemoryError, OSError) as error:
        return outcome_of(error, path)
    return f"loaded {_described(stream)[2].bit_length()} {_described(stream)[0].bit_length()}"


def loads_components(path: Path) -> str:
    """A saved answer."""
    result, problem = attempted(lambda: Components.load(path), path)
    if result is None:
        return str(problem)
    assert len(result.first) == result.count
    assert int(result.sizes().sum()) == len(result.labels)
    if result.ids is not None and len(result.labels) < 1 << 16:
        list(result.ids)
    return f"loaded {result.labels.dtype} {result.ids is not None} {len(result.labels).bit_length()}"


def reads_labels(path: Path) -> str:
    """A file of labels."""
    outcome = []
    for names in (False, True):
        try:
            values, ids, representatives = labels.read(str(path), names)
        except (*EXPECTED, CheckFailed) as error:
            outcome.append(outcome_of(error, path))
        else:
            assert values.ndim == 1 and values.dtype.kind in "iu"
            assert all(column is None or len(column) == len(values) for column in (ids, representatives))
            outcome.append(f"{values.dtype} {None if ids is None else ids.dtype}")
    return " | ".join(outcome)


def reads_successors(path: Path) -> str:
    """A file of successors."""
    from landbridge.cli.rank_command import numbers_of

    values, problem = attempted(lambda: numbers_of(str(path), "successor").values, path)
    if values is None:
        return str(problem)
    ranks, problem = attempted(lambda: landbridge.rank_list(values, threads=1), path)
    return str(problem) if ranks is None else f"ranked {values.dtype} {len(values).bit_length()}"


# the first files of each -------------------------------------------------------------------------------------------


def corpus(*suffixes: str) -> Callable[[], list[bytes]]:
    """The files of the corpus with these suffixes."""

    def seeds() -> list[bytes]:
        files = sorted(p for folder in ("good", "bad") for p in (CORPUS / folder).iterdir() if p.suffix in suffixes)
        return [path.read_bytes() for path in files if 0 < path.stat().st_size < mutations.LONGEST]

    return seeds


def csr(kind: str) -> bytes:
    """A file of CSR arrays."""
    return rows(kind, [0, 1, 3, 4], [1, 0, 2, 1])


MATRIX = {"indptr": np.array([0, 1, 3, 4]), "indices": np.array([1, 0, 2, 1]), "data": np.ones(4), "shape": [3, 3]}


def arrays() -> list[bytes]:
    """Archives of each kind that is read."""
    coo = {"row": [0, 1], "col": [1, 2], "data": [1.0, 1.0], "shape": [3, 3]}
    return [
        npz(u=[0, 1, 2], v=[1, 2, 0]),
        npz(zipfile.ZIP_STORED, **MATRIX, format=np.array(b"csr")),
        npz(**coo),
        npz(u=np.array([0, 2**40], "u8"), v=np.array([1, 7], ">i2")),
    ]


def tables() -> Iterator[Any]:
    """Tables of numbers, texts and dictionaries."""
    import pyarrow as pa

    u, v = [0, 1, 2, 5] * 3, [1, 2, 0, 3] * 3
    texts = [[f"n{end}" for end in side] for side in (u, v)]
    yield pa.table({"src": pa.array(u, pa.int64()), "dst": pa.array(v, pa.int32()), "weight": [0.5] * 12})
    yield pa.table({"src": texts[0], "dst": texts[1]})
    yield pa.table({"src": pa.array(texts[0]).dictionary_encode(), "dst": pa.array(texts[1], pa.large_string())})
    yield pa.table({"src": pa.array([None, *u[1:]], pa.int64()), "dst": pa.array(v, pa.decimal128(20, 0))})


def parquet() -> list[bytes]:
    """Tables as Parquet."""
    import pyarrow.parquet as pq

    out = []
    for table, words in zip(
        tables(), ({}, {"compression": "zstd", "row_group_size": 2}, {"compression": "gzip"}, {}), strict=True
    ):
        file = io.BytesIO()
        pq.write_table(table, file, **words)
        out.append(file.getvalue())
    return out


def arrow() -> list[bytes]:
    """Tables as Feather, with and without compression, and as a stream of Arrow."""
    import pyarrow as pa

    out = []
    for table in tables():
        for make, compression in ((pa.ipc.new_file, None), (pa.ipc.new_file, "zstd"), (pa.ipc.new_stream, "lz4")):
            file = io.BytesIO()
            with make(file, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
                writer.write_table(table)
            out.append(file.getvalue())
    return out


def streams(*, saved: bool) -> Callable[[], list[bytes]]:
    """Journals, or saved streams, with each kind of ids, with forests, compacted and not."""

    def seeds() -> list[bytes]:
        import tempfile

        out = []
        for ids in (None, "sparse", "names"):
            for forest in (False, True):
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "j"
                    stream = landbridge.Incremental(ids=ids, journal=path, forest=forest, sync=False, threads=1)
                    for i in range(4):
                        endpoints: list[Any] = [[i, i + 9, 3], [i + 1, 2, 4]]
                        if ids == "names":
                            endpoints = [[f"é{end}" for end in side] for side in endpoints]
                        stream.insert(*endpoints)
                        if i == 2 and not saved:
                            out.append(path.read_bytes())
                            stream.compact()
                    if saved:
                        stream.save(path.with_name("s"))
                    stream.close()
                    out.append((path.with_name("s") if saved else path).read_bytes())
        return out

    return seeds


def answers() -> list[bytes]:
    """Saved answers: vertices of all three kinds."""
    import tempfile

    out = []
    for graph in (([0, 1, 3], [1, 2, 4]), [("ann", "bob"), ("cy", "dän")]):
        with tempfile.TemporaryDirectory() as folder:
            landbridge.components(graph, threads=1).save(Path(folder) / "a.npz")
            out.append((Path(folder) / "a.npz").read_bytes())
            if isinstance(graph, tuple):
                landbridge.components(graph, ids="sparse", threads=1).save(Path(folder) / "b.npz")
                out.append((Path(folder) / "b.npz").read_bytes())
    return out


def packed(pack: Callable[[bytes], bytes]) -> Callable[[], list[bytes]]:
    """Texts of edges, compressed."""
    texts = (b"0 1\n1 2\n5 6\n", b"src,dst\nann,bob\n", b"# c\n0\t1\t0.5\r\n2\t3\t0.5\r\n", b"\n" * 400 + b"0 1\n")
    return lambda: [pack(text) for text in texts] + [pack(texts[0]) + pack(texts[0])]


def _zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)  # type: ignore[no-any-return]


def pairs() -> list[bytes]:
    """Arrays of edges."""
    return [npy([[0, 1], [5, 3]]), npy(np.array([[0, 1], [5, 3]], ">i4", order="F"), (2, 0))]


def label_arrays() -> list[bytes]:
    """Archives of labels, with and without ids."""
    return [npz(labels=[0, 0, 1]), npz(0, labels=[0, 1], ids=np.array(["a", "b"]))]


LABELS = b"id,component,representative\n0,0,0\n1,0,0\n4,1,4\n"
TARGETS = {
    "edges": Target(".txt", corpus(".txt", ".csv", ".tsv", ".edgelist", ".wel"), reads),
    "csv": Target(".csv", corpus(".csv", ".tsv"), reads),
    "metis": Target(".graph", corpus(".graph"), reads),
    "matrix_market": Target(".mtx", corpus(".mtx"), reads),
    "dimacs": Target(".gr", corpus(".gr", ".col"), reads),
    "jsonl": Target(".jsonl", corpus(".jsonl", ".ndjson"), reads),
    "egr": Target(".egr", lambda: [csr("egr"), *corpus(".egr")()], reads),
    "sg": Target(".sg", lambda: [csr("sg"), *corpus(".sg")()], reads),
    "wsg": Target(".wsg", lambda: [csr("wsg"), *corpus(".wsg")()], reads),
    "npy": Target(".npy", pairs, reads),
    "npz": Target(".npz", arrays, reads, mutations.members),
    "gz": Target(".txt.gz", packed(lambda data: gzip.compress(data, mtime=0)), reads, mutations.GZIP),
    "bz2": Target(".txt.bz2", packed(bz2.compress), reads, mutations.BZIP2),
    "xz": Target(".txt.xz", packed(lzma.compress), reads, mutations.XZ),
    "zst": Target(".txt.zst", packed(_zstd), reads, mutations.ZSTD),
    "parquet": Target(".parquet", parquet, reads),
    "arrow": Target(".arrow", arrow, reads),
    "journal": Target(".journal", streams(saved=False), opens_journal, mutations.sealed_stream),
    "stream": Target(".stream", streams(saved=True), loads_stream, mutations.sealed_stream),
    "answer": Target(".npz", answers, loads_components, mutations.members),
    "labels": Target(".csv", lambda: [LABELS, LABELS.replace(b"1,0,0", b"x,0,0")], reads_labels),
    "label_arrays": Target(".npz", label_arrays, reads_labels, mutations.members),
    "successors": Target(".npy", lambda: [npy([1, 2, 2]), npy([1.0, 1.0])], reads_successors),
    "successor_text": Target(".txt", lambda: [b"1\n2\n2\n", b"1\n2\n-1\n# c\n5\n5\n"], reads_successors),
}  # fmt: skip


def input_file(target: Target, folder: Path) -> Path:
    """The file that inputs of a target are written to."""
    return folder / f"input{target.suffix}"


def run_one(target: Target, data: bytes, folder: Path) -> str:
    """What happened."""
    path = input_file(target, folder)
    for other in folder.iterdir():
        if other != path:
            other.unlink()
    handle = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    try:
        os.write(handle, data)
    finally:
        os.close(handle)
    return target.run(path)
