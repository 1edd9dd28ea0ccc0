"""The house: data flows edges -> graph -> plan -> engine -> result, imports follow it, and importing costs little."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

import landbridge
from landbridge.plan.engines import device_words

PACKAGE = Path(landbridge.__file__).parent

# Each room and the rooms of landbridge it may import from. What every room may have: errors, passes over columns, the
# compiled core.
COMMON = {"errors", "filename", "flags", "id_kind", "on_access", "passes", "probe", "threads", "typing", "_core"}
MAY_IMPORT: dict[str, set[str]] = {
    "_early": set(),
    "errors": set(),
    "filename": set(),
    "flags": set(),
    "on_access": set(),
    "id_kind": set(),
    "passes": set(),
    "probe": set(),
    "threads": set(),
    "device": {"device", "profile"},
    "edges": {"edges", "device"},
    "graph": {"edges", "device", "display"},
    "plan": {"plan"},
    "display": set(),
    "progress": set(),
    "profile": set(),
    "result": {"display", "edges", "profile", "result", "tables"},
    "tables": set(),
    "limits": set(),
    "explaining": {"plan"},
    "typing": set(),
    "occurring": {"result"},
    "engine": {"engine", "graph", "plan", "profile", "result", "device", "edges"},
    "check": {"check", "graph", "limits", "result", "device", "edges"},
    "streams": {
        "streams",
        "device",
        "edges",
        "engine",
        "graph",
        "occurring",
        "plan",
        "problems",
        "result",
        "tables",
        "display",
        "progress",
    },
    "lists": {"edges", "limits", "plan", "problems", "result"},
    "problems": {"check", "edges", "engine", "graph", "occurring", "plan", "result"},
    "cluster": {"cluster", "problems"},
    "dask": {"cluster"},
    "spark": {"cluster"},
    "api": {
        "problems",
        "engine",
        "explaining",
        "graph",
        "plan",
        "result",
        "edges",
        "streams",
        "occurring",
        "limits",
        "progress",
    },
}
MAY_IMPORT["paths"] = {"api", "edges", "graph", "occurring", "result", "tables"}
MAY_IMPORT["preferences"] = {"edges", "tables"}
MAY_IMPORT["deduplication"] = {"api", "edges", "graph", "preferences", "result", "tables"}
MAY_IMPORT["compat"] = {"api", "compat", "deduplication", "paths", "tables", *MAY_IMPORT["api"]}
# The doors: they bring everything together, and no room imports them.
DOORS = {"__init__", "__main__", "cli"}

ONLY_CLI = {"typer", "rich", "click"}
# Imported when the user hands over such an object or such a file, never before.
ON_DEMAND = {"scipy", "networkx", "pyarrow", "zstandard", "pandas", "polars", "cupy", "torch", "matplotlib"}
ON_DEMAND |= {"dask", "distributed", "pyspark"}
# A module of compat may import its own library at once, and what that library cannot be without.
COMPAT = {
    "networkx": {"networkx"},
    "scipy": {"scipy"},
    "sklearn": {"sklearn", "scipy"},
    "splink": {"duckdb"},
}


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def modules() -> tuple[Path, ...]:
    return tuple(sorted(path for path in PACKAGE.rglob("*.py")))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def by_file(problems: Callable[[Path], object]) -> dict[str, object]:
    """What is wrong in each file of the package."""
    return {str(path.relative_to(PACKAGE)): wrong for path in modules() if (wrong := problems(path))}


@cache
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Every module a file imports, in full, and whether it does so as soon as it is imported itself."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, bool]]:
    tree = tree_of(path)
    inner = {
        id(node)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(outer)
    }
    for node in ast.walk(tree):
        at_once = id(node) not in inner
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, at_once
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield node.module, at_once
            for alias in node.names:
                yield f"{node.module}.{alias.name}", at_once


def rooms_imported(path: Path) -> set[str]:
    known = {room(p) for p in modules()} | {"_core"}
    rooms = set()
    for name, _ in imports(path):
        parts = name.split(".")
        if parts[0] == "landbridge" and len(parts) > 1 and parts[1] in known:
            rooms.add(parts[1])
    return rooms


def test_every_room_has_its_rule() -> None:
    assert {room(path) for path in modules()} == set(MAY_IMPORT) | DOORS


def test_imports_follow_the_data() -> None:
    def beyond(path: Path) -> set[str]:
        here = room(path)
        return set() if here in DOORS else rooms_imported(path) - MAY_IMPORT[here] - COMMON

    assert by_file(beyond) == {}


def test_the_map_says_what_each_room_may_import() -> None:
    """The table of ARCHITECTURE.md where it lists rooms; `a; b` are those of the first and of the second one."""
    page = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text()
    rows = [line.split("|")[1:4] for line in page.partition("## Python")[2].splitlines() if line.startswith("| `")]
    compared = 0
    for rooms, _, listed in rows[: next(i for i, row in enumerate(rows) if "`cli/`" in row[0]) + 1]:
        names = [name.removesuffix(".py").removesuffix("/") for name in re.findall(r"`([^`]+)`", rooms)]
        columns = [set(column.split(", ")) for column in listed.strip().split("; ")]
        if any(not re.fullmatch(r"\w+", word) for column in columns for word in column):
            continue  # said in words, such as "all but `cli`"
        for name, column in zip(names, columns * (len(names) if len(columns) == 1 else 1), strict=True):
            assert column - {"nothing", "errors"} == MAY_IMPORT[name] - COMMON - {name}, name
            compared += 1
    assert compared > 15


def test_the_rules_themselves_make_no_circle() -> None:
    visited: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, (*above, name)
        for below in MAY_IMPORT[name] - {name}:
            visit(below, (*above, name))
        visited.add(name)

    for name in MAY_IMPORT:
        visit(name, ())
    assert visited == set(MAY_IMPORT)


ENGINE_ROOMS = ("plan/engines.py", "engine/cpu/", "engine/gpu/", "engine/parts/", "device/", "typing.py")


def test_engines_are_named_by_their_table_and_themselves_alone() -> None:
    words = {word for word, _ in device_words()}

    def named(path: Path) -> set[str]:
        if path.relative_to(PACKAGE).as_posix().startswith(ENGINE_ROOMS):
            return set()
        constants = {node.value for node in ast.walk(tree_of(path)) if isinstance(node, ast.Constant)}
        return words & {value for value in constants if isinstance(value, str)}

    assert by_file(named) == {}


def test_the_plan_knows_no_graph_and_the_edges_know_neither() -> None:
    assert not MAY_IMPORT["plan"] & {"graph", "edges", "engine", "result"}
    assert not MAY_IMPORT["edges"] & {"graph", "plan", "engine", "result"}
    assert "engine" not in MAY_IMPORT["result"]


def test_numpy_is_all_that_is_imported_at_once() -> None:
    assert by_file(strangers) == {}


def strangers(path: Path) -> list[str]:
    """Libraries that a file imports as it is imported, or that are not known to come on demand."""
    allowed = {"landbridge", "numpy"} | (ONLY_CLI if room(path) in {"cli", "__main__"} else set())
    if room(path) == "compat":
        allowed |= next((libraries for name, libraries in COMPAT.items() if path.stem.startswith(name)), set())
    tops = {(name.split(".")[0], at_once) for name, at_once in imports(path)}
    others = {(top, at_once) for top, at_once in tops if top not in sys.stdlib_module_names and top not in allowed}
    return sorted(top for top, at_once in others if at_once or top not in ON_DEMAND)


def test_files_are_data() -> None:
    """Nothing that is read is executed or unpickled."""
    assert by_file(executes) == {}


def executes(path: Path) -> set[str]:
    tree = tree_of(path)
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    imported = {name.split(".")[0] for name, _ in imports(path)}
    keywords = [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "allow_pickle"]
    pickled = {ast.unparse(node) for node in keywords if ast.unparse(node.value) != "False"}
    executing = called & {"eval", "exec", "compile", "__import__"}
    foreign = set() if path.parent.name == "device" else {"ctypes"}  # kernels are launched with addresses
    return executing | imported & ({"pickle", "marshal", "shelve"} | foreign) | pickled


@pytest.mark.parametrize("text", ["eval('1')", "import pickle", "np.load(f, allow_pickle=True)"])
def test_a_file_that_executes_is_found(text: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    assert executes(path)


LOADED = """
import json, sys
before = set(sys.modules)
import numpy
with_numpy = set(sys.modules)
import landbridge
print(json.dumps(sorted({name.split(".")[0] for name in set(sys.modules) - with_numpy})))
"""


def test_importing_landbridge_loads_numpy_and_the_standard_library_only() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert "landbridge" in loaded
    assert loaded - sys.stdlib_module_names - {"landbridge", "numpy"} == set()


USED = """
import sys
import numpy as np, landbridge
landbridge.components((np.array([0, 1]), np.array([1, 2])))
landbridge.check_components(([0], [1]), [0, 0])
landbridge.explain(([0], [1]))
landbridge.plans()
strangers = {"scipy", "networkx", "pyarrow", "pandas", "zstandard", "typer", "rich", "click"} & set(sys.modules)
print(sorted(strangers))
"""


def test_using_it_on_arrays_loads_nothing_more() -> None:
    done = subprocess.run([sys.executable, "-c", USED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_loads_hardly_anything_of_landbridge() -> None:
    """What a program does not use costs it nothing: a bound on modules, which no load of the machine changes."""
    code = "import sys, landbridge; print(sorted(m for m in sys.modules if m.startswith('landbridge')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['landbridge', 'landbridge._early']"


TIMED = """
import time
began = time.perf_counter()
import numpy
numpy_done = time.perf_counter()
import landbridge
print((time.perf_counter() - numpy_done) / (numpy_done - began))
"""


def test_importing_takes_a_part_of_what_numpy_takes() -> None:
    ratios = []
    for _ in range(10):
        done = subprocess.run([sys.executable, "-c", TIMED], capture_output=True, text=True, check=True)
        ratios.append(float(done.stdout))
        if ratios[-1] < 0.25:
            return
    raise AssertionError(f"over numpy: {ratios}")


HELPED = """
import os, subprocess, sys
def seconds(*words):
    before = os.times()
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
python = seconds("-c", "pass")
modules = "asyncio, dataclasses, email.message, inspect, json, logging, pathlib, re, subprocess, typing"
print(seconds("-m", "landbridge", "--help") - python, seconds("-c", "import " + modules) - python)
"""


def test_help_takes_little_more_than_python() -> None:
    """0.15 s of processor time, which waiting for the machine does not change as much as that of a clock; on slow
    processors 1.7 times what ten modules of Python take there."""
    seconds = []
    for _ in range(10):
        done = subprocess.run([sys.executable, "-c", HELPED], capture_output=True, text=True, check=True)
        seconds.append(tuple(map(float, done.stdout.split())))
        if seconds[-1][0] < max(0.15, 1.7 * seconds[-1][1]):
            return
    raise AssertionError(f"over Python: {seconds}")


def homes() -> dict[str, str]:
    """Where each public name comes from, as type checkers read it."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    (block,) = (n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "_typing.TYPE_CHECKING")
    names = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        names |= {alias.name: str(node.module) for alias in node.names}
    return names


