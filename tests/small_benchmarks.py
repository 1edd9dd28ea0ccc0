"""What the tests of the benchmarks share: a small path, programs that print like peers, records, a GPU of NumPy."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.cases import make_case
from peers.base import Case

PATH_EDGES = 5


def small_edges(text: str) -> tuple[int, Any, Any]:
    """A path 1-2-...-6 with a loop, a duplicate and a reverse; vertices 0 and 7 are isolated."""
    del text
    source = np.array([1, 2, 3, 4, 5, 3, 2, 3], dtype=np.int64)
    target = np.array([2, 3, 4, 5, 6, 3, 3, 2], dtype=np.int64)
    return 8, source, target


def small_case() -> Case:
    return make_case("path", "path(8)", *small_edges(""))


def program(folder: Path, name: str, body: str) -> Path:
    """A program that prints what a peer would print."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport os, sys\n{body}\n")
    path.chmod(0o755)
    return path


def record(contestant: str, graph: str, median: float, **more: Any) -> dict[str, Any]:
    """A record as a run writes it."""
    return {
        "suite": "cpu",
        "kind": "components",
        "device": "A processor, 2 cores",
        "contestant": contestant,
        "unit": "s",
        "times": [median],
        "median": median,
        "min": median,
        "max": median,
        "checked": True,
        "graph": {"name": graph, "text": f"{graph}(1)", "n": 1000, "m": 2000, "components": 1},
        "plan": "",
        "threads": 2,
        "timing": "wall",
        "cpu_over_wall": 1.9,
        "lower_bound_s": 0.5,
        "quiet": {"others": 0.0, "steal": 0.0},
        "commit": "0123456789abcdef",
        "dirty": False,
        "machine": {"cpu": "A processor", "cores": 2, "memory_bytes": 1 << 30, "huge_pages": "madvise", "system": "x"},
        "versions": {"python": "3.12.0"},
        "date": "2026-01-02T03:04:05+00:00",
        **more,
    }


RECORDS = [
    record("landbridge(auto)", "grid", 9.0),
    record("landbridge(auto)", "grid", 1.0),
    record("peer one", "grid", 2.0),
    record("peer two", "grid", 4.0),
    record("landbridge(auto)", "road", 8.0),
    record("peer one", "road", 4.0),
]


def gpu_record(suite: str, ms: float, plan: str = "", *, auto: bool = False, **more: Any) -> dict[str, Any]:
    """A record of a GPU, with the median alone, of the graph grid."""
    return {
        "suite": suite,
        "kind": f"gpu_{suite}",
        "device": "NVIDIA A",
        "bandwidth": 3e12,
        "contestant": f"landbridge({'auto' if auto else plan})",
        "unit": "s",
        "median": ms / 1e3,
        "checked": True,
        "graph": {"name": "grid", "text": "grid2d(1024,1024)", "n": 1_000_000, "m": 2_100_000, "components": 1},
        "plan": plan,
        "timing": "replay",
        "commit": "c" * 40,
        "dirty": None,
        "date": "2026-01-01",
        **more,
    }


class DeviceArray(np.ndarray):
    """An array that says it is on a device."""

    def get(self, stream: Any = None, out: Any = None) -> Any:
        del stream
        if out is None:
            return np.array(self)
        out[:] = self
        return out

    def set(self, array: Any) -> None:
        self[:] = array


def on_device(array: Any) -> Any:
    return np.asarray(array).copy().view(DeviceArray)


class CudaStream:
    """A CUDA stream that captures the calls made between begin and end."""

    def __init__(self, **_: Any) -> None:
        self.captures = 0

    def __enter__(self) -> CudaStream:
        return self

    def __exit__(self, *error: object) -> None:
        del error

    def begin_capture(self) -> None:
        self.captures += 1

    def end_capture(self) -> Any:
        return SimpleNamespace(upload=lambda cuda_stream: None, launch=lambda cuda_stream: None)

    def synchronize(self) -> None:
        pass


class CupyOfNumpy:
    """The part of CuPy that benchmarks use, on NumPy's arrays; every time between events is one millisecond."""

    def __init__(self) -> None:
        event = SimpleNamespace(record=lambda cuda_stream=None: None, synchronize=lambda: None)
        properties = {"name": b"NVIDIA NumPy", "l2CacheSize": 50 * 2**20}
        self.cuda = SimpleNamespace(
            Stream=CudaStream,
            Event=lambda: event,
            Device=lambda: SimpleNamespace(synchronize=lambda: None, attributes={"MultiProcessorCount": 2}),
            get_current_stream=CudaStream,
            get_elapsed_time=lambda start, end: 1.0,
            runtime=SimpleNamespace(getDevice=lambda: 0, getDeviceProperties=lambda ordinal: properties),
        )
        generator = np.random.default_rng(3)
        self.random = SimpleNamespace(
            seed=lambda seed: None,
            random=lambda size, dtype: on_device(generator.random(size, dtype=dtype)),
            default_rng=lambda seed: SimpleNamespace(
                random=lambda size: on_device(generator.random(size)),
                integers=lambda low, high, size, dtype: on_device(generator.integers(low, high, size, dtype=dtype)),
            ),
        )
        self.asarray = on_device

    def get_default_memory_pool(self) -> Any:
        return SimpleNamespace(free_all_blocks=lambda: None)

    def empty(self, size: int, dtype: Any) -> Any:
        return on_device(np.zeros(min(size, 2**20), dtype))

    def zeros(self, size: int, dtype: Any) -> Any:
        return on_device(np.zeros(size, dtype))

    def ones(self, size: int, dtype: Any) -> Any:
        return on_device(np.ones(min(size, 2**10), dtype))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)
