"""The claims of the papers, each as a measurement with a verdict. `CLAIMS` is the one list of them."""

from __future__ import annotations

from benchmarks.claims import connectivity, systems
from benchmarks.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = (*connectivity.CLAIMS, *systems.CLAIMS)

UNTESTED: tuple[tuple[str, str, str], ...] = (
    (
        "A8",
        "of streams, async is best and rem_cas much worse than statically; small batches cost, queries help",
        "no program measures it; the page of streams has batches of every size and share of queries",
    ),
    (
        "D3",
        "Shiloach and Vishkin's rounds are fewest on random graphs, then lists, then trees",
        "it counts iterations, and a run tells its seconds only",
    ),
    (
        "E2",
        "a hybrid beats the GPU alone only near its best share of the processor, which falls with the graph's size",
        "no engine divides one graph between a processor and a GPU",
    ),
)
"""Claims without a program: id, what is claimed, why it is not tested."""
