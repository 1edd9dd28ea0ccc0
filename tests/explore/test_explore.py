"""The schedule explorer: sound combinations have no failure, unsound ones have one, as registry.def has it.

Each schedule of a small case within the bounds is run against the shipped headers; see tests/native/explore.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from native_build import ROOT, build, locked

from landbridge import _core, plans
from landbridge.plan import parse
from landbridge.plan.registry import registry

COUNTEREXAMPLES = sorted((ROOT / "tests/native/explore/counterexamples").glob("*.txt"))
PROCESSES = 2

Result = dict[str, Any]


@pytest.fixture(scope="module")
def program() -> Path:
    return build("release", "explore")


def run(program: Path, *arguments: str) -> list[Result]:
    """One dictionary for each line the explorer prints. Its exit status is 0 or 1."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def once(program: Path, name: str, *arguments: str, explore: Callable[..., list[Result]]) -> list[Result]:
    """What one exploration has found, by the first test process that asks: it is kept beside the program it ran."""
    with locked(program.parent / "results"):
        file = program.parent / "results" / f"{name}.json"
        question = [hashlib.sha256(program.read_bytes()).hexdigest(), *arguments]
        if file.exists():
            record: dict[str, Any] = json.loads(file.read_text())
            if record["question"] == question:
                return list(record["results"])
        results = explore(program, *arguments)
        part = file.with_suffix(".part")
        part.write_text(json.dumps({"question": question, "results": results}))
        part.replace(file)
        return results


def check(program: Path, depth: str) -> list[Result]:
    commands = [[program, "check", "--depth", depth, "--part", f"{i}/{PROCESSES}"] for i in range(PROCESSES)]
    running = [subprocess.Popen(c, stdout=subprocess.PIPE, text=True) for c in commands]
    texts = [p.communicate()[0] for p in running]
    assert all(p.returncode in (0, 1) for p in running)
    return [json.loads(line) for text in texts for line in text.splitlines()]


@pytest.fixture(scope="module")
def checked(program: Path) -> list[Result]:
    return once(program, "check", "fast", explore=check)


@pytest.fixture(scope="module")
def hunted(program: Path) -> list[Result]:
    return once(program, "hunt", "hunt", explore=run)


def stale_column() -> dict[str, dict[str, str]]:
    """Axis -> rule -> what registry.def says about stale reads."""
    text = (ROOT / "include/landbridge/policy/registry.def").read_text()
    rows = re.findall(r'^LB_(FIND|SPLICE|LINK)\((\w+), "\w+", \w+,\s*"[^"]*",\s*"[^"]*",\s*"([^"]*)"', text, re.M)
    out: dict[str, dict[str, str]] = {"find": {}, "splice": {}, "link": {}}
    for axis, name, stale in rows:
        out[axis.lower()][name] = stale
    return out


def judge(results: list[Result]) -> None:
    wrong = [r for r in results if (r["failure"] is None) != (r["expected"] == "clean")]
    texts = [f"{r['program']}, {r['reads']} reads: {r['failure']} in {r['case']}\n{r['trace']}" for r in wrong]
    assert not wrong, "\n".join(texts)


def test_sound_combinations_have_no_failure(checked: list[Result]) -> None:
    judge(checked)
    assert all(r["incomplete"] == 0 for r in checked)


@pytest.mark.slow
def test_sound_combinations_have_no_failure_in_the_long_exploration(program: Path) -> None:
    judge(check(program, "slow"))


def test_every_rule_is_explored_with_both_reads(checked: list[Result]) -> None:
    for axis, rules in stale_column().items():
        assert rules
        for reads in ("fresh", "stale"):
            assert {r[axis] for r in checked if r["reads"] == reads} - {""} == set(rules)


def test_every_system_in_rounds_is_explored(checked: list[Result]) -> None:
    explored = {r["program"].split("(")[0] for r in checked if not r["link"]}
    assert explored >= {row["name"] for row in _core.systems()} | {"ecl_cc"}


def rounds(**traits: bool) -> set[str]:
    """The choices of words of axis round that have these traits, as texts."""
    rows = [r for r in _core.rounds() if all(bool(r[trait]) == value for trait, value in traits.items())]
    return {f"{r['name']}({','.join(r['words'])})" if r["words"] else r["name"] for r in rows}


