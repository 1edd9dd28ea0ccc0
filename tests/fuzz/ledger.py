"""How long each target has been fuzzed, in seconds of a processor: a line of JSON for each run."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

LEDGER = Path(__file__).with_name("hours.jsonl")


def record(file: Path, totals: dict[str, dict[str, Any]], sanitized: bool) -> None:
    """Adds a run to a ledger."""
    targets = {
        name: {
            "executions": total["executions"],
            "seconds": round(total["seconds"]),
            "outcomes": total["outcomes"],
            "violations": [violation["what"] for violation in total["violations"]],
        }
        for name, total in totals.items()
        if total["executions"]
    }
    run = {"date": str(date.today()), "commit": _commit(), "sanitized": sanitized, "targets": targets}
    with file.open("a") as lines:
        lines.write(json.dumps(run) + "\n")


def minutes(file: Path) -> Counter[str]:
    """Minutes of a processor under sanitizers by target, of all runs of a ledger."""
    total: Counter[str] = Counter()
    for line in file.read_text().splitlines() if file.exists() else []:
        run = json.loads(line)
        if run["sanitized"]:
            total.update({name: target["seconds"] / 60 for name, target in run["targets"].items()})
    return total


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    described = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    return described.stdout.strip() or os.environ.get("LANDBRIDGE_COMMIT", "unknown")
