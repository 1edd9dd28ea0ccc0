"""The fuzz target of the text parsers over the corpus and over mutations of it, plain and under each sanitizer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from native_build import SANITIZERS, build

CORPUS = Path(__file__).parents[1] / "corpus"
RUNS = [
    pytest.param("release", 2, marks=pytest.mark.long),
    *(pytest.param(preset, 60, marks=pytest.mark.slow) for preset in SANITIZERS),
]


@pytest.mark.parametrize(("preset", "seconds"), RUNS)
def test_no_input_breaks_the_parsers(preset: str, seconds: int, tmp_path: Path) -> None:
    command = [build(preset, "fuzz_text"), str(seconds), CORPUS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    files, mutations = (int(word) for word in done.stdout.split() if word.isdigit())
    assert files >= len(list((CORPUS / "fuzz").iterdir()))
    assert mutations > 0
