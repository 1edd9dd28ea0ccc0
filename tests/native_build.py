"""Builds what tests compile: native programs through the CMake presets, once for all processes, and whole cores."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SANITIZERS = ("asan", "tsan")
"""The presets that together run every sanitizer."""
TOOLS = ("cmake", "ninja", "g++")


def require(*tools: str) -> list[str]:
    """The paths of programs; skips the test where one is not on PATH."""
    paths = [shutil.which(tool) for tool in tools]
    for tool, path in zip(tools, paths, strict=True):
        if path is None:
            pytest.skip(f"{tool} is not on PATH")
    return [path for path in paths if path is not None]


@cache
def turn(*folders: str) -> int:
    """A number that follows from all files of folders: what is tried one at a time is tried in turn as they change."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()):
        digest.update(path.read_bytes())
    return int.from_bytes(digest.digest()[:4])


def shipped_core() -> str:
    """The core's library as `pip install .` has left it in this folder, unless a source has changed since; or ""."""
    sources = [path for folder in ("include", "src/core") for path in (ROOT / folder).rglob("*") if path.is_file()]
    changed = max(path.stat().st_mtime for path in [ROOT / "CMakeLists.txt", *sources])
    archives = [path for path in ROOT.glob("build/*-*-*/liblandbridge_core.a") if path.stat().st_mtime > changed]
    return str(max(archives, key=lambda path: path.stat().st_mtime, default=""))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """A folder for one test process at a time, created if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def build(preset: str, target: str, place: str = "tests/native") -> Path:
    """Path of the program `target` built by `preset` (build/<preset>/<place>/<target>), once a process.

    Skips the test where the tools are missing; fails it where the build does.
    """
    require(*TOOLS)
    folder = ROOT / "build" / preset
    with locked(folder):
        # Users run what was compiled for the extension, so the native tests of the release run it, too.
        archive = shipped_core() if preset == "release" else ""
        python = f"-DPython_EXECUTABLE={sys.executable}"
        _run(["cmake", "--preset", preset, f"-DLANDBRIDGE_CORE_ARCHIVE={archive}", python])
        _run(["cmake", "--build", str(folder), "--target", target, "-j", str(os.cpu_count() or 2)])
    return folder / place / target


def extension(source: Path, folder: Path, *options: str) -> Path:
    """The core of a source tree as a module of the Python that runs, compiled in a folder as fast as it can be.

    Skips and fails as `build` does.
    """
    require(*TOOLS)
    pytest.importorskip("nanobind")
    quick = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", f"-DPython_EXECUTABLE={sys.executable}"]
    _run(["cmake", "-S", str(source), "-B", str(folder), "-G", "Ninja", *quick, *options])
    _run(["cmake", "--build", str(folder), "--target", "_core", "-j", "2"])
    (image,) = folder.glob("_core*.so")
    return image


def _run(command: list[str]) -> None:
    # Compilers quote in UTF-8, whatever the locale of this process is.
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace", check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
