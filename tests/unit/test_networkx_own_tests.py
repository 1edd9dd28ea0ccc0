"""NetworkX's own tests of what the backend implements pass through it, and they run its functions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

nx = pytest.importorskip("networkx", minversion="3.4")
from landbridge.compat.networkx_info import FUNCTIONS  # noqa: E402

MODULES = (
    "algorithms.components.tests.test_connected", "algorithms.components.tests.test_weakly_connected",
    "algorithms.tests.test_isolate", "algorithms.tree.tests.test_mst", "algorithms.tree.tests.test_recognition",
    "algorithms.shortest_paths.tests.test_generic", "tests.test_convert_pandas", "tests.test_convert_scipy",
    "readwrite.tests.test_edgelist",
)  # fmt: skip
PLUGIN = """
import functools, json, os
from pathlib import Path
from landbridge.compat import networkx as backend
from landbridge.compat.networkx_info import FUNCTIONS
calls = dict.fromkeys(FUNCTIONS, 0)
def counted(name, function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        calls[name] += 1
        return function(*args, **kwargs)
    return call
for name in FUNCTIONS:
    setattr(backend, name, counted(name, getattr(backend, name)))
def pytest_sessionfinish():
    Path(os.environ["CALLS"]).write_text(json.dumps(calls))
"""


@pytest.mark.long
def test_the_tests_of_networkx_pass_through_the_backend(installed: dict[str, str], tmp_path: Path) -> None:
    for module in ("pandas", "scipy"):
        pytest.importorskip(module)
    (tmp_path / "count_calls.py").write_text(PLUGIN)
    counts = tmp_path / "calls.json"
    more = {"NETWORKX_TEST_BACKEND": "landbridge", "NETWORKX_FALLBACK_TO_NX": "True", "CALLS": str(counts)}
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "count_calls", "--pyargs"]
    done = subprocess.run(
        [sys.executable, *words, *(f"networkx.{module}" for module in MODULES)],
        env=os.environ | installed | more,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    calls = json.loads(counts.read_text())
    assert set(calls) == set(FUNCTIONS)
    assert {name for name, count in calls.items() if count == 0} == set()
