"""The program in a shell: what it loads, what it completes, where its files go, and unexpected errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import landbridge
from landbridge.cli import main
from landbridge.edges import files

EDGES = "0 1\n1 2\n4 5\n"
ROWS = "id,component,representative\n0,0,0\n1,0,0\n2,0,0\n4,1,4\n5,1,4\n"


def run(*words: object, folder: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "landbridge", *map(str, words)]
    source = str(Path(landbridge.__file__).parents[1])
    paths = os.pathsep.join(filter(None, [variables.pop("PYTHONPATH", ""), source, os.environ.get("PYTHONPATH", "")]))
    env = os.environ | variables | {"PYTHONPATH": paths}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=folder, env=env)


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line of bash; "$@" in it is the command."""
    words = ["bash", "-c", line, "bash", sys.executable, "-m", "landbridge"]
    env = os.environ | {"PYTHONPATH": str(Path(landbridge.__file__).parents[1])}
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60, cwd=folder, env=env)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.txt"
    path.write_text(EDGES)
    return path


LOADED = """
import sys
from landbridge.cli import main
main(sys.argv[1:])
print(sorted({"typer", "rich", "numpy", "pyarrow", "landbridge._core"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("words", "loaded"),
    [(["--version"], []), (["--help"], ["typer"]), (["plans", "--help"], ["typer"])],
)
def test_help_and_version_load_no_numpy(words: list[str], loaded: list[str]) -> None:
    command = [sys.executable, "-c", LOADED, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(loaded)


def test_the_version_is_the_packages() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{landbridge.__version__}\n", "")
    assert run("--version", "--no-such").returncode == 2


@pytest.mark.parametrize("command", ["components", "forest", "why", "check", "explain", "convert"])
def test_commands_that_read_edges_offer_the_same_options(command: str) -> None:
    done = run(command, "--help", COLUMNS="200", TERM="dumb")
    for option in (
        "--format", "--ids", "--columns", "--header", "--delimiter", "--comment", "--base", "--encoding",
        "--num-vertices", "--threads", "--quiet", "-q", "--json",
    ):  # fmt: skip
        assert option in done.stdout, option


# stdout, pipes and devices ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        '"$@" components graph.txt -o -',
        '"$@" components graph.txt -o /dev/stdout',
        '"$@" components graph.txt -o /dev/stdout | cat',
        '"$@" components graph.txt -o /dev/fd/1 > out; cat out',
        '"$@" components graph.txt -o /dev/stdout > out.csv; cat out.csv',
        '"$@" components graph.txt -o /dev/fd/3 3> out > /dev/null; cat out',
        '"$@" components graph.txt -o >(cat > out) > /dev/null; sleep 0.5; cat out',
        'mkfifo p; cat p > out & "$@" components graph.txt -o p > /dev/null; wait; cat out',
        'cat graph.txt | "$@" components - -o -',
    ],
)
def test_labels_are_written_to_pipes_and_devices(line: str, graph: Path) -> None:
    done = shell(line, graph.parent)
    assert (done.stdout, done.stderr) == (ROWS, "")


@pytest.mark.parametrize("command", ["forest graph.txt -o", "convert graph.txt"])
def test_edges_are_written_to_pipes_and_devices(command: str, graph: Path) -> None:
    done = shell(
        f'"$@" {command} >(cat > out) > /dev/null; "$@" {command} /dev/stdout; sleep 0.3; cat out', graph.parent
    )
    assert (done.stdout, done.stderr) == (2 * EDGES.replace(" ", "\t"), "")


@pytest.mark.parametrize("format_", ["npy", "npz", "parquet"])
def test_formats_that_seek_are_buffered_for_a_pipe(format_: str, graph: Path) -> None:
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
    pipe, copy = graph.with_name("pipe"), graph.with_name(f"a.{format_}")
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: copy.write_bytes(pipe.read_bytes()), daemon=True)
    reader.start()
    words = ["components", str(graph), "--ids", "dense", "--output-format", format_, "-o", str(pipe)]
    assert main(words) == 0
    reader.join(30)
    assert main(["check", str(graph), "--ids", "dense", str(copy)]) == 0


def test_an_inherited_open_file_is_written_and_not_replaced(graph: Path) -> None:
    done = shell('echo before > out; "$@" components graph.txt -o /dev/stdout >> out; cat out', graph.parent)
    assert done.stdout == "before\n" + ROWS


# the demonstration --------------------------------------------------------------------------------------------------

SMALL = ["demo", "--graph", "rmat(8,edges=300,seed=1)"]


def test_the_demo_prints_the_path_of_its_picture(tmp_path: Path) -> None:
    done = run(*SMALL, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (picture,) = tmp_path.iterdir()
    assert picture.name == "landbridge-demo.svg"
    assert f"picture: {picture} (-o FILE writes it elsewhere)" in done.stdout


def test_the_demo_writes_only_its_picture(tmp_path: Path) -> None:
    done = run(*SMALL, "-o", "-", folder=tmp_path)
    assert done.stdout.startswith("<svg")
    assert done.stdout.rstrip().endswith("</svg>")
    assert list(tmp_path.iterdir()) == []
    assert run(*SMALL, "-o", "-", "--json", folder=tmp_path).returncode == 2


# completion ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_a_shell(name: str) -> None:
    done = run("completion", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_LANDBRIDGE_COMPLETE=complete_{name}" in done.stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("landbridge comp", {"components", "completion"}),
        ("landbridge components --num", {"--num-vertices"}),
        ("landbridge components --header ", {"auto", "yes", "no"}),
        ("landbridge forest --ids na", {"names"}),
        ("landbridge plans --problem l", {"list_ranking"}),
        ("landbridge components --device g", {"gpu"}),
    ],
)
def test_a_shell_completes_commands_options_and_values(typed: str, offered: set[str]) -> None:
    words = typed.split(" ")
    variables = {"_LANDBRIDGE_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    done = run(**variables)
    assert set(done.stdout.split()) == offered


# errors -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error", [ValueError("array is too big"), UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates"), EOFError()]
)
def test_an_unexpected_error_is_one_line(
    error: Exception, graph: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(files, "read", broken)
    monkeypatch.delenv("LANDBRIDGE_TRACEBACK", raising=False)
    assert main(["components", str(graph)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.startswith(f"landbridge: reading {graph}: {type(error).__name__}")
    if isinstance(error, EOFError):  # typer takes it for the end of input
        return
    monkeypatch.setenv("LANDBRIDGE_TRACEBACK", "1")
    with pytest.raises(type(error)):
        main(["components", str(graph)])


FAKE_CUPY = """
__version__ = "13.6.0"
class cuda:
    class runtime:
        @staticmethod
        def getDeviceCount():
            raise RuntimeError("cudaErrorNoDevice")
