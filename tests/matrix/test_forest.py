"""Every forest plan on every graph of the zoo: a spanning forest of the input, as the verifier and counting say."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge import InvalidCombination, SpanningForest
from landbridge.plan import parse
from matrix.configurations import CONFIGURATIONS, PLANS, Configuration, graph_of, rota, with_ids

FORESTS = landbridge.plans("forest", engine="cpu", extended=True)


def run(text: str, specimen: Specimen, how: Configuration, layout: str, *, promise: bool = True) -> SpanningForest:
    plan = with_ids(text, how.ids)
    graph = graph_of(specimen, layout, how.dtype, promise)
    forest = landbridge.spanning_forest(graph, plan=plan, threads=how.threads)
    where = f"{text} on {specimen} as {layout}, {how}"
    assert forest.plan == str(plan)
    assert forest.count == specimen.count, where
    assert len(forest.u) == len(forest.v) == len(forest.edge) == specimen.n - specimen.count, where
    assert forest.edge.dtype == np.int64
    assert forest.u.dtype == forest.v.dtype == (np.int64 if how.ids == "wide" else np.int32)
    assert np.all(np.diff(forest.edge) > 0), where
    landbridge.check_forest(graph, forest)
    return forest


@pytest.mark.parametrize("text", FORESTS)
def test_every_plan_on_every_graph(text: str) -> None:
    number = FORESTS.index(text)
    layout = parse(text).layout or "csr"
    other = "coo" if layout == "csr" else "csr"
    for i, (specimen, how) in enumerate(rota(number, zoo())):
        # Positions are those of the input also where it is converted to CSR or COO.
        run(text, specimen, how, other if (i + number) % 5 == 0 else layout)


@pytest.mark.slow
@pytest.mark.parametrize("text", FORESTS)
def test_the_full_product(text: str) -> None:
    for how in CONFIGURATIONS:
        for specimen in zoo():
            for layout in ("csr", "coo"):
                for promise in (True, False) if specimen.symmetric else (True,):
                    run(text, specimen, how, layout, promise=promise)


def test_the_plans_are_those_whose_finish_makes_one() -> None:
    assert [text for text in PLANS if not parse(text).finish.no_forest] == FORESTS
    assert set(landbridge.plans("forest", engine="cpu")) < set(FORESTS)


def test_the_others_are_refused_with_the_reason() -> None:
    refused = sorted(set(PLANS) - set(FORESTS))
    assert refused
    for text in refused:
        with pytest.raises(InvalidCombination) as caught:
            landbridge.spanning_forest(([0, 1], [1, 2]), plan=text)
        assert str(caught.value) == f"{text}: {parse(text).finish.no_forest}"


def test_one_thread_marks_the_same_edges_again() -> None:
    for specimen in zoo()[::7]:
        graph = graph_of(specimen, "csr", "int32")
        for text in FORESTS[::40]:
            one, two = (landbridge.spanning_forest(graph, plan=text, threads=1) for _ in range(2))
            assert np.array_equal(one.edge, two.edge)
