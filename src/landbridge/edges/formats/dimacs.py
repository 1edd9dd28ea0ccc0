"""DIMACS files of shortest paths and of colouring, which count vertices from 1."""

from __future__ import annotations

from dataclasses import replace
from typing import IO

from landbridge import _core
from landbridge.edges.formats.numbered import declared, no_columns, parse_text
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.writing import Job, put_edges
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import Options
from landbridge.errors import counted


def read(source: Source, options: Options) -> EdgeList:
    """``p sp n m`` with ``a u v w`` lines, or ``p edge n m`` with ``e u v`` lines."""
    no_columns(source, options)
    u, v, vertices, declared_edges = parse_text(source, _core.parse_dimacs, options)
    notes: tuple[str, ...] = ()
    if declared_edges != len(u):
        notes = (f"the header says {counted(declared_edges, 'edge')}, the file has {len(u)}: the file is trusted",)
    return replace(declared(source, u, v, vertices, options), notes=notes)


def write(job: Job, out: IO[bytes]) -> None:
    """Arcs of length 1, each edge once, in the order of the input."""
    job.number_vertices()
    out.write(b"p sp %d %d\n" % (job.n, len(job.u)))
    put_edges(out, job, job.u, job.v, prefix="a ", separator=" ", suffix=" 1", base=1)
