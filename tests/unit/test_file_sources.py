"""Folders, patterns, lists of files, datasets, open files and URLs: as one table, whole and in chunks."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge.edges.chunks import open_chunks
from landbridge.edges.files import FORMATS, detect_format, read, write_edges
from landbridge.edges.options import options_of
from landbridge.errors import FileFormatError, InputError, MissingDependency

Table = dict[Any, Any]
NUMBERS = ["src,dst,w\n9,4,1\n", "4 17\n17 17\n", "100\t101\n5\t9\n"]
NAMES = ["src,dst\nzoe,ann\n", "bob cy\ncy bob\n", "cy\tdora\ncy\tzoe\n"]


def table(result: landbridge.Components) -> Table:
    """The components as id -> smallest id."""
    ids = result.ids.tolist() if result.ids is not None else list(range(len(result.labels)))
    first: Table = {}
    for name, label in zip(ids, result.labels.tolist(), strict=True):
        first[label] = min(first.get(label, name), name)
    return {name: first[label] for name, label in zip(ids, result.labels.tolist(), strict=True)}


def both_ways(source: Any, **options: Any) -> Table:
    """The components of files, equal for reading at once and in chunks."""
    whole = table(landbridge.components(source, **options))
    assert table(landbridge.components(chunks=source, chunk_size=2, **options)) == whole
    return whole


@pytest.fixture(params=["numbers", "names"])
def texts(request: pytest.FixtureRequest) -> list[str]:
    return NUMBERS if request.param == "numbers" else NAMES


def expected(texts: list[str], tmp_path: Path) -> Table:
    """Of one file with the edges of all."""
    path = tmp_path / "all.txt"
    rows = [line.replace(",", " ").replace("\t", " ").split()[:2] for t in texts for line in t.splitlines()]
    path.write_text("src dst\n" + "".join(f"{a} {b}\n" for a, b in rows if a != "src"))
    return table(landbridge.components(path))


def written(texts: list[str], folder: Path) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = [folder / name for name in ("a.csv", "b.txt.gz", "c.tsv.xz")]
    for path, text, pack in zip(paths, texts, (bytes, gzip.compress, lzma.compress), strict=True):
        path.write_bytes(pack(text.encode()))
    return paths


def test_lists_folders_and_patterns_are_one_table(texts: list[str], tmp_path: Path) -> None:
    paths = written(texts, tmp_path / "in")
    (tmp_path / "in" / "_SUCCESS").write_bytes(b"")
    (tmp_path / "in" / ".hidden").write_bytes(b"\0")
    whole = expected(texts, tmp_path)
    for source in (paths, tuple(map(str, paths)), tmp_path / "in", str(tmp_path / "in" / "*.*"), paths[::-1]):
        assert both_ways(source) == whole
    assert both_ways([tmp_path / "in" / "a.csv", str(tmp_path / "in" / "[bc].*")]) == whole


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_open_files_are_read(pack: Any, texts: list[str], tmp_path: Path) -> None:
    text = next(t for t in texts if "\t" in t)
    (tmp_path / "t.txt").write_text(text)
    whole = both_ways(tmp_path / "t.txt")
    assert table(landbridge.components(io.BytesIO(pack(text.encode())))) == whole
    assert table(landbridge.components(chunks=io.BytesIO(pack(text.encode())), chunk_size=1)) == whole
    assert table(landbridge.components(io.StringIO(text))) == whole
    packed = tmp_path / "without-ending"
    packed.write_bytes(pack(text.encode()))
    assert both_ways(packed) == whole
    with packed.open("rb") as file:
        assert table(landbridge.components(file)) == whole
    with pytest.raises(FileFormatError, match="<BytesIO>: the file is empty"):
        landbridge.components(io.BytesIO())


def test_datasets_of_arrow_are_read(texts: list[str], tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    feather, pq = pytest.importorskip("pyarrow.feather"), pytest.importorskip("pyarrow.parquet")
    ds = pytest.importorskip("pyarrow.dataset")
    reference = expected(texts, tmp_path)
    rows = [line.split() for line in (tmp_path / "all.txt").read_text().splitlines()[1:]]
    whole = all(word.isdigit() for row in rows for word in row)
    endpoints = [[int(w) if whole else w for w in column] for column in zip(*rows, strict=True)]
    arrow_table = pa.table({"note": ["x"] * len(rows), "src": endpoints[0], "dst": endpoints[1]})
    pq.write_table(arrow_table, tmp_path / "t.parquet", row_group_size=2)
    feather.write_feather(arrow_table, tmp_path / "t.feather")
    with pa.ipc.new_stream(tmp_path / "t.arrows", arrow_table.schema) as stream:
        stream.write_table(arrow_table, max_chunksize=2)
    (tmp_path / "t.jsonl").write_text(arrow_table.to_pandas().to_json(orient="records", lines=True))
    for name in ("t.parquet", "t.feather", "t.arrows", "t.jsonl"):
        assert both_ways(tmp_path / name) == reference, name
        assert both_ways(tmp_path / name, columns=("dst", "src")) == reference
        assert (
            table(landbridge.components(io.BytesIO((tmp_path / name).read_bytes()), format=_format(name))) == reference
        )
    halves = tmp_path / "halves"
    ds.write_dataset(
        arrow_table,
        halves,
        format="parquet",
        partitioning=ds.partitioning(pa.schema([("src", arrow_table["src"].type)]), flavor="hive"),
    )
    assert both_ways(halves) == reference
    assert both_ways(ds.dataset(halves, partitioning="hive")) == reference
    assert both_ways(ds.dataset(tmp_path / "t.parquet")) == reference
    assert both_ways([tmp_path / "t.parquet", tmp_path / "all.txt", tmp_path / "t.jsonl"]) == reference


def _format(name: str) -> str:
    return next(row.name for row in FORMATS.values() if Path(name).suffix in row.extensions)


def test_urls_are_read_by_fsspec(texts: list[str], tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    for path, text in zip(written(texts, tmp_path / "in"), texts, strict=True):
        system.pipe(f"/in-{texts is NAMES}/{path.name}", path.read_bytes())
        assert text
    whole = expected(texts, tmp_path)
    root = f"memory://in-{texts is NAMES}"
    assert both_ways(root) == whole
    assert both_ways(f"{root}/*") == whole
    assert both_ways([f"{root}/a.csv", f"{root}/b.txt.gz", f"{root}/c.tsv.xz"]) == whole
    assert both_ways(f"file://{tmp_path / 'in'}") == whole


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("nothing-*.csv", "no file matches"),
        ("empty", "the folder has no files"),
        ("g.gexf", r"\.gexf files are not read: networkx\.read_gexf"),
        ("g.xlsx", r"\.xlsx files are not read: pandas\.read_excel"),
        ("g.json", r"\.json files are not read: one object on each line is read with format='jsonl';"),
        (["a.csv", "n.csv"], r"n\.csv: vertices are names, and those of .*a\.csv are the ids that occur"),
        (["a.csv", "p.npy"], r"p\.npy: vertices are 0\.\.n-1, and those of .*a\.csv are the ids that occur"),
    ],
)
def test_impossible_sets_of_files_are_refused(source: Any, problem: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.csv").write_text("1,2\n")
    (tmp_path / "n.csv").write_text("ann,bob\nbob,cy\n")
    np.save(tmp_path / "p.npy", np.array([[0, 1]]))
    files = [str(tmp_path / s) for s in source] if isinstance(source, list) else str(tmp_path / source)
    with pytest.raises(InputError, match=problem):
        read(files)
    with pytest.raises(InputError, match=problem):
        open_chunks(files, options_of())


def test_a_file_that_declares_its_vertices_is_read_alone(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,2\n")
    (tmp_path / "m.graph").write_text("2 1\n2\n1\n")
    with pytest.raises(InputError, match=r"m\.graph: a file that declares how many vertices there are"):
        read([tmp_path / "a.csv", tmp_path / "m.graph"])
    (tmp_path / "n.graph").write_text("2 1\n2\n1\n")
    alone = "a file that declares how many vertices there are can be read only alone"
    with refused(InputError, f"{tmp_path / 'm.graph'}: {alone}"):
        landbridge.components([tmp_path / "m.graph", tmp_path / "n.graph"], num_vertices=5)


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_damaged_files_are_refused_by_name(pack: Any, tmp_path: Path) -> None:
    data = pack(b"0 1\n1 2\n" * 1000)
    path = tmp_path / "g.txt"
    for broken in (data[:-5], data[:30] + b"\xff\xff" + data[32:]):
        path.write_bytes(broken)
        with pytest.raises(FileFormatError, match=r"data (ends early|is damaged)"):
            read(path)
    path.write_bytes(data + data)
    assert len(read(path).u) == 4000  # type: ignore[union-attr]


@pytest.mark.parametrize("empty", ["src,dst\n", "src,dst,w\n", "# nothing\n"])
@pytest.mark.parametrize("place", ["0.csv", "z.csv"])
def test_a_file_without_edges_combines_with_any_kind(empty: str, place: str, texts: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "in"
    written(texts, folder)
    (folder / place).write_text(empty)
    assert both_ways(folder) == expected(texts, tmp_path)
    assert both_ways([folder / place, folder / place]) == {}


class Trickle(io.RawIOBase):
    """A file that returns three bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self.file = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self.file.read(3 if size < 0 else min(size, 3))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_open_files_may_return_few_bytes_at_a_time(pack: Any, texts: list[str], tmp_path: Path) -> None:
    whole = both_ways(written(texts[:1] * 3, tmp_path)[0])
    assert table(landbridge.components(Trickle(pack(texts[0].encode())))) == whole
    assert table(landbridge.components(chunks=Trickle(pack(texts[0].encode())))) == whole


