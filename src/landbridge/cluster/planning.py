"""Which method a run takes, why, and what it moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np

from landbridge.cluster.forests import bytes_per_key, bytes_per_row
from landbridge.cluster.keys import IdType
from landbridge.cluster.messages import Kind
from landbridge.cluster.tasks import Sketch
from landbridge.cluster.trees import FORESTS
from landbridge.errors import InputError

METHODS = ("auto", "tree", "sample", "contract")
FAN_IN = 4
_SAMPLED = 2
"""Ids of the forests of a sample, over all ids: random edges so many times the ids join 98 per cent of them."""
_SHARE = 0.9
"""Of all ids, those expected in the largest component of a sample."""
_MEMBERS = 4
"""Members of a component, which every task gets, take at most this part of its memory."""
_SAVES = 2
"""`auto` takes a sample if the bytes expected are at least so many times fewer."""


@dataclass(frozen=True)
class FirstPass:
    """What the first pass has counted.

    edges, tasks: of the input. places: that forests lie in and are merged in first, or as many as tasks. ids: how many
    different ones there are, to some 2 per cent. ids_over_tasks: the sum over tasks of their different ids.
    forest_bytes: of all their forests. text_bytes: of the ids that are hashed. memory: of a task. ids_by_task: the
    different ids of each task, by its number. span: how many keys there are from the least to the most, 2^128 if they
    are of 128 bits.
    """

    edges: int
    tasks: int
    ids: int
    ids_over_tasks: int
    forest_bytes: int
    text_bytes: int
    memory: int
    ids_by_task: dict[int, int]
    span: int
    places: int


@dataclass(frozen=True)
class ClusterPlan:
    """How components are found on a cluster.

    method: "tree", "sample" or "contract". reason: one sentence. bytes: that tasks are expected to send each other, the
    labels among them. facts: the counts that decide. sample: of "sample", the numbers of the partitions that are one.
    """

    method: str
    reason: str
    bytes: int
    facts: FirstPass
    sample: frozenset[int] = frozenset()

    def __str__(self) -> str:
        f = self.facts
        return (
            f"{self.method}: {self.reason}. {f.edges} edges in {f.tasks} partitions, about {f.ids} ids; "
            f"about {self.bytes} bytes between tasks"
        )


def facts_of(counters: Sequence[dict[str, Any]], memory: int, places: int = 0) -> FirstPass:
    """The facts of a run, from the counters of its first pass. places: of the engine, 0 if it does not know."""
    per_task = [one for one in counters if one["task"] == "edges"]
    ids_over_tasks = sum(one["ids"] for one in per_task)
    ids = min(Sketch.of(one["sketch"] for one in per_task), ids_over_tasks) if per_task else 0
    bounds = [(one["least"], one["most"]) for one in per_task if "least" in one]
    span = max(most for _, most in bounds) - min(least for least, _ in bounds) + 1 if bounds else 2**128
    return FirstPass(
        edges=sum(one["edges"] for one in per_task),
        tasks=len(per_task),
        ids=ids,
        ids_over_tasks=ids_over_tasks,
        forest_bytes=sum(one["bytes"].get(kind.name, 0) for one in per_task for kind in FORESTS),
        text_bytes=sum(one["bytes"].get(Kind.TEXT.name, 0) for one in per_task),
        memory=memory,
        ids_by_task={one["partition"]: one["ids"] for one in per_task},
        span=span,
        places=min(places or len(per_task), len(per_task)),
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
    partitions = sample_of(facts)
    sample, members = _sample_bytes(facts, partitions)
    if forest:
        if method == "contract":
            raise InputError("a spanning forest is made by method='tree' or 'sample', not 'contract'")
        if not fits:
            raise InputError(
                f"a spanning forest of about {facts.ids} ids needs {bytes_needed} bytes in one worker, "
                f"and memory={facts.memory}"
            )
    if method != "auto":
        expected = {"tree": tree, "sample": sample, "contract": contract}[method]
        sampled = partitions if method == "sample" else frozenset()
        return ClusterPlan(method, "it was asked for by name", expected, facts, sampled)
    if not fits:
        reason = f"{facts.ids} ids need {bytes_needed} bytes in one worker, and it has {facts.memory}"
        return ClusterPlan("contract", reason, contract, facts)
    if _SAVES * sample < tree and members <= facts.memory // _MEMBERS:
        reason = f"{len(partitions)} of {facts.tasks} partitions join most ids; {tree} bytes without a sample"
        return ClusterPlan("sample", reason, sample, facts, partitions)
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
    total, ids_over_tasks = 0.0, float(min(facts.ids_over_tasks, facts.places * facts.ids))
    for groups in levels(facts.places):
        total += ids_over_tasks * _bytes_per_id(facts)
        ids_over_tasks = min(ids_over_tasks, float(groups) * facts.ids)
    return round(total + facts.ids * _bytes_per_id(facts) + facts.text_bytes)


def sample_of(facts: FirstPass) -> frozenset[int]:
    """The partitions that are a sample: in a random order, the same in every run, until they have enough ids."""
    partitions, ids = [], 0
    numbers = sorted(facts.ids_by_task)
    for i in np.random.default_rng(0).permutation(len(numbers)).tolist():
        if ids >= _SAMPLED * facts.ids:
            break
        partitions.append(numbers[i])
        ids += facts.ids_by_task[numbers[i]]
    return frozenset(partitions)


def _sample_bytes(facts: FirstPass, partitions: frozenset[int]) -> tuple[int, int]:
    """What a sample is expected to move, and the bytes of its largest component among them, sent once."""
    sampled = sum(facts.ids_by_task[number] for number in partitions)
    members = _SHARE * facts.ids
    if facts.span >= 2**64:
        bytes_of_members = 16 * members
    else:
        runs = max(members * (1 - members / max(facts.span, 1)), 1)
        bytes_of_members = runs * (1 + ceil((log2(max(facts.span / runs, 1)) + 3) / 8))
    rest = (1 - _SHARE) * (facts.ids_over_tasks - sampled)
    keys = sampled + rest + 2 * facts.ids  # the sample, the rest, the forest of the sample, labels
    moved = keys * _bytes_per_id(facts) + bytes_of_members * (facts.tasks - len(partitions)) + facts.text_bytes
    return round(moved), round(bytes_of_members)


def members_pay(plan: ClusterPlan, members: int, size: int) -> bool:
    """Whether to send the members of the largest component of a sample, so many of so many bytes, to the partitions."""
    facts = plan.facts
    others = [number for number in facts.ids_by_task if number not in plan.sample]
    share = members / max(facts.ids, 1)
    saved = share * sum(facts.ids_by_task[number] for number in others) * _bytes_per_id(facts)
    return size <= facts.memory // _MEMBERS and size * len(others) < saved


def _contract_bytes(facts: FirstPass) -> int:
    return round(2 * facts.ids_over_tasks * 16 * 1.5 + 4 * facts.ids * 16 + facts.text_bytes)


def owners(facts: FirstPass, ids: IdType, tasks: int, check: bool) -> int:
    """How many receivers share the ids, so that each holds its share in memory."""
    rows = facts.ids * (bytes_per_row(ids) + 32) + 3 * facts.text_bytes + (64 * facts.edges if check else 0)
    return max(tasks, ceil(rows / max(facts.memory, 1)))


def contraction_owners(facts: FirstPass, ids: IdType, tasks: int) -> int:
    """And of the edges of a round of contraction."""
    return max(tasks, ceil(2 * facts.ids_over_tasks * (bytes_per_row(ids) + 16) / max(facts.memory, 1)))
