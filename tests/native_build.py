"""Builds native test programs through the CMake presets, once for all tests and test processes."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def build(preset: str, target: str) -> Path:
    """Path of the program `target` built by `preset` (build/<preset>/tests/native/<target>).

    Skips the test where the tools are missing; fails it where the build does.
    """
    for tool in ("cmake", "ninja", "g++"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not on PATH")
    folder = ROOT / "build" / preset
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        configure = ["cmake", "--preset", preset]
        for command in (configure, ["cmake", "--build", str(folder), "--target", target, "-j", "2"]):
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return folder / "tests" / "native" / target
