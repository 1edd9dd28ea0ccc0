"""Pictures of results by matplotlib, which is imported when one is asked for."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from landbridge.errors import InputError, MissingDependency
from landbridge.tables import on_host

KINDS = ("ccdf", "sizes")


def axes_of(ax: Any) -> Any:
    """The axes to draw in: those of the caller, or new ones."""
    if ax is not None:
        return ax
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise MissingDependency("matplotlib is needed to plot: pip install 'landbridge[plot]'") from None
    return pyplot.subplots()[1]


def plot_sizes(sizes: Any, kind: str, ax: Any, **style: Any) -> Any:
    """Draw the sizes of components, shape (k,); see `Components.plot`."""
    if kind not in KINDS:
        raise InputError(f"kind must be one of {', '.join(map(repr, KINDS))}, not {kind!r}")
    axes = axes_of(ax)
    sizes = on_host(sizes)
    style = {"marker": "o", "markersize": 3, "linestyle": "none"} | style
    if kind == "sizes":
        axes.plot(np.arange(1, len(sizes) + 1), np.sort(sizes)[::-1], **style)
        axes.set(xlabel="rank of the component", ylabel="vertices")
    else:
        values, counts = np.unique(sizes, return_counts=True)
        at_least = np.cumsum(counts[::-1])[::-1] / max(1, len(sizes))
        axes.plot(values, at_least, **style)
        axes.set(xlabel="vertices", ylabel="share of components with at least as many")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(f"{len(sizes):,} components of {sizes.sum():,} vertices")
    return axes
