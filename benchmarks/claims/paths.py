"""How many hops a find takes in ECL-CC, counted by a program over the library's own headers."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SOURCE = Path(__file__).with_suffix(".cpp")
HEADERS = SOURCE.parents[2] / "include"


@cache
def _program() -> tuple[Path, tempfile.TemporaryDirectory[str]]:
    folder = tempfile.TemporaryDirectory(prefix="landbridge-paths-")
    program = Path(folder.name) / "paths"
    subprocess.run(["g++", "-O2", "-std=c++20", f"-I{HEADERS}", str(SOURCE), "-o", str(program)], check=True)
    return program, folder


def path_lengths(offsets: NDArray[Any], neighbors: NDArray[Any]) -> tuple[float, int]:
    """Mean and largest number of hops of a find. Rows are symmetric; offsets (n + 1,), neighbors (arcs,), n < 2^31."""
    program, _ = _program()
    with tempfile.TemporaryDirectory(prefix="landbridge-paths-") as folder:
        files = [Path(folder) / name for name in ("offsets", "neighbors")]
        offsets.astype(np.int64).tofile(files[0])
        neighbors.astype(np.uint32).tofile(files[1])
        done = subprocess.run([program, *files], check=True, capture_output=True, text=True)
    finds, hops, longest = (int(word) for word in done.stdout.split())
    return hops / max(finds, 1), longest
