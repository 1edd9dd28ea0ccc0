"""The list of mutants fits the source, and the tests find them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "mutate"


def mutate(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_mutant_fits_its_file_and_names_tests_that_exist() -> None:
    listed = mutate("--list")
    assert listed.returncode == 0, listed.stderr
    assert len(listed.stdout.splitlines()) >= 60


@pytest.mark.slow
def test_the_tests_find_the_mutants() -> None:
    result = mutate()
    assert result.returncode == 0, result.stdout
