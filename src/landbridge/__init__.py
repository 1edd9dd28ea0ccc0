"""Connected components and other graph connectivity at the speed of memory.

>>> import landbridge
>>> count, labels = landbridge.components(([0, 1, 3], [1, 2, 4]))
>>> count, labels.tolist()
(2, [0, 0, 0, 1, 1])
"""

from landbridge.cli import early as _early  # noqa: F401 - before all others: they take long enough to be interrupted

# isort: split
from landbridge.api import Explanation, components, estimate_memory, explain, plans, spanning_forest
from landbridge.check import check_components, check_forest
from landbridge.check_lists import check_ranks
from landbridge.engine import Sizes
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
)
from landbridge.graph import Graph
from landbridge.incremental import Incremental
from landbridge.merging import merge
from landbridge.ranking import rank_list, scan_list
from landbridge.result import Components, Profile, Ranking, SpanningForest

__version__ = "0.1.0"

__all__ = [
    "CheckFailed",
    "Components",
    "DeviceError",
    "Explanation",
    "FileFormatError",
    "Graph",
    "Incremental",
    "InputError",
    "InvalidCombination",
    "InvalidPlan",
    "LandbridgeError",
    "ListError",
    "MissingDependency",
    "OutOfDeviceMemory",
    "Profile",
    "Ranking",
    "Sizes",
    "SpanningForest",
    "__version__",
    "check_components",
    "check_forest",
    "check_ranks",
    "components",
    "estimate_memory",
    "explain",
    "merge",
    "plans",
    "rank_list",
    "scan_list",
    "spanning_forest",
]
