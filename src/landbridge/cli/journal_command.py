"""The command for journals that do not open."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from landbridge.cli import terminal
from landbridge.cli.answers import print_json
from landbridge.cli.app import Json, app
from landbridge.filename import filename

DAMAGED = 1


class Action(StrEnum):
    """What to do with a journal."""

    check = "check"
    repair = "repair"


@app.command()
def journal(
    action: Annotated[
        Action,
        typer.Argument(help="check: say what is whole. repair: cut it back to that, and keep what is cut off."),
    ],
    path: Annotated[str, typer.Argument(metavar="FILE", help="The journal of a stream.")],
    as_json: Json = False,
) -> int:
    """Check the journal of a stream, or cut a damaged one back to its whole batches."""
    from landbridge.streams import inspection  # on demand: --help and completion load no NumPy

    path = filename("the path of the journal", path)
    result = inspection.inspect(path) if action is Action.check else inspection.repair(path)
    if as_json:
        print_json({**asdict(result), "opens": result.opens})
    else:
        rows = {"records": f"{result.records:,}", "operations": f"{result.position:,}", "bytes": f"{result.size:,}"}
        if result.problem:
            rows |= {"whole": f"the first {result.whole:,} bytes", "problem": result.problem}
            rows["opening it"] = "drops what was never acknowledged" if result.opens else "fails until it is repaired"
        if result.backup:
            rows["cut off"] = f"kept in {result.backup}"
        terminal.pairs(f"journal {result.path}", rows)
    return 0 if result.opens else DAMAGED
