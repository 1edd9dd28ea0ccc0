"""How large an input is: enough to estimate memory before there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from landbridge.edges.successors import Lists
from landbridge.errors import InputError
from landbridge.flags import flag, is_word
from landbridge.graph import Graph, Layout
from landbridge.passes import is_whole
from landbridge.plan import ListFacts
from landbridge.plan.choose import Facts
from landbridge.threads import WorkKind

Bits = Literal[32, 64]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size of a graph and how it is stored.

    Parameters
    ----------
    vertices : int
        n.
    edges : int
        The number of stored edges; a CSR that holds both directions counts both.
    layout : {"coo", "csr"}
        Of the stored edges.
    symmetric : bool, default False
        Both directions are known to be stored.
    id_bits, offset_bits : {64, 32}
        Of the arrays of ids and of offsets.
    on_device : bool, default False
        Whether the arrays are on a GPU.
    in_rows : bool, default False
        Whether an edge list on a GPU is known to consist of symmetric rows, as ``rows`` of a `Graph`.

    Raises
    ------
    InputError
        For sizes no graph has.

    Examples
    --------
    >>> landbridge.Sizes(1_000, 5_000, "csr", symmetric=True, id_bits=32).symmetric_arcs
    5000
    """

    vertices: int
    edges: int
    layout: Layout = "coo"
    symmetric: bool = False
    id_bits: Bits = 64
    offset_bits: Bits = 64
    on_device: bool = False
    in_rows: bool = False

    def __post_init__(self) -> None:
        _require_count("vertices", self.vertices)
        _require_count("edges", self.edges)
        if not is_word(self.layout, ("csr", "coo")):
            raise InputError(f"layout must be 'csr' or 'coo', not {self.layout!r}")
        _require_bits("id_bits", self.id_bits)
        _require_bits("offset_bits", self.offset_bits)
        for name in ("symmetric", "on_device", "in_rows"):
            flag(name, getattr(self, name))

    @classmethod
    def of(cls, graph: Graph) -> Sizes:
        """The sizes of a graph.

        Parameters
        ----------
        graph : Graph
            Is not read beyond its shape.

        Returns
        -------
        Sizes
        """
        offset: Bits = 32 if graph.offsets is not None and graph.offsets.dtype.itemsize == 4 else 64
        return cls(
            graph.num_vertices,
            graph.num_edges,
            graph.layout,
            bool(graph.symmetric),
            32 if graph.a.dtype.itemsize == 4 else 64,
            offset,
            graph.on_device,
            graph.rows is not None,
        )

    @classmethod
    def from_input(cls, thing: object) -> Sizes | None:
        """The sizes that stand for a graph: Sizes, or a pair of whole numbers (n, m); None for anything else.

        Parameters
        ----------
        thing : object
            What a caller hands over.

        Returns
        -------
        Sizes or None
        """
        if isinstance(thing, Sizes):
            return thing
        match thing:
            case (int(vertices), int(edges)) if isinstance(thing, tuple):
                return cls(vertices, edges)
        return None

    @property
    def size(self) -> int:
        """The number of stored edges, which decides where a graph is solved."""
        return self.edges

    @property
    def wide(self) -> bool:
        """True if vertex ids need 64 bits."""
        return self.vertices >= 2**31

    @property
    def symmetric_arcs(self) -> int:
        """The number of arcs of a symmetric CSR made of this graph, at most."""
        copies = self.layout == "coo" and self.on_device  # of all edges, in both directions
        return self.edges if self.symmetric and not copies else 2 * self.edges

    def facts(self, threads: int) -> Facts:
        """What a plan is chosen by where there is no graph to read: ids in their own order, no hubs.

        Parameters
        ----------
        threads : int
            How many threads run.

        Returns
        -------
        Facts
        """
        average = self.edges / self.vertices if self.vertices else 0.0
        return Facts(self.vertices, self.edges, self.layout, self.symmetric, average, 0.0, 0.0, 1.0, 0.0, threads)


