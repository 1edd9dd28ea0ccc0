"""How commands print what they have computed: one JSON object, a table for a terminal, or lines in a pipe."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from landbridge.cli import terminal
from landbridge.cli.app import NUMBERS, TEXTS, Reading, name_of
from landbridge.id_kind import IdKind


def ids_in_words(kind: IdKind, reading: Reading) -> str:
    """The kind of the vertices of an answer."""
    words = {"dense": "1 to n" if reading.base else "0 to n-1", "sparse": NUMBERS, "names": TEXTS}
    return f"{kind}: {words[kind]}"


def print_json(answer: Any) -> None:
    """One JSON value on stdout."""
    terminal.result(json.dumps(answer))


def run_fields(result: Any, reading: Reading, elapsed: float, read: float, out: str | None) -> dict[str, Any]:
    """The fields of the answer of every command that runs a plan on files.

    Parameters
    ----------
    result : Components, SpanningForest, ...
        The result of the library.
    reading : Reading
        The input.
    elapsed, read : float
        Seconds of the run and of reading.
    out : str or None
        The file written.
    """
    return {**result_fields(result, elapsed, read, out), **reading.fields}


def result_fields(result: Any, elapsed: float, read: float, out: str | None) -> dict[str, Any]:
    """Those of `run_fields` that do not depend on the input."""
    return {
        "plan": result.plan,
        "device": result.device,
        "seconds": elapsed,
        "read_seconds": read,
        "threads": result.profile.threads,
        "output": out,
        "notes": list(getattr(result, "notes", ())),
    }


def print_answer(answer: dict[str, Any], rows: dict[str, str], what: str, as_json: bool) -> None:
    """The answer of a run: as JSON, or as a table for a terminal, with the file where `what` was written to, if any.

    A quiet command that writes a file prints no table.
    """
    if as_json:
        print_json(answer)
        return
    out = answer["output"]
    if out is not None and terminal.quiet():
        return
    title = answer["file"] or name_of(answer["files"])
    terminal.pairs(title, rows | ({what: out} if out is not None else {}))


def print_rows(items: Iterable[object], as_json: bool, attributes: tuple[str, ...]) -> None:
    """Attributes of each item: a table on a terminal, tabs in a pipe, or JSON objects."""
    rows = [{key: str(getattr(item, key)) for key in attributes} for item in items]
    if as_json:
        print_json(rows)
    elif terminal.for_people():
        from rich.table import Table
        from rich.text import Text

        table = Table(*attributes, box=None, pad_edge=False, header_style="cyan")
        for row in rows:
            table.add_row(*(Text(row[key]) for key in attributes))
        terminal.rich_result(table)
    else:
        terminal.result("\n".join("\t".join(row[key] for key in attributes) for row in rows))
