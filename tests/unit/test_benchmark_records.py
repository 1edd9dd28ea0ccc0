"""Records: one form, read line by line, the last of each kind counts; where the commit comes from."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from small_benchmarks import PATH_EDGES, RECORDS, gpu_record, record

from benchmarks import cases, machine, report
from benchmarks.records import FIELDS, latest, read_records
from benchmarks.suites import load_suite
from benchmarks.zoo.cells import cell


def written(folder: Path, name: str, records: list[dict[str, Any]]) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_smoke_suite_leaves_complete_records(smoke: tuple[Path, str]) -> None:
    path, printed = smoke
    records = read_records([path])
    suite = load_suite("smoke")
    contestants = {"scipy", "scipy(strong)", "networkx", "landbridge(auto)", "landbridge(auto from scipy)"}
    assert {line["contestant"] for line in records} == contestants
    assert len(records) == len(contestants) * 2 * len(suite.threads)
    for line in records:
        assert line["graph"]["text"] == cases.graph_texts()[line["graph"]["name"]]
        assert (line["graph"]["n"], line["graph"]["m"], line["graph"]["components"]) == (8, PATH_EDGES, 3)
        assert len(line["times"]) == suite.repeat * suite.trials
        assert line["min"] <= line["median"] <= line["max"]
        assert line["checked"] is True
        assert line["device"] == machine.processor()
        assert line["threads"] in suite.threads
        assert line["machine"]["cores"] >= 1
        assert line["machine"]["memory_bytes"] > 0
        assert {"python", "numpy", "scipy", "landbridge"} <= set(line["versions"])
        assert {"commit", "dirty", "date", "cpu_over_wall", "quiet", "lower_bound_s"} <= set(line)
        assert bool(line["plan"]) == line["contestant"].startswith("landbridge(")
    assert "landbridge(auto) over the fastest of all peers, geometric mean" in printed


def test_the_last_record_of_each_kind_counts(tmp_path: Path) -> None:
    old = record("landbridge(auto)", "grid", 9.0, date="2026-01-01")
    new = record("landbridge(auto)", "grid", 1.0, date="2026-01-02")
    other = record("landbridge(auto)", "grid", 2.0, date="2026-01-01", timing="device")
    elsewhere = {**old, "device": "Another processor, 8 cores"}
    for files in ([old, other, new, elsewhere], [new, elsewhere, other, old]):
        newest = latest(read_records([written(tmp_path, "x", files)]))
        assert sorted(r["median"] for r in newest) == [1.0, 2.0, 9.0]
        assert len(latest([*newest, *files])) == len(newest)


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "broken", [RECORDS[0]])
    path.write_text(path.read_text() + '{"suite"\n')
    with pytest.raises(ValueError, match=r"broken.jsonl, line 2, column 9: not JSON"):
        read_records([path])


@pytest.mark.parametrize("field", FIELDS)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, field: str) -> None:
    line = {key: value for key, value in gpu_record("gpu", 1.0).items() if key != field}
    with pytest.raises(ValueError, match=rf"x.jsonl, line 2: no record of a result, it has no '{field}'"):
        read_records([written(tmp_path, "x", [RECORDS[0], line])])


def test_committed_results_have_one_form() -> None:
    records = read_records(sorted(report.RESULTS.rglob("*.jsonl")))
    assert len(records) > 2000
    suites = {line["suite"]: line["kind"] for line in records}
    assert all(load_suite(suite).kind == kind for suite, kind in suites.items())
    for line in records:
        assert line["unit"] in ("s", "B", "ratio")
        # One that was stopped, or that computes nothing, has no answer.
        assert line["checked"] is True or (line["kind"] == "cluster" and "ended" in line)
        if line["kind"].startswith("zoo"):
            name, form = line["graph"]["name"], line["form"]
            structure, order, size = name.split("/")
            assert str(cell(f"{structure}/{order}/{form}/{size}")) == f"{structure}/{order}/{form}/{size}"
            assert re.fullmatch(rf"zoo {re.escape(name)}, seed \d+", line["graph"]["text"])
        elif line["kind"] == "cluster":
            assert line["graph"]["name"].endswith(f" {line['graph']['m']}")
        elif "graph" in line and "^" not in line["graph"]["name"]:
            assert cases.graph_texts()[line["graph"]["name"]] == line["graph"]["text"]


class TestCommit:
    """Where the commit of a result comes from."""

    def describe(self, monkeypatch: pytest.MonkeyPatch, variable: str, stamp: Path) -> dict[str, Any]:
        monkeypatch.setenv("LANDBRIDGE_COMMIT", variable)
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

    def test_the_commit_of_another_tree(self, tmp_path: Path) -> None:
        folder = tmp_path / "src"
        (folder / "landbridge").mkdir(parents=True)
        (folder / "landbridge" / "__init__.py").touch()
        assert machine.commit_of(folder) is None
        (tmp_path / "benchmarks").mkdir()
        (tmp_path / "benchmarks" / "commit.txt").write_text("a" * 40 + "\n")
        assert machine.commit_of(folder) == "a" * 40
        if shutil.which("git") is None:
            pytest.skip("no git here")
        for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a", "commit", "-qma"]):
            subprocess.run(["git", *words], cwd=tmp_path, check=True)
        commit = machine.commit_of(folder)
        assert commit is not None
        assert re.fullmatch("[0-9a-f]{40}", commit)
        assert commit != "a" * 40

    def test_git_archives_put_the_stamp_where_it_is_read(self) -> None:
        assert re.fullmatch(r"\$Format:%H\$|[0-9a-f]{40}", machine.STAMP.read_text().strip())
        rules = (machine.ROOT / ".gitattributes").read_text().split()
        assert rules == [str(machine.STAMP.relative_to(machine.ROOT)), "export-subst"]
