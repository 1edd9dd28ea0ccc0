"""How a text of edges is written: its delimiter, its header, the columns of the edges, and the kind of its ids.

All is decided by the first lines, the same way for files, pipes and chunks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import numpy as np

from landbridge import _core
from landbridge.edges.column_names import possible_pairs
from landbridge.edges.formats.commented import comment_or_edge, commented_edge, last_comment, words_of_comment
from landbridge.edges.formats.delimiter import choose_delimiter, doubled_mark, other_delimiter, stated_delimiter
from landbridge.edges.formats.edge_columns import columns_of
from landbridge.edges.formats.header_row import (
    fail_ambiguous_header,
    fail_narrow_header,
    header_verdict,
    is_one_short,
    refuse_second_header,
)
from landbridge.edges.formats.likely_formats import jlg_hint, likely_format, lost_column_hint, rule_hint
from landbridge.edges.formats.not_edges import (
    refuse_decimal_commas,
    refuse_ends,
    refuse_json,
    refuse_no_ids,
    refuse_other_files,
    refuse_other_line,
    refuse_rule,
    refuse_structures,
)
from landbridge.edges.formats.sample import INTEGER, LINES, MISSING, NUMBER, Row, Sample, rows_of, shown
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.text_matrices import refuse_matrix_of_any_labels
from landbridge.edges.formats.title_line import (
    names_of_header,
    refuse_title_above_names,
    refuse_title_of_other_width,
)
from landbridge.edges.formats.word_notes import first_edge_notes, names_as_edge_notes, notes_of_words, refuse_two_quotes
from landbridge.edges.options import Options
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError, counted

__all__ = ["Dialect", "HeaderRow", "dialect_of", "fail_ambiguous_header", "fail_counts", "text_start", "without_counts"]

COMMENTS = "#%"
WINDOW = 1 << 20
"""Bytes of the sample from the first line of columns on."""

_LONGEST_PRELUDE = 1 << 26
_FEW = 100
"""Rows that are looked at for names where the caller says that ids are numbers, and bytes for those of UTF-16."""
_BOM = b"\xef\xbb\xbf"
_COUNTS = re.compile(rb"\b(Nodes|Edges):\s*(\d{1,18})\b")


@dataclass(frozen=True, slots=True)
class HeaderRow:
    """A first row that is taken as a header and has a word that is no number.

    Attributes
    ----------
    line : int
        The number of its line.
    text : bytes
        The line.
    words : (bytes, bytes)
        Its words over the columns of the edges.
    by_words : bool
        Whether its words alone say that it is a header.
    """

    line: int
    text: bytes
    words: tuple[bytes, bytes]
    by_words: bool


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to read a text.

    Attributes
    ----------
    start, first_line : int
        The byte and the number of the line at which edges begin.
    delimiter, comments : str
        As the core's parsers take them.
    first, second : int
        The columns of the edges.
    fields : int
        The columns of a line; exact: no line may have more.
    named : bool
        Whether ids are text.
    notes : tuple of str
        How the text was understood.
    first_row : int or None
        The number of the line of the header or else of the first edge.
    hint : str
        What the text looks like if its first lines differ in columns.
    nodes, edges : int or None
        Counts that a comment states.
    header : HeaderRow or None
        A header to be compared with the edges.
    counted : int or None
        The edges that the first row may count: it could be "n m", or "n n m" of a matrix.
    empty : bool
        Whether there are no edges.
    ids : dict
        Those of the first rows, and the first line of each.
    """

    start: int = 0
    first_line: int = 1
    delimiter: str = ""
    comments: str = COMMENTS
    first: int = 0
    second: int = 1
    fields: int = 2
    exact: bool = False
    named: bool = False
    notes: tuple[str, ...] = ()
    first_row: int | None = None
    hint: str = ""
    nodes: int | None = None
    edges: int | None = None
    header: HeaderRow | None = None
    counted: int | None = None
    empty: bool = False
    ids: Mapping[bytes, int] = field(default_factory=dict)

    @property
    def grammar(self) -> dict[str, Any]:
        """The arguments of the core's parsers."""
        return {
            "first": self.first, "second": self.second, "delimiter": self.delimiter, "comments": self.comments,
            "fields": self.fields, "exact": self.exact, "quotes": True,
        }  # fmt: skip


