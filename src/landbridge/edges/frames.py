"""Tables to edges: data frames of pandas and polars, tables of Arrow, and objects with Arrow's stream protocol."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from landbridge.edges.column_names import are_numbered, choose_columns, named_columns, possible_pairs, quoted
from landbridge.edges.forms import EdgeList, IdArray
from landbridge.edges.id_columns import BYTES_TYPES, TEXT_TYPES, common, ids_of
from landbridge.edges.matrix_tables import MOST, is_labelled_matrix, is_matrix, matrix_problem, name_no_endpoints
from landbridge.edges.names import number_names
from landbridge.edges.object_columns import Texts
from landbridge.edges.options import Options
from landbridge.edges.place import Place, is_null
from landbridge.edges.spelling import option, spelled
from landbridge.edges.two_kinds import notes_of_two_kinds
from landbridge.errors import FileFormatError, InputError

_ROWS = 1000
"""Rows that are looked at for numbers of two kinds."""


def edges_of_columns(
    columns: Sequence[Any], names: Sequence[str], options: Options, first_row: int = 0, where: str = ""
) -> EdgeList:
    """The edges of two columns of a table of any kind.

    Text is numbered, and the names are kept. Numbers are not changed: vertices are those that occur, unless ids are
    "dense"; the base is then subtracted.

    Parameters
    ----------
    columns : pair of columns
        As `landbridge.edges.id_columns.ids_of` takes them.
    names : pair of str
        The columns in messages.
    options : Options
        ``ids``, ``base`` and ``num_vertices`` define the meaning of numbers; ``threads``.
    first_row : int
        The number of the first row in messages.
    where : str
        The path of the file in messages; "" for an object in memory.

    Raises
    ------
    InputError
        (FileFormatError with a path) naming row and column, for nulls, ids that are neither integers nor text, negative
        ids unless ids="sparse", ids out of range, and two columns of different kinds.
    """
    places = tuple(Place(f"column {quoted(name)}", "row", first_row, where) for name in names)
    u, v = (ids_of(column, place) for column, place in zip(columns, places, strict=True))
    edges = edges_of_ids(u, v, (places[0], places[1]), options)
    return edges if first_row else with_note_of_two_kinds(edges, names, options)


def with_note_of_two_kinds(edges: EdgeList, names: Sequence[str], options: Options) -> EdgeList:
    """Edges with the note about numbers that may be ids of two kinds, by the names of their columns. O(1)."""
    if edges.ids is not None or options.ids != "auto":
        return edges
    some = (ids[:_ROWS].tolist() for ids in (edges.u, edges.v))
    notes = notes_of_two_kinds(names, *some)
    return replace(edges, notes=(*edges.notes, *notes)) if notes else edges


def edges_of_ids(u: IdArray | Texts, v: IdArray | Texts, places: tuple[Place, Place], options: Options) -> EdgeList:
    """The edges of two columns of ids of a table."""
    a, b = places
    if isinstance(u, tuple) != isinstance(v, tuple):
        text, number = (a, b) if isinstance(u, tuple) else (b, a)
        if not len(u if isinstance(v, tuple) else v):
            raise text.error(f"holds text and {number.subject} holds nothing")
        raise text.error(
            f"holds text and {number.subject} holds numbers; both must hold the same kind of ids, whole numbers or text"
        )
    if isinstance(u, tuple) and isinstance(v, tuple):
        if options.ids in ("dense", "sparse"):
            numbers = [name for name in ("num_vertices", "base") if getattr(options, name) is not None]
            if numbers:
                which = option(numbers[0])
                raise a.error(f"holds text, and {which} is for whole numbers: text names the vertices that occur")
            raise a.error(
                f"holds text, and {spelled(ids=options.ids)} is for whole numbers; {spelled(ids='names')} is for text"
            )
        same_length(len(u[0]) - 1, len(v[0]) - 1, places)
        from landbridge.edges.formats.doubtful_names import with_notes_of_names  # of text alone

        return with_notes_of_names(number_names(u, v, options.threads))
    assert isinstance(u, np.ndarray) and isinstance(v, np.ndarray)
    same_length(len(u), len(v), places)
    if options.ids == "names" and len(u):
        raise a.error(
            f"holds numbers, and {spelled(ids='names')} is for text: convert both columns to text, or leave "
            f"{spelled('ids')} out"
        )
    u, v = common(u, v, places)
    if options.ids != "sparse":
        least = options.base or 0
        for ids, place in ((u, a), (v, b)):
            if len(ids) and int(ids.min()) < least:
                raise _too_small(ids, place, options)
            if len(ids) and options.num_vertices is not None and int(ids.max()) >= options.num_vertices + least:
                raise _too_large(ids, place, least, options.num_vertices)
        if least:
            u, v = u - u.dtype.type(least), v - v.dtype.type(least)
    return EdgeList(u, v, occurring=options.ids != "dense")


def same_length(m: int, other: int, places: tuple[Place, Place]) -> None:
    """Raise InputError if two columns differ in length."""
    if m != other:
        a, b = places
        raise InputError(
            f"{a.subject} has {m} ids and {b.subject} has {other}; {a.unit} i needs both {a.subject}[i] and "
            f"{b.subject}[i]"
        )


def _too_small(ids: IdArray, place: Place, options: Options) -> InputError:
    least = options.base or 0
    i = int(np.argmax(ids < least))
    if int(ids[i]) < 0:
        return place.error_at(i, f"= {int(ids[i])} is negative; {options.spelled(ids='sparse')} takes negative ids")
    return place.error_at(i, f"= {int(ids[i])}, and {spelled(base=least)} says that vertices count from {least}")


def _too_large(ids: IdArray, place: Place, least: int, n: int) -> InputError:
    i = int(np.argmax(ids >= n + least))
    counted = f", and {spelled(base=least)} says that vertices count from {least}" if least else ""
    return place.error_at(i, f"= {int(ids[i])} is out of range for n = {n}{counted}")


_FEW = 100
"""Values that are looked at for the kind of a column of objects."""

# data frames -------------------------------------------------------------------------------------------------------


def library_of(obj: Any) -> str | None:
    """The library of a data frame: pandas, polars or pyarrow (which also reads any object with Arrow's protocol)."""
    top = type(obj).__module__.partition(".")[0]
    if top == "pandas":
        return "pandas" if hasattr(type(obj), "iloc") and hasattr(type(obj), "merge") else None
    if top == "polars":
        return "polars" if hasattr(type(obj), "columns") else None
    if hasattr(obj, "__arrow_c_stream__") and not hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
        return "pyarrow"
    return "pyarrow" if top == "pyarrow" and hasattr(obj, "column_names") else None


def edges_of_frame(frame: Any, options: Options) -> EdgeList:
    """Two columns of a data frame (pandas, polars, pyarrow, or any object with Arrow's stream protocol) as edges.

    Parameters
    ----------
    frame : data frame
        The table.
    options : Options
        Its ``columns`` are names or positions; by default `landbridge.edges.column_names` chooses them.
    """
    notes = _notes_of_first_two(frame) if options.columns is None else ()
    columns, names = columns_of(frame, options.columns)
    edges = edges_of_columns(columns, names, options)
    return replace(edges, notes=(*edges.notes, *notes)) if notes else edges


def _notes_of_first_two(frame: Any) -> tuple[str, ...]:
    """The note that the first two of more columns with numbers for names hold the edges, if others could."""
    lazy = frame.collect_schema() if hasattr(frame, "collect_schema") else None
    if lazy is not None:
        names, types = list(lazy.names()), list(lazy.dtypes())
    elif hasattr(frame, "dtypes"):
        names, types = list(map(str, frame.columns)), list(frame.dtypes)
    else:
        schema = getattr(frame, "schema", None)
        names, types = list(getattr(schema, "names", ())), list(getattr(schema, "types", ()))
    kinds = [kind_of(str(kind)) for kind in types[2:]]
    if {"integer", "text", None}.isdisjoint(kinds) or not are_numbered(names) or possible_pairs(names):
        return ()
    others = f"{spelled('columns')} selects others"
    return (f"there are {len(names)} columns and no names: the first two hold the edges ({others})",)


def columns_of(frame: Any, columns: Sequence[str | int] | None) -> tuple[list[Any], list[str]]:
    """The two columns of a data frame that hold the edges, and their names. Only they are converted."""
    if hasattr(frame, "collect") and hasattr(frame, "collect_schema"):  # a LazyFrame
        schema = frame.collect_schema()
        known, kinds = list(schema.names()), [str(t) for t in schema.dtypes()]
        if columns is None:
            refuse_matrix_of_query(frame, known, kinds)
        pair = _positions(columns, known, kinds)
        frame = frame.select(list(dict.fromkeys(known[i] for i in pair))).collect()
        return [frame[known[i]] for i in pair], [known[i] for i in pair]
    if hasattr(frame, "iloc"):
        return _columns_of_pandas(frame, columns)
    if type(frame).__module__.partition(".")[0] == "polars":
        known, kinds = list(frame.columns), [str(t) for t in frame.dtypes]
        if columns is None:
            refuse_matrix(known, kinds, len(frame), lambda: frame[:MOST, :MOST])
        pair = _positions(columns, known, kinds)
        return [frame[known[i]] for i in pair], [known[i] for i in pair]
    return _columns_of_arrow(frame, columns)


def _columns_of_pandas(frame: Any, columns: Sequence[str | int] | None) -> tuple[list[Any], list[str]]:
    """As `columns_of`. Named levels of the index are candidates behind the columns."""
    known, kinds = [str(c) for c in frame.columns], [_type_in_pandas(t, frame, i) for i, t in enumerate(frame.dtypes)]
    width, index = len(known), frame.index
    _refuse_numbers_for_names(frame.columns, columns)
    types = [level.dtype for level in (index.levels if index.nlevels > 1 else [index])]
    levels = [i for i, name in enumerate(index.names) if name is not None and str(name) not in known]
    names = [*known, *(str(index.names[i]) for i in levels)]
    if columns is None and type(index).__name__ != "RangeIndex" and len(frame) == width > 1:
        few = frame.iloc[:MOST, :MOST]
        if is_labelled_matrix(list(map(str, frame.columns[:MOST])), list(map(str, few.index)), few, whole=True):
            raise InputError(matrix_problem())
    if columns is None:
        refuse_matrix(known, kinds, len(frame), lambda: frame.iloc[:MOST, :MOST])
    if columns is None:  # an index that is no endpoint of an edge numbers the rows
        paired = {i for pair in possible_pairs(names) for i in pair}
        levels = [level for at, level in enumerate(levels, width) if at in paired]
        names = [*known, *(str(index.names[i]) for i in levels)]
    pair = _positions(columns, names, kinds + [str(types[i]) for i in levels], width)
    series = [frame.iloc[:, i] if i < width else index.get_level_values(levels[i - width]) for i in pair]
    return series, [names[i] for i in pair]


def _type_in_pandas(kind: Any, frame: Any, i: int) -> str:
    """The type of column i for `kind_of`: of a category that of the categories, of objects that of the first value."""
    if hasattr(kind, "categories"):
        kind, values = kind.categories.dtype, kind.categories
    elif str(kind) == "object" and i < MOST:
        values = frame.iloc[:_FEW, i]
    if str(kind) != "object" or i >= MOST:
        return str(kind)
    first = next((value for value in values[:_FEW] if not is_null(value)), None)
    if isinstance(first, str | bytes):
        return "str"
    return "int64" if type(first) is int else "object"


def refuse_matrix(
    names: Sequence[str], kinds: Sequence[str], rows: int, few: Callable[[], Any], path: str = ""
) -> None:
    """Raise InputError, of a file FileFormatError, for a table that is an adjacency matrix, alone or beside a column of
    labels.

    Its columns are numbered, or have the names that are beside it. few: gives the first `MOST` rows of the first
    `MOST` columns, as an array or a frame of pandas or polars. path: of a file.
    """
    width, known = len(names), list(map(kind_of, kinds))
    numbers = {"integer", "float"}
    refusal = FileFormatError(path, matrix_problem()) if path else InputError(matrix_problem())
    if rows == width > 2 and set(known) <= numbers:
        if name_no_endpoints(names, known) and is_matrix(few(), rows, whole=True):
            raise refusal
    elif rows == width - 1 > 1 and set(known[1:]) <= numbers:
        table = np.asarray(few(), dtype=object)
        labels, cells = list(map(str, table[:, 0])), table[:, 1:]
        is_numbered = rows > 2 and are_numbered(names[1:]) and len(set(labels)) == len(labels)
        if is_labelled_matrix(names[1:], labels, cells, whole=rows < MOST) or (
            is_numbered and is_matrix(cells, rows, whole=rows < MOST)
        ):
            raise refusal


def refuse_matrix_of_query(query: Any, names: Sequence[str], kinds: Sequence[str]) -> None:
    """As `refuse_matrix` for a LazyFrame, whose first rows are read if its columns could be those of a matrix."""
    numbers = {kind_of(kind) for kind in kinds[1:]} <= {"integer", "float"}
    if len(names) > 2 and numbers and not possible_pairs(names):
        few = query.head(len(names) + 1).collect()
        refuse_matrix(names, kinds, len(few), lambda: few[:MOST, :MOST])


def _refuse_numbers_for_names(names: Any, columns: Sequence[str | int] | None) -> None:
    """Raise InputError for a position that is the name of another column: pandas takes names, and others positions."""
    for column in columns or ():
        if isinstance(column, int) and column in names and not (column < len(names) and names[column] == column):
            raise InputError(
                f"columns: {column} may be a position, or the column of that name: say '{column}' for the name, or "
                "give the columns names of text"
            )


def _columns_of_arrow(frame: Any, columns: Sequence[str | int] | None) -> tuple[list[Any], list[str]]:
    arrow: Any = importlib.import_module("pyarrow")
    reader = None
    if not hasattr(frame, "schema") or hasattr(frame, "read_next_batch") or not hasattr(frame, "column"):
        reader = frame if hasattr(frame, "read_next_batch") else arrow.RecordBatchReader.from_stream(frame)
    schema = frame.schema if reader is None else reader.schema
    known, kinds = list(schema.names), [str(t) for t in schema.types]
    if reader is None:
        if columns is None:
            refuse_matrix(known, kinds, frame.num_rows, lambda: first_cells([frame]))
        pair = _positions(columns, known, kinds)
        return [frame.column(i) for i in pair], [known[i] for i in pair]
    pair = _positions(columns, known, kinds)
    parts: list[list[Any]] = [[], []]
    few: list[Any] = []  # the batches of all columns, while there are no more rows than a matrix has
    rows = 0
    for batch in reader:
        rows += batch.num_rows
        few = [*few, batch] if rows <= len(known) and columns is None else []
        for side, i in enumerate(pair):
            parts[side].append(batch.column(i))
    if few:
        refuse_matrix(known, kinds, rows, lambda: first_cells(few))
    sides = [arrow.chunked_array(p, schema.field(i).type) for p, i in zip(parts, pair, strict=True)]
    return sides, [known[i] for i in pair]


def first_cells(parts: Sequence[Any]) -> Any:
    """The first `MOST` rows of the first `MOST` columns of tables or batches of Arrow, as an array."""
    width = min(parts[0].num_columns, MOST)
    columns = [[value for part in parts for value in part.column(i).slice(0, MOST).to_pylist()] for i in range(width)]
    return np.array(columns, dtype=object).T[:MOST]


def _positions(
    columns: Sequence[str | int] | None, known: list[str], kinds: list[str], width: int | None = None
) -> tuple[int, int]:
    """The positions of the two columns. width: the number of columns that have positions, if not all."""
    if columns is None:
        return choose_columns(known, [kind_of(kind) for kind in kinds], "")
    return named_columns(columns, known, "", "frame", width)


def columns_of_schema(columns: Sequence[str | int] | None, names: list[str], kinds: list[str]) -> tuple[str, str]:
    """The names of the two columns that hold the edges, from the names and the types of all columns."""
    first, second = _positions(columns, names, kinds)
    return names[first], names[second]


_DATES = re.compile("date|time|duration|period|interval|month")
_DECIMAL = re.compile(r"decimal\d*\((?:precision=)?\d+, ?(?:scale=)?(-?\d+)\)")


def kind_of(dtype: str) -> str | None:
    """What a column holds, for `choose_columns`, by the text of its type in pandas, polars or Arrow."""
    text = dtype.lower()
    for prefix in ("dictionary<values=", "extension<arrow.", "sparse["):
        text = text.removeprefix(prefix)
    if re.match("list|large_list|fixed_size_list|array|struct|map|.*union|binary|large_binary", text):
        return "other"
    if text in ("object", "null", "category"):
        return None
    if _DATES.match(text):
        return "date"
    decimal = _DECIMAL.match(text)
    if decimal is not None:
        return "integer" if int(decimal[1]) <= 0 else "float"
    for kind, starts in (
        ("bool", ("bool",)),
        ("integer", ("int", "uint")),
        ("float", ("float", "double", "half")),
        ("text", ("str", "large_string", "utf8", "uuid", "fixed_size_binary[16]", "categorical", "enum")),
    ):
        if text.startswith(starts):
            return kind
    return "other"


def is_text_column(column: Any) -> bool:
    """Whether an Arrow column, or a field of a schema, holds text, perhaps as a dictionary."""
    arrow: Any = importlib.import_module("pyarrow")
    kind = column.type
    if arrow.types.is_dictionary(kind):
        kind = kind.value_type
    storage = kind.storage_type if isinstance(kind, arrow.BaseExtensionType) else kind
    return str(storage) in (*TEXT_TYPES, *BYTES_TYPES, "fixed_size_binary[16]")
