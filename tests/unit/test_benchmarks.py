"""The benchmark house: suites are sound, every answer is judged, adapters parse, the page renders from results."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import cases, gpu_lines, machine, report, results, run
from benchmarks.check import WrongAnswer, check_answer
from benchmarks.kinds import KINDS, door, memory, streaming
from benchmarks.kinds.files import write_text
from benchmarks.kinds.plans import distances
from benchmarks.results import Sink, floor_bytes, read_results
from benchmarks.suites import load_suite, suite_names
from benchmarks.tables import against_fastest_peer, geometric_mean, latest, noise, ratio_table
from benchmarks.turns import Entrant, interleave
from benchmarks.worker import Runner
from peers import PEERS, peers
from peers.base import Answer, Case, Executable, InProcess, PeerFailed
from peers.readers import READERS

PATH_EDGES = 5


def small_edges(text: str) -> tuple[int, Any, Any]:
    """A path 1-2-...-6 with a loop, a duplicate and a reverse; vertices 0 and 7 are alone."""
    del text
    source = np.array([1, 2, 3, 4, 5, 3, 2, 3], dtype=np.int64)
    target = np.array([2, 3, 4, 5, 6, 3, 3, 2], dtype=np.int64)
    return 8, source, target


@pytest.fixture
def case() -> Case:
    return cases.make_case("path", "path(8)", *small_edges(""))


@pytest.fixture
def small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every generator text gives the small path, so a suite runs in milliseconds."""
    monkeypatch.setattr(cases, "generate", small_edges)
    monkeypatch.setattr(results, "read_bandwidth", lambda threads: 1e9 * threads)


def test_case_is_the_simple_symmetric_graph(case: Case) -> None:
    assert case.offsets.tolist() == [0, 0, 1, 3, 5, 7, 9, 10, 10]
    assert case.neighbors.tolist() == [2, 1, 3, 2, 4, 3, 5, 4, 6, 5]
    assert (case.num_vertices, case.num_edges, case.count) == (8, PATH_EDGES, 3)
    assert case.labels.tolist() == [0, 1, 1, 1, 1, 1, 1, 2]
    assert case.first_vertices.tolist() == [0, 1, 7]
    assert [ends.tolist() for ends in case.upper_edges()] == [[1, 2, 3, 4, 5], [2, 3, 4, 5, 6]]


def test_case_survives_its_file(case: Case, tmp_path: Path) -> None:
    cases.save_case(case, tmp_path / "case.npz")
    again = cases.read_case(tmp_path / "case.npz")
    assert (again.name, again.text, again.count) == (case.name, case.text, case.count)
    for name in ("offsets", "neighbors", "source", "target", "labels"):
        np.testing.assert_array_equal(getattr(again, name), getattr(case, name))


def test_case_of_nothing() -> None:
    none = np.zeros(0, dtype=np.int64)
    empty = cases.make_case("empty", "empty", 0, none, none)
    assert (empty.num_vertices, empty.num_edges, empty.count) == (0, 0, 0)
    check_answer("x", empty, Answer((1.0,), 0, empty.labels), exact=True)


def test_floor_counts_offsets_lines_and_labels(case: Case) -> None:
    assert floor_bytes(case) == 4 * 9 + 64 * 1 + 4 * 8


class TestJudge:
    def test_right_answers_pass(self, case: Case) -> None:
        check_answer("x", case, Answer((1.0,), 3), exact=False)
        check_answer("x", case, Answer((1.0,), 3, case.labels), exact=True)
        check_answer("x", case, Answer((1.0,), 3, np.array([9, 4, 4, 4, 4, 4, 4, 0])), exact=False)

    @pytest.mark.parametrize(
        ("count", "labels", "exact", "message"),
        [
            (2, None, False, "2 components instead of 3"),
            (3, None, True, "no labels"),
            (3, [0, 1, 1], False, r"shape \(3,\) instead of \(8,\)"),
            (3, [0, 1, 1, 1, 2, 1, 1, 2], False, "vertex 4 is labelled 2 instead of 1"),
            (3, [5, 1, 1, 1, 1, 1, 1, 1], False, "two components carry the same label"),
            (3, [0, 0, 0, 0, 0, 0, 0, 2], False, "two components carry the same label"),
            (3, [1, 0, 0, 0, 0, 0, 0, 2], True, "vertex 0 is labelled 1 instead of 0"),
        ],
    )
    def test_broken_answers_are_refused(
        self, case: Case, count: int, labels: list[int] | None, exact: bool, message: str
    ) -> None:
        array = None if labels is None else np.array(labels)
        with pytest.raises(WrongAnswer, match="somebody on path: .*" + message):
            check_answer("somebody", case, Answer((1.0,), count, array), exact=exact)


