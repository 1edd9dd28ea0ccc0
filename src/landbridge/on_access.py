"""Modules of a package that are imported when they are first asked for."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def submodule(package: str, name: str) -> ModuleType:
    """The module of a package. Raises AttributeError where there is none of that name."""
    if not name.startswith("_"):
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
