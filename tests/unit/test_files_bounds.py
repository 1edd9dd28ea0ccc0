"""Files that declare more than they hold, and files that unpack to far more than they declare: refused by name."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge.cli import main
from landbridge.edges.column_names import choose_columns
from landbridge.edges.files import read
from landbridge.edges.formats import jsonl, nesting
from landbridge.edges.formats import parquet as parquet_format
from landbridge.errors import FileFormatError, InputError, SizeLimitExceeded


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, np.asarray(array), allow_pickle=False)
    return out.getvalue()


def archive(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method) as file:
        warnings.simplefilter("ignore")  # about repeated names
        for name, data in members:
            file.writestr(name, data)
    return out.getvalue()


def peak_of(call: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def header_of(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


@pytest.mark.parametrize(
    ("descr", "shape", "problem"),
    [
        ("<i8", "9" * 5000 + ", 2", "plain array"),
        ("<i8", f"0, {10**30}", "plain array"),
        ("<i8", f"{2**62}, 0", "which no array has"),
        ("<i8", f"0, {2**63}", "which no array has"),
        ("|V0", "2, 2", "which no array has"),
        ("|S0", "2, 2", "which no array has"),
        ("<i3", "2, 2", "plain array"),
        ("<i99999", "2, 2", "plain array"),
        ("<i8", ",".join("1" * 64), "which no array has"),
        ("<i8", " " * 9500, "shape"),
    ],
)
def test_impossible_npy_headers_are_refused(descr: str, shape: str, problem: str, tmp_path: Path) -> None:
    data = header_of(f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}\n")
    for name, content in (("a.npy", data), ("a.npz", archive(("u.npy", data), ("v.npy", data)))):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match=problem):
            read(path)


@pytest.mark.parametrize(("method", "name"), [(zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "lzma")])
def test_npz_members_of_other_compressions_are_refused(method: int, name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    endpoints = npy([0, 1])
    path.write_bytes(archive(("u.npy", endpoints), ("v.npy", endpoints), method=method))
    with pytest.raises(FileFormatError, match=f"u is compressed with {name}; only stored and deflated members"):
        read(path)


def test_npz_members_match_their_declared_lengths(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    endpoints = npy(np.arange(2))
    path.write_bytes(archive(("u.npy", endpoints + bytes(64 << 20)), ("v.npy", endpoints)))

    def refused() -> None:
        with pytest.raises(FileFormatError, match="u has shape"):
            read(path)

    assert peak_of(refused) < 4 << 20
    shape = npy(np.zeros(8 << 20, np.int64))
    path.write_bytes(archive(*((f"{name}.npy", shape) for name in ("shape", "indices", "indptr"))))

    def expected() -> None:
        with pytest.raises(FileFormatError, match="shape has 8388608 elements, 2 are expected"):
            read(path)

    assert peak_of(expected) < 4 << 20


def claiming(size: int, held: bytes, method: int) -> bytes:
    """An archive of u and v whose u holds some bytes and claims to unpack to more; its checksum agrees."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        file.writestr("u.npy", held)
        file.writestr("v.npy", npy([0, 1]))
        file.filelist[0].file_size = size
    return out.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_npz_members_that_claim_more_than_they_hold_are_refused(method: int, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    count = 1 << 24
    head = header_of(f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({count},), }}\n")
    path.write_bytes(claiming(len(head) + 8 * count, head + bytes(64), method))

    def refused() -> None:
        with pytest.raises(FileFormatError, match=r"u claims \d+ bytes from \d+$"):
            read(path)

    assert peak_of(refused) < 4 << 20


def test_npz_members_that_end_early_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    held = npy(np.random.default_rng(1).integers(0, 2**62, 500))
    whole = npy(np.zeros(2000, np.int64))
    path.write_bytes(claiming(len(whole), whole[: len(held) - 4000] + held[-4000:], zipfile.ZIP_DEFLATED))
    with pytest.raises(FileFormatError, match=rf"u claims {len(whole)} bytes and ends after {len(held)}"):
        read(path)


def test_repeated_npz_members_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(archive(("u.npy", npy([0])), ("v.npy", npy([1])), ("u.npy", npy([2]))))
    with pytest.raises(FileFormatError, match="two members of the archive are called u"):
        read(path)


