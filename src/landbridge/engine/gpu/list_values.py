"""Values of elements before they are combined, on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge.edges.successors import ScanSpec, SumOverflow
from landbridge.engine.gpu.list_run import ListRun
from landbridge.engine.gpu.list_steps import Array


def neutral_of(op: str, dtype: Any) -> Any:
    """lb::rank::neutral_of."""
    if op == "sum":
        return dtype.type(0)
    if dtype.kind == "f":
        return dtype.type(np.inf if op == "min" else -np.inf)
    return dtype.type(np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min)


def counted_values(run: ListRun, values: Array, scan: ScanSpec) -> Array:
    """The values that count: of links all but those of tails. Raises SumOverflow where integer sums may not fit."""
    own = run.cupy.where(run.is_tail(), neutral_of(scan.op, values.dtype), values) if scan.of_links else values
    if scan.op == "sum" and values.dtype.kind == "i":
        require_exact_sum(total_size(own))
    return own


def total_size(values: Array) -> int:
    """The sum of the sizes of 64-bit integers, exactly."""
    size = abs(values).view(np.uint64)
    return (int((size >> np.uint64(32)).sum()) << 32) + int((size & np.uint64(2**32 - 1)).sum())


def require_exact_sum(total: int) -> None:
    """Raise SumOverflow where integers whose sizes have this sum may not add up in 64 bits."""
    if total >= 2**63:
        raise SumOverflow.of_arrays()
