"""Kernels compiled at run time with NVRTC, and a cache of their machine code on disk.

The headers that hold the algorithms travel with the package. A program includes one of them and lists kernel
expressions; its machine code is kept under a digest of the whole header tree, the program, the options, the
architecture and the version of NVRTC, so that an edited header never meets old code.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from landbridge.device import layout
from landbridge.errors import DeviceError

if TYPE_CHECKING:
    import hashlib

_FORMAT = "landbridge kernels 1"


@dataclass(frozen=True, slots=True)
class Program:
    """Kernels to compile together. header: below ``landbridge/gpu``; expressions: the kernels as instances in C++,
    each of another template."""

    header: str
    expressions: tuple[str, ...]

    @property
    def source(self) -> str:
        """Fails to compile where by-value structs differ from what the host sends."""
        return f'#include "landbridge/gpu/{self.header}"\n{layout.checks()}'


class Kernel(NamedTuple):
    """One kernel of a program, by the name of its template."""

    program: Program
    name: str


def template_name(expression: str) -> str:
    """The template's name in a kernel expression: ``number`` for ``lb::gpu::number<unsigned int>``."""
    return expression.partition("<")[0].rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class Image:
    """What a program compiles to: machine code (or PTX) and the symbol of each of its kernels."""

    code: bytes
    symbols: Mapping[str, str]


class Compiler(Protocol):
    """A binding of NVRTC. The library uses CuPy's; any other serves to compile without a GPU."""

    def version(self) -> str:
        """Such as "13.0"."""

    def architectures(self) -> tuple[int, ...]:
        """What it can make code for, ascending: 90 stands for sm_90."""

    def compile(self, source: str, expressions: tuple[str, ...], options: tuple[str, ...]) -> tuple[Image, str]:
        """The image and the log, which is empty unless the compiler has something to say. Raises DeviceError."""


@cache
def headers() -> Path:
    """The folder that holds ``landbridge/platform.hpp`` and all others: inside the package, or in its source tree."""
    import landbridge

    # A source tree in use (an editable install) comes before the copy that was installed with it.
    places = [Path(folder).parents[1] / "include" for folder in landbridge.__path__]
    places += [Path(folder) / "include" for folder in landbridge.__path__]
    for place in places:
        if (place / "landbridge" / "platform.hpp").is_file():
            return place
    raise DeviceError(f"the C++ headers of landbridge are missing from {places[-1]}; reinstall the package")


def _sha256(data: bytes = b"") -> hashlib._Hash:
    import hashlib  # a tenth of the time of importing NumPy, only where a GPU is used

    return hashlib.sha256(data)


@cache
def headers_digest() -> str:
    """A digest of the name and the text of every header."""
    digest = _sha256()
    root = headers()
    for path in sorted((root / "landbridge").rglob("*")):
        if path.is_file():
            text = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()} {len(text)}\n".encode())
            digest.update(text)
    return digest.hexdigest()


def options_for(architecture: str) -> tuple[str, ...]:
    """The compiler's options for ``sm_90`` or ``compute_90``."""
    return (f"--gpu-architecture={architecture}", "--std=c++20", f"-I{headers()}")


def target(capability: int, known: tuple[int, ...]) -> str:
    """The architecture to compile for on a device of this compute capability (90 is 9.0).

    Machine code for the device itself, or for an older one of its family, which it runs as well; PTX of the newest
    known architecture for a device newer than the compiler. Raises DeviceError for a device that the compiler no
    longer supports.
    """
    older = [a for a in known if a <= capability]
    if not older:
        raise DeviceError(
            f"this NVRTC compiles for compute capability {known[0] / 10} and newer, and the device has "
            f"{capability / 10}; the extra cuda12 brings an older compiler"
        )
    best = max(older)
    return f"sm_{best}" if best // 10 == capability // 10 else f"compute_{best}"


def cache_folder() -> Path:
    """Where compiled kernels are kept: LANDBRIDGE_CACHE_DIR, or landbridge/kernels in the user's cache folder."""
    folder = os.environ.get("LANDBRIDGE_CACHE_DIR")
    if folder:
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "landbridge" / "kernels"


def _others_may_change(status: os.stat_result) -> bool:
    """Whether users other than this one and root may change a file or the names in a folder."""
    return status.st_uid not in (0, os.geteuid()) or bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


@cache
def _warn_of(folder: Path) -> None:
    import warnings

    warnings.warn(
        f"compiled kernels are not kept: others may write to {folder}, and its files would run on the GPU",
        RuntimeWarning,
        stacklevel=2,
    )


def _is_private(folder: Path) -> bool:
    """Whether files of the folder may be trusted; warns once where they may not."""
    try:
        private = not _others_may_change(folder.stat())
    except OSError:
        return False
    if not private:
        _warn_of(folder)
    return private


def cached_files() -> list[Path]:
    """The files of the cache."""
    folder = cache_folder()
    return sorted(folder.glob("*.cubin")) if folder.is_dir() else []


def clear_cache() -> int:
    """Delete the cache's files; returns how many there were."""
    files = cached_files()
    for path in files:
        path.unlink(missing_ok=True)
    return len(files)


def build(program: Program, architecture: str, compiler: Compiler) -> Image:
    """The program's image, from the cache or compiled and put there. Raises DeviceError with the compiler's log.

    A cache that cannot be read or written costs time, never an answer: a damaged file is compiled again, and one that
    others may have written is not loaded.
    """
    options = options_for(architecture)
    identity = [program.source, program.expressions, architecture, options[1:-1], compiler.version()]
    key = _sha256(json.dumps([_FORMAT, headers_digest(), *identity]).encode()).hexdigest()
    path = cache_folder() / f"{key}.cubin"
    image = _load(path)
    if image is None:
        image, _ = compiler.compile(program.source, program.expressions, options)
        _save(path, image)
    return image


def _load(path: Path) -> Image | None:
    if not _is_private(path.parent):
        return None
    try:
        with path.open("rb") as file:
            if _others_may_change(os.fstat(file.fileno())):
                return None
            head, _, code = file.read().partition(b"\n")
        fields = json.loads(head)
        if fields["format"] == _FORMAT and fields["sha256"] == _sha256(code).hexdigest():
            return Image(code, fields["symbols"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _save(path: Path, image: Image) -> None:
    head = json.dumps({"format": _FORMAT, "sha256": _sha256(image.code).hexdigest(), "symbols": dict(image.symbols)})
    with contextlib.suppress(OSError):
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if not _is_private(path.parent):
            return
        with _replacing(path) as file:
            file.write(head.encode() + b"\n" + image.code)


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[Any]:
    # Written beside and renamed, so that a reader sees the whole file or none.
    import tempfile

    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
