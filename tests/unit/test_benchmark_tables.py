"""Tables of records, on processors and on GPUs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_benchmarks import RECORDS, gpu_record, record

from benchmarks.kinds.gpu_ablations import ablation_table
from benchmarks.kinds.gpu_components import auto_table, calls_table, peers_table, plans_table
from benchmarks.kinds.gpu_forests import forests_table
from benchmarks.kinds.gpu_streams import batches_table, streams_table
from benchmarks.kinds.gpu_transfer import transfer_table
from benchmarks.kinds.plans import distances
from benchmarks.records import latest
from benchmarks.tables import by_device, geometric_mean, mean_text, noise, origin, over_fastest_peer, ratio_table


class TestOnProcessors:
    def test_ratios_are_to_the_fastest_peer_of_each_graph(self) -> None:
        table = ratio_table(latest(RECORDS), lower_bound=True)
        assert table.header == ["graph", "fastest peer", "landbridge(auto)", "peer one", "peer two", "lower bound"]
        assert table.rows == [
            ["grid", "peer one", "0.50", "1.00", "2.00", "0.25"],
            ["road", "peer one", "2.00", "1.00", "", "0.12"],
            ["geometric mean", "", "1.00", "1.00", "2.00 (on 1)", "0.18"],
        ]
        assert over_fastest_peer(latest(RECORDS)) == {"landbridge(auto)": 1.0}

    def test_a_busy_machine_is_named(self) -> None:
        assert noise(RECORDS) == ""
        busy = [record("peer one", "grid", 1.0, quiet={"others": 0.5, "steal": 0.25})]
        assert noise(busy) == "Unreliable: other processes used 0.8 cores of the machine during the run."
        assert noise([record("peer one", "grid", 1.0, quiet=None)]) == ""

    def test_geometric_mean(self) -> None:
        assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
        assert np.isnan(geometric_mean([]))
        assert (mean_text([1.0, 4.0]), mean_text([2.0], 2), mean_text([])) == ("2.00", "2.00 (on 1)", "")

    def test_plans_are_compared_where_all_ran(self) -> None:
        records = [
            record("landbridge(auto)", "grid", 2.0),
            record("landbridge(a)", "grid", 1.0),
            record("landbridge(b)", "grid", 4.0),
            record("landbridge(auto)", "road", 2.0),
            record("landbridge(a)", "road", 4.0),
            record("landbridge(b)", "road", 1.0),
            record("landbridge(c)", "road", 9.0),
        ]
        assert distances(records) == pytest.approx(
            {"landbridge(auto)": 2.0, "landbridge(a)": 2.0, "landbridge(b)": 2.0}
        )

    def test_the_origin_names_device_commit_and_versions(self) -> None:
        assert origin(RECORDS) == (
            "Measured on A processor, 2 cores (huge pages: madvise), last on 2026-01-02, commit 0123456789ab; "
            "python 3.12.0."
        )
        assert origin([gpu_record("gpu", 1.0)]) == (
            "Measured on NVIDIA A (3.00 TB/s read), last on 2026-01-01, commit cccccccccccc."
        )

    def test_devices_stand_one_after_another(self) -> None:
        other = [{**line, "device": "Another processor, 8 cores"} for line in RECORDS]
        text = by_device(lambda records: f"{len(records)} records", [*RECORDS, *other])
        assert text.count("6 records") == 2
        assert text.index("Measured on A processor") < text.index("Measured on Another processor")


def replays() -> list[dict[str, Any]]:
    return [
        gpu_record("gpu", 0.02, "hb(2)+rem_cas", auto=True, lower_bound_s=1e-5),
        gpu_record("gpu", 0.025, "hb(2)+rem_cas", lower_bound_s=1e-5),
        gpu_record("gpu", 0.01, "bfscc", lower_bound_s=1e-5),
        gpu_record("gpu", 0.5, "auto", auto=True, timing="wall", form="Graph"),
    ]


class TestOnGpus:
    def test_the_automatic_plan_stands_beside_what_was_published(self) -> None:
        text = auto_table(replays())
        assert "| grid | 1.0 M | 4.2 M | `hb(2)+rem_cas` | 0.020 | 2.00 | 2.00 | 0.084 (Groute) | 4.20 |" in text
        assert "| geometric mean |  |  |  |  | 2.00 | 2.00 |  | 4.20 |" in text

    def test_a_graph_without_a_published_time_has_no_such_column(self) -> None:
        graph = {"name": "like:x", "text": "x", "n": 2_000_000, "m": 1_000_000, "components": 1}
        text = auto_table([{**line, "graph": graph} for line in replays()])
        assert "| like:x | 2.0 M | 2.0 M | `hb(2)+rem_cas` | 0.020 | 2.00 | 2.00 |\n" in text
        assert "published" not in text

    def test_plans_stand_over_the_best(self) -> None:
        text = plans_table(replays())
        assert text.index("| `bfscc` | 1.00 | 1.00 |") < text.index("| `hb(2)+rem_cas` | 2.50 | 2.50 |")

    def test_calls_are_apart_from_replays(self) -> None:
        assert calls_table(replays()).splitlines()[2:] == ["| grid | Graph | 0.500 |"]

    def test_programs_stand_beside_ours(self) -> None:
        peer = gpu_record("gpu_peers", 0.06, contestant="ecl_cc_gpu", timing="reported")
        ours = gpu_record("gpu_peers", 0.02, auto=True)
        assert "| grid | 0.020 | 0.060 (3.00) |" in peers_table([ours, peer])

    def test_options_stand_over_the_plan_without_them(self) -> None:
        common = {"form": "reads", "base": "rem_cas"}
        plain = gpu_record("gpu_ablations", 0.02, "rem_cas", option="", **common)
        fresh = gpu_record("gpu_ablations", 0.05, "rem_cas@gpu", option="reads=fresh", **common)
        text = ablation_table([plain, fresh])
        assert "| reads | `rem_cas`, ms | 0.020 |  |" in text
        assert "|  | `reads=fresh` | 2.50 | 2.50 |" in text

    def test_forests_stand_over_their_components(self) -> None:
        def forest(ms: float, plan: str, auto: bool, form: str, graph: str) -> dict[str, Any]:
            line = gpu_record("gpu_forests", ms, plan, auto=auto, form=form)
            return {**line, "graph": {**line["graph"], "name": graph}}

        def pair(graph: str) -> list[dict[str, Any]]:
            auto = [forest(0.1, "jtb", True, "forest", graph), forest(0.08, "jtb", True, "components", graph)]
            return [*auto, forest(0.05, "async", False, "forest", graph)]

        text = forests_table(pair("rmat22"))
        assert "| rmat22 | `jtb` | 0.100 | 1.25 | 2.00 | 0.310 | 3.10 |" in text
        assert "| geometric mean |  |  | 1.25 | 2.00 |  | 3.10 |" in text
        text = forests_table(pair("grid"))
        assert "| grid | `jtb` | 0.100 | 1.25 | 2.00 |  |  |" in text
        assert "| geometric mean |  |  | 1.25 | 2.00 |  |  |" in text

    def test_streams_stand_beside_the_published_rate(self) -> None:
        def stream(form: str, timing: str, rate: float, **more: Any) -> dict[str, Any]:
            line = gpu_record("gpu_streams", 1.0 / rate, auto=True, form=form, timing=timing, operations=2_490_000)
            return {**line, "graph": {**line["graph"], "name": "rmat22"}, **more}

        records = [stream("random order", "device", 49.8), stream("random order", "wall", 24.9)]
        text = streams_table(records)
        assert "| rmat22 | random order | 2.5 M | 0.050 | 49.8 | 24.9 | 2.00 | 0.100 | 1.00 |" in text
        assert "| geometric mean |  |  |  |  |  | 2.00 |  | 1.00 |" in text
        batches = [
            stream("inserts, 10^4", "replay", 2.0),
            stream("inserts, 10^4", "wall", 1.0),
            stream("1:10, 10^4", "wall", 0.5),
        ]
        text = batches_table([*records, *batches])
        assert "| inserts: the device alone | 2.00 |" in text
        assert "| the best of GConn, on an H100 | 1.16 |" in text
        assert "| inserts: calls | 1.00 |" in text
        assert "| inserts to queries 1:10: calls | 0.50 |" in text

    def test_phases_stand_below_the_run_they_are_of(self) -> None:
        def copy(what: str, ms: float) -> dict[str, Any]:
            return gpu_record("gpu_transfer", ms, contestant=what, bytes=500_000_000, threads=16)

        text = transfer_table(
            [
                copy("int32 to device", 10.0),
                copy("a checked Graph to labels", 20.0),
                copy("x", 5.0),
                copy("of these: finish", 1.0),
            ]
        )
        assert text.splitlines()[2:6] == [
            "| int32 to device | 50.0 | 10.00 |",
            "| a checked Graph to labels | 25.0 | 20.00 |",
            "| of these: finish |  | 1.000 |",
            "| x | 100.0 | 5.000 |",
        ]
