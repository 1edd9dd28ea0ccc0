"""Whether the first row of a text of edges names its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, NoReturn

from landbridge.edges.column_names import (
    are_endpoint_names,
    choose_columns,
    could_be_names,
    is_candidate,
    is_column_word,
    is_pair,
    is_row_number,
    is_stem_of_columns,
    stem_of,
)
from landbridge.edges.formats.commented import comment_hint
from landbridge.edges.formats.delimiter import doubled_mark
from landbridge.edges.formats.edge_columns import columns_of, could_be_relations, no_row_numbers
from landbridge.edges.formats.not_edges import refuse_structures
from landbridge.edges.formats.sample import DATE, DECIMAL, INTEGER, MISSING, NUMBER, Sample, kinds_of, shown
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.text_matrices import refuse_matrix
from landbridge.edges.formats.title_line import has_header_below
from landbridge.edges.formats.word_notes import absent_hint
from landbridge.edges.formats.word_shapes import (
    address_names,
    are_continued,
    capitals,
    letters,
    lower,
    marks,
    shape,
)
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError

# A word that could name a column. One with blanks, @ or / in it, or that starts with a digit, is an id.
_IDENTIFIER = re.compile(r":?[^\W\d][\w.:-]*")
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
# Hexadecimal digits as a number has them, 9e42; and what no column has for a name: a UUID, an IP, an address.
_HEX = re.compile(rb"\d+e\d+", re.IGNORECASE)
_ADDRESS = re.compile(r"\d\S*|\S[^\s@]*@\S+|[\w.+-]+://\S+")
# What no column of dates or times has for a name: 9:5 above 12:34.
_NO_LETTERS = re.compile(rb"\d+([:./-]\d+)+")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ANY_NUMBER = re.compile(rb"(?:%b)|(?:%b)" % (NUMBER.pattern, DECIMAL.pattern), re.IGNORECASE)
_TYPE = re.compile(
    rb"(?:u?int|float)\d*|u?bigint|integer|long|double|real|string|str|varchar|char|text|utf-?8|object|uuid"
)


class Verdict(NamedTuple):
    """Whether a first row is a header, and whether its words alone say so."""

    is_header: bool
    by_words: bool = False


def header_verdict(sample: Sample) -> Verdict:
    """Whether the first row names the columns.

    Raises
    ------
    FileFormatError
        If it could be either.
    """
    options = sample.options
    row = [word.strip(b" \t") for word in sample.rows[0][3]]  # quotes may hold blanks
    if options.header is not None:
        return Verdict(options.header)
    if sample.by_name:
        return Verdict(not all(map(NUMBER.fullmatch, row)))
    first = lower(sample.rows[0][3])
    below = [r[3] for r in sample.rows[1:] if lower(r[3]) != first]  # no header of another file, in other capitals
    if _is_of_pandas(row, below):
        return Verdict(True)
    verdict = _verdict(sample, row, below)
    if not (verdict.is_header or row[0]) and below:
        _refuse_empty_name(sample, row, below)
    return verdict


def _is_of_pandas(row: Sequence[bytes], below: Sequence[Sequence[bytes]]) -> bool:
    """Whether a row is what pandas writes over row numbers and columns without names: "", 0, 1 and names of others."""
    numbers = next((i for i, word in enumerate(row[1:]) if word != b"%d" % i), len(row) - 1)
    if numbers < 2 or not is_row_number(shown(row[0])) or any(map(NUMBER.fullmatch, row[1 + numbers :])):
        return False
    count_rows = bool(below) and all(INTEGER.fullmatch(r[0]) for r in below)
    return count_rows or (numbers == len(row) - 1 and not row[0])


def _verdict(sample: Sample, row: Sequence[bytes], below: Sequence[Sequence[bytes]]) -> Verdict:
    """The verdict where neither the caller nor a program says what the first row is."""
    options = sample.options
    _refuse_numbered_names(sample, row, below)
    if options.columns is None and all(map(INTEGER.fullmatch, row[:2])):
        return Verdict(False)
    a, b = _likely_columns(sample, row, below)
    if not row[min(a, len(row) - 1)]:
        _refuse_empty_name(sample, row, below)
    if b >= len(row) or NUMBER.fullmatch(row[a]) or NUMBER.fullmatch(row[b]) or not (row[a] and row[b]):
        return Verdict(False)
    under = [(r[a], r[b]) for r in below if len(r) > max(a, b)]
    if under and all(INTEGER.fullmatch(x) and INTEGER.fullmatch(y) for x, y in under):
        _refuse_named_fraction(sample, row, a, b)
        return Verdict(True)
    if _is_data(row, below):
        return Verdict(False)
    if under and all(NUMBER.fullmatch(word) and not _HEX.fullmatch(word) for word in under[0]):
        return Verdict(True)  # the parser reports those numbers
    if options.ids in ("dense", "sparse") and (under or len(sample.rows) > 1):
        return Verdict(are_endpoint_names(shown(row[a]), shown(row[b])))
    verdict = _verdict_of_names(sample, row, below, a, b)
    if verdict is None and is_one_short(sample):
        fail_narrow_header(sample)
    if verdict is None and options.columns is not None:
        verdict = _verdict_without_columns(sample)
    if verdict is None:
        refuse_structures(sample, sample.rows, 0, 1)
        refuse_structures(sample, sample.rows[1:], 0, 1)
    if verdict is None and sample.stopped:
        return Verdict(False)  # the parser reports the line that breaks the grammar
    if verdict is None and below and len(row) not in map(len, below):
        fail_narrow_header(sample)  # it is no edge of these
    if verdict is None:
        _fail_ambiguous(sample)
    return verdict


def _refuse_named_fraction(sample: Sample, row: Sequence[bytes], a: int, b: int) -> None:
    """Raise FileFormatError for a first row of words above numbers that has a fraction beside them, which names no
    column: it may be an edge of names. Between known names it may be a share of a wide table."""
    options = sample.options
    if options.columns is not None or options.ids not in ("auto", "names"):
        return
    beside = [word for j, word in enumerate(row) if j not in (a, b)]
    is_fraction = any(
        _ANY_NUMBER.fullmatch(w) and not INTEGER.fullmatch(w) and w.lower() not in MISSING for w in beside
    )
    if is_fraction and not are_endpoint_names(shown(row[a]), shown(row[b])):
        _fail_ambiguous(sample, needs_names=options.ids == "auto")


def _verdict_without_columns(sample: Sample) -> Verdict | None:
    """The verdict where the row names other columns as those of edges than the caller does; None if none does."""
    try:
        verdict = header_verdict(replace(sample, options=replace(sample.options, columns=None)))
    except InputError:
        return None
    return verdict if verdict.is_header else None


def _refuse_numbered_names(sample: Sample, row: Sequence[bytes], below: Sequence[Sequence[bytes]]) -> None:
    """Raise FileFormatError for a first row that numbers the columns, or years, if no id below is a number, or a word
    beside them is above numbers."""
    a, b = (0, 1) if sample.options.columns is None else _likely_columns(sample, row, below)
    if b >= len(row) or not all(len(word) < 5 and INTEGER.fullmatch(word) for word in (row[a], row[b])):
        return
    if len(set(map(len, below))) > 1:
        return  # no answer makes rows of these columns edges
    first, second = int(row[a]), int(row[b])
    if second - first != b - a or not (first in (a, a + 1) or _FIRST_YEAR <= first <= _LAST_YEAR):
        return
    by_values = _verdict_of_values(row, below, a, b)
    if by_values is not None and not by_values.is_header:
        return
    ids = [r[column].strip(b" \t") for r in below if len(r) > b for column in (a, b)]
    texts = [word for word in ids if word.lower() not in MISSING and not NUMBER.fullmatch(word)]
    is_mixed = any(map(INTEGER.fullmatch, ids)) and (len(ids) < 4 or 2 * len(texts) < len(ids))
    are_text = bool(texts) and not is_mixed and {row[a], row[b]}.isdisjoint(ids)
    if by_values is not None or (are_text and sample.options.ids in ("auto", "names")):
        _fail_ambiguous(sample, needs_names=are_text and sample.options.ids == "auto")


def _likely_columns(sample: Sample, row: Sequence[bytes], below: Sequence[Sequence[bytes]]) -> tuple[int, int]:
    """The columns that hold the edges if the first row is a header and names them; else the first two."""
    if sample.options.columns is not None:
        first, second = sample.options.columns
        if isinstance(first, int) and isinstance(second, int) and min(first, second) >= 0:
            return (first, second) if first <= second else (second, first)
    if _is_data(row, below):
        return 0, 1
    first, second = _chosen_or_first([shown(word) for word in row], below)
    return (first, second) if first <= second else (second, first)


def _is_data(row: Sequence[bytes], below: Sequence[Sequence[bytes]]) -> bool:
    """Whether a word behind the first two is a fraction or a date, as all words below it are."""
    for j, word in enumerate(row[2:], 2):
        pattern = next((pattern for pattern in (DATE, _ANY_NUMBER) if pattern.fullmatch(word)), None)
        if pattern is None or INTEGER.fullmatch(word) or word.lower() in MISSING:
            continue
        values = [r[j] for r in below if len(r) > j and r[j].lower() not in MISSING]
        if values and all(map(pattern.fullmatch, values)):
            return True
    return False


def _verdict_of_names(
    sample: Sample, row: Sequence[bytes], below: Sequence[Sequence[bytes]], a: int, b: int
) -> Verdict | None:
    """The verdict on a row of text over rows of text; None if it could be either."""
    by_values = _verdict_of_values(row, below, a, b)
    first, second = shown(row[a]), shown(row[b])
    if _UUID.fullmatch(first) and _UUID.fullmatch(second):
        return Verdict(False)
    if by_values is not None:
        is_open = not by_values.is_header and are_endpoint_names(first, second) and min(len(first), len(second)) > 1
        ids = {shown(word) for r in below if len(r) > b for word in (r[a], r[b])}
        is_open &= {word.casefold() for word in ids}.isdisjoint((first.casefold(), second.casefold()))
        recurs = not ids.isdisjoint((first, second)) and not are_endpoint_names(first, second)
        if by_values.is_header and recurs and sample.options.columns is None:
            return None  # ann bob eve, above bob cy 3
        return None if is_open and not are_continued(first, second, ids) else by_values  # src,dst,2019
    pairs = [(r[3][a], r[3][b]) for r in sample.rows[1:] if len(r[3]) > max(a, b)]
    if (sample.rows[0][3][a], sample.rows[0][3][b]) != (row[a], row[b]):  # blanks in quotes
        pairs = [(x.strip(b" \t"), y.strip(b" \t")) for x, y in pairs]
    words = {shown(word) for pair in pairs for word in pair}
    names = {word.casefold() for word in words}
    if _are_over_addresses(first, second, pairs) and names.isdisjoint((first.casefold(), second.casefold())):
        return Verdict(True, by_words=True)
    if is_pair(first, second) or stem_of(first, second) is not None:
        own = lower([row[a], row[b]])  # in other capitals the header of another file
        others = {shown(word) for pair in pairs if lower(pair) != own for word in pair}
        labels = any(len(word) > 1 and not is_candidate(shown(word)) for word in row)
        verdict = _verdict_of_pair(first, second, words, others, labels=labels)
        if verdict != "neither":
            return verdict
    if first.casefold() in names or second.casefold() in names:
        return Verdict(False)
    if not (_IDENTIFIER.fullmatch(first) and _IDENTIFIER.fullmatch(second)):
        return None if could_be_names(first, second) or not _are_alike(first, second, words) else Verdict(False)
    if all(any(c.isdigit() for c in word) for word in (first, second)):
        shapes = set(map(shape, names))
        if shape(first.casefold()) in shapes or shape(second.casefold()) in shapes:
            return Verdict(False)
    return None


def _are_over_addresses(first: str, second: str, pairs: Sequence[tuple[bytes, bytes]]) -> bool:
    """Whether two words that are none are above ids of which those of one column are addresses of a kind, which the
    word over it names, or both words are for columns: email,reply and user,friend over ann@a.org,bob@b.org."""
    kinds = list(map(address_names, zip(*pairs, strict=True)))
    if not any(kinds) or any(address_names([word.encode()]) for word in (first, second)):
        return False
    return any(map(is_column_word, (first, second), kinds)) or all(map(is_column_word, (first, second)))


def _verdict_of_pair(
    first: str, second: str, words: set[str], others: set[str], *, labels: bool
) -> Verdict | Literal["neither"] | None:
    """The verdict on two words that differ as the names of two endpoints do; None if they could be either.

    words: those below them. others: those of rows that are not the two, in whatever capitals. labels: whether a word
    beside them names a column that holds no ids.
    """
    repeated, recurs = (first in some or second in some for some in (words, others))
    others = others - {first, second}
    if len(letters(first)) == len(letters(second)) == 1:  # a and A may be two vertices
        if not (_IDENTIFIER.fullmatch(first) and _IDENTIFIER.fullmatch(second)):
            return "neither"  # [a] and {b}
        few = any(len(letters(word)) == 1 for word in words - {first, second})
        if few or not words:
            return Verdict(False) if repeated and not labels else None
    stem, known = stem_of(first, second), are_endpoint_names(first, second)
    if stem is not None:
        size = next((i for i, (x, y) in enumerate(zip(first, second, strict=False)) if x != y), 0)
        alike = [word for word in others if word.casefold()[:size] == first.casefold()[:size]]
        counts = first[size:].isdigit()  # node1, node2 over node3
        longest = max(len(first), len(second))
        alike = [w for w in alike if (w[size:].isdigit() if counts else w[size:].isalpha() and len(w) <= longest)]
        if alike:  # idl, idr over Ida may be anything
            is_edge = (counts or recurs or not known) and any(w[:size] == first[:size] for w in alike)
            return Verdict(False) if is_edge else None
    is_named = _IDENTIFIER.fullmatch(first) is not None and _IDENTIFIER.fullmatch(second) is not None
    if not is_named and stem is not None and any(letters(word).casefold().startswith(stem) for word in others):
        return Verdict(False)  # <node1>, <node2> over <node3>
    if known:
        return None if repeated or are_continued(first, second, others) else Verdict(True, by_words=True)
    if recurs:
        return Verdict(False)
    shapes = set(map(shape, words))
    if not all(shape(word) in shapes for word in (first, second)):
        return None
    if stem is not None and (is_stem_of_columns(stem) or (first.islower() and first[-1:].isdigit())):
        return None
    return "neither"


def _are_alike(first: str, second: str, words: set[str]) -> bool:
    """Whether one of two words is an address, or they are written as words below them are: blanks with capitals where
    these have both, and a character that is neither a letter nor a digit if these have it, too, as paths do."""
    if not words or _ADDRESS.fullmatch(first) or _ADDRESS.fullmatch(second):
        return True
    blanks = {capitals(word) for word in (first, second) if " " in word}
    if blanks:
        return blanks <= {capitals(word) for word in words if " " in word}
    own = marks(first + second)
    return not own or not own.isdisjoint(marks("".join(words)))


def _verdict_of_values(row: Sequence[bytes], below: Sequence[Sequence[bytes]], a: int, b: int) -> Verdict | None:
    """The verdict by a column beside the edges whose values are numbers or dates: a word over them is a name."""
    for j, word in enumerate(row):
        if j in (a, b) or word.lower() in MISSING:
            continue
        values = [r[j] for r in below if len(r) > j]
        for pattern in (_ANY_NUMBER, DATE):
            if values and all(pattern.fullmatch(value) or not value for value in values):
                return Verdict(
                    pattern.fullmatch(word) is None and not (pattern is DATE and _NO_LETTERS.fullmatch(word))
                )
    return None


def _fail_ambiguous(sample: Sample, *, needs_names: bool = False) -> NoReturn:
    """Raise the error of a first row that could be a header or an edge, with all that has to be said of the text.

    needs_names: whether as an edge it needs ids='names'.
    """
    ways: list[dict[str, Any]] = []
    row = sample.rows[0][3]
    is_empty = not row[0] and len(row) > 2 and sample.options.columns is None
    is_doubled = doubled_mark(sample) != "" and sample.options.columns is None
    for header in (True, False):
        is_between = is_doubled or could_be_relations(sample.rows[header:], sample)
        i, j = (1, 2) if is_empty else (0, 2) if is_between else (0, 1)
        with_columns = ((is_empty or is_doubled) and not header) or _needs_columns(sample, header=header)
        columns: dict[str, Any] = {"columns": (i, j)} if with_columns else {}
        ways.append({"header": header, **columns, **({"ids": "names"} if needs_names and not header else {})})
    others = ", or other columns," if "columns" in ways[0] else ""
    again = _line_of_repetition(sample)
    left_out = "" if again is None else f" and line {again}, which repeats it, is left out"
    header_way, edge_way = (sample.options.spelled(**each) for each in ways)
    hint = f"{header_way}{others} if it names the columns{left_out}, {edge_way} if it is an edge{comment_hint(sample)}"
    if sample.options.ids == "auto":
        hint += absent_hint(sample, *(ways[0].get("columns") or _likely_columns(sample, row, [])))
    fail_ambiguous_header(sample.source, sample.rows[0][0], sample.text_of(sample.rows[0]), hint)


def _line_of_repetition(sample: Sample) -> int | None:
    """The line of the first row that the header is refused with, as it repeats it."""
    row = sample.rows[0][3]
    known = len(row) > 1 and are_endpoint_names(shown(row[0]), shown(row[1]))
    same = (r[0] for r in sample.rows[1:] if r[3] == row or (known and lower(r[3]) == lower(row)))
    return next(same, None)


def _refuse_empty_name(sample: Sample, row: Sequence[bytes], below: Sequence[Sequence[bytes]]) -> None:
    """Raise FileFormatError for a first row whose first word is empty, as in a header above the numbers or the names of
    rows: of three names and more, or of two words if no id below is empty. In a line without quotes it is none of an
    edge."""
    words = [shown(word) for word in row[1:]]
    if len(words) == 1:  # as of a vector with names, which R writes
        is_name = not below or any(len(r) == 2 and b"" in r for r in below)
    else:
        is_name = len(set(words)) < len(words) or not all(map(_IDENTIFIER.fullmatch, words))
        if below and all(r[0] for r in below):
            is_name = any(words) and not any(map(_IDENTIFIER.fullmatch, words))
    by_values = _verdict_of_values(row, below, 0, 1)
    if is_name or not words or (by_values is not None and not by_values.is_header):
        return
    columns: dict[str, Any] = {}
    others = ""
    if sample.options.columns is None and len(words) > 1:
        refuse_matrix(sample, None, [list(row), *below], len(row))
        i = 1 if row[1] or not below or all(INTEGER.fullmatch(r[0]) for r in below) else 0
        columns, others = {"columns": (i, i + 1)}, ", or other columns,"
    text = sample.text_of(sample.rows[0])
    hint = f"{spelled(header=True, **columns)}{others} if it names the columns"
    if b'"' in text:
        is_asked = sample.options.ids == "auto" and columns.get("columns", (0,))[0] == 0  # as an empty id
        hint += f", {spelled(header=False, **columns, **({'ids': 'names'} if is_asked else {}))} if it is an edge"
    else:
        hint += "; no edge begins with an empty word"
    fail_ambiguous_header(sample.source, sample.rows[0][0], text, hint)


def is_one_short(sample: Sample) -> bool:
    """Whether the first row has two words or more and each other one has one word more. Numbers alone may count edges,
    unless they are in quotes, or 0, 1 and so on."""
    row = sample.rows[0][3]
    is_shorter = len(sample.rows) > 1 and all(len(r[3]) == len(row) + 1 for r in sample.rows[1:])
    may_count = all(map(NUMBER.fullmatch, row)) and b'"' not in sample.text_of(sample.rows[0])
    if may_count and row == [b"%d" % i for i in range(len(row))] and len(sample.rows) > 2:
        may_count = not all(word for *_, r in sample.rows for word in r)
    return is_shorter and len(row) > 1 and not may_count


def fail_narrow_header(sample: Sample, hint: str = "") -> NoReturn:
    """Raise the error of a header of another number of columns than the rows below it. hint: what the text looks like.

    R writes a header that is one column short above the names of rows.
    """
    line, _, _, row = sample.rows[0]
    fields = len(sample.rows[1][3])
    problem = f"the first row has {len(row)} columns and line {sample.rows[1][0]} has {fields}"
    if hint:
        problem += f"; {hint}"
    elif is_one_short(sample):
        names, below = [shown(word) for word in row], [r[3] for r in sample.rows[1:]]
        if sample.options.columns is None:
            refuse_matrix(sample, ["", *names], below, fields)
        a, b = _chosen_or_first(names, [r[:-1] for r in below])
        c, d = _chosen_or_first(names, [r[1:] for r in below])
        problem += (
            f": say {spelled(header=True, columns=(c + 1, d + 1))} if the first column holds the names of rows, over "
            f"which write.table of R leaves out a word, {spelled(header=True, columns=(a, b))} if the last one has no "
            "name"
        )
    elif has_header_below(sample, header_verdict):
        problem += f"; line {sample.rows[1][0]} may name the columns: leave this one out if it is a title"
    elif sample.options.columns is None and fields > 1:
        problem += f"; {spelled(header=True, columns=(0, 1))}, or other columns, leaves it out if it is a header"
    sample.source.fail(problem, line=line, text=shown(sample.text_of(sample.rows[0])))


def _chosen_or_first(names: list[str], below: Sequence[Sequence[bytes]]) -> tuple[int, int]:
    """The columns that names say hold the edges; the first two where they do not."""
    try:
        return choose_columns(names, kinds_of(below, len(names)), "", None, no_row_numbers(names, below))
    except InputError:
        return 0, 1


def refuse_second_header(sample: Sample, first: int, second: int, *, named: bool) -> None:
    """Raise FileFormatError for a row below the header that could be another one. named: whether ids are text."""
    if len(sample.rows) < 2 or any(len(row[3]) != len(sample.rows[0][3]) for row in sample.rows[:2]):
        return
    if not _is_second_header(sample, first, second):
        return
    line, text = sample.rows[1][0], sample.text_of(sample.rows[1])
    if b'"' not in text and not all(sample.rows[1][3][column] for column in (first, second)):
        sample.source.fail(
            f"it may be a second header, below that of line {sample.rows[0][0]}, and no edge has an empty word: leave "
            "it out",
            line=line,
            text=shown(text),
        )
    ids: dict[str, Any] = {} if named else {"ids": "names"}
    columns: dict[str, Any] = {} if (first, second) == (0, 1) else {"columns": (first, second)}
    say = sample.options.spelled
    sample.source.fail(
        f"it may be a second header, below that of line {sample.rows[0][0]}: leave one out, or say "
        f"{say(header=True, **ids)} if it is an edge, {say(header=False, **columns, **ids)} if both are"
        f"{comment_hint(sample)}",
        line=line,
        text=shown(text),
    )


def _is_second_header(sample: Sample, first: int, second: int) -> bool:
    """Whether the second row has a word of the header beside the edges, known names that no row repeats, or types."""
    header, row = lower(sample.rows[0][3]), lower(sample.rows[1][3])
    beside = [j for j in range(len(row)) if j not in (first, second)]
    if any(row[j] == header[j] and not NUMBER.fullmatch(row[j]) and row[j] for j in beside):
        return row != header  # which is refused as the same header
    if any(NUMBER.fullmatch(row[j]) and not NUMBER.fullmatch(header[j]) for j in beside):
        return False
    own, words = ([shown(some[column]) for column in (first, second)] for some in (header, row))
    if all(map(_TYPE.fullmatch, row)):
        return True
    if min(map(len, words)) < 2 or not are_endpoint_names(*words) or not set(own).isdisjoint(words):
        return False
    rest = replace(sample, rows=sample.rows[1:])
    below = [r[3] for r in sample.rows[2:]]
    if below:
        ids = {shown(r[column]).casefold() for r in below if len(r) > max(first, second) for column in (first, second)}
        verdict = _verdict_of_names(rest, sample.rows[1][3], below, first, second)
        return ids.isdisjoint(words) and verdict is not None and verdict.is_header
    is_numbered = stem_of(*words) is not None or any(re.search(r"\d", word) for word in words)
    return not is_numbered and all(map(_IDENTIFIER.fullmatch, words))


def _needs_columns(sample: Sample, *, header: bool) -> bool:
    """Whether another question, which columns hold the edges, follows the answer to that about the header."""
    rows, options = sample.rows, replace(sample.options, header=header)
    names = [shown(word) for word in rows[0][3]] if header else None
    below = rows[1:] if header else rows
    fields = len((below or rows)[0][3])
    if options.columns is not None or (names is not None and len(names) != fields):
        return False
    try:
        columns_of(replace(sample, options=options), names, below, fields)
    except InputError:
        return True
    return False


def fail_ambiguous_header(source: Source, line: int, text: bytes, hint: str = "") -> NoReturn:
    """Raise the error of a first row that could be a header or an edge. hint: what says so, if more than one word."""
    hint = hint or f"{spelled(header=True)} if it names the columns, {spelled(header=False)} if it is an edge"
    source.fail(f"it is ambiguous whether the first row is a header: say {hint}", line=line, text=shown(text))
