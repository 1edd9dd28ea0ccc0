"""The algorithm headers compile alone and everywhere, include nothing heavy, and keep the order of the layers."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from native_build import require

INCLUDE = Path(__file__).parents[2] / "include"
ROOT = INCLUDE / "landbridge"
HEADERS = sorted(p.relative_to(ROOT) for p in ROOT.rglob("*") if p.suffix in (".hpp", ".cuh"))
CPU_HEADERS = [h for h in HEADERS if h.parts[0] != "gpu" or h.suffix == ".hpp"]  # the layout of the device is for both
NVCC_HEADERS = [h for h in HEADERS if h.parts[0] != "cpu"]

# What may be included besides other headers of ours, and under which condition it must stand.
SYSTEM = {
    "platform.hpp": {"cstdint": "not under NVRTC"},
    "memory.hpp": {"atomic": "!LB_DEVICE_COMPILER"},
    "work.hpp": {"atomic": "!LB_DEVICE_COMPILER"},
}
# Each layer includes itself and those before it; cpu and gpu do not include each other.
LAYERS = ["platform", "memory", "policy", "phase", "system", "engine"]
LAYER_OF = {
    "platform.hpp": "platform",
    "memory.hpp": "memory",
    "work.hpp": "memory",
    "random.hpp": "memory",
    "view.hpp": "memory",
    "policy": "policy",
    "phase": "phase",
    "system": "system",
    "cpu": "engine",
    "gpu": "engine",
}


def includes(header: Path) -> list[tuple[str, str, list[str]]]:
    """(what is included, '<' or '"', the preprocessor conditions around it), in order."""
    conditions: list[str] = []
    out = []
    for line in (ROOT / header).read_text().splitlines():
        if m := re.match(r"\s*#\s*(if|ifdef|ifndef)\b\s*(.*)", line):
            conditions.append(f"{m[1]} {m[2]}")
        elif m := re.match(r"\s*#\s*elif\b\s*(.*)", line):
            conditions[-1] = f"{conditions[-1]}; elif {m[1]}"
        elif re.match(r"\s*#\s*else\b", line):
            conditions[-1] = f"{conditions[-1]}; else"
        elif re.match(r"\s*#\s*endif\b", line):
            conditions.pop()
        elif m := re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line):
            out.append((m[2], m[1], list(conditions)))
    assert not conditions, f"{header}: an #if without #endif"
    return out


def layer(header: Path) -> int:
    return LAYERS.index(LAYER_OF[header.parts[0]])


def test_every_header_has_a_layer() -> None:
    assert HEADERS
    assert {h.parts[0] for h in HEADERS} <= set(LAYER_OF)


@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_includes(header: Path) -> None:
    for name, kind, conditions in includes(header):
        if kind == "<":
            assert name in SYSTEM.get(str(header), {}), f"{header} includes <{name}>"
            if name == "atomic":
                assert conditions == ["if !LB_DEVICE_COMPILER"]
            else:  # <cstdint>: only after the branch for NVRTC, which has none
                assert len(conditions) == 1
                assert conditions[0].startswith("if defined(__CUDACC_RTC__); el")
            continue
        target = (ROOT / header).parent.joinpath(name).resolve()
        assert target.is_file(), f'{header} includes "{name}", which is no file beside it'
        other = target.relative_to(ROOT)
        assert layer(other) <= layer(header), f"{header} includes {other}, a layer above"
        if layer(header) == LAYERS.index("engine") == layer(other):
            assert other.parts[0] == header.parts[0], f"{header} includes {other}: cpu and gpu must not meet"


@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_only_platform_asks_for_the_compiler(header: Path) -> None:
    if str(header) == "platform.hpp":
        return
    text = (ROOT / header).read_text()
    for macro in ("__CUDACC", "__CUDA_ARCH__", "__NVCC__", "__GNUC__", "__clang__", "_MSC_VER"):
        assert macro not in text, f"{header} asks for {macro}"


def compile_alone(command: list[str], header: Path, suffix: str, folder: Path) -> None:
    source = folder / f"alone{suffix}"
    # Twice, so that a missing #pragma once shows.
    source.write_text(f'#include "landbridge/{header}"\n#include "landbridge/{header}"\n')
    done = subprocess.run(
        [*command, f"-I{INCLUDE}", str(source)], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.parametrize("header", CPU_HEADERS, ids=str)
def test_compiles_alone(header: Path, tmp_path: Path) -> None:
    (compiler,) = require("g++")
    compile_alone([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"], header, ".cpp", tmp_path)


# All headers that a device may see in one source, with something of each instantiated, so that nvcc looks inside.
DEVICE_SOURCE = """
#include "landbridge/phase/query.hpp"
#include "landbridge/phase/search.hpp"
#include "landbridge/phase/unite.hpp"
#include "landbridge/phase/vertex.hpp"
#include "landbridge/policy/rules.hpp"
#include "landbridge/view.hpp"

