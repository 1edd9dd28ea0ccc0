"""List ranking under every schedule of small cases, and on real threads under each sanitizer."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from native_build import SANITIZERS, build


def explore(command: str) -> list[dict[str, Any]]:
    done = subprocess.run([build("release", "explore_lists"), command], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_jumps_and_walks_are_right_under_every_schedule() -> None:
    results = explore("check")
    assert len(results) >= 6
    assert not [r for r in results if r["failure"]]
    assert all(r["runs"] > 1000 for r in results)


def test_what_packed_words_and_the_other_checks_are_for() -> None:
    results = {r["program"]: r["failure"] for r in explore("mutants")}
    assert "wrong rank" in results["wyllie with value and last in separate words"]
    assert results["a count of elements alone"] == "broken input is accepted"


@pytest.mark.parametrize("preset", ["release", *SANITIZERS])
def test_stress(preset: str) -> None:
    done = subprocess.run([build(preset, "stress_lists")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
