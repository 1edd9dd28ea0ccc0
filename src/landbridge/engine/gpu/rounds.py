"""Algorithms in rounds: one launch of a whole grid for a run, or for each stage of one."""

from __future__ import annotations

import math

from landbridge.device import kernels, layout
from landbridge.engine.gpu.components_run import ComponentsRun
from landbridge.engine.gpu.sampling import add_sampling
from landbridge.engine.gpu.schedule import rule_of
from landbridge.plan import Finish, Sample

_ROUNDS, _RANGE = layout.struct_type("RoundArrays"), layout.struct_type("EdgeRange")
_BLOCKS, _THREADS = layout.constant("round_blocks"), layout.constant("block_threads")
_UNITES_SAMPLES = Finish("rem_cas", "naive", "halve_one")
"""What unites the edges of a sampling: rounds have no union of their own."""


def add_rounds(run: ComponentsRun, sample: Sample | None, finish: Finish) -> None:
    """From the start to a forest that is ready to be numbered."""
    if run.csr is None:
        run.start(adopt=False)
        _add_stages(run, finish)
        return
    skips = sample is not None and run.symmetric
    if sample is None:
        run.start(adopt=False)
    else:
        run.reads_all = True
        add_sampling(run, rule_of(_UNITES_SAMPLES, run.schedule.reads, run.schedule.merge), sample, stars=True)
    arrays = _ROUNDS(
        old=run.array(run.n),
        list=run.array(run.n) if skips else None,
        own_u=None,
        own_v=None,
        sampled=int(sample is not None),
    )
    kernel = kernels.rounds_csr(finish.link, finish.words, run.shape, run.forest)
    blocks = _BLOCKS * run.device.multiprocessors
    run.one_grid("finish", kernel, blocks, run.csr, run.cells, arrays, threads=_THREADS)


def _add_stages(run: ComponentsRun, finish: Finish) -> None:
    n, m = run.n, run.m
    group = m if finish.stages is None else min(m, max(1, math.ceil(min(finish.stages * n, m))))
    copied = finish.stages is not None or "rewrites" in finish.traits
    own_u, own_v = (run.array(group) if copied else None for _ in range(2))
    arrays = _ROUNDS(old=run.array(n), list=None, own_u=own_u, own_v=own_v, sampled=0)
    kernel = kernels.rounds_coo(finish.link, finish.words, run.shape, run.forest)
    blocks = _BLOCKS * run.device.multiprocessors
    for begin in range(0, m, max(1, group)):
        if begin > 0:
            run.flatten("finish")
        part = _RANGE(begin=begin, end=min(begin + group, m), raised=int(begin > 0))
        run.one_grid("finish", kernel, blocks, run.edges, run.cells, part, arrays, threads=_THREADS)
