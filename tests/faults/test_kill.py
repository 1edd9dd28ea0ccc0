"""Processes killed at random moments: saves leave the old file or the new one, journals lose nothing acknowledged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def killed(mode: str, path: Path, kills: int, *ids: str) -> None:
    command = [sys.executable, str(Path(__file__).with_name("victim.py")), mode, str(path), str(kills), *ids]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    died, reported = map(int, done.stdout.split())
    assert reported > kills // 10, "hardly a batch was written between the kills"
    assert died > 0 or mode == "journal", "no kill came in the middle of a save"


@pytest.mark.parametrize("mode", ["save", "journal"])
@pytest.mark.parametrize("kills", [25, pytest.param(100, marks=pytest.mark.long)])
def test_killed_at_any_moment(mode: str, kills: int, tmp_path: Path) -> None:
    killed(mode, tmp_path / "stream", kills)


@pytest.mark.long
@pytest.mark.parametrize(("mode", "ids"), [("save", "names"), ("journal", "names"), ("journal", "sparse")])
def test_killed_with_ids(mode: str, ids: str, tmp_path: Path) -> None:
    killed(mode, tmp_path / "stream", 25, ids)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["save", "journal"])
def test_killed_thousands_of_times(mode: str, tmp_path: Path) -> None:
    killed(mode, tmp_path / "stream", 3000)
