"""Every reader on the corpus of its fuzzer, and a minute of new inputs each, also under sanitizers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from native_build import ROOT

pytest.importorskip("pyarrow")
pytest.importorskip("zstandard")

from fuzz.ledger import LEDGER, minutes
from fuzz.sanitized import environment
from fuzz.targets import CORPUS, TARGETS, run_one

KEPT = CORPUS / "readers"


def inputs(name: str) -> list[Path]:
    """The kept inputs of a target."""
    return sorted((KEPT / name).iterdir()) if (KEPT / name).is_dir() else []


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_that_are_kept_break_no_reader(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    for data in [target.seeds()[0], *(path.read_bytes() for path in inputs(name))]:
        run_one(target, data, tmp_path)


def test_a_reader_that_raises_anything_else_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise UnicodeError("two\nlines")

    monkeypatch.setattr("fuzz.targets.read", broken)
    with pytest.raises(UnicodeError):
        run_one(TARGETS["npy"], TARGETS["npy"].seeds()[0], tmp_path)


def fuzz(names: list[str], seconds: float, folder: Path, **variables: str) -> None:
    """Turns of some targets; a violation fails the test with its input."""
    corpus = folder / "corpus"
    if KEPT.is_dir():
        shutil.copytree(KEPT, corpus)
    command = [sys.executable, "-m", "fuzz", "--seconds", str(seconds), "--jobs", "1", "--corpus", str(corpus), *names]
    done = subprocess.run(
        command, cwd=ROOT / "tests", env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert " 0 executions" not in done.stdout


def test_the_ledger_has_what_a_run_did(tmp_path: Path) -> None:
    file = tmp_path / "hours"
    command = [sys.executable, "-m", "fuzz", "--seconds", "1", "--jobs", "1", "--ledger", str(file), "npy"]
    for _ in range(2):
        subprocess.run(command, cwd=ROOT / "tests", check=True, capture_output=True)
    first, second = map(json.loads, file.read_text().splitlines())
    assert first["targets"]["npy"]["executions"] > 0
    assert first["targets"]["npy"]["violations"] == []
    assert (first["sanitized"], minutes(file)) == (False, {})
    file.write_text("".join(json.dumps(run | {"sanitized": True}) + "\n" for run in (first, second)))
    assert minutes(file) == {"npy": sum(run["targets"]["npy"]["seconds"] for run in (first, second)) / 60}


def test_targets_of_the_ledger_exist() -> None:
    assert set(minutes(LEDGER)) <= set(TARGETS)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_minute_of_inputs_breaks_no_reader(name: str, tmp_path: Path) -> None:
    fuzz([name], 60, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_minute_of_inputs_breaks_no_reader_under_sanitizers(name: str, tmp_path: Path) -> None:
    fuzz([name], 60, tmp_path, **environment(tmp_path))
