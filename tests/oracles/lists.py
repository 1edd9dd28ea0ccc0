"""A zoo of linked lists, broken ones included, and a walk in plain Python that ranks them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from landbridge.edges.generators import linked_list

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Lists:
    """Successors with what is right for them, from the tail; `tails` names each element's list."""

    name: str
    successor: Array
    ranks: Array
    tails: Array


@dataclass(frozen=True)
class Broken:
    """Successors that are no lists, and the words an error has to contain."""

    name: str
    successor: Array
    words: str


def walk(successor: Array) -> tuple[Array, Array]:
    """Ranks from the tail, and tails, one element at a time."""
    after = successor.tolist()
    n = len(after)
    has_predecessor = [False] * n
    for i, s in enumerate(after):
        if s not in (i, -1):
            has_predecessor[s] = True
    ranks, tails = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for head in range(n):
        if has_predecessor[head]:
            continue
        path = [head]
        while after[path[-1]] not in (path[-1], -1):
            path.append(after[path[-1]])
        ranks[path] = np.arange(len(path))[::-1]
        tails[path] = path[-1]
    return ranks, tails


def scanned(successor: Array, values: Array, op: str, from_head: bool, exclusive: bool) -> Array:
    """What scan_list has to return, by the book."""
    ranks, tails = walk(successor)
    out = np.zeros(len(values), values.dtype)
    join = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op]
    if op == "sum":
        nothing: Any = 0
    else:
        top = np.inf if values.dtype.kind == "f" else np.iinfo(np.int64).max
        nothing = top if op == "min" else (-np.inf if values.dtype.kind == "f" else np.iinfo(np.int64).min)
    for tail in np.unique(tails):
        members = np.flatnonzero(tails == tail)
        order = members[np.argsort(ranks[members])]
        if from_head:
            order = order[::-1]
        sums = join.accumulate(values[order])
        out[order] = np.concatenate(([nothing], sums[:-1])) if exclusive else sums
    return out


def of(name: str, successor: Any, dtype: Any = np.int32) -> Lists:
    array = np.asarray(successor, dtype)
    return Lists(name, array, *walk(array))


@cache
def zoo() -> tuple[Lists, ...]:
    """Lists of every shape that has ever mattered, small enough for every plan."""
    n = 3000
    ordered = np.minimum(np.arange(n) + 1, n - 1)
    pairs = np.arange(n) | 1
    rng = np.random.default_rng(7)
    ragged = rng.permutation(n)
    after = np.empty(n, np.int64)
    after[ragged[:-1]] = ragged[1:]
    stops = np.append(np.flatnonzero(rng.random(n) < 0.03), n - 1)
    after[ragged[stops]] = -1
    scattered = rng.permutation(820)
    lengths = np.empty(820, np.int64)
    lengths[scattered[:-1]] = scattered[1:]
    lengths[scattered[np.cumsum(np.arange(1, 41)) - 1]] = -1
    return (
        of("none", []),
        of("one", [0]),
        of("one_minus", [-1]),
        of("two", [1, 1]),
        of("two_back", [0, 0]),
        of("two_lists", [0, 1]),
        of("head_inside", [3, 1, 0, 1], np.int64),
        of("ordered", ordered),
        of("backwards", np.maximum(np.arange(n) - 1, 0), np.int64),
        of("pairs", pairs),
        of("singles", np.arange(n)),
        of("random", linked_list(n, 1)),
        of("random_wide", linked_list(n, 2), np.int64),
        of("random_17", linked_list(n, 3, 17)),
        of("random_1000", linked_list(n, 4, 1000)),
        of("ragged", after, np.int64),
        of("every_length_to_40", lengths),
        of("long", linked_list(50_000, 5)),
        of("long_900", linked_list(50_000, 6, 900)),
        of("beyond_a_chunk", linked_list(70_001, 8, 3)),
    )


