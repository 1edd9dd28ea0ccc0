"""Files that are replaced: private ones stay private, no link is followed, and what a crash leaves is swept."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from landbridge import Incremental, components
from landbridge.cli import main
from landbridge.edges.files import write_edges
from landbridge.streams import files


def test_mode_and_owner_stay_and_new_files_follow_the_mask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owners = []
    give = os.fchown
    monkeypatch.setattr(os, "fchown", lambda fd, user, group: owners.append((user, group)) or give(fd, user, group))
    saved, journal = tmp_path / "s", tmp_path / "j"
    mask = os.umask(0o027)
    try:
        Incremental(3).save(saved)
        stream = Incremental(3, journal=journal)
    finally:
        os.umask(mask)
    assert [p.stat().st_mode & 0o777 for p in (saved, journal)] == [0o640, 0o640]
    for mode in (0o600, 0o664):
        for path in (saved, journal):
            path.chmod(mode)
        Incremental(4).save(saved)
        stream.compact()
        assert [p.stat().st_mode & 0o777 for p in (saved, journal)] == [mode, mode]
    assert not owners
    if os.geteuid() == 0:
        os.chown(saved, 12345, 54321)
        Incremental(4).save(saved)
        assert (saved.stat().st_uid, saved.stat().st_gid) == (12345, 54321)


def test_every_writer_keeps_mode_owner_and_link(tmp_path: Path) -> None:
    answer, edges = components([(0, 1)]), tmp_path / "in.txt"
    edges.write_text("0 1\n")
    writers: dict[str, Callable[[str], object]] = {
        "edges.txt": lambda path: write_edges(([0], [1]), path),
        "answer.npz": answer.save,
        "stream": Incremental(3).save,
        "labels.csv": lambda path: main(["components", str(edges), "-q", "-o", path]),
        "forest.txt": lambda path: main(["forest", str(edges), "-q", "-o", path]),
    }
    for name, write in writers.items():
        path, link = tmp_path / name, tmp_path / f"link-{name}"
        path.touch()
        path.chmod(0o600)
        link.symlink_to(path)
        if os.geteuid() == 0:
            os.chown(path, 12345, 54321)
        for way in (path, link):
            path.write_bytes(b"")
            write(str(way))
            assert link.is_symlink(), name
            assert path.stat().st_size > 0, name
            assert path.stat().st_mode & 0o777 == 0o600, name
            if os.geteuid() == 0:
                assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321), name


def test_a_new_file_is_private_until_it_is_as_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    Incremental(3).save(path)
    path.chmod(0o600)
    modes = []
    change = os.fchmod
    monkeypatch.setattr(os, "fchmod", lambda fd, mode: modes.append(os.fstat(fd).st_mode & 0o777) or change(fd, mode))
    mask = os.umask(0)
    try:
        Incremental(3).save(path)
    finally:
        os.umask(mask)
    assert modes == [0o600]


def test_no_link_is_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim, path = tmp_path / "victim", tmp_path / "s"
    victim.write_text("precious")
    (tmp_path / "s.partial").symlink_to(victim)
    token = "0123456789abcdef"
    Path(f"{path}.{token}.partial").symlink_to(victim)
    monkeypatch.setattr(files.secrets, "token_hex", lambda size: token)
    with pytest.raises(FileExistsError):
        Incremental(3).save(path)
    monkeypatch.undo()
    Incremental(3).save(path)
    assert victim.read_text() == "precious"
    assert not path.is_symlink()
    assert Incremental.load(path).count == 3


def test_what_crashes_have_left_is_swept_unless_somebody_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "s"
    left, held = (Path(f"{path}.{digit * 16}.partial") for digit in "ab")
    others = [
        tmp_path / name for name in ("s.partial", "s.0123.partial", f"t.{'a' * 16}.partial", f"s.{'A' * 16}.partial")
    ]
    for file in (left, held, *others):
        file.touch()
    holder = files.File(str(held), os.O_RDWR)
    files.fcntl.flock(holder.fd, files.fcntl.LOCK_EX)
    Incremental(3).save(path)
    assert sorted(tmp_path.iterdir()) == sorted([path, held, *others])
    holder.close()
    Incremental(3).save(path)
    assert sorted(tmp_path.iterdir()) == sorted([path, *others])


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    flush, replace = os.fsync, Path.replace

    def flushed(fd: int) -> None:
        steps.append("flush " + Path(f"/proc/self/fd/{fd}").readlink().name.rpartition(".")[2])
        flush(fd)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(Path, "replace", lambda self, target: steps.append("rename") or replace(self, target))
    Incremental(3).save(tmp_path / "s")
    assert steps == ["flush partial", "rename", f"flush {tmp_path.name.rpartition('.')[2]}"]


def test_a_closed_journal_is_free_while_a_forked_child_lives(tmp_path: Path) -> None:
    path = tmp_path / "j"
    stream = Incremental(journal=path)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    os.close(reading)
    stream.close()
    Incremental(journal=path).close()
    os.close(writing)
    os.waitpid(child, 0)


def test_a_child_that_closes_does_not_free_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "j"
    stream = Incremental(journal=path)
    child = os.fork()
    if child == 0:
        stream.close()
        os._exit(0)
    os.waitpid(child, 0)
    with pytest.raises(Exception, match="the journal is held by another stream"):
        Incremental(journal=path)
    stream.close()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_stream_is_not_copied(copied: Callable[[Incremental], object], tmp_path: Path) -> None:
    stream = Incremental(3, journal=tmp_path / "j")
    with pytest.raises(TypeError, match="a stream is not copied: merge it into a new one, or save and load it"):
        copied(stream)
    stream.insert(0, 1)
    stream.close()
