"""List ranking on CPU threads, over the compiled core; and where a list is ranked."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from landbridge import _core
from landbridge._core import CoreInputError, CoreListError
from landbridge.device import cuda
from landbridge.edges.successors import Lists
from landbridge.errors import DeviceError, InputError, ListError
from landbridge.plan import Engine, ListFacts, RankPlan, choose_rank, registry
from landbridge.plan.ranking import SMALL
from landbridge.result import Profile, Ranking

_ARGUMENTS = {"sublists": "splitters"}
"""Parameters of plans by the names the core has for them."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be known of each element. op: None for the number of links, else "sum", "min" or "max" of the values.

    of_links: values belong to the links, and that of a tail does not count.
    """

    op: str | None = None
    from_head: bool = False
    exclusive: bool = False
    of_links: bool = False
    tails: bool = False


def rank(lists: Lists, wish: Wish, plan: RankPlan | None, device: str, threads: int) -> Ranking:
    """Run a plan, or the one that suits where the lists are. Raises ListError, InputError, DeviceError, MemoryError."""
    named = plan.engine.name if plan is not None and plan.engine is not None else None
    wanted = cuda.place_of(device)
    if wanted != "auto" and named is not None and wanted != named:
        raise DeviceError(f"device={device!r}, but the plan asks for @{named}")
    nowhere_else = plan is not None and "cpu" not in registry().axis("rank")[plan.name].engines
    place = named or (wanted if wanted != "auto" else "gpu" if lists.on_device or nowhere_else else "cpu")
    chosen = plan or choose_rank(facts_of(lists), place)
    if chosen.engine is None:
        chosen = RankPlan(chosen.name, chosen.values, Engine(place))
    if chosen.engine is not None and chosen.engine.get("ids") == "narrow" and len(lists) >= 2**31:
        raise InputError(f"ids=narrow holds fewer than 2^31 elements, and there are {len(lists)}")
    if place == "gpu":
        from landbridge.engine.ranking_gpu import rank_on_gpu

        return rank_on_gpu(lists, wish, chosen, threads)
    return _on_cpu(_on_host(lists), wish, chosen, threads)


def facts_of(lists: Lists) -> ListFacts:
    """A look at up to 512 successors; none at those of small lists and of a GPU, where nothing depends on it."""
    n = len(lists)
    if n < SMALL or lists.on_device:
        return ListFacts(n, 0.0, 0.0)
    some = slice(None, None, max(1, n // 512))
    after = lists.successor[some].astype(np.int64)
    step = after - np.arange(0, n, max(1, n // 512))
    tails = (step == 0) | (after == -1)
    return ListFacts(n, float(np.mean(tails)), float(np.mean(~tails & (abs(step) <= 16))))


def _on_host(lists: Lists) -> Lists:
    if not lists.on_device:
        return lists
    values = None if lists.values is None else lists.values.get()
    return Lists(lists.successor.get(), values, False, lists.given)


def _on_cpu(lists: Lists, wish: Wish, plan: RankPlan, threads: int) -> Ranking:
    threads = plan.option("threads", threads)
    options: dict[str, Any] = {_ARGUMENTS.get(name, name): value for name, value in plan.values}
    options.update(plan=plan.name, seed=plan.option("seed", 1), threads=threads, wide=plan.wide)
    successor = lists.successor.astype(np.int64, copy=False) if plan.wide else lists.successor
    began = time.perf_counter()
    try:
        if wish.op is None or lists.values is None:
            found = _core.rank_elements(successor, wish.from_head, wish.tails, **options)
        else:
            found = _core.scan_lists(
                successor,
                lists.values,
                wish.op,
                wish.from_head,
                wish.exclusive,
                wish.of_links,
                wish.tails,
                **options,
            )
    except CoreListError as error:
        raise ListError(explained(str(error), lists)) from None
    except CoreInputError as error:
        raise InputError(str(error)) from None
    ranks, tails, phases = found
    seconds: dict[str, float] = {}
    for name, value in phases:
        seconds[name] = seconds.get(name, 0.0) + value
    return Ranking(ranks, tails, str(plan), "cpu", Profile(seconds, time.perf_counter() - began, threads, 0.0))


def explained(problem: str, lists: Lists) -> str:
    """The core's message, with an unsigned successor that does not fit shown as it was given."""
    if lists.given.dtype.kind == "u" and "out of range" in problem:
        i = int(problem.split()[1].rstrip(":"))
        return f"element {i}: successor {int(lists.given[i])} is out of range for n = {len(lists)}"
    return problem
