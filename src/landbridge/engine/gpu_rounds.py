"""Algorithms in rounds on one GPU: one launch of a whole grid for a run, or for each stage of one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from landbridge.device import launch, names
from landbridge.device.jit import Program
from landbridge.device.launch import BLOCK
from landbridge.plan import Finish, Sample

if TYPE_CHECKING:
    from landbridge.engine.gpu import Run

_BLOCKS = 4  # lb::gpu::round_blocks
UNITES_SAMPLES = Finish("rem_cas", "naive", "halve_one")
"""What unites the arcs of a sampling: rounds have no union of their own."""


def program(finish: Finish, shape: names.Shape, rows: bool) -> Program:
    """What the rounds themselves load."""
    words = tuple(value for _, value in finish.values if isinstance(value, str))
    return (names.rounds_rows if rows else names.rounds_pairs)(finish.link, words, shape)


def add(run: Run, sample: Sample | None, finish: Finish) -> None:
    """The launches from the start to a forest that is ready to be numbered."""
    from landbridge.engine.gpu import rule_of

    old = run._array(run.n)
    if run._offsets is None:
        run._start(adopt=False)
        _pairs(run, finish, old)
        return
    skips = sample is not None and run._symmetric
    if sample is None:
        run._start(adopt=False)
    else:
        run._sample(rule_of(UNITES_SAMPLES, run._schedule), sample, stars=True)
    cells = (run.labels, old, run._array(run.n) if skips else None, run.control)
    arguments = (run._offsets, run._a, run.n, *cells, int(sample is not None), int(run._symmetric))
    _launch(run, "rounds_rows", *arguments)


def _pairs(run: Run, finish: Finish, old: Any) -> None:
    n, m = run.n, run.m
    group = m if finish.stages is None else min(m, max(1, math.ceil(min(finish.stages * n, m))))
    copied = finish.stages is not None or "rewrites" in finish.traits
    own_u, own_v = (run._array(group) if copied else None for _ in range(2))
    ends = (run._a, run._b, launch.stride_of(run._a), launch.stride_of(run._b), n)
    for first in range(0, m, max(1, group)):
        if first > 0:
            run._vertices("finish", "compress", run.labels, n, run.control, 0)
        last = min(first + group, m)
        _launch(run, "rounds_pairs", *ends, run.labels, old, own_u, own_v, run.control, first, last, int(first > 0))


def _launch(run: Run, kernel: str, *arguments: Any) -> None:
    run._cooperative("finish", kernel, _BLOCKS * run.device.multiprocessors, *arguments, block=BLOCK)
