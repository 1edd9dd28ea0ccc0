"""The kinds of suite: what a suite of that kind measures, and the lines it prints at the end. One table."""

from __future__ import annotations

from benchmarks.kinds import (
    cluster,
    components,
    door,
    files,
    forest,
    gpu_ablations,
    gpu_calls,
    gpu_components,
    gpu_counters,
    gpu_forests,
    gpu_pairs,
    gpu_streams,
    gpu_transfer,
    imports,
    incremental,
    memory,
    old_new,
    papers,
    parts,
    plans,
    ranking,
    splink,
    streaming,
    zoo,
    zoo_gpu,
)
from benchmarks.kinds.base import Kind
from benchmarks.suites import Suite

KINDS: dict[str, Kind] = {
    "components": components.KIND,
    "end_to_end": components.END_TO_END,
    "threads": components.THREADS,
    "files": files.KIND,
    "streaming": streaming.KIND,
    "incremental": incremental.KIND,
    "forest": forest.KIND,
    "import": imports.KIND,
    "plans": plans.KIND,
    "memory": memory.KIND,
    "papers": papers.KIND,
    "parts": parts.KIND,
    "ranking": ranking.KIND,
    "door": door.KIND,
    "splink": splink.KIND,
    "cluster": cluster.KIND,
    "old_new": old_new.KIND,
    "gpu_components": gpu_components.KIND,
    "gpu_counters": gpu_counters.KIND,
    "gpu_ablations": gpu_ablations.KIND,
    "gpu_forests": gpu_forests.KIND,
    "gpu_pairs": gpu_pairs.KIND,
    "gpu_streams": gpu_streams.KIND,
    "gpu_transfer": gpu_transfer.KIND,
    "gpu_calls": gpu_calls.KIND,
    "zoo": zoo.KIND,
    "zoo_gpu": zoo_gpu.KIND,
}


def kind_of(suite: Suite) -> Kind:
    """Return the kind of a suite that it has validated. Raises ValueError for an unknown kind and a wrong suite."""
    if suite.kind not in KINDS:
        raise ValueError(f"{suite.name}.toml: unknown kind {suite.kind!r}; known: {', '.join(KINDS)}")
    kind = KINDS[suite.kind]
    kind.validate(suite)
    return kind
