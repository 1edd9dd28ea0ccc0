"""The documents build without a warning, and every public name has a page of its own."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import landbridge
import landbridge.typing as types

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
API = DOCS / "api"
PUBLIC = {name: getattr(landbridge, name) for name in landbridge.__all__ if name != "__version__"}
ERRORS = {name for name, value in PUBLIC.items() if value.__module__ == "landbridge.errors"}


@pytest.mark.long
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    for module in ("sphinx", "myst_parser"):
        pytest.importorskip(module, reason="the documents are built with pip install '.[test]'")
    words = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-n",
        "-q",
        "-b",
        "html",
        "-D",
        "html_theme=basic",
        "-D",
        "examples_run=0",
    ]
    command = [*words, "-d", str(tmp_path / "doctrees"), str(DOCS), str(tmp_path / "site")]
    paths = os.pathsep.join([str(Path(landbridge.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = re.sub("<[^>]+>", "", (tmp_path / "site" / "api" / "classes" / "Components.html").read_text())
    assert "with a row for each vertex" in text
    html = (tmp_path / "site" / "api" / "functions" / "components.html").read_text()
    assert re.search(r"Parameters.*Returns.*Raises.*Examples", re.sub("<[^>]+>", "", html), re.DOTALL)
    assert "classes/Graph.html#landbridge.Graph" in html, "words in backticks are links"


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - ERRORS))
def test_every_public_name_has_a_page(name: str) -> None:
    folder = "classes" if inspect.isclass(PUBLIC[name]) else "functions"
    text = (API / folder / f"{name}.md").read_text()
    assert text.startswith(f"# {name}\n")
    assert len(re.findall(rf":: landbridge\.{name}$", text, re.MULTILINE)) == 1
    groups = "".join(page.read_text() for page in API.glob("*.md"))
    assert len(re.findall(rf"^{folder}/{name}$", groups, re.MULTILINE)) == 1


def test_errors_and_types_are_on_a_page_each() -> None:
    assert ".. automodule:: landbridge.errors" in (API / "errors.md").read_text()
    page = (API / "types.md").read_text()
    assert re.findall(r"autodata:: landbridge\.\w+\.(\w+)$", page, re.MULTILINE)
    assert set(re.findall(r"autodata:: landbridge\.\w+\.(\w+)$", page, re.MULTILINE)) == set(types.__all__)
