"""Every kind of kernel on small graphs, for a program that watches each access: run it under compute-sanitizer.

    PYTHONPATH=tests compute-sanitizer --tool memcheck python3 tests/gpu/small_zoo.py [SECONDS]

Plans follow each other so that early ones already cover every link, sampling and schedule; after SECONDS (60) no
further one begins. Exits with 1 on a wrong answer. Not a test of its own: `tools/gpu_check` runs it.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge.device import cuda
from landbridge.plan import Engine, Plan, parse

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
    seen: dict[tuple[str, str], int] = {}
    found = []
    for text in landbridge.plans(engine="gpu", extended=True):
        plan = parse(text)
        kind = (plan.sample.name if plan.sample else "", plan.finish.link)
        seen[kind] = seen.get(kind, 0) + 1
        found.append((seen[kind], len(found), plan))
    return [plan for _, _, plan in sorted(found, key=lambda each: each[:2])]


def small() -> list[Specimen]:
    """Graphs of a few thousand edges at most: a watched access costs a thousand times its price."""
    return [specimen for specimen in zoo() if len(specimen.u) <= 3000]


def with_options(plan: Plan, options: dict[str, object]) -> Plan:
    assert plan.engine is not None
    return Plan(plan.sample, plan.finish, Engine("gpu", {**dict(plan.engine.options), **options}))


def main(seconds: float) -> int:
    # Without CuPy's pool every array is an allocation of its own, with bounds that the watcher knows.
    cuda.cupy().cuda.set_allocator(None)
    end = time.monotonic() + seconds
    specimens, runs, wrong = small(), 0, 0
    for i, plan in enumerate(spread()):
        if time.monotonic() > end:
            break
        chosen = with_options(plan, OPTIONS[i % len(OPTIONS)])
        for specimen in specimens[i % 5 :: 5]:
            result = landbridge.components(specimen.graph(chosen.layout or "csr", "int32"), plan=chosen)
            if not np.array_equal(result.labels, specimen.answer):
                wrong += 1
                print(f"WRONG: {chosen} on {specimen}")
            runs += 1
    print(f"{runs} runs of {i + 1} plans on {len(specimens)} graphs, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
