"""The kinds of engines: the one table of their names, from which grammar, resolution, device words and tools read.

A row says where the implementation is and which options a plan text may set. An engine that is added is a row here and
a module that defines ``ENGINE``; no row of the registry of rules changes, because `kernels` says whose rules it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from landbridge import _core
from landbridge.plan.registry import Parameter


@dataclass(frozen=True, slots=True)
class EngineKind:
    """One kind of engine.

    name: the word in plan texts (``@cpu``) and in ``device=``. module: the module whose ``ENGINE`` implements
    `landbridge.engine.base.Engine`; it is imported when the engine is first used. kernels: the word of the registry for
    the rules it can run. memory: where it reads and writes arrays. options: what a plan may set, in alphabetical order,
    which is the order of the canonical text. list_options: the names of those that apply to linked lists.
    whole_graph_options: those that need all edges at once, and so could not act on a stream, each with the reason.
    needs: what a plan must have for an option to act, other than with the value "off": words of
    `landbridge.plan.model.NEEDS`. An option without a row acts on every plan, or its value may be one that stands for
    what is done in any case.
    inside_a_block: options under which edges are united inside of a block, so that no forest edge is recorded.
    words: further words for it in ``device=``. over: whether it divides the work among processors of other engines and
    runs their rules; ``devices=`` may then name the processors, and `landbridge.plans` lists its plans only on request.
    """

    name: str
    module: str
    kernels: str
    memory: Literal["host", "device"]
    options: tuple[Parameter, ...]
    list_options: tuple[str, ...] = ()
    whole_graph_options: tuple[tuple[str, str], ...] = ()
    needs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    inside_a_block: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    over: bool = False


_ENUMS: dict[str, list[str]] = _core.device_layout()["enums"]


def _words(enum: str) -> tuple[str, ...]:
    """The words of an enum of the kernels' headers, in order."""
    return tuple(_ENUMS[enum])


_LAYOUT = Parameter("layout", "word", choices=("csr", "coo"))
_IDS = Parameter("ids", "word", choices=("narrow", "wide"))
_SEED = Parameter("seed", "int", minimum=0, maximum=2**64 - 1)
_SKIP = Parameter("skip", "word", choices=("off", "tree"))

_CPU = EngineKind(
    name="cpu",
    module="landbridge.engine.cpu.engine",
    kernels="cpu",
    memory="host",
    options=(
        Parameter("adapt", "word", choices=("off", "on")),
        Parameter("climb", "word", choices=("off", "on")),
        _IDS,
        _LAYOUT,
        Parameter("owners", "word", choices=("off", "on")),
        _SEED,
        _SKIP,
        Parameter("threads", "int", minimum=1, maximum=65535),
    ),
    list_options=("ids", "seed", "threads"),
    whole_graph_options=(
        ("owners", "threads own ranges of the vertices of a whole graph, and a stream takes batches"),
    ),
    needs=(
        ("adapt", ("sampling", "link")),
        ("climb", ("steps",)),
        ("owners", ("steps", "one_group")),
        ("seed", ("draws",)),
        ("skip", ("link", "list", "one_group", "no_ranks")),
    ),
)
_ROWS_OF_GRAPHS = "it is about the rows of a CSR, and a stream takes batches of edges"

_GPU = EngineKind(
    name="gpu",
    module="landbridge.engine.gpu.engine",
    kernels="gpu",
    memory="device",
    options=(
        Parameter("adapt", "word", choices=("off", "on")),
        Parameter("arcs", "word", choices=_words("Arcs")),
        Parameter("atomics", "word", choices=("aggregated", "single")),
        Parameter("balance", "word", choices=_words("Balance")),
        Parameter("device", "int", minimum=0, maximum=65535),
        Parameter("fuse", "word", choices=("off", "block")),
        Parameter("hints", "word", choices=("off", "stream")),
        _IDS,
        _LAYOUT,
        Parameter("merge", "word", choices=("off", "warp", "near")),
        Parameter("owner", "word", choices=("larger", "smaller")),
        Parameter("reads", "word", choices=("fresh", "stale")),
        _SEED,
        _SKIP,
        Parameter("start", "word", choices=("self", "hook", "star", "tile")),
    ),
    list_options=("device", "ids", "seed"),
    whole_graph_options=(
        ("adapt", "it is about what a sampling leaves, and a stream has none"),
        ("arcs", _ROWS_OF_GRAPHS),
        ("atomics", _ROWS_OF_GRAPHS),
        ("balance", _ROWS_OF_GRAPHS),
        ("fuse", "it is about a run over a whole graph, and a stream takes batches"),
        ("hints", _ROWS_OF_GRAPHS),
        ("owner", _ROWS_OF_GRAPHS),
    ),
    inside_a_block=(("fuse", "block"), ("start", "tile")),
    words=("cuda",),
)

_DIVIDE = Parameter("divide", "word", choices=("edges", "vertices"))
_SEND = Parameter("send", "word", choices=("parents", "bitmap"))
_SHARE = Parameter("t", "float", minimum=0, maximum=100)
_THREADS = Parameter("threads", "int", minimum=1, maximum=65535)

_PARTS = EngineKind(
    name="parts",
    module="landbridge.engine.parts.engine",
    kernels="cpu",
    memory="host",
    options=(
        Parameter("cpu", "int", minimum=0, maximum=64), _DIVIDE, Parameter("gpu", "int", minimum=0, maximum=64),
        _IDS, _LAYOUT, _SEED, _SEND, _SHARE, _THREADS,
    ),
    list_options=("cpu", "gpu", "ids", "seed", "threads"),
    over=True,
)  # fmt: skip
_HYBRID = EngineKind(
    name="hybrid",
    module="landbridge.engine.parts.hybrid",
    kernels="cpu",
    memory="host",
    options=(
        Parameter("device", "int", minimum=0, maximum=65535), _DIVIDE, _IDS, _LAYOUT, _SEED, _SEND, _SHARE, _THREADS,
    ),
    list_options=("device", "ids", "seed", "threads"),
    over=True,
)  # fmt: skip

_ROWS = (
    _CPU,
    _GPU,
    _PARTS,
    _HYBRID,
)

ENGINES: dict[str, EngineKind] = {kind.name: kind for kind in _ROWS}
"""Every kind of engine by name. Of several with the same memory the first is the default there."""


@cache
def default_kind(memory: Literal["host", "device"]) -> EngineKind:
    """The engine for data in host or device memory where neither a plan nor ``device=`` names one."""
    return next(kind for kind in ENGINES.values() if kind.memory == memory)


def device_words() -> Iterator[tuple[str, str]]:
    """Each word that ``device=`` takes for an engine, and the name of that engine."""
    for kind in ENGINES.values():
        for word in (kind.name, *kind.words):
            yield word, kind.name
