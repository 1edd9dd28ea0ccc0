"""Fixtures of the tests of the benchmarks, of programs that find entry points, and of passes in vectors."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_benchmarks import CupyOfNumpy, small_case, small_edges

from benchmarks import cases, run
from benchmarks.kinds import components
from landbridge import _core
from peers.base import Case

SMOKE_GRAPHS = ["small_grid", "small_tiny"]


@pytest.fixture(params=[some for some in (0, 8, 16) if some <= _core.widest_lanes()], ids=lambda some: f"{some} lanes")
def vector_lanes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Edges of rows are found one by one, and in vectors of each width that the processor has."""
    before = _core.set_vector_lanes(request.param)
    yield
    _core.set_vector_lanes(before)


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


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """The environment of a program that finds the entry points of pyproject, installed or not."""
    points = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())["project"][
        "entry-points"
    ]
    folder = tmp_path / "landbridge-0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: landbridge\nVersion: 0\n")
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in rows.items()) for group, rows in points.items()]
    (folder / "entry_points.txt").write_text("\n".join(lines))
    paths = [str(tmp_path), *filter(None, sys.path)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "NETWORKX_WARNINGS_TO_IGNORE": "cache"}
