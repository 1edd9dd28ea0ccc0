"""A disk whose power fails: system calls are recorded, and files made as a power cut may leave them.

The model is what POSIX promises and no more. Of a file that was not flushed since, each sector is on the disk as it was
after any of the writes to it, whatever other sectors are; its size is any that it had since; sectors within it that
were never written read as zeros. Of a folder that was not flushed since, the changes of names are made up to any point.
A flush that has returned holds.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SECTOR = 512


@dataclass
class Inode:
    """A file: what is on the disk for certain, and what was done to it since, in order."""

    durable: bytes = b""
    since: list[tuple[str, int, bytes]] = field(default_factory=list)

    def copy(self) -> Inode:
        return Inode(self.durable, list(self.since))

    def now(self) -> bytes:
        return self.after({}, len(self.since))

    def after(self, writes: dict[int, int], changes: int) -> bytes:
        """The file after a power cut that preserved so many of the changes of its size.

        writes: of a sector, how many of the writes to it are on the disk; all, where it is not named.
        """
        data, size, done = bytearray(self.durable), len(self.durable), dict.fromkeys(writes, 0)
        for step, (kind, at, whole) in enumerate(self.since):
            if kind == "truncate":
                if step < changes:
                    del data[at:]
                    size = at
                continue
            for offset, part in _at_sectors(at, whole):
                sector = offset // SECTOR
                if sector in writes:
                    done[sector] += 1
                    if done[sector] > writes[sector]:
                        continue
                data.extend(bytes(max(0, offset + len(part) - len(data))))
                data[offset : offset + len(part)] = part
            if step < changes:
                size = max(size, at + len(whole))
        return bytes(data[:size]).ljust(size, b"\0")

    def outcomes(self, few: random.Random, most: int) -> Iterator[bytes]:
        """Files that a power cut may leave: nothing and everything since, and some of what is between."""
        written = [
            at // SECTOR for kind, begin, data in self.since if kind == "write" for at, _ in _at_sectors(begin, data)
        ]
        times = {sector: written.count(sector) for sector in written}
        changes = len(self.since)
        yield self.after(dict.fromkeys(times, 0), 0)
        yield self.now()
        for _ in range(most if self.since else 0):
            share = few.choice((0.2, 0.5, 0.9))
            versions = {sector: few.randrange(count) for sector, count in times.items() if few.random() > share}
            yield self.after(versions, few.randint(0, changes) if few.random() < 0.3 else changes)


def _at_sectors(at: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """What is written there, cut at the sectors: offset and bytes."""
    while data:
        room = SECTOR - at % SECTOR
        yield at, data[:room]
        at, data = at + room, data[room:]


@dataclass
class Disk:
    """The files of one folder."""

    inodes: dict[int, Inode] = field(default_factory=dict)
    durable: dict[str, int] = field(default_factory=dict)  # names that a flush of the folder has made certain
    since: list[tuple[str, str, int]] = field(default_factory=list)

    def copy(self) -> Disk:
        return Disk({k: inode.copy() for k, inode in self.inodes.items()}, dict(self.durable), list(self.since))

    def names(self, changes: int) -> dict[str, int]:
        """The names after so many of the changes since."""
        names = dict(self.durable)
        for kind, name, inode in self.since[:changes]:
            if kind == "link":
                names[name] = inode
            else:
                names.pop(name, None)
        return names

    def outcomes(self, few: random.Random, most: int) -> Iterator[dict[str, bytes]]:
        """Folders that a power cut may leave."""
        for changes in range(len(self.since) + 1):
            names = self.names(changes)
            files = {name: list(self.inodes[inode].outcomes(few, most)) for name, inode in names.items()}
            for number in range(max(map(len, files.values()), default=1)):
                yield {name: some[min(number, len(some) - 1)] for name, some in files.items()}


class Recorder:
    """Records what a process does to the files of a folder, from the calls that it makes of `os`."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self.disk = Disk()
        self._numbers: dict[int, int] = {}  # the system gives the number of a file that is unlinked to another one
        self.states: list[tuple[Disk, Any]] = []  # after every call, with what had been acknowledged by then
        self.acknowledged: Any = None
        for name in ("open", "writev", "ftruncate", "fsync", "fdatasync", "replace", "link", "unlink"):
            patch.setattr(os, name, self._wrapped(name, getattr(os, name)))

    def acknowledge(self, what: Any) -> None:
        """A call has returned."""
        self.acknowledged = what
        self._state()

    def _state(self) -> None:
        self.states.append((self.disk.copy(), self.acknowledged))

    def _wrapped(self, name: str, call: Any) -> Any:
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            before = None
            if name == "writev":
                before = os.lseek(args[0], 0, os.SEEK_CUR) if self._inode(args[0]) is not None else None
            unlinked = name == "unlink" and self._ours(args[0])
            result = call(*args, **kwargs)
            if name == "open" and self._ours(args[0]) and args[1] & os.O_EXCL:
                number = self._numbers[os.fstat(result).st_ino] = len(self.disk.inodes)
                self.disk.inodes[number] = Inode()
                self.disk.since.append(("link", Path(args[0]).name, number))
            elif name == "writev" and before is not None:
                inode = self._inode(args[0])
                assert inode is not None
                inode.since.append(("write", before, b"".join(bytes(part) for part in args[1])[:result]))
            elif name == "ftruncate" and (inode := self._inode(args[0])) is not None:
                inode.since.append(("truncate", args[1], b""))
            elif name in ("fsync", "fdatasync"):
                self._flushed(args[0])
            elif name == "link" and self._ours(args[1]):
                number = self._numbers[Path(args[1]).stat().st_ino]
                self.disk.since.append(("link", Path(args[1]).name, number))
            elif name == "replace" and self._ours(args[1]):
                number = self._numbers[Path(args[1]).stat().st_ino]
                # One change: at no moment is the name free.
                self.disk.since.append(("link", Path(args[1]).name, number))
                self.disk.since.append(("unlink", Path(args[0]).name, number))
            elif unlinked:
                self.disk.since.append(("unlink", Path(args[0]).name, 0))
            else:
                return result
            self._state()
            return result

        return wrapped

    def _ours(self, path: Any) -> bool:
        return Path(path).parent == self._folder

    def _inode(self, fd: int) -> Inode | None:
        number = self._numbers.get(os.fstat(fd).st_ino)
        return None if number is None else self.disk.inodes[number]

    def _flushed(self, fd: int) -> None:
        inode = self._inode(fd)
        if inode is not None:
            inode.durable, inode.since = inode.now(), []
        elif Path(f"/proc/self/fd/{fd}").readlink() == self._folder:
            self.disk.durable, self.disk.since = self.disk.names(len(self.disk.since)), []
