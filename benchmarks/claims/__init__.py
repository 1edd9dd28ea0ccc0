"""The claims of the papers, each as a measurement with a verdict. `CLAIMS` is the one list of them."""

from __future__ import annotations

from benchmarks.claims import connectivity, hybrid, rounds, streams, systems
from benchmarks.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = (*connectivity.CLAIMS, *streams.CLAIMS, *systems.CLAIMS, *rounds.CLAIMS, *hybrid.CLAIMS)
