"""What a graph keeps of the plans that came again for it on a GPU."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from landbridge.engine.gpu import components
from landbridge.engine.gpu.replay import Replays
from landbridge.errors import OutOfDeviceMemory

DEVICE: Any = SimpleNamespace(ordinal=0)


class Graph:
    """Anything that can be referred to weakly."""


def get(replays: Replays, graph: Any, text: str) -> Any:
    return replays.get(graph, text, DEVICE, object)  # type: ignore[arg-type, return-value]


def test_a_graph_keeps_four_plans_that_came_again() -> None:
    replays, graph = Replays(), Graph()
    plans = [f"plan {i}" for i in range(5)]
    assert [get(replays, graph, text) for text in plans] == [None] * 5
    runs = [get(replays, graph, text) for text in plans[:4]]
    assert None not in runs
    assert [get(replays, graph, text) for text in plans[:4]] == runs
    fifth = get(replays, graph, plans[4])
    assert [get(replays, graph, text) for text in plans[1:]] == [*runs[1:], fifth]
    assert get(replays, graph, plans[0]) is not runs[0]
    assert replays.clear()
    assert not replays.clear()


def test_a_run_that_finds_no_memory_is_tried_again_without_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    replays, graph, calls = Replays(), Graph(), []
    for _ in range(2):
        get(replays, graph, "plan")

    def run(*_: Any) -> str:
        calls.append(1)
        if len(calls) == 1:
            raise OutOfDeviceMemory("full")
        return "answer"

    monkeypatch.setattr(components, "_replays", replays)
    monkeypatch.setattr(components, "_on_its_device", run)
    anything: Any = graph
    answer: Any = components.components(anything, anything, 1)
    assert answer == "answer"
    assert (len(calls), replays.clear()) == (2, False)
