"""The demonstration: a graph of millions of edges, its components, a check of the answer, and a picture.

Loaded when it runs.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from landbridge import check_components, components
from landbridge.cli import output, terminal
from landbridge.cli.picture import sizes_picture
from landbridge.edges import generators
from landbridge.graph import Graph

DEFAULT_GRAPH = "rmat(22,edge_factor=4,seed=1)"
"""Degrees as skewed as in a social network, 16.8 million edges, one giant component and very many small ones."""


def show(text: str, picture: str, threads: int | None, as_json: bool) -> None:
    """Run the demonstration and print its summary; the picture goes to the path ``picture``."""
    edges = terminal.work(f"making {text}", lambda _: generators.generate(text, threads=threads))
    graph = terminal.work("building the graph", lambda _: Graph(edges, threads=threads))
    started = time.perf_counter()
    result = terminal.work("finding components", lambda _: components(graph, threads=threads))
    elapsed = time.perf_counter() - started
    terminal.work("checking the answer", lambda _: check_components(graph, result.labels))
    sizes = result.sizes()
    largest = int(sizes.max()) if len(sizes) else 0
    vertices, count, size = int(graph.num_vertices), int(result.count), int(graph.num_edges)
    subtitle = (
        f"{count:,} components of {vertices:,} vertices and {size:,} edges; "
        f"the largest holds {largest / max(vertices, 1):.1%} of the vertices"
    )
    drawing = sizes_picture(sizes, f"Component sizes of {text}", subtitle)
    with output.replacing(picture) as beside:
        beside.write_text(drawing, encoding="utf-8")
    if picture == output.STANDARD:
        return
    answer = {
        "graph": text,
        "count": count,
        "largest": largest,
        "vertices": vertices,
        "edges": size,
        "plan": str(result.plan),
        "device": result.device,
        "seconds": elapsed,
        "edges_per_second": size / elapsed if elapsed > 0 else None,
        "checked": True,
        "picture": picture,
    }
    if as_json:
        terminal.result(json.dumps(answer))
        return
    rows = {
        "vertices": terminal.count(vertices),
        "edges": terminal.count(size),
        "components": terminal.count(count),
        "largest": f"{terminal.count(largest)} vertices ({largest / max(vertices, 1):.1%})",
        "plan": answer["plan"],
        "device": result.device,
        "time": f"{terminal.seconds(elapsed)} ({terminal.rate(size, elapsed)})",
        "answer": "checked, right",
        "picture": f"{Path(picture).resolve()} (-o FILE writes it elsewhere)",
    }
    terminal.pairs(f"landbridge demo: {text}", {name: str(value) for name, value in rows.items()})
