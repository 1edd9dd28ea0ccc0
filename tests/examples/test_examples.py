"""The examples run, the notebook runs, and the gallery shows them."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import landbridge

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES, DOCS = ROOT / "examples", ROOT / "docs"
ON_A_GPU = {"on_a_gpu"}
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
PATHS = {"PYTHONPATH": os.pathsep.join([str(Path(landbridge.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])}


def gallery() -> ModuleType:
    pytest.importorskip("sphinx", reason="the documents are built with pip install '.[test]'")
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_has_a_page_with_its_title() -> None:
    module = gallery()
    assert set(module.SIZES) == set(NAMES) - ON_A_GPU
    contents = (DOCS / "gallery" / "index.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^([a-z_]+)$", contents, re.MULTILINE)) == NAMES
    for name in NAMES:
        script = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
        title = script.partition("\n")[0].removeprefix('"""').rstrip(".")
        page = (DOCS / "gallery" / f"{name}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {title}\n\n```{{example}} {name}\n")
        assert (":recorded:" in page) == (name in ON_A_GPU)
        words, lines = module.split(script)
        assert len(words.split()) > 10
        assert lines.startswith("import ")


def test_the_summary_for_machines_leads_to_pages() -> None:
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    for page in re.findall(r"\]\(([^)]+)\.html\)", text):
        assert (DOCS / f"{page}.md").exists(), page
    contents = (DOCS / "index.md").read_text(encoding="utf-8")
    toctrees = "\n".join(re.findall(r"```\{toctree\}\n(.*?)```", contents, re.DOTALL))
    pages = re.findall(r"^([a-z_/]+)$", toctrees, re.MULTILINE)
    assert {page for page in pages if f"({page}.html)" not in text} <= {"papers", "decisions/index"}
    for name in re.findall(r"`landbridge\.(\w+)", text):
        assert hasattr(landbridge, name) or name == "compat", name


@pytest.mark.long
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = json.loads((EXAMPLES / "first_steps.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 6
    variables: dict[str, object] = {}
    for number, text in enumerate(code):
        exec(compile(text, f"cell {number}", "exec"), variables)
    assert str(variables["path"]).startswith("EdgePath(bob - rob - robert - bobby: 3 edges")
    assert variables["before"] is False


@pytest.mark.long
def test_the_site_builds_with_the_examples_run(tmp_path: Path) -> None:
    for module in ("sphinx", "myst_parser", "networkx", "pandas", "scipy"):
        pytest.importorskip(module)
    for folder in ("docs", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    conf = tmp_path / "docs" / "gallery.py"
    text = conf.read_text(encoding="utf-8")
    small = re.sub(r'^(    "\w+": )[0-9_]+,$', r"\g<1>2_500,", text, flags=re.MULTILINE)
    conf.write_text(small, encoding="utf-8")
    words = [sys.executable, "-m", "sphinx", "-W", "-n", "-q", "-b", "html", "-D", "html_theme=basic"]
    done = subprocess.run(
        [*words, str(tmp_path / "docs"), str(tmp_path / "site")],
        env=os.environ | PATHS,
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "gallery" / "maze.html").read_text(encoding="utf-8")
    assert "50 x 50 cells" in page
    if importlib.util.find_spec("matplotlib") is not None:
        (picture,) = re.findall(r'src="\.\./(_images/maze-[0-9a-f]+\.png)"', page)
        assert (tmp_path / "site" / picture).stat().st_size > 1000
    assert (tmp_path / "site" / "llms.txt").exists()
