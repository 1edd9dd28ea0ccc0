"""What people see who ask for a GPU that is not there, and what the package does without asking for one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from oracles.refusals import refused

import landbridge
from landbridge import DeviceError, LandbridgeError, MissingDependency
from landbridge.cli import main
from landbridge.device import cuda, jit, kernels
from landbridge.plan import parse

no_gpu = pytest.mark.skipif(cuda.count() > 0, reason="there is a GPU here")


@no_gpu
@pytest.mark.parametrize("device", ["gpu", "cuda"])
def test_a_gpu_by_name_is_not_replaced_in_silence(device: str) -> None:
    with pytest.raises(LandbridgeError) as caught:
        landbridge.components(([0], [1]), device=device)
    assert isinstance(caught.value, MissingDependency | DeviceError)
    if not cuda.installed():
        assert "landbridge[cuda13]" in str(caught.value)


@no_gpu
def test_a_plan_that_names_the_gpu_is_not_replaced_either() -> None:
    with pytest.raises(LandbridgeError):
        landbridge.components(([0], [1]), plan="rem_cas@gpu")
    with pytest.raises(DeviceError, match="the plan asks for @gpu"):
        landbridge.components(([0], [1]), plan="rem_cas@gpu", device="cpu")


CALLS = {
    "components": lambda device: landbridge.components(([0], [1]), device=device),
    "chunks": lambda device: landbridge.components(chunks=[([0], [1])], device=device),
    "spanning_forest": lambda device: landbridge.spanning_forest(([0], [1]), device=device),
    "explain": lambda device: landbridge.explain(([0], [1]), device=device),
    "estimate_memory": lambda device: landbridge.estimate_memory((2, 1), device=device),
    "rank_list": lambda device: landbridge.rank_list([0], device=device),
    "Incremental": lambda device: landbridge.Incremental(2, device=device),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("gpus", "cupy", "there_is"),
    [
        (2, True, "cpu, gpu"),
        (0, True, "cpu; a GPU needs an NVIDIA GPU and its driver; none is visible to this process"),
        (0, False, "cpu; a GPU needs CuPy, which is not installed: pip install 'landbridge[cuda13]' "),
    ],
)
def test_an_unknown_device_is_named_with_those_that_are_here(
    call: str, gpus: int, cupy: bool, there_is: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda, "count", lambda: gpus)
    monkeypatch.setattr(cuda, "installed", lambda: cupy)
    with refused(DeviceError, f"no device 'abacus' here; there is: {there_is}", exactly=False):
        CALLS[call]("abacus")


def test_auto_keeps_edges_in_host_memory_on_the_cpu() -> None:
    assert landbridge.components(([0], [1])).device == "cpu"


def test_cupy_is_not_imported_unasked() -> None:
    code = (
        "import sys, landbridge; landbridge.components(([0, 1], [1, 2])); landbridge.plans(engine='gpu');"
        "sys.exit('cupy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("capability", "known", "expected"),
    [
        (90, (75, 80, 90, 100), "sm_90"),
        (89, (75, 80, 86, 90), "sm_86"),
        (121, (75, 80, 90, 100), "compute_100"),
        (103, (90, 100), "sm_100"),
    ],
)
def test_the_architecture_is_one_the_device_runs(capability: int, known: tuple[int, ...], expected: str) -> None:
    assert jit.target(capability, known) == expected


def test_a_device_older_than_the_compiler_is_refused() -> None:
    with pytest.raises(DeviceError, match=r"7\.0"):
        jit.target(70, (75, 80))


class Counting:
    """A compiler that compiles nothing and counts."""

    def __init__(self) -> None:
        self.calls = 0

    def version(self) -> str:
        return "0.0"

    def architectures(self) -> tuple[int, ...]:
        return (90,)

    def compile(self, source: str, expressions: tuple[str, ...], options: tuple[str, ...]) -> tuple[jit.Image, str]:
        self.calls += 1
        return jit.Image(source.encode(), {text: f"_{i}" for i, text in enumerate(expressions)}), ""


def test_the_cache_serves_what_it_holds_and_survives_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANDBRIDGE_CACHE_DIR", str(tmp_path))
    compiler = Counting()
    program = kernels.common("start", kernels.Shape(32, 32)).program
    first = jit.build(program, "sm_90", compiler)
    assert jit.build(program, "sm_90", compiler) == first
    assert compiler.calls == 1
    jit.build(program, "sm_80", compiler)
    jit.build(kernels.common("start", kernels.Shape(64, 64)).program, "sm_90", compiler)
    assert compiler.calls == 3
    assert len(jit.cached_files()) == 3
    for path in jit.cached_files():
        path.write_bytes(path.read_bytes()[:-1])
    assert jit.build(program, "sm_90", compiler) == first
    assert compiler.calls == 4
    # An edited header is another key.
    monkeypatch.setattr(jit, "headers_digest", lambda: "other")
    jit.build(program, "sm_90", compiler)
    assert compiler.calls == 5
    assert jit.clear_cache() == 4
    assert jit.cached_files() == []


def test_a_cache_that_others_may_write_to_is_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kernels"
    monkeypatch.setenv("LANDBRIDGE_CACHE_DIR", str(folder))
    monkeypatch.setattr(jit, "_warn_of", jit._warn_of.__wrapped__)
    compiler = Counting()
    program = kernels.common("start", kernels.Shape(32, 32)).program
    jit.build(program, "sm_90", compiler)
    assert folder.stat().st_mode & 0o777 == 0o700
    for mode in (0o770, 0o707, 0o777):
        folder.chmod(mode)
        with pytest.warns(RuntimeWarning, match=f"others may write to {folder}"):
            jit.build(program, "sm_90", compiler)
    assert compiler.calls == 4
    folder.chmod(0o700)
    jit.cached_files()[0].chmod(0o666)
    jit.build(program, "sm_90", compiler)  # compiled again, and replaced by a file of our own
    assert compiler.calls == 5
    jit.build(program, "sm_90", compiler)
    assert compiler.calls == 5
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    if folder.stat().st_uid != 0:  # root is trusted
        with pytest.warns(RuntimeWarning):
            jit.build(program, "sm_90", compiler)
        assert compiler.calls == 6


def test_a_cache_that_cannot_be_written_costs_only_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANDBRIDGE_CACHE_DIR", "/dev/null/nowhere")
    compiler = Counting()
    program = kernels.common("start", kernels.Shape(32, 32)).program
    jit.build(program, "sm_90", compiler)
    jit.build(program, "sm_90", compiler)
    assert compiler.calls == 2


def test_the_headers_travel_with_the_package() -> None:
    root = jit.headers()
    assert (root / "landbridge" / "gpu" / "common.cuh").is_file()
    assert (root / "landbridge" / "policy" / "registry.def").is_file()
    assert len(jit.headers_digest()) == 64


def test_gpu_options_are_part_of_the_language() -> None:
    text = "kout(2)+rem_cas(naive,split_one)@gpu(arcs=reorganised,balance=worklist,merge=warp,reads=fresh)"
    assert str(parse(text)) == text


def test_the_command_line_clears_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LANDBRIDGE_CACHE_DIR", str(tmp_path))
    jit.build(kernels.common("start", kernels.Shape(32, 32)).program, "sm_90", Counting())
    assert main(["cache", "clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] == 1
    assert jit.cached_files() == []


@no_gpu
def test_the_command_line_says_why_there_is_no_gpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edges = tmp_path / "edges.txt"
    edges.write_text("0 1\n")
    assert main(["components", str(edges), "--device", "gpu"]) == 2
    assert "GPU" in capsys.readouterr().err
    assert main(["cache", "warm"]) == 2
