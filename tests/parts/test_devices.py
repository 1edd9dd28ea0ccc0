"""`devices=`, `device=`, and plan texts that name several processors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import DeviceError, InputError, InvalidPlan, OutOfDeviceMemory
from landbridge.cli import main
from landbridge.device import cuda
from landbridge.engine.parts.processors import processors_of, require_room
from landbridge.engine.parts.worker_threads import Batch, Pieces
from landbridge.plan import parse

EDGES = ([0, 1, 5], [1, 2, 4])
LABELS = [0, 0, 0, 1, 2, 2]
no_gpu = pytest.mark.skipif(cuda.count() > 0, reason="says what a machine without a GPU answers")


@pytest.mark.parametrize(
    "words",
    [
        {"devices": ["cpu", "cpu"]},
        {"devices": ("cpu",)},
        {"plan": "async(halve)@parts(cpu=3)"},
        {"plan": "async(halve)@parts(cpu=2)", "device": "parts"},
        {"plan": "async(halve)", "devices": ["cpu", "cpu"], "device": "parts"},
        {"plan": "async(halve)@hybrid", "devices": ["cpu", "cpu"]},
        {"devices": ["cpu", "cpu"], "device": "hybrid"},
    ],
)
def test_every_way_to_name_processors_gives_the_same_labels(words: dict[str, Any]) -> None:
    result = landbridge.components(EDGES, **words)
    assert (result.labels.tolist(), result.device in ("parts", "hybrid")) == (LABELS, True)
    assert len(result.profile.shares) == 3 if "cpu=3" in result.plan else result.profile.shares
    if "(" in result.plan.partition("@")[2]:  # the plan alone says it all
        again = landbridge.components(EDGES, plan=result.plan)
        assert (again.plan, again.labels.tolist()) == (result.plan, LABELS)


def test_plan_texts_have_the_options_of_several_processors() -> None:
    text = "async(halve)@parts(cpu=1,divide=edges,gpu=2,ids=narrow,send=bitmap,threads=4)"
    assert str(parse(text)) == text
    assert str(parse("async(halve)@hybrid(t=17,device=1)")) == "async(halve)@hybrid(device=1,t=17)"
    for wrong in ("async@parts(cpu=65)", "async@hybrid(t=101)", "async@parts(device=1)", "async@parts(merge=warp)"):
        with pytest.raises(InvalidPlan):
            parse(wrong)


@pytest.mark.parametrize(
    ("devices", "message"),
    [
        ([], "devices must be a list of processors, such as [0, 1], not []"),
        ("cpu", "devices must be a list of processors, such as [0, 1], not 'cpu'"),
        (0, "devices must be a list of processors, such as [0, 1], not 0"),
        (["cpu", "abacus"], "devices has 'abacus'; a processor is the number of a GPU or one of 'cpu', 'cuda', 'gpu'"),
        ([-1], "devices has -1; a processor is the number of a GPU or one of 'cpu', 'cuda', 'gpu'"),
        ([True], "devices has True; a processor is the number of a GPU or one of 'cpu', 'cuda', 'gpu'"),
        (["parts"], "devices has 'parts'; a processor is the number of a GPU or one of 'cpu', 'cuda', 'gpu'"),
    ],
)
def test_what_is_no_processor_is_refused(devices: Any, message: str) -> None:
    for function in (landbridge.components, landbridge.spanning_forest, landbridge.explain):
        with pytest.raises(InputError) as error:
            function(EDGES, devices=devices)
        assert str(error.value) == message


def test_a_plan_of_another_engine_contradicts_devices() -> None:
    with pytest.raises(DeviceError, match="devices= divides the work among processors, and the engine cpu does not"):
        landbridge.components(EDGES, plan="async@cpu", devices=["cpu", "cpu"])
    with pytest.raises(DeviceError, match="device='parts', but the plan asks for @cpu"):
        landbridge.components(EDGES, plan="async@cpu", device="parts")
    with pytest.raises(DeviceError, match="devices= divides the work among processors, and the engine cpu does not"):
        landbridge.rank_list([1, 1], plan="chains@cpu", devices=["cpu", "cpu"])


@no_gpu
def test_a_gpu_that_is_missing_is_named() -> None:
    for words in ({"devices": ["cpu", 0]}, {"device": "hybrid"}, {"devices": [0, 1]}, {"plan": "async@hybrid"}):
        with pytest.raises((DeviceError, landbridge.MissingDependency), match="GPU"):
            landbridge.components(EDGES, **words)  # type: ignore[arg-type]


def test_parents_that_no_memory_holds_are_refused_with_their_bytes() -> None:
    require_room(2**31 - 1, False, 2**33)
    for vertices, wide, parents in ((2**31, False, 2**34), (2**30, True, 2**33), (2**34, False, 2**37)):
        with pytest.raises(OutOfDeviceMemory, match=f"of {vertices} vertices are {parents} bytes on every processor"):
            require_room(vertices, wide, parents - 1)


def test_the_command_line_names_processors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path := tmp_path / "edges.txt").write_text("0 1\n1 2\n5 4\n")
    for command in ("components", "forest"):
        for more in ([], ["--stream"] if command == "components" else []):
            assert main([command, str(path), "--devices", "cpu,cpu", "--json", *more]) == 0
            answer = json.loads(capsys.readouterr().out)
            assert (answer["count"], answer["plan"]) == (2, "rem_cas(naive,halve_one)@parts(cpu=2)")
    (tmp_path / "lists.txt").write_text("1\n2\n-1\n")
    assert main(["rank", str(tmp_path / "lists.txt"), "--devices", "cpu,cpu", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["largest"], answer["plan"]) == (2, "chains@parts(cpu=2)")
    assert main(["explain", str(path), "--devices", "cpu, cpu"]) == 0
    assert "cpu 0, cpu 1" in capsys.readouterr().out
    assert main(["components", str(path), "--devices", "cpu,abacus"]) == 2
    assert "--devices has 'abacus'" in capsys.readouterr().err


def test_processors_get_the_options_that_act_on_them() -> None:
    (one,) = processors_of(["cpu"], 1)
    for text, passed in (
        ("rem_cas@parts(cpu=2,ids=wide,seed=3)", "rem_cas(naive,split_one)@cpu(ids=wide)"),
        ("kout+rem_cas@parts(cpu=2,seed=3)", "kout(2)+rem_cas(naive,split_one)@cpu(seed=3)"),
    ):
        assert str(one.plan(parse(text))) == passed
        assert landbridge.components([(0, 1), (1, 2)], plan=text).count == 1


def test_threads_are_divided() -> None:
    assert [p.threads for p in processors_of(("cpu", "cpu"), 8)] == [4, 4]
    assert [p.threads for p in processors_of(("cpu", 0), 16)] == [12, 16]
    assert [p.threads for p in processors_of((0, 1), 16)] == [8, 8]
    assert [p.threads for p in processors_of(("cpu", 0, 1), 1)] == [1, 1, 1]
    assert [p.name for p in processors_of(("cpu", "cpu", 1, "gpu"), 4)] == ["cpu 0", "cpu 1", "gpu 1", "gpu 0"]


def test_streams_and_chunks_take_devices() -> None:
    u, v = (np.random.default_rng(1).integers(0, 500, 3000) for _ in range(2))
    right = landbridge.components((u, v)).labels
    stream = landbridge.Incremental(devices=["cpu", "cpu"], forest=True)
    stream.insert(u, v)
    assert np.array_equal(stream.components().labels, right)
    landbridge.check_forest((u, v), stream.forest())
    assert stream.device == "parts"
    chunks = [(u[:1000], v[:1000]), (u[1000:], v[1000:])]
    assert np.array_equal(landbridge.components(chunks=chunks, devices=["cpu", "cpu"]).labels, right)
    names = landbridge.Incremental(ids="names", devices=["cpu", "cpu"])
    names.insert(["ann", "cy"], ["bob", "dan"])
    assert names.connected("ann", "bob") and not names.connected("ann", "cy")


def test_an_explanation_names_the_processors() -> None:
    reasons = landbridge.explain(EDGES, devices=["cpu", "cpu"]).reasons
    assert "cpu 0, cpu 1" in reasons[0]
    assert landbridge.estimate_memory((1000, 10_000), device="parts") > landbridge.estimate_memory(
        (1000, 10_000), device="cpu"
    )


def test_pieces_go_to_the_processor_that_holds_them_and_the_last_ones_to_others() -> None:
    ids = np.arange(1000)
    pieces = Pieces([Batch(ids, ids, holder=1), Batch(ids[:100], ids[:100])], 3, 100)
    order = [(piece := pieces.take(place)) and (piece.batch.holder, piece.begin) for place in (1, 0, 0, 2, 1)]
    assert order == [(1, 0), (None, 0), (1, 900), (1, 800), (1, 100)]
    assert pieces.edges == 600
    small = pieces.take(1, 30)
    assert small is not None
    assert (small.begin, small.end, pieces.edges) == (200, 230, 570)
    pieces.put(small)
    again = pieces.take(2)
    assert again == small
    pieces.stop()
    assert (pieces.take(1), len(pieces)) == (None, 0)
