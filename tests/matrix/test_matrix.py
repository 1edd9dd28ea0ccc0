"""Every plan on every graph of the zoo: the identical labels, whatever the ids, the threads and the width.

No plan is named here: the list is what the library says there is. The default run meets every plan with every graph
once, dtypes, threads and widths taking turns by a fixed rota; the slow run is the full product, each cell three times.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge import Components
from landbridge.plan import parse
from matrix.configurations import (
    CONFIGURATIONS,
    DTYPES,
    IDS,
    PLANS,
    THREADS,
    Configuration,
    bearable,
    by_hops,
    graph_of,
    rota,
    with_ids,
)


def run(text: str, specimen: Specimen, how: Configuration, *, promise: bool = True) -> Components:
    plan = with_ids(text, how.ids)
    layout = plan.layout or "csr"
    graph = graph_of(specimen, layout, how.dtype, promise)
    result = landbridge.components(graph, plan=plan, threads=how.threads)
    assert result.plan == str(plan)
    return result


def expect(result: Components, specimen: Specimen, where: object) -> None:
    assert result.count == specimen.count, f"{where}: {result.count} components, not {specimen.count}"
    if not np.array_equal(result.labels, specimen.answer):
        v = int(np.flatnonzero(result.labels != specimen.answer)[0])
        pytest.fail(f"{where}: label of {v} is {result.labels[v]}, not {specimen.answer[v]}")


@pytest.mark.parametrize("text", PLANS)
def test_every_plan_on_every_graph(text: str) -> None:
    for specimen, how in rota(PLANS.index(text), zoo()):
        if not bearable(text, specimen):
            continue
        result = run(text, specimen, how)
        expect(result, specimen, f"{text} on {specimen}, {how}")
        assert result.labels.dtype == (np.int64 if how.ids == "wide" else np.int32)


@pytest.mark.slow
@pytest.mark.parametrize("text", PLANS)
def test_the_full_product(text: str) -> None:
    for how in CONFIGURATIONS:
        for specimen in zoo():
            for promise in (True, False) if specimen.symmetric else (True,):
                for again in range(3):
                    result = run(text, specimen, how, promise=promise)
                    expect(result, specimen, f"{text} on {specimen}, {how}, promise {promise}, run {again}")


def test_the_rota_reaches_every_cell_of_the_axes() -> None:
    cells = {(s.name, how) for i in range(len(PLANS)) for s, how in rota(i, zoo())}
    assert cells == {(s.name, how) for s in zoo() for how in CONFIGURATIONS}
    assert len(CONFIGURATIONS) == len(DTYPES) * len(THREADS) * len(IDS)


def test_the_plans_are_what_the_library_lists() -> None:
    assert set(landbridge.plans(engine="cpu")) < set(PLANS)
    assert len(set(PLANS)) == len(PLANS)
    assert {parse(text).layout for text in PLANS} == {"csr", "coo"}


def test_few_graphs_are_left_to_the_full_product() -> None:
    spared = {s.name for text in PLANS for s in zoo() if not bearable(text, s)}
    assert spared == {"path_big_shuffled", "big_giant_leaves"}
    assert all(by_hops(text) or bearable(text, s) for text in PLANS for s in zoo())


@pytest.mark.parametrize("text", PLANS[:: max(1, len(PLANS) // 40)])
def test_a_layout_the_plan_did_not_ask_for_gives_the_same(text: str) -> None:
    layout = parse(text).layout
    other = "coo" if layout == "csr" else "csr"
    for specimen in filter(partial(bearable, text), zoo()[::5]):
        result = landbridge.components(graph_of(specimen, other, "int64"), plan=text, threads=2)
        expect(result, specimen, f"{text} on {specimen} given as {other}")


@pytest.mark.parametrize("text", PLANS[:: max(1, len(PLANS) // 60)])
def test_symmetric_rows_without_the_promise_give_the_same(text: str) -> None:
    how = Configuration("int32", 2, "narrow")
    for specimen in zoo():
        if specimen.symmetric and specimen.n < 20000:
            expect(run(text, specimen, how, promise=False), specimen, f"{text} on {specimen}")


@pytest.mark.parametrize("seed", [0, 1, 2, 12345, 2**64 - 1])
def test_the_seed_changes_the_way_and_not_the_answer(seed: int) -> None:
    sampled = [t for t in PLANS if parse(t).sample is not None]
    for text in sampled[:: max(1, len(sampled) // 25)]:
        for specimen in filter(partial(bearable, text), zoo()[::4]):
            seeded = text.removesuffix(")") + f",seed={seed})"
            graph = graph_of(specimen, "csr", "int32")
            expect(landbridge.components(graph, plan=seeded, threads=2), specimen, f"{seeded} on {specimen}")
