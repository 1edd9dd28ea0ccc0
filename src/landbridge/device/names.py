"""The names that `device.kernels` had before; goes when its last importer has been moved."""

from landbridge.device.kernels import *  # noqa: F403
from landbridge.device.kernels import _TYPES  # noqa: F401
