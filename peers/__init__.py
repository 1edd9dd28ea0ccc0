"""Adapters for other connectivity codes in landbridge's benchmarks: a module each, no code of a peer.

A peer that is missing on a machine is skipped with the reason; nothing here installs or builds one.
`PEERS` is the one table: a new peer is one module and one row.
"""

from __future__ import annotations

from collections.abc import Iterator

from peers import (
    connectit,
    ecl_cc,
    gapbs,
    gpu,
    igraph_peer,
    networkit_peer,
    networkx_peer,
    numba_peer,
    rustworkx_peer,
    scipy_peer,
)
from peers.base import Peer

PEERS: tuple[tuple[str, type[Peer]], ...] = (
    ("scipy", scipy_peer.SciPyWeak),
    ("scipy(strong)", scipy_peer.SciPyStrong),
    ("numba", numba_peer.SerialLoop),
    ("networkx", networkx_peer.NetworkX),
    ("igraph", igraph_peer.IGraph),
    ("networkit", networkit_peer.NetworKit),
    ("networkit(parallel)", networkit_peer.NetworKitParallel),
    ("rustworkx", rustworkx_peer.RustworkX),
    ("gapbs(afforest)", gapbs.Afforest),
    ("gapbs(shiloach_vishkin)", gapbs.ShiloachVishkin),
    ("connectit", connectit.ConnectIt),
    ("ecl_cc", ecl_cc.EclCC),
    ("ecl_cc_gpu", gpu.EclCCOnGpu),
    ("gconn", gpu.GConn),
    ("soman", gpu.Soman),
)


def peer_names() -> set[str]:
    """Return every name that `peers` takes: those of the table, and their parts before the parenthesis."""
    return {name for row in PEERS for name in (row[0], row[0].partition("(")[0])}


def peers(names: list[str]) -> Iterator[Peer]:
    """Yield the registered peers whose name, or name before the parenthesis, is in `names`, in the table's
    order.

    A class that stands for several programs yields one contestant for each. Raises KeyError for an unknown
    name.
    """
    for name in names:
        if name not in peer_names():
            raise KeyError(f"no peer is called {name!r}; known: {', '.join(name for name, _ in PEERS)}")
    for name, kind in PEERS:
        if name in names or name.partition("(")[0] in names:
            yield from kind.instances(name)
