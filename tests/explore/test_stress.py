"""Kernels and thread back-end on real threads: plain, and under each sanitizer."""

from __future__ import annotations

import subprocess

import pytest
from native_build import SANITIZERS, build, turn


@pytest.mark.parametrize("what", ["threads", "kernels", "runs", "streams", "names", "allocations"])
@pytest.mark.parametrize("preset", ["release", *SANITIZERS])
def test_stress(preset: str, what: str) -> None:
    # Under sanitizers: the pairs of this number, other ones when the core has changed.
    first = ["--first", str(turn("include", "src/core"))] if what == "runs" else []
    command = [build(preset, "stress"), what, *first]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"


def test_thread_sanitizer_sees_the_pool() -> None:
    done = subprocess.run([build("tsan", "stress"), "race"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "data race" in done.stderr


def test_no_thread_waits_for_another_to_fill_a_static_variable() -> None:
    # A child of fork() would wait for ever: the other thread is its parent's.
    names = subprocess.run(["nm", "-C", build("release", "stress")], capture_output=True, text=True, check=True).stdout
    assert "lb::core::available_threads" in names
    assert [line for line in names.splitlines() if "guard variable for lb::" in line] == []
