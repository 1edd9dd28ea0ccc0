"""The kinds of suite: what a suite of that kind measures, and the lines it prints at the end. One table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.kinds import (
    components,
    door,
    files,
    forest,
    imports,
    incremental,
    memory,
    papers,
    plans,
    ranking,
    streaming,
)
from peers import peer_names
from peers.readers import READERS

if TYPE_CHECKING:
    from benchmarks.results import Record, Sink


class Kind(NamedTuple):
    """run: measure and record; summary: lines at the end of a run; peers: what a suite's `peers` may hold."""

    run: Callable[[Sink], None]
    summary: Callable[[list[Record]], str]
    peers: Callable[[], set[str]] = set


KINDS: dict[str, Kind] = {
    "components": Kind(components.run, components.summary, peer_names),
    "end_to_end": Kind(components.run_end_to_end, components.summary, peer_names),
    "threads": Kind(components.run, components.threads_summary, peer_names),
    "files": Kind(files.run, files.summary, lambda: set(READERS)),
    "streaming": Kind(streaming.run, streaming.summary, lambda: set(streaming.READERS)),
    "incremental": Kind(incremental.run, incremental.summary, incremental.peer_names),
    "forest": Kind(forest.run, forest.summary, forest.peer_names),
    "import": Kind(imports.run, imports.summary),
    "plans": Kind(plans.run, plans.summary),
    "memory": Kind(memory.run, memory.summary, peer_names),
    "papers": Kind(papers.run, papers.summary),
    "papers_gpu": Kind(papers.run_gpu, papers.summary),
    "ranking": Kind(ranking.run, ranking.summary),
    "ranking_gpu": Kind(ranking.run_gpu, ranking.summary),
    "door": Kind(door.run, door.summary),
}
