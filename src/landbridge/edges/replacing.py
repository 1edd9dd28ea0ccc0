"""New files in the place of others: complete or not there, with the mode and the owner of the file they replace."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


def copy_mode_and_owner(handle: int, old: os.stat_result) -> None:
    """Give an open file the owner and group of another, as far as this process may, and its mode."""
    own = os.fstat(handle)
    for owner, group in ((old.st_uid, -1), (-1, old.st_gid)):
        if owner not in (-1, own.st_uid) or group not in (-1, own.st_gid):
            with suppress(PermissionError):
                os.fchown(handle, owner, group)
    os.fchmod(handle, stat.S_IMODE(old.st_mode) & 0o777)


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """A new file beside the target, or beside the file that a symbolic link leads to.

    It replaces that at one moment when all is written and on the disk; if the block fails, it is removed.
    """
    target = Path(path).resolve()
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    old = target.stat() if target.exists() else None
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(temporary, flags, 0o666 if old is None else 0o600)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, path) from None
    try:
        with os.fdopen(handle, "wb") as out:
            if old is not None:
                copy_mode_and_owner(out.fileno(), old)
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
