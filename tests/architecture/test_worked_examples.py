"""The worked examples of CONTRIBUTING.md, carried out as they are written on a copy of the source tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from native_build import extension

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
MOST_FILES = {
    "a find rule": 2,
    "a sampling": 3,
    "a standalone algorithm": 2,
    "an input format": 2,
    "a problem": 8,
    "an engine": 6,
}

PLACE = re.compile(
    r"(?P<new>a new file)|inside `namespace (?P<namespace>[\w:]+)`|a row of `(?P<table>\w+)`|(?P<row>a row)\b"
    r"|(?P<import>an import|another one)|(?P<end>at the end)"
)


@dataclass(frozen=True)
class Edit:
    """A fragment of code and where it goes."""

    path: str
    kind: str
    where: str
    code: str


def sections() -> dict[str, list[Edit]]:
    """The edits of each example, in the order of the page."""
    result: dict[str, list[Edit]] = {}
    for part in re.split(r"^### Add ", PAGE.read_text(), flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        body = re.split(r"^## ", body, flags=re.MULTILINE)[0]
        path, edits = "", []
        for prose, code in re.findall(r"(.*?)^```\w+\n(.*?)^```$", body, flags=re.MULTILINE | re.DOTALL):
            heading = re.search(r"\*\*\d+\. `([^`]+)`\*\*(?!.*\*\*\d+\. )", prose, flags=re.DOTALL)
            path = heading[1] if heading else path
            places = list(PLACE.finditer(prose, heading.end() if heading else 0))
            assert path, title
            assert places, (title, prose)
            kind = places[0].lastgroup
            assert kind is not None
            edits.append(Edit(path, kind, places[0][kind], code))
        result[title] = edits
    return result


def after_row(lines: list[str], macro: str) -> int:
    """The line behind the last row of a macro in the registry."""
    at = max(i for i, line in enumerate(lines) if line.startswith(macro + "("))
    depth = 0
    for number in range(at, len(lines)):
        depth += lines[number].count("(") - lines[number].count(")")
        if depth == 0:
            return number + 1
    raise AssertionError(macro)


def carry_out(root: Path, edit: Edit) -> None:
    """Change one file as the page says."""
    path = root / edit.path
    if edit.kind == "new":
        assert not path.exists(), path
        path.write_text(edit.code)
        return
    lines = path.read_text().splitlines(keepends=True)
    if edit.kind == "end":
        at = len(lines)
    elif edit.kind == "namespace":
        at = max(i for i, line in enumerate(lines) if line.strip() == f"}}  // namespace {edit.where}")
    elif edit.kind == "row":
        at = after_row(lines, edit.code.partition("(")[0])
    elif edit.kind == "import":
        at = min(i for i, line in enumerate(lines) if line.startswith("from landbridge"))
    else:
        begins = re.compile(rf"\s*{edit.where}\b.*[(\[{{]\s*$")
        (at,) = (i + 1 for i, line in enumerate(lines) if begins.match(line))
    path.write_text("".join([*lines[:at], edit.code, *lines[at:]]))


def copy_of_the_tree(target: Path) -> Path:
    """The sources that a build and a run need."""
    skipped = shutil.ignore_patterns("__pycache__", "*.so", "_core.pyi", "results", "corpus")
    for folder in ("src", "include", "tests", "docs"):
        shutil.copytree(ROOT / folder, target / folder, ignore=skipped)
    for file in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "REFERENCES.bib"):
        shutil.copy2(ROOT / file, target / file)
    return target


def core() -> Path:
    """The compiled core of this installation."""
    from landbridge import _core

    return Path(_core.__file__)


def run(root: Path, code: str) -> str:
    """Run a program against the changed tree."""
    environment = os.environ | {"PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment, cwd=root)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_kind_of_change_has_its_example_and_keeps_its_price() -> None:
    examples = sections()
    assert set(examples) == set(MOST_FILES)
    for title, most in MOST_FILES.items():
        files = {edit.path for edit in examples[title]}
        assert 1 <= len(files) <= most, (title, files)
    registry = "include/landbridge/policy/registry.def"
    assert registry not in {edit.path for edit in examples["an engine"]}


def test_the_table_of_prices_is_that_of_the_examples() -> None:
    table = dict(re.findall(r"^\| (an? [\w ,]+?) \| (\d+)", PAGE.read_text(), flags=re.MULTILINE))
    table["a find rule"] = table.pop("a find, link or splice rule")
    assert {title: len({edit.path for edit in edits}) for title, edits in sections().items()} == {
        title: int(price) for title, price in table.items()
    }


FORMAT = """
import numpy as np, landbridge
from pathlib import Path
Path("g.words").write_bytes(b"WRDS" + np.array([[0, 1], [3, 4]], "<u4").tobytes())
print(landbridge.components("g.words").count)
Path("other").write_bytes(b"WRDS" + np.array([[0, 1], [3, 4]], "<u4").tobytes())
print(landbridge.components("other").count)
"""

PROBLEM = """
import landbridge
from landbridge.problems import PROBLEMS
answer = landbridge.isolated_vertices(landbridge.Graph(([0, 2, 4], [1, 2, 0]), num_vertices=5))
print(answer.vertices.tolist())
PROBLEMS["isolates"].check(landbridge.Graph(([0, 2, 4], [1, 2, 0]), num_vertices=5), answer)
print(len(landbridge.plans("isolates", "cpu")) > 100)
"""

ENGINE = """
import landbridge
print(landbridge.components(([0, 1, 5], [1, 2, 6]), device="scipy").device)
plan = "rem_cas(naive,halve_one)@scipy"
print(landbridge.components(landbridge.Graph(([0, 1, 5], [1, 2, 6])), plan=plan).labels.tolist())
"""


@pytest.mark.parametrize(
    ("title", "program", "output"),
    [
        ("an input format", FORMAT, "3\n3\n"),
        ("a problem", PROBLEM, "[2, 3]\nTrue\n"),
        ("an engine", ENGINE, "scipy\n[0, 0, 0, 1, 2, 3, 3]\n"),
    ],
)
def test_what_is_python_is_added(title: str, program: str, output: str, tmp_path: Path) -> None:
    root = copy_of_the_tree(tmp_path)
    (root / "src" / "landbridge" / core().name).symlink_to(core())
    for edit in sections()[title]:
        carry_out(root, edit)
    assert run(root, program) == output


RULES = """
import numpy as np, landbridge
from landbridge.edges.generators import generate
from landbridge import Graph
graph = Graph(generate("rmat(10,edges=2000,seed=1)"))
listed = [text.partition("@")[0] for text in landbridge.plans(extended=True)]
new = ["async(hop)", "kout(2)+async(hop)", "evens(2)+rem_cas(naive,split_one)", "lowest_label"]
assert not set(new) - set(listed), set(new) - set(listed)
for plan in [*new, "evens+async(hop)", "evens(3)+async(hop)"]:
    for threads in (1, 4):
        landbridge.check_components(graph, landbridge.components(graph, plan=plan, threads=threads))
    assert landbridge.estimate_memory(graph, plan=plan) > 0
landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan="evens+async(hop)"))
print(landbridge.components(graph, plan="as.o").plan)
"""


@pytest.mark.long
def test_what_is_compiled_is_added(tmp_path: Path) -> None:
    """A find rule, a sampling and a standalone algorithm in one build."""
    root = copy_of_the_tree(tmp_path / "tree")
    for title in ("a find rule", "a sampling", "a standalone algorithm"):
        for edit in sections()[title]:
            carry_out(root, edit)
    image = extension(root, tmp_path / "build")
    shutil.copy2(image, root / "src" / "landbridge" / image.name)
    assert run(root, RULES) == "async(hop)\n"
