"""Sphinx configuration: `sphinx-build -W -n -b html docs site`."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import landbridge

sys.path.append(str(Path(__file__).parent))  # gallery.py

project = "landbridge"
copyright = "2026, the landbridge developers"
release = landbridge.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "gallery"]
html_theme = "furo"
html_title = f"landbridge {release}"
exclude_patterns = ["_build"]
html_extra_path = ["llms.txt"]
myst_heading_anchors = 3
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]
autodoc_typehints = "none"  # docstrings name the types
autodoc_member_order = "bysource"
smartquotes = False  # a default is written "auto" in a program, too
# Types of other projects, whose pages are not at hand while these are built.
nitpick_ignore_regex = [("py:.*", r"(numpy|collections|pathlib|os|typing)\..*")]

_CODE = re.compile(r"(``.+?``|:[a-z:]+:`[^`]+`)")
_WORD = re.compile(r"`([^`]+)`")


def _reference(word: str, owner: Any) -> str:
    """A word in single backticks: a link to the public object of this name, else the word as code."""
    first, _, rest = word.partition(".")
    if inspect.isclass(owner) and not rest and not word.startswith("_") and getattr(owner, word, None) is not None:
        # Attributes that a class documents itself are no places to link to.
        return f":obj:`~landbridge.{owner.__name__}.{word}`" if getattr(owner, word).__doc__ else f"``{word}``"
    if first in landbridge.__all__ and first != "__version__":
        return f":obj:`{word} <landbridge.{word}>`"
    return f"``{word}``"


def _link_words(_app: Any, _what: str, name: str, *rest: Any) -> None:
    public = name.split(".")[1] if name.startswith("landbridge.") else ""
    owner = getattr(landbridge, public, None) if public in landbridge.__all__ else None
    lines = rest[-1]
    for number, line in enumerate(lines):
        pieces = _CODE.split(line)
        pieces[::2] = [_WORD.sub(lambda word: _reference(word[1], owner), piece) for piece in pieces[::2]]
        lines[number] = "".join(pieces)


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _link_words, priority=400)  # before napoleon
