"""The peers: packages answer, readers read, adapters understand what programs print, and trouble is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_benchmarks import program

from benchmarks import run
from benchmarks.check import check_answer
from benchmarks.kinds.files import write_text
from benchmarks.records import read_records
from peers import PEERS, peers
from peers.base import Answer, Case, Executable, InProcess, PeerFailed
from peers.readers import READERS


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
        with pytest.raises(KeyError, match="no peer is called 'a stranger'"):
            list(peers(["a stranger"]))

    @pytest.mark.parametrize("name", [name for name in READERS if not name.startswith("landbridge")])
    def test_readers_read_what_was_written(self, name: str, case: Case, tmp_path: Path) -> None:
        package, reader = READERS[name]
        pytest.importorskip(package)
        write_text(case, tmp_path / "edges.txt")
        source, target = reader(tmp_path / "edges.txt")
        np.testing.assert_array_equal(source, case.source)
        np.testing.assert_array_equal(target, case.target)


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
    """Adapters of programs, against small ones that print what the programs print."""

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
        contestants = list(peers(["connectit"]))
        assert [peer.name for peer in contestants] == ["connectit(union_one)", "connectit(union_two)"]
        answer = self.run_peer(contestants[0], case, trials=2)
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
        contestants = list(peers(["gconn"]))
        assert [peer.name for peer in contestants] == ["gconn(kout)", "gconn(hb)"]
        assert self.run_peer(contestants[0], case, trials=3).seconds == (0.00025,) * 3

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
        assert "gapbs(afforest)" not in {record["contestant"] for record in read_records([out])}
