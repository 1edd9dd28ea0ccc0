"""The input of a command line: every option reaches the reader, for every command that reads edges."""

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
    "why": (["1", "2"], []),
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


class Call(Exception):
    """The arguments of a reader."""

    def __init__(self, source: Any, format: str | None, options: Options) -> None:
        super().__init__("called")
        self.source, self.format, self.options = source, format, options


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """The calls of readers, each of which is refused."""
    result: list[Call] = []

    def read(source: Any, *, format: str | None = None, options: Options) -> Any:
        result.append(Call(source, format, options))
        raise InputError("called")

    def in_chunks(source: Any, options: Options, request: Any, **more: Any) -> Any:
        return read(source, format=more["format"], options=options)

    monkeypatch.setattr(files, "read", read)
    monkeypatch.setattr(chunks, "run_chunks", in_chunks)
    return result


def words_of(command: str, *options: str) -> list[str]:
    more, flags = COMMANDS[command]
    return ["components" if command == "stream" else command, *flags, *options, "a.csv", "b c.csv", *more]


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_reaches_the_reader(option: str, calls: list[Call], capsys: pytest.CaptureFixture[str]) -> None:
    words, expected = OPTIONS[option]
    assert main(["components", "a.csv", *words]) == 2
    assert capsys.readouterr().err == "landbridge: called\n"
    assert {key: getattr(calls[0].options, key) for key in expected} == expected
    assert (calls[0].source, calls[0].format) == ("a.csv", None)
    assert calls[0].options.progress is not None


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_passes_all_options_and_files(command: str, calls: list[Call]) -> None:
    names = ("pipe", "no header", "comment", "base", "columns", "encoding", "threads")
    options = [word for name in names for word in OPTIONS[name][0]]
    assert main(words_of(command, *options, "--format", "edges")) == 2
    expected = {key: value for name in names for key, value in OPTIONS[name][1].items()}
    assert {key: getattr(calls[0].options, key) for key in expected} == expected
    assert (calls[0].source, calls[0].format) == (["a.csv", "b c.csv"], "edges")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--columns", "a"], "--columns names two columns with a comma between them, not 'a'"),
        (["--columns", "a,b,c"], "--columns names two columns"),
        (["--header", "perhaps"], "'perhaps' is not one of 'auto', 'yes', 'no'"),
        (["--delimiter", "::"], "--delimiter must be one character"),
        (["--delimiter", ""], "--delimiter must be one character"),
        (["--comment", "a"], "--comment must be characters"),
        (["--base", "2"], "'--base'"),
        (["--num-vertices", "-1"], "'--num-vertices'"),
        (["--base", "1", "--ids", "names"], "--base has no meaning with --ids names"),
        (["--num-vertices", "3", "--ids", "sparse"], "--num-vertices has no meaning with --ids sparse"),
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
    summary: dict[str, Any] = json.loads(capsys.readouterr().out)
    return summary


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
    summary = answer(capsys, path, *words, *stream)
    assert (summary["ids"], summary["count"], summary["vertices"]) == expected
    assert (summary["file"], summary["files"]) == (str(path), [str(path)])


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
        summary = answer(capsys, *words, *stream)
        assert (summary["ids"], summary["count"], summary["vertices"], summary["edges"]) == ("names", 1, 6, 5), words
        assert summary["files"] == list(map(str, words))


def test_quiet_omits_notes_and_prints_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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


def test_base_one_holds_for_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "g.txt", tmp_path / "out.csv"
    path.write_text("1 2\n4 5\n")
    assert main(["components", str(path), "--base", "1", "-o", str(out)]) == 0
    assert out.read_text().split()[1:] == ["1,0,1", "2,0,1", "3,1,3", "4,2,4", "5,2,4"]
    assert main(["forest", str(path), "--base", "1", "-o", str(out)]) == 0
    assert out.read_text().split()[1:] == ["1,2", "4,5"]
    capfd.readouterr()
    for command in ("components", "forest"):
        for base, words in ("1", "ids: dense: 1 to n\n"), ("0", "ids: dense: 0 to n-1\n"):
            assert main([command, str(path), "--base", base]) == 0
            assert words in capfd.readouterr().out
    result = landbridge.components(path, base=1)
    assert result.frame("pandas")["id"].tolist() == [1, 2, 3, 4, 5]
    assert result.id_kind == "dense"
    assert landbridge.components(chunks=path, base=1).frame("pandas").equals(result.frame("pandas"))
    forest = landbridge.spanning_forest(path, base=1)
    assert sorted(zip(forest.u.tolist(), forest.v.tolist(), strict=True)) == [(1, 2), (4, 5)]
    assert main(["convert", str(path), str(tmp_path / "g.mtx")]) == 0
    assert "vertices are written by number" in capfd.readouterr().err
    assert landbridge.components(tmp_path / "g.mtx").count == 2


