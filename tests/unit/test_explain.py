"""explain: says what components would do, from which facts and why, and runs nothing."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.refusals import refused
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge import Graph, InputError
from landbridge.plan import parse

PAIR = (np.array([3, 2, 5, 4]), np.array([0, 4, 4, 4]))


@pytest.mark.parametrize("layout", ["csr", "coo"])
@pytest.mark.parametrize("specimen", zoo(), ids=str)
def test_it_names_the_plan_that_components_takes(specimen: Specimen, layout: str) -> None:
    graph = specimen.graph(layout)
    for threads in (1, 2):
        explanation = landbridge.explain(graph, threads=threads)
        assert landbridge.components(graph, threads=threads).plan == explanation.plan
        assert str(parse(explanation.plan)) == explanation.plan
        assert explanation.device == "cpu"
        assert explanation.reasons
        assert all(reason and "\n" not in reason for reason in explanation.reasons)
        facts = explanation.facts
        assert (facts.vertices, facts.edges, facts.layout) == (specimen.n, len(specimen.u), layout)
        assert facts.symmetric == specimen.symmetric
        assert facts.threads == threads
        assert facts.average_degree == (len(specimen.u) / specimen.n if specimen.n else 0)
        assert 0 <= facts.first_smaller <= 1
        assert 0 <= facts.local <= 1
        assert (facts.skew >= 1) == (layout == "csr" and facts.skew > 0)


def test_the_same_graph_gets_the_same_answer() -> None:
    for specimen in zoo():
        graph = specimen.graph("csr")
        assert landbridge.explain(graph) == landbridge.explain(graph)


def test_the_reasons_say_nothing_of_an_edge_list_that_is_not_known() -> None:
    text = str(landbridge.explain(([0], [9])))
    assert "0.1 per vertex" in text and "where vertices have many edges" in text and "of many edges" not in text


def test_the_text_shows_plan_facts_and_reasons() -> None:
    explanation = landbridge.explain(PAIR, threads=2)
    lines = str(explanation).splitlines()
    assert lines[0] == f"plan    {explanation.plan}"
    assert lines[1] == "device  cpu"
    assert lines[2] == "ids     dense: vertices are 0..n-1, and ids are their numbers"
    assert lines[3] == "facts   6 vertices, 4 stored edges as a COO edge list, 0.7 per vertex"
    assert lines[4] == "facts   2 threads"
    assert lines[-1] == f"because {explanation.reasons[-1]}"
    rows = str(landbridge.explain(Graph(PAIR).to_rows()))
    assert "as a CSR (both directions)" in rows
    assert "among the rows probed: " in rows


def test_facts_of_rows_seen_by_hand() -> None:
    grid = next(s for s in zoo() if s.name == "star_hub_first")
    facts = landbridge.explain(grid.graph("csr")).facts
    # Row 0 has 299 arcs, each other row one, to vertex 0; the average is 598 / 300.
    assert facts.skew == pytest.approx(299 / (598 / 300))
    assert facts.first_smaller == pytest.approx(299 / 300)


def test_it_takes_what_components_takes() -> None:
    assert landbridge.explain(PAIR, num_vertices=9).facts.vertices == 9
    assert landbridge.explain(PAIR, ids="sparse").facts.vertices == 5
    assert landbridge.explain(([0, 1], [1, 0]), symmetric=True, check=True).facts.symmetric
    with refused(InputError, "edge 0: vertex 3 is out of range for n = 3"):
        landbridge.explain(PAIR, num_vertices=3)


def test_pairs_are_explained_as_they_are_run() -> None:
    # A single large id that a look at a few does not meet: the plan must not depend on which way the edges come in.
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 20_000, (2, 1 << 18))
    u[12_345] = 65_535
    explanation = landbridge.explain((u, v))
    assert landbridge.components((u, v)).plan == explanation.plan
    assert landbridge.components(Graph((u, v))).plan == explanation.plan
