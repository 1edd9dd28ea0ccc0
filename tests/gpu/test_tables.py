"""Tables and files whose vertices are the ids that occur: a GPU answers as the CPU does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge

pytestmark = pytest.mark.gpu

M = 3000


def with_gaps() -> tuple[Any, Any]:
    """Ids close together, of which some do not occur."""
    return tuple(3 * np.random.default_rng(1).integers(0, M, (2, M)) + 2)  # type: ignore[return-value]


def far_apart() -> tuple[Any, Any]:
    return tuple(np.random.default_rng(2).integers(0, M, (2, M)) ** 3 * 1000 + 7)  # type: ignore[return-value]


def as_text() -> tuple[Any, Any]:
    return tuple(np.char.add("n", end.astype(str)) for end in with_gaps())  # type: ignore[return-value]


@pytest.mark.parametrize("plan", ["auto", "rem_cas(naive,halve_one)", "jtb(two_try)", "hb(2)+async(halve)"])
@pytest.mark.parametrize("ids", [with_gaps, far_apart, as_text])
@pytest.mark.parametrize("source", ["frame", "csv", "chunks"])
def test_answers_are_those_of_the_cpu(source: str, ids: Any, plan: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    u, v = ids()
    frame = pandas.DataFrame({"src": u, "dst": v})
    path = tmp_path / "edges.csv"
    frame.to_csv(path, index=False)
    options: Any = {"ids": "names"} if ids is as_text else {}
    results = []
    for device in ("cpu", "gpu"):
        named = plan if plan == "auto" else f"{plan}@{device}"
        if source == "chunks":
            chunks = [frame[:1000], frame[1000:1001], frame[1001:]]
            named = named.rpartition("+")[2]  # a stream takes no sampling
            results.append(landbridge.components(chunks=chunks, plan=named, device=device, **options))
            continue
        data = frame if source == "frame" else path
        results.append(landbridge.components(data, plan=named, device=device, **options))
        if plan == "auto":
            forest = landbridge.spanning_forest(data, device=device, **options)
            assert forest.count == results[0].count
    of_cpu, of_gpu = results
    assert of_gpu.device == "gpu"
    assert of_gpu.count == of_cpu.count
    assert np.array_equal(of_gpu.ids, of_cpu.ids)
    assert np.array_equal(np.asarray(of_gpu.labels), np.asarray(of_cpu.labels))
    assert of_gpu.frame().equals(of_cpu.frame())