def test_every_rule_in_rounds_is_explored(checked: list[Result], hunted: list[Result]) -> None:
    explored, failing = ({r["program"] for r in results} for results in (checked, hunted))
    assert rounds(reason=False) <= explored
    assert {f"{text}+skip" for text in rounds(reason=False, rewrites=False)} <= explored
    assert {f"{text}+forest" for text in rounds(reason=False, no_forest=False)} <= explored
    assert {f"{text}+skip+forest" for text in rounds(reason=False, rewrites=False, no_forest=False)} <= explored
    assert {f"{text}+stream" for text in rounds(reason=False, root_based=True)} <= explored
    # What is forbidden either loses edges or is another name of rounds that are explored.
    assert rounds(reason=True) <= explored | failing


def test_rounds_that_make_no_forest_lose_an_edge_or_are_called_otherwise(
    checked: list[Result], hunted: list[Result]
) -> None:
    failures = {r["program"]: r["failure"] for r in hunted}
    explored = {r["program"] for r in checked}
    refused = rounds(reason=False, no_forest=True)
    broken = {text for text in refused if f"{text}+forest" in failures}
    assert all("cycle" in failures[f"{text}+forest"] for text in broken)
    same = {text for text in refused if f"{text}+forest" in explored}
    assert same == {text for text in refused if re.match(r"lt\(\w+,any,full,alter\)|lt\(parent,any,full", text)}
    # What moves labels alone has no roots to claim.
    assert refused - broken - same == {"label_propagation(all)", "label_propagation(frontier)", "fastsv"}


def mixed_streams(engine: str) -> set[tuple[str, str, str]]:
    """Link, find and splice of the streams whose questions may be asked beside unions."""
    finishes = [parse(text).finish for text in plans("incremental", engine=engine, extended=True)]
    rules = {(f.link, f.find, f.splice) for f in finishes if not f.standalone}
    return {rule for rule in rules if registry().combination(*rule).mixed}


@pytest.mark.parametrize("engine", ["cpu", "gpu"])
def test_questions_are_asked_beside_the_unions_of_every_mixed_stream(checked: list[Result], engine: str) -> None:
    mixed = mixed_streams(engine)
    assert mixed
    for reads in ("fresh", "stale"):
        rules = {(r["link"], r["find"], r["splice"]) for r in checked if r["queries"] and r["reads"] == reads}
        assert mixed <= rules


def test_batches_of_every_mixed_stream_are_prechecked(checked: list[Result]) -> None:
    queries = {(r["link"], r["find"], r["splice"]): r["queries"] for r in checked if r["program"].endswith("+precheck")}
    # Words with a rank beside the parent are not prechecked.
    assert set(queries) == {rule for rule in mixed_streams("cpu") if rule[0] != "jtb"}
    assert all(queries.values())


def test_walks_of_every_rule_that_goes_by_steps_are_cut_off(checked: list[Result], hunted: list[Result]) -> None:
    splices = set(stale_column()["splice"])
    for reads in ("fresh", "stale"):
        cut = {(r["link"], r["find"], r["splice"]) for r in checked if r["reads"] == reads and "+cut" in r["program"]}
        assert cut == {("rem_cas", "naive", splice) for splice in splices}
    # Walks that have moved a subtree to another tree must not be repeated.
    (repeated,) = [r for r in hunted if r["program"] == "abandons_spliced_walk"]
    assert "lost link" in repeated["failure"]


def test_owners_unite_by_every_rule_that_goes_by_steps(checked: list[Result]) -> None:
    splices = set(stale_column()["splice"])
    for reads in ("fresh", "stale"):
        owners = {
            (r["link"], r["find"], r["splice"]) for r in checked if r["reads"] == reads and "+owners" in r["program"]
        }
        assert owners == {("rem_cas", "naive", splice) for splice in splices}


def test_owners_link_inside_their_ranges_beside_each_other(checked: list[Result], hunted: list[Result]) -> None:
    """By the class that runs divide their edges with: unwatched in a forest of single vertices alone."""
    splices = set(stale_column()["splice"])
    for reads in ("fresh", "stale"):
        for loop in ("", "+climbing"):
            suffix = f"+ranges+owners{loop}"
            ranges = [r for r in checked if r["reads"] == reads and r["program"].endswith(suffix)]
            rules = {(r["link"], r["find"], r["splice"]) for r in ranges}
            assert rules == {("rem_cas", "naive", each) for each in splices}
    failures = {r["program"]: r["failure"] for r in hunted}
    assert "linked twice" in failures["unwatched_behind_sampling"]
    assert "linked twice" in failures["crosses_unwatched"]
    assert "a thread that does not own it" in failures["stores_to_other_cells"]
    assert "a thread that does not own it" in failures["climbs_to_other_cells"]


