"""Sphinx configuration: `sphinx-build -W -n -b html docs site`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from docstring_form import render

import landbridge

project = "landbridge"
copyright = "2026, the landbridge developers"
release = landbridge.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"landbridge {release}"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
smartquotes = False  # a default is written "auto" in a program, too
# Types of other projects, whose pages are not at hand while these are built.
nitpick_ignore_regex = [("py:.*", r"(numpy|collections|pathlib|os|typing)\..*")]


def _names_of(obj: Any) -> set[str]:
    """What a docstring may explain: parameters of a function, parameters and attributes of a class."""
    try:
        names = set(inspect.signature(obj).parameters)
    except (TypeError, ValueError):
        names = set()
    if is_dataclass(obj):
        names |= {entry.name for entry in fields(obj)}
    return names | ({name for name in dir(obj) if not name.startswith("_")} if inspect.isclass(obj) else set())


def _reference_within(name: str) -> Callable[[str], str | None]:
    """What a word in backticks means in the docstring of the object of this name."""
    public = name.split(".")[1] if name.startswith("landbridge.") else ""
    owner = getattr(landbridge, public, None) if public in landbridge.__all__ else None

    def reference(word: str) -> str | None:
        first, _, rest = word.partition(".")
        if inspect.isclass(owner) and not rest and not word.startswith("_") and hasattr(owner, word):
            # Only what the pages document is a place to point to: no attributes that a class documents itself.
            return f":obj:`~landbridge.{public}.{word}`" if getattr(owner, word).__doc__ else None
        if first in landbridge.__all__ and first != "__version__":
            return f":obj:`~landbridge.{first}`" if not rest else f":obj:`{word} <landbridge.{word}>`"
        return None

    return reference


def _docstring(_app: Any, _what: str, name: str, obj: Any, *rest: Any) -> None:
    lines = rest[-1]
    known = set() if isinstance(obj, property) else _names_of(obj)
    lines[:] = render(lines, known, _reference_within(name))


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _docstring)
