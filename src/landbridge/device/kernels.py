"""The names of kernels: from the words of the registry and the widths of arrays to C++ name expressions.

Knows no GPU: the tests compile what is named here on machines without one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from landbridge.device.jit import Program, short

Width = Literal[32, 64]

_TYPES: dict[int, str] = {32: "unsigned int", 64: "unsigned long long"}

BALANCES = ("tile", "worklist", "thread", "warp", "block", "gather", "edge")
"""The schedules of rows, in the order of lb::gpu::Balance."""
ARCS = ("vertex", "coalesced", "reorganised")
"""How k-out reads its arcs, in the order of lb::gpu::Arcs."""
CHOICES = {"first": "First", "pure": "Pure", "hybrid": "Hybrid", "max_degree": "MaxDegree"}
"""The types in lb::sample that the words of k-out's parameter ``choice`` stand for."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Widths in bits: of the parent cells, of the ids that edges hold, and of row offsets."""

    cell: Width
    edge: Width
    offset: Width = 64

    @property
    def cells(self) -> str:
        return _TYPES[self.cell]

    @property
    def arrays(self) -> str:
        return f"{_TYPES[self.cell]}, {_TYPES[self.edge]}, {_TYPES[self.offset]}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A link with its find and splice ("" for none), the strength of its reads, and whether warps merge equal links."""

    link: str
    find: str
    splice: str
    ranked: bool
    uses_aux: bool
    reads: str = "fresh"
    merge: str = "off"

    @property
    def read_type(self) -> str:
        return {"fresh": "lb::Fresh", "stale": "lb::Stale"}[self.reads]

    @property
    def find_type(self) -> str:
        return f"lb::named::find::{self.find}<{self.read_type}>"

    @property
    def type(self) -> str:
        splice = f"lb::named::splice::{self.splice or 'none'}<{self.read_type}>"
        link = f"lb::named::link::{self.link}<{self.find_type}, {splice}, {self.read_type}>"
        return link if self.merge == "off" else f"lb::gpu::Merged<{link}, {str(self.merge == 'near').lower()}>"


def _kernel(name: str, *arguments: str) -> str:
    return f"lb::gpu::{name}<{', '.join(arguments)}>"


def base(shape: Shape) -> Program:
    """What every run needs, whatever its rule."""
    names = ("start", "compress", "fill_none", "offer_low", "take_low", "choose_skip", "number", "label")
    return Program("kernels.cuh", tuple(_kernel(name, shape.cells) for name in names))


def deferred(shape: Shape) -> Program:
    """What unites the ends of edges that were put aside."""
    return Program("kernels.cuh", (_kernel("unite_deferred", shape.cells),))


def hooks(shape: Shape) -> Program:
    """The hook-based start."""
    return Program("kernels.cuh", (_kernel("hook_rows", shape.arrays),))


def tiles(shape: Shape) -> Program:
    """The start that contracts tiles."""
    return Program("tiles.cuh", (_kernel("contract_tiles", shape.arrays),))


def search(shape: Shape) -> Program:
    """Breadth-first search and decomposition."""
    return Program("search.cuh", tuple(_kernel(n, shape.arrays) for n in ("search_star", "search_all", "decompose")))


JUMPS = {
    "jump1": "lb::find::Compress<>",
    "jump2": "lb::phase::Single",
    "jump3": "lb::find::Naive<>",
    "jump4": "lb::find::Inter<>",
}
"""The finds that the words of ECL-CC's parameter ``jump`` stand for."""


def ecl(jump: str, shape: Shape) -> Program:
    """ECL-CC with one of its finds."""
    rows = (_kernel(name, JUMPS[jump], shape.arrays) for name in ("ecl_short", "ecl_medium", "ecl_long"))
    return Program("ecl.cuh", (_kernel("ecl_start", shape.arrays), *rows, _kernel("ecl_finish", shape.cells)))


def system(name: str, shape: Shape) -> Program:
    """An algorithm of lb::system, and what lays its edges out for it."""
    run = _kernel("run_system", f"lb::system::{name}", shape.cells)
    return Program("system.cuh", (run, _kernel("take_ends", shape.cells, _TYPES[shape.edge])))


def validation(width: Width) -> Program:
    """The checks of ids or offsets of one width."""
    return Program("kernels.cuh", tuple(_kernel(name, _TYPES[width]) for name in ("check_ids", "check_offsets")))


def make_rows(edge: Width, offset: Width) -> Program:
    """Symmetric rows from pairs or rows."""
    names = tuple(_kernel(name, _TYPES[edge]) for name in ("count_pairs", "scatter_pairs"))
    return Program("rows.cuh", (*names, _kernel("name_rows", _TYPES[edge], _TYPES[offset])))


def probe(edge: Width, offset: Width) -> Program:
    """The look at a few rows before a plan is chosen."""
    return Program("rows.cuh", (_kernel("probe_rows", _TYPES[edge], _TYPES[offset]),))


