"""What an error of the parsers of edges could mean."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.edges.column_names import are_numbered, choose_columns
from landbridge.edges.formats.commented import comment_or_edge, names_way
from landbridge.edges.formats.delimiter import DELIMITERS
from landbridge.edges.formats.dialect import Dialect, without_counts
from landbridge.edges.formats.likely_formats import row_count_hint
from landbridge.edges.formats.line_places import LONGEST, begin_of_line, line_of
from landbridge.edges.formats.sample import ABSENT, INTEGER, NUMBER, kinds_of, rows_of, shown, words_of
from landbridge.edges.formats.source import Bytes
from landbridge.edges.formats.word_shapes import whole_number
from landbridge.edges.options import Options
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError, counted

_NO_NUMBER = re.compile("a vertex id (must (be a whole number|not be negative)|does not fit)")
_ZEROS = "a number that begins with zeros: ids='names' keeps them, ids='sparse' drops them"
"""A message of the core, which spells options as Python does."""
_FEW = 1 << 16
"""First bytes that are looked at for a header, and lines."""
_ROWS = 100
_DIGITS = re.compile(r"[0-9]{1,20}")
_EXPONENT = re.compile(r"\+?[0-9]+(?:\.[0-9]*)?[eE]\+?[0-9]+")
_AROUND = re.compile(r"^[\s\u200b\u2060\ufeff]+|[\s\u200b\u2060\ufeff]+$")
"""White space that is no blank of text, such as a no-break space, and characters without a width."""
_SINGLE = re.compile(r"'\d+'")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}([., '\u00a0\u2009\u2019\u202f])\d{3}(?:\1\d{3})*")


def with_hint(parser: Any, dialect: Dialect, data: Bytes, *, reading: Options, **options: Any) -> Any:
    """Call a parser of the core; its error is extended by what could be meant. dialect: of the text. reading: what the
    caller says of it."""
    try:
        return parser(data, **options)
    except _core.CoreFormatError as error:
        problem, *where, word = error.args
        before = where[0] - options["first_line"]
        count_hint = row_count_hint(line_of(data, before))
        is_text = problem.startswith("expected a vertex id")
        if count_hint:
            problem += f"; {count_hint}"
        elif is_text or (_NO_NUMBER.match(problem) and not options["padded"]):  # else they are said to be numbers
            names = ""
            meant = _without_quotes(word, data, before, dialect)
            if not is_text or _is_text(meant):
                what = "takes text" if is_text else "takes it as text"
                others = _other_columns(data, before, dialect) or _empty_column(data, before, dialect)
                is_first = where[0] == dialect.first_row and reading.header is None
                header = _hint_of_header(data, dialect, reading) if is_first and not others else ""
                names = others or header or _hint_of_names(data, reading, options, what)
            problem += _hint_of_word(meant) or _hint_of_digits(meant) + names
        elif problem.startswith("a comment or an edge?"):
            problem = comment_or_edge(word, data, options["first_line"])
        elif problem == _ZEROS:
            problem = f"{problem.partition(':')[0]}: {_ways_of_zeros(data, dialect, reading, options)}"
        elif "columns where" in problem or "column where" in problem:
            empty = "leave such lines out" if problem.startswith("an empty column") else ""
            problem += f"; {dialect.hint or empty}" if dialect.hint or empty else ""
        elif problem.startswith("text behind the quote"):
            problem += _hint_of_quotes(data, before, options["delimiter"], options["comments"])
        elif "out of range" in problem:
            line = line_of(data, before) if where[0] == dialect.first_line else b""
            problem += _hint_of_range(word, line, dialect, reading)
        raise _core.CoreFormatError(problem, *where, word) from None


def _without_quotes(word: str, data: Bytes, before: int, dialect: Dialect) -> str:
    """What is between the quotes where a word begins with one, also behind a delimiter in it; the word elsewhere."""
    if not word.startswith('"'):
        return word
    columns = words_of(line_of(data, before), dialect.delimiter)
    ids = [columns[place] for place in sorted((dialect.first, dialect.second)) if place < len(columns)]
    return next((shown(text) for text in ids if not INTEGER.fullmatch(text)), word)


def _other_columns(data: Bytes, before: int, dialect: Dialect) -> str:
    """That a line has another number of columns than others, so that no kind of ids takes it; "" where it has not.

    before: how many lines are before it.
    """
    line = line_of(data, before)
    columns = len(words_of(line, dialect.delimiter))
    if columns in (0, dialect.fields) or len(line) == LONGEST:
        return ""
    problem = f"; this line has {counted(columns, 'column')} where {dialect.fields} are needed"
    return f"{problem}; {dialect.hint}" if dialect.hint else problem


def _empty_column(data: Bytes, before: int, dialect: Dialect) -> str:
    """That a line has an empty id, so that no kind of ids takes it, as that of a sum; "" where it has none. before: how
    many lines are before it."""
    line = line_of(data, before)
    words = words_of(line, dialect.delimiter)
    ids = [words[place] for place in (dialect.first, dialect.second) if place < len(words)]
    is_empty = b"" in ids and b'"' not in line and len(line) < LONGEST
    return "; a column of this line is empty: leave such lines out" if is_empty else ""


def _hint_of_names(data: Bytes, reading: Options, grammar: dict[str, Any], what: str) -> str:
    """That a word is taken as a name by an option, for messages. what: how they say so."""
    way, comments = names_way(data, reading, grammar)
    return f"; {way} {what}{comments}"


def _hint_of_header(data: Bytes, dialect: Dialect, reading: Options) -> str:
    """That a first row of words and of numbers that count columns, as score,0,1, names those of the numbers below it;
    "" for any other."""
    rows, _ = rows_of(bytes(data[:_FEW].data), dialect.delimiter, dialect.comments, _ROWS)
    names = [shown(word) for word in rows[0][3]]
    words = sum(1 for _ in takewhile(lambda name: not NUMBER.fullmatch(name.encode()), names))
    below = [row[column] for *_, row in rows[1:] for column in (dialect.first, dialect.second) if column < len(row)]
    if len(names) < words + 2 or not are_numbered(names[words:]) or not below or not all(map(INTEGER.fullmatch, below)):
        return ""
    columns, others = {}, ""
    if reading.columns is None:
        try:
            choose_columns(names, kinds_of([row for *_, row in rows[1:]], dialect.fields), "")
        except InputError:
            columns, others = {"columns": (words, words + 1)}, ", or other columns,"
    return f"; {reading.spelled(header=True, **columns)}{others} leaves this line out if it names the columns"


def _ways_of_zeros(data: Bytes, dialect: Dialect, reading: Options, grammar: dict[str, Any]) -> str:
    """What takes a number that begins with zeros: as a name, and as a number where ids of first rows are numbers."""
    way, comments = names_way(data, reading, grammar)
    drops = f", {spelled(ids='sparse')} drops them" if all(map(INTEGER.fullmatch, dialect.ids)) else ""
    return f"{way} keeps them{drops}{comments}"


def _hint_of_range(word: str, first: bytes, dialect: Dialect, reading: Options) -> str:
    """What an id that is out of range could mean: counts in the first row, which begin with the number of vertices that
    the caller says there are, or vertices from 1 on. first: the first row, if the id is in it."""
    n = str(reading.num_vertices)
    hint = ""
    if dialect.counted is not None and re.match(rb'[ \t"]*' + n.encode() + rb"(?!\d)", first):
        hint = f"; the first row could be counts: {without_counts(dialect)} leaves it out"
    ids = [int(each) for each in dialect.ids if INTEGER.fullmatch(each)]
    if word == n and reading.base is None and all(0 < each <= int(n) for each in ids):
        hint += f"; {spelled(base=1)} if the vertices are 1 to {n}"
    return hint


def _hint_of_quotes(data: Bytes, before: int, delimiter: str, comments: str) -> str:
    """What could be meant by text behind a closing quote: a quote within a name, or another delimiter. before: how many
    lines are before it."""
    begin, line = begin_of_line(data, before), line_of(data, before)
    if b'\\"' in line:
        return "; a quote within a name is two quotes, not \\\" (qmethod='double' of write.table in R writes it so)"
    lines = bytes(data.data[: begin + len(line)]) if begin < LONGEST else line
    others = [d for d in DELIMITERS if d != delimiter and _are_parted(lines, d, comments)]
    ways = " or ".join(spelled(delimiter=other) for other in others)
    return f"; {ways} parts the lines elsewhere" if ways else ""


def _are_parted(lines: bytes, delimiter: str, comments: str) -> bool:
    """Whether a delimiter parts lines into equally many columns of names."""
    rows, _ = rows_of(lines, delimiter, comments, 1)
    if not rows or len(rows[0][3]) < 2:
        return False
    try:
        _core.parse_names(
            np.frombuffer(lines, np.uint8), delimiter=delimiter, comments=comments, outer_blanks=True, first_line=1,
            first=0, second=1, fields=len(rows[0][3]), exact=True, quotes=True,
        )  # fmt: skip
    except _core.CoreFormatError:
        return False
    return True


def _hint_of_word(word: str) -> str:
    """What is to be said of a word that is no id as a number, and no plausible name; "" for a name."""
    if not word.strip() or (word.encode() in ABSENT and any(map(str.isalnum, word))):
        return "; it stands for no value: leave such lines out"
    if "," not in word and (whole := shown(whole_number(word.encode()))):
        write = f"{_hint_of_thousands(word)}, else {whole}" if _THOUSANDS.fullmatch(word) else f"; write {whole}"
        return f"{write}, without a fraction, as .astype('Int64') does in pandas, also where values are missing"
    if digits := _digits_of(word):
        return f"; write {digits}, in digits alone"
    if _EXPONENT.fullmatch(word) and ("+" in word or "." in word):
        return "; write all its digits: a number with an exponent may have lost some"
    if _SINGLE.fullmatch(word):
        return "; single quotes enclose no id: write it with double quotes or none"
    if not any(character.isalnum() for character in word) and "\ufffd" not in word:
        return "; it is no name either: leave such lines out"
    return ""


def _digits_of(word: str) -> str:
    """The digits of a whole number with white space around it that is no blank of text; "" of others."""
    number = _AROUND.sub("", word)
    return number.lstrip("0") or "0" if number != word and _DIGITS.fullmatch(number) else ""


def _hint_of_digits(word: str) -> str:
    """What is to be said of a number that may have marks between thousands, and of an exponent; "" for any other."""
    exponent = "; write all digits if it is a number with an exponent" if _EXPONENT.fullmatch(word) else ""
    return _hint_of_thousands(word) or exponent


def _hint_of_thousands(word: str) -> str:
    """What is to be said of a number that may have marks between thousands, as 1.234, 1,234 and 1'234 do; "" for any
    other."""
    digits = re.sub(r"\D", "", word)
    return f"; write {digits} if it has marks between thousands" if _THOUSANDS.fullmatch(word) else ""


def _is_text(word: str) -> bool:
    """Whether a word at which the core expects an id is no number, as x9 and 9b are none."""
    has_letter = any(character.isalpha() for character in word)
    return not word[:1].isdigit() or (has_letter and not NUMBER.fullmatch(word.encode()))
