"""The claims of the papers, each as a measurement with a verdict. `CLAIMS` is the one list of them."""

from __future__ import annotations

from benchmarks.claims import connectivity, systems
from benchmarks.claims.claim import Claim

CLAIMS: tuple[Claim, ...] = (*connectivity.CLAIMS, *systems.CLAIMS)
