"""Closed streams, full disks, early interrupts: one line, the right exit code, no traceback."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import MissingDependency, _early
from landbridge.cli import labels, main, output, terminal
from landbridge.edges import files
from landbridge.edges.forms import EdgeList

COMMAND = [sys.executable, "-m", "landbridge"]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.txt"
    path.write_text("0 1\n1 2\n4 5\n")
    return path


def shell(line: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A line of the shell; "$@" in it are the command and its arguments."""
    words = ["sh", "-c", line, "sh", *COMMAND, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)


def test_a_closed_stdin_is_the_users_error() -> None:
    done = shell('"$@" <&-', "components", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "landbridge: <stdin>: standard input is closed\n"


@pytest.mark.parametrize("arguments", [("--json",), (), ("-o", "-")])
def test_a_closed_stdout_is_the_users_error(graph: Path, arguments: tuple[str, ...]) -> None:
    done = shell('"$@" >&-', "components", graph, *arguments)
    assert (done.returncode, done.stderr) == (2, "landbridge: stdout is closed: there is nowhere to print to\n")


def test_a_closed_stderr_prints_nothing_elsewhere(graph: Path) -> None:
    done = shell('"$@" 2>&-', "components", graph.with_name("none.txt"))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    done = shell('"$@" 2>&-', "components", graph, "--json")
    assert done.returncode == 0
    assert done.stdout.startswith('{"count": 2')


def test_the_descriptor_of_a_closed_stream_is_not_reused(graph: Path, tmp_path: Path) -> None:
    out = tmp_path / "labels.npy"
    done = shell('"$@" <&- >&- 2>&-', "components", graph, "--ids", "dense", "-o", out)
    assert done.returncode == 2
    assert np.load(out).tolist() == [0, 0, 0, 1, 2, 2]


def test_a_command_ends_at_its_time_limit(tmp_path: Path) -> None:
    silent = tmp_path / "silent.txt"
    os.mkfifo(silent)  # nothing is ever written to it
    began = time.monotonic()
    done = shell('"$@"', "components", silent, "--timeout", 0.2, "-o", tmp_path / "out.csv")
    assert (done.returncode, done.stdout) == (124, "")
    assert done.stderr == f"landbridge: reading {silent}: not done after 0.2 s, the --timeout\n"
    assert time.monotonic() - began < 30
    assert sorted(x.name for x in tmp_path.iterdir()) == ["silent.txt"]
    done = shell('"$@"', "components", silent, "--timeout", 0)
    assert (done.returncode, done.stderr) == (2, "landbridge: --timeout is a number of seconds above 0, not 0\n")


def test_a_limit_beyond_any_clock_is_none(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seconds in ("inf", "1e300"):
        try:
            assert main(["components", str(graph), "--timeout", seconds]) == 0
        finally:
            terminal.limit(None)
    for limit in (float("inf"), 1e300, 10**400):
        with landbridge.time_limit(limit):
            assert landbridge.components(([0], [1])).count == 1
    capsys.readouterr()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("format_", ["csv", "npy", "npz", "parquet"])
def test_a_full_disk_is_reported_with_the_file(graph: Path, format_: str) -> None:
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
    done = shell('"$@"', "components", graph, "--ids", "dense", "-o", "/dev/full", "--output-format", format_)
    assert done.returncode == 2
    assert done.stderr.startswith("landbridge: /dev/full: No space left on device")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_stdout_is_reported(graph: Path) -> None:
    done = shell('"$@" >/dev/full', "components", graph, "--json")
    assert (done.returncode, done.stderr) == (2, "landbridge: <stdout>: No space left on device\n")


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_fills_up_names_the_target_not_the_file_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = str(tmp_path / "labels.csv")
    monkeypatch.setattr(output, "_to_disk", full)
    with pytest.raises(OSError, match="No space") as caught:
        labels.write(target, "csv", landbridge.components(([0], [1])))
    assert caught.value.filename == target
    edges = str(tmp_path / "edges.txt")
    monkeypatch.setattr(files, "write_stream", full)
    with pytest.raises(OSError, match="No space") as caught:
        files.write_edges((np.array([0]), np.array([1])), edges)
    assert caught.value.filename == edges
    assert list(tmp_path.iterdir()) == []


LOADING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.orig_argv, sys.argv[0] = ["python", "-X", "dev", "-m", "landbridge", "info"], "-m"
class Waits:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            print("loading", flush=True)
            import time
            time.sleep(60)
sys.meta_path.insert(0, Waits())
from landbridge.cli import main
sys.exit(main(["info"]))
"""


@pytest.mark.parametrize(
    ("module", "code", "message"), [("typer", -signal.SIGINT, b""), ("numpy", 130, b"landbridge: interrupted\n")]
)
def test_an_interrupt_while_the_command_loads_shows_no_traceback(module: str, code: int, message: bytes) -> None:
    """Before a command starts the signal ends the process; from then on it is an exit code and one line."""
    command = [sys.executable, "-c", LOADING, module]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"loading\n"
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == code
        assert time.monotonic() - started < 30
        assert process.stderr.read() == message


def test_a_program_that_imports_landbridge_keeps_its_interrupts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for before_it, arguments in (
            (["python", "-m"], ["-m", "pytest", "landbridge"]),
            (["python"], ["program.py", "-m", "landbridge"]),
            (["pytest"], ["pytest", "-m", "landbridge"]),
        ):
            monkeypatch.setattr(sys, "orig_argv", [*before_it, *arguments[arguments[0] == "-m" :]])
            monkeypatch.setattr(sys, "argv", arguments)
            _early.interrupts_end_the_command()
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        monkeypatch.setattr(sys, "argv", ["/usr/bin/landbridge", "info"])
        _early.interrupts_end_the_command()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        _early.interrupts_raise()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _early.interrupts_end_the_command()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_nothing_is_imported_before_interrupts_are_set() -> None:
    folder = Path(landbridge.__file__).parents[1]
    source = (folder / "landbridge" / "_early.py").read_text()
    lines = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert [line.split()[1] for line in lines] == ["__future__", "_signal", "sys"]
    assert {"_signal", "sys"} <= set(sys.builtin_module_names)
    package = (folder / "landbridge" / "__init__.py").read_text()
    first = next(line for line in package.splitlines() if line.startswith(("import ", "from ")))
    assert first.startswith("from landbridge import _early")


TOO_LITTLE = """
import resource, sys
from landbridge.cli import main
import landbridge.cli.run
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
sys.exit(main(sys.argv[1:]))
"""


def test_an_allocation_failure_is_reported_in_bytes(tmp_path: Path) -> None:
    path = tmp_path / "wide.mtx"
    n = 1_500_000_000
    path.write_text(f"%%MatrixMarket matrix coordinate pattern general\n{n} {n} 1\n1 {n}\n")
    command = [sys.executable, "-c", TOO_LITTLE, "components", str(path), "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ})
    assert done.returncode == 2
    assert done.stderr == f"landbridge: {path}: no memory for the labels: {4 * n} bytes (5.6 GiB)\n"


def test_a_missing_package_for_labels_is_reported_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(labels, "import_module", gone)
    with pytest.raises(MissingDependency, match="pyarrow"):
        labels.format_of("labels.parquet", None)


def test_a_quiet_command_prints_no_summary_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text("0 1\n1 2\n")
    np.save("l.npy", [1, 1])
    for command in ("components g.txt", "forest g.txt", "convert g.txt c.csv", "generate gnm(4,3)", "rank l.npy"):
        out = [] if command.startswith("convert") else ["-o", f"{command[:4]}.{'csv' if command[0] != 'r' else 'npy'}"]
        assert main([*command.split(), *out, "-q"]) == 0
        assert capfd.readouterr() == ("", ""), command
    assert main(["components", "g.txt", "-q"]) == 0
    assert "components: 1" in capfd.readouterr().out


def test_arcs_are_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text("0 1\n1 2\n")
    lines = ("convert g.txt g.sg", "components g.sg", "forest g.sg", "convert g.sg g.csv", "components g.csv")
    summaries = []
    for line in lines:
        assert main(line.split()) == 0
        out, err = capfd.readouterr()
        summaries.append([text for text in (out + err).splitlines() if re.search(r"arc|edges of|edges: |g.sg: ", text)])
    assert summaries == [
        ["g.sg: 2 edges"],
        ["arcs: 4"],
        ["forest edges: 2", "arcs: 4"],
        [
            "g.csv: 4 arcs of 3 vertices",
            "note: an edge for each arc of the input: one that is stored in both directions is written twice",
        ],
        ["edges: 4"],
    ]


def test_wrong_words_are_reported_in_plain_words(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["journal", "chek", "x"]) == 2
    assert capfd.readouterr().err == "landbridge: invalid value for 'action': 'chek' is not one of 'check', 'repair'\n"


def test_negative_ids_of_a_table_reach_every_format_of_edges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    edges = EdgeList(np.array([-5, -3, -5]), np.array([-3, 7, 7]), occurring=True)
    files.write_edges(edges, "n.parquet")
    assert main(["forest", "n.parquet", "--ids", "sparse", "-o", "-"]) == 0
    assert capfd.readouterr().out == "-5\t-3\n-3\t7\n"
    for name in ("f.csv", "f.parquet", "f.npy"):
        assert main(["forest", "n.parquet", "--ids", "sparse", "-o", name]) == 0
        ids = "names" if name == "f.csv" else "sparse"
        assert main(["components", name, "--ids", ids, "--json"]) == 0
        assert '"count": 1, "largest": 3' in capfd.readouterr().out.splitlines()[-1]
    assert main(["forest", "n.parquet", "--ids", "sparse", "-o", "f.npz"]) == 0
