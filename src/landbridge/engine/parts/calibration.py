"""What was measured of processors and links, in a file of the cache folder.

Entries are named by what was measured and by the identities of the processors, the version of the driver among them: a
new driver makes new names, and old entries are not read again.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from landbridge.device.jit import cache_folder

VERSION = 1
"""Of the form of the file, and of the way in which things are measured: entries of another version are dropped."""
MOST_BYTES = 1 << 20


class Store:
    """Measured numbers by name. A file that cannot be read or written costs measurements and no answer."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_folder() / "calibration.json"

    def get(self, name: str) -> list[Any] | None:
        """The numbers stored under a name; None where there are none."""
        entry = self._entries().get(name)
        return entry if isinstance(entry, list) and _numbers(entry) else None

    def put(self, name: str, numbers: list[Any]) -> None:
        """Store numbers. Other processes that store at the same time may win; a file is complete or not there."""
        text = json.dumps({"version": VERSION, "entries": {**self._entries(), name: numbers}})
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, beside = tempfile.mkstemp(dir=self.path.parent)
            with os.fdopen(handle, "w") as file:
                file.write(text)
            Path(beside).replace(self.path)
        except OSError:
            return

    def clear(self) -> None:
        """Forget everything."""
        self.path.unlink(missing_ok=True)

    def _entries(self) -> dict[str, Any]:
        try:
            if self.path.stat().st_size > MOST_BYTES:
                return {}
            content = json.loads(self.path.read_text())
        except (OSError, ValueError):
            return {}
        sound = isinstance(content, dict) and content.get("version") == VERSION
        entries = content.get("entries") if sound else None
        return entries if isinstance(entries, dict) else {}


def _numbers(entry: list[Any]) -> bool:
    return all(
        _numbers(x) if isinstance(x, list) else isinstance(x, int | float) and not isinstance(x, bool) and x >= 0
        for x in entry
    )
