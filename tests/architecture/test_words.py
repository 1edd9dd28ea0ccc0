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
    "asked", "took", "taken", "gone", "whom", "wish", "tells", "wants", "knows", "remembers", "came",
}  # fmt: skip
"""Names that say that something happened, not what it is."""

PEOPLE = re.compile(
    r"\b(nobody|somebody|anybody|whoever|whom|stand-ins?|stands? in for|glanc(?:e|es|ed|ing)|put aside|puts? back|"
    r"told|tells|(?<![.\w])tell\b(?!\()|wants?|wanted|knows|ballots?|hasty|boastful|crew|upkeep|gives? up|gave up|"
    r"asks? (?:itself|whether|which)|remembers?|hopes?|believes?)\b",
    re.IGNORECASE,
)
"""Persons and riddles, and terms that the field has other words for."""

TERMS = {
    "an edge has endpoints": (
        r"\bends of (?:an |the |each |its |both )?(?:edge|arc)s?\b|\bboth ends of\b|(?:larger|smaller) end\b"
    ),
    "a graph is a CSR or a COO edge list": (
        r"\b(?:edges?|graph|stored|given|comes?) as (?:rows|pairs)\b|\b(?:building|making) (?:rows|pairs)\b|"
        r"\bon (?:staged )?pairs\b(?!/)|\bone-way edges?\b"
    ),
    "per": (
        r"\b(?:bytes|arcs|edges|segments|accesses|cells|words|operations) an? "
        r"(?:vertex|edge|arc|id|element|thread|multiprocessor|second)\b"
        r"(?! (?:takes?|reads?|of|is|has|may|runs?|holds?|visits?))|"
        r"\b(?:one|object|atomic|ns|nanoseconds) an? (?:line|lane|warp|vertex|edge|element|thread|multiprocessor)\b"
    ),
}
"""Terms of the field, each with a pattern for what it replaces."""
ARC = re.compile(r"(?<!un)\bdirected edges?\b", re.IGNORECASE)
"""An edge as a CSR stores it, with a direction, is an arc (ARCHITECTURE.md)."""
LISTS = re.compile(r"list|rank")
"""Files in which an end is one of a linked list."""

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
    banned = PARTICIPLES if LISTS.search(path.name) else PARTICIPLES | {"ends"}
    assert [(line, name) for line, name in names if name in banned] == []


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_prose_has_no_people_in_it(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert [(number, match[0]) for number, line in enumerate(lines, 1) for match in PEOPLE.finditer(line)] == []


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_begins_with_its_purpose(path: Path) -> None:
    """A module's docstring, or a comment in the first line; a source file may leave that to its header."""
    text = path.read_text()
    if path.suffix == ".py":
        assert not text.strip() or ast.get_docstring(ast.parse(text))
    elif path.suffix in {".hpp", ".cpp", ".cuh", ".ipp"}:
        assert text.startswith("//") or path.with_suffix(".hpp").exists()


def places(path: Path, pattern: re.Pattern[str]) -> list[tuple[int, str]]:
    return [(number, match[0]) for number, line in enumerate(path.read_text().splitlines(), 1)
            for match in pattern.finditer(line)]  # fmt: skip


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_prose_has_the_terms_of_the_field(path: Path) -> None:
    terms = {term: re.compile(pattern, re.IGNORECASE) for term, pattern in TERMS.items()}
    if path.suffix != ".md":
        terms["an arc is an edge with a direction"] = ARC
    assert {term: lines for term, pattern in terms.items() if (lines := places(path, pattern))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "the plan knows no graph", "each thread is told its share", "the lists want one walk", "it gives up",
        "both ends of the edge", "the larger end", "the graph as pairs", "4 bytes a vertex", "one a line",
        "the directed edges", "a ballot of the grid",
    ],
)  # fmt: skip
def test_the_patterns_match_what_they_are_for(text: str) -> None:
    patterns = [PEOPLE, ARC, *(re.compile(pattern, re.IGNORECASE) for pattern in TERMS.values())]
    assert any(pattern.search(text) for pattern in patterns)


@pytest.mark.parametrize(
    "text",
    [
        "the file ends early",
        "position = file.tell()",
        "undirected edges",
        "bytes a thread reads",
        "from whose row an edge is taken",
        "what is known of it",
    ],
)
def test_the_patterns_leave_plain_prose(text: str) -> None:
    patterns = [PEOPLE, ARC, *(re.compile(pattern, re.IGNORECASE) for pattern in TERMS.values())]
    assert not any(pattern.search(text) for pattern in patterns)
