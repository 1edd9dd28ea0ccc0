"""The process ends with its command, whatever loaded libraries would still do."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

LINGERS = """
import atexit, runpy, sys, threading, time
atexit.register(time.sleep, 300)
threading.Thread(target=time.sleep, args=(300,)).start()
sys.argv = ["landbridge", *sys.argv[1:]]
runpy.run_module("landbridge", run_name="__main__")
"""


def lingering(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m landbridge` in a process with a thread and an exit function that outlast the command."""
    program = [sys.executable, "-c", LINGERS, *arguments]
    return subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)


def test_the_process_ends_with_its_command(tmp_path: Path) -> None:
    edges, out = tmp_path / "names.csv", tmp_path / "forest.csv"
    edges.write_text("a b,c\nc,y\n")
    done = lingering("forest", str(edges), "--ids", "names", "-o", str(out), "--check", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["forest_edges"] == 2
    assert out.read_text().splitlines() == ["source,target", '"a b",c', "c,y"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_error_is_printed_and_its_exit_code_kept() -> None:
    done = lingering("components", "no such file")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such file" in done.stderr


def test_the_installed_script_ends_the_process() -> None:
    (program,) = metadata.entry_points(group="console_scripts", name="landbridge")
    assert program.value == "landbridge.cli:command"
