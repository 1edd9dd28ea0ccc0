"""The shape of the house, file by file: imports without a circle, files and functions of a readable size."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
TREES = {
    "landbridge": ROOT / "src" / "landbridge",
    "benchmarks": ROOT / "benchmarks",
    "peers": ROOT / "peers",
    "tests": TESTS,
}
LONGEST_PYTHON, LONGEST_CPP, LONGEST_FUNCTION = 500, 600, 80
SET_BY_CLANG_FORMAT = {".hpp", ".cpp", ".cuh", ".ipp"}


def python_files() -> list[Path]:
    return sorted(path for tree in TREES.values() for path in tree.rglob("*.py"))


def module_of(path: Path) -> str:
    """The name under which a file is imported; tests/ and src/ are on the path."""
    home = next((folder for folder in (ROOT / "src", TESTS) if folder in path.parents), ROOT)
    parts = path.relative_to(home).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def files_by_module() -> dict[str, Path]:
    return {module_of(path): path for path in python_files()}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def name_of(node: ast.AST) -> str:
    """The last name of `name` or `some.where.name`; empty for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """The files of the house that a file imports, wherever the import stands; and whether only type checkers see it."""
    known = files_by_module()
    tree = tree_of(path)
    # A test imports the helpers of its own folder by their names alone.
    folder = module_of(path).rpartition(".")[0] if TESTS in path.parents else ""
    typed = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and any(name_of(part) == "TYPE_CHECKING" for part in ast.walk(block.test))
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module for name in full]
        elif isinstance(node, ast.Call) and name_of(node.func) == "import_module":
            names = [each.value for each in node.args[:1] if isinstance(each, ast.Constant)]
        if folder:
            names = [name if name in known else f"{folder}.{name}" for name in names]
        for name in names:
            # The front page of the package imports nothing by itself: its names come from where they live.
            if name in known and known[name] != path and name != "landbridge":
                yield name, id(node) in typed


@cache
def graph_of_imports() -> dict[str, set[str]]:
    """Imports at any place count: one inside of a function would only hide a circle."""
    front = {"landbridge"}
    return {
        name: {target for target, _ in imported(path)} for name, path in files_by_module().items() if name not in front
    }


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one file (Tarjan 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    result: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = low[name] = len(number)
        stack.append(name)
        for target in sorted(graph.get(name, ())):
            if target not in number:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], number[target])
        if low[name] == number[name]:
            members = []
            while True:
                members.append(stack.pop())
                if members[-1] == name:
                    break
            if len(members) > 1:
                result.append(sorted(members))

    for name in sorted(graph):
        if name not in number:
            visit(name)
    return result


def test_the_search_for_circles_finds_them() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_no_circle_among_files() -> None:
    assert circles(graph_of_imports()) == []


def test_imports_are_seen_in_every_tree() -> None:
    """A name under which a file is never imported would make the search for circles an empty one."""
    edges = dict.fromkeys(TREES, 0)
    for name, targets in graph_of_imports().items():
        tree = next(tree for tree, folder in TREES.items() if folder in files_by_module()[name].parents)
        edges[tree] += len(targets)
    assert edges["landbridge"] > 500, edges
    assert edges["benchmarks"] > 100, edges
    assert edges["tests"] > 100, edges


def test_imports_by_a_string_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "lazy.py"
    path.write_text("from importlib import import_module\nimport_module('landbridge.api').components\n")
    assert [name for name, _ in imported(path)] == ["landbridge.api"]


def test_nothing_below_imports_the_command_line() -> None:
    above = ("landbridge.cli", "landbridge.__main__")
    for name, targets in graph_of_imports().items():
        if name.startswith(above) or TESTS in files_by_module()[name].parents:
            continue
        assert not [t for t in targets if t.startswith(above)], name


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function of a Python file with its number of lines, docstring and decorators left out."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            spent = first.end_lineno - first.lineno + 1 if text else 0
            yield node.name, node.end_lineno - node.lineno + 1 - spent


def lines_of(path: Path) -> int:
    return path.read_text().count("\n")


def test_python_files_and_functions_are_short() -> None:
    library = [path for path in python_files() if TREES["landbridge"] in path.parents]
    assert [(str(path), lines_of(path)) for path in library if lines_of(path) > LONGEST_PYTHON] == []
    every = [(str(path), *function) for path in python_files() for function in functions(path)]
    assert len(every) > 2000
    assert [function for function in every if function[-1] > LONGEST_FUNCTION] == []


def cpp_files() -> list[Path]:
    folders = [ROOT / "include", ROOT / "src" / "core", ROOT / "tests" / "native", ROOT / "benchmarks"]
    return sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in SET_BY_CLANG_FORMAT)


def test_cpp_files_are_short() -> None:
    shipped = [path for path in cpp_files() if (ROOT / "tests") not in path.parents]
    assert [(str(path), lines_of(path)) for path in shipped if lines_of(path) > LONGEST_CPP] == []


def cpp_bodies(path: Path) -> Iterator[tuple[int, int]]:
    """Where each function body begins, and its number of lines: braces behind `)` that are not inside another body."""
    lines = path.read_text().splitlines()
    depth, begins = 0, -1
    for number, line in enumerate(lines):
        code = line.split("//")[0]
        opens = (
            code.rstrip().endswith("{")
            and ")" in code
            and not code.lstrip().startswith(("namespace", "struct", "class", "extern"))
        )
        if begins < 0 and opens:
            begins, depth = number, 0
        if begins >= 0:
            depth += code.count("{") - code.count("}")
            if depth <= 0:
                yield begins + 1, number - begins + 1
                begins = -1


def test_cpp_functions_are_short() -> None:
    every = [(str(path), *body) for path in cpp_files() for body in cpp_bodies(path)]
    assert len(every) > 800
    assert [body for body in every if body[-1] > LONGEST_FUNCTION] == []


def test_cpp_is_set_by_clang_format() -> None:
    program = Path(sys.executable).with_name("clang-format")
    words = [str(program if program.exists() else "clang-format"), "--dry-run", "--Werror", *map(str, cpp_files())]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[:4000]
