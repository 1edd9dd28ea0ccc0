"""The command that checks and repairs journals."""

from __future__ import annotations

from pathlib import Path

import pytest

from landbridge import FileFormatError, Incremental
from landbridge.cli import main
from landbridge.streams import inspection


def journal_with(path: Path, batches: int) -> list[int]:
    """A journal of batches of two edges, and where each stops."""
    stops = []
    with Incremental(journal=path, threads=1) as stream:
        for number in range(batches):
            stream.insert([number, 0], [number + 1, number])
            stops.append(path.stat().st_size)
    return stops


def test_check_and_repair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "j"
    stops = journal_with(path, 4)
    whole = path.read_bytes()
    assert main(["journal", "check", str(path), "--json"]) == 0
    assert '"problem": ""' in capsys.readouterr().out
    # Torn: opening will cut it.
    path.write_bytes(whole[:-5])
    result = inspection.inspect(str(path))
    assert (result.records, result.whole, result.torn, result.opens) == (3, stops[2], True, True)
    assert main(["journal", "check", str(path)]) == 0
    assert path.read_bytes() == whole[:-5]
    # Damaged before an acknowledged batch: refused, and repaired on request only.
    damaged = bytearray(whole)
    damaged[stops[1] + 70] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(FileFormatError):
        Incremental(journal=path)
    assert main(["journal", "check", str(path)]) == 1
    assert "fails until it is repaired" in capsys.readouterr().out
    assert main(["journal", "repair", str(path)]) == 0
    assert (tmp_path / f"j.cut-at-{stops[1]}").read_bytes() == damaged[stops[1] :]
    with Incremental(journal=path) as stream:
        assert stream.position == 4
    assert main(["journal", "repair", str(path)]) == 0  # nothing to do
    # What cannot be repaired is left alone.
    with Incremental(journal=path) as stream:
        stream.compact()
    path.write_bytes(path.read_bytes()[:-1])
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match="nothing to cut back to"):
        inspection.repair(str(path))
    path.write_bytes(b"0 1\n")  # shorter than what a journal begins with
    assert main(["journal", "repair", str(path)]) == 2
    assert main(["journal", "check", str(path)]) == 2
    assert capsys.readouterr().err.count("no journal and no saved stream of landbridge") == 2
    assert path.read_bytes() == b"0 1\n" != before
