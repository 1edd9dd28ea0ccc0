"""Edges as input: arrays, matrices, tables, files, generators."""

from __future__ import annotations

from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

from landbridge.on_access import submodule as _submodule

if not _TYPE_CHECKING:

    def __getattr__(name: str) -> _ModuleType:
        """A module of this package on first access, so that importing landbridge loads none of them."""
        return _submodule(__name__, name)
