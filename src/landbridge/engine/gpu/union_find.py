"""One rule over all edges: of CSR, sampled or not, or of an edge list, in stages or not; and in one block."""

from __future__ import annotations

from landbridge.device import kernels, layout
from landbridge.engine.gpu.components_run import CSR, EDGES, ComponentsRun
from landbridge.engine.gpu.coo import add_edges
from landbridge.engine.gpu.csr import add_leaving_edges, add_listed_rows, add_rows
from landbridge.engine.gpu.cut_edges import settle_blocks
from landbridge.engine.gpu.launch_list import Launch, LaunchList
from landbridge.engine.gpu.sampling import SOME, add_sampling
from landbridge.engine.gpu.samplings import Sampled, add_hooks
from landbridge.engine.gpu.schedule import rule_of
from landbridge.engine.gpu.search import adopt, lists_outside
from landbridge.plan import Finish, Sample

_CONTRACTION = layout.struct_type("TileContraction")
_DEFERRED = layout.struct_type("DeferredOptions")
_FUSED_THREADS = layout.constant("fused_threads")
_CONTRACT_THREADS, _CONTRACT_BITS = layout.constant("contract_threads"), layout.constant("contract_bits")


def add_union_find(run: ComponentsRun, sample: Sample | None, finish: Finish) -> None:
    """From the start to a forest that is ready to be numbered."""
    rule = rule_of(finish, run.schedule.reads, run.schedule.merge)
    run.use_cells_of(rule)
    if run.csr is None:
        run.start(adopt=False)
        run.init_auxiliary(rule)
        add_edges(run, rule, finish.stages)
    elif sample is None:
        _add_start(run, rule)
        # Taken from its larger endpoint, a first edge is one that the start has hooked, or the edge of another row.
        start, owner = run.schedule.start, run.schedule.owner
        united = int(start in ("hook", "star") and run.symmetric and owner == "larger")
        add_rows(run, rule, "finish", pick="all", first=united, one_endpoint=run.symmetric)
    else:
        sampled = add_sampling(run, rule, sample)
        if run.symmetric and run.schedule.adapt:
            _add_adaptive_finish(run, rule, sampled)
        elif run.symmetric:
            _add_outside(run, rule, sampled)
        else:
            _add_one_way_rows(run, rule, sampled)
    if rule.ranked and not run.forest:
        run.flatten_ranked("number", rule)
        run.take_smallest("number")


def _add_adaptive_finish(run: ComponentsRun, rule: kernels.Rule, sampled: Sampled) -> None:
    """The rows outside the largest tree, or all where that covers little: what is not called for returns at once.

    The first edges that the sampling has united are left out. All others are taken here, also those of a further
    sampling: it may have dropped some.
    """
    _add_outside(run, rule, sampled, run_if="coverage_from", bound=SOME)
    add_rows(
        run,
        rule,
        "finish",
        pick="all",
        first=sampled.united,
        one_endpoint=True,
        run_if="coverage_below",
        bound=SOME,
        balance="edge",
    )


def _add_one_way_rows(run: ComponentsRun, rule: kernels.Rule, sampled: Sampled) -> None:
    """Of CSR that need not be symmetric: the rows outside the largest tree; then, if a vertex remains outside it, the
    edges that lead there."""
    members = run.mark_members("skip").fields["members"]
    add_rows(run, rule, "finish", pick="unmarked", first=sampled.united, members=members)
    run.repeated.append(run.flatten_ranked("finish", rule) if rule.ranked else run.flatten("finish"))
    add_leaving_edges(run, rule, "finish", first=sampled.united, members=members)


def _add_outside(
    run: ComponentsRun, rule: kernels.Rule, sampled: Sampled, *, run_if: str = "always", bound: int = 0
) -> None:
    """The rows outside the largest tree: those of a list, where members are bits and the plan names no balance."""
    if run.search is not None and lists_outside(run):
        add_listed_rows(run, rule, "finish", run.search, run_if=run_if, bound=bound)
    else:
        add_rows(run, rule, "finish", pick="outside", first=sampled.united, run_if=run_if, bound=bound)


def _add_start(run: ComponentsRun, rule: kernels.Rule) -> None:
    start = run.schedule.start
    run.start(adopt=start != "self")
    if start == "tile":
        _add_contraction(run)
    elif start != "self":
        add_hooks(run, "start")
    if start == "star":
        run.flatten("start")
    run.init_auxiliary(rule)


def _add_contraction(run: ComponentsRun) -> None:
    kernel = kernels.contract_tiles(run.shape)
    blocks = min(-(-run.n >> _CONTRACT_BITS), 2 * run.device.multiprocessors)
    tiles = _CONTRACTION(bits=_CONTRACT_BITS)
    shared = layout.constant("tile_cell_bytes") << _CONTRACT_BITS
    run.launches.add("start", kernel, blocks, run.csr, run.cells, tiles, threads=_CONTRACT_THREADS, shared=shared)


def add_one_block(run: ComponentsRun, finish: Finish) -> None:
    """All of a run in one block, numbers among it."""
    kernel = kernels.unite_small(rule_of(finish, run.schedule.reads, run.schedule.merge), run.shape)
    csr = run.csr or CSR(offsets=None, neighbors=None, vertices=run.n, symmetric=0)
    edges = run.edges or EDGES(u=None, v=None, u_stride=1, v_stride=1, edges=run.m)
    run.launches.add("finish", kernel, 1, csr, edges, run.cells, threads=_FUSED_THREADS)


def completion(run: ComponentsRun, again: bool, unbounded: bool) -> list[Launch]:
    """What ends a run that has deferred edges: store the cells that were left out, flatten all paths and unite those
    edges; number.

    again: edges were given up, so all are united once more. unbounded: no edge is deferred meanwhile.
    """
    steps = LaunchList(run.device)
    if run.left_out:
        adopt(run, steps, "finish", "rest")
    unite, blocks = kernels.unite_deferred(run.shape), settle_blocks(run.device)
    steps.add("finish", unite, blocks, run.cells, _DEFERRED(unbounded=int(unbounded)), cooperative=True)
    if again:
        steps.launches += run.repeated
    if unbounded:
        steps.add("finish", unite, blocks, run.cells, _DEFERRED(unbounded=0), cooperative=True)
    return steps.launches + run.numbering
