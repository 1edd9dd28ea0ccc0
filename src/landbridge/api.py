"""The public functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from landbridge.edges.forms import EdgeList
from landbridge.edges.on_device import is_device_array
from landbridge.edges.options import Progress, options_of
from landbridge.engine.base import Engine
from landbridge.engine.resolve import Request, default_engine, resolve_engine, run_with_cpu_fallback, threads_of
from landbridge.engine.sizes import Sizes, sizes_of
from landbridge.errors import DeviceError, InputError, InvalidCombination, OutOfDeviceMemory
from landbridge.graph import Graph, as_graph, close_ids, default_threads, load, look_far
from landbridge.id_kind import IdKind
from landbridge.occurring import counted_from_one, forest_counted_from_one
from landbridge.plan import Plan
from landbridge.plan.choose import Facts
from landbridge.problems import PROBLEMS, Problem, enumerate_plans, estimated_problem
from landbridge.result import Components, SpanningForest
from landbridge.streams.chunks import components_of_chunks


def components(
    graph: Any = None,
    *,
    chunks: Any = None,
    plan: str | Plan = "auto",
    device: str = "auto",
    num_vertices: int | None = None,
    threads: int | None = None,
    ids: str | None = None,
    symmetric: bool | None = None,
    columns: Sequence[str | int] | None = None,
    format: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    comment: str | None = None,
    base: int | None = None,
    encoding: str | None = None,
    chunk_size: int | None = None,
    progress: Progress | None = None,
) -> Components:
    """Connected components of an undirected graph; weak components of a directed one.

    graph: a Graph, or anything that makes one: a pair of id arrays, a list of pairs, an (m, 2) or (2, m) array, a SciPy
        sparse matrix, a NetworkX graph, a data frame (pandas, polars, pyarrow, or anything with Arrow's stream
        protocol), or files: a path, a folder, a glob, a list of them, an open file. Ids may be text: vertices are then
        the names that occur, in the order of their bytes. ``ids`` of the result holds the ids of vertices that are not
        0..n-1, and ``frame()`` is a table of id, component and representative.
        num_vertices, ids, symmetric, columns, format, header, delimiter, comment, base, encoding: as for `Graph`.
    plan: "auto", or a plan's text such as ``"kout(2)+rem_cas(naive,split_one)"`` (see `plans`).
    device: "cpu", "gpu", or "auto": where the edges are; edges in host memory go to a GPU only if there are many. A GPU
        that was not asked for by name, and fails, is replaced by the CPU; the result's ``notes`` say why.
    threads: how many threads; by default all processors of this process.
    chunks: instead of a graph: an iterable of batches of edges, each anything that makes a graph, or files (text,
        tables or .npy, as `format` and `columns` say), which are then read chunk_size edges at a time. Only a
        few chunks are held beside 8 bytes per vertex (16 from 2^31 vertices on). plan is then one of
        ``plans("incremental")``. With ``device="gpu"`` the trees are in its memory, 4 bytes per vertex with
        num_vertices, up to 9 while they grow without it, more with plans that store more per vertex, and chunks pass
        through 100 MB of it; labels come back to where the chunks are.
        What the vertices are follows the same rule as for one graph of all chunks; batches are tables if one of them
        is. Numbers that are far apart, and names, are kept in a table that holds each id once: 24 bytes for a number
        (48 while they are put in order at the end, labels among them), for a name its bytes and about 60.
    progress: called as ``progress(done, total)`` between chunks, perhaps from another thread: bytes of the file, or
        edges of the iterable (total is None).

    Returns the same `Components` from every plan, device and thread count.
    Edges on a GPU give labels on that GPU, as a CuPy array; edges in host memory give a NumPy array.
    Raises InputError for bad edges, InvalidPlan for bad plans, DeviceError, MemoryError (OutOfDeviceMemory is both).
    O(n + m a(n)) work for the union-find plans. The default plans take 4 bytes per vertex beyond the graph (8 from 2^31
    vertices on): the labels themselves.
    """
    problem = PROBLEMS["components"]
    parsed, workers = _checked(problem, plan, threads)
    options: dict[str, Any] = {
        "num_vertices": num_vertices, "ids": ids, "columns": columns, "header": header, "delimiter": delimiter,
        "comment": comment, "base": base, "encoding": encoding,
    }  # fmt: skip
    if (graph is None) == (chunks is None):
        raise InputError("give a graph or chunks=..., one of them")
    if chunks is not None:
        if symmetric is not None:
            raise InputError("symmetric is a promise about a whole graph, not about chunks")
        return components_of_chunks(
            chunks, plan=plan if parsed is None else parsed, device=device, threads=threads, format=format,
            chunk_size=chunk_size, progress=progress, **options,
        )  # fmt: skip
    if chunk_size is not None or progress is not None:
        raise InputError("chunk_size and progress go with chunks=...")
    request = _request(problem, device, parsed, workers)
    answer: Components
    answer, library = _solve(problem, graph, request, {**options, "format": format, "symmetric": symmetric})
    if base:
        answer = counted_from_one(answer)
    return answer if library is None else replace(answer, library=library)


def spanning_forest(
    graph: Any,
    *,
    plan: str | Plan = "auto",
    device: str = "auto",
    num_vertices: int | None = None,
    threads: int | None = None,
    ids: str | None = None,
    symmetric: bool | None = None,
    columns: Sequence[str | int] | None = None,
    format: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    comment: str | None = None,
    base: int | None = None,
    encoding: str | None = None,
) -> SpanningForest:
    """A spanning forest: n - k edges of the graph without a cycle, a tree for each of the k components.

    Parameters as for `components`; ``plans("forest")`` lists the plans. Edges are named by their endpoints and by their
    position in the input: the index in an edge list, or the position in the neighbours of a CSR (a SciPy matrix's
    ``indices``).
    Raises as `components` does, and InvalidCombination with the reason for a plan whose links do not make a forest.
    Work as for the same plan's components. Memory: 4 bytes per vertex (8 from 2^31 on), one bit for each stored edge,
    and the result; a CSR that is made for the plan takes 8 bytes more per directed edge than for components.
    The edge that costs a root its place is a forest edge (Hong, Dhulipala and Shun 2020).
    """
    problem = PROBLEMS["forest"]
    request = _request(problem, device, *_checked(problem, plan, threads))
    options: dict[str, Any] = {
        "num_vertices": num_vertices, "ids": ids, "columns": columns, "header": header, "delimiter": delimiter,
        "comment": comment, "base": base, "encoding": encoding, "format": format, "symmetric": symmetric,
    }  # fmt: skip
    answer: SpanningForest = _solve(problem, graph, request, options)[0]
    return forest_counted_from_one(answer) if base else answer


def _checked(problem: Problem, plan: str | Plan, threads: int | None) -> tuple[Plan | None, int]:
    """The plan, None for "auto", and the number of threads. Raises InvalidPlan, InputError."""
    parsed = plan if isinstance(plan, Plan) else None if plan == "auto" else problem.parse(plan)
    return parsed, threads_of(threads, parsed)


def _request(problem: Problem, device: str, plan: Plan | None, threads: int) -> Request:
    """The engine of a call resolved; the plan must solve the problem."""
    if plan is not None and (reason := problem.why_not(plan)):
        raise InvalidCombination(f"{plan}: {reason}")
    engine = resolve_engine(device, plan)
    if engine is not None:
        _refuse(engine, problem, plan)
    return Request(plan, engine, threads)


def _refuse(engine: Engine, problem: Problem, plan: Plan | None) -> None:
    """Raise the error for an engine that cannot run a plan, or any plan, for the problem."""
    if reason := engine.can(problem.name, plan):
        raise DeviceError(reason) if plan is None else InvalidCombination(f"{plan}: {reason}")


def _solve(problem: Problem, source: Any, request: Request, options: dict[str, Any]) -> tuple[Any, str | None]:
    """The answer, and the library of the data frame that the edges came in. options: those of `Graph`."""
    if isinstance(source, Graph):
        return _solve_graph(problem, as_graph(source, **options), request), source.library
    threads = request.threads
    format, symmetric, num_vertices = (options.pop(name) for name in ("format", "symmetric", "num_vertices"))
    reading = options_of(threads=threads, num_vertices=num_vertices, **options)
    edges = load(source, reading, num_vertices=num_vertices, format=format)
    if not isinstance(edges, EdgeList):
        graph = Graph.from_edges(edges, num_vertices=num_vertices, symmetric=symmetric, threads=threads)
        return _solve_graph(problem, graph, request), None
    # Ids that occur close together are vertex numbers for the run; those that do not occur are dropped from its answer.
    narrow = problem.occurring if edges.occurring else None
    numbers = edges if narrow is None else replace(edges, occurring=False)
    answer = None
    declared = numbers.num_vertices is not None or num_vertices is not None
    validated = declared or symmetric is not None or numbers.ids is not None or numbers.occurring
    if not validated and not (narrow is not None and look_far(edges)):
        answer = _one_pass(problem, numbers, request)
    if answer is None and narrow is not None and not close_ids(edges, threads, signed=options["ids"] == "sparse"):
        numbers, narrow = edges, None
    if answer is None:
        graph = Graph.from_edges(numbers, num_vertices=num_vertices, symmetric=symmetric, threads=threads)
        with _memory_for(graph, declared):
            answer = _solve_graph(problem, graph, request)
    if narrow is not None:
        answer = narrow(answer, edges.u, edges.v, threads)
    return answer, edges.library


def _one_pass(problem: Problem, edges: EdgeList, request: Request) -> Any | None:
    u, v, plan, threads = edges.u, edges.v, request.plan, request.threads
    if len(u) != len(v):
        return None

    def run(engine: Engine) -> Any | None:
        return engine.one_pass(problem.name, u, v, plan, threads)

    answer = run_with_cpu_fallback(request.engine, is_device_array(u), len(u), run, problem.transfer_from)
    return answer and replace(answer, notes=(*edges.notes, *answer.notes))


def _solve_graph(problem: Problem, graph: Graph, request: Request) -> Any:
    def run(engine: Engine) -> Any:
        plan = request.plan
        if plan is None:
            plan = engine.choose(problem.name, engine.facts(problem.name, graph, request.threads)).plan
        return engine.solve(problem.name, graph, plan, request.threads)

    return run_with_cpu_fallback(request.engine, graph.on_device, graph.num_edges, run, problem.transfer_from)


@contextmanager
def _memory_for(g: Graph, declared: bool) -> Iterator[None]:
    """A MemoryError names the option that helps, where the largest id, not a declaration, made so many vertices."""
    try:
        yield
    except OutOfDeviceMemory:
        raise
    except MemoryError as error:
        if declared or g.ids is not None or g.num_vertices <= 16 * g.num_edges + 2**20:
            raise
        gaps = f"the largest id is {g.num_vertices - 1} with {g.num_edges} edges"
        raise MemoryError(f"{error}; {gaps}: ids='sparse' numbers the ids that occur") from None


def estimate_memory(
    graph: Any,
    *,
    plan: str | Plan = "auto",
    device: str = "auto",
    threads: int | None = None,
    problem: str = "components",
    **options: Any,
) -> int:
    """Bytes that `components` takes beyond the graph, at most, in the memory of the device that runs it. Runs nothing.

    graph: a Graph, or what makes one with the options of `Graph`; or, before there is one, its `Sizes`, or a pair of
        whole numbers ``(vertices, edges)`` for an edge list of int64 in host memory. Labels are part of the count; so
        is the graph's copy on a GPU where it is in host memory, and what a plan makes of the other layout.
    plan, device, threads: as for `components`; a GPU asked for by name need not be there.
    problem: "components", or "forest" for what `spanning_forest` takes.

    The bound is within a few per cent for the union-find plans; searches (bfs, ldd, bfscc) are counted at their worst,
    and so are forests, which are there twice for a moment on a GPU if they have fewer edges than half of the vertices.
    A GPU keeps a plan that is used again for a Graph of at most 2^22 vertices, with its labels; they are counted.
    Raises InputError, InvalidPlan, DeviceError. O(1), but for making a Graph and reading a few of its vertices.
    """
    row = estimated_problem(problem)
    parsed, workers = _checked(row, plan, threads)
    engine = resolve_engine(device, parsed, present=False)
    sizes = sizes_of(graph)
    g: Graph | None = as_graph(graph, threads=threads, **options) if sizes is None else None
    sizes = Sizes.of(g) if g is not None else sizes
    assert sizes is not None
    engine = engine or default_engine(sizes.on_device, sizes.edges, row.transfer_from)
    _refuse(engine, row, parsed)
    if parsed is None:
        facts = sizes.facts(workers) if g is None else engine.facts(problem, g, workers)
        parsed = engine.choose(problem, facts).plan
    if reason := row.why_not(parsed):
        raise InvalidCombination(f"{parsed}: {reason}")
    return engine.estimate(problem, sizes, parsed)


def plans(
    problem: str = "components", engine: str | None = None, layout: str | None = None, *, extended: bool = False
) -> list[str]:
    """Every valid plan, in canonical text.

    problem: "components", "forest", "incremental" or "list_ranking". engine: "cpu", "gpu" or None for all.
    layout: "csr", "coo" or None for both; lists have none.
    extended: also the plans outside the published enumeration.
    """
    return enumerate_plans(problem, engine, layout, extended)


_KINDS: dict[IdKind, str] = {
    "dense": "vertices are 0..n-1, and ids are their numbers",
    "sparse": "vertices are the whole numbers that occur",
    "names": "vertices are the names that occur",
}


@dataclass(frozen=True)
class Explanation:
    """The plan that "auto" stands for on a graph, the facts and the reasons. ids: what the vertices are."""

    plan: str
    device: str
    facts: Facts
    reasons: tuple[str, ...]
    ids: IdKind = "dense"

    def __str__(self) -> str:
        f = self.facts
        rows = "rows" if f.layout == "csr" else "pairs"
        facts = [
            f"{f.vertices} vertices, {f.edges} stored edges as {rows}"
            + (" (both directions)" if f.symmetric else "")
            + f", {f.average_degree:.1f} a vertex",
            f"{f.threads} threads",
        ]
        if f.layout == "csr":
            facts.append(
                f"among the rows probed: largest degree {f.skew:.1f} times the average, "
                f"{f.first_smaller:.0%} with a smaller first neighbour, {f.local:.0%} of neighbours close by, "
                f"two steps reach {f.expansion:.1f} times what one does"
            )
        lines = [f"plan    {self.plan}", f"device  {self.device}", f"ids     {self.ids}: {_KINDS[self.ids]}"]
        lines += [f"saw     {s}" for s in facts]
        lines += [f"because {r}" for r in self.reasons]
        return "\n".join(lines)


def explain(graph: Any, *, device: str = "auto", threads: int | None = None, **options: Any) -> Explanation:
    """The plan that `components` would choose for this graph, the facts it reads, and the reasons. Runs nothing."""
    workers = default_threads(threads)
    engine = resolve_engine(device, None)
    g: Graph = as_graph(graph, threads=threads, **options)
    engine = engine or default_engine(g.on_device, g.num_edges)
    _refuse(engine, PROBLEMS["components"], None)
    facts = engine.facts("components", g, workers)
    choice = engine.choose("components", facts)
    return Explanation(str(choice.plan), engine.name, facts, choice.reasons, g.id_kind)