def _rounds(name: str, words: tuple[str, ...]) -> str:
    """The rounds of a row with these words: the type of a word is the word, with a capital."""
    types = (f"lb::named::round::{name}", *(f"lb::round::{word.capitalize()}" for word in words))
    return f"lb::round::RoundOf<{', '.join(types)}>"


def rounds_rows(name: str, words: tuple[str, ...], shape: Shape) -> Program:
    """An algorithm in rounds over rows."""
    return Program("rounds.cuh", (_kernel("rounds_rows", _rounds(name, words), shape.arrays),))


def rounds_pairs(name: str, words: tuple[str, ...], shape: Shape) -> Program:
    """An algorithm in rounds over a list of edges."""
    kernel = _kernel("rounds_pairs", _rounds(name, words), shape.cells, _TYPES[shape.edge])
    return Program("rounds.cuh", (kernel,))


def stream_rounds(name: str, words: tuple[str, ...], shape: Shape) -> Program:
    """Batches of a stream in rounds."""
    kernel = _kernel("insert_rounds", _rounds(name, words), shape.cells, _TYPES[shape.edge])
    return Program("stream_rounds.cuh", (kernel,))


def unite_rows(rule: Rule, balance: str, shape: Shape) -> Program:
    """Rows under a rule: the vertices that are picked, and the rows they queue for others."""
    how = str(BALANCES.index(balance))
    names = ("unite_rows", "unite_queued") if balance in ("tile", "worklist", "gather") else ("unite_rows",)
    return Program("kernels.cuh", tuple(_kernel(name, rule.type, how, shape.arrays) for name in names))


def unite_sample(rule: Rule, choice: str, arcs: str, shape: Shape) -> Program:
    """k-out under a rule."""
    kind = f"lb::sample::{CHOICES[choice]}"
    return Program("kernels.cuh", (_kernel("unite_sample", rule.type, kind, str(ARCS.index(arcs)), shape.arrays),))


def unite_pairs(rule: Rule, shape: Shape) -> Program:
    """A list of edges under a rule."""
    return Program("kernels.cuh", (_kernel("unite_pairs", rule.type, _TYPES[shape.cell], _TYPES[shape.edge]),))


def unite_small(rule: Rule, shape: Shape) -> Program:
    """A whole run in one block, of a rule that needs nothing beside the parents."""
    return Program("fuse.cuh", (_kernel("unite_small", rule.type, shape.arrays),))


def unite_unseen(rule: Rule, edge: Width) -> Program:
    """Pairs nobody has validated, in one block and its shared memory."""
    return Program("fuse.cuh", (_kernel("unite_unseen", rule.type, _TYPES[edge]),))


def upkeep(rule: Rule, shape: Shape) -> Program:
    """What a rule's own cells need before and after: nothing for most rules."""
    names = []
    if rule.ranked or rule.uses_aux:
        names.append(_kernel("prepare", rule.type, shape.cells))
    if rule.ranked:
        names.append(_kernel("settle_ranked", rule.find_type, shape.cells))
    return Program("kernels.cuh", tuple(names))


def stream(rule: Rule, shape: Shape) -> Program:
    """Batches of a stream under a rule; `shape.edge` is the width of the ids of a batch."""
    cell, edge = _TYPES[shape.cell], _TYPES[shape.edge]
    operations = _kernel("run_operations", rule.type, rule.find_type, rule.read_type, cell, edge)
    begin = _kernel("begin_cells", rule.type, cell)
    common = (_kernel("largest_inserted", edge), _kernel("spread_bits", "unsigned char"))
    return Program("incremental.cuh", (begin, _kernel("insert_edges", rule.type, cell, edge), operations, *common))


FOREST = {
    "unite_rows": "forest_rows",
    "unite_queued": "forest_queued",
    "unite_sample": "forest_sample",
    "unite_pairs": "forest_pairs",
    "hook_rows": "forest_hooks",
    "search_star": "forest_star",
    "search_all": "forest_all",
    "decompose": "forest_clusters",
    "rounds_rows": "forest_round_rows",
    "rounds_pairs": "forest_round_pairs",
}
"""The kernels that link or search, and those that also write out the edges of a spanning forest."""


def forest(program: Program) -> Program:
    """The same kernels as they run for a spanning forest."""
    if not any(short(name) in FOREST for name in program.names):
        return program
    header = "forest_rounds.cuh" if program.header == "rounds.cuh" else "forest.cuh"
    return Program(header, tuple(name.replace(short(name), FOREST[short(name)], 1) for name in program.names))


def scatter_origins(edge: Width) -> Program:
    """Symmetric rows that know which pair is behind each arc."""
    return Program("forest.cuh", (_kernel("scatter_origins", _TYPES[edge]),))


def marks(shape: Shape) -> Program:
    """What streams do to batches and vertices beside inserting, whatever the rule."""
    cell, edge = _TYPES[shape.cell], _TYPES[shape.edge]
    return Program(
        "incremental.cuh", (_kernel("hook_edges", cell, edge), _kernel("mark_linked", cell), _kernel("mark_tree", cell))
    )
