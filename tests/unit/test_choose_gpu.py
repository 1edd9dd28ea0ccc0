"""What the automatic choice takes on a GPU: one case for each shape of graph."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from landbridge import Graph, Sizes
from landbridge.engine.gpu.choose import COO_PLAN, PLANS, SMALL_PLAN, choose_components, choose_forest
from landbridge.engine.gpu.memory import gpu_bytes
from landbridge.engine.gpu.schedule import balance_of
from landbridge.engine.gpu.solve import as_taken, row_facts
from landbridge.explaining import Explanation
from landbridge.plan import parse
from landbridge.plan.choose import Facts

HOOK, HOOK_TILES, FLAT, FLAT_TILES, HOOK_SAMPLE, HOOK_MANY, ONE, TWO, TWO_HALVED, TWO_NEAR, SEARCH, ALL = PLANS
IN_ORDER = 32767 / 32768  # all of the vertices that are probed but the first have a smaller first neighbour

# Graphs of the benchmark, as the probe saw them.
UNIFORM = Facts(8_388_608, 67_108_822, "csr", True, 8.0, 2.25, 0.877, 0.0, 6.5, 1)
LATTICE = replace(UNIFORM, skew=1.0, first_smaller=0.89, repeats=0.7)
SPARSE = replace(UNIFORM, average_degree=2.0, skew=1.5, first_smaller=0.64, expansion=1.5)
POWER_LAW = replace(UNIFORM, average_degree=30.0, skew=400.0, first_smaller=0.93)
SHAPES = {
    "uniform": (UNIFORM, SEARCH),
    "clusters of fifty": (replace(UNIFORM, expansion=3.7, repeats=0.4, enclosed=0.65), HOOK),
    "clusters of fifty, near ids": (replace(UNIFORM, local=1.0, expansion=3.7, repeats=0.4, enclosed=0.65), HOOK),
    "cliques": (replace(LATTICE, expansion=0.5), HOOK_TILES),
    "cliques, laid out": (replace(LATTICE, expansion=0.5, equidistant=0.1), TWO_HALVED),
    "hubs, few edges, no promise": (replace(POWER_LAW, symmetric=False, edges=2 * 10**6, vertices=2**16), HOOK),
    "uniform, just in the cache": (replace(UNIFORM, vertices=3 * 2**20), TWO_NEAR),
    "uniform, in the cache": (replace(UNIFORM, vertices=1_048_576), TWO_NEAR),
    "uniform, long rows": (replace(UNIFORM, average_degree=32.0, first_smaller=0.965, expansion=7.8), SEARCH),
    "uniform, long rows, in the cache": (
        replace(UNIFORM, vertices=2**21, average_degree=32.0, first_smaller=0.965, expansion=7.8),
        TWO,
    ),
    "uniform, beyond the cache": (replace(UNIFORM, vertices=2**27), SEARCH),
    "every edge often": (
        replace(UNIFORM, average_degree=64.0, skew=2.2, expansion=1.3, repeats=0.74, doubled=0.9),
        HOOK_MANY,
    ),
    "every edge often, few edges": (
        replace(UNIFORM, edges=2 * 10**6, average_degree=64.0, skew=2.2, expansion=1.3, repeats=0.74, doubled=0.9),
        HOOK,
    ),
    "every edge often, no promise": (
        replace(UNIFORM, symmetric=False, average_degree=64.0, skew=2.2, expansion=1.3, repeats=0.74, doubled=0.9),
        ALL,
    ),
    "ladder, ids permuted": (replace(LATTICE, average_degree=3.0, first_smaller=0.75, expansion=1.3), HOOK_TILES),
    "ladder, ids permuted, no promise": (
        replace(LATTICE, symmetric=False, average_degree=3.0, first_smaller=0.75, expansion=1.3),
        TWO_HALVED,
    ),
    "hubs with leaves": (replace(SPARSE, skew=0.5, first_smaller=0.42, expansion=8.0), HOOK_TILES),
    "path, blocks shuffled": (replace(SPARSE, skew=1.0, first_smaller=0.998, local=1.0, expansion=1.0), FLAT_TILES),
    "pairs": (replace(UNIFORM, layout="coo"), COO_PLAN),
    "small": (replace(UNIFORM, vertices=800, edges=1000), SMALL_PLAN),
    "grid in order": (
        replace(
            LATTICE,
            vertices=2**20,
            edges=4_190_208,
            average_degree=4.0,
            first_smaller=IN_ORDER,
            local=1.0,
            expansion=2.0,
        ),
        FLAT,
    ),
    "large grid in order": (
        replace(LATTICE, vertices=2**24, average_degree=4.0, first_smaller=IN_ORDER, local=1.0, expansion=2.0),
        FLAT,
    ),
    "torus in order": (replace(LATTICE, average_degree=6.0, first_smaller=IN_ORDER, local=0.97, expansion=3.0), FLAT),
    "many cycles in order": (replace(SPARSE, skew=1.0, first_smaller=0.9999, local=1.0, expansion=1.0), FLAT),
    "hypercube in order": (replace(UNIFORM, average_degree=20.0, skew=1.0, first_smaller=IN_ORDER), FLAT),
    "small world in order": (replace(LATTICE, first_smaller=IN_ORDER, local=0.69, expansion=1.6), ONE),
    "star and path": (
        replace(SPARSE, skew=4e6, first_smaller=IN_ORDER, local=0.51, expansion=3.3),
        FLAT,
    ),
    "star whose centre is last": (
        replace(SPARSE, skew=8e6, first_smaller=0.001, local=0.01, expansion=7.8, shared=1.0),
        HOOK_SAMPLE,
    ),
    "grid in no order": (
        replace(LATTICE, average_degree=4.0, first_smaller=0.8, expansion=2.0, repeats=0.33),
        TWO_NEAR,
    ),
    "triangles in no order": (
        replace(LATTICE, average_degree=6.0, first_smaller=0.857, expansion=2.0, repeats=0.6),
        TWO_NEAR,
    ),
    "ring lattice in no order": (replace(LATTICE, expansion=1.0, repeats=0.86), TWO_HALVED),
    "ring lattice, long rows": (replace(LATTICE, average_degree=16.0, first_smaller=0.93, expansion=2.2), TWO_HALVED),
    "ring lattice, blocks shuffled": (replace(LATTICE, first_smaller=0.999, expansion=1.0, repeats=0.86), FLAT_TILES),
    "large cliques in chains": (
        replace(LATTICE, average_degree=63.0, first_smaller=0.984, expansion=1.03, repeats=0.87),
        HOOK,
    ),
    "the same, in shuffled blocks": (
        replace(LATTICE, average_degree=63.0, first_smaller=0.9995, local=0.995, expansion=1.01, repeats=0.87),
        FLAT,
    ),
    "grid, bits reversed": (
        replace(LATTICE, average_degree=4.0, first_smaller=0.75, expansion=2.0, repeats=0.33),
        TWO_HALVED,
    ),
    "grid of four dimensions in order": (replace(LATTICE, first_smaller=IN_ORDER, expansion=3.9, repeats=0.43), FLAT),
    "the same, blocks shuffled": (replace(LATTICE, first_smaller=0.9995, expansion=3.9, repeats=0.43), TWO_HALVED),
    "tiny lattices beside pairs in order": (
        replace(LATTICE, average_degree=1.9, skew=8.5, first_smaller=0.53, local=1.0, expansion=0.6, repeats=0.77),
        FLAT,
    ),
    "star beside a grid in order": (
        replace(SPARSE, average_degree=2.7, first_smaller=0.33, local=0.35, expansion=4.0, repeats=0.14, shared=0.67),
        FLAT_TILES,
    ),
    "cliques of sixteen in chains": (
        replace(LATTICE, average_degree=15.0, first_smaller=0.94, expansion=0.9, repeats=0.88),
        HOOK,
    ),
    "cliques of eight in chains": (
        replace(LATTICE, average_degree=7.2, first_smaller=0.88, expansion=0.5, repeats=0.92),
        HOOK_TILES,
    ),
    "regular, three edges per vertex": (replace(SPARSE, average_degree=3.0, skew=3.0, expansion=3.0), TWO_NEAR),
    "cubic tree-like": (replace(UNIFORM, average_degree=4.0, skew=1.0, first_smaller=0.8, expansion=3.0), SEARCH),
    "cubic tree-like, in the cache": (
        replace(UNIFORM, vertices=2**21, average_degree=4.0, skew=1.0, first_smaller=0.8, expansion=3.0),
        TWO_NEAR,
    ),
    "maze in no order": (SPARSE, HOOK_TILES),
    "percolation in order": (replace(SPARSE, first_smaller=0.865, local=1.0), ALL),
    "random tree": (replace(SPARSE, skew=4.5, expansion=1.8), HOOK_TILES),
    "small random tree": (replace(SPARSE, vertices=10**6, edges=2 * 10**6, skew=4.5, expansion=1.8), HOOK),
    "tree with hubs": (replace(SPARSE, skew=26.0, expansion=2.95), HOOK),
    "sparse, held by hubs": (
        replace(SPARSE, average_degree=2.4, skew=240.0, first_smaller=0.64, expansion=7.1),
        TWO,
    ),
    "chains beside a graph with hubs": (
        replace(UNIFORM, average_degree=3.5, skew=230.0, first_smaller=0.68, expansion=1.7),
        HOOK,
    ),
    "pairs and triples": (replace(SPARSE, average_degree=1.2, local=1.0, expansion=0.3), HOOK_TILES),
    "hubs with any ids": (
        replace(UNIFORM, average_degree=86.4, skew=183.0, first_smaller=0.84, expansion=7.9, repeats=0.01),
        SEARCH,
    ),
    "web with small hubs, blocks shuffled": (
        replace(UNIFORM, average_degree=14.4, skew=13.0, first_smaller=0.999, local=0.4, expansion=7.2),
        TWO,
    ),
    "web in no order": (replace(UNIFORM, average_degree=14.4, skew=13.9, first_smaller=0.931), SEARCH),
    "web in no order, of few edges": (
        replace(UNIFORM, vertices=2**21, edges=2**25, average_degree=14.4, skew=13.9, first_smaller=0.931),
        TWO,
    ),
    "large hubs with low ids": (replace(UNIFORM, average_degree=16.0, skew=4000.0, first_smaller=0.96), SEARCH),
    "hubs with any ids, in the cache": (
        replace(UNIFORM, vertices=2**20, average_degree=86.4, skew=183.0, first_smaller=0.84, expansion=7.9),
        TWO,
    ),
    "hubs with low ids, few": (
        replace(
            UNIFORM, vertices=2**22, edges=2**25, average_degree=8.0, skew=58.0, first_smaller=0.978, expansion=7.3
        ),
        HOOK_SAMPLE,
    ),
    "hubs with low ids, of many edges, in the cache": (
        replace(
            UNIFORM, vertices=2**20, edges=2**26, average_degree=64.0, skew=58.0, first_smaller=0.978, expansion=7.3
        ),
        HOOK_SAMPLE,
    ),
    "hubs with low ids, beyond the cache": (
        replace(UNIFORM, vertices=2**26, average_degree=29.4, skew=4565.0, first_smaller=0.962, expansion=7.8),
        SEARCH,
    ),
    "hubs with low ids": (
        replace(UNIFORM, average_degree=52.5, skew=4565.0, first_smaller=0.962, expansion=7.8, repeats=0.02),
        SEARCH,
    ),
    "web": (
        replace(UNIFORM, average_degree=27.0, skew=4220.0, first_smaller=0.998, local=0.653, expansion=7.0),
        HOOK_SAMPLE,
    ),
    "web in order": (replace(UNIFORM, average_degree=14.0, skew=13.0, first_smaller=IN_ORDER, local=0.94), HOOK_SAMPLE),
    "few edges of a web in order": (
        replace(UNIFORM, edges=10**6, average_degree=14.0, skew=13.0, first_smaller=IN_ORDER, local=0.05),
        FLAT,
    ),
    "near and far neighbours, about in order": (
        replace(UNIFORM, average_degree=11.2, skew=2.2, first_smaller=0.9975, local=0.81, expansion=5.7, repeats=0.21),
        TWO_HALVED,
    ),
    "stars in a chain, read backwards": (
        replace(SPARSE, skew=51.0, first_smaller=0.01, local=1.0, expansion=7.4),
        HOOK_SAMPLE,
    ),
    "broom, read backwards": (replace(SPARSE, skew=4e6, first_smaller=0.5, local=0.52, expansion=3.3), HOOK_SAMPLE),
    "long rows first": (
        replace(UNIFORM, average_degree=16.0, skew=2.4, first_smaller=0.9734, expansion=7.5),
        SEARCH,
    ),
    "long rows first, of few edges": (
        replace(UNIFORM, edges=2**25, average_degree=8.0, skew=2.4, first_smaller=0.95, expansion=7.5),
        HOOK_SAMPLE,
    ),
    "small lattice in order": (
        replace(LATTICE, vertices=230_000, edges=2 * 10**6, first_smaller=IN_ORDER, expansion=3.8, repeats=0.43),
        FLAT,
    ),
    "long rows, blocks shuffled": (replace(LATTICE, average_degree=32.0, first_smaller=0.9995, local=0.97), TWO_HALVED),
    "path and random, blocks shuffled": (
        replace(UNIFORM, average_degree=3.5, skew=8.4, first_smaller=0.991, local=0.87, expansion=2.9),
        FLAT,
    ),
    "broom, blocks shuffled": (replace(SPARSE, first_smaller=0.58, local=0.52, expansion=3.3), FLAT_TILES),
    "broom in no order": (replace(SPARSE, first_smaller=0.52, local=0.02, expansion=3.4), HOOK_TILES),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_has_its_plan_and_a_reason(shape: str) -> None:
    facts, plan = SHAPES[shape]
    choice = choose_components(facts)
    assert str(choice.plan) == plan
    assert choice.reasons
    assert all(reason for reason in choice.reasons)


@pytest.mark.parametrize("shape", SHAPES)
def test_forests_have_a_plan_that_leaves_one(shape: str) -> None:
    assert not choose_forest(SHAPES[shape][0]).plan.no_forest


def test_the_plans_of_the_choice_are_canonical() -> None:
    for text in (COO_PLAN, SMALL_PLAN, *PLANS):
        assert str(parse(text)) == text


def test_every_plan_that_samples_adapts() -> None:
    for plan in map(parse, PLANS):
        assert (plan.option("adapt", "off") == "on") == (plan.sample is not None)


def test_every_choice_is_one_that_is_compiled_beforehand() -> None:
    values = {
        "layout": ("csr", "coo"), "average_degree": (1.5, 3.0, 6.0, 40.0), "skew": (1.0, 100.0, 5000.0),
        "local": (0.0, 0.6, 1.0), "first_smaller": (0.5, 6 / 7, 0.95, 1.0), "expansion": (0.5, 2.0, 3.0, 50.0),
        "repeats": (0.0, 0.5), "doubled": (0.0, 0.9), "shared": (0.0, 1.0), "vertices": (10, 2**17, 2**20, 2**23),
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


def test_an_edge_list_that_consists_of_rows_is_these_but_for_plans_of_edge_lists() -> None:
    u = np.repeat(np.arange(1000), 2)
    graph = Graph((u, (u + np.tile([1, 999], 1000)) % 1000))
    plans = tuple(map(parse, ("async(halve)", "hb(2)+async(halve)", "async(halve)@gpu(layout=coo)")))
    assert [as_taken(graph, plan) for plan in plans] == [graph] * 3
    assert not row_facts(graph, 1).in_rows
    graph.rows = rows = graph.to_rows()
    assert graph.to_rows() is rows
    assert [as_taken(graph, plan) for plan in plans] == [rows, rows, graph]
    facts = row_facts(graph, 1)
    assert facts.in_rows
    assert (facts.layout, facts.symmetric, facts.edges) == ("csr", True, 4000)
    sizes = Sizes.of(graph)
    assert (sizes.layout, sizes.in_rows) == ("coo", True)
    in_list, in_rows = (gpu_bytes(replace(sizes, on_device=True), plan) for plan in (plans[2], plans[0]))
    of_rows = gpu_bytes(replace(Sizes.of(rows), on_device=True, offset_bits=32), plans[0])
    assert in_rows == of_rows + 4 * (graph.num_vertices + 1)
    assert in_list < in_rows + 16 * graph.num_vertices
    assert "an edge list in rows (both directions)" in str(Explanation("async(halve)", "gpu", facts, ()))
