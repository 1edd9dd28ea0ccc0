"""What surrounds the code agrees with it: versions, Pythons, environment variables, the list of quick tests."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import landbridge

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
SECURITY = (ROOT / "SECURITY.md").read_text()


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_version_is_typed_once_and_cited() -> None:
    assert "version" in project()["project"]["dynamic"]
    home = ROOT / project()["tool"]["scikit-build"]["metadata"]["version"]["input"]
    assert re.findall(r'^__version__ = "(.+)"$', home.read_text(), flags=re.MULTILINE) == [landbridge.__version__]
    citation = (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.+)$", citation, flags=re.MULTILINE) == [landbridge.__version__]
    assert f"license: {project()['project']['license']}\n" in citation


def test_one_extra_brings_all_that_a_user_without_a_gpu_may_need() -> None:
    extras = project()["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    names = set(re.fullmatch(r"landbridge\[(.+)\]", everything)[1].split(","))  # type: ignore[index]
    assert names == set(extras) - {"all", "cuda12", "cuda13", "test", "bench", "docs"}
    assert all(f"`{name}`" in (ROOT / "README.md").read_text() for name in names)


def test_hosted_ci_runs_every_python_that_is_promised() -> None:
    rows = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", c) for c in project()["project"]["classifiers"]]
    pythons = [row[1] for row in rows if row]
    (matrix,) = re.findall(r"python: \[(.+)\]", WORKFLOW)
    assert re.findall(r'"(.+?)"', matrix) == pythons
    assert project()["project"]["requires-python"] == f">={pythons[0]}"
    assert project()["tool"]["ruff"]["target-version"] == "py" + pythons[0].replace(".", "")
    assert project()["tool"]["mypy"]["python_version"] == pythons[0]
    single = re.findall(r'python-version: "(.+)"', WORKFLOW)
    assert single
    assert set(single) <= set(pythons)


def test_hosted_ci_runs_what_people_run() -> None:
    for command in (
        "run: .ci/run\n",
        "pre-commit run --all-files",
        "sphinx-build -W -n",
        "-m slow",
        "@tests/quick.txt",
    ):
        assert command in WORKFLOW, command
    for preset in ("asan", "tsan"):
        assert preset in WORKFLOW
        assert f'"name": "{preset}"' in (ROOT / "CMakePresets.json").read_text()


def test_tools_are_pinned_to_one_version_each() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    pins = re.findall(r'additional_dependencies: \["([a-z-]+)==([\d.]+)"\]', hooks)
    assert {name for name, _ in pins} == {"ruff", "clang-format"}
    assert len(set(pins)) == 2
    assert len(pins) == hooks.count("- id:")
    assert f"clang-format=={dict(pins)['clang-format']}'" in WORKFLOW


def test_what_ci_installs_is_locked_by_hashes() -> None:
    check = subprocess.run(
        [sys.executable, ROOT / "tools" / "lock", "--check"], capture_output=True, text=True, check=False
    )
    assert check.returncode == 0, check.stdout
    for action in re.findall(r"uses: (\S+)", WORKFLOW):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
    assert WORKFLOW.count("--require-hashes") >= 2
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert all("<" in requirement for requirement in build)


def test_every_variable_that_is_read_is_documented() -> None:
    reading = re.compile(r"""(?:environ(?:\.get\(|\[|\.setdefault\()|getenv\()\s*["']([A-Z_]+)["']""")
    sources = [path for folder in ("src", "include") for path in (ROOT / folder).rglob("*") if path.is_file()]
    texts = [path.read_text() for path in sources if path.suffix in {".py", ".cpp", ".hpp", ".ipp", ".in", ".cuh"}]
    variables = {name for text in texts for name in reading.findall(text)}
    assert variables >= {"LANDBRIDGE_CACHE_DIR", "LANDBRIDGE_TRACEBACK"}
    # Each way to read a variable is one that the expression above sees, with the name written out.
    for text in texts:
        assert len(reading.findall(text)) == len(re.findall(r"\benviron\b|\bgetenv\b", text))
    assert any("Path.home()" in text for text in texts)
    (completion,) = {name for text in texts for name in re.findall(r'complete_var="(\w+)"', text)}
    library, others = SECURITY.split("Tests, benchmarks and tools")
    assert set(re.findall(r"^\| `([A-Z_]+)`", library, flags=re.MULTILINE)) == variables | {"HOME", completion}
    beside = [path for folder in ("tests", "benchmarks", "peers", "tools") for path in (ROOT / folder).rglob("*")]
    programs = [path for path in beside if path.suffix == ".py" or path.name == "gpu_check"]
    uses = {name for path in programs for name in re.findall(r"_?LANDBRIDGE_[A-Z_]+", path.read_text())}
    known = set(re.findall(r"`(_?LANDBRIDGE_[A-Z_]+)`", SECURITY))
    # Options of CMake are no variables, and the programs of peers are listed together.
    options = set(re.findall(r"LANDBRIDGE_[A-Z_]+", (ROOT / "CMakeLists.txt").read_text()))
    strangers = {name for name in uses - known - options if not name.startswith("LANDBRIDGE_PEER_")}
    assert not strangers
    assert "`LANDBRIDGE_PEER_*`" in others


def test_lines_are_as_long_as_the_formatters_set_them() -> None:
    """Editors, ruff and clang-format: pages of text, which neither formatter sets, may be longer."""
    editors = (ROOT / ".editorconfig").read_text()
    length = str(project()["tool"]["ruff"]["line-length"])
    assert re.findall(r"^max_line_length = (.+)$", editors.split("[*.md]")[0], flags=re.MULTILINE) == [length]
    assert re.findall(r"^\[(.+)\]\nmax_line_length", editors, flags=re.MULTILINE) == ["*.md"]
    assert re.findall(r"^ColumnLimit: (.+)$", (ROOT / ".clang-format").read_text(), flags=re.MULTILINE) == [length]


def test_quick_tests_are_there_and_explained() -> None:
    paths = (ROOT / "tests" / "quick.txt").read_text().split()
    assert paths
    assert all((ROOT / path).exists() for path in paths)
    assert "@tests/quick.txt" in (ROOT / "CONTRIBUTING.md").read_text()


def test_decisions_are_listed_dated_and_complete() -> None:
    folder = ROOT / "docs" / "decisions"
    records = sorted(path for path in folder.glob("*.md") if path.name != "index.md")
    index = re.findall(r"^(\d{4}-\S+)$", (folder / "index.md").read_text(), flags=re.MULTILINE)
    assert index == [path.stem for path in records]
    for number, path in enumerate(records, start=1):
        text = path.read_text()
        assert path.name.startswith(f"{number:04}-")
        assert text.startswith(f"# {number}. ")
        assert re.search(r"^20\d\d-\d\d\. ", text, flags=re.MULTILINE), path.name
        assert re.findall(r"^## (.+)$", text, flags=re.MULTILINE) == ["Context", "Decision", "Consequences"]
