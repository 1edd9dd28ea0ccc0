"""Graphs from a few numbers: random models, regular structures, and synthetic analogues of published data sets.

Every generator returns an `landbridge.edges.forms.EdgeList` with ``num_vertices`` set and ids of int32 below 2^31
vertices, else int64. Each undirected edge is listed once, in one direction. Random graphs whose definition draws edges
independently (``rmat``, ``kron``, ``uniform``, ``ba``, ``r4``, ``web``) keep the repeats and self-loops of the draws;
all others are simple graphs.

``seed`` (64 bits) fixes the graph: draw i is a function of the seed and i alone, computed in integers, so the edges and
their order are the same for any number of threads and on every platform. ``threads=None`` uses every processor that the
process may run on. O(n + m) work and no memory besides the edges unless a generator says more.

`GENERATORS` lists them, `generate` calls one by a text such as ``rmat(20,edge_factor=16,seed=1)``. A parameter that
makes no sense raises `landbridge.errors.InputError` with its name and value. A generator is added by a function in one
of the modules and a row in `landbridge.edges.generators.table`.
"""

from landbridge.edges.generators.analogues import ANALOGUES, Analogue, cliques, road, web
from landbridge.edges.generators.random_graphs import RMAT_PRESETS, ba, density_graph, gnm, gnp, kron, r4, rmat, uniform
from landbridge.edges.generators.regular import (
    delaunay,
    grid2d,
    linked_list,
    list_graph,
    percolation,
    tiny,
    torus2d,
    tree_graph,
    trigrid,
)
from landbridge.edges.generators.table import GENERATORS, Generator, Parameter
from landbridge.edges.generators.text import analogue, canonical, generate

__all__ = [
    "ANALOGUES",
    "GENERATORS",
    "RMAT_PRESETS",
    "Analogue",
    "Generator",
    "Parameter",
    "analogue",
    "ba",
    "canonical",
    "cliques",
    "delaunay",
    "density_graph",
    "generate",
    "gnm",
    "gnp",
    "grid2d",
    "kron",
    "linked_list",
    "list_graph",
    "percolation",
    "r4",
    "rmat",
    "road",
    "tiny",
    "torus2d",
    "tree_graph",
    "trigrid",
    "uniform",
    "web",
]
