"""Files in folders and patterns that hold no table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import landbridge
from landbridge.errors import InputError

LEFT = [
    "1.csv~",
    "1.csv.bak",
    "2.tmp",
    ".1.csv.swp",
    "1.swp",
    "1.csv.crc",
    "_SUCCESS",
    "#1.csv#",
    "README",
    "readme.md",
]


@pytest.mark.parametrize("way", ["graph", "chunks"])
def test_files_that_editors_and_programs_leave_are_skipped(way: str, tmp_path: Path) -> None:
    tmp_path = tmp_path / "all" / "days"
    tmp_path.mkdir(parents=True)
    (tmp_path / "1.csv").write_text("src,dst\n1,2\n")
    (tmp_path / "2.csv").write_text("src,dst\n2,3\n")
    for name in LEFT:
        (tmp_path / name).write_text("src,dst\n3,4\n5,6\n")
    for source in (tmp_path, tmp_path / "*", str(tmp_path / "?*"), tmp_path / "[12#R]*", str(tmp_path.parent / "*/*")):
        call: dict[str, Any] = {way: source}
        result = landbridge.components(**call)
        assert result.ids.tolist() == [1, 2, 3]
        (note,) = [note for note in result.notes if "are skipped" in note]
        assert "files that editors and programs leave are skipped: " in note and note.endswith("more")


def test_files_that_a_caller_names_are_read_whatever_their_names(tmp_path: Path) -> None:
    for name in LEFT:
        (tmp_path / name).write_text("src,dst\n3,4\n")
        for source in (tmp_path / name, [tmp_path / name]):
            assert landbridge.components(source, format="edges").ids.tolist() == [3, 4]
    for pattern in ("*.bak", "*~", "READ*ME", "*_SUCCESS"):
        assert landbridge.components(tmp_path / pattern, format="edges").ids.tolist() == [3, 4]
    for source in (tmp_path / "[1R]*", tmp_path):
        with pytest.raises(InputError, match=r"no file but .*, which is read where its own path is given"):
            landbridge.components(source)


def test_remote_folders_skip_the_same_files() -> None:
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    for name in ("1.csv", "1.csv~", "README.md"):
        files.pipe(f"/left/{name}", b"src,dst\n1,2\n" if name == "1.csv" else b"src,dst\n3,4\n")
    for source in ("memory://left", "memory://left/*"):
        result = landbridge.components(source)
        assert result.ids.tolist() == [1, 2] and any("1.csv~ and 1 more" in note for note in result.notes)
    assert landbridge.components("memory://left/1.csv~", format="edges").ids.tolist() == [3, 4]
    files.rm("/left", recursive=True)


def test_a_folder_without_data_and_an_empty_first_file_keep_the_note_of_what_is_skipped(tmp_path: Path) -> None:
    for name, text in (
        ("a/README.md", "x"),
        ("b/1.csv", "1,2\n"),
        ("c/0.csv", ""),
        ("c/1.csv", "2,3\n"),
        ("c/1.csv~", "4,5\n"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for source in (tmp_path, tmp_path / "*", tmp_path / "c"):
        result = landbridge.components(source)
        assert result.ids.tolist() == ([2, 3] if source.name == "c" else [1, 2, 3])
        for what in ("files that editors and programs leave are skipped: ", "files without a byte are skipped: "):
            assert any(what in note for note in result.notes)
