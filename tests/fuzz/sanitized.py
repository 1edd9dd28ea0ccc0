"""The library under AddressSanitizer and UndefinedBehaviorSanitizer, for processes that fuzz it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from native_build import ROOT, build

OPTIONS = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048:abort_on_error=1"

PRELOADED = ("libasan.so", "libstdc++.so")
"""The second, because AddressSanitizer looks for the function that throws exceptions when it starts, and an interpreter
written in C brings none: the first exception would end the process."""


def environment(folder: Path) -> dict[str, str]:
    """The environment of processes in tests/ that import the library from `folder`, where its sanitized build is laid.

    Skips the test where the tools are missing, as `native_build.build` does.
    """
    built = build("asan-python", "_core", place="")
    package = folder / "landbridge"
    shutil.copytree(ROOT / "src" / "landbridge", package, ignore=shutil.ignore_patterns("_core.*.so", "__pycache__"))
    for library in built.parent.glob("_core.*.so"):
        shutil.copy(library, package)
    path = os.pathsep.join(filter(None, (str(folder), ".", os.environ.get("PYTHONPATH"))))
    return os.environ | {
        "LD_PRELOAD": " ".join(map(_library, PRELOADED)), "ASAN_OPTIONS": OPTIONS, "PYTHONPATH": path
    }  # fmt: skip


def _library(name: str) -> str:
    """Where the compiler has it."""
    command = ["g++", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
