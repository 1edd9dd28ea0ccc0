"""A single list that fits the cache, ranked by one launch, which surveys it first; its answer is in pinned memory.

Each thread prepares a launch once and calls it again: of a short list the call takes longer than the ranks.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from landbridge.device import cuda, layout, list_kernels
from landbridge.device.jit import Kernel
from landbridge.device.launch import ReadyKernel
from landbridge.device.layout import Struct
from landbridge.device.list_kernels import Number
from landbridge.device.pinned import PinnedAnswer
from landbridge.device.prepared import Prepared
from landbridge.engine.gpu.execute import ready
from landbridge.engine.gpu.launch_list import Device, Launch
from landbridge.engine.gpu.list_steps import ONE_BLOCKS, WORDS, Array, SampledForm, filled, splitter_sampling

_LISTS, _OUTPUT = layout.struct_type("ListArrays"), layout.struct_type("RankOutput")
_THREADS = layout.constant("sampled_threads")
_READ = tuple((word, place) for word, place in WORDS.items() if word != "end")
_KEPT = 2**18
"""Sublists up to which a thread keeps what launches work on: 4 MB."""

OneAnswer = tuple[Array, Array | None, dict[str, int]]
"""The ranks, the tails where they are requested, and the words of the control block in the end. Ranks are undefined
where these say that there is no list or more than one, or that a walk was too long."""


class OneList(NamedTuple):
    """A list, and what is asked of it. form, key: how elements are sampled, as `SampledForm.of_one` and `splitter_key`
    have it."""

    successor: Array
    form: SampledForm
    key: int
    from_head: bool
    tails: bool

    def outputs(self, device: Device) -> tuple[Array, Array | None]:
        """Arrays for the ranks and, where it is requested, the tail."""
        n = len(self.successor)
        return device.empty(n, np.int32), device.empty(n, np.int32) if self.tails else None

    def lists(self, work: Workspace) -> dict[str, Any]:
        """What ListArrays takes."""
        return {"successor": self.successor, "elements": len(self.successor), "control": work.control}

    def output(self, ranks: Array, tails: Array | None) -> dict[str, Any]:
        """What RankOutput takes."""
        return {"ranks": ranks, "ends": tails, "from_tail": not self.from_head, "heads": False}


class Workspace:
    """What launches for so many sublists at most work on, one by one. answer: a control block where the host reads
    it."""

    def __init__(self, device: Device, sublists: int, answer: Any) -> None:
        self.sublists, self.answer = sublists, answer
        self.words = device.empty(sublists, np.uint64)
        self.tail, self.predecessors = (device.empty(sublists, np.uint32) for _ in range(2))
        self.control = filled(device, WORDS["end"], np.uint64, 0)  # as every launch leaves it


def one_list_launch(device: Device, one: OneList, work: Workspace, lists: Struct, output: Struct) -> Launch:
    """The launch. lists, output: what `OneList` has for them."""
    form = one.form
    sublists = layout.struct_type("SampledSublists")(
        words=work.words, tail=work.tail, predecessors=work.predecessors, count=form.splitters + 1
    )
    queues = layout.struct_type("ItemQueues")(items=None, fill=None, window_bits=0, owner_bits=form.owner_bits)
    walks = layout.struct_type("SampledWalks")(heads=None, limit=form.limit)
    structs = (
        lists, splitter_sampling(form.shift, one.key), walks, queues, sublists, output,
        layout.struct_type("ListAnswer")(answer=work.answer),
    )  # fmt: skip
    program = list_kernels.one_list(cast(Number, one.successor.dtype.name), "int32", ONE_BLOCKS)
    blocks = min(ONE_BLOCKS * device.multiprocessors, -(-len(one.successor) // _THREADS))
    return Launch("ranks", Kernel(program, "rank_one_list"), blocks, _THREADS, structs, cooperative=True)


class OneListLaunch:
    """The launch for successors of one type on a device; for one thread, to be called again."""

    def __init__(self, device: cuda.Device) -> None:
        self._device = device
        self._answer = PinnedAnswer(WORDS["end"], WORDS["done"])
        self._work: Workspace | None = None
        self._lists = _LISTS(successor=None, elements=0, control=None)
        self._output = _OUTPUT(ranks=None, ends=None, from_tail=True, heads=False)
        self._ready: tuple[ReadyKernel, Any] | None = None  # a launch, and what it was made for

    def __call__(self, one: OneList) -> OneAnswer:
        device, sublists = self._device, one.form.splitters + 1
        ranks, tails = one.outputs(device)
        self._answer.expect()
        work, last = self._work, self._ready
        if work is None or work.sublists < sublists:
            work, last = Workspace(device, sublists, self._answer), None
        made_of = (one.form, one.key, len(one.successor))
        if last is None or last[1] != made_of:
            last = ready(one_list_launch(device, one, work, self._lists, self._output), device), made_of
        self._lists.assign(**one.lists(work))
        self._output.assign(**one.output(ranks, tails))
        last[0]()
        block = self._answer.wait()
        self._work, self._ready = (work, last) if sublists <= _KEPT else (None, None)
        return ranks, tails, {word: block[place] for word, place in _READ}


_launches: Prepared[[OneList], OneAnswer] = Prepared()


def rank_one_list(device: cuda.Device, one: OneList) -> OneAnswer:
    """Rank a list on CuPy's current device, which holds it."""
    return _launches.call((device.ordinal, one.successor.dtype), partial(OneListLaunch, device), one)
