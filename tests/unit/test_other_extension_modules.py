"""Exceptions stay this package's whatever other extension modules a program loads, before or after."""

from __future__ import annotations

import subprocess
import sys

import pytest

RAISES = """
from landbridge import Incremental, components, merge, rank_list

CASES = {
    "insert": lambda: Incremental().insert([10**10], [2]),
    "Incremental": lambda: Incremental(10**13),
    "chunks": lambda: components(chunks=[([10**12], [3])]),
    "negative": lambda: components(([-1], [3])),
    "list": lambda: rank_list([1, 2, 1]),
    "other": lambda: duckdb.sql("selec 1"),
}
for name, call in CASES.items():
    try:
        call()
    except BaseException as error:
        print(name, type(error).__module__, type(error).__name__)
"""
EXPECTED = [
    "insert builtins MemoryError",
    "Incremental builtins MemoryError",
    "chunks builtins MemoryError",
    "negative landbridge.errors InputError",
    "list landbridge.errors ListError",
    "other _duckdb ParserException",
]


@pytest.mark.parametrize("order", ["import duckdb, landbridge", "import landbridge._core, duckdb"])
def test_errors_are_the_same_beside_another_module_of_nanobind(order: str) -> None:
    pytest.importorskip("duckdb")
    done = subprocess.run([sys.executable, "-c", order + RAISES], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == EXPECTED


def test_an_object_that_a_daemon_thread_holds_at_the_end_is_no_message() -> None:
    program = """
import threading, time
import landbridge
def hold(forest, stream):
    time.sleep(100)
objects = landbridge.spanning_forest([(0, 1), (1, 2)]), landbridge.Incremental(3)
threading.Thread(target=hold, args=objects, daemon=True).start()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