def test_no_owner_stores_to_the_cell_of_another_thread(program: Path) -> None:
    """Nor is an edge lost, in any schedule of the explorer's cases. Takes seconds."""
    results = run(program, "check", "--only", "+ranges+owners")
    assert len(results) == 12
    judge(results)


def test_walks_are_cut_off_after_a_step_and_after_two(checked: list[Result]) -> None:
    rules = {("rem_cas", "naive", "split_one"), ("rem_cas", "naive", "halve_one"), ("async", "halve", "")}
    for reads, steps in product(("fresh", "stale"), (1, 2)):
        settled = [r for r in checked if r["reads"] == reads and r["program"].endswith(f"+settle{steps}")]
        assert {(r["link"], r["find"], r["splice"]) for r in settled} == rules


def test_walks_that_halve_behind_a_step_of_their_rule_are_cut_off_and_are_not(checked: list[Result]) -> None:
    rules = {("rem_cas", "naive", "split_one"), ("rem_cas", "naive", "halve_one")}
    for reads, name in product(("fresh", "stale"), ("halves", "whole")):
        settled = [r for r in checked if r["reads"] == reads and r["program"].endswith(f"+{name}")]
        assert {(r["link"], r["find"], r["splice"]) for r in settled} == rules


def test_a_tree_may_be_skipped_only_with_the_smallest_label(hunted: list[Result]) -> None:
    failures = {r["program"]: r["failure"] for r in hunted if r["program"].endswith("+own_label")}
    by_endpoints = ("label_propagation(all)", "label_propagation(frontier)", "stergiou", "lt(extended,any,once,keep)")
    assert {f"{text}+skip+own_label" for text in by_endpoints} <= set(failures)
    assert all("lost link" in failure for failure in failures.values())


def test_the_stale_column_is_what_the_explorer_finds(checked: list[Result]) -> None:
    column = stale_column()

    def tolerates(result: Result, axis: str) -> bool:
        return not result[axis] or column[axis][result[axis]] == "tolerates"

    stale = [r for r in checked if r["reads"] == "stale"]
    for axis, rules in column.items():
        others = [a for a in column if a != axis]
        for rule, reads in rules.items():
            assert reads in ("tolerates", "fresh")
            # The combinations that fail only because of this rule, if they do.
            results = [r for r in stale if r[axis] == rule and all(tolerates(r, a) for a in others)]
            assert results, f"{rule} cannot be judged"
            failures = [r for r in results if r["failure"] is not None]
            assert bool(failures) == (reads == "fresh"), f"{axis} {rule} {reads}: {failures[:1]}"


def test_every_planted_bug_is_found(hunted: list[Result]) -> None:
    missed = [r["program"] for r in hunted if r["failure"] is None]
    assert hunted
    assert not missed


def test_forbidden_combinations_lose_an_edge(hunted: list[Result]) -> None:
    for link in ("rem_cas", "rem_lock"):
        failures = [r["failure"] for r in hunted if r["program"] == f"{link}(compress,splice)"]
        assert failures
        assert all("lost link" in f for f in failures)


def test_every_unsound_program_has_its_counterexample(hunted: list[Result]) -> None:
    programs = set()
    for file in COUNTEREXAMPLES:
        lines = dict(line.split(" ", 1) for line in file.read_text().splitlines() if line.startswith(("prog", "reads")))
        programs.add((lines["program"], lines["reads"]))
    assert programs == {(r["program"], r["reads"]) for r in hunted}


@pytest.mark.parametrize("file", COUNTEREXAMPLES, ids=lambda f: f.stem)
def test_counterexample_still_fails(program: Path, file: Path) -> None:
    (result,) = run(program, "replay", str(file))
    assert result["failure"] == result["expected"]


def test_a_schedule_the_rule_does_not_follow_is_an_error(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "bent.txt"
    text = (ROOT / "tests/native/explore/counterexamples/link_by_store.txt").read_text()
    file.write_text(re.sub(r"^schedule .*$", "schedule 0x1 9x1", text, flags=re.M))
    done = subprocess.run([program, "replay", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "has thread 9" in done.stderr