def dialect_of(source: Source, options: Options) -> Dialect:
    """The dialect of a text by its first lines.

    Raises
    ------
    FileFormatError, InputError
        If there is none, or more than one.
    """
    comments = COMMENTS if options.comment is None else options.comment
    first = _first_bytes(source, comments)
    head, start, begin = first.data, first.start, first.begin
    prelude, line = head[start:begin], head[:begin].count(b"\n") + 1
    above = head[:start].count(b"\n")
    if not (first.bad or head[start:].strip(b" \t\r\n")):
        source.fail("the file is empty: nothing but blank lines, no edges, no header and no comment")
    are_names = options.ids == "names" and options.header is False
    refuse_other_files(source, prelude, head[begin:], line, lambda: _way_to_edges(source, options), are_names=are_names)
    if options.header is not False and not head[begin : begin + 1].isdigit():
        behind = head[begin:].partition(b"\n")[2]
        body = behind.lstrip()
        at = line + 1 + behind[: len(behind) - len(body)].count(b"\n")
        refuse_other_line(source, body, at, lambda: _way_to_edges(source, options), f"leave line {line} out: below it ")
    if options.header:
        refuse_json(source, head[begin:].partition(b"\n")[2], comments, line + 1)
    else:
        refuse_json(source, head[start:], comments, 1 + above)
    sample = Sample(source, options, comments, head[begin : first.end], line, first.bad, first.complete)
    sample.above = last_comment(prelude, comments)
    sample.cut(choose_delimiter(sample, first.stated))
    refuse_title_above_names(sample, header_verdict)
    _refuse_commented_header(sample)
    counts = {word: int(value) for word, value in _COUNTS.findall(prelude)}
    dialect = _dialect(sample, (start, 1 + above), begin, counts.get(b"Nodes"), counts.get(b"Edges"))
    if above and options.delimiter is None:
        dialect = replace(dialect, notes=(f"line 1 states the delimiter, {first.stated!r}", *dialect.notes))
    if dialect.empty and options.comment is None and options.ids in ("auto", "names"):
        _refuse_ambiguous_comments(source, head)
    return dialect


def _way_to_edges(source: Source, options: Options) -> str:
    """What takes the lines of a text that begins as another file does, for messages; "" where nothing takes them."""
    if options.num_vertices is not None or options.base is not None:
        return ""
    try:
        dialect = dialect_of(source, replace(options, header=False, ids="names"))
    except InputError:
        return ""
    rows, bad = rows_of(source.peek(WINDOW)[dialect.start :], dialect.delimiter, dialect.comments, LINES)
    if bad or any(len(row) != dialect.fields for *_, row in rows):
        return ""
    return f"; {spelled(header=False, ids='names')} takes its lines as edges if they are"


class _Head(NamedTuple):
    """The bytes by which the dialect is chosen.

    start: where the text begins in them, behind a byte order mark and a line that states the delimiter. begin, end: the
    sample in them, whole lines from the first with columns on, at least two with columns if the text has them. bad:
    whether the first breaks the grammar. complete: whether the text ends with the sample. stated: the delimiter that a
    line states, "" for none.
    """

    data: bytes
    start: int
    begin: int
    end: int
    bad: bool
    complete: bool
    stated: str


def _first_bytes(source: Source, comments: str) -> _Head:
    size = WINDOW
    while True:
        head = source.peek(size)
        complete = len(head) < size
        stated, start = stated_delimiter(head, text_start(source, head))
        whole = head if complete else head[: head.rfind(b"\n") + 1]
        rows, bad = rows_of(whole[start:], "", comments, 2)
        begin = start + rows[0][1] if rows else len(head)
        enough = len(head) - begin >= WINDOW and (len(rows) > 1 or size >= _LONGEST_PRELUDE)
        if bad or complete or enough:
            break
        if not rows and size >= _LONGEST_PRELUDE:
            line = whole.count(b"\n") + 1
            source.fail(f"no line of edges ends in the first {_LONGEST_PRELUDE >> 20} MiB of the text", line=line)
        size = begin + WINDOW if len(rows) > 1 else size * 8
    end = len(whole)
    if rows and end > begin + WINDOW:
        second = whole.find(b"\n", start + rows[-1][2]) + 1 or len(whole)
        end = max(second, whole.rfind(b"\n", 0, begin + WINDOW) + 1) or end
    return _Head(head, start, begin, end, bad and not rows, complete and end == len(head), stated)


