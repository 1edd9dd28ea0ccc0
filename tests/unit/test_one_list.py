"""Lists that one launch ranks: the host's side, on a double of the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_double import CalledKernel

from landbridge.device.layout import Struct
from landbridge.device.memory_counter import CountedArray, MemoryCounter
from landbridge.engine.gpu import one_list
from landbridge.engine.gpu.launch_list import Launch
from landbridge.engine.gpu.list_steps import WORDS, SampledForm
from landbridge.engine.gpu.one_list import OneList, OneListLaunch


class Answer:
    """Memory of the host in which the double answers at once, as for one list."""

    class data:
        ptr = 8

    def __init__(self, count: int, last: int) -> None:
        self.words, self.last = [0] * count, last
        self.expected = False

    def expect(self) -> None:
        self.expected, self.words[self.last] = True, 0

    def wait(self) -> list[int]:
        assert self.expected and self.words[self.last]
        self.expected = False
        return self.words


class Launches:
    """What was made, and what the double found in the structs of each call."""

    def __init__(self) -> None:
        self.forms: list[tuple[int, int]] = []  # elements whose number a walk limits, and sublists
        self.calls: list[tuple[int, int, bool]] = []
        self.device: Any = MemoryCounter()

    def ready(self, launch: Launch, device: Any) -> CalledKernel:
        lists, _, walks, _, sublists, output, answer = launch.arguments
        self.forms.append((walks.fields["limit"], sublists.fields["count"]))

        def kernel(*_: Any) -> None:
            values = values_of(lists) | values_of(output)
            self.calls.append((values["elements"], values["from_tail"], values["ends"] != 0))
            words = answer.fields["answer"].words
            words[WORDS["tails"]], words[WORDS["claimed"]], words[WORDS["done"]] = 1, values["elements"], 1

        return CalledKernel(kernel, launch.blocks, launch.threads, ())


def values_of(struct: Struct) -> dict[str, int]:
    """The fields as a kernel gets them."""
    return dict(zip(struct.type.fields, struct.type._struct.unpack(struct.packed), strict=True))


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Launches:
    launches = Launches()
    monkeypatch.setattr(one_list, "PinnedAnswer", Answer)
    monkeypatch.setattr(one_list, "ready", launches.ready)
    return launches


def single(n: int, *, splitters: int = 0, from_head: bool = False, tails: bool = False) -> OneList:
    form = SampledForm.of_one(n, splitters, 1)
    assert form is not None
    return OneList(CountedArray(None, n, np.int32), form, 7, from_head, tails)


def test_a_launch_is_made_anew_for_another_length_or_form(launches: Launches) -> None:
    """One that was made for other lists would sample other elements; the list and the output are those of each call."""
    call = OneListLaunch(launches.device)
    for one in (
        single(100),
        single(100, from_head=True, tails=True),
        single(101),
        single(101, splitters=50),
        single(100),
    ):
        ranks, tails, words = call(one)
        assert (len(ranks), words["claimed"], words["tails"]) == (len(one.successor), len(one.successor), 1)
        assert (tails is not None) == one.tails
    assert len(launches.forms) == 4
    assert launches.calls == [(100, 1, False), (100, 0, True), (101, 1, False), (101, 1, False), (100, 1, False)]


def test_the_workspace_grows_and_a_large_one_is_not_kept(launches: Launches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_list, "_KEPT", 500)
    call, counter = OneListLaunch(launches.device), launches.device
    for n, sublists in ((40, 11), (400, 101), (40, 101), (40_000, 0), (40, 11)):
        assert call(single(n))[2]["claimed"] == n
        assert (0 if call._work is None else call._work.sublists) == sublists
        live = counter.live
    assert live <= 11 * 16 + 4 * 512


def test_the_arrays_of_a_call_are_not_kept(launches: Launches) -> None:
    call, counter = OneListLaunch(launches.device), launches.device
    call(single(100))
    before = counter.live
    answer = call(single(100, tails=True))
    assert counter.live > before
    del answer
    assert counter.live == before
