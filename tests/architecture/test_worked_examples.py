"""The worked examples of CONTRIBUTING.md, carried out as they are written on a copy of the source tree."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from worked_examples import carry_out, changed_core, copy_of_the_tree, sections

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = {
    "a find rule": 2,
    "a sampling": 3,
    "a sampling on a GPU": 2,
    "a standalone algorithm": 2,
    "an input format": 2,
    "a problem": 8,
    "an engine": 6,
}


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
    table = dict(re.findall(r"^\| (an? [\w ,]+?) \| (\d+)", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE))
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
new = ["async(hop)", "kout(2)+async(hop)", "leading(2)+rem_cas(naive,split_one)", "lowest_label"]
assert not set(new) - set(listed), set(new) - set(listed)
on_gpu = [text.partition("@")[0] for text in landbridge.plans(engine="gpu", extended=True)]
assert "leading(2)+rem_cas(naive,split_one)" in on_gpu
for plan in [*new, "leading+async(hop)", "leading(3)+async(hop)"]:
    for threads in (1, 4):
        landbridge.check_components(graph, landbridge.components(graph, plan=plan, threads=threads))
    assert landbridge.estimate_memory(graph, plan=plan) > 0
for plan in ("leading(3)+rem_cas(naive,split_one)@gpu", "leading+async(halve)@gpu(balance=tile)"):
    # Builds the launches on a counter of memory, without a GPU.
    sizes = landbridge.Sizes(10_000, 50_000, "csr", symmetric=True)
    assert landbridge.estimate_memory(sizes, plan=plan) >= 4 * sizes.vertices
landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan="leading+async(hop)"))
print(landbridge.components(graph, plan="as.o").plan)
"""


@pytest.mark.long
def test_what_is_compiled_is_added() -> None:
    """A find rule, a sampling and a standalone algorithm in one build."""
    assert run(changed_core().parent, RULES) == "async(hop)\n"
