"""Arguments that are paths of files: what is none is refused before a file is looked for."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import InputError
from landbridge.cli import main
from landbridge.edges.files import detect_format, write_edges

READERS: dict[str, Callable[[Any], Any]] = {
    "components": landbridge.components,
    "chunks": lambda path: landbridge.components(chunks=path),
    "list": lambda path: landbridge.Graph([path]),
    "format": detect_format,
    "edges": lambda path: write_edges(([0], [1]), path),
    "forest": landbridge.spanning_forest,
}
CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "journal": ("journal", lambda path: landbridge.Incremental(journal=path)),
    "stream": ("path", landbridge.Incremental.load),
    "saved stream": ("path", lambda path: landbridge.Incremental(3).save(path)),
    "answer": ("path", landbridge.Components.load),
    "saved answer": ("path", lambda path: landbridge.components([(0, 1)]).save(path)),
}
COMMANDS = {
    "components": "the path",
    "rank": "the path of the successors",
    "check {graph}": "the path of the labels",
    "explain": "the path",
    "journal check": "the path of the journal",
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("path", [b"", b"a.npz", 5, True, [], {}])
def test_what_is_no_path_is_refused(call: str, path: Any) -> None:
    name, function = CALLS[call]
    with refused(InputError, f"{name} must be a path, as str or os.PathLike, not {path!r}"):
        function(path)


@pytest.mark.parametrize("call", CALLS)
def test_an_empty_path_and_a_zero_byte_are_refused(call: str, tmp_path: Path) -> None:
    """The system spoke of the current folder, or of no file at all."""
    name, function = CALLS[call]
    for path in ("", np.str_("")):
        with refused(InputError, f"{name} is empty; give the path of a file"):
            function(path)
    with refused(InputError, f"{name} has a zero byte, which no path has: 'a\\x00b.npz'"):
        function("a\0b.npz")
    with pytest.raises(OSError if call in ("journal", "stream", "saved stream") else InputError, match=str(tmp_path)):
        function(tmp_path)


class Numbered:
    """An object of the protocol of paths that breaks it."""

    def __fspath__(self) -> int:
        return 5


@pytest.mark.parametrize("call", [*CALLS, *READERS])
def test_an_object_that_gives_a_number_for_its_path_is_refused(call: str) -> None:
    name, function = CALLS[call] if call in CALLS else ("the path", READERS[call])
    problem = "expected Numbered.__fspath__() to return str or bytes, not int"
    with refused(InputError, f"{name} must be a path, as str or os.PathLike: {problem}"):
        function(Numbered())


@pytest.mark.parametrize("call", READERS)
def test_paths_of_edges_are_refused_by_the_same_rule(call: str) -> None:
    with refused(InputError, "the path is empty; give the path of a file"):
        READERS[call]("")
    with refused(InputError, "the path has a zero byte, which no path has: 'a\\x00b.csv'"):
        READERS[call]("a\0b.csv")


def test_paths_of_dask_are_refused_by_the_same_rule() -> None:
    pytest.importorskip("distributed")
    from landbridge import dask

    for paths in ("", ["a.parquet", ""]):
        with refused(InputError, "the path is empty; give the path of a file"):
            dask.connected_components(paths)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_refuse_paths_by_the_same_rule(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An empty one was called the current folder, or a file of another format."""
    (tmp_path / "g.csv").write_text("0,1\n")
    words = command.format(graph=tmp_path / "g.csv").split()
    assert main([*words, ""]) == 2
    assert capfd.readouterr().err == f"landbridge: {COMMANDS[command]} is empty; give the path of a file\n"


def test_a_path_may_begin_with_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pandas and polars take it: in Python no shell makes it one from the root on."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "g.csv").write_text("0,1\n")
    for call in (landbridge.components, lambda path: landbridge.components(chunks=path)):
        for path in ("~/g.csv", Path("~/g.csv"), "~/*.csv", ["~/g.csv"]):
            assert call(path).ids.tolist() == [0, 1]  # type: ignore[operator]
    landbridge.components([(0, 1)]).save("~/answer.npz")
    assert landbridge.Components.load("~/answer.npz").count == 1
    with landbridge.Incremental(journal="~/pairs.journal") as stream:
        stream.insert(0, 1)
    assert main(["components", str(tmp_path / "g.csv"), "-o", "~/groups.csv"]) == 0
    assert main(["check", "~/g.csv", "~/groups.csv"]) == 0
    assert main(["components", "~/g.csv", "-o", "~/g.csv"]) == 2  # the input
    assert {path.name for path in tmp_path.iterdir()} == {"g.csv", "answer.npz", "pairs.journal", "groups.csv"}


def test_a_name_that_begins_with_a_tilde_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("~g.csv").write_text("0,1\n")
    assert landbridge.components("~g.csv").count == 1
    Path("~").mkdir()
    Path("~/h.csv").write_text("0,1\n1,2\n")
    assert len(landbridge.components("~/h.csv").ids) == 3
    with pytest.raises(FileNotFoundError, match=r"~no_such_user/g\.csv"):
        landbridge.components("~no_such_user/g.csv")


def test_a_file_is_written_where_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder named ~ one that was there was read, and a new one was written to the home folder."""
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    (here / "~").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(here)
    landbridge.components([(0, 1)]).save("~/answer.npz")
    assert landbridge.Components.load("~/answer.npz").count == 1
    assert [path.name for path in (here / "~").iterdir()] == ["answer.npz"]
    assert list(home.iterdir()) == []


def test_text_in_the_place_of_a_path_is_refused() -> None:
    """The system said that there is no such file, or that its name is too long."""
    text = "0,1\n1,2\n" * 100
    for call in (landbridge.components, lambda path: landbridge.components(chunks=path)):
        with pytest.raises(
            InputError, match=r"no file has this text for its name: '0,1\\n1,2.*; io.StringIO\(text\) is"
        ):
            call(text)  # type: ignore[operator]
    assert len(landbridge.components(io.StringIO(text)).ids) == 3


@pytest.mark.parametrize("chunks", [b"", b"a.csv", bytearray(b""), memoryview(b"")])
def test_bytes_are_no_chunks(chunks: Any) -> None:
    """No bytes were a graph without vertices."""
    what = f"chunks must be an iterable of batches of edges or a path, not {type(chunks).__name__}"
    with refused(InputError, what):
        landbridge.components(chunks=chunks)
