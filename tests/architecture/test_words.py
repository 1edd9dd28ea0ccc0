"""The words of the house: names are nouns of the field, prose says what happens without people in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
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


@cache
def files() -> tuple[Path, ...]:
    inside = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in KINDS]
    inside = [path for path in inside if "corpus" not in path.parts and path.name != "_core.pyi" and path != HERE]
    return tuple(sorted([*inside, *(ROOT / page for page in PAGES)]))


@cache
def text_of(path: Path) -> str:
    return path.read_text()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


def by_file(problems: Callable[[Path], object]) -> dict[str, object]:
    """What is wrong in each file. One test for all files: thousands would take longer than what they check."""
    return {str(path.relative_to(ROOT)): wrong for path in files() if (wrong := problems(path))}


def names_bound(path: Path) -> Iterator[tuple[int, str]]:
    """Every name that a Python file binds: variables, parameters, loop variables."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


DECLARED = re.compile(
    r"\b(?:auto|bool|int|i64|u64|u32|Id|T|V|double|size_t)[&*]*\s+(?:const\s+)?([a-z_]+)\s*(?:=|;|\{|\[|,|\))"
)


def names_declared(path: Path) -> Iterator[tuple[int, str]]:
    """Names of variables that a C++ file declares with one of the usual types."""
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        for name in DECLARED.findall(line.split("//")[0]):
            yield number, name


def test_names_are_nouns() -> None:
    assert by_file(names_that_are_none) == {}


def names_that_are_none(path: Path) -> list[tuple[int, str]]:
    names = names_bound(path) if path.suffix == ".py" else names_declared(path) if path.suffix != ".md" else ()
    banned = PARTICIPLES if LISTS.search(path.name) else PARTICIPLES | {"ends"}
    return [(line, name) for line, name in names if name in banned]


SHARED_NAMES = {
    "Action": "what an option of a command does, in two commands",
    "Clusters": "of documents (compat/datatrove) and of a stream",
    "Device": "a GPU, and what a builder of launches needs of one",
    "Engine": "the contract, and the word of a plan text with its options",
    "Owner": "the stream of a journal while it is written, and while it is replayed",
    "Parameter": "of a generator, and of a row of the registry",
    "Sample": "of a file, and of a plan",
    "Source": "the bytes of a file, and the graph of NetworkX that edges are taken of",
}


def test_a_class_name_occurs_once_in_the_library() -> None:
    classes: dict[str, list[str]] = {}
    for path in files():
        if ROOT / "src" in path.parents and path.suffix == ".py":
            for node in ast.walk(tree_of(path)):
                if isinstance(node, ast.ClassDef):
                    classes.setdefault(node.name, []).append(path.name)
    assert len(classes) > 200
    assert {name for name, homes in classes.items() if len(homes) > 1} == set(SHARED_NAMES)


def test_prose_has_no_people_in_it() -> None:
    assert by_file(lambda path: places(path, PEOPLE)) == {}


def test_a_file_begins_with_its_purpose() -> None:
    """A module's docstring, or a comment in the first line; a source file may leave that to its header."""
    assert by_file(lacks_a_purpose) == {}


def lacks_a_purpose(path: Path) -> bool:
    text = text_of(path)
    if path.suffix == ".py":
        return bool(text.strip()) and not ast.get_docstring(tree_of(path))
    if path.suffix in {".hpp", ".cpp", ".cuh", ".ipp"}:
        return not text.startswith("//") and not path.with_suffix(".hpp").exists()
    return False


def places(path: Path, pattern: re.Pattern[str]) -> list[tuple[int, str]]:
    return [(number, match[0]) for number, line in enumerate(text_of(path).splitlines(), 1)
            for match in pattern.finditer(line)]  # fmt: skip


def test_prose_has_the_terms_of_the_field() -> None:
    assert by_file(terms_to_replace) == {}


def terms_to_replace(path: Path) -> dict[str, list[tuple[int, str]]]:
    terms = {term: re.compile(pattern, re.IGNORECASE) for term, pattern in TERMS.items()}
    if path.suffix != ".md":
        terms["an arc is an edge with a direction"] = ARC
    return {term: lines for term, pattern in terms.items() if (lines := places(path, pattern))}


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
