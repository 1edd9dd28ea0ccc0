"""What the documents show runs as it stands, in order: every fragment of Python of a page, in one interpreter.

In fragments with prompts (``pycon``) the output is compared, too.
"""

from __future__ import annotations

import doctest
import gzip
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))]
FRAGMENT = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fragments(page: str) -> list[tuple[int, str]]:
    """The fragments of a page, each with the line it begins in."""
    text = (ROOT / page).read_text()
    return [(text[: match.start(1)].count("\n"), match[1]) for match in FRAGMENT.finditer(text)]


DROP_IN = "docs/drop_in.md"


@pytest.mark.parametrize("page", [page for page in PAGES if fragments(page) and page != DROP_IN])
def test_fragments_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pandas", "polars", "pyarrow", "scipy", "networkx"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    run(page)


@pytest.mark.long
def test_fragments_of_the_page_of_other_libraries_run(tmp_path: Path, installed: dict[str, str]) -> None:
    """In a process of its own, because NetworkX looks for backends when it is imported."""
    for package in ("pandas", "scipy", "networkx", "sklearn"):
        pytest.importorskip(package)
    here = Path(__file__)
    program = f"import sys; sys.path.insert(0, {str(here.parent)!r}); import {here.stem} as t; t.run({DROP_IN!r})"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=installed, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr


def run(page: str) -> None:
    """Run the fragments of a page in order; the output of those with prompts is compared."""
    names: dict[str, Any] = {"__name__": page}
    for line, code in fragments(page):
        if not code.startswith(">>> "):
            exec(compile("\n" * line + code, str(ROOT / page), "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(code, names, page, str(ROOT / page), line)
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        runner.run(test, clear_globs=False)
        assert runner.summarize(verbose=False).failed == 0, f"{page}, line {line}"
        names = test.globs


def shell_lines() -> list[str]:
    """The commands of the README's section on the shell, in order."""
    section = (ROOT / "README.md").read_text().split("## From the shell")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("    ")]
    return [command.strip() for line in lines for command in line.partition(" #")[0].split(" ; ")]


def test_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    pairs = "left\tright\nbob\tcy\ndan\teve\n"
    Path("pairs.tsv.gz").write_bytes(gzip.compress(pairs.encode()))
    Path("graph.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n3 3\n")
    for folder in ("parts", "more"):
        Path(folder).mkdir()
        Path(folder, "a.csv").write_text(pairs.replace("\t", ","))
    Path("dump.txt").write_text("bob|cy\ndan|eve\n")
    Path("graph.txt").write_text("1 2\n3 4\n")
    parquet.write_table(arrow.table({"left": ["bob"], "right": ["cy"]}), "pairs.parquet")
    commands = shell_lines()
    assert len(commands) > 12
    for command in commands:
        done = subprocess.run(
            ["bash", "-ec", f'landbridge() {{ "{sys.executable}" -m landbridge "$@"; }}\n{command}'],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, sys.path))},
        )
        assert done.returncode == 0, (command, done.stderr)
