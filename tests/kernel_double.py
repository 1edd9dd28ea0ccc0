"""Launches of kernels that are functions of Python."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest


class CalledKernel:
    """`landbridge.device.launch.ReadyKernel` whose function is called with blocks, threads and structs."""

    def __init__(
        self,
        function: Any,
        blocks: int,
        threads: int,
        structs: Sequence[Any],
        *,
        shared: int = 0,
        cooperative: bool = False,
    ) -> None:
        assert type(shared) is int and type(cooperative) is bool
        self._function, self._arguments = function, (blocks, threads, structs)

    def __call__(self) -> None:
        self._function(*self._arguments)


def call_kernels(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """What these modules launch is called."""
    for module in modules:
        monkeypatch.setattr(module, "ReadyKernel", CalledKernel)
