"""Whether a run is divided unasked: by sizes, places and measured rates, and never when in doubt."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parts.fake import FakeDevice

import landbridge
from landbridge.device import cuda
from landbridge.engine.parts import advice
from landbridge.engine.parts import engine as parts_engine
from landbridge.engine.parts.advice import GAIN, SEVERAL_FROM, Rates, advise, rates_of, seconds_of
from landbridge.engine.parts.calibration import Store
from landbridge.engine.parts.processors import CpuThreads
from landbridge.engine.resolve import DIVIDED_FROM
from landbridge.problems import PROBLEMS

NAMES = ("gpu 0", "gpu 1", "cpu 0")
GPU, CPU = Rates(6e9, 1e-11), Rates(2e9, 4e-10)
positive = st.floats(1e6, 1e11)
rates = st.lists(st.builds(Rates, positive, st.floats(0, 1e-7)), min_size=1, max_size=4)


@given(rates, st.integers(0, 2**34), st.integers(0, 2**34), st.data())
@settings(max_examples=60)
def test_what_is_divided_looks_faster_than_any_single_processor(
    rates: list[Rates], vertices: int, edges: int, data: st.DataObject
) -> None:
    faster = data.draw(st.floats(1, 3))
    singles = [Rates(rate.edges * faster, rate.merge) for rate in rates]
    result = advise([str(i) for i in range(len(rates))], rates, singles, vertices, edges)
    alone = min(seconds_of([single], vertices, edges) for single in singles)
    if result.divides:
        assert edges >= SEVERAL_FROM
        assert seconds_of([rates[place] for place in result.places], vertices, edges) * GAIN <= alone
    else:
        assert singles[result.places[0]].edges == max(single.edges for single in singles)


def test_examples_with_their_numbers() -> None:
    two = advise(NAMES[:2], [GPU, GPU], [GPU, GPU], 2**27, 2**31)
    assert two.divides
    assert two.reasons == (
        "gpu 0 unites 6e+09 edges/s", "gpu 1 unites 6e+09 edges/s",
        "gpu 0 and gpu 1 would take 0.18 s, gpu 0 alone 0.358 s",
    )  # fmt: skip
    few = advise(NAMES[:2], [GPU, GPU], [GPU, GPU], 2**20, 2**22)
    assert (few.places, few.reasons[-1]) == ((0,), "4194304 edges are too few to be divided")
    slow = advise(NAMES[1:], [GPU, Rates(2e8, 0.0)], [GPU, Rates(3e8, 0.0)], 2**27, 2**31)
    assert slow.reasons[-1].endswith("alone 0.358 s: one processor, unless 1.1 times is gained")
    assert advise(["cpu 0"], [CPU], [CPU], 10, 2**40).places == (0,)


def test_rates_are_measured_once_and_again_for_another_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "PROBE_VERTICES", 1 << 12)
    monkeypatch.setattr(advice, "PROBE_EDGES", 1 << 14)
    store, devices = Store(tmp_path / "numbers.json"), [CpuThreads(0, 1), FakeDevice(1, rate=1e7)]
    first = rates_of(devices, False, store)
    assert first[0].merge == 0 < first[1].merge
    assert first[0].edges > first[1].edges > 0
    assert rates_of(devices, False, store) == first
    monkeypatch.setattr(FakeDevice, "identity", lambda device: "another driver")
    again = rates_of(devices, False, store)
    assert again[0] == first[0]
    assert again[1] != first[1]


def test_nothing_is_measured_for_small_runs_and_named_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    assert DIVIDED_FROM == SEVERAL_FROM

    def never(*arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr(parts_engine, "rates_of", never)
    monkeypatch.setattr(cuda, "count", lambda: 2)
    for words in ({}, {"device": "cpu"}, {"plan": "async(halve)"}):
        request = PROBLEMS["components"].request("auto", **words) if "plan" not in words else None
        request = request or PROBLEMS["components"].request(words["plan"])
        assert request.several(False, DIVIDED_FROM - 1) == (None, ())
        if words:
            assert request.several(False, 2**40) == (None, ())
    assert PROBLEMS["incremental"].request("auto").several(False, 2**40) == (None, ())


def test_the_advice_names_the_engine_and_explains(monkeypatch: pytest.MonkeyPatch) -> None:
    request = PROBLEMS["components"].request("auto")
    if cuda.count() == 0:
        assert request.several(False, 2**40) == (None, ())
    monkeypatch.setattr(cuda, "count", lambda: 2)
    monkeypatch.setattr(parts_engine, "rates_of", lambda processors, on_device: [GPU] * len(processors))
    engine, reasons = request.several(False, 2**32)
    assert engine is not None
    assert (engine.name, len(reasons)) == ("parts", 4)
    monkeypatch.setattr(parts_engine, "rates_of", lambda processors, on_device: [Rates(1e9, 1e-6)] * len(processors))
    engine, reasons = request.several(True, 2**32)
    assert engine is None
    assert reasons[-1].endswith("one processor, unless 1.1 times is gained")

    def lost(*arguments: object) -> None:
        raise landbridge.DeviceError("gone")

    monkeypatch.setattr(parts_engine, "rates_of", lost)
    assert request.several(True, 2**32) == (None, ())
