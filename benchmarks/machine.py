"""Where and when a result was measured, and how quiet the machine was."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent


def cores() -> int:
    """Return the processors this process may run on."""
    return len(os.sched_getaffinity(0))


def _line(path: str, start: str) -> str:
    try:
        with Path(path).open() as file:
            return next((line.partition(":")[2].strip() for line in file if line.startswith(start)), "")
    except OSError:
        return ""


def _huge_pages() -> str:
    try:
        text = Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return "unknown"
    return text.partition("[")[2].partition("]")[0] or "unknown"


@cache
def describe_machine() -> dict[str, Any]:
    """Return processor, cores, memory in bytes, the setting of transparent huge pages and the system."""
    return {
        "cpu": _line("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": cores(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "huge_pages": _huge_pages(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def processor() -> str:
    """Return the device of results on CPU threads: the processor, by what its name may leave open, the width of its
    vectors, and how many cores of it may be used."""
    flags = _line("/proc/cpuinfo", "flags").split()
    lacks = " without AVX-512" if "avx2" in flags and "avx512f" not in flags else ""
    return f"{describe_machine()['cpu']}{lacks}, {cores()} cores"


@cache
def read_bandwidth(threads: int, size: int = 1 << 28) -> float:
    """Return the bytes per second that `threads` threads read together from `size` bytes: the best of seven
    rounds.
    """
    parts = np.array_split(np.ones(size // 8, dtype=np.int64), threads)
    best = float("inf")
    for _ in range(7):
        workers = [threading.Thread(target=np.bitwise_or.reduce, args=(part,)) for part in parts]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        best = min(best, time.perf_counter() - start)
    return size / best


def _git(*arguments: str, folder: Path = ROOT) -> str | None:
    try:
        process = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return process.stdout.strip()


STAMP = Path(__file__).with_name("commit.txt")
"""In an archive (`git archive`) git writes the commit here; in a checkout the line is the request to do so."""


@cache
def describe_commit() -> dict[str, Any]:
    """Return the commit, and whether files differ from it (None outside a repository).

    LANDBRIDGE_COMMIT comes first, then git, then the stamp of an archive; None where there is none of them.
    """
    commit = os.environ.get("LANDBRIDGE_COMMIT")
    if commit:
        return {"commit": commit, "dirty": None}
    status = _git("status", "--porcelain", "--untracked-files=no")
    if status is not None:
        return {"commit": _git("rev-parse", "HEAD"), "dirty": bool(status)}
    return {"commit": _stamped(STAMP), "dirty": None}


def _stamped(stamp: Path) -> str | None:
    text = stamp.read_text().strip() if stamp.is_file() else ""
    return None if text.startswith("$") else text or None


def commit_of(folder: Path) -> str | None:
    """The commit of the tree that landbridge is imported from in this folder: by git, else by the stamp of an archive.
    None where there is neither, as for an installed package."""
    if _git("ls-files", "--error-unmatch", "landbridge/__init__.py", folder=folder) is not None:
        return _git("rev-parse", "HEAD", folder=folder)
    return _stamped(folder.parent / "benchmarks" / STAMP.name)


@cache
def describe_versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of Python, NumPy, landbridge and the named packages that are installed."""
    versions = {"python": platform.python_version(), "landbridge": str(import_module("landbridge").__version__)}
    for package in ("numpy", *packages):
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def now() -> str:
    """Return the time in UTC, to the second, ISO 8601."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()


class Quiet:
    """Measures how much of the machine other work used while a contestant ran: start(), stop() around each turn.

    `others`: mean cores busy with other processes; `steal`: mean cores the host took away. None without
    /proc/stat.
    """

    def __init__(self) -> None:
        self._wall = self._own = self._busy = self._steal = 0.0
        self._started: tuple[float, float, float, float] | None = None
        self._measurable = Path("/proc/stat").exists()

    @staticmethod
    def _sample() -> tuple[float, float, float, float]:
        own = sum(
            usage.ru_utime + usage.ru_stime
            for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )
        with Path("/proc/stat").open() as file:
            ticks = [int(text) for text in file.readline().split()[1:9]]
        user, nice, system, _, _, interrupt, soft, steal = ticks
        hertz = os.sysconf("SC_CLK_TCK")
        return time.perf_counter(), own, (user + nice + system + interrupt + soft) / hertz, steal / hertz

    def start(self) -> None:
        if self._measurable:
            self._started = self._sample()

    def stop(self) -> None:
        if self._started is not None:
            wall, own, busy, steal = (b - a for a, b in zip(self._started, self._sample(), strict=True))
            self._wall += wall
            self._own += own
            self._busy += busy
            self._steal += steal
            self._started = None

    def report(self) -> dict[str, float] | None:
        if self._wall <= 0:
            return None
        others = max(0.0, self._busy - self._own) / self._wall
        return {"others": round(others, 3), "steal": round(self._steal / self._wall, 3)}
