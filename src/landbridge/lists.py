"""List ranking and scans over linked lists."""

from __future__ import annotations

from typing import Any, Literal, overload

from landbridge.edges.successors import Lists, ScanSpec, lists_of
from landbridge.engine.resolve import default_engine, resolve_engine, threads_of
from landbridge.errors import InputError
from landbridge.plan import RankPlan
from landbridge.problems import PROBLEMS
from landbridge.result import Ranking

Origin = Literal["tail", "head"]


@overload
def rank_list(
    successor: Any,
    *,
    plan: str | RankPlan = "auto",
    weights: Any = None,
    device: str = "auto",
    threads: int | None = None,
    origin: Origin = "tail",
    full: Literal[False] = False,
) -> Any: ...
@overload
def rank_list(
    successor: Any,
    *,
    plan: str | RankPlan = "auto",
    weights: Any = None,
    device: str = "auto",
    threads: int | None = None,
    origin: Origin = "tail",
    full: Literal[True],
) -> Ranking: ...
def rank_list(
    successor: Any,
    *,
    plan: str | RankPlan = "auto",
    weights: Any = None,
    device: str = "auto",
    threads: int | None = None,
    origin: Origin = "tail",
    full: bool = False,
) -> Any:
    """The distance of every element of linked lists to the tail of its list.

    >>> landbridge.rank_list([1, 2, 2, 0])
    array([2, 1, 0, 3], dtype=int32)

    successor: shape (n,), 32- or 64-bit integers: the element after each. A tail has itself or -1. The array may hold
        any number of lists; heads are the elements that are no successor of another, wherever they are.
    plan: "auto", or a plan's text such as ``"random_splitter(4096)"`` (see ``plans("list_ranking")``).
    weights: shape (n,), the length of the link from each element to its successor; that of a tail does not count.
        Integers are added exactly; floats give float64.
    device: "cpu", "gpu", or "auto": where the successors are.
    threads: how many threads; by default all processors of this process.
    origin: "tail", or "head" for the distance from the head of the list.
    full: return a `Ranking`, which also has the tail of each element's list, the plan and a profile.

    Returns shape (n,): int32 below 2^31 elements, else int64; int64 or float64 with weights. The same from every
    plan, device and thread count; sums of floats differ between plans in their last bits, and are the same in every
    run of one (of helman_jaja: with the same number of threads).
    Successors on a GPU give an array of CuPy.
    Raises ListError for successors that are no lists (out of range, two predecessors, a cycle), naming an element;
    InputError for shapes and types, and for integer weights whose sizes, over all lists, add up to 2^63 and more;
    InvalidPlan; DeviceError.
    O(n) work; beyond the ranks 12 bytes an element and 32 a list for "auto" without weights.
    Source: Reid-Miller, "List ranking and list scan on the Cray C-90", SPAA 1994; docs/list_ranking.md has the others.
    """
    if origin not in ("tail", "head"):
        raise InputError(f"origin is 'tail' or 'head', not {origin!r}")
    from_head = origin == "head"
    scan = ScanSpec("sum", from_head, exclusive=from_head, of_links=True, tails=full)
    answer = _solve(lists_of(successor, weights, "weights", scan), plan, device, threads)
    return answer if full else answer.ranks


def scan_list(
    successor: Any,
    values: Any,
    *,
    op: Literal["sum", "min", "max"] = "sum",
    origin: Origin = "head",
    exclusive: bool = False,
    plan: str | RankPlan = "auto",
    device: str = "auto",
    threads: int | None = None,
    full: bool = False,
) -> Any:
    """The sum, minimum or maximum of the values from one end of a list to each of its elements.

    >>> landbridge.scan_list([1, 2, 2, 0], [10, 20, 30, 40])
    array([ 50,  70, 100,  40])

    values: shape (n,), integers (exact; the result is int64) or floats (float64; a value that is not a number makes
        every result that contains it one). op: how they are combined.
    origin: "head" for what lies between the head and the element, "tail" for what lies between it and the tail.
    exclusive: leave out the element's own value; the first then gets 0, or the largest or smallest number for min and
        max.
    successor, plan, device, threads, full, errors and cost: as for `rank_list`.
    """
    if origin not in ("tail", "head"):
        raise InputError(f"origin is 'tail' or 'head', not {origin!r}")
    if op not in ("sum", "min", "max"):
        raise InputError(f"op is 'sum', 'min' or 'max', not {op!r}")
    scan = ScanSpec(op, origin == "head", exclusive, tails=full)
    lists = lists_of(successor, values, "values", scan)
    if values is None:
        raise InputError("values are needed: one for each element")
    answer = _solve(lists, plan, device, threads)
    return answer if full else answer.ranks


def _solve(lists: Lists, plan: str | RankPlan, device: str, threads: int | None) -> Ranking:
    problem = PROBLEMS["list_ranking"]
    parsed: RankPlan | None = None
    if plan != "auto":
        parsed = plan if isinstance(plan, RankPlan) else problem.parse(plan)
    workers = threads_of(threads, parsed)
    engine = resolve_engine(device, parsed)
    if engine is None:
        engine = default_engine(lists.on_device, len(lists), problem.transfer_from)
    if parsed is None:
        parsed = engine.choose(problem.name, engine.facts(problem.name, lists, workers)).plan
    answer: Ranking = engine.solve(problem.name, lists, parsed.on(engine.name), workers)
    return answer
