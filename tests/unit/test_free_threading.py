"""Threads that call at once: answers are those of one thread, and the extension needs no global lock."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import landbridge

RNG = np.random.default_rng(1)
U, V = RNG.integers(0, 2_000, 3_000), RNG.integers(0, 2_000, 3_000)
GRAPH = landbridge.Graph((U, V), num_vertices=2_000)
PAIRS = [(str(a), str(b)) for a, b in zip(U[:1_000].tolist(), V[:1_000].tolist(), strict=True)]


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a global lock")
def test_an_import_leaves_the_global_lock_off() -> None:
    program = "import sys, landbridge; assert not sys._is_gil_enabled()"
    subprocess.run([sys.executable, "-c", program], check=True)


def on_threads(call: Callable[[int], object], times: int) -> list[object]:
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(call, range(times)))


def test_answers_of_many_callers_about_one_graph_are_those_of_one() -> None:
    labels = landbridge.components(GRAPH, threads=1).labels

    def call(number: int) -> bool:
        forest = landbridge.spanning_forest(GRAPH, threads=1 + number % 2)
        landbridge.check_forest(GRAPH, forest)
        return np.array_equal(landbridge.components(GRAPH, threads=1 + number % 2).labels, labels)

    assert all(on_threads(call, 8))


@pytest.mark.parametrize("names", [False, True])
def test_a_stream_takes_batches_of_many_threads(names: bool) -> None:
    stream = landbridge.Incremental(ids="names") if names else landbridge.Incremental(2_000)
    size = len(PAIRS) if names else len(U)

    def call(number: int) -> None:
        for begin in range(number * size // 4, (number + 1) * size // 4, 50):
            stop = min(begin + 50, (number + 1) * size // 4)
            if names:
                stream.insert(PAIRS[begin:stop])
            else:
                stream.insert(U[begin:stop], V[begin:stop])
                stream.connected(U[:3], V[:3])

    on_threads(call, 4)
    whole = landbridge.components(PAIRS) if names else landbridge.components(GRAPH)
    answer = stream.components()
    if not names:
        assert np.array_equal(answer.labels, whole.labels)
    assert answer.count == whole.count
    assert sorted(answer.sizes().tolist()) == sorted(whole.sizes().tolist())
