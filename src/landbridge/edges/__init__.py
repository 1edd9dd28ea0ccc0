"""Edges as input: arrays, matrices, tables, files, generators."""

from __future__ import annotations

from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

if not _TYPE_CHECKING:

    def __getattr__(name: str) -> _ModuleType:
        """A module of this package on first access, so that importing landbridge loads none of them."""
        if not name.startswith("_"):
            try:
                return _import_module(f"{__name__}.{name}")
            except ModuleNotFoundError as error:
                if error.name != f"{__name__}.{name}":
                    raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
