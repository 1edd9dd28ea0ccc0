"""What a command line says about its input: every option reaches the reader, for every command that reads edges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import landbridge
from landbridge.cli import main
from landbridge.edges import files
from landbridge.edges.options import Options
from landbridge.errors import InputError
from landbridge.streams import chunks

COMMANDS = {
    "components": ([], []),
    "stream": ([], ["--stream"]),
    "forest": ([], []),
    "explain": ([], []),
    "check": (["labels.csv"], []),
    "convert": (["out.el"], []),
}

OPTIONS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "nothing": ([], {"ids": "auto", "header": None, "delimiter": None, "comment": None, "base": None, "columns": None}),
    "ids": (["--ids", "names"], {"ids": "names"}),
    "columns": (["--columns", "a,b"], {"columns": ("a", "b")}),
    "positions": (["--columns", "2, 0"], {"columns": (2, 0)}),
    "header": (["--header", "yes"], {"header": True}),
    "no header": (["--header", "no"], {"header": False}),
    "auto header": (["--header", "auto"], {"header": None}),
    "pipe": (["--delimiter", "|"], {"delimiter": "|"}),
    "tab": (["--delimiter", "tab"], {"delimiter": "\t"}),
    "\\t": (["--delimiter", "\\t"], {"delimiter": "\t"}),
    "comma": (["--delimiter", "Comma"], {"delimiter": ","}),
    "semicolon": (["--delimiter", "semicolon"], {"delimiter": ";"}),
    "space": (["--delimiter", "space"], {"delimiter": " "}),
    "comment": (["--comment", "#!"], {"comment": "#!"}),
    "no comment": (["--comment", ""], {"comment": ""}),
    "base": (["--base", "1"], {"base": 1, "ids": "dense"}),
    "encoding": (["--encoding", "latin-1"], {"encoding": "latin-1"}),
    "vertices": (["--num-vertices", "9"], {"ids": "dense"}),
    "threads": (["--threads", "3"], {"threads": 3}),
}


class Seen(Exception):
    """What a reader was given."""

    def __init__(self, source: Any, format: str | None, options: Options) -> None:
        super().__init__("seen")
        self.source, self.format, self.options = source, format, options


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Seen]:
    """What readers were given, the reading itself being refused."""
    calls: list[Seen] = []

    def read(source: Any, *, format: str | None = None, options: Options) -> Any:
        calls.append(Seen(source, format, options))
        raise InputError("seen")

    def in_chunks(source: Any, options: Options, **more: Any) -> Any:
        return read(source, format=more["format"], options=options)

    monkeypatch.setattr(files, "read", read)
    monkeypatch.setattr(chunks, "run_chunks", in_chunks)
    return calls


def words_of(command: str, *options: str) -> list[str]:
    more, flags = COMMANDS[command]
    return ["components" if command == "stream" else command, *flags, *options, "a.csv", "b c.csv", *more]


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_reaches_the_reader(option: str, seen: list[Seen], capsys: pytest.CaptureFixture[str]) -> None:
    words, expected = OPTIONS[option]
    assert main(["components", "a.csv", *words]) == 2
    assert capsys.readouterr().err == "landbridge: seen\n"
    assert {key: getattr(seen[0].options, key) for key in expected} == expected
    assert (seen[0].source, seen[0].format) == ("a.csv", None)
    assert seen[0].options.progress is not None


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_hands_on_all_options_and_all_files(command: str, seen: list[Seen]) -> None:
    chosen = ("pipe", "no header", "comment", "base", "columns", "encoding", "threads")
    options = [word for name in chosen for word in OPTIONS[name][0]]
    assert main(words_of(command, *options, "--format", "edges")) == 2
    expected = {key: value for name in chosen for key, value in OPTIONS[name][1].items()}
    assert {key: getattr(seen[0].options, key) for key in expected} == expected
    assert (seen[0].source, seen[0].format) == (["a.csv", "b c.csv"], "edges")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--columns", "a"], "--columns names two columns with a comma between them, not 'a'"),
        (["--columns", "a,b,c"], "--columns names two columns"),
        (["--header", "perhaps"], "'perhaps' is not one of 'auto', 'yes', 'no'"),
        (["--delimiter", "::"], "delimiter must be one character"),
        (["--delimiter", ""], "delimiter must be one character"),
        (["--comment", "a"], "comment must be characters"),
        (["--base", "2"], "'--base'"),
        (["--num-vertices", "-1"], "'--num-vertices'"),
        (["--base", "1", "--ids", "names"], "base has no meaning with ids='names'"),
        (["--num-vertices", "3", "--ids", "sparse"], "num_vertices has no meaning with ids='sparse'"),
        (["--ids", "some"], "'--ids'"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_reading(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("0,1\n")
    assert main(["components", str(path), *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert message in shown.err


# through the real readers -------------------------------------------------------------------------------------------


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert main(["components", *map(str, words), "--json"]) == 0, capsys.readouterr().err
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("stream", [[], ["--stream"]])
@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("a|b\nb|c\nx|y\n", ["--delimiter", "pipe", "--header", "no", "--ids", "names"], ("names", 2, 5)),
        ("a|b\nb|c\nx|y\n", ["--delimiter", "|", "--header", "yes", "--ids", "names"], ("names", 2, 4)),
        ("!x\n1;2\n2;3\n9;8\n", ["--delimiter", "semicolon", "--comment", "!"], ("sparse", 2, 5)),
        ("1 2\n2 3\n5 6\n", ["--base", "1"], ("dense", 3, 6)),
        ("1 2\n2 3\n5 6\n", ["--num-vertices", "10"], ("dense", 7, 10)),
        ("1 2\n2 3\n5 6\n", [], ("sparse", 2, 5)),
    ],
)
def test_dialects_from_the_shell(
    text: str, words: list[str], expected: tuple[str, int, int], stream: list[str], request: pytest.FixtureRequest
) -> None:
    capsys, path = request.getfixturevalue("capsys"), request.getfixturevalue("tmp_path") / "a.csv"
    path.write_text(text)
    found = answer(capsys, path, *words, *stream)
    assert (found["ids"], found["count"], found["vertices"]) == expected
    assert (found["file"], found["files"]) == (str(path), [str(path)])


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_files_folders_and_globs_are_one_graph(
    stream: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    one, two = folder / "1.csv", folder / "2.csv"
    one.write_text("src,dst\na,b\nx,y\n")
    two.write_text("src,dst\nb,c\ny,z\nz,a\n")
    for words in ([one, two], [two, one], [folder], [folder / "*.csv"]):
        found = answer(capsys, *words, *stream)
        assert (found["ids"], found["count"], found["vertices"], found["edges"]) == ("names", 1, 6, 5), words
        assert found["files"] == list(map(str, words))


def test_quiet_leaves_out_notes_and_no_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.csv"
    path.write_text("left,right\n1,2\n")
    out = tmp_path / "out.mtx"
    assert main(["convert", str(path), str(out), "--json"]) == 0
    shown = capsys.readouterr()
    notes = json.loads(shown.out)["notes"]
    assert notes
    assert shown.err.splitlines() == [f"note: {note}" for note in notes]
    assert main(["convert", str(path), str(out), "--json", "-q"]) == 0
    again = capsys.readouterr()
    assert (again.err, json.loads(again.out)["notes"]) == ("", notes)
    assert main(["convert", str(path), str(out), "--quiet", "--columns", "9,8"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_what_counts_from_one_comes_back_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "g.txt", tmp_path / "out.csv"
    path.write_text("1 2\n4 5\n")
    assert main(["components", str(path), "--base", "1", "-o", str(out)]) == 0
    assert out.read_text().split()[1:] == ["1,0,1", "2,0,1", "3,1,3", "4,2,4", "5,2,4"]
    assert main(["forest", str(path), "--base", "1", "-o", str(out)]) == 0
    assert out.read_text().split()[1:] == ["1,2", "4,5"]
    found = landbridge.components(path, base=1)
    assert found.frame("pandas")["id"].tolist() == [1, 2, 3, 4, 5]
    assert found.id_kind == "dense"
    assert landbridge.components(chunks=path, base=1).frame("pandas").equals(found.frame("pandas"))
    forest = landbridge.spanning_forest(path, base=1)
    assert sorted(zip(forest.u.tolist(), forest.v.tolist(), strict=True)) == [(1, 2), (4, 5)]
    assert main(["convert", str(path), str(tmp_path / "g.mtx")]) == 0
    assert "vertices are written by number" in capfd.readouterr().err
    assert landbridge.components(tmp_path / "g.mtx").count == 2


def test_the_input_is_not_written_over(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.csv"
    path.write_text("src,dst\n1,2\n")
    for command in (["components", "-o"], ["forest", "-o"], ["convert"]):
        assert main([command[0], str(path), *command[1:], str(path)]) == 2
        assert "is the input, and would be lost" in capfd.readouterr().err
    assert path.read_text() == "src,dst\n1,2\n"
    assert main(["components", "", "--json"]) == 2
    assert "the path is empty" in capfd.readouterr().err
    assert main(["components", str(tmp_path / "none.csv"), "--device", "tpu"]) == 2
    assert "no device 'tpu' here" in capfd.readouterr().err
