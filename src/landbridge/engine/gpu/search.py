"""Searches: breadth-first search and low-diameter decomposition, one launch of a grid each."""

from __future__ import annotations

from landbridge.device import kernels, layout
from landbridge.engine.gpu.components_run import VERTEX_ARRAY, ComponentsRun

_SEARCH = layout.struct_type("SearchArrays")


def add_search(run: ComponentsRun, phase: str, name: str, *, seed: int = 0, growth: float = 0.0) -> None:
    """A search over all vertices, from parents that hold nothing. name: of its kernel."""
    run.common(phase, "fill_none", VERTEX_ARRAY(cells=run.labels, vertices=run.n))
    arrays = _SEARCH(queue=run.queue, seed=seed, growth=growth)
    kernel = kernels.search(name, run.shape, run.forest)
    run.one_grid(phase, kernel, run.device.multiprocessors, run.csr, run.cells, arrays)


def add_search_of_all(run: ComponentsRun) -> None:
    """A search from the smallest vertex of every component, one after another."""
    run.start(adopt=True)
    add_search(run, "finish", "search_all")
