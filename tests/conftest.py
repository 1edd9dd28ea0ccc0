"""What every test shares: bounded Hypothesis profiles, and `tests/` on the import path for `oracles`."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("LANDBRIDGE_HYPOTHESIS", "default"))


def pytest_configure() -> None:
    """Give SIGINT Python's handler: a shell without job control ignores it in what it runs in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--require-gpu", action="store_true", help="fail, not skip, what needs a GPU where there is none")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where a GPU is required, a test of it that skips itself has failed."""
    del call
    report = yield
    required = item.config.getoption("--require-gpu") and item.get_closest_marker("gpu")
    if report.skipped and required and not lacks_gpus(item):
        report.outcome = "failed"
    return report


def lacks_gpus(item: pytest.Item) -> bool:
    """Whether the test needs more GPUs than there are: the mark gpus(N), N above 1."""
    from landbridge.device import cuda

    mark = item.get_closest_marker("gpus")
    return mark is not None and cuda.count() < mark.args[0]


LONG = {"matrix", "explore", "compile"}
"""The folders of tests that take minutes together: .ci/run runs them behind the others."""

BUILDS = {"explore", "counts", "architecture"}
"""The folders whose long tests begin with a build. They come first: nothing runs alone behind the last build."""


@pytest.hookimpl(tryfirst=True)  # before items are chosen by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if LONG & {folder.name for folder in item.path.parents}:
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: not (item.path.parent.name in BUILDS and item.get_closest_marker("long")))
    for item in items:
        if lacks_gpus(item):
            item.add_marker(pytest.mark.skip(reason="needs more GPUs than there are"))
    wanting = [item for item in items if item.get_closest_marker("gpu")]
    if not wanting or config.getoption("--require-gpu"):
        return
    from landbridge.device import cuda

    if cuda.count() == 0:
        for item in wanting:
            item.add_marker(pytest.mark.skip(reason="no NVIDIA GPU here, or no CuPy"))