def test_npz_directories_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(archive(*((f"{i:020d}", b"") for i in range(17_000)), method=zipfile.ZIP_STORED))
    with pytest.raises(FileFormatError, match="the directory of the archive has more than 1 MiB"):
        read(path)


def test_member_names_in_messages_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(archive(("a\nb" + "c" * 9000, b"")))
    with pytest.raises(FileFormatError, match=r"neither a sparse matrix nor arrays u and v: 'a\\nbccc") as caught:
        read(path)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("ids", ["auto", "sparse"])
@pytest.mark.parametrize("name", ["falling.sg", "falling.wsg", "falling.egr", "falling.npz"])
def test_descending_offsets_are_refused_with_the_vertex(name: str, ids: str) -> None:
    path = Path(__file__).parents[1] / "corpus" / "bad" / name

    def refused() -> None:
        with pytest.raises(FileFormatError, match=r"offsets\[\d\] is -?\d+, below offsets\[\d\]"):
            read(path, ids=ids)

    assert peak_of(refused) < 4 << 20


@pytest.mark.long
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", ["pairs.npy", "rows.egr", "rows.sg"])
def test_unpacking_stops_at_the_declared_size(name: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    content = {
        "pairs.npy": npy([[0, 1]]),
        "rows.egr": struct.pack("<6i", 2, 1, 0, 1, 1, 1),
        "rows.sg": struct.pack("<Bqq3qi", 0, 1, 2, 0, 1, 1, 1),
    }[name]
    path = tmp_path / f"{name}.gz"
    path.write_bytes(pack(content))
    assert read(path) is not None
    path.write_bytes(pack(content + bytes(60 << 20)))

    def refused() -> None:
        with pytest.raises(FileFormatError, match="and more follow"):
            read(path)

    assert peak_of(refused) < 40 << 20


@pytest.mark.parametrize("deep", ['{"u":0,"v":1,"x":' + "[" * 20_000 + "]" * 20_000 + "}", '{"]}": \n [' * 20_000])
def test_deeply_nested_json_is_refused(deep: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.jsonl"
    path.write_text('{"u":0,"v":1}\n' * 100 + deep + "\n")
    with pytest.raises(FileFormatError, match="nested more than 100 deep"):
        read(path)


_ROW = '{"u":1,"v":2}'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("null", 1),
        ("\n \t null\n", 2),
        ("\ufeffnull\n", 1),
        (f"{_ROW}\n\n{_ROW}\nnull\n{_ROW}\nnull", 4),
        (f"{_ROW}\rnull\r", 1),
        (f"{_ROW}\n" * 9 + " " * 99 + "null", 10),
    ],
)
@pytest.mark.parametrize("block", [1, 2, 7, 2**20])
def test_a_line_of_null_among_json_lines_is_refused(
    text: str, line: int, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow's parser ends the process where a block of bytes begins with one."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(jsonl, "BLOCK", block)
    path = tmp_path / "a.jsonl"
    path.write_bytes(text.encode())
    with pytest.raises(FileFormatError, match=rf"line {line}: it begins with null, which is no object$"):
        read(path)


def test_members_that_are_null_are_no_lines_of_null(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.jsonl"
    path.write_text('{"null": null, "u":1,"v":2}\n{"u":3,"v":4, "x":null}\n')
    assert len(read(path).u) == 2


def test_long_names_of_columns_are_cut_in_messages(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"a" * 5000: "x", "b": "y"}) + "\n")
    with pytest.raises(FileFormatError, match=rf"column '{'a' * 60}'\.\.\. holds text, and ids='sparse' is") as refusal:
        read(path, ids="sparse")
    assert len(str(refusal.value)) < 300


def test_json_depth_ignores_brackets_in_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    def depth_of(value: Any) -> int:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
        return 0 if inner is None else 1 + max(map(depth_of, inner), default=0)

    rng = np.random.default_rng(7)
    texts = ["{", "]", '"', "\\", '\\"[', "a}\n{", '"}', "\\\\"]

    def value(level: int) -> Any:
        kind = int(rng.integers(3)) if level else 2
        several = range(int(rng.integers(3)))
        if kind == 0:
            return {texts[int(rng.integers(8))] + str(i): value(level - 1) for i in several}
        return [value(level - 1) for _ in several] if kind == 1 else texts[int(rng.integers(8))]

    for block in (1, 8, 1 << 20):
        monkeypatch.setattr(nesting, "BLOCK", 4 * block)
        for _ in range(200):
            objects = [{"x": value(5)} for _ in range(3)]
            data = np.frombuffer("\n".join(map(json.dumps, objects)).encode(), np.uint8)
            deepest = max(map(depth_of, objects))
            assert nesting._deepest(data) == deepest
            assert nesting._excess(data) >= deepest - 1


