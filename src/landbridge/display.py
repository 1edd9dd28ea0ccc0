"""What an object shows of itself: one line in a terminal, a table in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from landbridge.errors import counted

SHOWN = 1 << 24
"""Vertices up to which a line may cost a pass over them."""


def line(name: str, values: Mapping[str, Any]) -> str:
    """``Name(a=1, b='x')``, without the values that are None."""
    inside = ", ".join(f"{key}={value!r}" for key, value in values.items() if value is not None)
    return f"{name}({inside})"


def number(value: int) -> str:
    """A whole number with its thousands apart."""
    return f"{value:,}"


def part(value: int, whole: int) -> str:
    """A number, and which part of the whole it is."""
    return f"{value:,} ({value / whole:.3g} of all)" if whole else f"{value:,}"


def seconds(value: float) -> str:
    """A duration with three significant digits."""
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def table(title: str, rows: Mapping[str, Any], notes: Iterable[str] = ()) -> str:
    """HTML: a title, a row for each value that is not None, and a line for each note. Every text is escaped."""
    body = "".join(
        f'<tr><th style="text-align: left">{escape(str(key))}</th>'
        f'<td style="text-align: left">{escape(str(value))}</td></tr>'
        for key, value in rows.items()
        if value is not None
    )
    remarks = "".join(f"<div><em>{escape(note)}</em></div>" for note in notes)
    return f"<div><strong>{escape(title)}</strong><table><tbody>{body}</tbody></table>{remarks}</div>"


def components(result: Any) -> str:
    """The table of `Components`."""
    n, extent = len(result.labels), shape(result)
    rows = {"components": number(result.count), "vertices": number(n)}
    if extent:
        rows |= {"largest component": part(extent["largest"], n), "isolated vertices": part(extent["isolated"], n)}
    return table("Connected components", rows | {"ids": result.id_kind} | _run(result), result.notes)


def shape(result: Any) -> dict[str, int]:
    """The largest of `Components` and the number of isolated vertices, where a pass over the labels costs little."""
    if not 0 < len(result.labels) <= SHOWN or hasattr(result.labels, "get"):
        return {}
    sizes = result.sizes()
    return {"largest": int(sizes.max()), "isolated": int((sizes == 1).sum())}


def forest(result: Any) -> str:
    """The table of a `SpanningForest`."""
    rows = {"trees": number(result.count), "edges": number(result.num_edges), "vertices": number(result.num_vertices)}
    return table("Spanning forest", rows | _run(result), result.notes)


def ranking(result: Any) -> str:
    """The table of a `Ranking`."""
    rows = {"elements": number(len(result)), "lists": number(result.count)}
    return table("List ranking", rows | _run(result))


def graph_line(source: Any) -> str:
    """The line of a `Graph`."""
    size = f"{counted(source.num_vertices, 'vertex', 'vertices')}, {counted(source.num_edges, 'stored edge')}"
    place = ", on a GPU" if source.on_device else ""
    ids = "" if source.ids is None else f", {source.id_kind} ids"
    return f"Graph({size}, {'symmetric ' if source.symmetric else ''}{source.layout}, {source.a.dtype}{place}{ids})"


def graph(source: Any) -> str:
    """The table of a `Graph`."""
    symmetric = {True: "yes", False: "no", None: "not known"}[source.symmetric]
    rows = {"vertices": number(source.num_vertices), "stored edges": number(source.num_edges), "layout": source.layout}
    memory = f"{source.nbytes / 1e6:,.3g} MB{' on a GPU' if source.on_device else ''}"
    rows |= {"both directions stored": symmetric, "ids": source.id_kind, "memory": memory, "dtype": str(source.a.dtype)}
    return table("Graph", rows, source.notes)


def stream(trees: Any) -> str:
    """The table of an `Incremental`."""
    rows = {"components": number(trees.count), "vertices": number(trees.num_vertices)}
    rows |= {"operations": number(trees.position), "ids": trees.ids or "vertex numbers"}
    return table("Stream of edges", rows | {"plan": trees.plan, "device": trees.device})


def _run(result: Any) -> dict[str, str]:
    """How a result was computed."""
    profile = result.profile
    phases = ", ".join(f"{name} {seconds(value)}" for name, value in profile.seconds.items())
    device = f"{result.device}, {profile.threads} threads" if profile.threads > 1 else result.device
    return {"plan": result.plan, "device": device, "time": seconds(profile.total) + (f" ({phases})" if phases else "")}
