"""What a run on CPU threads takes beyond the graph: an upper bound, close where nothing depends on the edges.

It follows from the rules of the plan, as the core applies them.
"""

from __future__ import annotations

from landbridge import _core
from landbridge.engine.base import conversion, needs
from landbridge.engine.sizes import Sizes
from landbridge.plan import Plan, registry

_SIZES: dict[str, int] = _core.memory_sizes()
_HUGE_PAGE, _HUGE_FROM = _SIZES["huge_page"], _SIZES["huge_from"]
ALWAYS = 1 << 20  # lists of chunks, batches on the threads' stacks
_WORDS_OF_CHUNK = 4  # of each chunk of vertices, for the number of its roots and what passes count


def mapped(size: int) -> int:
    """Bytes that an array takes: large ones lie on huge pages."""
    return size if size < _HUGE_FROM else -(-size // _HUGE_PAGE) * _HUGE_PAGE


def _copies(sizes: Sizes, plan: Plan) -> int:
    """Edges that a standalone algorithm copies, to replace their endpoints by their parents."""
    if not plan.finish.standalone or plan.layout != "coo":
        return 0
    if plan.finish.stages is not None:
        return min(sizes.edges, int(min(plan.finish.stages * sizes.vertices, sizes.edges)) + 1)
    return sizes.edges if "rewrites" in plan.finish.traits else 0


_LISTS = {"multistep": (4, 0), "serial_search": (3, 0), "schd": (1, 4), "ndhybrid": (10, 8)}
"""Ids per vertex and per edge in the lists and arrays of standalone algorithms; lists grow by doubling."""


def _of_system(sizes: Sizes, plan: Plan, cell: int) -> int:
    """The arrays that a published system has of its own, and edges copied side by side."""
    name, n, m = plan.finish.link, sizes.vertices, sizes.edges
    arrays = {row["name"]: (row["vertex_cells"], row["edge_cells"]) for row in _core.systems()}
    if name not in arrays and name not in _LISTS:
        return 0
    vertex, edge = arrays[name] if name in arrays else _LISTS[name]
    if plan.layout != "coo":
        return vertex * mapped(cell * n) + edge * mapped(cell * sizes.symmetric_arcs)
    if plan.finish.stages is not None:
        m = _copies(sizes, plan)
    else:
        edge += 2
    return vertex * mapped(cell * n) + edge * mapped(cell * m)


def _stored(sizes: Sizes, plan: Plan) -> int:
    """Arcs of rows, or edges of a list, that are united."""
    return sizes.symmetric_arcs if plan.layout == "csr" or plan.sample is not None else sizes.edges


def _cut_walks(sizes: Sizes, plan: Plan, size: int) -> int:
    """Walks that owners of vertices defer, at their worst, in lists that grow by doubling. size: bytes of a walk."""
    finish = plan.finish
    steps = not finish.standalone and registry().combination(finish.link, finish.find, finish.splice).steps
    owned = steps and finish.stages is None and plan.option("owners", "") == "on"
    cut = min(_stored(sizes, plan) // _SIZES["cut_share"], _SIZES["most_cut"])
    return 2 * size * cut if owned else 0


def _queued(sizes: Sizes, plan: Plan) -> int:
    """The parts in which threads take the edges, in a list that grows by doubling."""
    parts = _stored(sizes, plan) // _SIZES["edges_of_part"]
    return 2 * _SIZES["queued_part"] * min(parts, _SIZES["most_queued"])


def _largest_tree(vertices: int, edges: int, cell: int) -> int:
    """The set of its vertices, and the same in groups, where many edges are to be left out."""
    pays = edges > _SIZES["sifts_from"] * vertices and cell * vertices > 2 * _SIZES["cached_set_bytes"]
    return mapped(vertices // 8 + 8) + mapped(vertices // 16 + 8) if pays else 0


def component_bytes(sizes: Sizes, plan: Plan) -> int:
    """Bytes that CPU threads take for a plan, the labels among them. What searches queue is counted at its worst."""
    n, m = sizes.vertices, sizes.edges
    cell = 8 if sizes.wide or plan.option("ids", "") == "wide" else 4
    id_bytes = sizes.id_bits // 8
    total = ALWAYS + 8 * _WORDS_OF_CHUNK * (n // _SIZES["chunk_vertices"]) + mapped(cell * n) + _queued(sizes, plan)
    converting = 0
    if sizes.on_device:
        total += mapped(id_bytes * m) + mapped(id_bytes * m if sizes.layout == "coo" else sizes.offset_bits // 8 * n)
    makes = conversion(sizes, plan)
    if makes == "coo":
        endpoint = 8 if sizes.wide else id_bytes
        converting = (8 + endpoint) * n
        total += endpoint * m
    elif makes == "csr":
        total += mapped(8 * (n + 1)) + mapped(cell * sizes.symmetric_arcs)
    ranked, uses_aux = (False, False) if plan.finish.standalone else needs()[plan.finish.link]
    rounds = "rounds" in plan.finish.traits
    total += (mapped(8 * n) if ranked else 0) + (mapped(cell * n) if uses_aux or rounds else 0)
    total += 2 * mapped(cell * _copies(sizes, plan)) + _cut_walks(sizes, plan, 2 * cell)
    bits = n // 8 + 8
    queued = 3 * cell * min(n, max(sizes.symmetric_arcs, m) // _SIZES["frontier_share"]) + 3 * bits
    sampling = {
        "": 0,
        "kout": 0,
        "hb": bits,
        "bfs": queued,
        "ldd": 4 * mapped(cell * n),
    }
    during = sampling[plan.sample.name if plan.sample is not None else ""]
    if plan.finish.standalone and not rounds:
        during = max(during, queued) + _of_system(sizes, plan, cell)
    renamed = ranked or (rounds and plan.sample is not None)
    skipping = 2 * bits if plan.sample is not None else 0  # what lies outside, and what remains there
    total += _largest_tree(n, m, cell) if plan.option("skip", "") == "tree" else 0
    return total + max(converting, during, skipping + (mapped(cell * n) if renamed else 0))


def forest_bytes(sizes: Sizes, plan: Plan) -> int:
    """The same for a spanning forest.

    A bit for each edge of the input, the origin of each arc of a CSR that is made or of each edge of a stage,
    and an edge for each vertex: the core releases what the run has freed a while later.
    """
    n, m = sizes.vertices, sizes.edges
    cell = 8 if sizes.wide or plan.option("ids", "") == "wide" else 4
    origins = mapped(8 * (sizes.symmetric_arcs if conversion(sizes, plan) == "csr" else _copies(sizes, plan)))
    edges = 2 * mapped(cell * n) + mapped(8 * n)
    of_walks = _cut_walks(sizes, plan, 8)  # the edge of each
    return component_bytes(sizes, plan) + mapped(m // 8 + 8) + origins + edges + of_walks


def stream_bytes(sizes: Sizes, plan: Plan) -> int:
    """Bytes of the trees of a stream that was handed all edges in one batch, and of its labels.

    Cells grow to what the batch names. Beside them an algorithm in rounds has the batch and the roots that it names,
    and labels of trees that are linked by rank have to be made the smallest ones.
    """
    n, finish = sizes.vertices, plan.finish
    cell = 8 if sizes.wide or plan.option("ids", "") == "wide" else 4
    rounds = "rounds" in finish.traits
    ranked, uses_aux = (False, False) if rounds else needs()[finish.link]
    cells = mapped(8 * n) if ranked else mapped(cell * n)
    cells += mapped(cell * n) if uses_aux or rounds else 0
    group = min(sizes.edges, max(n, _SIZES["smallest_cut"]))
    batch = 2 * mapped(cell * group) + mapped(8 * group) + mapped(2 * cell * group) if rounds else 0
    labels = mapped(cell * n) + (mapped(cell * n) if ranked else 0)
    skips = plan.option("skip", "tree") == "tree" and not (ranked or rounds)
    sets = 2 * _largest_tree(n, sizes.edges, cell) if skips else 0  # the one in use, and the next one
    return ALWAYS + 2 * _HUGE_PAGE + cells + batch + labels + sets