def text_start(source: Source, head: bytes) -> int:
    """Where a text begins whose first bytes are given: behind a byte order mark.

    Raises FileFormatError for UTF-16 and UTF-32.
    """
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        source.fail(f"the text is UTF-32; {spelled(encoding='utf-32')} reads it", line=1)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        source.fail(f"the text is UTF-16; {spelled(encoding='utf-16')} reads it", line=1)
    few = head[:_FEW]
    for encoding, zeros in (("utf-16-le", few[1::2]), ("utf-16-be", few[::2])):
        if zeros and not any(zeros) and any(few):
            source.fail(f"the text may be UTF-16; {spelled(encoding=encoding)} reads it", line=1)
    return len(_BOM) if head.startswith(_BOM) else 0


def _refuse_ambiguous_comments(source: Source, text: bytes) -> None:
    """Raise FileFormatError for comments in a text without edges that could be the edges."""
    comment = commented_edge(text)
    if comment is not None:
        line = shown(comment.text)
        source.fail(comment_or_edge(line, text, 1), line=comment.before + 1, text=line)


def _refuse_commented_header(sample: Sample) -> None:
    """Raise FileFormatError for a first row that the caller calls a header, though the comment above has as many
    columns, and the row does not look like one: it may be the first edge."""
    options = sample.options
    if not (options.header and options.comment is None and sample.above and sample.rows) or sample.by_name:
        return
    line, *_, row = sample.rows[0]
    names = words_of_comment(sample)
    ids = [int(word) for *_, some in sample.rows for word in some[:2] if INTEGER.fullmatch(word) and len(word) < 20]
    counts = sample.complete and row[-1] == b"%d" % (len(sample.rows) - 1) and row[0] == b"%d" % max(ids, default=0)
    if len(names) != len(row) or len(row) < 2 or counts:
        return
    try:
        if header_verdict(replace(sample, options=replace(options, header=None))).is_header:
            return
    except InputError:
        pass
    sample.source.fail(
        f"it may be the first edge, below its header in a comment ({shown(sample.above)}): say "
        f"{spelled(header=False, comment=COMMENTS)} if so, {spelled(header=True, comment=COMMENTS)} if this line is "
        "the header",
        line=line,
        text=shown(sample.text_of(sample.rows[0])),
    )


def fail_counts(source: Source, dialect: Dialect, m: int, first: tuple[int, int]) -> NoReturn:
    """Raise the error of a first edge that could be the numbers of vertices and edges."""
    source.fail(
        f"the first row could be counts, of {counted(first[0], 'vertex', 'vertices')} and the "
        f"{counted(m - 1, 'edge')} below it: say {without_counts(dialect)} to leave it out, {spelled(header=False)} if "
        "it is an edge",
        line=dialect.first_line,
        text=" ".join(map(str, [*first, m - 1] if dialect.fields == 3 else first)),
    )


def without_counts(dialect: Dialect) -> str:
    """What leaves out a first row of counts, for messages."""
    return spelled(header=True, columns=(0, 1)) if dialect.fields == 3 else spelled(header=True)