@cache
def broken() -> tuple[Broken, ...]:
    """What is no list, each with an element that proves it."""
    n = 5000
    out = linked_list(n, 1).copy()
    out[1234] = n
    below = linked_list(n, 1).copy()
    below[77] = -2
    cycle = linked_list(n, 2, 2).copy()  # the second list becomes a cycle
    _, tails = walk(cycle)
    second = next(t for t in np.unique(tails) if t != tails[0])
    has_predecessor = np.zeros(n, bool)
    has_predecessor[cycle[cycle != np.arange(n)]] = True
    cycle[second] = next(i for i in np.flatnonzero(~has_predecessor) if tails[i] == second)
    rho = linked_list(n, 3).copy()  # the only tail leads back into the list
    tail = int(np.flatnonzero(rho == np.arange(n))[0])
    rho[tail] = 4321 if tail != 4321 else 4322
    merged = linked_list(n, 4, 2).copy()  # a tail leads into another list
    t = int(np.flatnonzero(merged == np.arange(n))[0])
    merged[t] = (t + 2500) % n
    small_cycle = linked_list(n, 5).copy()  # two elements taken out point at each other
    before = np.empty(n, np.int64)
    before[small_cycle] = np.arange(n)
    inner = [int(i) for i in range(100, n) if small_cycle[i] != i and i != small_cycle[0]]
    a = next(i for i in inner if before[i] not in (0, i))
    b = int(small_cycle[a])
    if small_cycle[b] != b:
        small_cycle[before[a]] = small_cycle[b]
        small_cycle[a], small_cycle[b] = b, a
    meeting = np.concatenate(([2, 2], np.minimum(np.arange(3, 103), 101), np.minimum(np.arange(103, 203), 201)))
    return (
        Broken("beyond", np.array([1, 2, 3]), "element 2: successor 3 is out of range for n = 3"),
        Broken("below", np.array([1, -2, 2]), "element 1: successor -2 is out of range for n = 3"),
        Broken("shared", np.array([2, 2, 2]), "element 2 has two predecessors, 0 and 1"),
        Broken("circle", np.array([1, 2, 0]), "element 0 is in a cycle of 3 elements"),
        Broken("circle_beside", np.array([0, 2, 1]), "element 1 is in a cycle of 2 elements"),
        Broken("all_in_pairs", np.arange(6) ^ 1, "element 0 is in a cycle of 2 elements"),
        Broken("rho_small", np.array([1, 2, 1]), "element 1 has two predecessors, 0 and 2"),
        # The walks of the heads come to as many elements as there are; of long paths, those of the first two alone.
        Broken("meeting_beside_a_path", meeting, "element 2 has two predecessors, 0 and 1"),
        Broken("meeting_beside_a_cycle", np.array([2, 2, 6, 3, 5, 4, 6]), "element 2 has two predecessors, 0 and 1"),
        Broken("no_head", np.array([0, 2, 1, 1]), "element 1 has two predecessors, 2 and 3"),  # its sum says 2
        Broken("tree", np.array([0, 0, 0, 1, 1]), "element 0 has two predecessors, 1 and 2"),
        Broken("star", np.full(5000, 17), "element 17 has two predecessors, 0 and 1"),
        Broken("far_out", out, "element 1234: successor 5000 is out of range"),
        Broken("minus_two", below, "element 77: successor -2 is out of range"),
        Broken("cycle_beside", cycle, "is in a cycle of 2500 elements"),
        Broken("cycle_of_two", small_cycle, "is in a cycle of 2 elements"),
        Broken("rho", rho, "has two predecessors"),
        Broken("merged", merged, "has two predecessors"),
        Broken("one_long_cycle", np.roll(np.arange(n), -1), "element 0 is in a cycle of 5000 elements"),
        Broken("short_cycles", np.arange(4998) // 3 * 3 + (np.arange(4998) + 1) % 3, "element 0 is in a cycle of 3"),
    )