def test_a_table_larger_than_memory_is_a_memory_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    parquet.write_table(arrow.table({"u": [0] * 100, "v": [1] * 100}), path)
    monkeypatch.setattr(parquet_format, "memory_of_machine", lambda: 1599)
    with pytest.raises(MemoryError, match="100 rows of two columns take 1600 bytes"):
        read(path)
    monkeypatch.setattr(parquet_format, "memory_of_machine", lambda: 1600)
    assert read(path) is not None


def test_a_folder_of_damaged_tables_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "day=1").mkdir()
    (tmp_path / "day=1" / "a.parquet").write_bytes(b"PAR1 is no table PAR1")
    with pytest.raises(FileFormatError, match="cannot be read"):
        read(tmp_path)


def test_choosing_columns_takes_linear_time() -> None:
    for names in (["a", "b"] * 20_000, ["src a " * 20_000, "dst a " * 20_000, "c"], ["v" + "1" * 5000, "v2", "v3"]):
        with pytest.raises(InputError) as caught:
            choose_columns(names, [None] * len(names), "")
        assert len(str(caught.value)) < 2000
    with pytest.raises(InputError, match=r"'x\\ny'"):
        choose_columns(["x\ny", "p q", "r"], [None] * 3, "")


BAD = json.loads((Path(__file__).parents[1] / "corpus" / "bad.json").read_text())


