"""Matrix Market coordinate files, which count vertices from 1."""

from __future__ import annotations

from typing import IO

from landbridge import _core
from landbridge.edges.formats.numbered import declared, no_columns, parse_text
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.writing import Job, put_edges
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import Options


def read(source: Source, options: Options) -> EdgeList:
    """Coordinate files, pattern, real, integer or complex: every entry is an edge, whatever its value."""
    no_columns(source, options)
    u, v, vertices = parse_text(source, _core.parse_matrix_market, options)
    return declared(source, u, v, vertices, options)


def write(job: Job, out: IO[bytes]) -> None:
    """Pattern, general: each edge once, in the order of the input."""
    job.number_vertices()
    out.write(b"%%MatrixMarket matrix coordinate pattern general\n")
    out.write(b"%d %d %d\n" % (job.n, job.n, len(job.u)))
    put_edges(out, job, job.u, job.v, separator=" ", base=1)
