"""The claims of the papers, each as a measurement with a verdict. `CLAIMS` is the one list of them."""

from __future__ import annotations

from benchmarks.claims import connectivity, rounds, streams, systems
from benchmarks.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = (*connectivity.CLAIMS, *streams.CLAIMS, *systems.CLAIMS, *rounds.CLAIMS)

UNTESTED: tuple[tuple[str, str, str], ...] = (
    (
        "E2",
        "a hybrid beats the GPU alone only near its best share of the processor, which falls with the graph's size",
        "banerjee_kothapalli runs, and its shares on a GPU are not measured yet",
    ),
)
"""Claims without a program: id, what is claimed, why it is not tested."""
