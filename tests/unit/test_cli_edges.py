"""Making and converting files of edges from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import landbridge
from landbridge.cli import main
from landbridge.edges.files import FORMATS


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.el"
    path.write_text("0 1\n1 2\n4 5\n")
    return path


def run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "landbridge", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)


def test_generate_convert_components_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generated, converted = tmp_path / "made.el", tmp_path / "converted.csv"
    assert main(["generate", "grid2d(30,20)", "-o", str(generated), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["vertices"], answer["edges"]) == (600, 29 * 20 + 30 * 19)
    assert main(["convert", str(generated), str(converted)]) == 0
    capsys.readouterr()
    for path in (generated, converted):
        assert main(["components", str(path), "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["count"], answer["edges"]) == (1, 29 * 20 + 30 * 19)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["converted.csv", "made.el"]


def test_generators_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--list", "--json"]) == 0
    assert any(row["usage"].startswith("rmat(") for row in json.loads(capsys.readouterr().out))


def test_a_pipe_of_edges_through_two_commands() -> None:
    generated = run("generate", "grid2d(5,5)", "-o", "-")
    assert (generated.returncode, generated.stderr) == (0, b"")
    done = run("components", "-", "--json", stdin=generated.stdout)
    assert json.loads(done.stdout)["count"] == 1


@pytest.mark.parametrize("ending", ["el", "csv", "el.gz", "mtx", "graph", "gr", "sg", "egr", "npz", "npy"])
def test_a_graph_survives_every_format(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, back = str(tmp_path / f"a.{ending}"), str(tmp_path / "back.el")
    assert main(["generate", "gnm(50,40,seed=3)", "-o", path]) == 0
    assert main(["convert", path, back]) == 0
    capsys.readouterr()
    counts = []
    for file in (path, back):
        assert main(["components", file, "--json"]) == 0
        summary = json.loads(capsys.readouterr().out)
        counts.append(summary["count"] - summary["vertices"])
    assert counts[0] == counts[1] < 0


@pytest.mark.parametrize(
    ("name", "lost"), [("a.el", "5 vertices"), ("a.csv", "5 vertices"), ("a.npy", "the last 3 vertices"), ("a.npz", "")]
)
def test_isolated_vertices_are_noted(name: str, lost: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those between others were lost without a note: only vertices with edges are in a list of them."""
    source, out = tmp_path / "g.mtx", str(tmp_path / name)
    source.write_text("%%MatrixMarket matrix coordinate pattern general\n9 9 2\n1 2\n5 6\n")
    assert main(["convert", str(source), out]) == 0
    note = (
        f"note: a list of edges does not hold {lost} without edges: --num-vertices 9 reads it with them, and .npz and"
    )
    assert (note in capsys.readouterr().err) == bool(lost)
    assert main(["components", out, "--json", *(["--num-vertices", "9"] if lost else [])]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["count"], summary["vertices"]) == (7, 9)
    assert main(["convert", out, str(tmp_path / "again.csv")]) == 0  # the ids that occur, or vertices numbered from 0
    assert ("does not hold" in capsys.readouterr().err) == (name in ("a.npy", "a.npz"))


def test_one_isolated_vertex_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "gnm(1,0)", "-o", str(tmp_path / "a.el")]) == 0
    assert "does not hold 1 vertex without edges: --num-vertices 1 reads" in capsys.readouterr().err


def test_original_ids_are_written_back(tmp_path: Path) -> None:
    path, out = tmp_path / "a.el", tmp_path / "b.el"
    path.write_text("9000000000 5\n5 70000000\n")
    assert main(["convert", str(path), str(out), "--ids", "sparse"]) == 0
    assert out.read_text() == "9000000000\t5\n5\t70000000\n"


@pytest.mark.parametrize("ending", [ending for row in FORMATS.values() if row.write for ending in row.extensions])
def test_an_ending_names_the_format_of_its_files(ending: str, tmp_path: Path) -> None:
    """As the name of a file would: csv has commas and a header, where it is written to a file of any name."""
    source, named, out = tmp_path / "g.el", tmp_path / f"named{ending}", tmp_path / "out.bin"
    source.write_text("0 1\n1 2\n3 4\n")
    name = ending.removeprefix(".")
    for command in (["convert", str(source)], ["forest", str(source), "-o"]):
        assert main([*command, str(named), "--ids", "dense"]) == 0
        assert main([*command, str(out), "--ids", "dense", "--output-format", name]) == 0
        if ending != ".npz":  # which has times in it
            assert out.read_bytes() == named.read_bytes()
    assert main(["generate", "grid2d(1,3)", "-o", str(out), "--output-format", name.upper()]) == 0
    if ending in (".csv", ".tsv"):
        assert out.read_text() == ("source,target\n0,1\n1,2\n" if ending == ".csv" else "0\t1\n1\t2\n")


def test_an_ending_decides_before_that_of_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "g.el"
    source.write_text("0 1\n1 2\n")
    for out, name, text in (
        ("a.csv", "tsv", "0\t1\n1\t2\n"),
        ("a.csv", "edges", "source,target\n0,1\n1,2\n"),
        ("a.tsv", "csv", "source,target\n0,1\n1,2\n"),
    ):
        assert main(["convert", str(source), str(tmp_path / out), "--output-format", name]) == 0
        assert (tmp_path / out).read_text() == text
    capsys.readouterr()
    assert main(["convert", str(source), "-", "--output-format", "csv"]) == 0
    assert capsys.readouterr().out == "source,target\n0,1\n1,2\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["generate", "rmat(-1)", "-o", "{dir}/x.el"], "-1"),
        (["generate", "-o", "{dir}/x.el"], "a generator is needed"),
        (["generate", "rmat(4)"], "-o FILE"),
        (["convert", "{graph}", "{dir}/x.el", "--output-format", "papyrus"], "papyrus"),
        (["convert", "{dir}/missing.el", "{dir}/x.el"], "No such file"),
        (["convert", "{graph}", "-", "--json"], "both write to stdout"),
        (["convert", "{graph}", "{dir}/x.png"], "the ending names no format to write"),
        (["convert", "{graph}", "{dir}/no/x.el"], "does not exist"),
    ],
)
def test_a_users_error_writes_nothing(
    arguments: list[str], words: str, graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([a.format(dir=tmp_path, graph=graph) for a in arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("landbridge: ")
    assert shown.err.count("\n") == 1
    assert words in shown.err
    assert list(tmp_path.iterdir()) == [graph]


def test_numbers_with_gaps_are_not_lost_in_an_array(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What is converted has the components of its source, or is refused."""
    source, array = tmp_path / "g.txt", tmp_path / "g.npy"
    source.write_text("10 20\n20 30\n5 7\n")
    assert main(["convert", str(source), str(array)]) == 2
    assert ".txt, .csv and .parquet keep them" in capfd.readouterr().err and not array.exists()
    for ids in ("sparse", "dense"):
        assert main(["convert", str(source), str(array), "--ids", ids]) == 0
        expected, again = (landbridge.components(path, ids=ids) for path in (source, array))
        assert again.count == expected.count and again.labels.tolist() == expected.labels.tolist()
    source.write_text("2 1\n0 1\n3 3\n")
    assert main(["convert", str(source), str(array)]) == 0
    assert landbridge.components(array).labels.tolist() == landbridge.components(source).labels.tolist()
