"""The judge of every timed answer: a wrong one is refused, never reported as fast."""

from __future__ import annotations

import numpy as np

from peers.base import Answer, Case


class WrongAnswer(AssertionError):
    """An answer is not the reference's; the message names the contestant, the graph and the proof."""


def check_answer(who: str, case: Case, answer: Answer, *, exact: bool) -> None:
    """Compare with the reference: the count, and the labels where there are any.

    exact: the labels must be the reference's own (landbridge's contract); otherwise any names of the
    components do. Raises WrongAnswer. O(n).
    """
    where = f"{who} on {case.name}"
    if answer.count != case.count:
        raise WrongAnswer(f"{where}: {answer.count} components instead of {case.count}")
    if answer.labels is None:
        if exact:
            raise WrongAnswer(f"{where}: no labels")
        return
    if answer.labels.shape != (case.num_vertices,):
        raise WrongAnswer(f"{where}: labels of shape {answer.labels.shape} instead of ({case.num_vertices},)")
    names = np.arange(case.count) if exact else answer.labels[case.first_vertices]
    expected = names[case.labels]
    wrong = np.flatnonzero(answer.labels != expected)
    if wrong.size:
        v = int(wrong[0])
        raise WrongAnswer(f"{where}: vertex {v} is labelled {answer.labels[v]} instead of {expected[v]}")
    if len(np.unique(names)) != case.count:
        raise WrongAnswer(f"{where}: two components carry the same label")
