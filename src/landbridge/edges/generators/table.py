"""The table of generators: a function and a row each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from landbridge.edges.forms import EdgeList
from landbridge.edges.generators import analogues, random_graphs, regular

Value = int | float | bool | str | None

_KINDS = {"int": int, "float": float, "bool": bool, "str": str}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a generator: kind is ``int``, ``float``, ``bool`` or ``str``."""

    name: str
    kind: type
    default: Value
    required: bool


@dataclass(frozen=True, slots=True)
class Generator:
    """One row of the table.

    Attributes
    ----------
    name : str
        That of the function.
    function : callable
        Returns the edges.
    parameters : tuple of Parameter
        Those of the function but for ``seed`` and ``threads``, which every generator has.
    summary : str
        The first line of its docstring.
    source : str
        The publication, or the purpose.
    """

    name: str
    function: Callable[..., EdgeList]
    parameters: tuple[Parameter, ...]
    summary: str
    source: str


def _row(function: Callable[..., EdgeList], source: str) -> Generator:
    parameters = []
    for p in inspect.signature(function).parameters.values():
        if p.name in ("seed", "threads"):
            continue
        kind = _KINDS[str(p.annotation).removesuffix(" | None")]
        required = p.default is inspect.Parameter.empty
        parameters.append(Parameter(p.name, kind, None if required else p.default, required))
    summary = inspect.cleandoc(function.__doc__ or "").split("\n", 1)[0]
    return Generator(function.__name__, function, tuple(parameters), summary, source)


_ROWS: tuple[tuple[Callable[..., EdgeList], str], ...] = (
    (random_graphs.gnm, "Erdos and Renyi 1959, model G(n, m)"),
    (random_graphs.gnp, "Gilbert 1959, model G(n, p); skipping after Batagelj and Brandes 2005"),
    (random_graphs.rmat, "Chakrabarti, Zhan and Faloutsos 2004"),
    (random_graphs.kron, "Graph500 benchmark specification; Leskovec et al. 2010"),
    (random_graphs.ba, "Barabasi and Albert 1999; Batagelj and Brandes 2005; Sanders and Schulz 2016"),
    (regular.grid2d, "2d-2e20.sym of Jaiganesh and Burtscher 2018 is grid2d(1024,1024)"),
    (regular.torus2d, "Cong and Muzio 2014 use 10,000 x 10,000"),
    (regular.trigrid, "a planar mesh of degree 6 with known structure"),
    (regular.percolation, "Broadbent and Hammersley 1957; the threshold of this lattice is 1/2 (Kesten 1980)"),
    (random_graphs.r4, "synthetic analogue of r4-2e23.sym of Jaiganesh and Burtscher 2018"),
    (random_graphs.uniform, "GAP benchmark suite 2015, the uniform graph"),
    (regular.delaunay, "Delaunay 1934; delaunay_n24 of the 10th DIMACS challenge is this for n = 2^24 points"),
    (analogues.road, "synthetic analogue of road maps: their average degree and long paths"),
    (analogues.web, "synthetic analogue of web crawls: skewed degrees, links to near ids, many small components"),
    (analogues.cliques, "synthetic analogue of co-author graphs: overlapping cliques"),
    (regular.tiny, "many tiny components, as record linkage has"),
    (regular.list_graph, "the list graphs of Yogaratnam 2010"),
    (regular.tree_graph, "the tree graphs of Yogaratnam 2010"),
    (random_graphs.density_graph, "the random graphs of Yogaratnam 2010"),
)

GENERATORS: dict[str, Generator] = {function.__name__: _row(function, source) for function, source in _ROWS}