class TestTurns:
    def test_contestants_alternate(self, case: Case) -> None:
        order: list[str] = []

        def turn(name: str, seconds: float) -> Any:
            def take(trials: int) -> Answer:
                order.append(name)
                return Answer((seconds,) * trials, 3, case.labels, 1.0, f"plan of {name}")

            return take

        entrants = [Entrant(name, "wall", 1, turn(name, 0.5)) for name in "ABC"]
        tallies = interleave(case, entrants, repeat=3, trials=2)
        assert "".join(order) == "ABCABCABC"
        assert all(tally.times == [0.5] * 6 and tally.detail == f"plan of {tally.entrant.name}" for tally in tallies)

    def test_slow_and_expensive_contestants_take_one_turn(self, case: Case) -> None:
        def turn(seconds: float) -> Any:
            return lambda trials: Answer((seconds,) * trials, 3)

        entrants = [Entrant("quick", "wall", 1, turn(1.0)), Entrant("slow", "wall", 1, turn(4.0))]
        by_screen = interleave(case, entrants, repeat=3, trials=1, screen=3.0)
        assert [len(tally.times) for tally in by_screen] == [3, 1]
        by_budget = interleave(case, entrants, repeat=3, trials=1, budget=5.0)
        assert [len(tally.times) for tally in by_budget] == [3, 1]

    def test_a_wrong_contestant_is_out_and_leaves_no_time(self, case: Case, tmp_path: Path) -> None:
        answers = iter([Answer((1.0,), 3), Answer((1.0,), 4)])
        entrants = [
            Entrant("liar", "wall", 1, lambda trials: next(answers)),
            Entrant("fallen", "wall", 1, lambda trials: (_ for _ in ()).throw(PeerFailed("fallen: no memory"))),
            Entrant("honest", "wall", 1, lambda trials: Answer((2.0,), 3)),
        ]
        tallies = interleave(case, entrants, repeat=2, trials=1)
        assert [tally.wrong for tally in tallies] == [True, False, False]
        sink = Sink(load_suite("smoke"), tmp_path / "out.jsonl")
        sink.add_tallies(case, tallies)
        assert sink.failures == ["liar on path: 4 components instead of 3"]
        (record,) = read_results([tmp_path / "out.jsonl"])
        assert (record["contestant"], record["times"], record["checked"]) == ("honest", [2.0, 2.0], True)


