"""Signatures of other libraries over landbridge, a module per library; each imports its library, and no other."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if not _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        """A module of this package on first access: none of the other libraries need be installed."""
        return _import_module("landbridge.on_access").submodule(__name__, name)
