"""Components in a file and back: what is loaded is what was saved, and what is no such file is refused in one line."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import Components, FileFormatError, InputError

SOURCES: list[Any] = [
    ([], {}),
    ([(0, 1), (3, 3)], {}),
    ([(10**12, 7), (9, 9)], {"ids": "sparse"}),
    ([(2**64 - 1, 7)], {"ids": "sparse"}),
    ([(-5, 7), (7, 2)], {"ids": "sparse"}),
    ([("b", "a"), ("", "naïve ☃"), ("x", "x")], {}),
]


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
@pytest.mark.parametrize(("edges", "options"), SOURCES, ids=range(len(SOURCES)))
def test_loaded_equals_saved(edges: Any, options: dict[str, Any], suffix: str, tmp_path: Path) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    result = landbridge.components(edges, **options)
    path = tmp_path / f"components{suffix}"
    result.save(path)
    back = Components.load(path)
    assert (back.count, back.plan, back.device, back.notes) == (result.count, result.plan, result.device, result.notes)
    assert (back.library, back.profile, back.id_kind) == (result.library, result.profile, result.id_kind)
    assert back.labels.dtype == result.labels.dtype
    assert back.labels.tolist() == result.labels.tolist()
    assert (back.ids is None) == (result.ids is None)
    if result.ids is not None and back.ids is not None:
        assert back.ids.tolist() == result.ids.tolist()
        assert back.ids.dtype == result.ids.dtype
    assert landbridge.merge(back, result).count == result.count
    assert [x.name for x in tmp_path.iterdir()] == [path.name]


def test_a_file_keeps_its_permissions_and_what_fails_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    result = landbridge.components([(0, 1)])
    result.save(path)
    path.chmod(0o600)
    result.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    networkx = pytest.importorskip("networkx")
    with pytest.raises(InputError, match=r"vertex 0: the id = \(0, 1\) is not an integer"):
        landbridge.components(networkx.Graph([((0, 1), "x")])).save(path)
    assert path.read_bytes() == before
    link = tmp_path / "link.npz"
    link.symlink_to(path)
    result.save(link)
    assert link.is_symlink()
    assert sorted(x.name for x in tmp_path.iterdir()) == ["c.npz", "link.npz"]
    with pytest.raises(InputError, match=r"are saved as .npz or .parquet"):
        result.save(tmp_path / "c.csv")


def changed(path: Path, name: str, array: Any) -> None:
    """Replace one array of a saved file, None for none."""
    with zipfile.ZipFile(path) as archive:
        members = {n: archive.read(n) for n in archive.namelist()}
    del members[name]
    if array is not None:
        buffer = io.BytesIO()
        np.save(buffer, array)
        members[name] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, data)


@pytest.mark.parametrize(
    ("name", "array", "problem"),
    [
        ("labels.npy", None, "this is no file that Components.save wrote"),
        ("labels.npy", np.array([0, 0, 1, 3], dtype=np.int32), "the labels are not those of components numbered by"),
        ("labels.npy", np.array([1, 0, 1, 0], dtype=np.int32), "the labels are not those of components numbered by"),
        ("labels.npy", np.array([0, 0, -1, 1], dtype=np.int32), "the labels are not those of components numbered by"),
        ("labels.npy", np.array([0, 0, 1], dtype=np.int32), "there are 4 ids and 3 labels"),
        ("labels.npy", np.array([0, 0, 1, 1], dtype=np.float64), "labels are of type float64"),
        ("labels.npy", np.zeros((2, 2), dtype=np.int32), "labels holds int32 of shape"),
        ("id_offsets.npy", np.array([0, 1, 9, 3, 4]), "the offsets of its names do not ascend"),
        ("id_bytes.npy", np.array([255, 98, 99, 100], dtype=np.uint8), "its names are no text in UTF-8"),
        ("about.npy", np.frombuffer(b"{}", np.uint8), "this is no file that Components.save wrote"),
        ("about.npy", np.frombuffer(json.dumps({"format": "x"}).encode(), np.uint8), "or a newer version"),
    ],
)
def test_files_that_are_not_right(name: str, array: Any, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    landbridge.components([("a", "b"), ("c", "d")]).save(path)
    changed(path, name, array)
    with pytest.raises(FileFormatError, match=problem):
        Components.load(path)


def test_an_array_is_no_larger_than_its_file(tmp_path: Path) -> None:
    """The size that an archive states is what memory would be taken for."""
    path = tmp_path / "c.npz"
    landbridge.components([(0, 1)]).save(path)
    whole = bytearray(path.read_bytes())
    entry = whole.index(b"PK\x01\x02")
    assert whole[entry + 46 :].startswith(b"labels.npy")
    whole[entry + 24 : entry + 28] = (2**31).to_bytes(4, "little")  # its bytes when they are unpacked
    path.write_bytes(whole)
    with pytest.raises(FileFormatError, match=r"labels claims 2147483648 bytes from \d+"):
        Components.load(path)


def test_files_of_others(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "c.npz", labels=np.zeros(5, dtype=np.int32))
    with pytest.raises(FileFormatError, match="is compressed"):
        Components.load(tmp_path / "c.npz")
    (tmp_path / "c.npz").write_bytes(b"no archive")
    with pytest.raises(FileFormatError, match=r"this is no file that Components.save wrote"):
        Components.load(tmp_path / "c.npz")
    with pytest.raises(FileNotFoundError):
        Components.load(tmp_path / "none.npz")
    with pytest.raises(InputError, match=r"are loaded from .npz or .parquet"):
        Components.load(tmp_path / "c.csv")
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    parquet.write_table(arrow.table({"id": [1], "component": [0]}), tmp_path / "c.parquet")
    with pytest.raises(FileFormatError, match="its metadata does not say so"):
        Components.load(tmp_path / "c.parquet")
    (tmp_path / "c.parquet").write_bytes(b"PAR1")
    with pytest.raises(FileFormatError, match="the Parquet file cannot be read"):
        Components.load(tmp_path / "c.parquet")
