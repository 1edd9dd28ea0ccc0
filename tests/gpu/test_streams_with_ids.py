"""Streams with ids whose trees are on a GPU: ids are numbered on the host, and the answers are those of the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("kind", ["names", "sparse"])
@pytest.mark.parametrize("plan", ["auto", "rem_cas(naive,split_one)", "jtb(two_try)"])
def test_answers_are_those_of_the_cpu(kind: Any, plan: str, tmp_path: Path) -> None:
    u, v = np.random.default_rng(3).integers(0, 5000, (2, 4000)) ** 2 * 1_000_003
    if kind == "names":
        u, v = (np.char.add("n", x.astype(str)) for x in (u, v))
    streams = {}
    for device in ("cpu", "gpu"):
        stream = landbridge.Incremental(ids=kind, plan=plan, device=device, forest=True, journal=tmp_path / device)
        for begin in range(0, 4000, 1500):
            stream.insert(u[begin : begin + 1500], v[begin : begin + 1500])
        streams[device] = stream
    cpu, gpu = streams["cpu"], streams["gpu"]
    assert gpu.device == "gpu"
    assert (gpu.count, len(gpu), gpu.position) == (cpu.count, len(cpu), cpu.position)
    assert gpu.frame("pyarrow").equals(cpu.frame("pyarrow"))
    assert gpu.find(u[7]) == cpu.find(u[7])
    assert gpu.size(u[7]) == cpu.size(u[7])
    assert np.asarray(gpu.connected(u[:100], v[50:150])).tolist() == cpu.connected(u[:100], v[50:150]).tolist()
    assert gpu.forest().count == cpu.forest().count
    gpu.close()
    reopened = landbridge.Incremental(ids=kind, plan=plan, device="gpu", forest=True, journal=tmp_path / "gpu")
    assert reopened.frame("pyarrow").equals(cpu.frame("pyarrow"))
    reopened.save(tmp_path / "saved")
    assert landbridge.Incremental.load(tmp_path / "saved").frame("pyarrow").equals(cpu.frame("pyarrow"))
