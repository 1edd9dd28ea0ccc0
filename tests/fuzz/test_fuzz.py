"""Every reader on the corpus of its fuzzer, and a minute of new inputs each, also under sanitizers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from native_build import ROOT, build

pytest.importorskip("pyarrow")
pytest.importorskip("zstandard")

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


def fuzz(names: list[str], seconds: float, folder: Path, **environment: str) -> None:
    """Turns of some targets; a violation fails the test with its input."""
    corpus = folder / "corpus"
    if KEPT.is_dir():
        shutil.copytree(KEPT, corpus)
    command = [sys.executable, "-m", "fuzz", "--seconds", str(seconds), "--jobs", "1", "--corpus", str(corpus), *names]
    done = subprocess.run(
        command, cwd=ROOT / "tests", env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert " 0 executions" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_minute_of_inputs_breaks_no_reader(name: str, tmp_path: Path) -> None:
    fuzz([name], 60, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_a_minute_of_inputs_breaks_no_reader_under_sanitizers(name: str, tmp_path: Path) -> None:
    extension = build("asan-python", "_core", folder="")
    runtime = subprocess.run(["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    package = tmp_path / "landbridge"
    shutil.copytree(ROOT / "src" / "landbridge", package, ignore=shutil.ignore_patterns("_core.*.so", "__pycache__"))
    for library in extension.parent.glob("_core.*.so"):
        shutil.copy(library, package)
    options = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048:abort_on_error=1"
    fuzz([name], 60, tmp_path, LD_PRELOAD=runtime.stdout.strip(), ASAN_OPTIONS=options, PYTHONPATH=f"{tmp_path}:.")
