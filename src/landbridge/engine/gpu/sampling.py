"""Samplings, and the choice of the tree that the finish skips."""

from __future__ import annotations

import math

from landbridge.device import kernels, layout
from landbridge.device.launch import grid_for
from landbridge.engine.gpu.components_run import COVERAGE, ComponentsRun
from landbridge.engine.gpu.csr import add_rows
from landbridge.engine.gpu.schedule import arcs_of
from landbridge.engine.gpu.search import add_search
from landbridge.plan import Sample

_SAMPLING = layout.struct_type("Sampling")

# Of adaptive runs, read off measurements of all plans on families of graphs.
LARGE = COVERAGE // 2  # coverage of the largest tree below which more is sampled
SOME = COVERAGE // 8  # coverage below which nothing is skipped
MORE, MORE_FROM = 2, 5.0  # further edges of each row outside, and the edges per vertex from which they are few


def add_sampling(run: ComponentsRun, rule: kernels.Rule, sample: Sample, *, stars: bool = False) -> None:
    """Sample under a rule, and choose the tree to skip. stars: leave every parent a root."""
    seed = run.schedule.seed
    if sample.name == "kout":
        run.start(adopt=False)
        run.init_auxiliary(rule)
        kernel = kernels.unite_sample(rule, str(sample["choice"]), arcs_of(sample, run.schedule), run.shape, run.forest)
        options = _SAMPLING(k=int(sample["k"]), seed=seed)
        run.uniting("sample", kernel, grid_for(run.device, run.n), run.csr, run.cells, options)
    elif sample.name == "hb":
        run.start(adopt=True)
        add_hooks(run, "sample")
        run.init_auxiliary(rule)
        if int(sample["k"]) > 0:
            add_rows(run, rule, "sample", pick="roots", limit=int(sample["k"]))
    elif sample.name == "bfs":
        run.start(adopt=True)
        add_search(run, "sample", "search_sample", seed=seed)
        run.init_auxiliary(rule)
        return  # the search has left the tree to skip
    else:
        run.start(adopt=True)
        add_search(run, "sample", "decompose", seed=seed, growth=math.exp(float(sample["beta"])))
        run.take_smallest("sample")
        run.init_auxiliary(rule)
    _choose(run, rule, sample, stars)


def add_hooks(run: ComponentsRun, phase: str) -> None:
    """Every vertex below its first neighbor, if that is smaller."""
    kernel = kernels.hook_csr(run.shape, run.forest)
    run.linking(phase, kernel, grid_for(run.device, run.n), run.csr, run.cells)


def _choose(run: ComponentsRun, rule: kernels.Rule, sample: Sample, stars: bool) -> None:
    if rule.ranked:
        run.repeated += [run.flatten_ranked("skip", rule), run.choose_skip()]
    elif stars or not run.symmetric:
        # The finish reads the parents of neighbors and has to find roots there.
        run.repeated += [run.flatten("skip"), run.choose_skip()]
    else:
        run.repeated += [run.choose_skip(), run.flatten("skip", if_deep=True)]
        more = run.schedule.adapt and run.m > MORE_FROM * run.n
        if more:
            done = int(sample["k"]) if sample.name in ("kout", "hb") else 0
            add_rows(run, rule, "sample", pick="outside", first=done, limit=MORE, run_if="coverage_below", bound=LARGE)
        run.repeated.append(run.choose_skip(again=True, below=LARGE if more else 0))
