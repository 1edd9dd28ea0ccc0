"""Suites are sound, kinds validate them, mistakes are named, and imports have one direction."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from benchmarks import cases, run
from benchmarks.kinds import KINDS, kind_of
from benchmarks.kinds.gpu_ablations import changed, rows_of
from benchmarks.kinds.old_new import cases_of
from benchmarks.published import figures, published
from benchmarks.suites import load_suite, suite_names
from landbridge.plan import parse

ROOT = Path(__file__).resolve().parents[2]
TREE = {"against": str(ROOT)}


@pytest.mark.parametrize("name", suite_names())
def test_every_suite_is_sound(name: str) -> None:
    suite = load_suite(name, TREE if name.startswith("old_new") else {})
    assert kind_of(suite) is KINDS[suite.kind]
    assert suite.title
    assert suite.device == ("gpu" if "gpu" in name or name == "parts" else "cpu")
    for plan in suite.landbridge:
        if "ranking" not in name and not plan.startswith("auto"):
            assert str(parse(plan)) == plan


def test_the_graphs_of_the_suites_are_all_there_are() -> None:
    suites = [load_suite(name) for name in suite_names()]
    graphs = {graph for suite in suites for graph in suite.graphs}
    names = {name for suite in suites for name in cases_of(suite) if "^" not in name}
    assert graphs | names == set(cases.graph_texts())


def test_every_kind_has_a_suite() -> None:
    assert {load_suite(name).kind for name in suite_names()} == set(KINDS)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"graphs": ["nowhere"]}, "no graph of this suite is called 'nowhere'"),
        ({"peers": ["a stranger"]}, "no peer of this suite is called 'a stranger'"),
        ({"claims": ["A1"]}, "a suite of kind 'components' has no use for 'claims'"),
        ({"repeat": 0}, "repeat = 0"),
        ({"threads": [-1]}, r"threads = \[-1\]"),
    ],
)
def test_mistakes_are_named(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind_of(load_suite("cpu", overrides))


def test_an_unknown_suite_is_named() -> None:
    with pytest.raises(ValueError, match="no suite is called 'x'; known: cluster, cpu, "):
        load_suite("x")


def test_an_unknown_graph_ends_the_run_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["cpu", "--only", "nowhere"]) == 2
    assert capsys.readouterr().err.startswith("error: no graph of this suite is called 'nowhere'")


def test_two_trees_are_needed_to_compare_them(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="old_new compares two source trees: name the other one with --against"):
        kind_of(load_suite("old_new"))
    with pytest.raises(ValueError, match="neither src/landbridge nor landbridge is there"):
        kind_of(load_suite("old_new", {"against": str(tmp_path)}))
    kind_of(load_suite("old_new", {**TREE, "graphs": ["random 2^16", "grid"]}))
    with pytest.raises(ValueError, match="no graph of this suite is called 'road'"):
        kind_of(load_suite("old_new", {**TREE, "graphs": ["road"]}))


def test_a_suite_extends_another() -> None:
    base, suite = load_suite("gpu"), load_suite("gpu_analogues")
    assert suite.landbridge == base.landbridge
    assert not set(suite.graphs) & set(base.graphs)
    assert suite.name == "gpu_analogues"


def test_ablations_are_plans_with_one_option_changed() -> None:
    assert changed("ecl(halve)", "balance=warp") == "ecl(halve)@gpu(balance=warp)"
    assert changed("ecl(halve)@gpu(merge=near)", "balance=warp") == "ecl(halve)@gpu(balance=warp,merge=near)"
    for _, plan, option in rows_of(load_suite("gpu_ablations").ablations):
        parse(changed(plan, option))


def test_published_figures_have_a_paper_and_a_graph() -> None:
    bibliography = (ROOT / "REFERENCES.bib").read_text()
    for (_, graph, _), figure in figures().items():
        assert graph in cases.graph_texts()
        assert f"{{{figure.paper}," in bibliography
        assert figure.value > 0
        assert figure.stands
    fastest = published("components", "grid")
    assert fastest is not None
    assert (fastest.program, fastest.device) == ("Groute", "NVIDIA H100 80GB HBM3")
    assert fastest.seconds == pytest.approx(0.084e-3)
    assert published("components", "road") is None


# From below to above: a module imports from the groups before its own, and from its own group what stands before it.
ORDER = [
    [
        "records",
        "machine",
        "cases",
        "list_cases",
        "published",
        "pictures",
        "streams",
        "gpu",
        "gpu_arrays",
        "check",
        "parts_cases",
    ],
    ["zoo.numbers", "zoo.structures", "zoo.orders", "zoo.cells", "zoo"],
    ["suites", "tables", "turns", "process"],
    ["sink", "zoo.tour", "zoo.results", "zoo.heatmap"],
    ["contestants", "gpu_cases", "gpu_runs", "parts_runs"],
    ["worker", "tree_worker", "parts_worker", "counted_run"],
    [
        "claims.claim",
        "claims.paths",
        "claims.connectivity",
        "claims.rounds",
        "claims.streams",
        "claims.systems",
        "claims.hybrid",
    ],
    ["claims.races", "claims.ranking", "claims.list_races", "claims"],
    ["kinds.base"],
    ["kinds"],
    ["run", "report"],
]


def level(module: str) -> int:
    for number, names in enumerate(ORDER):
        if module in names:
            return number
    return level("kinds") if module.startswith("kinds.") else -1


def modules() -> dict[str, Path]:
    folder = ROOT / "benchmarks"
    paths = {".".join(path.relative_to(folder).with_suffix("").parts): path for path in folder.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in paths.items() if name != "__init__"}


def imported(path: Path) -> set[str]:
    """Every module that a file imports from, wherever the import stands."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


@pytest.mark.parametrize("name", modules())
def test_imports_have_one_direction(name: str) -> None:
    own = level(name)
    assert own >= 0, f"{name} has no place in the order"
    below = {full.removeprefix("benchmarks.") for full in imported(modules()[name]) if full.startswith("benchmarks.")}
    assert max((level(other) for other in below & set(modules())), default=0) <= own


@pytest.mark.parametrize("name", modules())
def test_two_modules_take_from_inside_of_the_engines(name: str) -> None:
    inside = ("landbridge.engine", "landbridge.device", "landbridge.streams")
    inner = [full for full in imported(modules()[name]) if full.startswith(inside)]
    assert not inner or name in ("gpu_runs", "parts_runs")
