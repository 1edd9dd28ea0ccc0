"""The words of the house: names are nouns of the field, prose says what happens without people in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTICIPLES = {
    "found", "made", "told", "given", "said", "seen", "there", "wanted", "kept", "met", "fell", "led", "chosen",
    "asked", "took", "taken", "gone", "whom", "wish",
}  # fmt: skip
"""Names that say that something happened, not what it is."""

PEOPLE = re.compile(
    r"\b(nobody|somebody|anybody|whoever|whom|stand-ins?|stands? in for|glanc(?:e|es|ed|ing)|put aside|puts? back|"
    r"tells? (?:it|them|him|others|every|those)|is told|are told|hasty|boastful|crew|upkeep)\b",
    re.IGNORECASE,
)
"""Persons and riddles, and terms that the field has other words for."""

FOLDERS = ("src", "include", "tests", "benchmarks", "peers", "tools", "docs")
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CMakeLists.txt")
KINDS = {".py", ".hpp", ".cpp", ".cuh", ".ipp", ".in", ".def", ".md", ".toml"}
HERE = Path(__file__)


def files() -> list[Path]:
    inside = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in KINDS]
    inside = [path for path in inside if "corpus" not in path.parts and path.name != "_core.pyi" and path != HERE]
    return sorted([*inside, *(ROOT / page for page in PAGES)])


def names_bound(path: Path) -> Iterator[tuple[int, str]]:
    """Every name that a Python file binds: variables, parameters, loop variables."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


DECLARED = re.compile(
    r"\b(?:auto|bool|int|i64|u64|u32|Id|T|V|double|size_t)[&*]*\s+(?:const\s+)?([a-z_]+)\s*(?:=|;|\{|\[|,|\))"
)


def names_declared(path: Path) -> Iterator[tuple[int, str]]:
    """Names of variables that a C++ file declares with one of the usual types."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        for name in DECLARED.findall(line.split("//")[0]):
            yield number, name


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_names_are_nouns(path: Path) -> None:
    names = names_bound(path) if path.suffix == ".py" else names_declared(path) if path.suffix != ".md" else ()
    assert [(line, name) for line, name in names if name in PARTICIPLES] == []


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_prose_has_no_people_in_it(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert [(number, match[0]) for number, line in enumerate(lines, 1) for match in PEOPLE.finditer(line)] == []
