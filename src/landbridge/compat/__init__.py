"""Signatures of other libraries over landbridge, a module per library; each imports its library, and no other."""

from importlib import import_module as _import_module
from types import ModuleType as _ModuleType


def __getattr__(name: str) -> _ModuleType:
    """A module of this package that has not been imported yet."""
    if not name.startswith("_"):
        try:
            return _import_module(f"landbridge.compat.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"landbridge.compat.{name}":
                raise
    raise AttributeError(f"module 'landbridge.compat' has no attribute {name!r}")