class TestSuites:
    @pytest.mark.parametrize("name", suite_names())
    def test_every_suite_is_sound(self, name: str) -> None:
        suite = load_suite(name)
        assert suite.kind in KINDS
        assert suite.title

    def test_the_graphs_of_the_suites_are_all_there_are(self) -> None:
        used = {graph for name in suite_names() for graph in load_suite(name).graphs}
        assert used == set(cases.graph_texts())

    @pytest.mark.parametrize(
        ("overrides", "message"),
        [
            ({"graphs": ["nowhere"]}, "no graph is called 'nowhere'"),
            ({"peers": ["nobody"]}, "no peer of this suite is called 'nobody'"),
            ({"repeat": 0}, "repeat = 0"),
            ({"threads": [-1]}, r"threads = \[-1\]"),
        ],
    )
    def test_mistakes_are_named(self, overrides: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            load_suite("cpu", overrides)

    def test_an_unknown_suite_is_named(self) -> None:
        with pytest.raises(ValueError, match="no suite is called 'x'; known: cpu, "):
            load_suite("x")

    def test_an_unknown_graph_ends_the_run_with_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run.main(["cpu", "--only", "nowhere"]) == 2
        assert capsys.readouterr().err.startswith("error: no graph is called 'nowhere'")


class TestPeers:
    @pytest.mark.parametrize("name", [name for name, kind in PEERS if issubclass(kind, InProcess)])
    def test_packages_answer(self, name: str, case: Case) -> None:
        (peer,) = (peer for peer in peers([name]) if peer.name == name)
        reason = peer.unavailable()
        if reason is not None:
            pytest.skip(reason)
        assert isinstance(peer, InProcess)
        handle = peer.prepare(case, 1)
        for answer in (peer.run(handle, 2), peer.end_to_end(case, 1, 2)):
            check_answer(name, case, answer, exact=False)
            assert answer.labels is not None
            assert len(answer.seconds) == 2
        peer.release(handle)
        assert peer.version()[0].isdigit()

    def test_an_unknown_peer_is_named(self) -> None:
        with pytest.raises(KeyError, match="no peer is called 'nobody'"):
            list(peers(["nobody"]))

    @pytest.mark.parametrize("name", [name for name in READERS if not name.startswith("landbridge")])
    def test_readers_read_what_was_written(self, name: str, case: Case, tmp_path: Path) -> None:
        package, reader = READERS[name]
        pytest.importorskip(package)
        write_text(case, tmp_path / "edges.txt")
        source, target = reader(tmp_path / "edges.txt")
        np.testing.assert_array_equal(source, case.source)
        np.testing.assert_array_equal(target, case.target)


def program(folder: Path, name: str, body: str) -> Path:
    """A program that prints what a peer would print."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport os, sys\n{body}\n")
    path.chmod(0o755)
    return path


GAPBS = """
import struct
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
with open(arguments["-f"], "rb") as file:
    directed, arcs, n = struct.unpack("<?qq", file.read(17))
    rest = file.read()
assert not directed and len(rest) == 8 * (n + 1) + 4 * arcs
assert os.environ["OMP_NUM_THREADS"] == "2"
print("Read Time:           9.00000")
for trial in range(int(arguments["-n"])):
    print(f"Trial Time:          0.0000{5 - trial}")
print("There are 3 components")
print("Average Time:        9.00000")
"""

CONNECTIT = """
import struct
with open(sys.argv[-1], "rb") as file:
    n, arcs, size = struct.unpack("<qqq", file.read(24))
assert size == os.path.getsize(sys.argv[-1]) == 24 + 8 * (n + 1) + 4 * arcs
assert os.environ["PARLAY_NUM_THREADS"] == "2"
for name, base in (("slow", 7), ("quick", 2)):
    for trial in range(int(sys.argv[sys.argv.index("-r") + 1])):
        print("# max_cor = 2 max_chk = 2")
        print(f"### t = {base}e-0{5 if trial else 1}")
    print("{")
    print(f'  "test_name" : "uf; {name}",')
    print("}")
"""

ECL_CC = """
import struct
with open(sys.argv[1], "rb") as file:
    n, arcs = struct.unpack("<ii", file.read(8))
    assert len(file.read()) == 4 * (n + 1) + 4 * arcs
print("ECL-CC")
print("compute time: 0.000250 s")
print("number of connected components: 3")
"""

SOMAN = """
edges, n = map(int, open("parameters.txt").read().split())
lines = [tuple(map(int, line.split())) for line in open("edge.txt")]
assert len(lines) == edges == 5 and n == 8 and lines[0] == (2, 3), lines
assert os.environ["CUDA_MODULE_LOADING"] == "EAGER"
print("Time required for computing connected components on the graph is: 0.000408 seconds.")
print("The number of components=3")
"""

GCONN = ECL_CC.replace('print("compute time', 'for t in range(int(sys.argv[2])): print("compute time')


class TestPrograms:
    """Adapters of programs, against stand-ins that print what the programs print."""

    def run_peer(self, peer: Any, case: Case, trials: int = 3) -> Answer:
        assert isinstance(peer, Executable)
        assert peer.unavailable() is None
        handle = peer.prepare(case, 2)
        assert handle.folder.is_dir()
        answer = peer.run(handle, trials)
        peer.release(handle)
        assert not handle.folder.exists()
        check_answer(peer.name, case, answer, exact=False)
        return answer

    def test_gapbs(self, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LANDBRIDGE_PEER_GAPBS_CC", str(program(tmp_path, "cc", GAPBS)))
        monkeypatch.delenv("LANDBRIDGE_PEER_GAPBS_CC_SV", raising=False)
        afforest, shiloach_vishkin = peers(["gapbs"])
        assert self.run_peer(afforest, case).seconds == (0.00004, 0.00003, 0.00002)
        assert shiloach_vishkin.unavailable() == "LANDBRIDGE_PEER_GAPBS_CC_SV does not name a program"

    def test_connectit_counts_with_its_fastest_variant(
        self, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program(tmp_path, "union_one", CONNECTIT)
        program(tmp_path, "union_two", CONNECTIT)
        (tmp_path / "notes.txt").write_text("not a program")
        monkeypatch.setenv("LANDBRIDGE_PEER_CONNECTIT", str(tmp_path))
        found = list(peers(["connectit"]))
        assert [peer.name for peer in found] == ["connectit(union_one)", "connectit(union_two)"]
        answer = self.run_peer(found[0], case, trials=2)
        assert (answer.seconds, answer.detail) == ((2e-5, 2e-5), "uf; quick")

    def test_ecl_cc(self, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LANDBRIDGE_PEER_ECL_CC", str(program(tmp_path, "ecl_cc", ECL_CC)))
        (peer,) = peers(["ecl_cc"])
        assert self.run_peer(peer, case, trials=2).seconds == (0.00025, 0.00025)

    def test_ecl_cc_on_a_gpu_has_a_stack_for_its_recursion(
        self, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        deep = "import resource\nsoft, hard = resource.getrlimit(resource.RLIMIT_STACK)\nassert soft == hard\n"
        monkeypatch.setenv("LANDBRIDGE_PEER_ECL_CC_GPU", str(program(tmp_path, "ecl_cc_gpu", deep + ECL_CC)))
        (peer,) = peers(["ecl_cc_gpu"])
        assert peer.name == "ecl_cc_gpu(ecl_cc_gpu)"
        assert self.run_peer(peer, case, trials=2).seconds == (0.00025, 0.00025)

    def test_soman_reads_two_files_beside_it(self, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LANDBRIDGE_PEER_SOMAN", str(program(tmp_path, "soman", SOMAN)))
        (peer,) = peers(["soman"])
        assert self.run_peer(peer, case, trials=2).seconds == (0.000408, 0.000408)

    def test_gconn_is_each_program_that_is_named(
        self, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        named = [program(tmp_path, name, GCONN) for name in ("kout", "hb")]
        monkeypatch.setenv("LANDBRIDGE_PEER_GCONN", ":".join(map(str, named)))
        found = list(peers(["gconn"]))
        assert [peer.name for peer in found] == ["gconn(kout)", "gconn(hb)"]
        assert self.run_peer(found[0], case, trials=3).seconds == (0.00025,) * 3

    @pytest.mark.parametrize("name", ["ecl_cc_gpu", "gconn", "soman"])
    def test_programs_for_gpus_are_not_there_unless_named(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        variable = f"LANDBRIDGE_PEER_{name.upper()}"
        monkeypatch.delenv(variable, raising=False)
        (peer,) = peers([name])
        assert peer.unavailable() == f"{variable} does not name a program"

    @pytest.mark.parametrize(("name", "what"), [("ecl_cc_gpu", "no time"), ("gconn", "no times"), ("soman", "no time")])
    def test_silence_of_programs_for_gpus_is_named(
        self, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, what: str
    ) -> None:
        monkeypatch.setenv(f"LANDBRIDGE_PEER_{name.upper()}", str(program(tmp_path, name, "print('nothing')")))
        (peer,) = peers([name])
        handle = peer.prepare(case, 1)
        with pytest.raises(PeerFailed, match=f"its output holds {what}"):
            peer.run(handle, 1)
        peer.release(handle)

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("print('nothing')", "its output holds no trial times"),
            ("sys.exit('out of luck')", "exit status 1: out of luck"),
            ("print('Trial Time: 0.1')\nprint('There are 3 components')", "its output holds no trial times"),
        ],
    )
    def test_trouble_is_named(
        self, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, message: str
    ) -> None:
        monkeypatch.setenv("LANDBRIDGE_PEER_GAPBS_CC", str(program(tmp_path, "cc", body)))
        (peer,) = peers(["gapbs(afforest)"])
        handle = peer.prepare(case, 2)
        with pytest.raises(PeerFailed, match=message):
            peer.run(handle, 1)
        peer.release(handle)

    def test_a_wrong_program_is_refused(
        self, small_graphs: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        wrong = GAPBS.replace("There are 3", "There are 4").replace('== "2"', 'in "12"')
        monkeypatch.setenv("LANDBRIDGE_PEER_GAPBS_CC", str(program(tmp_path, "cc", wrong)))
        out = tmp_path / "out.jsonl"
        names = "scipy,gapbs(afforest)"
        status = run.main(["cpu", "--only", "grid", "--peers", names, "--plan", "auto", "--out", str(out)])
        assert status == 1
        assert "gapbs(afforest) on grid: 4 components instead of 3" in capsys.readouterr().err
        assert "gapbs(afforest)" not in {record["contestant"] for record in read_results([out])}


SMOKE_GRAPHS = ["small_grid", "small_tiny"]


@pytest.fixture
def smoke(
    small_graphs: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Path, str]:
    """The result lines of the smoke suite on small graphs, and what the run printed."""
    for variable in [name for name in os.environ if name.startswith("LANDBRIDGE_PEER_")]:
        monkeypatch.delenv(variable)
    out = tmp_path / "results" / "smoke.jsonl"
    only = [word for name in SMOKE_GRAPHS for word in ("--only", name)]
    assert run.main(["smoke", *only, "--peers", "scipy,networkx", "--out", str(out)]) == 0
    return out, capsys.readouterr().out


def test_smoke_suite_leaves_complete_lines(smoke: tuple[Path, str]) -> None:
    path, printed = smoke
    records = read_results([path])
    suite = load_suite("smoke")
    contestants = {"scipy", "scipy(strong)", "networkx", "landbridge(auto)", "landbridge(auto from scipy)"}
    assert {record["contestant"] for record in records} == contestants
    assert len(records) == len(contestants) * len(SMOKE_GRAPHS) * len(suite.threads)
    for record in records:
        assert record["graph"]["text"] == cases.graph_texts()[record["graph"]["name"]]
        assert (record["graph"]["n"], record["graph"]["m"], record["graph"]["components"]) == (8, PATH_EDGES, 3)
        assert len(record["times"]) == suite.repeat * suite.trials
        assert record["min"] <= record["median"] <= record["max"]
        assert record["checked"] is True
        assert record["threads"] in suite.threads
        assert record["machine"]["cores"] >= 1
        assert record["machine"]["memory_bytes"] > 0
        assert {"python", "numpy", "scipy", "landbridge"} <= set(record["versions"])
        assert {"commit", "dirty", "date", "cpu_over_wall", "quiet", "floor_s"} <= set(record)
        assert bool(record["plan"]) == record["contestant"].startswith("landbridge(")
    assert "landbridge(auto) over the fastest of all peers, geometric mean: " in printed


def line(contestant: str, graph: str, median: float, **more: Any) -> dict[str, Any]:
    """A result line as a run writes it."""
    return {
        "suite": "cpu",
        "kind": "components",
        "contestant": contestant,
        "unit": "s",
        "times": [median],
        "median": median,
        "min": median,
        "max": median,
        "checked": True,
        "graph": {"name": graph, "text": f"{graph}(1)", "n": 1000, "m": 2000, "components": 1},
        "plan": "",
        "threads": 2,
        "timing": "wall",
        "cpu_over_wall": 1.9,
        "floor_s": 0.5,
        "quiet": {"others": 0.0, "steal": 0.0},
        "commit": "0123456789abcdef",
        "dirty": False,
        "machine": {"cpu": "A processor", "cores": 2, "memory_bytes": 1 << 30, "huge_pages": "madvise", "system": "x"},
        "versions": {"python": "3.12.0"},
        "date": "2026-01-02T03:04:05+00:00",
        **more,
    }


LINES = [
    line("landbridge(auto)", "grid", 9.0),
    line("landbridge(auto)", "grid", 1.0),
    line("peer one", "grid", 2.0),
    line("peer two", "grid", 4.0),
    line("landbridge(auto)", "road", 8.0),
    line("peer one", "road", 4.0),
]


class TestTables:
    def test_ratios_are_to_the_fastest_peer_of_each_graph(self) -> None:
        table = ratio_table(latest(LINES), floor=True)
        assert table.header == ["graph", "fastest peer", "landbridge(auto)", "peer one", "peer two", "floor"]
        assert table.rows == [
            ["grid", "peer one", "0.50", "1.00", "2.00", "0.25"],
            ["road", "peer one", "2.00", "1.00", "", "0.12"],
            ["geometric mean", "", "1.00", "1.00", "2.00 (on 1)", "0.18"],
        ]
        assert against_fastest_peer(latest(LINES)) == {"landbridge(auto)": 1.0}

    def test_a_busy_machine_is_told(self) -> None:
        assert noise(LINES) == ""
        busy = [line("peer one", "grid", 1.0, quiet={"others": 0.5, "steal": 0.25})]
        assert noise(busy) == "Not to be relied on: other work took 0.8 cores of the machine meanwhile."
        assert noise([line("peer one", "grid", 1.0, quiet=None)]) == ""

    def test_geometric_mean(self) -> None:
        assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
        assert np.isnan(geometric_mean([]))

    def test_plans_are_compared_where_all_ran(self) -> None:
        records = [
            line("landbridge(auto)", "grid", 2.0),
            line("landbridge(a)", "grid", 1.0),
            line("landbridge(b)", "grid", 4.0),
            line("landbridge(auto)", "road", 2.0),
            line("landbridge(a)", "road", 4.0),
            line("landbridge(b)", "road", 1.0),
            line("landbridge(c)", "road", 9.0),
        ]
        assert distances(records) == pytest.approx(
            {"landbridge(auto)": 2.0, "landbridge(a)": 2.0, "landbridge(b)": 2.0}
        )


def gpu_line(what: str, ms: float, **more: Any) -> dict[str, Any]:
    graph = {"graph": "grid2d(1024,1024)", "name": "grid1k", "n": 1_000_000, "m": 4_200_000, "components": 1}
    times = {"floor_ms": 0.01, "published_ms": 0.08, "bandwidth": 3e12} if what.startswith("replay") else {}
    return {"device": "A GPU", "commit": "c" * 40, "dirty": None, "what": what, **graph, **times, "ms": ms, **more}


GPU_LINES = [
    gpu_line("replay", 0.02, plan="hb(2)+rem_cas", auto=True, right=True),
    gpu_line("replay", 0.025, plan="hb(2)+rem_cas", auto=False, right=True),
    gpu_line("replay", 0.01, plan="bfscc", auto=False, right=True),
    gpu_line("ablation", 0.02, plan="rem_cas", schedule="reads", base="rem_cas", option="", right=True),
    gpu_line("ablation", 0.05, plan="rem_cas@gpu", schedule="reads", base="rem_cas", option="reads=fresh", right=True),
    gpu_line("replay, stand-in", 0.06, plan="bfscc", auto=True, right=True),
    gpu_line("replay, stand-in", 0.04, plan="hb(2)+rem_cas", auto=False, right=True),
    gpu_line("call, Graph", 0.5, plan="auto"),
    gpu_line("peer", 0.02, contestant="landbridge(auto)", right=True),
    gpu_line("peer", 0.06, contestant="ecl_cc_gpu", right=True),
    gpu_line("peer", 0.001, contestant="soman", right=False),
    gpu_line("transfer", 10.0, contestant="int32 to device", bytes=500_000_000, threads=16),
    gpu_line("stream, random order", 0.1, plan="rem_cas", auto=True, right=True, call_ms=0.2, published_rate=21.0),
    gpu_line("stream, sorted", 0.1, plan="rem_cas", auto=True, right=True, call_ms=0.1, published_rate=21.0),
    gpu_line("stream, sorted", 0.2, plan="hooks", auto=False, right=True, call_ms=0.2, published_rate=21.0),
    gpu_line(
        "stream, batches", 2.1, plan="rem_cas", auto=True, right=True, call_ms=4.2, published_rate=1.0, batch=1000
    ),
    gpu_line("stream, mixed", 8.4, plan="rem_cas", auto=True, right=True, batch=1000, queries=10),
]


class TestGpuLines:
    def written(self, folder: Path, name: str, lines: list[dict[str, Any]]) -> Path:
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    def test_the_newest_file_of_a_graph_counts(self, tmp_path: Path) -> None:
        old = self.written(tmp_path, "b-20260101", [*GPU_LINES, gpu_line("replay", 9.0, auto=True, name="road24m")])
        new = self.written(tmp_path, "a-20260102-0310", [gpu_line("replay", 0.04, plan="bfscc", auto=True)])
        for files in ([old, new], [new, old]):
            kept = gpu_lines.newest(read_results(files))
            replays = [(r["graph"]["name"], r["median"]) for r in kept if r["kind"] == "replay"]
            assert sorted(replays) == [("grid1k", 4e-5), ("road24m", 9e-3)]
            assert sum(r["kind"] == "peer" for r in kept) == 3
            assert {r["date"] for r in kept} == {"2026-01-01", "2026-01-02T03:10"}
        dated = self.written(tmp_path, "c", [gpu_line("replay", 0.05, auto=True, date="2026-01-03T00:00:00")])
        kept = gpu_lines.newest(read_results([dated, old, new]))
        assert ("grid1k", 5e-5) in [(r["graph"]["name"], r["median"]) for r in kept]

    def test_devices_stand_beside_each_other(self, tmp_path: Path) -> None:
        other = [line | {"device": "Another GPU"} for line in GPU_LINES]
        text = gpu_lines.auto_table(read_results([self.written(tmp_path, "x", [*GPU_LINES, *other])]))
        assert text.count("| grid1k | 1.0 M | 4.2 M | `hb(2)+rem_cas` | 0.020 | 2.00 | 2.00 |") == 2
        assert "A GPU, 3.00 TB/s read; unknown day, commit cccccccccccc." in text
        assert "Another GPU, 3.00 TB/s read" in text

    def test_options_stand_over_the_plan_without_them(self, tmp_path: Path) -> None:
        text = gpu_lines.ablation_table(read_results([self.written(tmp_path, "x", GPU_LINES)]))
        assert "| reads | `rem_cas`, ms | 0.020 |  |" in text
        assert "|  | `reads=fresh` | 2.50 | 2.50 |" in text

    def test_stand_ins_know_no_published_time(self, tmp_path: Path) -> None:
        text = gpu_lines.stand_ins_table(read_results([self.written(tmp_path, "x", GPU_LINES)]))
        assert "| grid1k | 1.0 M | 4.2 M | `bfscc` | 0.060 | 6.00 | 1.50 |" in text

    def test_forests_stand_over_their_components(self, tmp_path: Path) -> None:
        plain = gpu_line("forest", 0.05, plan="async", components_ms=0.04, published_ms=0.2)
        auto = gpu_line("forest", 0.1, plan="jtb", auto=True, components_ms=0.08, published_ms=0.2)
        text = gpu_lines.forests_table(read_results([self.written(tmp_path, "x", [plain, auto])]))
        assert "| grid1k | `jtb` | 0.100 | 1.25 | 2.00 | 0.200 | 2.00 |" in text
        assert "| geometric mean |  |  | 1.25 | 2.00 |  | 2.00 |" in text
        del auto["published_ms"]
        text = gpu_lines.forests_table(read_results([self.written(tmp_path, "y", [plain, auto])]))
        assert "| grid1k | `jtb` | 0.100 | 1.25 | 2.00 |  |  |" in text
        assert "| geometric mean |  |  | 1.25 | 2.00 |  |  |" in text

    def test_streams_stand_beside_the_published_rate(self, tmp_path: Path) -> None:
        lines = read_results([self.written(tmp_path, "x", GPU_LINES)])
        text = gpu_lines.streams_table(lines)
        assert "| grid1k | random order | 4.2 M | 0.100 | 42.0 | 21.0 | 2.00 | 0.200 | 1.00 |" in text
        assert "| geometric mean |  |  |  |  |  | 2.00 |  | 1.41 |" in text
        text = gpu_lines.stream_batches_table(lines)
        assert "| inserts: the device alone | 2.00 |" in text
        assert "| inserts: calls | 1.00 |" in text
        assert "| inserts to queries 1:10: calls | 0.50 |" in text

    def test_a_wrong_answer_is_no_time(self, tmp_path: Path) -> None:
        text = gpu_lines.peers_table(read_results([self.written(tmp_path, "x", GPU_LINES)]))
        assert "| grid1k | 0.020 | 0.060 (3.00) |" in text
        assert "soman" not in text

    def test_a_line_of_nothing_is_named(self, tmp_path: Path) -> None:
        path = self.written(tmp_path, "x", [GPU_LINES[0], {"ms": 1.0}])
        with pytest.raises(ValueError, match=r"x.jsonl, line 2: names neither a suite nor a device"):
            read_results([path])


class TestCommit:
    """Where the commit of a result comes from."""

    def describe(self, monkeypatch: pytest.MonkeyPatch, given: str, stamp: Path) -> dict[str, Any]:
        monkeypatch.setenv("LANDBRIDGE_COMMIT", given)
        monkeypatch.setattr(machine, "STAMP", stamp)
        monkeypatch.setattr(machine, "_git", lambda *arguments: None)
        return machine.describe_commit.__wrapped__()

    def test_the_environment_comes_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert self.describe(monkeypatch, "abc", tmp_path / "none") == {"commit": "abc", "dirty": None}

    @pytest.mark.parametrize(("text", "commit"), [("d" * 40, "d" * 40), ("$Format:%H$", None), ("", None)])
    def test_an_archive_is_stamped(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, commit: str | None
    ) -> None:
        (tmp_path / "stamp").write_text(text + "\n")
        assert self.describe(monkeypatch, "", tmp_path / "stamp") == {"commit": commit, "dirty": None}

    def test_git_archives_put_the_stamp_where_it_is_looked_for(self) -> None:
        assert re.fullmatch(r"\$Format:%H\$|[0-9a-f]{40}", machine.STAMP.read_text().strip())
        rules = (machine.ROOT / ".gitattributes").read_text().split()
        assert rules == [str(machine.STAMP.relative_to(machine.ROOT)), "export-subst"]


class TestReport:
    def page(self, folder: Path) -> Path:
        path = folder / "page.md"
        blocks = "\n\n".join(f"<!-- begin {name} -->\nold\n<!-- end {name} -->" for name in report.RENDERERS)
        path.write_text(f"# Title\n\n{blocks}\n")
        return path

    def test_every_block_renders(self, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        records = [
            *LINES,
            *(record | {"suite": "end_to_end", "kind": "end_to_end"} for record in LINES),
            *(record | {"suite": "threads", "kind": "threads"} for record in LINES),
            *(record | {"suite": "threads", "kind": "threads", "threads": 1, "median": 8.0} for record in LINES),
            *(record | {"suite": "files", "kind": "files"} for record in LINES),
            *(record | {"suite": "streaming", "kind": "streaming"} for record in LINES),
            *(
                line(name, "grid", median, suite="incremental", kind="incremental", form=form)
                for form, name, median in (
                    ("inserts", "landbridge(auto)", 0.01),
                    ("inserts", "numba(loop)", 0.04),
                    ("prefix", "landbridge(auto)", 0.02),
                    ("prefix", "scipy(DisjointSet)", 0.5),
                    ("1:0, 10^2", "landbridge(auto)", 0.1),
                )
            ),
            *(
                line(name, "grid", median, suite="forest", kind="forest", form=form)
                for form, name, median in (
                    ("rows", "landbridge(components)", 0.02),
                    ("rows", "landbridge(forest)", 0.01),
                    ("pairs", "landbridge(components)", 0.02),
                    ("pairs", "landbridge(forest)", 0.03),
                    ("", "scipy(minimum)", 0.5),
                )
            ),
            *(record | {"suite": "plans", "kind": "plans"} for record in LINES if record["contestant"][0] == "l"),
            line("landbridge(a)", "grid", 0.5, suite="plans", kind="plans"),
            line("landbridge(a)", "road", 4.0, suite="plans", kind="plans"),
            line(
                "landbridge(auto)",
                "grid",
                4200.0,
                suite="memory",
                kind="memory",
                form="csr",
                bar=4200.0,
                foretold=5000.0,
                unit="B",
            ),
            *(
                line(
                    "A1",
                    "",
                    0.0,
                    suite=suite,
                    kind=suite,
                    engine=suite[-3:],
                    claim="it helps",
                    verdict="holds",
                    says="it runs 4x as fast",
                )
                for suite in ("papers", "papers_gpu")
            ),
            *(
                line(f"landbridge({plan})", "random 2^4", 0.5, suite=suite, kind=suite, floor_s=0.25, unit="s")
                for suite in ("ranking", "ranking_gpu")
                for plan in ("auto", "serial")
            ),
            *(
                line(
                    "D1",
                    "",
                    0.0,
                    suite=suite,
                    kind=suite,
                    engine=suite[-3:],
                    claim="it helps",
                    verdict="holds",
                    says="it runs 4x as fast",
                    unit="ratio",
                )
                for suite in ("ranking", "ranking_gpu")
            ),
            *GPU_LINES,
            gpu_line("forest", 0.1, plan="jtb", auto=True, components_ms=0.08, published_ms=0.2),
            line("numpy", "", 0.1, suite="import", kind="import"),
            line("landbridge(import)", "", 0.05, suite="import", kind="import", bar=0.1),
            line("base", "", 0.1, suite="door", kind="door", form="frames 0", what="text / numbers"),
            line("landbridge", "", 0.11, suite="door", kind="door", form="frames 0", what="text / numbers", bar=1.2),
        ]
        results = tmp_path / "results.jsonl"
        results.write_text("".join(json.dumps(record) + "\n" for record in records))
        page = self.page(tmp_path)
        assert report.main([str(results), "--page", str(page)]) == 0
        text = page.read_text()
        assert "\nold\n" not in text
        assert report.NOTHING not in text
        assert "| grid | peer one | 0.50 | 1.00 | 2.00 | 0.25 |" in text
        assert "geometric mean over the graphs: **1.00**" in text
        assert "| grid | landbridge(auto) | 8.00 | 1.90 | 1.90 |" in text
        assert "| grid | landbridge(a) | 2.00 | 1.00 |" in text
        assert "| grid | csr | landbridge(auto) | 4.2 | 2.1 | 1.00 | 0.84 |" in text
        assert "takes 0.50 times as long as `import numpy`" in text
        assert text.count("| A1 | it helps | CPU threads | **holds** | it runs 4x as fast |") == 2
        assert "A processor, 2 cores" in text
        assert "| `bfscc` | 1.00 | 1.00 |" in text
        assert "| int32 to device | 50.0 | 10.00 |" in text
        assert "| grid1k | Graph | 0.500 |" in text
        assert "| text / numbers | 1.10 | 1.10 | 1.2 |" in text
        picture = (tmp_path / "images" / "cpu.svg").read_bytes()
        assert report.main([str(results), "--page", str(page), "--check"]) == 0
        assert report.main([str(results), "--page", str(page)]) == 0
        assert (tmp_path / "images" / "cpu.svg").read_bytes() == picture
        page.write_text(text.replace("0.50", "0.40", 1))
        assert report.main([str(results), "--page", str(page), "--check"]) == 1

    def test_without_results_the_page_says_so(self, tmp_path: Path) -> None:
        page = self.page(tmp_path)
        page.write_text(report.render(page.read_text(), [], tmp_path))
        assert page.read_text().count(report.NOTHING) == len(report.RENDERERS)

    def test_the_pages_have_every_block_once(self) -> None:
        found = [match["name"] for page in report.pages() for match in report.BLOCK.finditer(page.read_text())]
        assert sorted(found) == sorted(report.RENDERERS)

    def test_the_page_is_what_the_results_give(self) -> None:
        pytest.importorskip("matplotlib")
        assert report.main(["--check"]) == 0

    def test_a_smoke_run_renders(self, smoke: tuple[Path, str], tmp_path: Path) -> None:
        records = [record | {"suite": "end_to_end"} for record in read_results([smoke[0]])]
        text = report.render("<!-- begin end to end -->\n<!-- end end to end -->", records, tmp_path)
        assert "With 2 threads:" in text
        assert "| small_grid |" in text

    def test_a_broken_line_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "broken.jsonl"
        path.write_text('{"suite": "cpu"}\n{"suite"\n')
        with pytest.raises(ValueError, match=r"broken.jsonl, line 2, column 9: not JSON"):
            read_results([path])


class TestFreshProcesses:
    """The kinds that measure in a process of their own, on the small path."""

    def test_plans_and_auto_are_compared(
        self, small_graphs: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        chosen = ["async(naive)", "rem_cas(naive,split_one)"]
        words = [word for plan in ["auto", *chosen] for word in ("--plan", plan)]
        assert run.main(["plans", "--only", "grid", "--repeat", "1", *words]) == 0
        printed = capsys.readouterr().out
        assert "auto over the best plan of each graph, geometric mean: " in printed
        assert "plans measured on a graph (median): 3" in printed

    def test_a_plan_that_does_not_end_is_stopped(self, case: Case, tmp_path: Path) -> None:
        cases.save_case(case, tmp_path / "case.npz")
        runner = Runner(tmp_path / "case.npz", 1, limit=60.0)
        assert runner.turn("landbridge(auto)", 1).count == 3
        assert runner.worker is not None
        os.kill(runner.worker.pid, signal.SIGSTOP)
        runner.limit = 0.05
        with pytest.raises(PeerFailed, match=r"landbridge\(auto\): no answer within 0.1 s"):
            runner.turn("landbridge(auto)", 1)
        runner.limit = 60.0
        assert runner.turn("landbridge(auto)", 1).count == 3
        with pytest.raises(PeerFailed, match=r"landbridge\(nonsense\): InvalidPlan: "):
            runner.turn("landbridge(nonsense)", 1)
        runner.close()

    def test_memory_is_the_rise_of_the_high_water_mark(self, case: Case, tmp_path: Path) -> None:
        cases.save_case(case, tmp_path / "case.npz")
        sink = Sink(load_suite("memory", {"repeat": 1, "bars": {"per_vertex": 1e9, "of_input": 0.0}}))
        for form in ("csr", "arrays"):
            memory.measure(sink, case, tmp_path / "case.npz", name="landbridge(auto)", form=form, threads=1)
        assert sink.failures == []
        assert [record["form"] for record in sink.records] == ["csr", "arrays"]
        assert all(record["unit"] == "B" and record["bar"] == 8e9 for record in sink.records)

    def test_a_missed_bar_is_a_failure(self, case: Case, tmp_path: Path) -> None:
        cases.save_case(case, tmp_path / "case.npz")
        sink = Sink(load_suite("memory", {"repeat": 1, "bars": {"per_vertex": -1.0, "of_input": 0.0}}))
        memory.measure(sink, case, tmp_path / "case.npz", name="landbridge(auto)", form="csr", threads=1)
        assert ["the bar is -8" in failure for failure in sink.failures] == [True]

    def test_more_than_was_foretold_is_a_failure(self, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
        class Answering:
            def __init__(self, case_file: Path) -> None:
                del case_file

            def __enter__(self) -> Answering:
                return self

            def __exit__(self, *error: object) -> None:
                del error

            def ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
                del request, limit
                return {"bytes": 100, "foretold": 50}

        monkeypatch.setattr(memory, "Worker", Answering)
        sink = Sink(load_suite("memory", {"repeat": 2, "bars": {"per_vertex": 1e9, "of_input": 0.0}}))
        memory.measure(sink, case, Path("case.npz"), name="landbridge(auto)", form="csr", threads=1)
        assert sink.failures == ["landbridge(auto) on path, csr: 100 extra bytes; estimate_memory says 50"]

    def test_import_is_timed_after_numpy(self) -> None:
        suite = load_suite("import", {"repeat": 2, "bars": {"of_numpy": 600.0}})
        sink = Sink(suite)
        KINDS["import"].run(sink)
        assert [record["contestant"] for record in sink.records] == ["numpy", "landbridge(import)"]
        assert all(len(record["times"]) == 2 for record in sink.records)
        assert sink.records[1]["bar"] == 600 * sink.records[0]["median"]
        assert "; the bar is " in KINDS["import"].summary(sink.records)

    def test_the_way_in_and_out(self) -> None:
        for package in ("pandas", "polars", "pyarrow", "scipy", "networkx"):
            pytest.importorskip(package)
        sink = Sink(load_suite("door", {"repeat": 1, "bars": {"scale": 2000}}))
        KINDS["door"].run(sink)
        assert not any("differ" in failure for failure in sink.failures)
        assert {record["form"].rpartition(" ")[0] for record in sink.records} == set(door.CASES)
        assert len(sink.records) == 2 * len(KINDS["door"].summary(sink.records).splitlines()[2:])
        wrong = door.Door("off", lambda: 1, lambda: 2, lambda ours, base: ours == base, 1.0)
        door.measure(sink, wrong, "wrong")
        assert sink.failures[-1] == "off: the answers differ"

    def test_streams_are_checked_against_the_reader(
        self, small_graphs: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("pyarrow")
        out = tmp_path / "streaming.jsonl"
        assert run.main(["streaming", "--only", "road", "--repeat", "1", "--out", str(out)]) == 0
        records = read_results([out])
        assert [r["contestant"] for r in records] == ["landbridge(chunks)", *streaming.READERS]
        assert "over the fastest reader alone" in capsys.readouterr().out

    def test_files_are_read_by_all(self, small_graphs: None, capsys: pytest.CaptureFixture[str]) -> None:
        assert run.main(["files", "--only", "road", "--repeat", "1"]) == 0
        assert "| road | " in capsys.readouterr().out


def test_a_forest_is_timed_beside_the_components_of_its_plan(
    small_graphs: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    words = ["--only", "tiny", "--repeat", "1", "--peers", "scipy(minimum)", "--out", str(out)]
    assert run.main(["forest", *words]) == 0
    records = read_results([out])
    ours = ["landbridge(components)", "landbridge(forest)"]
    assert [(r["form"], r["contestant"]) for r in records] == [
        *(("rows", name) for name in ours),
        *(("pairs", name) for name in ours),
        ("", "scipy(minimum)"),
    ]
    assert records[0]["plan"] == records[1]["plan"] != ""
    assert "| tiny |" in capsys.readouterr().out
