"""Roots are drawn to judge a sample. Where paths to them are long, trees are flattened before; nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import landbridge
from benchmarks.zoo.cells import draw
from landbridge import _core
from landbridge.edges.forms import Adjacency

SAMPLINGS = ("kout(1)", "kout(2)", "hb(1)", "hb(4)")
FINISHES = (
    "rem_cas(naive,split_one)@cpu(adapt=on)",
    "ecl(halve)@cpu(adapt=on)",
    "async(halve)",
    "jtb(naive)",
    "label_propagation",
)
"""Links, one of ranks, and rounds."""


@pytest.fixture(params=[0, 2**20])
def steps(request: pytest.FixtureRequest) -> Iterator[None]:
    """All trees are flattened before the first step, or none."""
    before = _core.set_drawn_steps(request.param)
    yield
    _core.set_drawn_steps(before)


@pytest.mark.parametrize("structure", ["path", "ladder", "grid", "uniform-2", "clusters-50", "stars"])
@pytest.mark.parametrize("finish", FINISHES)
def test_flat_trees_change_no_answer(structure: str, finish: str, steps: None) -> None:
    drawn = draw(f"{structure}/natural/csr/2e4")
    for symmetric in (True, None):
        graph = landbridge.Graph(Adjacency(*drawn.csr(), symmetric=symmetric))
        expected = landbridge.components(graph, plan="async(naive)", threads=1)
        landbridge.check_components(graph, expected)
        for sampling in SAMPLINGS:
            for threads in (1, 4):
                plan = f"{sampling}+{finish}"
                answer = landbridge.components(graph, plan=plan, threads=threads)
                assert np.array_equal(answer.labels, expected.labels), (plan, threads, symmetric)
                if not finish.startswith("label"):
                    landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan=plan, threads=threads))


def test_long_paths_are_flattened_in_large_graphs() -> None:
    drawn = draw("ladder/natural/csr/1e6")
    graph = landbridge.Graph(Adjacency(*drawn.csr(), symmetric=True))
    for threads in (1, 2, 16):
        assert landbridge.components(graph, threads=threads).count == 1
        assert len(landbridge.spanning_forest(graph, threads=threads).u) == graph.num_vertices - 1