def test_type_checkers_and_programs_see_the_same_names() -> None:
    homes_of_names = homes()
    assert sorted([*homes_of_names, "__version__"]) == list(landbridge.__all__)
    for name, module in homes_of_names.items():
        assert getattr(landbridge, name) is getattr(importlib.import_module(module), name)
    assert set(landbridge.__all__) <= set(dir(landbridge))


def test_no_public_name_is_that_of_a_module() -> None:
    """Importing a module makes it an attribute of the package, over whatever has its name."""
    assert {path.stem for path in PACKAGE.iterdir()} & set(landbridge.__all__) == set()


STARRED = """
from landbridge import *
import landbridge
print(components(([0], [1])).count, landbridge.edges.files.FORMATS is not None, hasattr(landbridge, "nonsense"))
"""


def test_names_come_by_star_and_modules_by_dot() -> None:
    done = subprocess.run([sys.executable, "-c", STARRED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "True", "False"]


TYPED = """
import landbridge
from landbridge import Components, InputError, components
reveal_type(components(([0], [1])))
reveal_type(landbridge.Graph(([0], [1])).num_vertices)
landbridge.nonsense
"""


def test_a_typed_program_sees_every_name(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(TYPED)
    words = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "program.py"]
    # mypy finds an installed package by itself, and refuses its folder on the path.
    more = {} if PACKAGE.parent.name == "site-packages" else {"MYPYPATH": str(PACKAGE.parent)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path, env=os.environ | more)
    lines = [line.split(": ", 2)[2] for line in done.stdout.splitlines() if line.startswith("program.py")]
    assert lines == [
        'Revealed type is "landbridge.result.Components"',
        'Revealed type is "int"',
        'Module has no attribute "nonsense"  [attr-defined]',
    ], done.stdout


def test_all_names_are_there_and_documented() -> None:
    for name in landbridge.__all__:
        assert getattr(landbridge, name).__doc__, name
    assert sorted(landbridge.__all__) == list(landbridge.__all__)
