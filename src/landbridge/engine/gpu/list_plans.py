"""One row per plan of list ranking on a GPU: what it does. Nothing else compares the names of these plans.

`chains`, the default, walks between splitters that need no mark and writes nothing where it goes: what it finds of an
element is appended to the queue of a part of the result that fits the cache, and put in order part by part. The other
plans are those of their papers.
"""

from __future__ import annotations

from landbridge.edges.successors import ScanSpec
from landbridge.engine.gpu.list_run import Algorithm, Answer, ListRun
from landbridge.engine.gpu.list_steps import Array
from landbridge.engine.gpu.list_suffixes import Suffixes, independent_sets, jump_arrays, jump_packed
from landbridge.engine.gpu.list_walks import (
    Walks,
    many_splitters,
    place_by_jumps,
    place_by_recursion,
    place_on_host,
    published_splitters,
    short_states,
)
from landbridge.plan import RankPlan

_CHAINS = Walks(many_splitters, place_by_jumps, sampled=True)
_REST = (RankPlan("chains"), _CHAINS)

ALGORITHMS: dict[str, Algorithm] = {
    "chains": _CHAINS,
    "random_splitter": Walks(published_splitters("random_splitter"), place_by_jumps, short_states),
    "wei_jaja": Walks(published_splitters("wei_jaja"), place_on_host),
    "rehman": Walks(published_splitters("rehman"), place_by_recursion),
    "wyllie": Suffixes(jump_arrays, links=jump_packed),
    "fis": Suffixes(independent_sets("fis", _REST), both_ways=True),
    "fis_hybrid": Suffixes(independent_sets("fis", _REST, draws_bits=True), both_ways=True),
}


def rank_lists(run: ListRun, values: Array | None, scan: ScanSpec) -> Answer:
    """The answer of a run of a plan. Raises InvalidListsError, InputError."""
    algorithm = ALGORITHMS[run.plan.name]
    return algorithm.rank(run, scan) if values is None else algorithm.scan(run, values, scan)
