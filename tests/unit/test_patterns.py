"""Regular expressions that words of a file meet take linear time."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import re
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import landbridge
from landbridge import edges
from landbridge.edges import formats

UNITS = [
    *'1aA \t,./-:=<#e_"',
    '"a"',
    '"a" ',
    '""',
    "c x\r\n",
    "c\r\n",
    "\r\n",
    "a ",
    "A a",
    "1,",
    "a,",
    "1.",
    "a=",
    "a: ",
    "# ",
    "#,",
]
STARTS = ["", "c", "1", "a", "<a ", "#", "[", "%", "graph", "p "]
ENDS = ["", "!", "x", "1", "\n"]


def patterns() -> list[Any]:
    """All that modules of files and of their columns compile when they are imported."""
    result: dict[tuple[Any, int], Any] = {}
    for package in (edges, formats):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                rows = value if isinstance(value, tuple) else ((value,),)
                for row in rows:
                    for pattern in row if isinstance(row, tuple) else ():
                        if isinstance(pattern, re.Pattern):
                            result[pattern.pattern, pattern.flags] = pytest.param(pattern, id=f"{module.name}.{name}")
    return list(result.values())


def seconds_of(method: Callable[[Any], object], text: Any) -> float:
    began = time.process_time()
    method(text)
    return time.process_time() - began


@pytest.mark.parametrize("pattern", patterns())
def test_a_pattern_takes_linear_time(pattern: re.Pattern[Any]) -> None:
    for start, unit, end in product(STARTS, UNITS, ENDS):
        text: Any = start + unit * (8000 // len(unit)) + end
        text = text if isinstance(pattern.pattern, str) else text.encode()
        searches = (pattern.search,) if pattern.flags & re.MULTILINE else ()
        for method in (pattern.match, pattern.fullmatch, *searches):
            # Quadratic ones took over 1 s; a collection of garbage may lengthen one of the times.
            assert any(seconds_of(method, text) < 0.2 for _ in range(3)), (start, unit, end)


@pytest.mark.parametrize(
    "text",
    [
        "source,target\n" + "9" * 60000 + "x,b\n",
        "source,target," + "9" * 60000 + "x\na,b,1\n",
        "c comment\r\n" * 5000 + "q 1 2\r\n",
        "c comment\r\r\n" * 5000 + "1 2\r\n",
        "#" + " " * 60000 + "x\n1 2\n",
    ],
)
def test_a_file_of_long_words_and_comments_takes_no_seconds(text: str, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_bytes(text.encode())
    began = time.process_time()
    for ids in ("auto", "names"):
        with contextlib.suppress(landbridge.LandbridgeError):
            landbridge.components(path, ids=ids)
    assert time.process_time() - began < 5
