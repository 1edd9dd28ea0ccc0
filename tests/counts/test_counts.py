"""No cliff, without a clock: the work of auto on every structure and order of the zoo, counted by a core built for it.

Counts are accesses to parent cells and edges united (include/landbridge/work.hpp). With one thread they are the same
in every run, so a rule or a choice that walks long paths on some graph fails here whatever the machine is doing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from worked_examples import changed_core

from landbridge.engine.gpu.cut_edges import places_for

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("count_work.py")
Result = dict[str, Any]

FORMS = (
    "csr", "csr-plain", "csr-upper", "forest", "pairs-sorted", "pairs-made", "pairs-random", "pairs-reversed",
    "forest-random", "stream-sorted", "stream-random", "stream-made", "stream-random-1e3", "chunks-random",
)  # fmt: skip
EVERY = f"*/{{natural,permuted,bit-reversed,blocks,breadth-first}}/{{{','.join(FORMS)}}}/1e4"
DESCENDING = (
    "*/reversed/{pairs-made,stream-made,chunks-made}/1e5",
    "*/{natural,bit-reversed}/{pairs-reversed,stream-reversed}/1e4",
)
"""Where a structure grows each further vertex is smaller than all before it, and where edges are sorted downwards."""
THREADED = "*/{natural,permuted}/{csr,pairs-sorted,pairs-random,stream-made}/1e5"
LARGER = "*/{natural,permuted}/{csr,pairs-random,stream-made}/1e5"

# Accesses to parents for each edge or vertex: prefetching reads four parents an edge, flattening and numbering read and
# write every vertex a few times. The median cell of a form has 6 to 13 of them, the worst cell 24.
ACCESSES = 32.0
# An edge of a CSR is united once by the sampling and once by the finish at most.
UNIONS = 2.5
# Accesses of the worst cell over those of the median cell of its form: 2.5 where a sampling finds no large tree.
OVER_MEDIAN = 3.5


@pytest.fixture(scope="module")
def package() -> Path:
    """A folder to import landbridge from whose core counts."""
    return changed_core()


def count(package: Path, *words: str) -> list[Result]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package), str(ROOT)])}
    command = [sys.executable, str(PROGRAM), *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=package, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def accesses(result: Result) -> float:
    """Loads, stores and swaps for each edge or vertex, whichever are more."""
    work = result["work"]
    done: int = work["loads"] + work["stores"] + work["swaps"]
    return done / max(result["edges"], result["vertices"])


def form_of(result: Result) -> str:
    return str(result["cell"].split("/")[2])


def cliffs(results: Sequence[Result], *, threads: int = 1) -> Iterator[str]:
    """One line for each bound that a cell exceeds."""
    middle: dict[str, float] = {}
    for form in {form_of(result) for result in results}:
        of_form = sorted(accesses(result) for result in results if form_of(result) == form)
        middle[form] = of_form[len(of_form) // 2]
    for result in results:
        work, name = result["work"], f"{result['cell']} by {result['plan']}"
        if accesses(result) > ACCESSES * threads:
            yield f"{name}: {accesses(result):.1f} accesses per edge"
        if accesses(result) > OVER_MEDIAN * threads * middle[form_of(result)]:
            yield f"{name}: {accesses(result) / middle[form_of(result)]:.1f} times the accesses of the median cell"
        if work["edges"] > UNIONS * result["edges"] + result["vertices"]:
            yield f"{name}: {work['edges'] / result['edges']:.1f} unions per edge"
        if work["failures"] > result["edges"] + result["vertices"]:
            yield f"{name}: {work['failures']} swaps failed for {result['edges']} edges"


@pytest.mark.long
def test_auto_has_no_cliff_on_one_thread(package: Path) -> None:
    results = count(package, EVERY)
    assert len(results) > 3000
    assert not list(cliffs(results))


@pytest.mark.long
@pytest.mark.parametrize("cells", DESCENDING)
def test_ids_that_descend_make_no_deep_trees(package: Path, cells: str) -> None:
    results = count(package, cells)
    assert len(results) > 100
    assert not list(cliffs(results))


@pytest.mark.long
def test_auto_has_no_cliff_on_larger_graphs(package: Path) -> None:
    assert not list(cliffs(count(package, LARGER)))


@pytest.mark.long
def test_auto_has_no_cliff_on_two_threads(package: Path) -> None:
    results = count(
        package, "*/{natural,permuted,bit-reversed}/{csr,pairs-sorted,pairs-random,stream-made}/1e5", "--threads", "2"
    )
    assert not list(cliffs(results, threads=2))


@pytest.mark.long
def test_climbing_has_no_cliff(package: Path) -> None:
    results = count(
        package, "*/{natural,permuted,bit-reversed}/{pairs-sorted,pairs-random,pairs-made,stream-made}/1e4", "--climb"
    )
    assert len(results) > 300
    assert not list(cliffs(results))


OWNERS = {
    "rem_cas(naive,halve_one)@cpu(owners=on,skip=tree)": "{csr,pairs-sorted,pairs-made,pairs-random,forest}",
    "hb(4)+rem_cas(naive,halve_one)@cpu(owners=on)": "{csr,forest}",
    "kout(2)+rem_cas(naive,splice)@cpu(owners=on)": "csr",
}
"""Plans whose threads own vertices, from single vertices and behind a sampling, and the forms they take."""


@pytest.mark.long
@pytest.mark.parametrize("plan", OWNERS)
def test_a_cell_is_written_without_a_locked_instruction_by_its_owner_alone(package: Path, plan: str) -> None:
    """Another thread's write would be lost in a few runs of a billion, and with it an edge: here it is counted."""
    results = count(package, f"*/{{natural,permuted}}/{OWNERS[plan]}/1e5", "--threads", "2", "--plan", plan)
    assert sum(result["work"]["owned"] for result in results) > 0
    assert [result["cell"] for result in results if result["work"]["foreign"]] == []


