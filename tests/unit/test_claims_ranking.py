"""The claims of list ranking: each says "holds" where times are as published, and does not where they are contrary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.claims.claim import FAILS, HOLDS, Claim
from benchmarks.claims.list_races import ListRaces
from benchmarks.claims.ranking import CLAIMS
from benchmarks.kinds import KINDS
from benchmarks.sink import Sink
from benchmarks.suites import load_suite

LISTS = ["random 2^16", "random 2^20", "random 2^24"]


class FakeRaces:
    """Races whose times are invented."""

    def __init__(self, engine: str, as_published: bool) -> None:
        self.engine, self.graphs, self.published = engine, LISTS, as_published

    def degree(self, graph: str) -> float:
        return 1.0

    def seconds(self, graph: str, plans: Sequence[str], problem: str = "components") -> dict[str, float]:
        assert problem == "list_ranking"
        return {plan: self._time(LISTS.index(graph), plan) for plan in plans}

    def _time(self, at: int, plan: str) -> float:
        slow, fast = (2.0, 1.0) if self.published else (1.0, 2.0)
        name = plan.partition("@")[0]
        if plan.endswith("@cpu"):
            return 12.0 if self.published else 1.0
        if name.startswith("random_splitter"):
            short = "bits48" in name
            if self.published:
                return (1.0, 1.0, 1.0)[at] * ((1.3, 1.1, 0.9)[at] if short else 1.0)
            return (0.9, 1.1, 1.3)[at] if short else 1.0
        if name == "wyllie":
            return (2.0, 3.0, 4.0)[at] if self.published else (0.9, 0.8, 0.7)[at]
        if name.startswith("wyllie("):
            blocks = "block" in name
            return slow if blocks == (self.engine == "gpu") else fast
        if name.startswith("fis("):
            factor = int(name[4:-1])
            return 0.5 + 0.1 * abs(factor - 4) if self.published else 3.0 + 0.1 * factor
        others = {"serial": (1.2, 9.0), "fis": (0.5, 4.0), "fis_hybrid": (0.4, 5.0), "wei_jaja": (1.0, 5.0)}
        return others[name][not self.published]

    def profile(self, graph: str, plan: str) -> tuple[float, dict[str, float]]:
        walk = 0.9 if self.published else 0.1
        return (0.01 if self.published else 0.5), {"walk": walk, "ranks": 1 - walk}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_follows_the_times(claim: Claim) -> None:
    for engine in claim.engines:
        assert claim.check(FakeRaces(engine, True)).verdict == HOLDS
        contrary = claim.check(FakeRaces(engine, False))
        assert contrary.verdict == FAILS
        assert contrary.says.endswith(".")
        assert contrary.figures


def test_ids_are_unique_and_sources_known() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    bibliography = (Path(__file__).parents[2] / "REFERENCES.bib").read_text()
    assert all(f"{{{claim.source}," in bibliography for claim in CLAIMS)


def test_a_small_suite_leaves_lines_and_a_summary(tmp_path: Path) -> None:
    lists = ["random 2^8", "short 2^8"]
    suite = load_suite("ranking", {"lists": lists, "claim_lists": ["random 2^8", "random 2^9"], "repeat": 1})
    sink = Sink(suite, tmp_path / "lines.jsonl")
    KINDS["ranking"].run(sink)
    assert not sink.failures
    timed = [record for record in sink.records if record["unit"] == "s"]
    assert len(timed) == len(lists) * len(suite.landbridge)
    assert all(record["lower_bound_s"] > 0 and record["median"] > 0 for record in timed)
    assert len(sink.records) - len(timed) == sum("cpu" in claim.engines for claim in CLAIMS)
    assert "auto, times lower bound" in KINDS["ranking"].summary(sink.records)
    races = ListRaces(suite, None, 1)
    assert races.lower_bound("random 2^8") > 0
    assert races.seconds("random 2^8", ["serial"]).keys() == {"serial"}
