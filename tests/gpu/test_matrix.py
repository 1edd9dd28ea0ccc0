"""Every GPU plan on every graph of the zoo, on a GPU: the labels are those of the reference, as on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge.plan import Engine, Plan, parse

pytestmark = pytest.mark.gpu

PLANS = landbridge.plans(engine="gpu", extended=True)
# The options that change how a plan runs, never what it answers, taking turns.
OPTIONS = (
    {},
    {"reads": "fresh"},
    {"ids": "wide"},
    {"balance": "worklist"},
    {"merge": "warp"},
    {"balance": "thread", "reads": "fresh"},
    {"balance": "warp", "arcs": "coalesced"},
    {"balance": "block", "arcs": "reorganised"},
    {"arcs": "coalesced", "merge": "warp", "ids": "wide"},
    {"arcs": "reorganised", "seed": 7},
    {"start": "hook"},
    {"start": "hook", "merge": "warp", "ids": "wide"},
    {"start": "star", "balance": "edge", "owner": "larger"},
    {"start": "tile", "merge": "near"},
    {"balance": "edge", "owner": "smaller", "reads": "fresh"},
    {"balance": "edge", "merge": "near", "ids": "wide", "hints": "stream"},
    {"balance": "gather"},
    {"balance": "gather", "atomics": "single", "hints": "stream"},
)
DTYPES = ("int32", "int64", "uint32", "uint64")


def expect(result: landbridge.Components, specimen: Specimen, where: str) -> None:
    labels = result.labels if isinstance(result.labels, np.ndarray) else result.labels.get()
    assert result.count == specimen.count, f"{where}: {result.count} components, not {specimen.count}"
    if not np.array_equal(labels, specimen.answer):
        v = int(np.flatnonzero(labels != specimen.answer)[0])
        pytest.fail(f"{where}: label of {v} is {labels[v]}, not {specimen.answer[v]}")


def with_options(text: str, options: dict[str, object]) -> Plan:
    plan = parse(text)
    assert plan.engine is not None
    return Plan(plan.sample, plan.finish, Engine("gpu", {**dict(plan.engine.options), **options}))


@pytest.mark.parametrize("text", PLANS)
def test_every_plan_on_every_graph(text: str) -> None:
    at = PLANS.index(text)
    for i, specimen in enumerate(zoo()):
        # One set of options a plan for most graphs keeps the number of kernels to compile small.
        plan = with_options(text, {"fuse": "off", **OPTIONS[at % len(OPTIONS)]} if i % 2 else {})
        dtype = DTYPES[(i // 2 + at) % 2]
        layout = plan.layout or "csr"
        result = landbridge.components(specimen.graph(layout, dtype), plan=plan)
        expect(result, specimen, f"{plan} on {specimen}, {dtype}")
        assert result.device == "gpu"


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_option_with_every_dtype(options: dict[str, object], dtype: str) -> None:
    for text in (
        "rem_cas(naive,halve_one)@gpu(layout=csr)",
        "kout(2)+rem_cas(naive,split_one)@gpu(layout=csr)",
        "kout(3,hybrid)+jtb(two_try)@gpu(layout=csr)",
        "hb(4)+async(split)@gpu(layout=csr)",
        "hooks(compress)@gpu(layout=coo)",
        "stages(ecl(halve),q=0.3)@gpu(layout=coo)",
    ):
        plan = with_options(text, {"fuse": "off", **options})
        for specimen in zoo()[::3]:
            result = landbridge.components(specimen.graph(plan.layout or "csr", dtype), plan=plan)
            expect(result, specimen, f"{plan} on {specimen}, {dtype}")


@pytest.mark.parametrize("text", PLANS[::37])
def test_symmetric_rows_without_the_promise(text: str) -> None:
    for specimen in zoo():
        if specimen.symmetric:
            plan = with_options(text, {})
            result = landbridge.components(specimen.graph(plan.layout or "csr", "int32", promise=False), plan=plan)
            expect(result, specimen, f"{plan} on {specimen}")
