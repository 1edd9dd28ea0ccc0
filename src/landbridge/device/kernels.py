"""Kernel expressions: from the words of the registry and the widths of arrays to the C++ names of kernels.

No GPU is needed: the tests compile these programs on machines without one. `forest` of a kernel that links or searches
names the one that also writes the edges of a spanning forest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from landbridge.device.jit import Kernel, Program

Width = Literal[32, 64]

TYPES: dict[int, str] = {32: "unsigned int", 64: "unsigned long long"}

_QUEUING = ("tile", "worklist", "gather")
CHOICES = {"first": "First", "pure": "Pure", "hybrid": "Hybrid", "max_degree": "MaxDegree"}
"""The types in lb::sample of the words of k-out's parameter ``choice``."""
JUMPS = {
    "jump1": "lb::find::Compress<>",
    "jump2": "lb::phase::Single",
    "jump3": "lb::find::Naive<>",
    "jump4": "lb::find::Inter<>",
}
"""The finds of the words of ECL-CC's parameter ``jump``."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Widths in bits: of the parent cells, of the ids that edges hold, and of row offsets."""

    cell: Width
    edge: Width
    offset: Width = 64

    @property
    def cells(self) -> str:
        return TYPES[self.cell]

    @property
    def edge_list(self) -> str:
        return f"{TYPES[self.cell]}, {TYPES[self.edge]}"

    @property
    def arrays(self) -> str:
        return f"{TYPES[self.cell]}, {TYPES[self.edge]}, {TYPES[self.offset]}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A link with its find and splice ("" for none), the strength of its reads, and whether warps merge equal links.

    ranked, uses_aux, steps, repeats: as the registry has them; repeats: whether an edge whose walk was cut off can be
    united again.
    """

    link: str
    find: str
    splice: str
    ranked: bool
    uses_aux: bool
    reads: str = "fresh"
    merge: str = "off"
    steps: bool = False
    repeats: bool = False

    @property
    def read_type(self) -> str:
        return {"fresh": "lb::Fresh", "stale": "lb::Stale"}[self.reads]

    @property
    def find_type(self) -> str:
        return f"lb::named::find::{self.find}<{self.read_type}>"

    @property
    def cuts_off(self) -> bool:
        """lb::phase::cuts_off of this rule; rules that merge go by the steps of their link."""
        return self.repeats and (self.steps or self.merge == "off")

    @property
    def type(self) -> str:
        splice = f"lb::named::splice::{self.splice or 'none'}<{self.read_type}>"
        link = f"lb::named::link::{self.link}<{self.find_type}, {splice}, {self.read_type}>"
        return link if self.merge == "off" else f"lb::gpu::Merged<{link}, {str(self.merge == 'near').lower()}>"


def expression(name: str, *arguments: str) -> str:
    """A kernel of lb::gpu with the arguments of its template."""
    return f"lb::gpu::{name}<{', '.join(arguments)}>"


def _program(header: str, *expressions: str) -> Program:
    return Program(header, expressions)


# ---- every run ------------------------------------------------------------------------------------------------------

_COMMON = (
    "start", "flatten", "fill_none", "offer_smallest", "take_smallest", "choose_skip", "number", "label",
)  # fmt: skip


@cache
def common(name: str, shape: Shape) -> Kernel:
    """What runs launch whatever their rule."""
    return Kernel(_common_program(shape.cells), name)


@cache
def _common_program(cells: str) -> Program:
    return _program("common.cuh", *(expression(name, cells) for name in _COMMON))


@cache
def auxiliary(name: str, rule: Rule, shape: Shape) -> Kernel:
    """What rules with cells of their own need before and after: init_auxiliary, flatten_ranked."""
    init = [expression("init_auxiliary", rule.type, shape.cells)] if rule.ranked or rule.uses_aux else []
    flatten = [expression("flatten_ranked", rule.find_type, shape.cells)] if rule.ranked else []
    return Kernel(_program("common.cuh", *init, *flatten), name)


@cache
def unite_deferred(shape: Shape) -> Kernel:
    """What unites the endpoints of deferred edges."""
    return Kernel(_program("unite_coo.cuh", expression("unite_deferred", shape.cells)), "unite_deferred")


# ---- starts ---------------------------------------------------------------------------------------------------------


@cache
def hook_csr(shape: Shape, forest: bool = False) -> Kernel:
    """The hook-based start."""
    header, name = ("forest.cuh", "forest_hooks") if forest else ("start.cuh", "hook_csr")
    return Kernel(_program(header, expression(name, shape.arrays)), name)


@cache
def contract_tiles(shape: Shape) -> Kernel:
    """The start that contracts tiles."""
    return Kernel(_program("tiles.cuh", expression("contract_tiles", shape.arrays)), "contract_tiles")


# ---- union-find -----------------------------------------------------------------------------------------------------


@cache
def unite_csr(rule: Rule, balance: str, shape: Shape, forest: bool = False) -> Kernel:
    """Selected rows under a rule."""
    return Kernel(_unite_csr_program(rule, balance, shape, forest), "forest_csr" if forest else "unite_csr")


@cache
def unite_queued(rule: Rule, balance: str, shape: Shape, forest: bool = False) -> Kernel | None:
    """The rows that `unite_csr` queues; None for a schedule that queues none."""
    if balance not in _QUEUING:
        return None
    return Kernel(_unite_csr_program(rule, balance, shape, forest), "forest_queued" if forest else "unite_queued")


@cache
def _unite_csr_program(rule: Rule, balance: str, shape: Shape, forest: bool) -> Program:
    names = ("forest_csr", "forest_queued") if forest else ("unite_csr", "unite_queued")
    launched = names if balance in _QUEUING else names[:1]
    how = f"lb::gpu::Balance::{balance}"
    header = "forest.cuh" if forest else "unite_csr.cuh"
    return _program(header, *(expression(name, rule.type, how, shape.arrays) for name in launched))


@cache
def unite_listed(rule: Rule, shape: Shape, forest: bool = False) -> Kernel:
    """The rows outside a search for one large component, which are listed."""
    header, name = ("forest.cuh", "forest_listed") if forest else ("unite_listed.cuh", "unite_listed")
    return Kernel(_program(header, expression(name, rule.type, shape.arrays)), name)


@cache
def unite_leaving(rule: Rule, shape: Shape, forest: bool = False) -> Kernel:
    """The edges that lead to vertices outside the largest tree, in whatever rows."""
    return Kernel(_unite_leaving_program(rule, shape, forest), "forest_leaving" if forest else "unite_leaving")


@cache
def fold_outside(rule: Rule, shape: Shape, forest: bool = False) -> Kernel:
    """The vertices outside the largest tree, a bit for all that have the same lowest bits of their ids."""
    return Kernel(_unite_leaving_program(rule, shape, forest), "fold_outside")


@cache
def _unite_leaving_program(rule: Rule, shape: Shape, forest: bool) -> Program:
    header, name = ("forest.cuh", "forest_leaving") if forest else ("unite_leaving.cuh", "unite_leaving")
    return _program(header, *(expression(*each, shape.arrays) for each in ((name, rule.type), ("fold_outside",))))


@cache
def unite_sample(rule: Rule, choice: str, arcs: str, shape: Shape, forest: bool = False) -> Kernel:
    """k-out under a rule."""
    header, name = ("forest.cuh", "forest_sample") if forest else ("sample.cuh", "unite_sample")
    kind = f"lb::sample::{CHOICES[choice]}"
    return Kernel(_program(header, expression(name, rule.type, kind, f"lb::gpu::Arcs::{arcs}", shape.arrays)), name)


@cache
def unite_coo(rule: Rule, shape: Shape, forest: bool = False) -> Kernel:
    """An edge list under a rule."""
    return Kernel(_coo_program(rule, shape, forest), "forest_coo" if forest else "unite_coo")


@cache
def settle_coo(rule: Rule, shape: Shape, forest: bool = False) -> Kernel:
    """The edges of an edge list whose walks were cut off."""
    return Kernel(_coo_program(rule, shape, forest), "forest_settle" if forest else "settle_coo")


@cache
def _coo_program(rule: Rule, shape: Shape, forest: bool) -> Program:
    header, names = ("forest.cuh", _FOREST_COO) if forest else ("unite_coo.cuh", _COO)
    return _program(header, *(expression(name, rule.type, shape.edge_list) for name in names[: 1 + rule.cuts_off]))


@cache
def sampled_coo(name: str, rule: Rule, shape: Shape) -> Kernel:
    """A long edge list of which a sample is united first: sample_coo, mark_coo, unite_rest, unite_outside,
    settle_rest."""
    expressions = (expression(each, rule.type, shape.edge_list) for each in _SAMPLED_COO)
    return Kernel(_program("sampled_coo.cuh", expression("mark_coo", shape.edge_list), *expressions), name)


@cache
def hook_coo(shape: Shape) -> Kernel:
    """Hooks an edge list that looks like a mesh."""
    return Kernel(_program("unite_coo.cuh", expression("hook_coo", shape.edge_list)), "hook_coo")


_SAMPLED_COO = ("sample_coo", "unite_rest", "unite_outside", "settle_rest")
_COO, _FOREST_COO = ("unite_coo", "settle_coo"), ("forest_coo", "forest_settle")


@cache
def unite_small(rule: Rule, shape: Shape) -> Kernel:
    """A whole run in one block, of a rule that needs nothing beside the parents."""
    return Kernel(_program("small.cuh", expression("unite_small", rule.type, shape.arrays)), "unite_small")


@cache
def unite_unchecked(rule: Rule, edge: Width) -> Kernel:
    """An edge list that has not been validated, in one block and its shared memory."""
    return Kernel(_program("small.cuh", expression("unite_unchecked", rule.type, TYPES[edge])), "unite_unchecked")


# ---- searches, rounds, systems --------------------------------------------------------------------------------------

_SEARCHES = {
    "search_all": "forest_search_all",
    "decompose": "forest_clusters",
}
_MEMBER_SEARCHES = {
    "search_members": "forest_members",
    "grow_members": "forest_growth",
    "adopt_members": "adopt_members",
    "list_outside": "list_outside",
}
"""Names of kernels, and of those that write the edges of a forest, too."""


@cache
def search(name: str, shape: Shape, forest: bool = False) -> Kernel:
    """Breadth-first search of all components (search_all) and decomposition (decompose)."""
    return _search(name, "search.cuh", _SEARCHES, shape, forest)


@cache
def member_search(name: str, shape: Shape, forest: bool = False) -> Kernel:
    """The search for one large component: search_members, grow_members, adopt_members, list_outside."""
    return _search(name, "search_members.cuh", _MEMBER_SEARCHES, shape, forest)


@cache
def member_numbering(name: str, shape: Shape) -> Kernel:
    """Numbering behind that search: number_outside, label_members."""
    names = ("number_outside", "label_members")
    return Kernel(_program("number_members.cuh", *(expression(each, shape.cells) for each in names)), name)


def _search(name: str, header: str, names: dict[str, str], shape: Shape, forest: bool) -> Kernel:
    launched = names.values() if forest else names
    program = _program(
        "forest_search.cuh" if forest else header, *(expression(each, shape.arrays) for each in launched)
    )
    return Kernel(program, names[name] if forest else name)


def rounds_type(name: str, words: tuple[str, ...]) -> str:
    """The rounds of a row with these words: the type of a word is the word, with a capital."""
    types = (f"lb::named::round::{name}", *(f"lb::round::{word.capitalize()}" for word in words))
    return f"lb::round::RoundOf<{', '.join(types)}>"


@cache
def rounds_csr(name: str, words: tuple[str, ...], shape: Shape, forest: bool = False) -> Kernel:
    """An algorithm in rounds over CSR."""
    header, kernel = ("forest_rounds.cuh", "forest_rounds_csr") if forest else ("rounds.cuh", "rounds_csr")
    return Kernel(_program(header, expression(kernel, rounds_type(name, words), shape.arrays)), kernel)


@cache
def rounds_coo(name: str, words: tuple[str, ...], shape: Shape, forest: bool = False) -> Kernel:
    """An algorithm in rounds over an edge list."""
    header, kernel = ("forest_rounds.cuh", "forest_rounds_coo") if forest else ("rounds.cuh", "rounds_coo")
    return Kernel(_program(header, expression(kernel, rounds_type(name, words), shape.edge_list)), kernel)


@cache
def ecl(name: str, jump: str, shape: Shape) -> Kernel:
    """ECL-CC with one of its finds: ecl_start, ecl_short, ecl_medium, ecl_long, ecl_finish."""
    rows = (expression(row, JUMPS[jump], shape.arrays) for row in ("ecl_short", "ecl_medium", "ecl_long"))
    outer = expression("ecl_start", shape.arrays), expression("ecl_finish", shape.cells)
    return Kernel(_program("ecl.cuh", outer[0], *rows, outer[1]), name)


@cache
def system(name: str, type: str, shape: Shape) -> Kernel:
    """An algorithm of lb::system (run_system), and what lays its edges out for it (copy_endpoints)."""
    run = expression("run_system", f"lb::system::{type}", shape.cells)
    return Kernel(_program("system.cuh", run, expression("copy_endpoints", shape.edge_list)), name)


# ---- graphs ---------------------------------------------------------------------------------------------------------


@cache
def validation(name: str, width: Width) -> Kernel:
    """The checks of ids, edges or offsets of one width: check_ids, check_pairs, check_offsets."""
    checks = (expression(check, TYPES[width]) for check in ("check_ids", "check_pairs", "check_offsets"))
    return Kernel(_program("validate.cuh", *checks), name)


@cache
def build_csr(name: str, edge: Width) -> Kernel:
    """Symmetric CSR from an edge list: count_endpoints, scatter_edges."""
    passes = (expression(each, TYPES[edge]) for each in ("count_endpoints", "scatter_edges"))
    return Kernel(_program("build_csr.cuh", *passes), name)


@cache
def scatter_origins(edge: Width) -> Kernel:
    """The same with the edge behind each neighbor."""
    return Kernel(_program("build_csr.cuh", expression("scatter_origins", TYPES[edge])), "scatter_origins")


@cache
def list_sources(edge: Width, offset: Width) -> Kernel:
    """The vertex whose row each neighbor is in."""
    return Kernel(_program("build_csr.cuh", expression("list_sources", TYPES[edge], TYPES[offset])), "list_sources")


@cache
def rows_of_list(name: str, edge: Width, offset: Width) -> Kernel:
    """The offsets of an edge list that consists of rows: mark_rows, fill_rows."""
    passes = (expression(each, TYPES[edge], TYPES[offset]) for each in ("mark_rows", "fill_rows"))
    return Kernel(_program("build_csr.cuh", *passes), name)


@cache
def probe_csr(edge: Width, offset: Width) -> Kernel:
    """The probe of a few rows before a plan is chosen."""
    return Kernel(_program("validate.cuh", expression("probe_csr", TYPES[edge], TYPES[offset])), "probe_csr")
