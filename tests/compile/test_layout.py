"""The layout of by-value structs is that of both compilers, and a list of fields cannot miss one."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from native_build import require
from nvrtc_library import WHEELS, library

from landbridge.device import jit, layout

INCLUDE = Path(__file__).parents[2] / "include"
GPU = INCLUDE / "landbridge" / "gpu"
LAYOUTS = [*sorted((GPU / "layout").glob("*.hpp")), GPU / "tuning.hpp"]
HEADERS = "".join(f'#include "{path.relative_to(INCLUDE).as_posix()}"\n' for path in LAYOUTS)
"""All that declares what crosses the boundary."""
KERNEL = "__global__ void idle(int* p) { *p = 1; }\n"
STRUCT = """#include "landbridge/gpu/layout/layout.hpp"
struct Pair {{
  LB_FIELDS(Pair, (int*, first), ({second}, second))
  {more}
}};
static_assert(lb::gpu::layout::packed<Pair>);
"""


def device_compiles(source: str, cuda: int) -> str:
    """What NVRTC objects to; nothing if it compiles."""
    try:
        library(cuda).compile(source + KERNEL, ("idle",), jit.options_for("compute_90"))
    except AssertionError as error:
        return str(error)
    return ""


def host_compiles(source: str, folder: Path) -> bool:
    (compiler,) = require("g++")
    path = folder / "layout.cpp"
    path.write_text(source)
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", str(path)]
    return subprocess.run(command, capture_output=True, check=False, cwd=folder).returncode == 0


@pytest.mark.parametrize("cuda", WHEELS)
def test_the_layout_of_the_device_is_that_of_the_host(cuda: int) -> None:
    assert device_compiles(HEADERS + layout.checks(), cuda) == ""


@pytest.mark.parametrize("cuda", WHEELS)
@pytest.mark.parametrize(
    "line",
    [
        "LB_OFFSET_OF(neighbors, CsrArrays<u32, u32>) == 8",
        "sizeof(Cells<u32>) == 40",
        "static_cast<int>(Balance::edge) == 6",
        "static_cast<int>(word_count) == 1",
        "block_threads == 256",
    ],
)
def test_a_difference_does_not_compile_on_the_device(line: str, cuda: int) -> None:
    checks = layout.checks()
    assert f"static_assert({line});" in checks
    left, _, value = line.rpartition(" ")
    changed = checks.replace(f"static_assert({line});", f"static_assert({left} {int(value) + 8});")
    assert "static assertion failed" in device_compiles(HEADERS + changed, cuda)


def test_every_field_word_and_constant_is_checked() -> None:
    checks = layout.checks()
    for macro in re.findall(r"#ifdef (\w+)", checks):
        assert (
            sum(f"#define {macro} " in path.read_text() for path in (INCLUDE / "landbridge" / "gpu").rglob("*.hpp"))
            == 1
        )
    for name, type in layout.struct_types().items():
        for field, (offset, *_) in type.fields.items():
            assert re.search(rf"static_assert\(LB_OFFSET_OF\({field}, {name}\b[^;]* == {offset}\);", checks)


@pytest.mark.parametrize(
    ("second", "more", "compiles"),
    [
        ("lb::i64", "", True),
        ("lb::i64", "int missing;", False),
        ("lb::i64", "char missing;", False),
        ("int", "", False),  # padding behind it
    ],
)
def test_a_list_that_misses_a_field_does_not_compile(second: str, more: str, compiles: bool, tmp_path: Path) -> None:
    source = STRUCT.format(second=second, more=more)
    assert host_compiles(source, tmp_path) == compiles
    assert all((device_compiles(source, cuda) == "") == compiles for cuda in WHEELS)
