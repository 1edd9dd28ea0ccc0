"""Searches: breadth-first search of all components and low-diameter decomposition, one launch of a grid each, and the
search for one large component."""

from __future__ import annotations

import numpy as np

from landbridge.device import kernels, layout
from landbridge.device.jit import Kernel
from landbridge.device.launch import grid_for
from landbridge.engine.gpu.components_run import VERTEX_ARRAY, ComponentsRun
from landbridge.engine.gpu.launch_list import LaunchList

_SEARCH, _ADOPTION = layout.struct_type("SearchArrays"), layout.struct_type("Adoption")
_ADOPTED = layout.enum("Adopted")
_MEMBER_BLOCKS, _PASSES = layout.constant("member_blocks"), layout.constant("member_passes")
_QUEUE_SHARE, _QUEUE_LEAST = 16, 2**12
"""One place of a queue for so many vertices, and the least places of one that has fewer than vertices."""


def add_search(run: ComponentsRun, phase: str, name: str, *, seed: int = 0, growth: float = 0.0) -> None:
    """A search over all vertices, from parents that hold nothing. name: of its kernel."""
    run.common(phase, "fill_none", VERTEX_ARRAY(cells=run.labels, vertices=run.n))
    arrays = _SEARCH(
        queue=run.queue, places=run.n, members=None, isolated=None, seed=seed, number=0, growth=growth
    )  # fmt: skip
    kernel = kernels.search(name, run.shape, run.forest)
    run.one_grid(phase, kernel, run.device.multiprocessors, run.csr, run.cells, arrays)


def add_search_of_all(run: ComponentsRun) -> None:
    """A search from the smallest vertex of every component, one after another."""
    run.start(adopt=True)
    add_search(run, "finish", "search_all")


def add_member_search(run: ComponentsRun, phase: str, rule: kernels.Rule) -> None:
    """A search for one large component, which becomes the tree to skip: levels from one vertex, and passes over the
    vertices outside, of which each returns at once where few are left. Its members are bits of `run.search`. Behind it
    a finish that takes rows from a list, under a rule without cells of its own, reads those bits, and most cells are
    left out; for any other all are stored."""
    members, isolated = (run.launches.array(layout.words_of(run.n), np.uint32) for _ in range(2))
    places = queue_places(run.n)
    arrays = _SEARCH(
        queue=run.array(places),
        places=places,
        members=members,
        isolated=isolated,
        seed=run.schedule.seed,
        number=0,
        growth=0.0,
    )

    def kernel(name: str) -> Kernel:
        return kernels.member_search(name, run.shape, run.forest)

    blocks = _MEMBER_BLOCKS * run.device.multiprocessors
    run.one_grid(phase, kernel("search_members"), blocks, run.csr, run.cells, arrays)
    for number in range(1, _PASSES + 1):
        of_pass = arrays.replaced(number=number)
        run.linking(phase, kernel("grow_members"), grid_for(run.device, run.n), run.csr, run.cells, of_pass)
    run.search = arrays
    run.left_out = lists_outside(run) and not (run.reads_all or rule.ranked or rule.uses_aux)
    adopt(run, run.launches, phase, "outside" if run.left_out else "all")


def queue_places(n: int) -> int:
    """Places of the queue of such a search. It needs no more than one for each word of bits: what has no place is found
    by its bit."""
    return max(n // _QUEUE_SHARE, min(n, _QUEUE_LEAST))


def lists_outside(run: ComponentsRun) -> bool:
    """Whether the finish takes the vertices outside such a search from a list: where the plan names no other balance
    than that of samples."""
    return run.search is not None and run.symmetric and run.schedule.balance == "tile"


def adopt(run: ComponentsRun, launches: LaunchList, phase: str, which: str) -> None:
    """Store cells behind such a search. which: a word of the headers' `Adopted`."""
    kernel = kernels.member_search("adopt_members", run.shape, run.forest)
    launches.over(phase, kernel, run.n, run.csr, run.cells, run.search, _ADOPTION(which=_ADOPTED[which]))
