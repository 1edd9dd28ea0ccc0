"""One function per sampling: it appends its launches to a run. A sampling of a GPU is its function and its row here."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from landbridge.device import kernels, layout
from landbridge.device.launch import grid_for
from landbridge.engine.gpu.components_run import ComponentsRun
from landbridge.engine.gpu.csr import add_rows
from landbridge.engine.gpu.schedule import GpuSchedule
from landbridge.engine.gpu.search import add_member_search, add_search
from landbridge.plan import Sample

_SAMPLING = layout.struct_type("Sampling")


class Sampled(NamedTuple):
    """What a sampling has done. united: so many first arcs of every row, which the finish need not read. read: so many
    first arcs of rows, behind which a further sampling begins. chose: whether the tree to skip is chosen."""

    united: int = 0
    read: int = 0
    chose: bool = False


def kout(run: ComponentsRun, rule: kernels.Rule, sample: Sample) -> Sampled:
    """A few arcs of every vertex."""
    k = int(sample["k"])
    run.start(adopt=False)
    run.init_auxiliary(rule)
    kernel = kernels.unite_sample(rule, str(sample["choice"]), arcs_of(sample, run.schedule), run.shape, run.forest)
    options = _SAMPLING(k=k, seed=run.schedule.seed)
    run.uniting("sample", kernel, grid_for(run.device, run.n), run.csr, run.cells, options)
    return Sampled(k if sample["choice"] == "first" else 0, k)


def arcs_of(sample: Sample, schedule: GpuSchedule) -> str:
    """How k-out reads its edges. Edge reorganisation is defined for two first edges."""
    defined = schedule.arcs != "reorganised" or (sample["choice"] == "first" and sample["k"] == 2)
    return schedule.arcs if defined and sample["choice"] != "max_degree" else "vertex"


def hb(run: ComponentsRun, rule: kernels.Rule, sample: Sample) -> Sampled:
    """Every vertex below its first neighbor, if that is smaller, and a few arcs of the roots this leaves."""
    k = int(sample["k"])
    run.start(adopt=True)
    add_hooks(run, "sample")
    run.init_auxiliary(rule)
    if k > 0:
        add_rows(run, rule, "sample", pick="roots", limit=k)
    return Sampled(read=k)


def bfs(run: ComponentsRun, rule: kernels.Rule, sample: Sample) -> Sampled:
    """The tree of one search, which the finish skips."""
    run.start(adopt=True)
    add_member_search(run, "sample", rule)
    run.init_auxiliary(rule)
    return Sampled(chose=True)


def ldd(run: ComponentsRun, rule: kernels.Rule, sample: Sample) -> Sampled:
    """The clusters of a decomposition of low diameter."""
    run.start(adopt=True)
    add_search(run, "sample", "decompose", seed=run.schedule.seed, growth=math.exp(float(sample["beta"])))
    run.take_smallest("sample")
    run.init_auxiliary(rule)
    return Sampled()


SAMPLINGS: dict[str, Callable[[ComponentsRun, kernels.Rule, Sample], Sampled]] = {
    "kout": kout, "hb": hb, "bfs": bfs, "ldd": ldd,
}  # fmt: skip
"""By the names of the registry."""


def add_hooks(run: ComponentsRun, phase: str) -> None:
    """Every vertex below its first neighbor, if that is smaller."""
    kernel = kernels.hook_csr(run.shape, run.forest)
    run.linking(phase, kernel, grid_for(run.device, run.n), run.csr, run.cells)
