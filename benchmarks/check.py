"""The checks of timed answers: a wrong one is refused, never reported as fast. Arrays may lie on a GPU."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

import landbridge
from landbridge.errors import CheckFailed
from peers.base import Answer, Case


class WrongAnswer(AssertionError):
    """An answer is not the reference's; the message names the contestant, the graph and the proof."""


class Reference(Protocol):
    """The right answer of a graph: labels numbered by the smallest vertex of each component."""

    @property
    def name(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def labels(self) -> Any: ...


class DeviceGraph(Reference, Protocol):
    """A symmetric CSR on a GPU with its right answer."""

    @property
    def offsets(self) -> Any: ...
    @property
    def neighbors(self) -> Any: ...


def check_labels(name: str, reference: Reference, count: int, labels: Any) -> None:
    """Compare count and labels with the reference's own (landbridge's contract). Raises WrongAnswer. O(n)."""
    where = f"{name} on {reference.name}"
    check_count(where, count, reference.count, "components")
    if labels is None:
        raise WrongAnswer(f"{where}: no labels")
    _check_each(where, labels, reference.labels)


def check_answer(name: str, case: Case, answer: Answer, *, exact: bool) -> None:
    """Compare with the reference: the count, and the labels where there are any.

    exact: as `check_labels`; otherwise any names of the components do. Raises WrongAnswer. O(n).
    """
    if exact:
        check_labels(name, case, answer.count, answer.labels)
        return
    where = f"{name} on {case.name}"
    check_count(where, answer.count, case.count, "components")
    if answer.labels is None:
        return
    _check_shape(where, answer.labels, case.labels)
    names = answer.labels[case.first_vertices]
    _check_each(where, answer.labels, names[case.labels])
    if len(np.unique(names)) != case.count:
        raise WrongAnswer(f"{where}: two components carry the same label")


def _check_shape(where: str, labels: Any, expected: Any) -> None:
    if labels.shape != expected.shape:
        raise WrongAnswer(f"{where}: labels of shape {labels.shape} instead of {expected.shape}")


def _check_each(where: str, labels: Any, expected: Any) -> None:
    _check_shape(where, labels, expected)
    (wrong,) = (labels != expected).nonzero()
    if len(wrong):
        v = int(wrong[0])
        raise WrongAnswer(f"{where}: vertex {v} is labelled {labels[v]} instead of {expected[v]}")


def check_count(where: str, count: int, expected: int, what: str) -> None:
    """Compare two numbers of `what`. Raises WrongAnswer."""
    if count != expected:
        raise WrongAnswer(f"{where}: {count} {what} instead of {expected}")


def check_forest(name: str, graph: Any, forest: Any, count: int) -> None:
    """Check a spanning forest of landbridge against its graph and the number of components. Raises WrongAnswer."""
    check_count(name, forest.count, count, "trees")
    try:
        landbridge.check_forest(graph, forest)
    except CheckFailed as error:
        raise WrongAnswer(f"{name}: {error}") from None


def check_device_forest(name: str, case: DeviceGraph, edges: tuple[Any, Any, Any]) -> None:
    """Check a forest (u, v, edge) on a GPU: as many edges as a forest has, each at its position in the graph, and they
    have the components of the graph. Raises WrongAnswer.
    """
    u, v, edge = edges
    n = len(case.labels)
    where = f"{name} on {case.name}"
    check_count(where, len(u), n - case.count, "edges")
    at_position = (case.offsets[u] <= edge) & (edge < case.offsets[u + 1]) & (case.neighbors[edge] == v)
    if not bool(at_position.all()):
        raise WrongAnswer(f"{where}: an edge is not at its position in the graph")
    of_edges = landbridge.components((u, v), num_vertices=n, device="gpu")
    check_labels(f"components of the edges of {name}", case, of_edges.count, of_edges.labels)


def check_ranks(name: str, successor: Any, ranks: Any) -> None:
    """Check the ranks of sound lists: one more than the successor's, and 0 at tails. Raises WrongAnswer. O(n)."""
    array: Any = np if isinstance(ranks, np.ndarray) else __import__("cupy")
    tails = (successor == array.arange(len(successor), dtype=successor.dtype)) | (successor < 0)
    expected = ranks[array.where(tails, 0, successor)] + 1
    expected[tails] = 0
    (wrong,) = (expected != ranks).nonzero()
    if len(wrong):
        raise WrongAnswer(f"{name}: element {int(wrong[0])} has a wrong rank")
