"""Power cuts, simulated: whatever the disk has after one, the journal opens with all acknowledged batches."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.power import Inode, Recorder
from oracles.refusals import refused

from landbridge import FileFormatError, Incremental, InputError
from landbridge.streams import inspection

Counts = dict[int, tuple[int, int]]


def batch(number: int, ids: str | None) -> tuple[Any, Any]:
    """Batch `number`: from one edge to a few sectors of them."""
    rng = np.random.default_rng(number)
    u, v = rng.integers(0, 900, (2, (1, 3, 70, 400)[number % 4]))
    if ids == "names":
        return [f"name {x}" for x in u], [f"name {x}" for x in v]
    return (u * 10**9, v * 10**9) if ids == "sparse" else (u, v)


def recorded(folder: Path, ids: str | None, *, sync: bool, batches: int) -> tuple[Recorder, Counts]:
    """A journal that is made, appended to, compacted and opened again; what its stream had at each position."""
    counts: Counts = {0: (0, 0)}
    with pytest.MonkeyPatch.context() as patch:
        recorder = Recorder(folder, patch)
        stream = Incremental(ids=ids, journal=folder / "j", sync=sync, threads=1)
        durable = 0
        for number in range(batches):
            stream.insert(*batch(number, ids))
            counts[stream.position] = (stream.num_vertices, stream.count)
            if number % 5 == 3:
                stream.compact()
                durable = stream.position
            if number % 7 == 5:
                stream.close()
                stream = Incremental(ids=ids, journal=folder / "j", sync=sync, threads=1)
            recorder.acknowledge(stream.position if sync else durable)
        stream.close()
    return recorder, counts


def made(folder: Path, files: dict[str, bytes]) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / "j"


def check_power_cuts(
    tmp_path: Path, ids: str | None, *, sync: bool, batches: int, most: int, seed: int
) -> tuple[int, int]:
    """Opens the journal after many power cuts; how many there were, and how many times it had to be repaired."""
    (tmp_path / "disk").mkdir()
    recorder, counts = recorded(tmp_path / "disk", ids, sync=sync, batches=batches)
    few, cuts, repairs, outcomes = random.Random(seed), 0, 0, set()
    for disk, acknowledged in recorder.states:
        for files in disk.outcomes(few, most):
            key = (hash(files.get("j")), acknowledged)
            if key in outcomes:
                continue
            outcomes.add(key)
            cuts += 1
            path = made(tmp_path / "after", files)
            if "j" not in files:
                assert acknowledged in (None, 0)
                continue
            try:
                stream = Incremental(ids=ids, journal=path, threads=1)
            except FileFormatError:
                assert not sync, "a journal that waits for the disk opens after every power cut"
                assert not inspection.inspect(str(path)).opens
                repaired = inspection.repair(str(path))
                assert Path(repaired.backup).read_bytes() == files["j"][repaired.whole :]
                stream = Incremental(ids=ids, journal=path, threads=1)
                repairs += 1
            position = stream.position
            assert position >= (acknowledged or 0), "an acknowledged batch is lost"
            assert (stream.num_vertices, stream.count) == counts[position], "not the batches up to a position"
            stream.insert(*batch(99, ids))
            stream.close()
            with Incremental(ids=ids, journal=path, threads=1) as again:
                assert (again.position, again.dropped) == (stream.position, 0)
    return cuts, repairs


@pytest.mark.parametrize("ids", [None, "sparse", "names"])
@pytest.mark.parametrize("sync", [True, False])
def test_a_journal_opens_after_power_cuts(sync: bool, ids: str | None, tmp_path: Path) -> None:
    cuts, repairs = check_power_cuts(tmp_path, ids, sync=sync, batches=16, most=8, seed=1)
    assert cuts > 60
    assert (repairs > 0) != sync


@pytest.mark.slow
@pytest.mark.parametrize("ids", [None, "sparse", "names"])
@pytest.mark.parametrize("sync", [True, False])
def test_a_journal_opens_after_thousands_of_power_cuts(sync: bool, ids: str | None, tmp_path: Path) -> None:
    cuts, _ = check_power_cuts(tmp_path, ids, sync=sync, batches=30, most=40, seed=2)
    assert cuts > 500


def test_the_simulator_keeps_what_was_flushed_and_may_lose_anything_else() -> None:
    inode = Inode(b"a" * 600)
    inode.since = [("write", 600, b"b" * 900), ("write", 1500, b"c" * 10)]
    some = set(inode.outcomes(random.Random(1), 200))
    assert {b"a" * 600, b"a" * 600 + b"b" * 900 + b"c" * 10} <= some
    assert all(data.startswith(b"a" * 600) for data in some)
    assert any(b"\0" in data and data.endswith(b"c" * 10) for data in some)  # the last sector without one before it
    assert any(b"\0" not in data and 600 < len(data) < 1510 for data in some)


def test_a_disk_that_does_not_flush_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulator notices what it is there for: an acknowledged batch that was not flushed."""
    monkeypatch.setattr(Recorder, "_flushed", lambda self, fd: None)
    with pytest.raises(AssertionError):
        check_power_cuts(tmp_path, None, sync=True, batches=6, most=3, seed=1)


