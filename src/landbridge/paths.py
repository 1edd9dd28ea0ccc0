"""Why two vertices are in one component: the path of edges between them, in a spanning forest of the edges."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from landbridge.api import spanning_forest
from landbridge.edges.column_names import listing
from landbridge.edges.forms import Adjacency, EdgeList, Edges
from landbridge.edges.frames import library_of
from landbridge.edges.id_columns import is_one
from landbridge.edges.load import is_files, load
from landbridge.edges.names import NameArray
from landbridge.edges.number_columns import values_of
from landbridge.edges.options import Options, ReadingOptions, options_of, takes_reading_options
from landbridge.edges.place import Place
from landbridge.errors import InputError
from landbridge.graph import Graph, as_graph
from landbridge.occurring import forest_counted_from_one
from landbridge.passes import descending, taken
from landbridge.result.rooted import EdgePath, RootedForest, Vertices
from landbridge.tables import on_host
from landbridge.threads import default_threads
from landbridge.typing import GraphLike, Id, Numbers

Array = NDArray[Any]


@takes_reading_options
def why(
    edges: GraphLike,
    u: Id,
    v: Id,
    *,
    score: str | Numbers | None = None,
    num_vertices: int | None = None,
    threads: int | None = None,
    format: str | None = None,
    **reading: Unpack[ReadingOptions],
) -> EdgePath:
    """Why two vertices are in one component: a path of edges of the input between them.

    Parameters
    ----------
    edges : GraphLike
        As `components` takes its graph; of a `Graph` the path has no ``rows``.
    u, v : Id
        The two vertices: text, or whole numbers.
    score : str or Numbers, optional
        How strong each edge is, a column of the data frame or the files, or one number per edge. A column of text
        without a header is given by its position, "2". The path is then the
        one whose weakest edge is strongest: without the edges up to that score, the two would be in different
        components. A file is read again for it, one that is open already, or standard input, is not.
    num_vertices, threads, format : optional
        As for `components`.
    ids, columns, header, delimiter, comment, base, encoding, max_bytes : optional
        As for `Graph`.

    Returns
    -------
    EdgePath
        Of a spanning forest, so no vertex is on it twice; without a score, which of several paths it is may differ from
        run to run. False if the two are not connected. Of a data frame, ``rows`` holds the rows of its edges.

    Raises
    ------
    InputError
        As `components` does, and for an id that is no vertex.

    Notes
    -----
    O(n + m) work, and a sort with a score. To look at several pairs, make the forest once: ``SpanningForest.why``.

    Examples
    --------
    >>> pairs, scores = [("ann", "bob"), ("bob", "dan"), ("ann", "dan")], [0.9, 0.8, 0.3]
    >>> path = landbridge.why(pairs, "ann", "dan", score=scores)
    >>> path.vertices.tolist(), path.weakest
    (['ann', 'bob', 'dan'], 1)
    >>> landbridge.why([("ann", "bob"), ("cy", "dan")], "ann", "dan")
    EdgePath('ann' and 'dan' are not connected)
    """
    source = _in_memory(edges)
    options = options_of(threads=default_threads(threads), num_vertices=num_vertices, **reading)
    if isinstance(source, Graph):
        read = _stored(as_graph(source, num_vertices=num_vertices, format=format, **reading))
    else:
        read = load(source, options, num_vertices=num_vertices, format=format)
    library = library_of(source)
    scores, order = None, None
    if score is not None:
        if not isinstance(read, EdgeList):
            raise InputError("score: one number per edge of a list of edges; these edges are those of a matrix")
        if isinstance(score, str) and is_files(source):
            from landbridge.edges import files  # of files alone

            score = files.read_numbers(source, score, format, options)
        scores = _scores(score, source if library is not None else None, len(read.u), of_files=is_files(source))
        order = descending(scores, default_threads(threads))
        read = replace(read, u=taken(on_host(read.u), order), v=taken(on_host(read.v), order))
    path = _rooted(read, num_vertices, threads, options, in_order=order is not None).path(u, v)
    edge = path.edge if order is None else order[path.edge]
    rows = None if library is None else _rows(source, edge, library)
    library = library or (read.library if isinstance(read, EdgeList) else None)
    return replace(path, edge=edge, score=None if scores is None else scores[edge], rows=rows, library=library)


def _stored(graph: Graph) -> Edges:
    """The edges of a graph, as they are stored."""
    if graph.offsets is not None:
        return Adjacency(graph.offsets, graph.a, graph.symmetric, graph.ids)
    assert graph.b is not None
    return EdgeList(graph.a, graph.b, graph.num_vertices, graph.ids, library=graph.library)


def _rooted(
    edges: Edges, num_vertices: int | None, threads: int | None, options: Options, *, in_order: bool
) -> RootedForest:
    """The forest of edges. in_order: one in which an edge is only if those before it leave its endpoints apart."""
    plan, few = ("async(halve)@cpu(threads=1)", 1) if in_order else ("auto", threads)
    ids = edges.ids if isinstance(edges.ids, NameArray) else None
    if isinstance(edges, EdgeList) and ids is not None:  # no text is made of the endpoints
        edges, num_vertices = replace(edges, ids=None, num_vertices=len(ids)), None
    signed = "sparse" if options.ids == "sparse" and isinstance(edges, EdgeList) and edges.ids is None else None
    forest = spanning_forest(edges, plan=plan, threads=few, num_vertices=num_vertices, ids=signed)
    if ids is None or forest.ids is not None:
        forest = forest_counted_from_one(forest) if options.base else forest
        return RootedForest.of_ids(forest.u, forest.v, forest.edge, forest.num_vertices, forest.ids)
    u, v, edge = (on_host(x) for x in (forest.u, forest.v, forest.edge))
    return RootedForest(u, v, edge, forest.num_vertices, Vertices(ids, len(ids)))


def _in_memory(edges: Any) -> Any:
    """Edges whose rows are looked up by position: what can be read once, or is computed when it is read, is a table."""
    if library_of(edges) == "polars" and hasattr(edges, "collect"):
        return edges.collect()
    if library_of(edges) == "pyarrow" and not (hasattr(edges, "take") and hasattr(edges, "column_names")):
        arrow: Any = import_module("pyarrow")
        return edges.read_all() if hasattr(edges, "read_all") else arrow.table(edges)
    return edges


def _scores(score: Any, table: Any, count: int, *, of_files: bool) -> Array:
    """One number per edge, from a column of the table or on their own. of_files: whether edges are those of files."""
    if isinstance(score, str):
        known = [] if table is None else [str(each) for each in getattr(table, "column_names", table.columns)]
        if score not in known:
            raise InputError(f"score: there is no column {score!r}; there is {listing(known) if known else 'no table'}")
        score = table.column(score).to_numpy() if hasattr(table, "column_names") else table[score].to_numpy()
    try:
        numbers = values_of(score, Place("score"))
    except InputError as error:
        if (table is None and not of_files) or not is_one(score):
            raise
        raise InputError(f"{error}; a column is given by its name in the header") from None
    if numbers.dtype.kind not in "iufb" or numbers.shape != (count,):
        raise InputError(f"score: one number per edge, {count} of them, not {numbers.dtype} of shape {numbers.shape}")
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        raise InputError(f"score: edge {int(np.argmax(np.isnan(numbers)))} has none")
    return numbers


def _rows(table: Any, edge: Array, library: str) -> Any:
    """Rows of a table, by position."""
    if library == "pandas":
        return table.iloc[edge]
    if library == "polars":
        return table[edge]
    arrow: Any = import_module("pyarrow")
    return table.take(arrow.array(edge))