@dataclass(frozen=True, slots=True)
class ListSizes:
    """How large linked lists are and how they are stored.

    Parameters
    ----------
    elements : int
        n, of all lists together.
    lists : int, default 1
        The number of lists.
    id_bits : {64, 32}
        Of the array of successors.
    values : bool, default False
        Whether each element has a weight or a value, of 64 bits.
    on_device : bool, default False
        Whether the arrays are on a GPU.

    Raises
    ------
    InputError
        For sizes no lists have.

    Examples
    --------
    >>> landbridge.estimate_memory(landbridge.ListSizes(2**20), problem="list_ranking", threads=1) >> 20
    17
    """

    elements: int
    lists: int = 1
    id_bits: Bits = 64
    values: bool = False
    on_device: bool = False

    def __post_init__(self) -> None:
        _require_count("elements", self.elements)
        _require_count("lists", self.lists)
        if self.lists > self.elements:
            raise InputError(f"{self.elements} elements do not form {self.lists} lists")
        for name in ("values", "on_device"):
            flag(name, getattr(self, name))
        _require_bits("id_bits", self.id_bits)

    @classmethod
    def of(cls, lists: Lists) -> ListSizes:
        """The sizes of lists; their tails are counted. O(n).

        Parameters
        ----------
        lists : Lists
            As engines take them.

        Returns
        -------
        ListSizes
        """
        return cls(
            len(lists),
            lists.tails(),
            32 if lists.successor.dtype.itemsize == 4 else 64,
            lists.values is not None,
            lists.on_device,
        )

    @classmethod
    def from_input(cls, thing: object) -> ListSizes | None:
        """The sizes that stand for lists: ListSizes, or a number of elements of one list; None for anything else.

        Parameters
        ----------
        thing : object
            What a caller hands over.

        Returns
        -------
        ListSizes or None
        """
        if isinstance(thing, ListSizes):
            return thing
        return cls(thing, min(1, thing)) if isinstance(thing, int) and not isinstance(thing, bool) else None

    @property
    def size(self) -> int:
        """The number of elements, which decides where lists are ranked."""
        return self.elements

    @property
    def wide(self) -> bool:
        """True if elements need 64 bits."""
        return self.elements >= 2**31

    def facts(self, threads: int) -> ListFacts:
        """What a plan is chosen by where there are no lists to read.

        Parameters
        ----------
        threads : int
            How many threads run.

        Returns
        -------
        ListFacts
        """
        return ListFacts(self.elements, self.lists / self.elements if self.elements else 0.0, 0.0, threads)


def work_of(data: Graph | Lists | Sizes | ListSizes) -> int:
    """What decides how many threads run: vertices and edges, two arcs that are known to be one edge as one, and half of
    both for an edge list; or elements and links."""
    match data:
        case Lists():
            return 2 * len(data)
        case ListSizes():
            return 2 * data.elements
        case Sizes():
            vertices, edges = data.vertices, data.edges
        case _:
            vertices, edges = data.num_vertices, data.num_edges
    if data.layout == "coo":
        return work_of_pairs(vertices, edges)
    return vertices + (edges // 2 if data.symmetric else edges)


def kind_of(data: Graph | Lists | Sizes | ListSizes) -> WorkKind:
    """What `work_of` counts the work of."""
    if isinstance(data, Lists | ListSizes):
        return "lists"
    return "pairs" if data.layout == "coo" else "rows"


def work_of_pairs(vertices: int, edges: int) -> int:
    """The same of an edge list, whose threads come to the same vertices from more places than those of rows do: of 156
    lists of 2 x 10^5 edges two threads took 1.11 times as long as one, and 0.95 times where rows had them."""
    return (vertices + edges) // 2


ONE_PASS_FROM = 2**17
"""Edges in host memory from which it pays to read their ids once instead of twice: for the address space that CPU
threads reserve, the launches of a GPU, and a look at what there is to divide."""


def few_vertices(u: Any, v: Any) -> int:
    """How many vertices there are at least, as a few of the ids show; of arrays that have not been validated."""
    step = max(1, len(u) // 16)
    return max((1 + max(int(x[::step].max()), int(x[-1])) for x in (u, v) if len(x)), default=0)


def _require_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**56:
        raise InputError(f"{name} must be a whole number from 0 to 2^56, not {value!r}")


def _require_bits(name: str, bits: Any) -> None:
    if not is_whole(bits) or bits not in (32, 64):
        raise InputError(f"{name} must be 32 or 64, not {bits!r}")
