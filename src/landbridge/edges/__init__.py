"""Edges as input: arrays, matrices, tables, files, generators."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if not _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any:
        """A module of this package on first access, so that importing landbridge loads none of them."""
        return _import_module("landbridge.on_access").submodule(__name__, name)
