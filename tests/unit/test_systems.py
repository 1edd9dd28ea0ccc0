"""Published systems by name: their texts, their parameters, what they refuse, and the page about them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from oracles.zoo import zoo

import landbridge
from landbridge import Graph, InvalidCombination, InvalidPlan, _core
from landbridge.plan import parse, registry

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ecl_cc", "ecl_cc(16,352)"),
        ("ecl_cc(8, large=128, fini=fini1)", "ecl_cc(8,128,init3,jump4,fini1)"),
        ("ecl_cc(jump=jump2)", "ecl_cc(16,352,init3,jump2)"),
        ("soman(three)", "soman"),
        ("soman(jumps=everyone)@gpu", "soman(three,everyone)@gpu"),
        ("groute_cc", "groute_cc(0,-1)"),
        ("stages(cc_updt,q=1)", "stages(cc_updt,q=1)"),
        ("stages(soman(alternate),q=0.75)", "stages(soman(alternate),q=0.75)"),
        ("ligra_components", "label_propagation(frontier)"),
        ("ligra_bfscc", "bfscc"),
        ("galois_async", "async(split)"),
    ],
)
def test_names_and_parameters(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("stages(rem_verify,q=1)", InvalidCombination, "rem_verify stores parents without comparing"),
        ("kout(2)+soman", InvalidCombination, "soman works on a COO edge list, and sampling needs CSR"),
        ("soman@cpu(layout=csr)", InvalidCombination, "needs COO"),
        ("ecl_cc@cpu(layout=coo)", InvalidCombination, "needs CSR"),
        ("multistep@gpu", InvalidCombination, "does not exist for the engine gpu"),
        ("ecl_cc(init=init4)", InvalidPlan, "init"),
        ("groute_cc(-1)", InvalidPlan, "at least 0"),
        ("groute_cc(0,-2)", InvalidPlan, "at least -1"),
        ("soman(sometimes)", InvalidPlan, "hooks"),
    ],
)
def test_what_is_refused(text: str, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "multistep(0)",
        "multistep(3)",
        "ndhybrid(1000)",
        "ndhybrid(0.01)",
        "ecl_cc(0,0)",
        "groute_cc(7,2)",
        "groute_cc(1000000,0)",
        "groute_cc(1,50)",
        "stages(groute_cc(2,3),q=0.1)",
        "stages(sv_updt,q=1000)",
        "stages(schd,q=0.01)",
    ],
)
def test_numbers_change_the_way_and_not_the_answer(text: str) -> None:
    for specimen in zoo()[::2]:
        if specimen.n <= 5000:
            graph = specimen.graph(parse(text).layout or "csr", "int32")
            for threads in (1, 3):
                result = landbridge.components(graph, plan=text, threads=threads)
                assert np.array_equal(result.labels, specimen.answer), f"{text} on {specimen}"


@pytest.mark.parametrize("name", [row["name"] for row in _core.systems()])
def test_pairs_need_not_lie_side_by_side(name: str) -> None:
    rng = np.random.default_rng(5)
    both = rng.integers(0, 5000, (6000, 2))
    expected = landbridge.components(both, plan="rem_cas").labels
    for pairs in (both, both.astype(np.int32), both[::-1]):
        assert np.array_equal(landbridge.components(Graph(pairs), plan=name, threads=2).labels, expected)


def test_rem_with_verification_holds_when_everyone_wants_the_same_root() -> None:
    n = 30_000
    star = (np.full(n - 1, n - 1, dtype=np.int32), np.arange(n - 1, dtype=np.int32))
    path = (np.arange(1, n, dtype=np.int32)[::-1], np.arange(n - 1, dtype=np.int32)[::-1])
    for u, v in (star, path):
        both = Graph((np.concatenate([u, v]), np.concatenate([v, u])))
        for _ in range(10):
            assert landbridge.components(both, plan="rem_verify", threads=4).count == 1


def test_every_system_has_its_place_on_the_page() -> None:
    spec = importlib.util.spec_from_file_location("render_systems", ROOT / "docs" / "render_systems.py")
    assert spec is not None
    assert spec.loader is not None
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    rows = registry().axis("finish").values()
    assert set(page.DEVIATIONS) == {p.name for p in rows if "rounds" not in p.traits and p.name != "bfscc"}
    assert {row["name"] for row in _core.systems()} < set(page.DEVIATIONS)