def test_the_input_is_not_overwritten(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
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


def test_a_file_of_an_input_folder_or_pattern_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in/deep").mkdir(parents=True)
    for name in ("in/1.csv", "in/2.csv", "in/deep/3.csv"):
        Path(name).write_text("src,dst\n1,2\n")
    Path("link").symlink_to("in")
    Path("other.csv").symlink_to("in/2.csv")
    lost, again = "is the input, and would be lost", "the next time; write it elsewhere"
    for source, out, problem in (
        ("in", "in/2.csv", lost),
        ("in", "link/2.csv", lost),
        ("link", "in/2.csv", lost),
        ("in", "other.csv", lost),
        ("in", "in/deep/3.csv", lost),
        ("in/[12].csv", "in/2.csv", lost),
        ("in/*.csv", "other.csv", lost),
        ("i?", "in/2.csv", lost),
        ("in/**/*.csv", "in/deep/3.csv", lost),
        ("in", "in/labels.csv", again),
        ("in", "link/deep/labels.csv", again),
        ("in/*.csv", "link/labels.csv", again),
        ("in/**/*.csv", "in/deep/labels.csv", again),
        ("*", "in/labels.csv", again),
    ):
        for command in (["components", "-o"], ["forest", "-o"], ["convert"]):
            assert main([command[0], source, *command[1:], out]) == 2, (command, source, out)
            assert problem in capfd.readouterr().err
    assert main(["components", "in", "--ids-output", "in/ids.npy"]) == 2
    assert main(["forest", "in", "--positions", "in/positions.npy"]) == 2
    assert Path("in/2.csv").read_text() == "src,dst\n1,2\n"
    for source, out in (
        ("in", "out.csv"),
        ("in", "in/_labels.csv"),
        ("in/*.csv", "in/labels.tsv"),
        ("in/*.csv", "in/deep/labels.csv"),
        ("in/[12].csv", "in/3.csv"),
    ):
        assert main(["components", source, "-o", out]) == 0, (source, out)
    assert landbridge.components("in/[12].csv").count == 1


@pytest.mark.parametrize("command", ["components g.txt --ids-output", "forest g.txt --positions"])
def test_two_outputs_are_two_files(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text("0 1\n1 2\n")
    Path("deep").mkdir()
    Path("folder").symlink_to("deep")
    Path("ahead.npy").symlink_to("same.npy")  # before that is there
    Path("old.npy").write_bytes(b"old")
    Path("link.npy").symlink_to("old.npy")
    Path("second.npy").hardlink_to("old.npy")
    for first, out in (
        ("same.npy", "same.npy"),
        ("same.npy", "./same.npy"),
        (str(tmp_path / "same.npy"), "same.npy"),
        ("ahead.npy", "same.npy"),
        ("folder/same.npy", "deep/same.npy"),
        ("old.npy", "link.npy"),
        ("link.npy", "second.npy"),
    ):
        assert main([*command.split(), first, "-o", out]) == 2, (first, out)
        problem = f"{first}: is the file of another output, {out}, and one of the two would be lost"
        assert problem in capfd.readouterr().err
    assert not Path("same.npy").exists() and Path("old.npy").read_bytes() == b"old"
    for first, out in (("same.npy", "deep/same.npy"), ("a.npy", "/dev/null"), ("b.npy", "c.npy"), ("d.npy", "-")):
        assert main([*command.split(), first, "-o", out]) == 0, (first, out)


def test_the_list_that_is_ranked_is_not_overwritten(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list.csv"
    path.write_text("1\n1\n")
    assert main(["rank", str(path), "-o", str(path)]) == 2
    assert "is the input, and would be lost" in capfd.readouterr().err
    assert path.read_text() == "1\n1\n"


@pytest.mark.parametrize("argument", [["--columns", "-1,0"], ["--columns=-1,0"]])
def test_columns_are_counted_from_zero(argument: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A number below 0 is the name of a column, if one has it."""
    path = tmp_path / "g.csv"
    for text, problem in (
        ("1,2\n2,3\n", "no header line names the columns, so '-1' cannot be found (positions count from 0)"),
        ("src,dst\n1,2\n", "there is no column '-1' (positions count from 0); the header has src, dst"),
    ):
        path.write_text(text)
        assert main(["components", str(path), *argument]) == 2
        assert capsys.readouterr().err == f"landbridge: {path}: {problem}\n"
    path.write_text("a,-1\n1,2\n2,3\n")
    assert main(["components", str(path), *argument, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["count"] == 1