using Memory = lb::SerialMemory<lb::u32>;
using Ranked = lb::SerialMemory<lb::u64, lb::RankedCell>;

template <template <class, class, class> class Link, class Find, class Splice, class M, class Read>
__device__ void unite_all(typename M::Cell* cells, typename M::Cell* aux, typename M::Cell n) {
  const lb::Forest<M> forest{M(cells), M(aux)};
  lb::phase::UniteRun<Link<Find, Splice, Read>, lb::Forest<M>> run(forest);
  for (typename M::Cell x = 1; x < n; ++x) run.edge(x - 1, x, lb::callback::Nothing{});
  if (lb::phase::same<Find, Read>(forest.parent, typename M::Cell{0}, n - 1)) cells[0] = 0;
}
"""


def device_source() -> str:
    """One kernel with every link, find and splice rule of registry.def, paired wherever the cells fit."""
    rows = re.findall(
        r"^LB_(FIND|SPLICE|LINK)\((\w+), \"\w+\", (\w+),", (ROOT / "policy/registry.def").read_text(), re.M
    )
    types = {axis: [t for a, _, t in rows if a == axis] for axis in ("FIND", "SPLICE", "LINK")}
    lines = [DEVICE_SOURCE, "__global__ void everything(lb::u32* a, lb::u32* b, lb::u64* w, lb::u32 n) {"]
    for read in ("lb::Fresh", "lb::Stale"):
        for link in types["LINK"]:
            for find in types["FIND"]:
                for splice in types["SPLICE"]:
                    f, s = f"lb::find::{find}<{read}>", f"lb::splice::{splice}<{read}>"
                    any_link = f"lb::link::{link}<{f}, {s}, {read}>"
                    plain = f"unite_all<lb::link::{link}, {f}, {s}, Memory, {read}>(a, b, n)"
                    ranked = f"unite_all<lb::link::{link}, {f}, {s}, Ranked, {read}>(w, w, n)"
                    condition = "true" if splice == types["SPLICE"][0] else f"{any_link}::spliced"
                    lines.append(f"  if constexpr ({condition} && !{any_link}::ranked && {f}::plain_cells) {plain};")
                    lines.append(f"  if constexpr ({condition} && {any_link}::ranked && {f}::ranked_cells) {ranked};")
    return "\n".join([*lines, "}\n"])


def nvcc() -> list[str]:
    (compiler,) = require("nvcc")
    return [compiler, "-std=c++20", "-arch=sm_90", "-cubin", "-x", "cu", "-Werror", "all-warnings"]


@pytest.mark.parametrize("header", NVCC_HEADERS, ids=str)
def test_compiles_alone_for_a_device(header: Path, tmp_path: Path) -> None:
    compile_alone(nvcc(), header, ".cu", tmp_path)


def test_the_rules_compile_for_a_device(tmp_path: Path) -> None:
    source = tmp_path / "rules.cu"
    source.write_text(device_source())
    command = [*nvcc(), f"-I{INCLUDE}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-4000:]