@pytest.mark.parametrize("ending", ["npy", "npz", "parquet"])
def test_a_file_of_another_format_than_its_suffix_is_refused_with_the_format_that_reads_it(
    ending: str, tmp_path: Path
) -> None:
    """A Parquet file under the name of an array was said to be no array."""
    pytest.importorskip("pyarrow")
    write_edges((np.array([0, 2]), np.array([1, 3])), tmp_path / f"a.{ending}")
    name = detect_format(tmp_path / f"a.{ending}")
    for other in BINARY:
        row, path = FORMATS[detect_format(f"x.{other}")], tmp_path / f"b.{other}"
        if row.name == name:
            continue
        path.write_bytes((tmp_path / f"a.{ending}").read_bytes())
        message = f"{path}: by its first bytes the file is of format {name}, not {row.name}; format={name!r} reads it"
        with refused(InputError, message):
            landbridge.components(path)
        assert landbridge.components(path, format=name).count == 2
        if row.chunks is not None:
            whole = ", without chunks=" if FORMATS[name].chunks is None else ""
            with refused(InputError, message + whole):
                landbridge.components(chunks=path)


@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_a_saved_answer_is_no_file_of_edges(ending: str, tmp_path: Path) -> None:
    """The columns of Parquet were read as edges."""
    path = tmp_path / f"answer.{ending}"
    answer = landbridge.components([(0, 1), (1, 2), (5, 6)])
    answer.save(path)
    with pytest.raises(FileFormatError, match=r"an answer that Components.save wrote, and no edges: Components.load"):
        landbridge.components(path)
    if ending == "parquet":
        with pytest.raises(FileFormatError, match=r"an answer that Components.save wrote, and no edges"):
            landbridge.components(chunks=path)
        stars = landbridge.components(path, columns=("id", "representative"), ids="dense")
        assert stars.count == answer.count
    assert landbridge.Components.load(path).count == answer.count


