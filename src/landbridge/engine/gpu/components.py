"""Connected components on one GPU: which way a call takes, and its answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache, partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from landbridge.device import cuda, graphs, kernels, layout, transfer
from landbridge.device.jit import Program
from landbridge.device.launch import ready_kernel, stride_of, width_of
from landbridge.device.pinned import PinnedAnswer
from landbridge.device.prepared import Prepared
from landbridge.device.timeline import Timeline, undivided_profile
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import Solver, conversion
from landbridge.engine.gpu import NAME
from landbridge.engine.gpu.choose import COO_PLAN, PLANS, SMALL_PLAN, choose_components
from landbridge.engine.gpu.components_run import WORDS
from landbridge.engine.gpu.execute import Execution
from landbridge.engine.gpu.memory import counted_graph, gpu_bytes
from landbridge.engine.gpu.plan_device import on_device_of
from landbridge.engine.gpu.replay import REPLAYED, Replay, Replays
from landbridge.engine.gpu.schedule import GpuSchedule, in_one_block, rule_of
from landbridge.engine.gpu.solve import as_taken, launches_of, plan_programs, row_facts
from landbridge.engine.gpu.turns import with_turns
from landbridge.engine.gpu.union_find import completion
from landbridge.engine.sizes import Sizes
from landbridge.errors import OutOfDeviceMemory
from landbridge.graph import Graph
from landbridge.plan import Plan, parse
from landbridge.plan.choose import Facts
from landbridge.result import Components, IdArray, Profile

_DOING = "components on a GPU"
_COUNT, _OUTSIDE = (WORDS[word] for word in ("count", "outside"))

_replays = Replays()


def prepared(graph: Graph, plan: Plan, schedule: GpuSchedule) -> tuple[Execution, Any]:
    """A plan made ready for one graph on the current device, and the array of its labels."""
    device = cuda.current()
    run = launches_of(plan, graph, schedule, device)
    return Execution(run.launches, run.control, run.n, device, partial(completion, run)), run.labels


def components(graph: Graph, plan: Plan, threads: int) -> Components:
    """Run the plan on its GPU. Edges in host memory give NumPy arrays, those on the GPU arrays of CuPy."""
    try:
        try:
            return _on_its_device(graph, plan, threads)
        except OutOfDeviceMemory:
            if not _replays.clear():
                raise
            return _on_its_device(graph, plan, threads)
    except OutOfDeviceMemory as error:
        needed, free = gpu_bytes(Sizes.of(graph), plan), cuda.free_memory()
        raise OutOfDeviceMemory(f"{error}; {plan} takes {needed:,} bytes here, and {free:,} are free") from error


def _on_its_device(graph: Graph, plan: Plan, threads: int) -> Components:
    with on_device_of(plan, _DOING) as device:
        return _components(graph, plan, device, threads)


def _components(graph: Graph, plan: Plan, device: cuda.Device, threads: int) -> Components:
    began, graph = time.perf_counter(), as_taken(graph, plan)
    host, n = not graph.on_device, graph.num_vertices
    if n == 0:
        labels: Any = (np if host else cuda.cupy()).empty(0, dtype=np.int32)
        return _answer(graph, str(plan), 0, labels, Profile({}, time.perf_counter() - began, threads, 0.0))
    if not host and _is_small(graph):
        small = _rule_of_small(plan)
        answer = None if small.rule is None else _unite_unchecked((graph.a, graph.b), n, small, device)
        if answer is not None:
            return _answer(graph, small.plan, *answer, undivided_profile(began, threads))
    schedule = GpuSchedule.of(plan, graph)
    makes = conversion(graph, plan)
    if not host and not makes and n <= REPLAYED and schedule.fuse == "off":
        text = str(plan)
        replay = _replays.get(graph, text, device, lambda: Replay(*prepared(graph, plan, schedule)))
        if replay is not None:
            words, labels = replay()
            profile = undivided_profile(began, threads, skipped_share(graph, plan, words))
            return _answer(graph, text, int(words[_COUNT]), labels, with_turns(profile, words))
    if makes:
        graph = graph.to_rows(threads) if makes == "csr" else graph.to_pairs()
    if schedule.fuse == "block" and not host:
        text = str(plan)
        execution, labels = prepared(graph, plan, schedule)
        execution.launch()
        count = int(execution.read()[_COUNT])
        return _answer(graph, text, count, labels, undivided_profile(began, threads))
    timeline = Timeline(began)
    if host:
        graph = graph.to_device(threads)
        timeline.record("transfer")
    return _timed(graph, plan, threads, timeline, schedule=schedule, to_host=host)


def _is_small(graph: Graph) -> bool:
    """Whether one launch can read the graph as it is and write where the host reads: as for endpoints that have not
    been validated."""
    if graph.offsets is not None or graph.b is None or graph.a.dtype != graph.b.dtype:
        return False
    return max(graph.num_edges, graph.num_vertices) <= _UNCHECKED_MOST


def _timed(
    graph: Graph, plan: Plan, threads: int, timeline: Timeline, *, schedule: GpuSchedule, to_host: bool
) -> Components:
    """Run on a graph that is on the device, with an event after each phase."""
    execution, labels = prepared(graph, plan, schedule)
    result, text = labels, str(plan)
    execution.launch(timeline)
    if to_host:
        result = transfer.fetch(labels, threads)
        timeline.record("transfer back")
    phases = len(timeline)
    words = execution.read(timeline)
    if to_host and len(timeline) > phases:
        result = transfer.fetch(labels, threads)
        timeline.record("transfer back")
        timeline.wait()
    profile = timeline.profile(threads, skipped_share(graph, plan, words))
    return _answer(graph, text, int(words[_COUNT]), result, with_turns(profile, words))


def skipped_share(graph: Graph, plan: Plan, words: Any) -> float:
    """The share of vertices that the finish left out, by the words of the control block."""
    return 0.0 if plan.sample is None else 1 - int(words[_OUTSIDE]) / graph.num_vertices


def _answer(graph: Graph, plan: str, count: int, labels: Any, profile: Profile) -> Components:
    return Components(count, labels, plan, NAME, profile, graph.ids, graph.notes)


# ---- endpoints that have not been validated -------------------------------------------------------------------------


def one_pass(
    u: IdArray, v: IdArray, plan: Plan | None, threads: int, *, vertices: int | None = None
) -> Components | None:
    """Components of endpoints that have not been validated; None where there is no way that reads them once.

    Endpoints in host memory are checked while they are copied into pinned memory. Of few endpoints on the GPU, one
    block does all.
    """
    m = len(u)
    if not isinstance(u, np.ndarray):
        return _small(u, v, plan, threads, vertices)
    if plan is None:
        plan = choose_components(Facts(0, m, "coo", False, 0.0, 0.0, 0.0, 0.0, 0.0, threads)).plan
    if plan.layout == "csr" or plan.sample is not None or plan.finish.standalone or plan.option("ids", "") == "wide":
        return None
    try:
        with on_device_of(plan, _DOING):
            timeline = Timeline()
            (a, b), largest = transfer.send((u, v), (np.int32, np.int32), threads)
            # What is negative, too large or far from dense takes the way that says where it is.
            bound = min(2**31 - 1, 16 * m + 2**20 if vertices is None else vertices)
            if not 0 <= largest < bound or (vertices or 0) >= 2**31:
                return None
            graph = Graph.of_checked_pairs(a, b, largest + 1 if vertices is None else vertices)
            timeline.record("transfer")
            schedule = GpuSchedule.of(plan, graph)
            return _timed(graph, plan, threads, timeline, schedule=schedule, to_host=True)
    except OutOfDeviceMemory:
        return None  # the other way says how much it takes


_UNCHECKED, _ANSWER = layout.struct_type("UncheckedEdges"), layout.control("unchecked")
_ANSWERED = itemgetter(*(_ANSWER[word] for word in ("refused", "count", "vertices")))
_UNCHECKED_MOST = layout.constant("unchecked_vertices")
_FUSED_THREADS = layout.constant("fused_threads")


def _small(u: Any, v: Any, plan: Plan | None, threads: int, vertices: int | None) -> Components | None:
    m = len(u)
    if m > _UNCHECKED_MOST or (vertices or 0) > _UNCHECKED_MOST or not is_device_array(u) or u.dtype != v.dtype:
        return None
    small = _default_of_small() if plan is None else _rule_of_small(plan)
    if small.rule is None or (plan is not None and plan.option("device", -1) >= 0):
        return None
    began = time.perf_counter()
    with cuda.errors(_DOING):
        device = cuda.current()
        if u.data.device_id != device.ordinal:
            return None
        answer = _unite_unchecked((u, v), vertices, small, device)
    if answer is None:
        return None
    return Components(*answer, small.plan, NAME, undivided_profile(began, threads))


class _RuleOfSmall(NamedTuple):
    """The rule of a plan, None where one block cannot run it; the texts of its finish and of the plan."""

    rule: kernels.Rule | None
    finish: str
    plan: str


@lru_cache(maxsize=256)
def _rule_of_small(plan: Plan) -> _RuleOfSmall:
    """What a plan says that one block can run. Cached: to look at the options of a plan takes as long as a launch."""
    fits = plan.option("fuse", "block") == "block" and plan.option("ids", "") != "wide"
    rule = rule_of(plan.finish) if fits and in_one_block(plan) else None
    return _RuleOfSmall(rule, str(plan.finish), str(plan))


@cache
def _default_of_small() -> _RuleOfSmall:
    """The same where no plan is requested."""
    return _rule_of_small(parse(SMALL_PLAN))


class UncheckedLaunch:
    """One launch for a few pairs, with what it reads and where it answers; for one thread, to be called again."""

    def __init__(self, device: cuda.Device, rule: kernels.Rule, width: kernels.Width) -> None:
        self._answer = PinnedAnswer(_ANSWER["end"], _ANSWER["answered"])
        fields = dict.fromkeys(_UNCHECKED.fields, 0) | {"u": None, "v": None, "labels": None, "answer": self._answer}
        self._edges = _UNCHECKED(**fields)
        kernel = kernels.unite_unchecked(rule, width)
        self._launch = ready_kernel(device, kernel, 1, self._edges, threads=_FUSED_THREADS)

    def __call__(self, u: Any, v: Any, vertices: int | None) -> tuple[int, Any] | None:
        """Count and labels; None if ids are wrong or too large for one block."""
        labels, answer = cuda.cupy().empty(_UNCHECKED_MOST, dtype=np.int32), self._answer
        answer.expect()
        self._edges.assign(
            u=u, v=v, u_stride=stride_of(u), v_stride=stride_of(v), edges=len(u),
            vertices=-1 if vertices is None else vertices, labels=labels, answer=answer,
        )  # fmt: skip
        self._launch()
        words = answer.wait()
        refused, count, validated = _ANSWERED(words)
        return None if refused else (count, labels[:validated])


_launches: Prepared[[Any, Any, int | None], tuple[int, Any] | None] = Prepared()


def _unite_unchecked(
    endpoints: tuple[Any, Any], vertices: int | None, small: _RuleOfSmall, device: cuda.Device
) -> tuple[int, Any] | None:
    """See `UncheckedLaunch`, by a rule that is there: this thread's launch."""
    assert small.rule is not None
    width = width_of(endpoints[0])
    key = (small.finish, width, device.ordinal)
    return _launches.call(key, partial(UncheckedLaunch, device, small.rule, width), *endpoints, vertices)


_SHAPES = (kernels.Shape(32, 32, 32), kernels.Shape(32, 64, 64), kernels.Shape(32, 32, 64))
_SPARSE = 3
"""Edges per vertex of graphs whose edges may be those of a mesh, which are hooked."""


def programs() -> Iterator[Program]:
    """Every program that the automatic choice may select for graphs with 32-bit vertices."""
    for shape in _SHAPES:
        for symmetric, texts in ((None, (COO_PLAN,)), (True, PLANS), (False, PLANS)):
            graph = counted_graph(shape, csr=symmetric is not None, symmetric=bool(symmetric))
            for each in (graph, replace(graph, num_vertices=graph.num_edges // _SPARSE)):
                for plan in map(parse, texts):
                    yield from plan_programs(plan, each, GpuSchedule.of(plan, each))
        rule = _default_of_small().rule
        assert rule is not None
        yield kernels.unite_unchecked(rule, shape.edge).program
        yield from graphs.programs(shape.edge, shape.offset)


SOLVER = Solver(
    components, choose_components, row_facts, gpu_bytes, one_pass, declared=True, programs=programs,
)  # fmt: skip
