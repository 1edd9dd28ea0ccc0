"""Plans: which rules a computation uses, as text and as immutable values. Imports no graph and no engine."""

from __future__ import annotations

from landbridge.plan.aliases import ALIASES, Alias
from landbridge.plan.engines import ENGINES, EngineKind
from landbridge.plan.grammar import parse, parse_rank
from landbridge.plan.model import BasePlan, Choice, Engine, Finish, Plan, Sample
from landbridge.plan.ranking import ListFacts, RankPlan
from landbridge.plan.registry import Combination, Parameter, Policy, Registry, Variant, registry

__all__ = [
    "ALIASES",
    "ENGINES",
    "Alias",
    "BasePlan",
    "Choice",
    "Combination",
    "Engine",
    "EngineKind",
    "Finish",
    "ListFacts",
    "Parameter",
    "Plan",
    "Policy",
    "RankPlan",
    "Registry",
    "Sample",
    "Variant",
    "parse",
    "parse_rank",
    "registry",
]
