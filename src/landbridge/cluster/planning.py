"""Which method a run takes, why, and what it moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from landbridge.cluster.forests import bytes_per_key
from landbridge.cluster.keys import IdType
from landbridge.cluster.messages import Kind
from landbridge.cluster.tasks import Sketch
from landbridge.errors import InputError

METHODS = ("auto", "tree", "contract")
FAN_IN = 4


@dataclass(frozen=True)
class FirstPass:
    """What the first pass has counted.

    edges, tasks: of the input. ids: how many different ones there are, to some 2 per cent. ids_over_tasks: the sum over
    tasks of their different ids. forest_bytes: of all their forests. text_bytes: of the ids that are hashed. memory: of
    a task.
    """

    edges: int
    tasks: int
    ids: int
    ids_over_tasks: int
    forest_bytes: int
    text_bytes: int
    memory: int


@dataclass(frozen=True)
class ClusterPlan:
    """How components are found on a cluster.

    method: "tree" or "contract". reason: one sentence. bytes: that tasks are expected to send each other, the
    labels among them. facts: the counts that decide.
    """

    method: str
    reason: str
    bytes: int
    facts: FirstPass

    def __str__(self) -> str:
        f = self.facts
        return (
            f"{self.method}: {self.reason}. {f.edges} edges in {f.tasks} partitions, about {f.ids} ids; "
            f"about {self.bytes} bytes between tasks"
        )


def facts_of(counters: Sequence[dict[str, Any]], memory: int) -> FirstPass:
    """The facts of a run, from the counters of its first pass."""
    per_task = [one for one in counters if one["task"] == "edges"]
    ids_over_tasks = sum(one["ids"] for one in per_task)
    ids = min(Sketch.of(one["sketch"] for one in per_task), ids_over_tasks) if per_task else 0
    return FirstPass(
        edges=sum(one["edges"] for one in per_task),
        tasks=len(per_task),
        ids=ids,
        ids_over_tasks=ids_over_tasks,
        forest_bytes=sum(one["bytes"].get(Kind.FOREST.name, 0) for one in per_task),
        text_bytes=sum(one["bytes"].get(Kind.TEXT.name, 0) for one in per_task),
        memory=memory,
    )


def choose(method: str, facts: FirstPass, ids: IdType, forest: bool = False) -> ClusterPlan:
    """The plan of a run. method: "auto", or the one to take.

    Raises
    ------
    InputError
        For a method that cannot run on these ids.
    """
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    bytes_per_id = bytes_per_key(ids, forest)
    bytes_needed = ceil(1.05 * facts.ids) * bytes_per_id
    fits = bytes_needed <= facts.memory
    tree, contract = _tree_bytes(facts), _contract_bytes(facts)
    if forest:
        if method not in ("auto", "tree"):
            raise InputError(f"a spanning forest is made by method='tree', not {method!r}")
        if not fits:
            raise InputError(
                f"a spanning forest of about {facts.ids} ids needs {bytes_needed} bytes in one worker, "
                f"and memory={facts.memory}"
            )
        return ClusterPlan("tree", f"{facts.ids} ids fit one worker", tree, facts)
    if method != "auto":
        return ClusterPlan(method, "it was asked for by name", tree if method == "tree" else contract, facts)
    if not fits:
        reason = f"{facts.ids} ids need {bytes_needed} bytes in one worker, and it has {facts.memory}"
        return ClusterPlan("contract", reason, contract, facts)
    return ClusterPlan(
        "tree", f"{bytes_needed} bytes for {facts.ids} ids fit one worker of {facts.memory}", tree, facts
    )


def _bytes_per_id(facts: FirstPass) -> float:
    """Bytes of an id in a forest, as measured in the first pass."""
    return facts.forest_bytes / max(facts.ids_over_tasks, 1)


def levels(tasks: int) -> list[int]:
    """How many groups each level of the tree merges into; the last one is 1."""
    result = []
    while tasks > 1:
        tasks = ceil(tasks / FAN_IN)
        result.append(tasks)
    return result or [1]


def _tree_bytes(facts: FirstPass) -> int:
    total, ids_over_tasks = 0.0, float(facts.ids_over_tasks)
    for groups in levels(facts.tasks):
        total += ids_over_tasks * _bytes_per_id(facts)
        ids_over_tasks = min(ids_over_tasks, float(groups) * facts.ids)
    return round(total + facts.ids * _bytes_per_id(facts) + facts.text_bytes)


def _contract_bytes(facts: FirstPass) -> int:
    return round(2 * facts.ids_over_tasks * 16 * 1.5 + 4 * facts.ids * 16 + facts.text_bytes)


def owners(facts: FirstPass, ids: IdType, tasks: int, check: bool) -> int:
    """How many receivers share the ids, so that each holds its share in memory."""
    rows = facts.ids * (bytes_per_key(ids) + 32) + 3 * facts.text_bytes + (64 * facts.edges if check else 0)
    return max(tasks, ceil(rows / max(facts.memory, 1)))


def contraction_owners(facts: FirstPass, ids: IdType, tasks: int) -> int:
    """And of the edges of a round of contraction."""
    return max(tasks, ceil(2 * facts.ids_over_tasks * (bytes_per_key(ids) + 16) / max(facts.memory, 1)))
