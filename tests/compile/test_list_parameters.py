"""What the launches of list ranking send is what their kernels take. No GPU is needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from kernel_parameters import differences, parameters_of
from list_launches import list_launches
from nvrtc_library import library

from landbridge.device import jit

HEADERS = sorted((Path(jit.headers()) / "landbridge" / "gpu").glob("list_*.cuh"))


@pytest.mark.parametrize("header", [path.name for path in HEADERS])
def test_launches_send_what_kernels_take(header: str) -> None:
    compiled: dict[str, Any] = {}
    sent = set()
    for launch in list_launches():
        program, name = launch.kernel
        if program.header != header:
            continue
        (expression,) = (e for e in program.expressions if jit.template_name(e) == name)
        if expression not in compiled:
            options = (*jit.options_for("compute_90"), "--Ofast-compile=max")
            image, log = library(13).compile(program.source, program.expressions, options)
            assert not log
            compiled |= parameters_of(image)
        assert differences(launch.arguments, compiled[expression]) == [], expression
        sent.add(name)
    kernels = set()
    for path in HEADERS:
        if path.name == header:
            kernels = set(re.findall(r"__global__ void[^;{]*?(\w+)\(const", path.read_text()))
    assert kernels
    # Rounds of jumps are in the programs of walks, too, and each header's kernels are launched by its own programs.
    assert kernels - sent == set()