"""


@pytest.mark.parametrize(
    ("distribution", "version"),
    [
        ("cupy_cuda13x", "13.6.0 (cupy-cuda13x)"),
        ("cupy", "13.6.0"),
        (None, "unknown"),
    ],
)
def test_info_knows_cupy_by_any_distribution(distribution: str | None, version: str, tmp_path: Path) -> None:
    (tmp_path / "cupy").mkdir()
    (tmp_path / "cupy" / "__init__.py").write_text(FAKE_CUPY)
    if distribution is not None:
        folder = tmp_path / f"{distribution}-13.6.0.dist-info"
        folder.mkdir()
        name = distribution.replace("_", "-")
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 13.6.0\n")
        (folder / "top_level.txt").write_text("cupy\n")
    done = run("info", "--json", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert answer["packages"]["cupy"] == version
    assert answer["devices"] == ["cpu"]


def test_a_missing_device_is_one_line(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["components", str(graph), "--device", "tpu"]) == 2
    message = capsys.readouterr().err
    assert message.startswith("landbridge: no device 'tpu' here; there is: cpu")
    assert message.count("\n") == 1


def test_every_command_reports_the_kind_of_ids(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, edges = graph.with_name("a.npz"), graph.with_name("b.el")
    commands: dict[str, list[Path]] = {
        "components": [Path("-o"), out], "forest": [], "why": [Path("0"), Path("1")],
        "check": [out], "explain": [], "convert": [edges]
    }  # fmt: skip
    for command, more in commands.items():
        assert main([command, str(graph), *map(str, more), "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["ids"], answer["notes"]) == ("sparse", []), command
    assert np.load(out)["ids"].tolist() == [0, 1, 2, 4, 5]