@pytest.mark.long
def test_the_rules_of_the_gpu_walk_short_paths(package: Path) -> None:
    """The sampling and finish that auto selects on a GPU. A walk longer than the GPU's bound waits there until paths
    are flat, and there is room for so many: what does not fit is walked again from its beginning. Here walks go by
    their rule alone; those of edge lists there halve paths behind a few steps, so fewer of them are long.
    """
    results = count(package, EVERY, "--gpu")
    assert not [each["cell"] for each in results if each["work"]["walks"] > places_for(each["vertices"])]
    assert not list(cliffs(results))


@pytest.mark.long
def test_one_thread_counts_the_same_twice(package: Path) -> None:
    cells = "{rmat,ladder,hubs}/permuted/{csr,pairs-random,stream-random-1e3}/1e4"
    assert count(package, cells) == count(package, cells)


@pytest.mark.long
@pytest.mark.parametrize(
    "cell",
    [
        "hubs/natural/pairs-reversed/1e4",
        "hubs/bit-reversed/pairs-reversed/1e4",
        "hubs/reversed/pairs-reversed/1e4",
        "star-middle/blocks/stream-reversed/1e4",
    ],
)
def test_a_plan_that_shortens_no_path_fails(package: Path, cell: str) -> None:
    form = cell.split("/")[2]
    others = count(package, f"{{grid,rmat,uniform-4,tree-binary,pairs}}/natural/{form}/1e4")
    assert not list(cliffs(others))
    (without,) = count(package, cell, "--plan", "async(naive)")
    assert [line for line in cliffs([*others, without]) if cell in line]
    assert not [line for line in cliffs([*others, *count(package, cell)]) if cell in line]


@pytest.mark.long
@pytest.mark.parametrize(
    "plan", ["async(naive)", "hooks(naive)", "ecl(naive)", "afforest", "stages(afforest,q=0.5)", "rem_verify"]
)
def test_rules_that_shorten_no_path_walk_no_long_ones(package: Path, plan: str) -> None:
    """A star whose centre is the last vertex, edges in descending order: one path of all vertices if nothing splits it.

    A group of 256 edges makes a path longer by as much before it is looked at: 128 steps on average beyond the 64 that
    are left alone, for two endpoints. Without a look it would be thousands.
    """
    (result,) = count(package, "star-last/natural/pairs-reversed/1e4", "--plan", plan)
    assert result["components"] == 1
    assert accesses(result) < 600


@pytest.mark.long
def test_streams_of_rules_that_shorten_no_path_walk_no_long_ones(package: Path) -> None:
    for plan in ("async(naive)", "hooks(naive)"):
        for result in count(package, "star-last/natural/{stream-made,stream-sorted}/1e4", "--plan", plan):
            assert accesses(result) < 600, result
