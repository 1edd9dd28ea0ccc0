"""Pages that are made from the product are up to date, and the README's commands are the ones CI runs."""

from __future__ import annotations

import importlib
import importlib.util
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

import landbridge

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["plans", "systems"])
def test_pages_are_rendered_from_the_registry(page: str) -> None:
    spec = importlib.util.spec_from_file_location(f"render_{page}", ROOT / "docs" / f"render_{page}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages = module.render()
    stored = {path: (ROOT / "docs" / path).read_text() for path in pages}
    assert stored == pages, f"run python docs/render_{page}.py"
    folder = ROOT / "docs" / page
    assert {f"{page}/{path.name}" for path in folder.glob("*.md")} <= set(pages)


def test_ci_runs_the_readmes_test_command() -> None:
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    first, behind, cluster = [line for line in lines if "pytest" in line and not line.startswith("#")]
    assert f"    {first}\n" in (ROOT / "README.md").read_text()
    assert "-m 'long and not slow'" in behind
    for part in ("-m 'not slow'", "test_dask.py", "test_spark.py", "test_compat_sklearn.py", "test_display.py"):
        assert part in cluster


@pytest.mark.parametrize("page", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = [part.split(")")[0] for part in text.split("](")[1:]]
    assert all((ROOT / t).exists() for t in targets if not t.startswith("http")), targets


def test_the_page_of_the_command_line_has_every_command() -> None:
    app = importlib.import_module("landbridge.cli.run") and importlib.import_module("landbridge.cli.app").app
    commands = {each.name or each.callback.__name__ for each in app.registered_commands if each.callback is not None}
    page = (ROOT / "docs" / "command_line.md").read_text()
    assert set(re.findall(r"^\| `landbridge ([a-z]+)", page, re.MULTILINE)) == commands


def test_examples_of_different_pages_share_no_journal() -> None:
    """They may be run in one folder: a journal of names does not open as one of numbers."""
    pages = {page: page.read_text() for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))}
    names = [name for text in pages.values() for name in set(re.findall(r'journal="([^"]+)"', text))]
    assert len(names) >= 2
    assert len(set(names)) == len(names), names


def spans(begin: str, end: str) -> set[str]:
    """The code spans in the first column of the tables of ARCHITECTURE.md between two texts, without what is around."""
    part = (ROOT / "ARCHITECTURE.md").read_text().partition(begin)[2].partition(end)[0]
    rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return {span for row in rows for span in re.findall(r"`([^`]+)`", row)}


ROOMS = {
    "include/landbridge": spans("## C++", "`src/core/` is"),
    "src/core": spans("`src/core/` is", "## Python"),
    "src/landbridge": spans("## Python", "### Engines"),
    "tests": {span.removeprefix("tests/") + "/" for span in spans("## Tests", "## Benchmarks")},
    "benchmarks": {span.removeprefix("benchmarks/") for span in spans("## Benchmarks", "## The cost")},
}


@pytest.mark.parametrize("folder", ROOMS)
def test_every_room_is_on_the_map(folder: str) -> None:
    """Each folder and file directly in these, in the core by its name without what follows a dot; and nothing else."""
    paths = [path for path in (ROOT / folder).iterdir() if not path.name.startswith(("__", "_core"))]
    paths = [path for path in paths if path.suffix not in {".typed", ".txt"} and (path.is_dir() or folder != "tests")]
    names = [path.name + "/" if path.is_dir() else path.name for path in paths]
    names = [name.partition(".")[0] for name in names] if folder == "src/core" else names
    assert [name for name in names if not any(fnmatch(name, room) for room in ROOMS[folder])] == []
    here = {room for room in ROOMS[folder] if (ROOT / folder / room).parent == ROOT / folder}
    assert {room for room in here if not any(fnmatch(name, room) for name in names)} <= {"peers/"}


def test_the_readme_counts_the_plans_that_there_are() -> None:
    count = len(landbridge.plans(engine="cpu"))
    text = (ROOT / "README.md").read_text()
    assert re.findall(r"(\d+) combinations of sampling", text) == re.findall(r"all (\d+) of them", text) == [str(count)]