def _dialect(sample: Sample, text: tuple[int, int], begin: int, nodes: int | None, edges: int | None) -> Dialect:
    """The dialect of a sample. text: the byte and the line it begins with; begin: the byte of the sample's window."""
    start, first_line = text
    options = sample.options
    if not sample.rows:  # nothing but comments, or a line that the parser will report
        named = options.ids == "names" or (options.ids == "auto" and sample.unreadable)
        return Dialect(
            start, first_line, sample.delimiter, sample.comments, named=named, nodes=nodes, edges=edges,
            notes=() if sample.unreadable else (_note_of_comments(sample.comments),), empty=not sample.unreadable,
        )  # fmt: skip
    are_names = not any(not word or NUMBER.fullmatch(word) for word in sample.rows[0][3])
    if not ((is_one_short(sample) and are_names) or jlg_hint(sample)):
        refuse_title_of_other_width(sample, header_verdict)
    hint = _hint(sample)
    refuse_matrix_of_any_labels(sample)
    is_header, by_words = header_verdict(sample)
    if is_header:
        refuse_rule(sample)
    below = sample.rows[1:] if is_header else sample.rows
    names = [shown(word) for word in sample.rows[0][3]] if is_header else None
    fields = len((below[0] if below and len(below[0][3]) > 1 else sample.rows[0])[3])
    if fields == 1:
        line, _, _, row = sample.rows[0]
        hints = "".join(f"; {each}" for each in dict.fromkeys((hint, other_delimiter(sample))) if each)
        problem = f"this line has 1 column where 2 are needed{hints}"
        sample.source.fail(problem, line=line, column=1, text=shown(row[0]))
    refuse_ends(sample, below or sample.rows)
    if names is not None and fields > 1 and not any(names[fields:]):
        names = names_of_header(sample, names, fields, header_verdict)
    if names is not None and len(names) != fields:
        short = is_one_short(sample) and options.columns is None
        if options.header is None or sample.by_name or short:
            fail_narrow_header(sample, jlg_hint(sample))
        if options.columns is None and possible_pairs(names):
            fail_narrow_header(sample, f"{spelled('columns')} says which of these hold the edges")
        names = None
    if sample.stopped and not below:
        _fail_at_next_line(sample)
    first, second, column_notes = columns_of(sample, names, below, fields)
    named, notes = _id_kind(options, below, first, second)
    if is_header and options.header is None and options.columns is None:
        refuse_second_header(sample, first, second, named=named)
    if options.ids in ("dense", "sparse"):
        _refuse_names(sample, below, first, second)
    notes += column_notes
    refuse_structures(sample, below, first, second, is_header=is_header)
    if named and not is_header and options.columns is None:
        refuse_no_ids(sample, first, second)
    elif named and options.ids != "names" and options.delimiter is None:
        refuse_decimal_commas(sample, below, first, second)
    if not is_header:
        notes += first_edge_notes(sample, first, second)
    elif named:
        notes += names_as_edge_notes(sample, first, second)
    if named:
        if options.ids == "auto":
            refuse_two_quotes(sample, is_header, first, second)
        notes += notes_of_words(sample, is_header, first, second)
    header = None
    if is_header:
        header = _header_row(sample, first, second, named and options.header is None and by_words)
        if options.header is None and not sample.by_name:
            listed = ", ".join(shown(word) for word in sample.rows[0][3][:20])
            which = f"; columns {names[first]} and {names[second]} are the edges" if names is not None else ""
            none = f"; no edges are below it, and {spelled(header=False)} takes it as one"
            none = "" if below or not sample.complete else none
            notes.insert(0, f"line {sample.rows[0][0]} is taken as a header ({listed}){which}{none}")
        elif not below and sample.complete:
            notes.append(f"no edges are below the header of line {sample.rows[0][0]}")
        line, _, end, _ = sample.rows[0]
        rest = sample.window[end:]
        start, first_line = begin + end + len(rest) - len(rest.lstrip(b"\r")) + 1, line + 1
    unsaid = not (is_header or named) and options.header is None and edges is None
    counted = _counted(sample.rows[0][3], options) if unsaid else None
    return Dialect(
        start, first_line, sample.delimiter, sample.comments, first, second, fields, True, named, tuple(notes),
        sample.rows[0][0], hint, nodes, edges, header, counted,
        empty=not below and sample.complete and not sample.stopped,
        ids=dict(reversed([(row[c], line) for line, *_, row in below for c in (first, second) if c < len(row)])),
    )  # fmt: skip


def _counted(row: Sequence[bytes], options: Options) -> int | None:
    """The edges that a first row may count: of "n m", and of "n n m" as a matrix has it."""
    if len(row) == 3 and row[0] == row[1] and options.columns is None:
        row = row[1:]
    return int(row[1]) if len(row) == 2 and row[1].isdigit() and len(row[1]) < 20 else None


