"""A run as data: kernels with their grids and arguments, in order, and the arrays they work on.

The same builder works on a GPU and on a `MemoryCounter`: the programs a plan needs and the memory it takes are those of
the list it builds. No algorithm is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from landbridge.device.jit import Kernel, Program
from landbridge.device.launch import BLOCK, grid_for
from landbridge.device.layout import Struct


class Device(Protocol):
    """A `cuda.Device`, or a `MemoryCounter` in its place."""

    @property
    def multiprocessors(self) -> int: ...
    @property
    def cache(self) -> int:
        """Bytes of the L2 cache."""

    def empty(self, size: int, dtype: Any) -> Any:
        """Shape (size,), not initialised."""


class Launch(NamedTuple):
    """One kernel, ready to go.

    phase: what its time counts for. arguments: by-value structs, whose arrays live as long as the launch. shared: bytes
    of dynamic shared memory. cooperative: the kernel waits for its own grid, so all blocks have to fit the device at
    once.
    """

    phase: str
    kernel: Kernel
    blocks: int
    threads: int
    arguments: tuple[Struct, ...]
    shared: int = 0
    cooperative: bool = False

    @property
    def name(self) -> str:
        """The name of the kernel's template."""
        return self.kernel.name


class LaunchList:
    """Launches in the order in which they run, and what they need of a device.

    submit: takes each launch as it is appended, so that the device works while the list grows. None: the list is
    executed once it is complete.
    """

    def __init__(self, device: Device, submit: Callable[[Launch], None] | None = None) -> None:
        self.device = device
        self.launches: list[Launch] = []
        self._submit = submit

    def __iter__(self) -> Iterator[Launch]:
        return iter(self.launches)

    def array(self, size: int, dtype: Any) -> Any:
        """Shape (size,) on the device, not initialised, of at least one element: never a null pointer."""
        return self.device.empty(max(1, size), dtype)

    def add(
        self,
        phase: str,
        kernel: Kernel,
        blocks: int,
        *arguments: Struct | None,
        threads: int = BLOCK,
        shared: int = 0,
        cooperative: bool = False,
    ) -> Launch:
        """Append a launch of so many blocks. threads: of each block. Raises TypeError for anything but structs."""
        structs: list[Struct] = []
        for value in arguments:
            if type(value) is not Struct:
                raise TypeError(f"a kernel takes by-value structs, not {value!r}")
            structs.append(value)
        launch = Launch(phase, kernel, blocks, threads, tuple(structs), shared, cooperative)
        self.launches.append(launch)
        if self._submit is not None:
            self._submit(launch)
        return launch

    def over(self, phase: str, kernel: Kernel, items: int, *arguments: Struct | None) -> Launch:
        """Append a launch with a thread for each item; where they are many, each takes several."""
        return self.add(phase, kernel, grid_for(self.device, items), *arguments)

    def programs(self) -> list[Program]:
        """What has to be compiled for this list, in the order of first use."""
        return programs_of(self.launches)


def programs_of(launches: Iterable[Launch]) -> list[Program]:
    """The programs of launches, each once, in the order of first use."""
    return list(dict.fromkeys(launch.kernel.program for launch in launches))
