"""Edges of any source: files, tables and objects in memory."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from landbridge.edges.coerce import coerce, coerce_frame
from landbridge.edges.forms import Adjacency, EdgeList, Edges
from landbridge.edges.frames import library_of
from landbridge.edges.id_columns import are_plain
from landbridge.edges.names import encoded, number_names
from landbridge.edges.on_device import edges_of, is_device_array
from landbridge.edges.options import Options
from landbridge.errors import InputError


def load(source: Any, options: Options, *, num_vertices: int | None = None, format: str | None = None) -> Edges:
    """The edges of files or of an object in memory, before validation; parameters and errors as for `Graph`."""
    edges = _edges_of(source, options, num_vertices, format)
    if options.ids != "names" or edges.ids is not None or isinstance(edges, Adjacency) or len(edges.u):
        return edges
    none = encoded((), "u")
    return replace(number_names(none, none, 1, edges.notes), library=edges.library)


def _edges_of(source: Any, options: Options, num_vertices: int | None, format: str | None) -> Edges:
    if type(source) is tuple and len(source) == 2 and _plain(options, format):
        # Most calls have two arrays. To ask what else they could be takes as long as the answer to a few edges.
        if are_plain(*source):
            return EdgeList(*source)
        if is_device_array(source[0]):
            return edges_of(source)
    if isinstance(source, EdgeList | Adjacency):
        refuse_beside(source, options, format, is_frame=False)
        if isinstance(source, EdgeList) and source.occurring:
            return replace(source, occurring=options.ids != "dense")
        return coerce(source, num_vertices=num_vertices, ids=options.ids, threads=options.threads)
    if is_files(source):
        from landbridge.edges import files

        return files.read(source, format=format, options=options)
    library = library_of(source)
    refuse_beside(source, options, format, is_frame=library is not None)
    if library is not None:
        return replace(coerce_frame(source, options), library=library)
    return coerce(source, num_vertices=num_vertices, ids=options.ids, threads=options.threads)


def refuse_beside(source: Any, options: Options, format: str | None, *, is_frame: bool) -> None:
    """Raise InputError for options of files beside edges in memory, and for those of data frames beside others."""
    others = {"format": format, "max_bytes": options.budget}
    if words := sorted({name for name, value in others.items() if value is not None} | set(options.dialect)):
        raise InputError(f"{', '.join(words)}: for files; this source is a {type(source).__name__}")
    if options.columns is not None and not is_frame:
        raise InputError(f"columns: for files and data frames; this source is a {type(source).__name__}")
    if options.base and not is_frame:
        raise InputError("base: for files and data frames; subtract 1 from the ids of arrays")


def _plain(options: Options, format: str | None) -> bool:
    """Whether no option is set that two arrays of numbers would be refused for."""
    others = options.columns is None and not options.base and not options.dialect and options.budget is None
    return format is None and others and options.ids in ("auto", "dense")


def is_files(source: Any) -> bool:
    """Whether a source is one file or several: paths, open files, a dataset of Arrow."""
    if _is_file(source):
        return True
    if isinstance(source, list | tuple):
        return len(source) > 0 and all(_is_file(x) for x in source)
    return type(source).__module__.startswith("pyarrow.") and hasattr(source, "to_batches") and hasattr(source, "files")


def _is_file(source: Any) -> bool:
    # The reader of chunks of pandas has a method of that name, too, and returns frames.
    return isinstance(source, str | os.PathLike) or (hasattr(source, "read") and not hasattr(source, "get_chunk"))
