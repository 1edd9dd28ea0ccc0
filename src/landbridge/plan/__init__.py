"""Plans: which rules a computation uses, as text and as immutable values. Knows no graph and no engine."""

from __future__ import annotations

from landbridge.plan.aliases import ALIASES, Alias
from landbridge.plan.engines import ENGINES, EngineKind
from landbridge.plan.grammar import parse
from landbridge.plan.model import Engine, Finish, Plan, Sample
from landbridge.plan.ranking import ListFacts, RankPlan, choose_rank, parse_rank, rank_plans
from landbridge.plan.registry import Combination, Parameter, Policy, Registry, Variant, registry

__all__ = [
    "ALIASES",
    "ENGINES",
    "Alias",
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
    "choose_rank",
    "parse",
    "parse_rank",
    "rank_plans",
    "registry",
]
