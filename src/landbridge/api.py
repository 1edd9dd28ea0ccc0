"""The public functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Unpack

from landbridge.edges.forms import EdgeList
from landbridge.edges.load import is_files, load
from landbridge.edges.options import GraphOptions, Progress, ReadingOptions, options_of, takes_reading_options
from landbridge.edges.spelling import spelled
from landbridge.engine.resolve import Request, is_list
from landbridge.engine.sizes import ListSizes, Sizes, kind_of, work_of
from landbridge.errors import InputError, OutOfDeviceMemory, counted
from landbridge.explaining import Explanation
from landbridge.graph import Graph, as_graph, check_count, close_ids, look_far
from landbridge.limits import with_timeout
from landbridge.occurring import counted_from_one, forest_counted_from_one
from landbridge.plan import BasePlan, Plan
from landbridge.problems import PROBLEMS, Problem, enumerate_plans, problem_of
from landbridge.progress import with_progress
from landbridge.result import Components, SpanningForest
from landbridge.result.tree_edges import changed, with_endpoints
from landbridge.streams.chunks import components_of_chunks
from landbridge.typing import Chunks, Device, Devices, GraphLike, PlanText, Successors


@with_timeout
@with_progress
@takes_reading_options
def components(
    graph: GraphLike | None = None,
    *,
    chunks: Chunks | None = None,
    plan: PlanText | Plan = "auto",
    device: Device = "auto",
    devices: Devices | None = None,
    num_vertices: int | None = None,
    threads: int | None = None,
    symmetric: bool | None = None,
    format: str | None = None,
    chunk_size: int | None = None,
    progress: Progress | bool | None = None,
    timeout: float | None = None,
    **reading: Unpack[ReadingOptions],
) -> Components:
    """Connected components of an undirected graph; weak components of a directed one.

    Parameters
    ----------
    graph : GraphLike
        A `Graph`, or anything that makes one: a pair of id arrays, a list of pairs, an (m, 2) or (2, m) array, a SciPy
        sparse matrix, a NetworkX graph, a data frame (pandas, polars, pyarrow, or anything with Arrow's stream
        protocol), or files: a path, a folder, a glob, a list of them, an open file. Ids may be text: vertices are then
        the names that occur, in the order of their bytes.
    chunks : Chunks, optional
        Instead of a graph: an iterable of batches of edges, each anything that makes a graph, or files (text, tables or
        .npy, as `format` and `columns` say), which are then read `chunk_size` edges at a time. `plan` is then one of
        ``plans("incremental")``. See the notes for memory.
    plan : PlanText or Plan, default "auto"
        "auto", or a plan's text such as ``"kout(2)+rem_cas(naive,split_one)"`` (see `plans`).
    device : Device, default "auto"
        "cpu", "gpu", or "auto": where the edges are; edges in host memory go to a GPU only if there are many. A GPU
        that was not named, and fails, is replaced by the CPU; the result's ``notes`` say why. "hybrid": CPU threads and
        a GPU together.
    devices : Devices, optional
        Several processors among which the work is divided, such as ``[0, 1]`` for two GPUs and ``["cpu", 0]`` for CPU
        threads and a GPU; the profile's ``shares`` say what each did.
    num_vertices : int, optional
        As for `Graph`.
    threads : int, optional
        How many threads, by default as many of this process's processors as save time: one for each 2^17 vertices and
        edges of a CSR, or 2^18 of an edge list (two from 2^21 on); five or more all from 2^18 or 2^19 on. Chunks, and
        work that is divided, have all.
    ids, symmetric, columns, format, header, delimiter, comment, base, encoding, max_bytes : optional
        As for `Graph`.
    chunk_size : int, optional
        The number of edges of a chunk, where `chunks` are files.
    progress : Progress or bool, optional
        Of files and chunks. True shows a bar in a terminal or a notebook, by tqdm where that is installed. A function
        is called as ``progress(done, total)``, perhaps from another thread: bytes of the file, or edges of the iterable
        (total is None).
    timeout : float, optional
        Seconds after which the call ends with TimeLimitExceeded, as `time_limit` describes.

    Returns
    -------
    Components
        The same from every plan, device and thread count. Labels have shape (n,), int32 below 2^31 vertices, else
        int64. Edges on a GPU give labels on that GPU, as a CuPy array; edges in host memory give a NumPy array. ``ids``
        of the result holds the ids of vertices that are not 0..n-1, and ``frame()`` is a table of id, component and
        representative.

    Raises
    ------
    InputError
        For edges, ids or arguments that break the contract; the message names the place and the value.
    InvalidPlan
        For a plan that does not parse; InvalidCombination for rules that must not be combined.
    DeviceError
        For a device that was named and is not there or fails.
    MemoryError
        OutOfDeviceMemory, which is a DeviceError, too, on a GPU.

    Notes
    -----
    O(n + m a(n)) work for the union-find plans. The default plans take 4 bytes per vertex beyond the graph (8 from 2^31
    vertices on): the labels themselves. A run takes at most 0.2 more for sets of vertices, and up to 16 MiB for walks
    that CPU threads defer; on a GPU 0.5 to 0.7 more (0.8 to 1.1) where the sampling is ``bfs``, as for large CSR of
    random graphs. Sampling before a finish is that of ConnectIt (dhulipala2020, hong2020); the source of each rule is
    in the table of plans.

    Of chunks only a few are held beside the labels, whose memory the trees have before: 4 bytes per vertex (8 from
    2^31 vertices on), up to 5 where vertices turn up without `num_vertices`, and at most 0.4 for sets of vertices; 8
    under ``hooks`` and ``rem_lock``, 16 under links by rank, and under plans in rounds 8 and 24 per edge of a chunk.
    With ``device="gpu"`` the trees are in its memory, 4.1 bytes per vertex with `num_vertices`, up to 9 while they
    grow without it, more with plans that store more per vertex, and chunks pass through 100 MB of it; labels come back
    to where the chunks are. What the vertices are follows the same rule as for one graph of all chunks; batches are
    tables if one of them is. Numbers that are far apart, and names, are kept in a table that holds each id once: 24
    bytes for a number (48 while they are put in order at the end, labels among them), for a name its bytes and about
    60.

    Examples
    --------
    >>> count, labels = landbridge.components(([0, 1, 3], [1, 2, 4]))
    >>> count, labels.tolist()
    (2, [0, 0, 0, 1, 1])
    >>> result = landbridge.components([("ann", "bob"), ("cy", "dan")], plan="async(halve)", threads=1)
    >>> result.ids[result.first].tolist()
    ['ann', 'cy']
    >>> batches = [([0], [1]), ([3], [4])]
    >>> landbridge.components(chunks=batches).labels.tolist()
    [0, 0, 1, 2, 2]
    """
    problem = PROBLEMS["components"]
    if (graph is None) == (chunks is None):
        raise InputError("give a graph or chunks=..., one of them")
    if chunks is not None:
        if symmetric is not None:
            raise InputError("symmetric is a promise about a whole graph, not about chunks")
        return components_of_chunks(
            chunks, plan=plan, device=device, devices=devices, threads=threads, format=format,
            num_vertices=num_vertices, chunk_size=chunk_size, progress=progress, **reading,
        )  # fmt: skip
    report = None if isinstance(progress, bool) else progress
    if chunk_size is not None or (report is not None and not is_files(graph)):
        raise InputError("chunk_size and progress go with chunks=..., and progress with files, too")
    request = problem.request(plan, device, threads, devices=devices)
    answer: Components
    answer, library = _solve(
        problem,
        graph,
        request,
        reading,
        num_vertices=num_vertices,
        format=format,
        symmetric=symmetric,
        progress=report,
    )
    if reading.get("base"):
        answer = counted_from_one(answer)
    return answer if library is None else replace(answer, library=library)


@with_timeout
@takes_reading_options
def spanning_forest(
    graph: GraphLike,
    *,
    plan: PlanText | Plan = "auto",
    device: Device = "auto",
    devices: Devices | None = None,
    num_vertices: int | None = None,
    threads: int | None = None,
    symmetric: bool | None = None,
    format: str | None = None,
    timeout: float | None = None,
    **reading: Unpack[ReadingOptions],
) -> SpanningForest:
    """A spanning forest: n - k edges of the graph without a cycle, a tree for each of the k components.

    Parameters
    ----------
    graph : GraphLike
        As for `components`.
    plan : PlanText or Plan, default "auto"
        "auto", or one of ``plans("forest")``.
    device : Device, default "auto"
        As for `components`.
    devices : Devices, optional
        As for `components`.
    num_vertices : int, optional
        As for `Graph`.
    threads : int, optional
        How many threads, by default as many of this process's processors as save time: see `components`.
    ids, symmetric, columns, format, header, delimiter, comment, base, encoding, max_bytes : optional
        As for `Graph`.
    timeout : float, optional
        As for `components`.

    Returns
    -------
    SpanningForest
        Its edges by their endpoints and by their position in the input: the index in an edge list, or the position in
        the neighbours of a CSR (a SciPy matrix's ``indices``).

    Raises
    ------
    InputError, InvalidPlan, DeviceError, MemoryError
        As `components` does.
    InvalidCombination
        With the reason, for a plan whose links do not make a forest.

    Notes
    -----
    Work as for the same plan's components. Memory: 4 bytes per vertex (8 from 2^31 on), one bit for each stored edge,
    and the result; a CSR that is made for the plan takes 8 bytes more per arc than for components. The edge
    that costs a root its place is a forest edge (hong2020). On CPU threads the arrays of the result are made when they
    are read, and of a `Graph` its arrays are read then: see `SpanningForest`.

    Examples
    --------
    >>> forest = landbridge.spanning_forest(([0, 1, 2, 3], [1, 2, 0, 4]), threads=1)
    >>> forest.count, len(forest.edge)
    (2, 3)
    """
    problem = PROBLEMS["forest"]
    request = problem.request(plan, device, threads, devices=devices)
    answer: SpanningForest
    answer, library = _solve(
        problem, graph, request, reading, num_vertices=num_vertices, format=format, symmetric=symmetric
    )
    if not isinstance(graph, Graph):
        answer = with_endpoints(answer)  # the source may change
    answer = answer if library is None else changed(answer, library=library)
    return forest_counted_from_one(answer) if reading.get("base") else answer


def _solve(
    problem: Problem,
    source: Any,
    request: Request,
    reading: ReadingOptions,
    *,
    num_vertices: int | None,
    format: str | None,
    symmetric: bool | None,
    progress: Progress | None = None,
) -> tuple[Any, str | None]:
    """The answer, and the library of the data frame that the edges came in."""
    if isinstance(source, Graph):
        graph = as_graph(source, num_vertices=num_vertices, format=format, symmetric=symmetric, **reading)
        return _solve_graph(graph, request), source.library
    threads = request.threads
    options = options_of(threads=threads, num_vertices=num_vertices, progress=progress, **reading)
    edges = load(source, options, num_vertices=num_vertices, format=format)
    if not isinstance(edges, EdgeList):
        graph = Graph.from_edges(edges, num_vertices=num_vertices, symmetric=symmetric, threads=threads)
        return _solve_graph(graph, request), None
    # Ids that occur close together are vertex numbers for the run; those that do not occur are dropped from its answer.
    narrow = problem.occurring if edges.occurring else None
    numbers = edges if narrow is None else replace(edges, occurring=False)
    answer = None
    declared = check_count(numbers.num_vertices if num_vertices is None else num_vertices)
    validated = symmetric is not None or numbers.ids is not None or numbers.occurring
    if not validated and not (narrow is not None and look_far(edges)):
        if len(numbers.u) == len(numbers.v):
            answer = request.one_pass(numbers.u, numbers.v, vertices=declared)
        answer = changed(answer, notes=(*numbers.notes, *answer.notes)) if answer and numbers.notes else answer
    if answer is None and narrow is not None and not close_ids(edges, threads, signed=options.ids == "sparse"):
        numbers, narrow = edges, None
    if answer is None:
        graph = Graph.from_edges(numbers, num_vertices=num_vertices, symmetric=symmetric, threads=threads)
        with _memory_for(graph, declared is not None):
            answer = _solve_graph(graph, request)
    if narrow is not None:
        answer = narrow(answer, edges.u, edges.v, threads)
    return answer, edges.library


def _solve_graph(graph: Graph, request: Request) -> Any:
    return request.solve(graph, graph.on_device, graph.num_edges)


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
        gaps = f"the largest id is {g.num_vertices - 1} with {counted(g.num_edges, 'edge')}"
        raise MemoryError(f"{error}; {gaps}: {spelled(ids='sparse')} numbers the ids that occur") from None


def estimate_memory(
    graph: GraphLike | Successors | Sizes | ListSizes | tuple[int, int] | int,
    *,
    plan: PlanText | BasePlan = "auto",
    device: Device = "auto",
    threads: int | None = None,
    problem: str = "components",
    ids: str | None = None,
    **options: Unpack[GraphOptions],
) -> int:
    """Bytes that a run takes beyond its input, at most, in the memory of the device that runs it. Runs nothing.

    Parameters
    ----------
    graph : GraphLike or Successors or Sizes or ListSizes or (int, int) or int
        A `Graph`, or what makes one; or, before there is one, its `Sizes`, or a pair of whole numbers
        ``(vertices, edges)`` for an edge list of int64 in host memory. Of list ranking: successors; or `ListSizes`, or
        the number of elements of one list of int64 in host memory.
    plan : PlanText or BasePlan, default "auto"
        As for the function of the problem.
    device : Device, default "auto"
        As for `components`; a GPU that is named need not be there.
    threads : int, optional
        As for `components`.
    problem : str, default "components"
        "components"; "forest" for what `spanning_forest` takes; "incremental" for an `Incremental` that was handed all
        edges in one batch, and its components; "list_ranking" for `rank_list` with tails, from either end.
    ids : str, optional
        As for `Graph`.
    **options : GraphOptions
        As for `Graph`.

    Returns
    -------
    int
        The answer is part of the count; so is the input's copy on a GPU where it is in host memory, and what a plan
        makes of the other layout.

    Raises
    ------
    InputError, InvalidPlan, DeviceError
        As `components` does.

    Notes
    -----
    O(1), but for making a Graph and reading a few of its vertices, and for counting the tails of lists. The bound is
    within a few per cent for the union-find plans; searches (bfs, ldd, bfscc) are counted at their worst, and so are
    forests, of which a GPU holds two copies for a moment if they have fewer edges than half of the vertices. A GPU
    retains up to four plans that are used again for a Graph in its memory of at most 2^24 vertices, each with its
    labels; those of one plan are counted. Lists are counted with their tails, in the direction that takes more.

    Examples
    --------
    >>> landbridge.estimate_memory((1_000_000, 16_000_000), plan="async(halve)", device="cpu", threads=1) // 10**6
    5
    """
    row = problem_of(problem)
    request = row.request(plan, device, threads, present=False)
    data, sizes = None, row.sizes.from_input(graph)
    beside = [name for name, value in {"ids": ids, **options}.items() if value is not None]
    if sizes is not None and beside:
        have = "has" if len(beside) == 1 else "have"
        raise InputError(f"{', '.join(beside)} {have} no effect: sizes are given, and no edges are read")
    if sizes is None:
        if row.data is not Graph and beside:
            raise InputError(f"options for reading edges do not apply to {problem}")
        graphs: dict[str, Any] = {"ids": ids, "threads": threads, **options} if row.data is Graph else {}
        data = row.load(graph, **graphs)
        sizes = row.sizes.of(data)
    engine = request.engine_for(sizes.on_device, sizes.size)
    selected = request.plan
    if selected is None:
        workers = request.threads_for(engine, work_of(sizes), kind_of(sizes))
        facts = sizes.facts(workers) if data is None else engine.facts(problem, data, workers)
        selected = engine.choose(problem, facts).plan
    return engine.estimate(problem, sizes, selected)


def plans(
    problem: str = "components", engine: str | None = None, layout: str | None = None, *, extended: bool = False
) -> list[str]:
    """Every valid plan, in canonical text.

    Parameters
    ----------
    problem : str, default "components"
        "components", "forest", "incremental" or "list_ranking".
    engine : str, optional
        "cpu", "gpu" or None for all.
    layout : str, optional
        "csr", "coo" or None for both; lists have none.
    extended : bool, default False
        Also the plans outside the published enumeration.

    Returns
    -------
    list of str
        None of them twice.

    Raises
    ------
    InputError
        For an unknown problem or layout.
    InvalidPlan
        For an unknown engine.

    Notes
    -----
    The published enumeration is that of hong2020.

    Examples
    --------
    >>> len(landbridge.plans(engine="cpu")), landbridge.plans("list_ranking", "cpu")[0]
    (551, 'serial@cpu')
    """
    return enumerate_plans(problem, engine, layout, extended)


def explain(
    graph: GraphLike,
    *,
    plan: PlanText | Plan = "auto",
    device: Device = "auto",
    devices: Devices | None = None,
    threads: int | None = None,
    ids: str | None = None,
    **options: Unpack[GraphOptions],
) -> Explanation:
    """The plan that `components` would choose for this graph, the facts it reads, and the reasons. Runs nothing.

    Parameters
    ----------
    graph : GraphLike
        As for `components`.
    plan : PlanText or Plan, default "auto"
        As for `components`: of a plan by its name, what its work is at worst.
    device : Device, default "auto"
        As for `components`.
    devices : Devices, optional
        As for `components`.
    threads : int, optional
        As for `components`.
    ids : str, optional
        As for `Graph`.
    **options : GraphOptions
        As for `Graph`.

    Returns
    -------
    Explanation

    Raises
    ------
    InputError
        For bad edges.
    InvalidPlan
        For a plan that does not parse.
    DeviceError
        For a device that is not there.

    Examples
    --------
    >>> landbridge.explain(([0, 1], [1, 2]), device="cpu", threads=1).ids
    'dense'
    >>> landbridge.explain(([0, 1], [1, 2]), plan="rem_verify", device="cpu").at_worst
    'nothing bounds the walk for one edge but the number of vertices; edges are tested when all paths are flat'
    """
    request = PROBLEMS["components"].request(plan, device, threads, devices=devices)
    g: Graph = as_graph(graph, ids=ids, threads=threads, **options)
    several, advice = request.several(g.on_device, g.num_edges) if is_list(g) else (None, ())
    engine = several or request.engine_for(g.on_device, g.num_edges)
    facts = engine.facts(request.problem, g, request.threads_for(engine, work_of(g), kind_of(g)))
    choice = engine.choose(request.problem, facts)
    selected, reasons = choice.plan, (*choice.reasons, *advice)
    if request.plan is not None:
        selected, reasons = request.plan, ("it was named",)
    return Explanation(str(selected), engine.name, facts, reasons, g.id_kind, selected.finish.at_worst)
