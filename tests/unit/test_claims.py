"""The checks of the papers' claims: each says "holds" where it should and does not where times say the opposite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import landbridge
from benchmarks.claims import CLAIMS
from benchmarks.claims.claim import FAILS, HOLDS, PARTLY, Claim, times, verdict
from benchmarks.claims.connectivity import far
from benchmarks.claims.races import CpuRaces
from benchmarks.claims.rounds import PLAN, bound
from benchmarks.kinds.papers import run
from benchmarks.records import read_records
from benchmarks.sink import Sink
from benchmarks.suites import load_suite
from landbridge.plan import parse

DEGREES = {"grid": 4.0, "road": 2.4, "kron21": 80.0, "rmat22": 30.0}
Clock = Callable[[str, str, str], float]


class FakeRaces:
    """Times from a function of graph, plan and problem."""

    graphs = tuple(DEGREES)

    def __init__(self, engine: str, clock: Clock, coverage: float = 0.95, share: float = 0.9) -> None:
        self.engine, self.clock, self.coverage, self.share = engine, clock, coverage, share
        self.asked: set[str] = set()

    def degree(self, graph: str) -> float:
        return DEGREES[graph]

    def seconds(self, graph: str, plans: Sequence[str], problem: str = "components") -> dict[str, float]:
        self.asked.update(plans)
        return {plan: self.clock(graph, plan, problem) for plan in plans}

    def profile(self, graph: str, plan: str) -> tuple[float, dict[str, float]]:
        dense = DEGREES[graph] >= 6
        return (self.coverage if dense else 0.0), {"sample": self.share, "finish": 1 - self.share, "number": 9.0}

    def stream(
        self, graph: str, plans: Sequence[str], few: int = 0, batch: int = 0, queries: int = 0
    ) -> dict[str, float]:
        del few
        self.asked.update(plans)
        return {plan: self.clock(graph, f"stream {batch} {queries} {plan}", "stream") for plan in plans}

    def rounds(self, text: str, plan: str) -> tuple[int, float]:
        self.asked.add(plan)
        known = {"density": 5.0, "list": 18.0, "tree": 21.0} if self.share > 0.5 else {"density": 90.0}
        return 4_000_000, known.get(text.partition("_")[0], 20.0)

    def shares(self, text: str, shares: Sequence[float]) -> dict[float, float]:
        best = {"500000": 25, "1500000": 17}.get(text[4:].partition(",")[0], 10) if self.share > 0.5 else 0
        return {t: 1 + abs(t - best) / 60 - 0.1 * (t > 0) * (best > 0) for t in shares}

    def path_length(self, graph: str) -> tuple[float, int]:
        del graph
        return (1.2 if self.share > 0.5 else 7.0), 40

    def sort_and_gather(self) -> tuple[float, float]:
        return self.share, 1 - self.share


def as_published(graph: str, plan: str, problem: str) -> float:
    """A machine on which every claim holds."""
    if problem == "stream":
        _, batch, queries, rule = plan.split(" ")
        in_rounds = rule.startswith(("lt", "shiloach"))
        size = {"100": 9.0, "0": 1.5 if in_rounds else 1.0}.get(batch, 1.0)
        slow = 3.4 if rule.startswith("rem_cas") else 1.0 if rule.startswith("async") else 2.0
        return size * slow / (1 + int(queries))
    dense, far = DEGREES[graph] >= 6, graph in ("grid", "road")
    sampling = plan.partition("+")[0]
    base = {"kout(2)": 0.2 if dense else 1.5, "hb(4)": 0.1 if dense else 2.0, "bfs": 50.0 if far else 0.9}
    finish = {
        "jtb": 1.2, "hooks": 1.4, "rem_lock": 3.8, "lt": 4.0, "shiloach_vishkin": 5.0,
        "label_propagation": 1000.0 if far else 8.0, "bfscc": 1.5, "crono_sv": 3.5, "multistep": 3.6, "ndhybrid": 0.98,
        "serial_search": 5.0, "groute_cc": 1.8, "soman": 4.0, "gunrock_cc": 8.4, "cong_muzio_cc": 3.0, "cc_updt": 1.5,
        "stages": 1.2, "rem_verify": 0.9,
    }  # fmt: skip
    union = plan.rpartition("+")[2].partition("(")[0].partition("@")[0]
    time = base.get(sampling, 1.0) * finish.get(union, 1.0)
    option = {
        "arcs=coalesced": 0.8, "arcs=reorganised": 0.7, "reads=fresh": 0.9,
        "init=init1": 1.04, "init=init2": 1.4, "jump=jump1": 1.6, "jump=jump2": 1.26, "jump=jump3": 3.7,
        "fini=fini2": 1.14, "small=": 1.02, "rem_cas(naive,splice)": 5.0,
    }  # fmt: skip
    for name, factor in option.items():
        time *= factor if name in plan else 1.0
    return time * (0.94 if problem == "forest" else 1.0)


def contrary(graph: str, plan: str, problem: str) -> float:
    """A machine on which none does."""
    doubled = "large=" in plan or ("rem_cas(naive,split_one)" in plan and "+" not in plan)
    return (2 if doubled else 1) / as_published(graph, plan, problem)


@pytest.mark.parametrize(
    ("claim", "engine"), [(c, e) for c in CLAIMS for e in c.engines], ids=lambda x: getattr(x, "id", x)
)
def test_a_claim_holds_where_the_times_are_the_papers_and_fails_where_they_are_contrary(
    claim: Claim, engine: str
) -> None:
    races = FakeRaces(engine, as_published)
    finding = claim.check(races)
    assert finding.verdict == HOLDS, finding.says
    assert finding.figures
    assert "nan" not in finding.says
    assert "unmeasured" not in finding.says
    for plan in races.asked:
        parse(plan)
    opposite = claim.check(FakeRaces(engine, contrary, coverage=0.0, share=0.1))
    assert opposite.verdict != HOLDS, opposite.says


def test_ids_are_unique_and_engines_known() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert all(set(claim.engines) <= {"cpu", "gpu"} and claim.engines for claim in CLAIMS)


def test_sources_are_in_the_bibliography() -> None:
    text = (Path(__file__).parents[2] / "REFERENCES.bib").read_text()
    assert all(f"{{{claim.source}," in text for claim in CLAIMS)


def test_words() -> None:
    assert (verdict([True, True]), verdict([True, False]), verdict([False])) == (HOLDS, PARTLY, FAILS)
    assert (times(float("nan")), times(1.2345)) == ("unmeasured", "1.23x")


def test_races_on_threads_measure_checked_answers_and_drop_what_fails() -> None:
    suite = load_suite("papers", {"graphs": ["small_grid", "small_road"], "repeat": 1, "trials": 1})
    plans = ("rem_cas(naive,halve_one)", "kout(2)+async(compress)", "kout(2)+rem_cas(naive,halve_one)@gpu")
    with CpuRaces(suite, threads=2) as races:
        assert races.degree("small_grid") == pytest.approx(3.91)
        seconds = races.seconds("small_grid", plans[:2])
        assert set(seconds) == set(plans[:2])
        assert min(seconds.values()) > 0
        assert races.seconds("small_grid", plans[:1]) == {plans[0]: seconds[plans[0]]}
        skipped, phases = races.profile("small_road", plans[1])
        assert 0 <= skipped <= 1
        assert phases
        by_share = races.shares("gnm(2000, 4000, seed=1)", (0, 25, 60))
        assert set(by_share) == {0, 25, 60}
        assert min(by_share.values()) > 0
        assert races.problems == []
        races.seconds("small_grid", ["no_such_plan"])
        assert "no_such_plan" in races.problems[0]


def test_streams_take_every_batch_and_drop_what_ends_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    suite = load_suite("papers", {"graphs": ["small_kron"], "repeat": 1, "trials": 1})
    plans = ("async(compress)", "lt(parent,root,full)")
    with CpuRaces(suite, threads=2) as races:
        for how in ({}, {"few": 1000, "batch": 7}, {"batch": 100, "queries": 3}):
            seconds = races.stream("small_kron", plans, **how)
            assert set(seconds) == set(plans)
            assert min(seconds.values()) > 0
        assert races.problems == []
        monkeypatch.setattr(landbridge.Incremental, "count", 12345)
        assert races.stream("small_kron", plans) == {}
        assert "12345 components" in races.problems[0]


def test_rounds_are_counted_and_the_labels_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    suite = load_suite("papers", {"graphs": ["small_grid"], "repeat": 2, "trials": 1})
    text = "list_graph(500,count=3,seed=1)"
    with CpuRaces(suite, threads=1) as races:
        n, rounds = races.rounds(text, PLAN)
        assert n == 500
        assert 2 <= rounds <= bound(n)
        assert races.problems == []
        monkeypatch.setattr(np, "array_equal", lambda *_: False)
        races.rounds(text, PLAN)
        assert races.problems == [f"{PLAN} on {text}: a wrong answer"] * 2


def test_the_results_say_what_else_ran(tmp_path: Path) -> None:
    values = {"graphs": ["small_grid"], "claims": ["A2"], "threads": [1], "repeat": 1, "trials": 1}
    sink = Sink(load_suite("papers", values), tmp_path / "out.jsonl")
    run(sink)
    (record,) = read_records([tmp_path / "out.jsonl"])
    assert (record["contestant"], record["engine"], record["threads"]) == ("A2", "cpu", 1)
    assert set(record["quiet"]) == {"others", "steal"}


def test_graphs_of_large_diameter_are_known_by_their_families() -> None:
    races = FakeRaces("cpu", as_published)
    races.graphs = ("claims_road", "claims_kron", "tri4k", "claims_lists", "social22", "claims_delaunay", "grid8k")
    assert far(races) == ["claims_road", "tri4k", "claims_lists", "claims_delaunay", "grid8k"]


def test_the_bound_of_rounds() -> None:
    # 1.5^5 = 7.59..., 1.5^6 = 11.4, 1.5^38 = 4.9e6
    assert [bound(n) for n in (1, 2, 7, 8, 11, 12, 4_000_000)] == [2, 4, 7, 8, 8, 9, 40]
