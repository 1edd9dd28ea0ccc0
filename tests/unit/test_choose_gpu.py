"""What the automatic choice takes on a GPU: one case for each shape of graph it distinguishes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from landbridge.engine.gpu.choose import COO_PLAN, PLANS, SMALL_PLAN, choose_components
from landbridge.engine.gpu.schedule import balance_of
from landbridge.plan import parse
from landbridge.plan.choose import Facts

# Graphs of the benchmark, as the probe saw them.
UNIFORM = Facts(8_388_608, 67_108_822, "csr", True, 8.0, 8.0, 2.25, 0.877, 0.0, 8.0, 1)
SHAPES = {
    "uniform": (UNIFORM, "hb(2)+rem_cas(naive,halve_one)"),
    "pairs": (replace(UNIFORM, layout="coo"), "async(halve)"),
    "small": (replace(UNIFORM, vertices=800, edges=1000), "rem_cas(naive,halve_one)"),
    "grid in order": (
        replace(UNIFORM, average_degree=4.0, skew=1.0, first_smaller=1023 / 1024, local=1.0, expansion=3.0),
        "rem_cas(naive,halve_one)@gpu(start=hook)",
    ),
    "mesh in no order": (
        replace(UNIFORM, average_degree=6.0, skew=1.0, first_smaller=0.848, expansion=5.0),
        "kout(2)+rem_cas(naive,splice)@gpu(merge=near)",
    ),
    "road": (
        replace(UNIFORM, average_degree=2.4, skew=1.7, first_smaller=0.849, local=1.0, expansion=1.72),
        "rem_cas(naive,halve_one)",
    ),
    "chains": (
        replace(UNIFORM, average_degree=2.12, skew=1.9, first_smaller=0.795, local=0.27, expansion=1.0),
        "rem_cas(naive,halve_one)@gpu(start=hook)",
    ),
    "hubs with any ids": (
        replace(UNIFORM, average_degree=86.4, skew=183.0, first_smaller=0.84, expansion=11_395.0),
        "kout(2)+rem_cas(naive,splice)",
    ),
    "hubs with low ids": (
        replace(UNIFORM, average_degree=52.5, skew=4565.0, first_smaller=0.962, expansion=5180.0),
        "hb(2)+rem_cas(naive,halve_one)",
    ),
    "web": (
        replace(UNIFORM, average_degree=27.0, skew=4220.0, first_smaller=0.998, local=0.653, expansion=72.3),
        "kout(2)+rem_cas(naive,splice)",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_has_its_plan_and_a_reason(shape: str) -> None:
    facts, plan = SHAPES[shape]
    choice = choose_components(facts)
    assert str(choice.plan) == plan
    assert choice.reasons
    assert all(reason for reason in choice.reasons)


def test_every_choice_is_one_that_is_compiled_beforehand() -> None:
    values = {
        "layout": ("csr", "coo"), "average_degree": (1.5, 5.0, 40.0), "skew": (1.0, 100.0), "local": (0.0, 1.0),
        "first_smaller": (0.5, 0.95, 1.0), "expansion": (0.5, 2.0, 50.0), "vertices": (10, 2**23),
    }  # fmt: skip
    choices = set()
    for mixture in product(*values.values()):
        facts = replace(UNIFORM, **dict(zip(values, mixture, strict=True)), edges=10 * int(mixture[-1]))
        plan = str(choose_components(facts).plan)
        if facts.layout == "coo":
            assert plan in (COO_PLAN, SMALL_PLAN)
        else:
            choices.add(plan)
    assert choices == set(PLANS)


def test_edges_are_shared_evenly_where_all_are_read() -> None:
    assert balance_of(parse("rem_cas(naive,halve_one)")) == "edge"
    assert balance_of(parse("jtb(two_try)")) == "edge"
    assert balance_of(parse("hb(2)+rem_cas(naive,halve_one)")) == "tile"
