"""The command line: exit codes, streams, and files that are complete or absent."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from landbridge.cli import labels as label_files
from landbridge.cli import main, output, terminal
from landbridge.cli.app import app
from landbridge.cli.picture import sizes_picture
from landbridge.errors import FileFormatError, InputError
from landbridge.problems import enumerate_plans
from landbridge.result import Components, Profile

EDGES = "# two triangles and a pair\n0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n6 7\n"
LABELS = [0, 0, 0, 1, 1, 1, 2, 2]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.el"
    path.write_text(EDGES)
    return path


@pytest.fixture
def sparse(tmp_path: Path) -> Path:
    path = tmp_path / "sparse.el"
    path.write_text("9000000000 5\n5 70000000\n8 12000000000\n")
    return path


def run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "landbridge", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)


# forests ---------------------------------------------------------------------------------------------------


def test_forest_prints_a_summary(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forest", str(graph), "--check"]) == 0
    shown = capsys.readouterr()
    lines = dict(line.split(": ", 1) for line in shown.out.splitlines())
    assert (lines["trees"], lines["forest edges"], lines["edges"]) == ("3", "5, checked", "7")
    assert shown.err == ""


def test_forest_writes_edges_that_connect_the_same(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, positions = graph.with_name("f.mtx"), graph.with_name("p.npy")
    more = ["--json", "--plan", "async(halve)"]
    assert main(["forest", str(graph), "-o", str(out), "--positions", str(positions), *more]) == 0
    answer = json.loads(capsys.readouterr().out)
    keys = ("count", "forest_edges", "vertices", "edges", "ids", "plan", "device", "checked", "notes")
    assert {k: answer[k] for k in keys} == {
        "count": 3, "forest_edges": 5, "vertices": 8, "edges": 7, "ids": "sparse", "plan": "async(halve)",
        "device": "cpu", "checked": False, "notes": [],
    }  # fmt: skip
    assert answer["seconds"] >= 0
    assert np.load(positions).shape == (5,)
    assert main(["components", str(out), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["count"], again["edges"], again["vertices"]) == (3, 5, 8)


def test_forest_of_sparse_ids_keeps_them(sparse: Path) -> None:
    done = run("forest", sparse, "-o", "-", "--output-format", "edges")
    assert done.returncode == 0, done.stderr
    rows = {tuple(sorted(map(int, line.split()))) for line in done.stdout.decode().splitlines() if line[0] != "#"}
    assert rows == {(5, 9000000000), (5, 70000000), (8, 12000000000)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plan", "rem_cas(naive,splice)"], "splicing hangs a vertex below another tree"),
        (["--positions", "p.txt"], "p.txt: positions are written as .npy"),
        (["-o", "x.what"], "x.what"),
        (["-o", "-", "--json"], "both write to stdout"),
    ],
)
def test_forest_refuses_invalid_arguments(
    graph: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["forest", str(graph), *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1


# results ---------------------------------------------------------------------------------------------------


def test_components_prints_a_summary(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["components", str(graph)]) == 0
    shown = capsys.readouterr()
    lines = dict(line.split(": ", 1) for line in shown.out.splitlines())
    assert lines["components"] == "3"
    assert lines["vertices"] == "8"
    assert lines["edges"] == "7"
    assert lines["largest"].startswith("3 vertices")
    assert shown.err == ""


def test_components_json_is_one_object(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["components", str(graph), "--json", "--threads", "2"]) == 0
    shown = capsys.readouterr()
    answer = json.loads(shown.out)
    assert shown.out.count("\n") == 1
    assert {k: answer[k] for k in ("count", "largest", "vertices", "edges", "device")} == {
        "count": 3, "largest": 3, "vertices": 8, "edges": 7, "device": "cpu",
    }  # fmt: skip
    assert answer["seconds"] >= 0
    assert answer["plan"]


@pytest.mark.parametrize("plan", ["kout(2)+rem_cas(naive,split_one)", "as.h:coo", "afforest", "bfscc"])
def test_the_requested_plan_is_reported(graph: Path, plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    from landbridge.plan import parse

    assert main(["components", str(graph), "--json", "--plan", plan]) == 0
    answer = json.loads(capsys.readouterr().out)
    reported = parse(answer["plan"])
    assert (reported.sample, reported.finish) == (parse(plan).sample, parse(plan).finish)
    assert answer["count"] == 3


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "tsv.zst", "npy", "npz", "parquet"])
@pytest.mark.parametrize("ids", ["dense", "sparse", "names"])
def test_labels_are_written_and_check_accepts_them(
    graph: Path, tmp_path: Path, suffix: str, ids: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    if suffix.endswith("zst"):
        pytest.importorskip("zstandard")
    if (suffix, ids) in (("npy", "sparse"), ("npy", "names")):
        pytest.skip("refused: the file would hold no ids")
    out = tmp_path / f"labels.{suffix}"
    assert main(["components", str(graph), "--ids", ids, "-o", str(out)]) == 0
    labels, vertices, _ = label_files.read(str(out), ids == "names")
    assert labels.tolist() == LABELS
    assert vertices is None or list(map(int, vertices)) == list(range(8))
    assert main(["check", str(graph), str(out), "--ids", ids, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {
        "ok": True,
        "count": 3,
        "vertices": 8,
        "edges": 7,
        "ids": ids,
        "notes": [],
    }
    assert sorted(p.name for p in tmp_path.iterdir()) == ["graph.el", out.name]


def test_csv_has_the_columns_of_a_frame(graph: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["components", str(graph), "-o", "-"]) == 0
    rows = "".join(f"{v},{label},{label * 3}\n" for v, label in enumerate(LABELS))
    assert capfdbinary.readouterr().out == ("id,component,representative\n" + rows).encode()


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_sparse_ids_round_trip(sparse: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"labels.{suffix}"
    assert main(["components", str(sparse), "--ids", "sparse", "-o", str(out)]) == 0
    labels, vertices, _ = label_files.read(str(out))
    assert vertices is not None
    assert vertices.tolist() == [5, 8, 70000000, 9000000000, 12000000000]
    assert labels.tolist() == [0, 1, 0, 0, 1]
    assert main(["check", str(sparse), str(out), "--ids", "sparse"]) == 0


@pytest.mark.parametrize("more", [[], ["--stream"]])
def test_sparse_ids_may_be_negative(tmp_path: Path, more: list[str], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "pairs.parquet"
    pandas.DataFrame({"left": [-1, 2, 3], "right": [3, 4, 7]}).to_parquet(path)
    assert main(["components", str(path), "--ids", "sparse", "-q", "-o", "-", *more]) == 0
    assert capfdbinary.readouterr().out.splitlines()[1:] == [b"-1,0,-1", b"2,1,2", b"3,0,-1", b"4,1,2", b"7,0,-1"]
    if not more:
        out = tmp_path / "labels.csv"
        assert main(["components", str(path), "--ids", "sparse", "-q", "-o", str(out)]) == 0
        assert main(["check", str(path), str(out), "--ids", "sparse"]) == 0


@pytest.mark.parametrize("ids", ["sparse", "names"])
@pytest.mark.parametrize("more", [[], ["--stream"]])
def test_npy_that_would_lose_ids_is_refused_with_alternatives(
    sparse: Path, tmp_path: Path, ids: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out, ids_out = tmp_path / "labels.npy", tmp_path / "ids.npy"
    command = ["components", str(sparse), "--ids", ids, "-o", str(out), *more]
    assert main(command) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert ".npy holds labels alone" in message
    assert "--ids-output IDS.npy" in message
    assert ("--ids dense" in message) == (ids == "sparse")
    assert list(tmp_path.iterdir()) == [sparse]
    assert main([*command, "--ids-output", str(ids_out)]) == 0
    labels, names = np.load(out), np.load(ids_out).tolist()
    assert len(labels) == len(names) == 5
    group = dict(zip(map(int, names), labels.tolist(), strict=True))
    assert {x for x in group if group[x] == group[5]} == {5, 70000000, 9000000000}
    assert main(["check", str(sparse), str(out), "--ids", ids]) == 0


def test_ids_of_dense_vertices_are_their_numbers(graph: Path, tmp_path: Path) -> None:
    out, ids_out = tmp_path / "labels.npy", tmp_path / "ids.npy"
    assert main(["components", str(graph), "--num-vertices", "9", "-o", str(out), "--ids-output", str(ids_out)]) == 0
    assert np.load(out).tolist() == [*LABELS, 3]
    assert np.load(ids_out).tolist() == list(range(9))


def test_columns_choose_the_edges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("score,a,b\n7,0,1\n7,2,3\n")
    assert main(["components", str(path), "--columns", "a,b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["count"] == 2
    assert main(["components", str(path), "--columns", "1,2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["count"] == 2


def test_columns_by_position_leave_the_header_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("source,target,note\nann,bob,hi\ncy,dan,ho\n")
    for columns in ([], ["--columns", "0,2"]):
        assert main(["components", str(path), *columns]) == 0
        assert "line 1 is taken as a header (source, target, note)" in capsys.readouterr().err


def test_plans_lists_the_enumeration(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plans"]) == 0
    assert capsys.readouterr().out.splitlines() == enumerate_plans()
    assert main(["plans", "--layout", "coo", "--extended", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == enumerate_plans(layout="coo", extended=True)


def test_rules_and_historic_names_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plans", "--rules", "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)
    assert {"axis": "find", "name": "halve"}.items() <= next(r for r in rules if r["name"] == "halve").items()
    assert main(["plans", "--aliases"]) == 0
    assert any(
        line.startswith("afforest\tkout(2)+afforest(compress)\t") for line in capsys.readouterr().out.splitlines()
    )


def test_explain_and_info_print_text_and_json(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["explain", str(graph)], ["info"]):
        assert main(command) == 0
        assert capsys.readouterr().out.strip()
        assert main([*command, "--json"]) == 0
        assert isinstance(json.loads(capsys.readouterr().out), dict)


def test_demo_checks_its_answer_and_draws_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "demo.svg"
    assert main(["demo", "--graph", "rmat(12,edges=9000,seed=1)", "-o", str(picture), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["checked"] is True
    assert answer["edges"] == 9000
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert str(answer["count"]) in picture.read_text().replace(",", "")


def test_help_names_every_command() -> None:
    shown = CliRunner().invoke(app, ["--help"])
    assert shown.exit_code == 0
    for name in (
        "components",
        "check",
        "forest",
        "why",
        "rank",
        "convert",
        "plans",
        "explain",
        "info",
        "demo",
        "completion",
    ):
        assert name in shown.output


# errors ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["components", "{dir}/missing.el"], "missing.el: No such file"),
        (["components"], "missing argument 'FILE'"),
        (["why", "{graph}", "0"], "missing argument 'FILE' (landbridge why [OPTIONS] FILE... U V)"),
        (["check", "{graph}"], "missing argument 'FILE' (landbridge check [OPTIONS] FILE... LABELS)"),
        (["components", "{graph}", "--speed", "9"], "--speed"),
        (["components", "{graph}", "--threads", "0"], "--threads"),
        (["components", "{graph}", "--threads", "many"], "--threads"),
        (["colour"], "colour"),
        (
            ["components", "{graph}", "--plan", "kout(2)+asinc"],
            "unknown finish 'asinc'; did you mean 'async'?",
        ),
        (["components", "{graph}", "--plan", "rem_cas(compress,splice)"], "an edge is lost"),
        (["components", "{graph}", "--ids", "roman"], "roman"),
        (["components", "{graph}", "--format", "papyrus"], "papyrus"),
        (["components", "{graph}", "-o", "{dir}/labels.xyz"], "labels are written as .csv"),
        (["components", "{graph}", "-o", "{dir}/no/labels.csv"], "does not exist"),
        (["components", "{graph}", "-o", "{dir}"], "is a directory"),
        (["components", "{graph}", "-o", ""], "the path to write to is empty; - is standard output"),
        (["forest", "{graph}", "-o", ""], "the path to write to is empty; - is standard output"),
        (["components", "{graph}", "--columns", "1,1"], "the column 1 is named twice; an edge is in two columns"),
        (["components", "{graph}", "--timeout", "nan"], "--timeout is a number of seconds above 0, not nan"),
        (["components", "{graph}", "-o", "-", "--json"], "both write to stdout"),
        (["components", "{bad}"], "line 2"),
        (["check", "{graph}", "{graph}"], "labels are read from"),
        (["plans", "--layout", "cso"], "unknown layout 'cso'"),
        (["plans", "--problem", "incremental", "--layout", "csr"], "there is no plan of incremental with --layout csr"),
        (["generate", "--list", "-o", "never.txt"], "-o would have no effect: --list prints the generators"),
        (["generate", "--list", "--seed", "0"], "--seed would have no effect: --list prints the generators"),
        (["generate", "path(3)", "--list"], "a generator would have no effect: --list prints the generators"),
        (["plans", "--rules", "--engine", "cpu"], "--engine would have no effect: it is about the list of plans"),
        (["plans", "--aliases", "--extended"], "and --aliases prints another"),
        (["plans", "--aliases", "--rules"], "--rules and --aliases print a list each"),
        (["components", "{graph}", "--output-format", "csv"], "--output-format csv would have no effect"),
        (["forest", "{graph}", "--output-format", "csv"], "--output-format csv would have no effect"),
    ],
)
def test_a_users_error_is_one_line_and_exit_code_2(
    arguments: list[str], words: str, graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.el"
    bad.write_text("0 1\n1 x\n")
    before = sorted(tmp_path.iterdir())
    assert main([a.format(dir=tmp_path, graph=graph, bad=bad) for a in arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("landbridge: ")
    assert shown.err.count("\n") == 1
    assert words in shown.err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "labels",
    [
        [0, 0, 0, 1, 1, 1, 1, 1],  # merged
        [0, 0, 0, 1, 1, 1, 2, 3],  # split
        [1, 0, 0, 2, 2, 2, 3, 3],  # vertex 0 cut off
        [0, 0, 0, 1, 1, 1, 2],  # too few
    ],
)
def test_check_refuses_wrong_labels_with_exit_code_1(
    labels: list[int], graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "labels.npy"
    np.save(path, np.array(labels, dtype=np.int32))
    assert main(["check", str(graph), str(path)]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"landbridge: {path}: ")
    assert shown.err.count("\n") == 1
    assert main(["check", str(graph), str(path), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False
    assert answer["problem"]


@pytest.mark.parametrize("rows", ["0,0\n1,0\n2,0\n3,1\n4,1\n5,1\n6,2\n6,2\n", "0,0\n1,0\n"])
def test_check_refuses_a_csv_without_every_vertex(rows: str, graph: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("vertex,label\n" + rows)
    assert main(["check", str(graph), str(path)]) == 1


def test_a_csv_may_list_the_vertices_in_any_order(graph: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("vertex,label\n" + "".join(f"{v},{LABELS[v]}\n" for v in reversed(range(8))))
    assert main(["check", str(graph), str(path)]) == 0


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.csv", b"v,l\n0,0\n", FileFormatError),
        ("a.csv", b"vertex,label\nx,y\n", FileFormatError),
        ("a.csv", b"vertex,label\n0,0\n1,y\n", FileFormatError),
        ("a.csv", b"id,component,representative\na,0\n", FileFormatError),
        ("a.csv", b"id,component\na,0\nb,-1\n", FileFormatError),
        ("a.csv", b"id,component\na,0\n\xff,0\n", FileFormatError),
        ("a.csv.gz", b"id,component\na,y\n", FileFormatError),
        ("a.csv", b"", FileFormatError),
        ("a.npy", b"nonsense", InputError),
        ("a.npz", b"PK\x03\x04 broken", InputError),
    ],
)
def test_broken_label_files_are_refused(tmp_path: Path, name: str, content: bytes, error: type[Exception]) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(error) as caught:
        label_files.read(str(path))
    assert name in str(caught.value)


def test_pickled_labels_are_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError):
        label_files.read(str(path))


def answer(labels: list[int], ids: Any) -> Components:
    """A result with these labels and ids."""
    id_array = None if ids is None else np.array(ids, dtype=object if isinstance(ids[0], str | bytes) else None)
    profile = Profile({}, 0.0, 1, 0.0)
    return Components(max(labels, default=-1) + 1, np.array(labels, dtype=np.int32), "p", "cpu", profile, id_array)


def test_text_ids_survive_a_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    result = answer([0, 1, 0, 2, 3, 4, 5, 6, 7], ["", "a,b", "c", 'd"e', " f", "#g", "h\ti", "j\r\nk", "é\u2028"])
    label_files.write(str(path), "csv", result)
    labels, vertices, _ = label_files.read(str(path), names=True)
    assert labels.tolist() == result.labels.tolist()
    assert vertices is not None
    assert vertices.tolist() == result.ids.tolist()


# whole processes: pipes, signals ---------------------------------------------------------------------------


def test_a_pipe_in_and_a_pipe_out() -> None:
    done = run("components", "-", "-o", "-", stdin=EDGES.encode())
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[1:] == [f"{v},{label},{3 * label}" for v, label in enumerate(LABELS)]
    assert done.stderr == b""


def test_labels_go_to_stdout_as_npy() -> None:
    done = run("components", "-", "-o", "-", "--output-format", "npy", "--ids", "dense", stdin=EDGES.encode())
    assert np.load(io.BytesIO(done.stdout), allow_pickle=False).tolist() == LABELS


def test_exit_codes_of_the_process(graph: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "wrong.npy", np.zeros(8, np.int32))
    assert run("plans").returncode == 0
    assert run("check", graph, tmp_path / "wrong.npy").returncode == 1
    done = run("components", "--nonsense")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1


def test_a_closed_pipe_is_quiet() -> None:
    command = [sys.executable, "-m", "landbridge", "plans"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


SLOW_WRITER = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy
from landbridge.cli import labels, main
def slowly(out, path, found, separator, threads):
    out.write(b"half")
    out.flush()
    print("writing", flush=True)
    time.sleep(60)
labels._write_text = slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("existing", [False, True])
def test_an_interrupted_write_leaves_nothing(graph: Path, tmp_path: Path, sent: int, code: int, existing: bool) -> None:
    out = tmp_path / "labels.csv"
    if existing:
        out.write_text("old")
    before = sorted(tmp_path.iterdir())
    command = [sys.executable, "-c", textwrap.dedent(SLOW_WRITER), "components", str(graph), "-o", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"writing\n"
        assert len(list(tmp_path.iterdir())) == len(before) + 1
        started = time.monotonic()
        process.send_signal(sent)
        assert process.wait(30) == code
        assert time.monotonic() - started < 30
        what = "interrupted" if code == 130 else "terminated"
        assert process.stderr.read().decode() == f"landbridge: {what} while writing {out}\n"
    assert sorted(tmp_path.iterdir()) == before
    assert not existing or out.read_text() == "old"


def test_an_interrupt_between_tasks_is_reported(
    graph: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal, "work", interrupted)
    monkeypatch.setattr(terminal, "_doing", "reading a graph")
    monkeypatch.setattr(terminal, "_is_done", False)
    assert main(["components", str(graph)]) == 130
    assert capsys.readouterr().err == "landbridge: interrupted while reading a graph\n"


@pytest.mark.parametrize(("seconds", "when"), [(0, "after"), (2, "while")])
def test_an_interrupt_as_a_task_ends_is_reported_as_after_it(seconds: float, when: str) -> None:
    ended = threading.Event()

    def task(_: object) -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        ended.wait(seconds)

    with pytest.raises(terminal.Interrupted):
        terminal.work("writing a.csv", task)
    assert terminal.when() == f"{when} writing a.csv"
    ended.set()


# parts -----------------------------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    out.write_text("old")
    with pytest.raises(ZeroDivisionError), output.replacing(str(out)) as beside:
        beside.write_text("new")
        raise ZeroDivisionError
    assert out.read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_written_file_keeps_mode_and_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    with output.replacing(str(link)) as beside:
        assert beside.suffix == ".csv"
        beside.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_new_file_gets_the_mode_of_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        with output.replacing(str(tmp_path / "a")) as beside:
            beside.write_text("new")
    finally:
        os.umask(old)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_not_replaced() -> None:
    with output.replacing("/dev/null") as beside:
        assert beside == Path("/dev/null")


def test_the_error_of_a_task_is_raised_to_its_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        terminal.work("dividing", lambda _: 1 // 0)
    assert terminal.work("adding", lambda _: 1 + 1) == 2
    assert not terminal.working()


def test_the_picture_shows_every_group_of_sizes() -> None:
    sizes = np.array([1] * 1000 + [2, 3, 3] + [100000])
    root = ElementTree.fromstring(sizes_picture(sizes, "a < b", "c & d"))
    bars = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert bars == [
        "a < b",
        "1,000 components of 1 vertex",
        "3 components of 2 to 3 vertices",
        "1 component of 65,536 to 131,071 vertices",
    ]


@pytest.mark.parametrize("sizes", [[], [1], [1, 1], [2**40]])
def test_the_picture_of_few_components_is_well_formed(sizes: list[int]) -> None:
    ElementTree.fromstring(sizes_picture(np.array(sizes, dtype=np.int64), "t", "s"))
