"""The time of phases: events between them, folded by name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from landbridge.device import cuda
from landbridge.device.timeline import Timeline, undivided_profile


class Stream:
    """Every event happens a millisecond later than the one before."""

    def __init__(self) -> None:
        self.now = 0
        self.awaited: list[int] = []

    def record(self) -> Any:
        self.now += 1
        at = self.now
        return SimpleNamespace(at=at, synchronize=lambda: self.awaited.append(at))


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> Stream:
    stream = Stream()
    module = SimpleNamespace(
        cuda=SimpleNamespace(
            get_current_stream=lambda: stream, get_elapsed_time=lambda before, after: float(after.at - before.at)
        )
    )
    monkeypatch.setattr(cuda, "_module", lambda: module)
    return stream


def test_phases_of_one_name_are_added_up(stream: Stream) -> None:
    timeline = Timeline()
    for phase in ("transfer", "start", "finish", "transfer"):
        timeline.record(phase)
    timeline.wait()
    assert stream.awaited == [5]
    assert len(timeline) == 4
    assert timeline.seconds() == {"transfer": 0.002, "start": 0.001, "finish": 0.001}
    profile = timeline.profile(3, 0.5)
    assert list(profile.seconds) == ["transfer", "start", "finish"]
    assert (profile.threads, profile.skipped) == (3, 0.5)
    assert profile.total >= 0


def test_a_run_that_is_not_divided_has_one_phase() -> None:
    profile = undivided_profile(0.0, 2)
    assert profile.seconds == {"compute": profile.total}


def test_what_has_not_started_is_one_phase(stream: Stream) -> None:
    timeline = Timeline(0.0, started=False)
    timeline.record("transfer")
    timeline.wait()
    assert (len(timeline), stream.now) == (0, 0)
    profile = timeline.profile(3)
    assert profile.seconds == {"compute": profile.total}
    timeline.start()
    timeline.record("walk")
    timeline.start()  # has begun
    assert timeline.seconds() == {"walk": 0.001}
