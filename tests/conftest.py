"""What every test shares: bounded Hypothesis profiles, and `tests/` on the import path for `oracles`."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("LANDBRIDGE_HYPOTHESIS", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--require-gpu", action="store_true", help="fail, not skip, what needs a GPU where there is none")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanting = [item for item in items if item.get_closest_marker("gpu")]
    if not wanting or config.getoption("--require-gpu"):
        return
    from landbridge.device import cuda

    if cuda.count() == 0:
        for item in wanting:
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU here, or no CuPy"))
