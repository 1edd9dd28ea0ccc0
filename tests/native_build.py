"""Builds native test programs through the CMake presets, once for all tests and test processes."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SANITIZERS = ("asan", "tsan")
"""The presets that together run every sanitizer."""


def shipped_core() -> str:
    """The core's library as `pip install .` has left it in this folder, unless a source has changed since; or ""."""
    sources = [path for folder in ("include", "src/core") for path in (ROOT / folder).rglob("*") if path.is_file()]
    changed = max(path.stat().st_mtime for path in [ROOT / "CMakeLists.txt", *sources])
    archives = [path for path in ROOT.glob("build/*-*-*/liblandbridge_core.a") if path.stat().st_mtime > changed]
    return str(max(archives, key=lambda path: path.stat().st_mtime, default=""))


def build(preset: str, target: str, folder: str = "tests/native") -> Path:
    """Path of the program `target` built by `preset` (build/<preset>/<folder>/<target>).

    Skips the test where the tools are missing; fails it where the build does.
    """
    for tool in ("cmake", "ninja", "g++"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not on PATH")
    binary = ROOT / "build" / preset
    binary.mkdir(parents=True, exist_ok=True)
    with (binary / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Users run what was compiled for the extension, so the native tests of the release run it, too.
        archive = shipped_core() if preset == "release" else ""
        configure = ["cmake", "--preset", preset, f"-DLANDBRIDGE_CORE_ARCHIVE={archive}"]
        for command in (configure, ["cmake", "--build", str(binary), "--target", target, "-j", "2"]):
            # Compilers quote in UTF-8, whatever the locale of this process is.
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace", check=False
            )
            assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return binary / folder / target
