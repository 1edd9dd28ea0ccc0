"""The tests of signals also pass where SIGINT is ignored when they start, as in the background of a shell."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHOSEN = [
    "tests/unit/test_interrupts.py::test_limits_nest_and_end",
    "tests/unit/test_interrupts.py::test_a_handler_may_use_the_library_and_raise_what_it_likes",
    "tests/unit/test_cli.py::test_an_interrupted_write_leaves_nothing",
    "tests/faults/test_interrupted_streams.py",
]


@pytest.mark.long
def test_a_few_tests_pass_with_interrupts_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a child inherits it
    try:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-m",
            "not long and not slow",
            *CHOSEN,
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