def journal_with(path: Path, batches: int) -> list[int]:
    """A journal of some batches, and where each stops."""
    stops = []
    with Incremental(journal=path, threads=1) as stream:
        for number in range(batches):
            stream.insert(*batch(number, None))
            stops.append(path.stat().st_size)
    return stops


def test_a_journal_that_is_held_is_not_repaired(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Incremental(journal=path) as stream:
        stream.insert(1, 2)
        with refused(InputError, f"{path}: the journal is held by a stream"):
            inspection.repair(str(path))
        assert inspection.inspect(str(path)).position == 1


def test_zeroed_sectors_within_a_journal_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "j"
    stops = journal_with(path, 8)
    whole = path.read_bytes()
    for at in range(512, stops[-1] - 512, 512):
        path.write_bytes(whole[:at] + bytes(512) + whole[at + 512 :])
        last = stops[-2] <= at
        inspected = inspection.inspect(str(path))
        assert inspected.opens == last
        if not last:
            with pytest.raises(FileFormatError, match="damaged"):
                Incremental(journal=path)


def test_a_damaged_beginning_before_other_records_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "j"
    stops = journal_with(path, 8)
    data = bytearray(path.read_bytes())
    sector = stops[6] - stops[6] % 512
    data[sector : stops[6] + 32] = bytes(stops[6] + 32 - sector)  # the end of a record and the beginning of the last
    path.write_bytes(data)
    with pytest.raises(FileFormatError):
        Incremental(journal=path)
    data = bytearray(path.read_bytes())
    data[stops[1] : stops[1] + 512] = bytes(512)  # the beginning of one that others follow
    path.write_bytes(data)
    assert not inspection.inspect(str(path)).opens


def test_records_in_another_order_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "j"
    stops = journal_with(path, 3)
    whole = path.read_bytes()
    path.write_bytes(whole[: stops[0]] + whole[stops[1] : stops[2]] + whole[stops[0] : stops[1]])
    with pytest.raises(FileFormatError, match="position 4, not 1"):
        Incremental(journal=path)


def test_a_cut_is_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "j"
    stops = journal_with(path, 2)
    path.write_bytes(path.read_bytes()[:-3])
    flushed, flush = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: flushed.append(os.fstat(fd).st_size) or flush(fd))
    Incremental(journal=path, sync=False).close()
    assert flushed == [stops[0]]


def test_a_write_that_is_cut_short_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.writev
    monkeypatch.setattr(os, "writev", lambda fd, parts: write(fd, [parts[0][:5]]))
    path = tmp_path / "j"
    journal_with(path, 3)
    with Incremental(journal=path) as stream:
        assert (stream.position, stream.dropped) == (74, 0)
