"""How large a graph is: enough to estimate memory before there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from landbridge.errors import InputError
from landbridge.graph import Graph, Layout
from landbridge.plan.choose import Facts

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

    def __post_init__(self) -> None:
        for name, value in (("vertices", self.vertices), ("edges", self.edges)):
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**56:
                raise InputError(f"{name} must be a whole number from 0 to 2^56, not {value!r}")
        if self.layout not in ("csr", "coo"):
            raise InputError(f"layout must be 'csr' or 'coo', not {self.layout!r}")
        for name, bits in (("id_bits", self.id_bits), ("offset_bits", self.offset_bits)):
            if bits not in (32, 64):
                raise InputError(f"{name} must be 32 or 64, not {bits!r}")

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
        )

    @property
    def wide(self) -> bool:
        """True if vertex ids need 64 bits."""
        return self.vertices >= 2**31

    @property
    def symmetric_arcs(self) -> int:
        """The number of arcs of a symmetric CSR made of this graph, at most."""
        return self.edges if self.symmetric else 2 * self.edges

    def facts(self, threads: int) -> Facts:
        """What a plan is chosen by where there is no graph to read.

        Parameters
        ----------
        threads : int
            How many threads run.

        Returns
        -------
        Facts
        """
        average = self.edges / self.vertices if self.vertices else 0.0
        return Facts(
            self.vertices, self.edges, self.layout, self.symmetric, average, average, 0.0, 0.0, 0.0, 0.0, threads
        )


def sizes_of(thing: Any) -> Sizes | None:
    """Sizes from Sizes or a pair of whole numbers (n, m); None for anything else."""
    if isinstance(thing, Sizes):
        return thing
    if isinstance(thing, tuple) and len(thing) == 2 and all(isinstance(x, int) for x in thing):
        return Sizes(*thing)
    return None
