"""Signatures of other libraries over landbridge, a module per library; each imports its library, and no other."""

from __future__ import annotations

from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

from landbridge.on_access import submodule as _submodule

if not _TYPE_CHECKING:

    def __getattr__(name: str) -> _ModuleType:
        """A module of this package on first access: none of the other libraries need be installed."""
        return _submodule(__name__, name)
