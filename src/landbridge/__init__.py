"""Connected components and other graph connectivity on CPU threads and GPUs.

>>> import landbridge
>>> count, labels = landbridge.components(([0, 1, 3], [1, 2, 4]))
>>> count, labels.tolist()
(2, [0, 0, 0, 1, 1])
"""

from landbridge import _early  # noqa: F401 - before all others: loading them takes long enough to be interrupted

# isort: split
import typing as _typing
from importlib import import_module as _import_module

if _typing.TYPE_CHECKING:
    from landbridge.api import components, estimate_memory, explain, plans, spanning_forest
    from landbridge.check import check_components, check_forest, check_ranks
    from landbridge.deduplication import Deduplicated, deduplicate
    from landbridge.edges.csr import CSR
    from landbridge.engine.sizes import ListSizes, Sizes
    from landbridge.errors import (
        CheckFailed,
        DeviceError,
        FileFormatError,
        InputError,
        InvalidCombination,
        InvalidPlan,
        LandbridgeError,
        ListError,
        MissingDependency,
        OutOfDeviceMemory,
        TimeLimitExceeded,
    )
    from landbridge.explaining import Explanation
    from landbridge.graph import Graph
    from landbridge.limits import time_limit
    from landbridge.lists import rank_list, scan_list
    from landbridge.paths import why
    from landbridge.profile import Profile, Share
    from landbridge.result import Components, Ranking, SpanningForest
    from landbridge.result.rooted import EdgePath
    from landbridge.streams.chunks import components_of_chunks
    from landbridge.streams.incremental import Incremental
    from landbridge.streams.merging import merge

__version__ = "0.1.0"

__all__ = [
    "CSR",
    "CheckFailed",
    "Components",
    "Deduplicated",
    "DeviceError",
    "EdgePath",
    "Explanation",
    "FileFormatError",
    "Graph",
    "Incremental",
    "InputError",
    "InvalidCombination",
    "InvalidPlan",
    "LandbridgeError",
    "ListError",
    "ListSizes",
    "MissingDependency",
    "OutOfDeviceMemory",
    "Profile",
    "Ranking",
    "Share",
    "Sizes",
    "SpanningForest",
    "TimeLimitExceeded",
    "__version__",
    "check_components",
    "check_forest",
    "check_ranks",
    "components",
    "components_of_chunks",
    "deduplicate",
    "estimate_memory",
    "explain",
    "merge",
    "plans",
    "rank_list",
    "scan_list",
    "spanning_forest",
    "time_limit",
    "why",
]

# Where each name lives: a module is imported when one of its names is first used.
_HOMES = {
    "api": ("components", "estimate_memory", "explain", "plans", "spanning_forest"),
    "check": ("check_components", "check_forest", "check_ranks"),
    "deduplication": ("Deduplicated", "deduplicate"),
    "edges.csr": ("CSR",),
    "engine.sizes": ("ListSizes", "Sizes"),
    "errors": (
        "CheckFailed", "DeviceError", "FileFormatError", "InputError", "InvalidCombination", "InvalidPlan",
        "LandbridgeError", "ListError", "MissingDependency", "OutOfDeviceMemory", "TimeLimitExceeded",
    ),
    "explaining": ("Explanation",),
    "graph": ("Graph",),
    "limits": ("time_limit",),
    "lists": ("rank_list", "scan_list"),
    "paths": ("why",),
    "profile": ("Profile", "Share"),
    "result": ("Components", "Ranking", "SpanningForest"),
    "result.rooted": ("EdgePath",),
    "streams.chunks": ("components_of_chunks",),
    "streams.incremental": ("Incremental",),
    "streams.merging": ("merge",),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

if not _typing.TYPE_CHECKING:  # with this function every name would exist for a type checker

    def __getattr__(name: str) -> _typing.Any:
        """A public name, or a module of the package that has not been imported yet."""
        if name in _HOME:
            value = getattr(_import_module(f"landbridge.{_HOME[name]}"), name)
            globals()[name] = value
            return value
        return _import_module("landbridge.on_access").submodule(__name__, name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
