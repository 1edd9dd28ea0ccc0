"""Verification of answers: one module per problem. Shares no code with the engines."""

from __future__ import annotations

from landbridge.check.components import check_components
from landbridge.check.forest import check_forest
from landbridge.check.lists import check_ranks

__all__ = [
    "check_components",
    "check_forest",
    "check_ranks",
]
