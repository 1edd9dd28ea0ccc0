"""Docstrings of the house as reStructuredText: parameters become definition lists.

Two forms are read: sections of numpydoc (Parameters, Returns, Raises, ...), and parameters written "name: meaning".

The form of a docstring is plain text. A summary; then paragraphs, some of whose lines begin with the names of
parameters or attributes and a colon ("u, v: as for `insert`."). What follows belongs to these names until other names,
a sentence on a line of its own, or an empty line. Several names may share a line, a sentence each. Nothing here imports
Sphinx.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

_NAME = r"[a-z_][a-z_0-9]*"
_NAMES = re.compile(rf"(?P<names>{_NAME}(?:(?:, | and ){_NAME})*): (?P<rest>.*)")
# Where another field, or a sentence that is no part of the field, may begin within a line.
_BREAK = re.compile(r"(?<=[.;]) (?=[a-zR])")
_SENTENCE = re.compile(r"[A-Z0-9*`]")
_LITERAL = re.compile(r"(``.+?``|:[a-z:]+:`[^`]+`|`[^`]+`)", re.DOTALL)
_VERDICT = ("Raises ", "Returns ")


@dataclass
class _Part:
    """A paragraph, or, with names, the meaning of a field."""

    names: str
    lines: list[str] = field(default_factory=list)


def _field(text: str, known: Collection[str], strict: bool) -> tuple[str, str] | None:
    """The names that a text begins with, and the rest; strict: only if they are all known."""
    match = _NAMES.match(text)
    if match is None:
        return None
    words = re.split(r", | and ", match["names"])
    if strict and not all(word in known for word in words):
        return None
    return match["names"], match["rest"]


def _pieces(line: str, known: Collection[str]) -> Iterator[str]:
    """A line, cut where another field or a verdict begins."""
    begin = 0
    for cut in _BREAK.finditer(line):
        rest = line[cut.end() :]
        start = _field(rest, known, strict=True) or (_field(rest, known, strict=False) and ": shape (" in rest[:40])
        if start or rest.startswith(_VERDICT):
            yield line[begin : cut.start()]
            begin = cut.end()
    yield line[begin:]


def _parts(block: list[str], known: Collection[str]) -> list[_Part]:
    """The paragraphs and fields of lines without an empty one among them."""
    parts: list[_Part] = []
    for line in block:
        inner = line.startswith(" ")
        for index, piece in enumerate(_pieces(line.strip(), known)):
            last = parts[-1] if parts else None
            # A name that nobody knows begins a field at the margin, where other fields or nothing stood before.
            strict = index > 0 or inner or (last is not None and not last.names)
            start = _field(piece, known, strict)
            ends = last is None or (
                last.lines[-1].endswith(".")
                and (piece.startswith(_VERDICT) or (last.names != "" and not inner and index == 0))
                and _SENTENCE.match(piece) is not None
            )
            if start:
                parts.append(_Part(start[0], [start[1]]))
            elif ends:
                parts.append(_Part("", [piece]))
            else:
                parts[-1].lines.append(piece)
    return parts


def _prose(text: str, reference: Callable[[str], str | None]) -> str:
    """Text with single backticks resolved, and without characters that would be marks of reStructuredText."""
    result = []
    for index, piece in enumerate(_LITERAL.split(text)):
        if index % 2 == 0:
            result.append(re.sub(r"(?<=\w)_(?!\w)|\|", lambda mark: "\\" + mark[0], piece))
        elif piece.startswith(("``", ":")):
            result.append(piece)
        else:
            word = piece.strip("`")
            result.append(reference(word) or f"``{word}``")
    return "".join(result)


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield block
            block = []


_SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Notes", "Examples")


def _is_section(lines: list[str], index: int) -> bool:
    """Whether a section of numpydoc begins: its title, underlined by as many dashes."""
    below = lines[index + 1] if index + 1 < len(lines) else ""
    return lines[index] in _SECTIONS and below == "-" * len(lines[index])


def _section(title: str, body: list[str], reference: Callable[[str], str | None]) -> list[str]:
    """A section as a bold title and a definition list of its entries."""
    result = [f"**{title}**", ""]
    for line in body:
        entry, colon, kind = line.partition(" : ")
        if line.startswith(" ") or not line or title in ("Notes", "Examples"):
            result.append(_prose(line, reference))
        elif colon or title in ("Parameters", "Attributes"):
            names = re.sub(r"\w+", lambda word: f"``{word[0]}``", entry.removesuffix(" :"))
            result.append(names + (f" : {_prose(kind, reference)}" if kind else ""))
        else:
            result.append(_prose(line, reference))
    return [*result, ""]


def render(lines: list[str], known: Collection[str], reference: Callable[[str], str | None]) -> list[str]:
    """The lines of a docstring as reStructuredText.

    lines: without the indentation they share. known: the names of parameters, attributes and fields.
    reference: what `name` in backticks points to, as a role of Sphinx; None for what is no object of the library.
    """
    starts = [index for index in range(len(lines)) if _is_section(lines, index)]
    if starts:
        result = render(lines[: starts[0]], known, reference)
        for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            result += _section(lines[begin], lines[begin + 2 : end], reference)
        return result
    result = []
    for block in _blocks(lines):
        if block[0].lstrip().startswith(">>>"):
            result += [*block, ""]
            continue
        for part in _parts(block, known):
            text = [_prose(line, reference) for line in "\n".join(part.lines).split("\n")]
            if part.names:
                names = re.split(r"(, | and )", part.names)
                result.append("".join(word if index % 2 else f"``{word}``" for index, word in enumerate(names)))
                text = ["    " + line for line in text]
            result += [*text, ""]
    return result
