"""The input of a command, read once: as edges for a run, or as a graph for what looks at it again."""

from __future__ import annotations

from landbridge.cli import terminal
from landbridge.cli.app import Reading
from landbridge.edges import files
from landbridge.edges.forms import EdgeList, Edges
from landbridge.graph import Graph
from landbridge.id_kind import IdKind, kind_of_ids


def read_edges(reading: Reading) -> Edges:
    """The edges of the files, with what their readers have to say on stderr."""
    edges = terminal.work(
        f"reading {reading.name}",
        lambda report: files.read(reading.source, format=reading.format, options=reading.options(report)),
    )
    terminal.notes(edges.notes)
    return edges


def graph_of(edges: Edges, reading: Reading) -> Graph:
    """A graph of edges that were read."""
    return terminal.work(
        "building the graph", lambda _: Graph(edges, num_vertices=reading.num_vertices, threads=reading.threads)
    )


def size_of(edges: Edges) -> int:
    """How many edges there are."""
    return len(edges.u) if isinstance(edges, EdgeList) else len(edges.neighbors)


def kind_of(edges: Edges) -> IdKind:
    """What the vertices of edges are."""
    return "sparse" if isinstance(edges, EdgeList) and edges.occurring else kind_of_ids(edges.ids)
