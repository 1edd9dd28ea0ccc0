"""The functions of the compiled core: their parameters are those of a golden list, and few enough to be read.

`python tests/architecture/test_core_signatures.py > tests/golden/core_signatures.txt` writes the list again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import landbridge

GOLDEN = Path(__file__).parents[1] / "golden" / "core_signatures.txt"
MOST = 8
"""Parameters beside ``self``."""


def functions() -> Iterator[tuple[str, list[str]]]:
    """Each function of the stub of the core with its parameters; of overloads all."""
    stub = ast.parse((Path(landbridge.__file__).parent / "_core.pyi").read_text())
    for node in stub.body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        owner = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for member in members:
            if isinstance(member, ast.FunctionDef):
                yield owner + member.name, list(parameters(member.args))


def parameters(arguments: ast.arguments) -> Iterator[str]:
    """Names in order; those that are keywords alone end in "="."""
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    yield from (name for name in positional if name != "self")
    if arguments.vararg is not None:
        yield f"*{arguments.vararg.arg}"
    yield from (f"{argument.arg}=" for argument in arguments.kwonlyargs)
    if arguments.kwarg is not None:
        yield f"**{arguments.kwarg.arg}"


def lines() -> list[str]:
    return list(dict.fromkeys(f"{name}({', '.join(names)})" for name, names in functions()))


def test_functions_take_few_parameters() -> None:
    assert {name: len(names) for name, names in functions() if len(names) > MOST} == {}


def test_functions_are_those_of_the_golden_list() -> None:
    assert lines() == GOLDEN.read_text().splitlines()


if __name__ == "__main__":
    print("\n".join(lines()))
