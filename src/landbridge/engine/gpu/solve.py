"""From a plan to its launches: the only place that selects the family that runs it."""

from __future__ import annotations

from dataclasses import replace

from landbridge.device.jit import Program
from landbridge.device.layout import Struct
from landbridge.device.memory_counter import MemoryCounter
from landbridge.engine.base import facts_of
from landbridge.engine.gpu.components_run import ComponentsRun
from landbridge.engine.gpu.launch_list import Device
from landbridge.engine.gpu.rounds import add_rounds
from landbridge.engine.gpu.schedule import GpuSchedule, GraphArrays
from landbridge.engine.gpu.search import add_search_of_all
from landbridge.engine.gpu.systems import add_system
from landbridge.engine.gpu.union_find import add_one_block, add_union_find
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.plan.choose import Facts


def as_taken(graph: Graph, plan: Plan) -> Graph:
    """The graph as a plan finds it: an edge list that consists of rows is these, but for a plan of ``layout=coo``."""
    return graph.rows if graph.rows is not None and plan.layout != "coo" else graph


def row_facts(graph: Graph, threads: int) -> Facts:
    """What a plan is chosen by. An edge list that consists of rows is these."""
    facts = facts_of(graph.rows or graph, threads)
    return facts if graph.rows is None else replace(facts, in_rows=True)


def launches_of(
    plan: Plan, graph: GraphArrays, schedule: GpuSchedule, device: Device, sink: Struct | None = None
) -> ComponentsRun:
    """All launches of a plan, on a GPU or on a counter. graph: CSR or an edge list, as the plan takes it.

    sink: where the edges of a spanning forest go; such a run leaves vertices without numbers.
    """
    run = ComponentsRun(graph, schedule, device, sink)
    finish = plan.finish
    if schedule.fuse == "block":
        add_one_block(run, finish)
        return run
    if "rounds" in finish.traits:
        add_rounds(run, plan.sample, finish)
    elif finish.link == "bfscc":
        add_search_of_all(run)
    elif finish.standalone:
        add_system(run, finish)
    else:
        add_union_find(run, plan.sample, finish)
    if sink is None:
        run.number()
    return run


def plan_programs(plan: Plan, graph: GraphArrays, schedule: GpuSchedule, sink: Struct | None = None) -> list[Program]:
    """What a run of the plan loads, in the order of first use. Needs no GPU."""
    return launches_of(plan, graph, schedule, MemoryCounter(), sink).launches.programs()
