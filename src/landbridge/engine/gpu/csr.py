"""Rows of CSR under a rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge.device import kernels, layout
from landbridge.device.launch import grid_for
from landbridge.device.layout import Struct
from landbridge.engine.gpu.components_run import ComponentsRun
from landbridge.engine.gpu.schedule import MANY

_QUEUES, _ROWS = layout.struct_type("RowQueues"), layout.struct_type("RowSchedule")
_LEAVING = layout.struct_type("LeavingEdges")
_PICK, _OWNER, _RUN_IF = layout.enum("Pick"), layout.enum("Owner"), layout.enum("RunIf")
_BLOCK, _WARP = layout.constant("block_threads"), layout.constant("warp_threads")
_TILE = layout.constant("tile_vertices")
_LONGEST_OF_BLOCK = layout.constant("block_row")
_SMALLEST_TILE, _TILES_OF_ONE = 64, 8
"""Tiles are at least so large; otherwise there are so many of them for each multiprocessor."""
_HEAVY, _HEAVY_LEAST, _HEAVY_MOST = 4, 2 * _LONGEST_OF_BLOCK, 2**15
"""A tile is heavy if it has so many times the edges that each of the tiles that run at once would have, within two
bounds, of which the upper one is raised to so many times a tile's mean. The lower one is more than the longest row of a
block, so a place among such rows is free for a heavy tile."""
_NEVER = 2**62
_WAVES_OF_SHARES = layout.constant("warp_queue_blocks")
_CONTRACT_BITS = layout.constant("contract_bits")
_FOLD_WORDS = layout.constant("fold_words")
_NONE_LEAVING = layout.constant("coverage_scale")
"""The coverage of edges from which they are read without their rows: no drawn one leads outside. One in a hundred that
do would take as long again, as a thread searches for the row of each."""


def add_rows(
    run: ComponentsRun,
    rule: kernels.Rule,
    phase: str,
    *,
    pick: str,
    first: int = 0,
    limit: int | None = None,
    one_endpoint: bool = False,
    members: Any = None,
    inside: Any = None,
    run_if: str = "always",
    bound: int = 0,
    balance: str = "",
) -> None:
    """Unite the neighbors [first, first + limit) of the rows of some vertices.

    pick: which vertices, a word of the headers' `Pick`. limit: None for all. one_endpoint: symmetric rows hold every
    edge twice, and the row of one endpoint is enough. members, inside: the bits that some picks go by. run_if, bound:
    whether the rows are read, by the coverage of the largest tree; a word of the headers' `RunIf`. balance: that of the
    plan where it is not given.
    """
    balance = balance or run.schedule.balance
    limit = run.m if limit is None else limit
    queues = balance != "tile" or limit > _LONGEST_OF_BLOCK  # whether what is queued is taken up
    rows = _row_schedule(
        run,
        pick,
        first=first,
        limit=limit,
        one_endpoint=one_endpoint,
        members=members,
        inside=inside,
        run_if=run_if,
        bound=bound,
        heavy=_heavy_edges_of(run) if queues else _NEVER,
    )
    if balance == "edge":
        # Shares are fixed, so all blocks have to run at once.
        blocks = grid_for(run.device, run.n + run.m, waves=_WAVES_OF_SHARES)
    else:
        per_block = {"tile": _tile_of(run), "warp": _BLOCK // _WARP, "block": 1}.get(balance, _BLOCK)
        blocks = grid_for(run.device, run.n, per_block)
    arguments = (run.csr, run.cells, _queues_of(run, balance), rows)
    run.uniting(phase, kernels.unite_csr(rule, balance, run.shape, run.forest), blocks, *arguments)
    queued = kernels.unite_queued(rule, balance, run.shape, run.forest)
    if queued is not None and queues:
        run.uniting(phase, queued, grid_for(run.device, run.m, waves=4), *arguments)


def add_listed_rows(
    run: ComponentsRun, rule: kernels.Rule, phase: str, search: Struct, *, run_if: str = "always", bound: int = 0
) -> None:
    """List the vertices outside the members of a search, as far as its queue has places for them, and unite their
    neighbors: those of long rows by all blocks, those of others by a thread or a warp each. Other arguments as for
    `add_rows`."""
    places = run.m // _LONGEST_OF_BLOCK + 1
    queues = _QUEUES(list=None, huge=run.array(places), places=places)
    rows = _row_schedule(run, "outside", limit=run.m, run_if=run_if, bound=bound, heavy=_NEVER)
    lists = kernels.member_search("list_outside", run.shape, run.forest)
    # Where edges were given up, the rows are listed once more: numbers take the place of the list in the end alone.
    run.repeated.append(run.launches.over(phase, lists, -(-run.n // _WARP), run.csr, run.cells, search, queues, rows))
    unite = kernels.unite_listed(rule, run.shape, run.forest)
    # As for shares: each warp has as many words of bits as any other.
    blocks = grid_for(run.device, run.m, waves=_WAVES_OF_SHARES)
    run.uniting(phase, unite, blocks, run.csr, run.cells, search, queues, rows)


def add_leaving_edges(run: ComponentsRun, rule: kernels.Rule, phase: str, *, first: int, members: Any) -> None:
    """Unite the edges that lead to vertices outside the largest tree from the rows of its members before.

    first: of a row, the first neighbor that has not been united. members: bits of the vertices that were in the tree
    when the other rows were read. Of many edges some are drawn: where none of them leads there, all are read without
    their rows.
    """
    inside = run.mark_members(phase).fields["members"]
    run_if, bound = "always", 0
    if run.m >= MANY:
        run_if, bound = "coverage_below", _NONE_LEAVING
        leaving = _LEAVING(inside=inside, fold=run.launches.array(_FOLD_WORDS, np.uint32), bound=bound)
        fold, unite = (make(rule, run.shape, run.forest) for make in (kernels.fold_outside, kernels.unite_leaving))
        run.launches.add(phase, fold, _FOLD_WORDS // _WARP, run.csr, run.cells, leaving)
        run.uniting(phase, unite, grid_for(run.device, run.m, waves=_WAVES_OF_SHARES), run.csr, run.cells, leaving)
    picked: dict[str, Any] = {"pick": "leaving", "first": first, "members": members, "inside": inside}
    add_rows(run, rule, phase, **picked, run_if=run_if, bound=bound, balance="edge")


def _row_schedule(
    run: ComponentsRun,
    pick: str,
    *,
    first: int = 0,
    limit: int,
    one_endpoint: bool = False,
    members: Any = None,
    inside: Any = None,
    run_if: str,
    bound: int,
    heavy: int,
) -> Struct:
    """heavy: the edges from which all blocks share a tile; other arguments as for `add_rows`."""
    schedule = run.schedule
    # Threads that share a short row: as many as it has edges to work on, so that few of them wait.
    width = min(limit, run.m / run.n / (2 if one_endpoint else 1))
    return _ROWS(
        members=members,
        inside=inside,
        first=first,
        limit=limit,
        lanes=1 if width < 2 else 2 if width < 4 else 4,
        tile=_tile_of(run),
        heavy_edges=heavy,
        tile_bits=_CONTRACT_BITS if schedule.start == "tile" and one_endpoint else 0,
        bound=bound,
        pick=_PICK[pick],
        owner=_OWNER[schedule.owner if one_endpoint else "both"],
        run_if=_RUN_IF[run_if],
        streaming=int(schedule.hints == "stream"),
        single_append=int(schedule.atomics == "single"),
        ending=int(pick == "outside"),
    )


def _queues_of(run: ComponentsRun, balance: str) -> Struct:
    """Where rows are queued; one for all launches of a run, whose first decides what there is."""
    if run.row_queues is None:
        places = run.m // _LONGEST_OF_BLOCK + 1
        run.row_queues = _QUEUES(
            list=run.array(run.n) if balance in ("worklist", "gather") else None,
            huge=run.array(places) if balance == "tile" else None,
            places=places,
        )
    return run.row_queues


def _tile_of(run: ComponentsRun) -> int:
    """Vertices of a tile: small graphs have as many tiles as keep all multiprocessors busy."""
    tile = _TILE
    while tile > _SMALLEST_TILE and run.n < tile * _TILES_OF_ONE * run.device.multiprocessors:
        tile //= 2
    return tile


def _heavy_edges_of(run: ComponentsRun) -> int:
    """Edges above which all blocks share the longer rows of a tile."""
    at_once = run.m // (_TILES_OF_ONE * run.device.multiprocessors)
    mean = run.m * _tile_of(run) // max(run.n, 1)
    return min(max(_HEAVY * at_once, _HEAVY_LEAST), max(_HEAVY * mean, _HEAVY_MOST))
