"""METIS and Chaco adjacency files, which count vertices from 1."""

from __future__ import annotations

from typing import IO

import numpy as np

from landbridge import _core
from landbridge.edges.formats.numbered import adjacency, no_columns, parse_text
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.writing import Job, symmetric_csr
from landbridge.edges.forms import Edges
from landbridge.edges.options import Options
from landbridge.edges.spelling import spelled

_SAMPLE = 1 << 16
"""First bytes of a file that are compared with the grammar of METIS."""


def read(source: Source, options: Options) -> Edges:
    """Line i lists the neighbours of vertex i; sizes and weights are skipped.

    The format requires each edge on both of its lines; only their total is checked.
    """
    no_columns(source, options)
    offsets, neighbors = parse_text(source, _core.parse_metis, options)
    return adjacency(source, offsets, neighbors, options, None)


def write(job: Job, out: IO[bytes]) -> None:
    """Each edge on both lines; the format has no loops and no repeated edges, so those are left out."""
    job.number_vertices()
    offsets, neighbors = symmetric_csr(job, simple=True)
    loops = int(np.count_nonzero(job.u == job.v))
    if loops:
        job.notes.append(f"{loops} self-loops are left out: METIS files have none")
    out.write(b"%d %d\n" % (job.n, len(neighbors) // 2))
    texts = np.char.mod("%d", neighbors + 1).tolist() if len(neighbors) else []
    for v in range(job.n):
        out.write(" ".join(texts[offsets[v] : offsets[v + 1]]).encode() + b"\n")


def refuse_disguised(source: Source, options: Options) -> None:
    """Refuse a METIS file under the name of an edge list.

    Its lines agree with the first one as a header, and differ in length as the degrees of vertices do.

    Raises
    ------
    FileFormatError
        If the first lines of the text could be those of a METIS file.
    """
    if options.columns is not None or options.dialect or options.base or options.ids == "names":
        return
    head = source.peek(_SAMPLE)
    first = head[: 1 << 12].split(b"\n")[:-1]
    if len(first) > 50 and len({len(line.split()) for line in first}) == 1:
        return  # lines of one length: an edge list
    lines = [line.split() for line in head.split(b"\n") if not line.startswith(b"%")]
    if len(head) == _SAMPLE or (lines and not lines[-1]):
        lines.pop()
    if len(lines) < 3 or not all(word.isdigit() and len(word) < 20 for line in lines for word in line):
        return
    header, rows = lines[0], lines[1:]
    if not 2 <= len(header) <= 4 or len({len(row) for row in rows}) == 1:
        return
    most = int(header[0])
    if len(rows) > most or (len(header) == 2 and not all(1 <= int(word) <= most for row in rows for word in row)):
        return
    if len(head) < _SAMPLE:  # the file is complete: the parser decides
        try:
            _core.parse_metis(np.frombuffer(head, np.uint8), threads=1)
        except ValueError:
            return
    source.fail(
        f"the lines could be those of a METIS file and agree with its first: {spelled(format='metis')} reads it",
        line=1,
        text=b" ".join(header).decode(),
    )
