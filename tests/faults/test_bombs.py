"""Small files that unpack to a thousand times their size: refused by name, or streamed in bounded memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from faults import bombs

pytest.importorskip("pyarrow")
pytest.importorskip("zstandard")

MOST = 2_000_000
REFUSED = 96 << 20
"""Bytes beside what the process had, with max_bytes=MOST: blocks of 8 MiB, and one step of zstd or Arrow."""
STREAMED = {
    "": 224 << 20, "one.txt.gz": 320 << 20, "one.txt.zst": 512 << 20, "names.parquet": 448 << 20,
    "endless.txt.gz": 384 << 20, "a.npy.gz": 448 << 20,
}  # fmt: skip
"""The same without max_bytes, in chunks: whatever the file unpacks to."""


def outcomes(folder: Path, blocks: int, most: int, cases: list[str]) -> dict[str, tuple[str, int]]:
    """What each case does with a file that unpacks to so many MiB, and its peak."""
    for name in {case.split()[0] for case in cases}:
        (folder / name).write_bytes(bombs.FILES[name](blocks))
    command = [sys.executable, bombs.__file__, str(folder), str(most), *cases]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return {case: (outcome, peak) for case, (outcome, peak) in json.loads(done.stdout).items()}


def refused(folder: Path, blocks: int, cases: list[str]) -> None:
    for case, (outcome, peak) in outcomes(folder, blocks, MOST, cases).items():
        name = case.split()[0]
        assert outcome.startswith(f"SizeLimitExceeded: {folder / name}: "), (case, outcome)
        assert f"more than max_bytes={MOST}" in outcome
        assert peak < REFUSED, (case, peak)


FEW = ("many.txt.gz", "a.mtx.gz", "names.parquet", "runs.arrow", "far.npy", "a.journal")
QUICK = [case for case in bombs.cases() if case.split()[0] in FEW]


def test_bombs_are_refused_by_name(tmp_path: Path) -> None:
    refused(tmp_path, 16, QUICK)


@pytest.mark.long
def test_bombs_of_every_format_are_refused_by_name(tmp_path: Path) -> None:
    refused(tmp_path, 128, list(bombs.cases()))


NAMES = [
    name
    for name in bombs.FILES
    if ".txt." in name or name in ("a.npy.gz", "numbers.parquet", "names.parquet", "names.csv.gz")
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_bombs_are_streamed_in_bounded_memory(tmp_path: Path, name: str) -> None:
    """A gigabyte of text or numbers, far more than any bound."""
    ((outcome, peak),) = outcomes(tmp_path, 1024, 0, [f"{name} chunks"]).values()
    refusal = {"endless.txt.gz": "FileFormatError", "blank.txt.gz": "FileFormatError"}
    assert outcome.startswith(refusal.get(name, "answer 1")), outcome
    assert peak < STREAMED.get(name, STREAMED[""])
