"""Contestants that all take one file, in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from benchmarks.machine import Quiet
from benchmarks.results import describe_graph

if TYPE_CHECKING:
    from benchmarks.results import Sink
    from peers.base import Case


def race_on_a_file(
    sink: Sink,
    case: Case,
    contestants: Mapping[str, Callable[[], Any]],
    judge: Callable[[str, Any], str],
    *,
    size: int,
    rate: Callable[[float], str],
) -> None:
    """Contestants that take a file of `size` bytes in turns, `sink.suite.repeat` of them and one before that is not
    counted. Records their wall times.

    judge: what is wrong with an answer, "" for nothing; a contestant that gave a wrong one is out. rate: a time as the
    speed that is told.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    quiet = {name: Quiet() for name in contestants}
    busy = dict.fromkeys(contestants, 0.0)
    for turn in range(sink.suite.repeat + 1):
        for name in list(times):
            quiet[name].start()
            cpu, start = time.process_time(), time.perf_counter()
            answer = contestants[name]()
            wall, spent = time.perf_counter() - start, time.process_time() - cpu
            quiet[name].stop()
            if problem := judge(name, answer):
                sink.fail(f"{name} on {case.name}: {problem}")
                del times[name]
            elif turn:
                times[name].append(wall)
                busy[name] += spent
    for name, values in times.items():
        sink.add(
            name,
            values,
            graph=describe_graph(case),
            plan="",
            threads=0,
            timing="wall",
            cpu_over_wall=round(busy[name] / sum(values), 3),
            file_bytes=size,
            quiet=quiet[name].report(),
        )
        sink.say(f"  {name:20} {rate(statistics.median(values))}")
