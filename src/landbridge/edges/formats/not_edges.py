"""Texts that are no lists of edges, by their first lines: other formats, JSON, printed objects, adjacency lists."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from landbridge.edges.formats.commented import comment_hint
from landbridge.edges.formats.sample import DECIMAL, NUMBER, Row, Sample, kinds_of, shown
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.word_shapes import IN_ONE_FORM, have_letters_between_digits, may_be_code, two_forms
from landbridge.edges.spelling import spelled

__all__ = [
    "refuse_decimal_commas",
    "refuse_ends",
    "refuse_json",
    "refuse_no_ids",
    "refuse_other_files",
    "refuse_other_line",
    "refuse_structures",
]

_DIMACS_FILE = "a DIMACS file"
# How the first line of a file of another format begins.
_OTHER_FILES = (
    (rb"<!doctype|<html", "a page of HTML"),
    (rb"<\?xml|<!--|<[a-z][\w.:-]*(\s[^<>=]*+=[^<>]*+)?/?>\s*$", "a file of XML"),
    (rb"<[^<>\s]*>\s+<[^<>\s]*>\s.*\.\s*$", "a file of RDF triples"),
    (rb"@(prefix|base)\s|[\w.-]*:\S*\s+(a|[\w.-]*:\S*)\s+\S.*\s\.\s*$", "a file of RDF triples"),
    (rb"version https://git-lfs", "a pointer of Git LFS to the file"),
    (rb"(strict\s+)?(di)?graph\b[^,;|\t]*\{[^,|\t]*$", "a graph in DOT, which networkx.nx_pydot.read_dot reads"),
    (rb"graph\s*\[[^,;|\t\]]*$", "a graph in GML, which networkx.read_gml reads"),
    (rb"(node|edge)def>", "a graph in GDF"),
    (rb"(insert\s+into|create\s+table|drop\s+table)\s+\S|--\s[^,;|\t]*\bdump\b", "a dump of SQL"),
    (rb"p\s+(sp|edge|col)\s+\d+\s+\d+\s*$", _DIMACS_FILE),
    (rb"\*(vertices\s+\d|network\b[^,;|\t]*$)", "a graph in Pajek's format, which networkx.read_pajek reads"),
)
_OTHER = tuple((re.compile(start, re.IGNORECASE), what) for start, what in _OTHER_FILES)
_DIMACS = re.compile(rb"\s*+(c([ \t][^\n]*+)?\r*+\n\s*+)++(p[ \t]+\S[^\n]*)", re.IGNORECASE)
"""Comments of DIMACS, which stand above its first line."""
_LONGEST = 1000
"""Bytes of a first line that are compared."""
_JSON = re.compile(rb'\[\s*([\[{"\d-]|$)|\{\s*("|$)')
_LONG = 1 << 20
"""A line of so many bytes that begins as JSON is not parsed."""
_PAIRS = "a pair on each line goes in as [json.loads(line) for line in open(path)]"
_PAIRS_AND_COMMAS = "a list of pairs goes in as json.load returns it, and the pairs of lines are one in brackets"

_FRACTION = re.compile(rb"[+-]?(\d++\.\d*+|\.\d++|\d++(?=e))(e[+-]?\d++)?", re.IGNORECASE)
_ITEM = re.compile(rb"[^\s\"]+: ")
_BRACKETS = re.compile(rb"[\[({]|[\])}]|^<|>(?=[,;]?$)")
_WHAT = {"date": "dates or times", "time": "dates or times", "bool": "true and false"}
_MONTH = re.compile(rb"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?", re.IGNORECASE)
_DAY = re.compile(rb"0?[1-9]|[12]\d|3[01]")
# The words of the line below the header of a Markdown table.
_RULE = re.compile(rb"[ \t]*:?-{3,}:?[ \t]*")


def refuse_other_files(
    source: Source, prelude: bytes, text: bytes, line: int, way_to_edges: Callable[[], str], *, are_names: bool
) -> None:
    """Raise FileFormatError for a text that begins as other files do.

    prelude: the comments and blank lines above the first line with columns. text: the text from that line on; empty if
    that line breaks the grammar, which the prelude then ends with. line: its number. way_to_edges: see
    `refuse_other_line`. are_names: the caller says that all lines are edges between names, which may begin so.
    """
    for part, number in ((prelude, 1), (text, line)):
        if part[:14].lower() == b"%%matrixmarket":
            source.fail(f"this is a Matrix Market file; read it with {spelled(format='matrix-market')}", line=number)
    comments = _DIMACS.match(text or prelude)
    if comments is not None and not are_names:
        above = comments.start(3)
        number = (line if text else 1) + (text or prelude)[:above].count(b"\n")
        refuse_other_line(source, comments[3], number, way_to_edges)
    if not are_names:
        refuse_other_line(source, text, line, way_to_edges)


def refuse_other_line(source: Source, text: bytes, line: int, way_to_edges: Callable[[], str], where: str = "") -> None:
    """Raise FileFormatError for a text whose first line begins as those of other files do.

    line: its number. way_to_edges: what a message says that takes the lines as edges, "" for nothing. where: what is to
    be said of the line above it.
    """
    first = text[:_LONGEST].lstrip(b" \t").partition(b"\n")[0]
    what = next((name for start, name in _OTHER if start.match(first)), None)
    if what is not None:
        reader = f", which {spelled(format='dimacs')} reads" if what == _DIMACS_FILE else ""
        source.fail(f"{where}this is {what}{reader}, not a list of edges{way_to_edges()}", line=line, text=shown(first))


def refuse_json(source: Source, text: bytes, comments: str, number: int) -> None:
    """Raise FileFormatError for a text whose first line is JSON and no comment. number: of the line it begins with."""
    body = text.lstrip()
    line, number = body.partition(b"\n")[0].strip(), number + text[: len(text) - len(body)].count(b"\n")
    if line[:1] in comments.encode() or not _JSON.match(line):
        return
    value: object = None
    if len(line) < _LONG:
        try:
            value = "[" if line in b"[{" else json.loads(line.removesuffix(b","))
        except RecursionError:  # opening brackets by the thousand
            pass
        except ValueError:
            return
    how = (
        f"one object on each line is read with {spelled(format='jsonl')}, and a list of pairs goes in as json.load "
        "returns it"
    )
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        how = _PAIRS_AND_COMMAS if line.endswith(b",") else _PAIRS
    source.fail(f"this is JSON, not a list of edges: {how}", line=number, text=shown(line))


def refuse_structures(
    sample: Sample, below: Sequence[Row], first: int, second: int, *, is_header: bool = False
) -> None:
    """Refuse columns that the delimiter cuts out of something else: brackets, items of an adjacency list.

    below: the rows that are not the header. is_header: whether there is one. Raises FileFormatError unless the caller
    says which columns hold the edges, or that ids are names where there are no other columns.
    """
    rows = [row for row in below if len(row[3]) > max(first, second)]
    only_two = all(len(row[3]) == 2 for row in rows)
    if not rows or sample.options.columns is not None or (only_two and sample.options.ids == "names"):
        return
    what = None
    if all(_are_cut(row[3], first, second) for row in rows):
        what = "brackets, as Python prints lists, sets and arrays"
    elif first == 0 and _are_items(sample, rows, second):
        what = "names with colons behind them, as in adjacency lists"
    if what is None:
        return
    ways: dict[str, Any] = {}
    if not is_header and sample.options.header is None:
        ways["header"] = False
    ways["ids"] = "names"
    if not only_two:
        ways["columns"] = (first, second)
    line, *_ = rows[0]
    sample.source.fail(
        f"column {first} (from 0) holds {what}, which are no ids: {sample.options.spelled(**ways)} takes it as text",
        line=line,
        text=shown(sample.text_of(rows[0])),
    )


def _are_items(sample: Sample, rows: Sequence[Row], second: int) -> bool:
    """Whether each row is a vertex, a colon and its neighbours: a: b c, or a: and b of two columns if some row is of b.

    Not a:,b, nor re: x,re: y, nor what stands in quotes.
    """
    if any(b'"' in sample.text_of(row) for row in rows):
        return False
    columns = [(row[3][0], row[3][second]) for row in rows]
    if sample.delimiter == "\t" and all(vertex.endswith(b":") for vertex, _ in columns):
        return not {vertex[:-1] for vertex, _ in columns}.isdisjoint(other for _, other in columns)
    behind = b"" if sample.delimiter.strip() or sample.delimiter == "\t" else b" "
    are_items = [[_ITEM.match(word + behind) is not None for word in pair] for pair in columns]
    return all(vertex for vertex, _ in are_items) and not any(other for _, other in are_items)


def _are_cut(words: Sequence[bytes], first: int, second: int) -> bool:
    """Whether one of two words in a row has a bracket that a word behind it closes: [a] is a name."""
    closed = sum(_unmatched(word)[0] for word in words[first + 1 :])
    return any(_unmatched(words[column])[1] for column in (first, second)) and closed > 0


def _unmatched(word: bytes) -> tuple[int, int]:
    """How many brackets a word closes and opens that it does not open and close itself."""
    closed = opened = 0
    for bracket in _BRACKETS.findall(word):
        if bracket in b"[({<":
            opened += 1
        elif opened:
            opened -= 1
        else:
            closed += 1
    return closed, opened


def refuse_ends(sample: Sample, rows: Sequence[Row]) -> None:
    """Raise FileFormatError for lines that a delimiter ends, and that blanks divide: those of DOT, and of programs."""
    if all(len(row[3]) == 2 and not row[3][1] and len(row[3][0].split()) > 1 for row in rows):
        line, *_ = rows[0]
        text = sample.text_of(rows[0])
        if b'"' not in text:
            sample.source.fail(
                f"{sample.delimiter!r} ends each line, with no column behind it: leave it out",
                line=line,
                text=shown(text),
            )


def refuse_no_ids(sample: Sample, first: int, second: int) -> None:
    """Refuse columns of text chosen by default if one of them holds no ids: fractions, times, or one arrow.

    Raises FileFormatError.
    """
    row = sample.rows[0]
    only_two = len(row[3]) == 2
    is_plain = only_two and sample.options.delimiter is not None  # its commas are parts of ids
    if only_two and sample.options.ids == "names":
        return
    way_out = _way_to_text(sample, first, second) if only_two else f"{spelled('columns')} says which two do"
    kinds = kinds_of([r[3] for r in sample.rows], len(row[3]))
    ids = {r[3][column] for r in sample.rows for column in (first, second) if len(r[3]) > column}
    codes = set(filter(may_be_code, ids)) if have_letters_between_digits(ids) else set()
    for column in (first, second):
        words = {r[3][column] for r in sample.rows if len(r[3]) > column}
        commas = set() if is_plain or len(sample.rows) == 1 else set(filter(DECIMAL.fullmatch, words))
        numbers = words - commas
        parts = any(map(_FRACTION.fullmatch, numbers - codes))
        fractions = all(map(NUMBER.fullmatch, numbers)) and (parts or bool(commas))
        arrow = len(words) == 1 and len(sample.rows) > 1 and not re.search(r"\w", shown(next(iter(words))))
        what = _WHAT.get(kinds[column] or "") if len(row[3]) > 2 else None
        if column == first and _are_days(sample.rows, first, second):
            what = _WHAT["date"]
        if fractions:
            what = "fractions" if parts else "numbers with commas"
        verdict = "which are no ids"
        if arrow and b'"' not in sample.text_of(row):
            what = f"nothing but {shown(next(iter(words)))}" if any(words) else "nothing"
            verdict = "which is no id"
            if column == 1 and not only_two:
                way_out = f"{spelled(header=False, columns=(0, 2))} takes those around it"
        if what is not None:
            sample.source.fail(
                f"column {column} (from 0) holds {what}, {verdict}: {way_out}"
                f"{comment_hint(sample, ids=(first, second))}",
                line=row[0],
                text=shown(sample.text_of(row)),
            )


def _are_days(rows: Sequence[Row], first: int, second: int) -> bool:
    """Whether all of some rows of three columns or more have a month and a day in two of them, as logs do."""
    pairs = [(row[first], row[second]) for *_, row in rows if len(row) > max(first, second, 2)]
    return len(pairs) > 1 and all(_MONTH.fullmatch(month) and _DAY.fullmatch(day) for month, day in pairs)


def _way_to_text(sample: Sample, first: int, second: int, numbers: str = "") -> str:
    """What takes columns of numbers as text, for messages; of one number in two forms, how to write it alone. numbers:
    how to write them, as the first way."""
    ids = [(row[column], line) for line, *_, row in sample.rows for column in (first, second) if column < len(row)]
    lines = dict(reversed(ids))
    forms = two_forms(dict(ids))
    if forms is not None:
        return f"{IN_ONE_FORM} ({' and '.join(f'{shown(word)} of line {lines[word]}' for word in forms)})"
    return f"{numbers}{sample.options.spelled(ids='names')} takes it as text"


def refuse_decimal_commas(sample: Sample, rows: list[Row], first: int, second: int) -> None:
    """Raise FileFormatError for columns of numbers some of which have a decimal comma, or one between thousands."""
    for column in (first, second):
        words = {row[3][column] for row in rows if len(row[3]) > column}
        commas = set(filter(DECIMAL.fullmatch, words))
        if commas and all(map(NUMBER.fullmatch, words - commas)):
            row = next(row for row in rows if len(row[3]) > column and row[3][column] in commas)
            way = _way_to_text(sample, first, second, "write whole numbers without them, or ")
            sample.source.fail(
                f"column {column} (from 0) holds numbers with commas: {way}",
                line=row[0],
                text=shown(sample.text_of(row)),
            )


def refuse_rule(sample: Sample) -> None:
    """Raise FileFormatError for dashes alone in the row below a header."""
    words = [word for *_, row in sample.rows[1:2] for word in row if word.strip()]
    if words and all(map(_RULE.fullmatch, words)):
        sample.source.fail(
            "it is the rule below the header of a Markdown table: leave it out",
            line=sample.rows[1][0],
            text=shown(sample.text_of(sample.rows[1])),
        )