def test_names_that_begin_as_binary_files_do_are_text(tmp_path: Path) -> None:
    path = tmp_path / "genes.csv"
    for word in ("PAR1", "FEA1", "ARROW1"):
        path.write_text(f"{word},b\nc,{word}\n")
        both_ways(path, header=False)


def test_open_files_are_detected_by_their_first_bytes() -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    parquet.write_table(arrow.table({"src": ["a", "c"], "dst": ["b", "a"]}), file)
    for way in ("whole", "chunks"):
        opened = io.BytesIO(file.getvalue())
        result = landbridge.components(opened) if way == "whole" else landbridge.components(chunks=opened)
        assert table(result) == {"a": "a", "b": "a", "c": "a"}


BINARY = ["npy", "npz", "parquet", "feather", "jsonl", "mtx", "graph", "gr", "sg", "egr"]


@pytest.mark.parametrize("name", ["stream", "stream.txt", "stream.gz", *(f"stream.{ending}" for ending in BINARY)])
def test_a_stream_on_disk_is_no_file_of_edges(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / name)
    message = f"{path}: it is a journal or a saved stream of landbridge: Incremental(journal=path) opens the one, "
    message += "Incremental.load(path) the other"

    def refuse() -> None:
        calls: list[Any] = [landbridge.components, landbridge.Graph]
        row = FORMATS[detect_format(name)]
        calls += [lambda x: landbridge.components(chunks=x)] if row.chunks is not None else []
        calls += [lambda x: landbridge.components(x, format="npy"), lambda x: landbridge.components(x, format="edges")]
        for call in (*calls, detect_format) if name in ("stream", "stream.gz") else calls:
            with refused(InputError, message):
                call(path)

    stream = landbridge.Incremental(journal=path)
    stream.insert([0, 1], [1, 2])
    refuse()
    stream.save(path + ".saved")
    Path(path + ".saved").replace(path)
    refuse()
    assert landbridge.Incremental.load(path).count == 1


def test_json_text_that_looks_like_a_date_stays_text(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"a": "2020-01-01", "b": "2020-01-02 10:00:00"}\n{"a": "2020-01-01", "b": "2021-05-05 00:00:00"}\n'
    )
    assert set(both_ways(path)) == {"2020-01-01", "2020-01-02 10:00:00", "2021-05-05 00:00:00"}


def test_a_name_that_no_file_can_have_is_refused() -> None:
    for call in (landbridge.components, landbridge.spanning_forest, landbridge.Graph):
        with pytest.raises(landbridge.InputError, match="the path has a zero byte"):
            call("a\0b")


def test_a_file_that_cannot_be_read_is_named() -> None:
    class Broken(io.RawIOBase):
        name = "broken.csv"

        def read(self, size: int = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match=r"Input/output error: 'broken.csv'"):
        landbridge.components(Broken())


def test_a_missing_package_of_a_url_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    core = pytest.importorskip("fsspec.core")

    def missing(url: str) -> None:
        raise ImportError(f'{url[:4]} needs "requests" and "aiohttp"')

    monkeypatch.setattr(core, "url_to_fs", missing)
    with pytest.raises(MissingDependency, match=r"https://x/a.csv: .*aiohttp.* \(pip install 'landbridge\[remote\]'\)"):
        landbridge.components("https://x/a.csv")
    with pytest.raises(MissingDependency, match=r"^s3://x/a.csv: s3:/ needs .*$") as caught:
        landbridge.components("s3://x/a.csv")
    assert "remote" not in str(caught.value)
