"""Fixtures of the tests of the benchmarks."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_benchmarks import CupyOfNumpy, small_case, small_edges

from benchmarks import cases, run
from benchmarks.kinds import components
from peers.base import Case

SMOKE_GRAPHS = ["small_grid", "small_tiny"]


@pytest.fixture
def case() -> Case:
    return small_case()


@pytest.fixture
def small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every generator text gives the small path, so a suite runs in milliseconds."""
    monkeypatch.setattr(cases, "generate", small_edges)
    monkeypatch.setattr(components, "read_bandwidth", lambda threads: 1e9 * threads)


@pytest.fixture
def smoke(
    small_graphs: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Path, str]:
    """The records of the smoke suite on small graphs, and what the run printed."""
    for variable in [name for name in os.environ if name.startswith("LANDBRIDGE_PEER_")]:
        monkeypatch.delenv(variable)
    out = tmp_path / "results" / "smoke.jsonl"
    only = [word for name in SMOKE_GRAPHS for word in ("--only", name)]
    assert run.main(["smoke", *only, "--peers", "scipy,networkx", "--out", str(out)]) == 0
    return out, capsys.readouterr().out


@pytest.fixture
def cupy_of_numpy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A CuPy whose arrays are NumPy's, in the place of the real one."""
    fake = CupyOfNumpy()
    pinned = SimpleNamespace(empty_pinned=fake.empty)
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.setitem(sys.modules, "cupyx", pinned)
    return fake
