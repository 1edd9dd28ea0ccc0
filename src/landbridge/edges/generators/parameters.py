"""Parameters of generators: their checks, each with an error that names the parameter and its value."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.edges.forms import EdgeList
from landbridge.errors import InputError
from landbridge.passes import is_whole

MOST = 1 << 48
"""Vertices or edges at most: beyond any memory, and safe in every product of two sizes here."""

MOST_OF_PAIRS = 1 << 32
"""Vertices at most where a pair of them is one 64-bit key."""

ALWAYS = (1 << 64) - 1
"""The largest probability in units of 2^-64."""


def integer(name: str, value: Any, low: int, high: int = MOST) -> int:
    """The value as an int. Raises InputError unless it is an integer from `low` to `high`."""
    if not is_whole(value):
        raise InputError(f"{name} = {value!r} is not a whole number")
    if not low <= value <= high:
        raise InputError(f"{name} = {value} is not between {low} and {high}")
    return int(value)


def number(name: str, value: Any, low: float, high: float) -> float:
    """The value as a float. Raises InputError unless it is a number from `low` to `high`."""
    if not is_whole(value) and not isinstance(value, float | np.floating):
        raise InputError(f"{name} = {value!r} is not a number")
    if not low <= value <= high:
        raise InputError(f"{name} = {value} is not between {low} and {high}")
    return float(value)


def probability(p: Fraction | float) -> int:
    """A probability in units of 2^-64; 1 and above are the largest value."""
    return min(ALWAYS, math.floor(Fraction(p) * (1 << 64)))


def seed_and_threads(seed: int, threads: int | None) -> tuple[int, int]:
    """The seed and the number of threads, checked; None for all processors this process may use."""
    seed = integer("seed", seed, 0, (1 << 64) - 1)
    return seed, _core.available_threads() if threads is None else integer("threads", threads, 1, 4096)


def parts(n: int, count: int) -> int:
    """The number of parts that n vertices are divided into, checked: 0 only for 0 vertices."""
    return integer("count", count, min(n, 1), n)


def edges_of(function: Callable[..., Any], n: int, *arguments: Any) -> EdgeList:
    """The edges of a function of the core on n vertices."""
    u, v = function(*arguments)
    return EdgeList(u, v, num_vertices=n)
