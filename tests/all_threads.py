"""All threads unite all edges of what a folder of tests tries: which are faster is not asked.

A conftest imports the fixture for its folder.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from landbridge import _core


@pytest.fixture(scope="package", autouse=True)
def threads_not_compared() -> Iterator[None]:
    before = _core.set_threads_compared(False)
    yield
    _core.set_threads_compared(before)