@pytest.mark.parametrize("name", [n for n in BAD if n.endswith((".npy", ".npz", ".sg", ".wsg", ".egr", ".parquet"))])
def test_the_command_line_refuses_bad_files_in_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parents[1] / "corpus" / "bad" / name
    for more in ([], ["--ids", "sparse"]):
        assert main(["components", str(path), *more]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        assert str(path) in err
        assert "LANDBRIDGE_TRACEBACK" not in err


def test_labels_successors_and_answers_are_bounded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    n = 20_000
    zeros = np.zeros(n, np.int64)
    text = b"id,component,representative\n" + b"".join(b"%d,0,0\n" % i for i in range(n))
    table = arrow.table({"id": np.arange(n), "component": zeros})
    texts = arrow.table({"id": arrow.array(["x" * 1000] * n).dictionary_encode(), "component": zeros})
    files = {
        "a.csv": text, "a.csv.gz": gzip.compress(text), "a.npy": npy(zeros),
        "a.npz": archive(("labels.npy", npy(zeros))),
    }  # fmt: skip
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    parquet.write_table(table, tmp_path / "a.parquet", compression="zstd")
    parquet.write_table(texts, tmp_path / "names.parquet", compression="zstd", store_schema=False)
    edges = tmp_path / "edges.txt"
    edges.write_bytes(b"0 1\n")
    for name in (*files, "a.parquet", "names.parquet"):
        assert main(["check", str(edges), str(tmp_path / name), "--max-bytes", "100K"]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert str(tmp_path / name) in err
        assert "more than --max-bytes 100000" in err
        assert main(["check", str(edges), str(tmp_path / name), "--max-bytes", "1G"]) == 1, name  # of other vertices
        capsys.readouterr()
    (tmp_path / "list.txt").write_bytes(b"0\n" * n)
    (tmp_path / "short.txt").write_bytes(b"1\n-1\n")
    for name in ("list.txt", "a.npy"):
        for command in ([name], ["short.txt", "--weights", name]):
            paths = [str(tmp_path / word) if "." in word else word for word in command]
            assert main(["rank", *paths, "--max-bytes", "10K"]) == 2
            out, err = capsys.readouterr()
            assert out == ""
            assert f"{tmp_path / name}: the file has" in err
    assert main(["rank", str(tmp_path / "short.txt"), "--max-bytes", "5"]) == 0
    answer = landbridge.components((zeros[1:], np.arange(1, n)), num_vertices=n)
    for name in ("saved.npz", "saved.parquet"):
        answer.save(tmp_path / name)
        with pytest.raises(SizeLimitExceeded, match="max_bytes=60000"):
            landbridge.Components.load(tmp_path / name, max_bytes=60_000)
        assert landbridge.Components.load(tmp_path / name, max_bytes=3_000_000).count == 1


def test_a_bound_holds_for_all_files_of_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of `check` for edges and labels together. Ids of labels are no numbers of vertices, which would have labels."""
    edges, labels = tmp_path / "edges.txt", tmp_path / "labels.csv"
    for text in ("0 1\n1 2\n", "1000000000000 2\n2 3\n"):
        edges.write_text(text)
        assert main(["components", str(edges), "-q", "-o", str(labels)]) == 0
        size = edges.stat().st_size + labels.stat().st_size
        assert main(["check", str(edges), str(labels), "--max-bytes", str(size)]) == 0
        capsys.readouterr()
        assert main(["check", str(edges), str(labels), "--max-bytes", str(size - 1)]) == 2
        assert (
            f"{labels}: the file has at least {labels.stat().st_size} bytes, {size} with what is counted already"
            in (capsys.readouterr().err)
        )


def test_what_counts_against_a_bound_need_not_have_been_read(tmp_path: Path) -> None:
    """The labels of the vertices that the caller states come before the file."""
    path = tmp_path / "a.txt"
    path.write_text("0 1\n1 2\n")
    problem = "the file has 8 bytes, 28 with what is counted already: more than max_bytes=27"
    with pytest.raises(SizeLimitExceeded, match=problem):
        landbridge.components(path, num_vertices=5, max_bytes=27)
    assert landbridge.components(path, num_vertices=5, max_bytes=28).count == 3


def test_a_bound_holds_for_the_vertices_that_the_caller_states(tmp_path: Path) -> None:
    """Their labels are one array, which the largest id of each of several files counts once."""
    path, other = tmp_path / "a.txt", tmp_path / "b.txt"
    path.write_text("0 1\n1 9\n")
    other.write_text("9 4\n1 5\n")
    for source in ({"graph": [path, other]}, {"chunks": [path, other]}):
        for options in ({"num_vertices": 10}, {"ids": "dense"}):
            assert landbridge.components(**source, **options, max_bytes=56).count == 6
            with pytest.raises(SizeLimitExceeded):
                landbridge.components(**source, **options, max_bytes=55)
        with pytest.raises(SizeLimitExceeded, match=r"^the labels of num_vertices=1000 vertices have 4000 bytes: more"):
            landbridge.components(**source, num_vertices=1000, max_bytes=3999)


def test_an_endless_line_is_refused_with_its_number_whatever_is_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("landbridge.edges.formats.source._LONGEST_LINE", 1 << 20)
    path = tmp_path / "g.txt.gz"
    path.write_bytes(gzip.compress(b"1 2 x\n" * 3000) + gzip.compress(b"1 2 " + b"x" * (30 << 20), 1))
    for call in (lambda: read(path), lambda: landbridge.components(chunks=path)):
        with pytest.raises(FileFormatError, match=r"line 3001: this line has more than 1 MiB"):
            call()


def test_the_part_that_is_too_large_is_named(tmp_path: Path) -> None:
    """What is refused is not counted: no other part is refused for it."""
    path = tmp_path / "g.txt.gz"
    path.write_bytes(gzip.compress(b"0 1\n" * (7 << 20), 1))
    for ids in ("dense", "sparse"):
        with pytest.raises(SizeLimitExceeded, match="unpacked, the file has at least"):
            landbridge.components(chunks=path, ids=ids, max_bytes=20_000_000)


def test_lines_of_json_are_counted_from_1(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "g.jsonl"
    good = '{"source": 1, "target": 2}\n'
    for bad, problem in (
        ('{"source": 3, "target": null}', "line 50003: column 'target' is null"),
        ('{"source": 3, "target": 4', "line 50003: no lines of JSON objects"),
        ('{"source": "x", "target": 4}', "line 50003: no lines of JSON objects"),
    ):
        path.write_text(good + "\n" + good * 50_000 + bad + "\n" + good)
        for call in (lambda: read(path), lambda: landbridge.components(chunks=path)):
            with pytest.raises(FileFormatError, match=problem):
                call()
