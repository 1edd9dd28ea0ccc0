"""Files of NumPy and of CSR arrays as bytes, for fuzzers and tests."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np


def npy(array: Any, version: tuple[int, int] = (1, 0)) -> bytes:
    """A .npy file."""
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(array), version)
    return out.getvalue()


def npz(compression: int = zipfile.ZIP_DEFLATED, **arrays: Any) -> bytes:
    """A .npz file; bytes are members as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, array in arrays.items():
            file.writestr(f"{name}.npy", array if isinstance(array, bytes) else npy(array))
    return out.getvalue()


def rows(kind: str, offsets: Sequence[int], neighbors: Sequence[int]) -> bytes:
    """A file of CSR arrays: egr, sg or wsg."""
    n, m = len(offsets) - 1, len(neighbors)
    if kind == "egr":
        return struct.pack(f"<{3 + n + m}i", n, m, *offsets, *neighbors)
    if kind == "wsg":
        neighbors = [x for end in neighbors for x in (end, 5)]
    return struct.pack(f"<Bqq{n + 1}q{len(neighbors)}i", 0, m, n, *offsets, *neighbors)
