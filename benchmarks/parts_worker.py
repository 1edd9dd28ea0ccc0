"""The process that times one case after the other for `benchmarks.kinds.parts`.

A request names a case and the processors of a turn. Edges are made where the turn needs them, outside of the time, and
kept until another case comes. A turn that takes too long ends with this process, which is started again.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

import landbridge
from benchmarks.check import WrongAnswer, check_count
from benchmarks.machine import cores
from benchmarks.parts_cases import ARRAY, Case, pairs, spans, successors
from benchmarks.parts_runs import Merge, fetch, gpus, on_gpu, release, wait
from benchmarks.process import Request, serve

_PLAN = "async(halve)"
"""Of the answers that others are compared with."""
_CHECKED = 1 << 27
"""Edges whose endpoints are compared at a time."""
_SPANS = 600
"""Pieces whose begin and end are recorded, at most."""


@dataclass
class Prepared:
    """A case and what has been made for it. labels: the right ones, where GPU 0 is on its memory."""

    case: Case
    count: int
    m: int
    labels: Any = None
    components: int = 0
    inputs: dict[str, Any] = field(default_factory=dict)

    @property
    def module(self) -> Any:
        return import_module("cupy") if self.count else np


_held: list[Prepared] = []


def prepared(request: Request) -> Prepared:
    """The case of a request; one before it gives its memory back."""
    case = Case(**request["case"])
    if not _held or _held[0].case != case:
        _held.clear()
        release()
        memory = landbridge_memory()
        _held.append(Prepared(case, gpus(), case.edges_for(memory)))
    return _held[0]


def landbridge_memory() -> int:
    """Bytes of the memory of GPU 0; of a small one where there is none, for rehearsals."""
    if gpus() == 0:
        return 1 << 20
    return int(import_module("cupy").cuda.runtime.getDeviceProperties(0)["totalGlobalMem"])


# inputs ---------------------------------------------------------------------------------------------------------------


def of_gpu(held: Prepared, ordinal: int, first: int, count: int) -> tuple[Any, Any]:
    """Edges in the memory of a GPU, or of the host where there is none."""
    with on_gpu(ordinal):
        return pairs(held.module, held.case.drawn, first, count, held.case.ids)


def spread(held: Prepared, words: list[Any]) -> list[tuple[Any, Any]]:
    """The edges in equal parts, one in the memory of each processor."""
    d, m = len(words), held.m
    cuts = [m * i // d // 1024 * 1024 for i in range(d)] + [m]
    homes = [word if isinstance(word, int) else 0 for word in words]
    parts = [(home, a, b) for home, a, b in zip(homes, cuts, cuts[1:], strict=False)]
    return [of_gpu(held, home, a + first, count) for home, a, b in parts for first, count in spans(b - a)]


def whole(held: Prepared) -> tuple[Any, Any]:
    """All edges in one pair of arrays on GPU 0."""
    module, case = held.module, held.case
    with on_gpu(0):
        u, v = (module.empty(held.m, dtype=case.ids) for _ in range(2))
        for first, count in spans(held.m, ARRAY // 4):
            u[first : first + count], v[first : first + count] = pairs(module, case.drawn, first, count, case.ids)
    return u, v


def in_host_memory(held: Prepared) -> tuple[Any, Any]:
    """All edges in a pair of NumPy arrays."""
    u, v = (np.empty(held.m, dtype=held.case.ids) for _ in range(2))
    with ThreadPoolExecutor(cores()) as pool:
        for first, count in spans(held.m, ARRAY // 4):
            for target, part in zip((u, v), of_gpu(held, 0, first, count), strict=True):
                slices = np.array_split(target[first : first + count], cores())
                list(pool.map(np.copyto, slices, np.array_split(fetch(part, cores()), cores())))
    return u, v


def rows(held: Prepared) -> Any:
    """A symmetric CSR on GPU 0."""
    with on_gpu(0):
        return landbridge.Graph(whole(held), num_vertices=held.case.n).to_rows()


def input_of(held: Prepared, words: list[Any]) -> Any:
    """What a turn gets; made once for all that may share it."""
    makers: dict[str, Callable[[], Any]] = {
        "host": lambda: in_host_memory(held), "rows": lambda: rows(held),
        "device": lambda: landbridge.Graph(whole(held), num_vertices=held.case.n), "stream": lambda: whole(held),
    }  # fmt: skip
    form = held.case.form
    if form in ("spread", "memory"):
        name, make = f"{len(words)} parts", lambda: spread(held, words)
    else:
        name, make = form, makers[form]
    if name not in held.inputs:
        held.inputs[name] = make()
    return held.inputs[name]


# answers --------------------------------------------------------------------------------------------------------------


def right(held: Prepared) -> tuple[int, Any]:
    """The number of components and the labels of one processor under another rule, which agree with every edge."""
    if held.labels is None:
        case, step = held.case, min(ARRAY // 4, _CHECKED)

        def chunks() -> Iterator[tuple[Any, Any]]:
            for first, count in spans(held.m, step):
                yield of_gpu(held, 0, first, count)

        device = "gpu" if held.count else "cpu"
        with on_gpu(0):
            answer = landbridge.components(chunks=chunks(), num_vertices=case.n, device=device, plan=_PLAN)
            for u, v in chunks():
                if not bool((answer.labels[u] == answer.labels[v]).all()):
                    raise WrongAnswer(f"{case.name}: the labels to compare with part an edge")
        held.labels, held.components = answer.labels, answer.count
    return held.components, held.labels


def check(held: Prepared, name: str, count: int, labels: Any) -> None:
    """Compare an answer with `right`, where it is. Raises WrongAnswer."""
    where = f"{name} on {held.case.name}"
    expected, own = right(held)
    check_count(where, count, expected, "components")
    if isinstance(labels, np.ndarray) and held.count:
        own = held.inputs.setdefault("labels", fetch(own, cores()))
    with on_gpu(0):
        differ = labels != own
        if bool(differ.any()):
            v = int(differ.argmax())
            raise WrongAnswer(f"{where}: vertex {v} is labelled {labels[v]} instead of {own[v]}")


def solve(held: Prepared, words: list[Any], threads: int) -> Callable[[], Any]:
    """The call that is timed."""
    case, data = held.case, input_of(held, words)
    where: dict[str, Any] = {"devices": words}
    if len(words) == 1:
        where = {"device": "cpu" if words == ["cpu"] else "gpu"}
    if case.form in ("spread", "memory"):
        return lambda: landbridge.components(chunks=data, num_vertices=case.n, threads=threads, **where)
    if case.form == "stream":
        return lambda: streamed(case, data, where)
    vertices = {"num_vertices": case.n} if isinstance(data, tuple) else {}
    return lambda: landbridge.components(data, threads=threads, **vertices, **where)


def streamed(case: Case, data: tuple[Any, Any], where: dict[str, Any]) -> Any:
    """The components after all batches of a stream."""
    stream = landbridge.Incremental(case.n, **where)
    for first, count in spans(len(data[0]), case.batch):
        stream.insert(*(x[first : first + count] for x in data))
    return stream.components()


# turns ----------------------------------------------------------------------------------------------------------------


def turn(request: Request) -> Request:
    """Time a call, and check its answer."""
    held, words = prepared(request), request["words"]
    if held.case.form in ("merge", "list", "empty"):
        return {"merge": merged, "list": ranked, "empty": few}[held.case.form](held, request)
    with on_gpu(0):
        call = solve(held, words, cores())
        wait()
        began = time.perf_counter()
        result = call()
        wait()
        seconds = time.perf_counter() - began
        profile = result.profile
        reply: Request = {
            "seconds": seconds, "plan": result.plan, "m": held.m, "components": result.count,
            "phases": {name: round(value, 6) for name, value in profile.seconds.items()},
            "shares": [(s.device, s.edges, s.pieces, round(s.seconds, 4), s.link, s.moved) for s in profile.shares],
        }  # fmt: skip
        spans = [[(round(begin, 5), round(end, 5)) for begin, end in share.spans] for share in profile.shares]
        if sum(map(len, spans)) <= _SPANS:
            reply["spans"] = spans
        check(held, request["name"], result.count, result.labels)
    return reply


def merged(held: Prepared, request: Request) -> Request:
    """Time the merge of two trees."""
    words, send = request["words"], request["send"]
    edges = held.inputs.get("edges") or held.inputs.setdefault("edges", whole(held))
    merge = Merge(words, held.case.n, edges, send, cores())
    seconds, moved = merge.run()
    check(held, request["name"], *merge.labels())
    return {"seconds": seconds, "moved": moved, "link": merge.link.kind, "m": held.m, "plan": ""}


def ranked(held: Prepared, request: Request) -> Request:
    """Time the ranking of one random list."""
    module, bits = held.module, int(held.case.vertices)
    step = ARRAY // 8
    with on_gpu(0):
        if "list" not in held.inputs:
            dtype = module.int32 if bits <= 31 else module.int64
            held.inputs["list"] = module.empty(2**bits, dtype=dtype)
            for first, count in spans(2**bits, step):
                held.inputs["list"][first : first + count] = successors(module, bits, first, count)[0]
        data = held.inputs["list"]
        where: Any = {"device": "gpu" if held.count else "cpu"}
        wait()
        began = time.perf_counter()
        ranking = landbridge.rank_list(data, full=True, **where)
        wait()
        seconds = time.perf_counter() - began
        for first, count in spans(2**bits, step):
            if not bool((ranking.ranks[first : first + count] == successors(module, bits, first, count)[1]).all()):
                raise WrongAnswer(f"{request['name']} on {held.case.name}: a wrong rank among {count} from {first} on")
    return {"seconds": seconds, "plan": ranking.plan, "m": 2**bits}


def few(held: Prepared, request: Request) -> Request:
    """Time inputs with fewer edges than processors, or with none; in host memory and on the first GPU."""
    words = request["words"]
    began = time.perf_counter()
    for n, edges in ((0, []), (1, []), (1, [(0, 0)]), (2, [(0, 1)]), (5, []), (9, [(8, 1), (1, 3), (3, 8)])):
        u, v = np.array(edges, dtype=held.case.ids).reshape(-1, 2).T.copy()
        expected = landbridge.components((u, v), num_vertices=n, device="cpu")
        for data in [(u, v)] + ([tuple(map(held.module.asarray, (u, v)))] if held.count else []):
            for kind in (landbridge.Graph(data, num_vertices=n), landbridge.Graph(data, num_vertices=n).to_rows()):
                answer = landbridge.components(kind, devices=words)
                labels = answer.labels if isinstance(answer.labels, np.ndarray) else answer.labels.get()
                if answer.count != expected.count or not np.array_equal(labels, expected.labels):
                    raise WrongAnswer(f"{request['name']}: {edges} among {n} vertices")
    return {"seconds": time.perf_counter() - began, "plan": "", "m": 3}


def main() -> int:
    """Answer requests of stdin."""
    serve({"turn": turn})
    return 0


if __name__ == "__main__":
    sys.exit(main())
