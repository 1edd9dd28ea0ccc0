"""Every kind of kernel on small graphs, for a program that watches each access: run it under compute-sanitizer.

    PYTHONPATH=tests compute-sanitizer --tool memcheck python3 tests/gpu/small_zoo.py [SECONDS]

Plans follow each other so that early ones already cover every link, sampling and schedule; no further one begins when
the share of SECONDS (60) that its problem has is over. Exits with 1 on a wrong answer. Not a test of its own:
`tools/gpu_check` runs it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import product

import numpy as np
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge.device import cuda
from landbridge.engine.gpu import edge_schedule, small_batches, stream_launches
from landbridge.engine.parts.device_trees import MergingTrees
from landbridge.engine.parts.peers import PeerReads
from landbridge.engine.parts.processors import processors_of
from landbridge.plan import Engine, Plan, parse

Run = tuple[str, bool]
"""What ran, and whether the answer was right."""

OPTIONS: tuple[dict[str, object], ...] = (
    {},
    {"fuse": "off"},
    {"fuse": "off", "balance": "worklist"},
    {"fuse": "off", "merge": "warp", "ids": "wide"},
    {"fuse": "off", "balance": "warp", "arcs": "coalesced"},
    {"fuse": "off", "balance": "block", "arcs": "reorganised"},
    {"fuse": "off", "start": "hook", "reads": "fresh"},
)


def spread() -> list[Plan]:
    """All plans, the first of each link with each sampling before the second of any."""
    counts: dict[tuple[str, str], int] = {}
    plans = []
    for text in landbridge.plans(engine="gpu", extended=True):
        plan = parse(text)
        kind = (plan.sample.name if plan.sample else "", plan.finish.link)
        counts[kind] = counts.get(kind, 0) + 1
        plans.append((counts[kind], len(plans), plan))
    return [plan for _, _, plan in sorted(plans, key=lambda each: each[:2])]


def small() -> list[Specimen]:
    """Graphs of a few thousand edges at most: a watched access costs a thousand times its price."""
    return [specimen for specimen in zoo() if len(specimen.u) <= 3000]


def with_options(plan: Plan, options: dict[str, object]) -> Plan:
    assert plan.engine is not None
    return Plan(plan.sample, plan.finish, Engine("gpu", {**dict(plan.engine.options), **options}))


def of_components() -> Iterator[Run]:
    specimens = small()
    for i, plan in enumerate(spread()):
        optioned = with_options(plan, OPTIONS[i % len(OPTIONS)])
        for specimen in specimens[i % 5 :: 5]:
            graph = specimen.graph(optioned.layout or "csr", "int32", promise=i % 3 > 0)
            result = landbridge.components(graph, plan=optioned)
            yield f"{optioned} on {specimen}", np.array_equal(result.labels, specimen.answer)


def of_edge_lists() -> Iterator[Run]:
    """Lists that count as long: their first edges are the sample, two edges of each row, or they are hooked. The bounds
    stay as low as that, so these runs are the last."""
    for bound in ("_MARK_LEAST", "_SAMPLE_FROM", "_SAMPLE_SMALL"):
        setattr(edge_schedule, bound, 0)
    for i, (text, most, rows) in enumerate(
        product(("rem_cas(naive,halve_one)", "async(halve)"), (0, 1e9), (0, 1e9)),
    ):
        edge_schedule._HEAD_FROM, edge_schedule._HOOK_NEAR = rows, 1
        edge_schedule._HOOK_MOST = edge_schedule._HOOK_MOST_SORTED = most
        plan = with_options(parse(f"{text}@gpu"), {"fuse": "off", **({"ids": "wide"} if i % 3 == 2 else {})})
        for specimen in small():
            order = np.lexsort((specimen.v, specimen.u)) if i % 2 else np.arange(len(specimen.u))
            endpoints = tuple(ids[order].astype(np.int32) for ids in (specimen.u, specimen.v))
            result = landbridge.components(endpoints, num_vertices=specimen.n, plan=plan)
            yield f"{plan}, long lists, on {specimen}", np.array_equal(result.labels, specimen.answer)


def of_forests() -> Iterator[Run]:
    specimens = small()
    for i, text in enumerate(landbridge.plans("forest", engine="gpu", extended=True)[::7]):
        plan = parse(text)
        for specimen in specimens[i % 7 :: 7]:
            graph = specimen.graph(plan.layout or "csr", "int32")
            forest = landbridge.spanning_forest(graph, plan=plan)
            try:
                landbridge.check_forest(graph, forest)
            except landbridge.CheckFailed:
                yield f"{plan} on {specimen}", False
            yield f"{plan} on {specimen}", forest.count == specimen.count


def of_streams() -> Iterator[Run]:
    asarray, asnumpy = cuda.cupy().asarray, cuda.cupy().asnumpy
    specimens = small()
    schedules: tuple[dict[str, object], ...] = (
        {},
        {"skip": "tree"},
        {"start": "hook"},
        {"ids": "wide", "skip": "tree"},
    )
    for i, text in enumerate(landbridge.plans("incremental", engine="gpu")):
        plan = with_options(parse(text), schedules[i % len(schedules)])
        for specimen in specimens[i % 9 :: 9]:
            stream = landbridge.Incremental(specimen.n, plan=plan)
            half = len(specimen.u) // 2
            # Of 0, the kernel for large batches takes these.
            small_batches.READ_ONCE = (0, 2**16)[i // len(schedules) % 2]
            stream_launches._APART_FROM = (1, 2**21)[i % 2]
            for part in (slice(None, half), slice(half, None)):
                stream.insert(*(asarray(endpoints[part].astype(np.int32)) for endpoints in (specimen.u, specimen.v)))
            yield f"{plan} on {specimen}", np.array_equal(asnumpy(stream.components().labels), specimen.answer)


def of_lists() -> Iterator[Run]:
    rng = np.random.default_rng(1)
    for n in (1, 2, 33, 1000, 5000):
        order = rng.permutation(n).astype(np.int32)
        successor = np.empty(n, dtype=np.int32)
        successor[order[:-1]] = order[1:]
        successor[order[-1]] = order[-1]
        expected = landbridge.rank_list(successor, plan="serial")
        for text in landbridge.plans("list_ranking", engine="gpu"):
            yield f"{text} on a list of {n}", np.array_equal(landbridge.rank_list(successor, plan=text), expected)


def of_parts() -> Iterator[Run]:
    """Two processors: one GPU twice, or two GPUs where there are two, whose trees are read in both forms; hybrid."""
    ordinals = (0, 1) if cuda.count() > 1 else (0, 0)
    rules = ("rem_cas(naive,halve_one)", "async(inter)", "jtb(two_try)", "hooks(compress)")
    for i, specimen in enumerate(small()):
        rule = parse(rules[i % len(rules)])
        u, v = (endpoints.astype(np.int32) for endpoints in (specimen.u, specimen.v))
        half = len(u) // 2
        for send in ("bitmap", "parents"):
            trees = [p.trees(p.plan(rule), specimen.n, False, bulk=True) for p in processors_of(ordinals, 2)]
            for each, part in zip(trees, (slice(None, half), slice(half, None)), strict=True):
                assert isinstance(each, MergingTrees)
                each.send = send
                each.insert(u[part], v[part])
                each.close()
            PeerReads().merge(trees[0], trees[1], False)
            _, labels = trees[0].labels(1, to_host=True)
            yield f"{rule}, {send}, on {specimen}", np.array_equal(labels, specimen.answer)
        graph = specimen.graph("coo", "int32")
        for devices in (list(ordinals), ["cpu", 0]):
            yield (
                f"{devices} on {specimen}",
                np.array_equal(landbridge.components(graph, devices=devices).labels, specimen.answer),
            )
        forest = landbridge.spanning_forest(graph, devices=list(ordinals))
        yield f"a forest of {ordinals} on {specimen}", forest.count == specimen.count


def main(seconds: float) -> int:
    # Without CuPy's pool every array is an allocation of its own, with bounds that compute-sanitizer sees.
    cuda.cupy().cuda.set_allocator(None)
    wrong = 0
    shares = (
        (of_components(), 0.35),
        (of_forests(), 0.15),
        (of_streams(), 0.15),
        (of_lists(), 0.1),
        (of_parts(), 0.15),
        (of_edge_lists(), 0.1),
    )
    for runs, share in shares:
        end, done = time.monotonic() + share * seconds, 0
        for where, right in runs:
            done += 1
            if not right:
                wrong += 1
                print(f"WRONG: {where}")
            if time.monotonic() > end:
                break
        print(f"{runs.__name__}: {done} runs", end="; ")
    print(f"{wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