def _fail_at_next_line(sample: Sample) -> None:
    """Raise the error of the line behind the rows, which breaks the grammar."""
    line, _, end, _ = sample.rows[-1]
    rest = np.frombuffer(sample.window[end:], np.uint8)
    sample.source.parse(
        _core.parse_names,
        rest,
        first_line=line,
        delimiter=sample.delimiter,
        comments=sample.comments,
        outer_blanks=True,
        second=0,
        fields=1,
    )


def _note_of_comments(characters: str) -> str:
    """The note that no line of a text holds an edge."""
    which = " or ".join(map(repr, characters))
    return f"no edges: all lines begin with {which} as comments do, and {spelled('comment')} says which do"


def _header_row(sample: Sample, first: int, second: int, by_words: bool) -> HeaderRow | None:
    """The header, to be compared with the edges; None for one of numbers alone, which may be an edge as well."""
    line, _, _, row = sample.as_names(1)[0]
    if all(map(NUMBER.fullmatch, row)):
        return None
    words = (row[first], row[second]) if max(first, second) < len(row) else (b"", b"")
    return HeaderRow(line, sample.text_of(sample.rows[0]), words, by_words)


def _are_row_names(rows: Sequence[Row]) -> bool:
    """Whether the first words of rows are whole numbers that ascend."""
    words = [row[0] for *_, row in rows]
    ascend = all((len(x), x) < (len(y), y) for x, y in pairwise(words))
    return ascend and all(map(INTEGER.fullmatch, words))


def _id_kind(options: Options, below: Sequence[Row], first: int, second: int) -> tuple[bool, list[str]]:
    """Whether ids are text, and the notes about it."""
    if options.ids != "auto":
        return options.ids == "names", []
    pairs = [(r[3][first], r[3][second]) for r in below if len(r[3]) > max(first, second)]
    if not pairs or all(NUMBER.fullmatch(word.strip(b" \t")) for word in pairs[0]):  # blanks: in quotes
        return False, []
    if len(pairs) > 1 and all(INTEGER.fullmatch(word) for pair in pairs[1:] for word in pair):
        return False, []  # one word among numbers is a mistake
    return True, ["ids are text: vertices are the names that occur"]


def _refuse_names(sample: Sample, below: Sequence[Row], first: int, second: int) -> None:
    """Raise FileFormatError for rows of names where the caller says that ids are numbers."""
    options = sample.options
    rows = [row for row in below if len(row[3]) > max(first, second)]
    words = [row[3][column].strip(b" \t") for row in rows[:_FEW] for column in (first, second)]
    if any(not word or NUMBER.fullmatch(word) or word.lower() in MISSING for word in words) or not words:
        return
    numbers = {"num_vertices": options.num_vertices, "base": options.base}
    which = next((name for name, value in numbers.items() if value is not None), None)
    what = spelled(ids=options.ids) if which is None else spelled(which)
    line, *_ = rows[0]
    sample.source.fail(
        f"ids are names here, and {what} is for whole numbers; {options.spelled(ids='names')} takes text",
        line=line,
        column=1,
        text=shown(sample.text_of(rows[0])),
    )


def _hint(sample: Sample) -> str:
    """What a text looks like whose lines differ in columns, "" for any other.

    Raises FileFormatError for such a text of words.
    """
    rows = sample.rows
    width = max((len(r[3]) for r in rows[:2][::-1]), key=lambda n: n > 1)  # of the second line, if it has two
    odd = next((r for r in rows[1:] if len(r[3]) != width), None)
    if odd is None and len(rows[0][3]) == width:
        return ""
    likely = "" if odd is None else rule_hint(odd, sample.text_of(odd))
    likely = likely or doubled_mark(sample) or lost_column_hint(sample)
    likely = likely or jlg_hint(sample) or likely_format([r[3] for r in rows])
    if sample.options.header is None and is_one_short(sample) and _are_row_names(rows[1:]):
        fail_narrow_header(sample)
    words = [row for *_, row in rows[:2] if not all(map(NUMBER.fullmatch, row[:2]))]
    if odd is not None and len(words) == len(rows[:2]):
        line, _, _, row = odd
        meant = f"; {likely}" if likely else ""
        sample.source.fail(
            f"this line has {len(row)} column{'s' * (len(row) != 1)} where {width} are needed{meant}",
            line=line,
            column=1,
            text=shown(sample.text_of(odd)),
        )
    return likely
