"""Batches of a stream that one launch checks and inserts: the host's side, on a double of the kernels."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from kernel_double import CalledKernel, call_kernels

from landbridge.device import cuda
from landbridge.engine.gpu import small_batches
from landbridge.engine.gpu.small_batches import READ_ONCE, SmallBatches

WORDS = small_batches._WORDS


class Kernels:
    """Answers a launch at once; or, of one that an interrupt follows, when its CUDA stream is waited for."""

    def __init__(self) -> None:
        self.resident = 100
        self.launched: list[tuple[str, int]] = []
        self.interrupted = False
        self.late: list[Callable[[], None]] = []
        self.multiprocessors = 1

    def kernels(self, program: Any) -> dict[str, Any]:
        return {name: SimpleNamespace(call=self._function(name)) for name in ("insert_small", "check_and_insert")}

    def resident_blocks(self, function: Any, threads: int) -> int:
        return self.resident

    def _function(self, name: str) -> Callable[..., None]:
        def launch(blocks: int, *_: Any) -> None:
            self.launched.append((name, blocks))

            def answer(bound: int) -> None:
                self.words[WORDS["bound"]], self.words[WORDS["number"]] = bound, 1

            if self.interrupted:
                self.late.append(lambda: answer(5))
                raise KeyboardInterrupt
            answer(1000)

        return launch

    def synchronize(self) -> None:
        while self.late:
            self.late.pop()()


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> Kernels:
    kernels = Kernels()
    stream = SimpleNamespace(synchronize=kernels.synchronize)
    module = SimpleNamespace(
        zeros=np.zeros, cuda=SimpleNamespace(get_current_stream=lambda: stream, alloc_pinned_memory=bytearray)
    )
    monkeypatch.setattr(cuda, "_module", lambda: module)
    call_kernels(monkeypatch, small_batches)
    return kernels


def batches_of(kernels: Kernels, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], tuple[int, bool, int]]:
    """insert(m) of a stream with 100 vertices."""
    struct = SimpleNamespace(fields={"position": None})
    arrays = dict.fromkeys(("cells", "link_edges", "cut"), struct)
    trees: Any = SimpleNamespace(wide=False, vertices=100, shape=lambda _: 0, **arrays)
    monkeypatch.setattr(small_batches, "inserts_of", lambda *_: SimpleNamespace(replaced=lambda **_: struct))
    monkeypatch.setattr(small_batches, "_BATCH", lambda **_: struct)
    monkeypatch.setattr(
        small_batches.stream_kernels, "in_one_launch", lambda name, *_: SimpleNamespace(program=None, name=name)
    )
    rule: Any = None
    device: Any = kernels
    loaded = kernels.kernels
    monkeypatch.setattr(kernels, "kernels", lambda program: {name: f.call for name, f in loaded(program).items()})
    batches = SmallBatches(device, rule, None)
    kernels.words = batches._answer.words  # type: ignore[attr-defined]
    monkeypatch.setattr(small_batches, "edge_fields", lambda u, v: {})
    monkeypatch.setattr(batches, "_edges", SimpleNamespace(assign=lambda **_: None))
    return lambda m: batches.insert(trees, np.zeros(m, np.int64), np.zeros(m, np.int64), 0)


@pytest.mark.parametrize(
    ("resident", "name"), [(64, "insert_small"), (63, "check_and_insert"), (1, "check_and_insert")]
)
def test_edges_are_read_once_only_where_all_blocks_fit(
    resident: int, name: str, kernels: Kernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block of the kernel that reads once has four edges for each thread and no more: a small GPU would lose some."""
    kernels.resident = resident
    insert = batches_of(kernels, monkeypatch)
    insert(READ_ONCE)
    assert kernels.launched == [(name, min(64, resident))]


def test_the_answer_to_an_interrupted_batch_is_none_to_the_next(
    kernels: Kernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its kernel may answer after the next call has begun."""
    insert = batches_of(kernels, monkeypatch)
    kernels.interrupted = True
    with pytest.raises(KeyboardInterrupt):
        insert(10)
    kernels.interrupted = False
    assert len(kernels.late) == 1
    assert insert(10) == (1000, False, 0)
    assert kernels.late == []


def test_a_launch_is_made_anew_where_it_differs(kernels: Kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch that was made for other cells or fewer blocks would lose edges; the ids are those of each batch."""
    insert = batches_of(kernels, monkeypatch)
    sent: list[int] = []

    def fields(u: Any, v: Any) -> dict[str, int]:
        sent.append(len(u))
        return {}

    monkeypatch.setattr(small_batches, "edge_fields", fields)
    launches: list[int] = []

    def counted(function: Any, blocks: int, *arguments: Any, **options: Any) -> Any:
        launches.append(blocks)
        return CalledKernel(function, blocks, *arguments, **options)

    monkeypatch.setattr(small_batches, "ReadyKernel", counted)
    for m in (10, 20, 4000, 4000, 10):
        insert(m)
    assert sent == [10, 20, 4000, 4000, 10]
    assert launches == [1, 4, 1]
    assert [blocks for _, blocks in kernels.launched] == [1, 1, 4, 4, 1]
