"""Components in a file and back: what is loaded is what was saved, and what is no such file is refused in one line."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable
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
    with pytest.raises(InputError, match=r"vertex 0: the id = \(0, 1\) is not a whole number"):
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
        ("labels.npy", None, "its member 'labels' is missing"),
        ("about.npy", None, "this is no file that Components.save wrote"),
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
    with pytest.raises(FileFormatError, match=r"this is no file that Components.save wrote"):
        Components.load(tmp_path / "c.npz")
    np.savez_compressed(tmp_path / "c.npz", about=np.zeros(5, dtype=np.uint8))
    with pytest.raises(FileFormatError, match="is compressed"):
        Components.load(tmp_path / "c.npz")
    (tmp_path / "c.npz").write_bytes(b"no archive")
    with pytest.raises(FileFormatError, match=r"this is no file that Components.save wrote"):
        Components.load(tmp_path / "c.npz")
    with pytest.raises(FileNotFoundError):
        Components.load(tmp_path / "none.npz")
    with pytest.raises(FileNotFoundError):  # said before what its name should end in
        Components.load(tmp_path / "c.csv")
    (tmp_path / "c.csv").touch()
    with pytest.raises(InputError, match=r"are loaded from .npz or .parquet"):
        Components.load(tmp_path / "c.csv")
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    parquet.write_table(arrow.table({"id": [1], "component": [0]}), tmp_path / "c.parquet")
    with pytest.raises(FileFormatError, match="its metadata does not say so"):
        Components.load(tmp_path / "c.parquet")
    (tmp_path / "c.parquet").write_bytes(b"PAR1")
    with pytest.raises(FileFormatError, match="the Parquet file cannot be read"):
        Components.load(tmp_path / "c.parquet")


# damage -----------------------------------------------------------------------------------------------------------

KINDS: dict[str, Any] = {
    "dense": (([0, 1, 3], [1, 2, 4]), {}),
    "sparse": ([(10**12, 7), (9, 9)], {"ids": "sparse"}),
    "names": ([("ann", "bob"), ("cy", "dän")], {}),
}
FIRST = Path(__file__).parents[1] / "corpus" / "answers"
"""Files of the first format, which does not say of what kind its ids are."""


def content(result: Components) -> tuple[Any, ...]:
    """All that a saved answer holds."""
    ids = None if result.ids is None else (list(result.ids), result.ids.dtype)
    labels = (result.labels.tolist(), result.labels.dtype)
    run = (result.plan, result.device, result.notes, result.library, result.profile)
    return (result.count, labels, ids, result.id_kind, result.base, *run)


def flips_that_go_unseen(path: Path, step: int, begin: int = 0) -> list[tuple[int, int]]:
    """The bits of a saved answer, every `step`-th from a byte on, without which it loads as another one."""
    whole, right = path.read_bytes(), content(Components.load(path))
    unseen = []
    for i in range(8 * begin, 8 * len(whole), step):
        damaged = bytearray(whole)
        damaged[i // 8] ^= 1 << i % 8
        path.write_bytes(damaged)
        try:
            other = content(Components.load(path))
        except landbridge.LandbridgeError as error:
            assert "\n" not in str(error)
            continue
        if other != right:
            unseen.append((i // 8, i % 8))
    return unseen


@pytest.mark.parametrize(
    ("suffix", "step"),
    [
        (".npz", 13),
        (".parquet", 31),
        pytest.param(".npz", 1, marks=pytest.mark.long),
        pytest.param(".parquet", 11, marks=pytest.mark.long),
        pytest.param(".parquet", 1, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_bit_changes_no_answer(kind: str, suffix: str, step: int, tmp_path: Path) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    edges, options = KINDS[kind]
    path = tmp_path / f"c{suffix}"
    landbridge.components(edges, **options).save(path)
    assert flips_that_go_unseen(path, step) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_bit_of_the_directory_is_seen_in_files_of_the_first_format(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    whole = (FIRST / f"{kind}.npz").read_bytes()
    path.write_bytes(whole)
    assert flips_that_go_unseen(path, 1, whole.index(b"PK\1\2")) == []


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
@pytest.mark.parametrize("kind", KINDS)
def test_files_of_the_first_format_load(kind: str, suffix: str) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    edges, options = KINDS[kind]
    right, back = landbridge.components(edges, **options), Components.load(FIRST / f"{kind}{suffix}")
    assert content(back)[:5] == content(right)[:5]


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
def test_vertices_counted_from_one_stay_so(suffix: str, tmp_path: Path) -> None:
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    result = landbridge.components(pandas.DataFrame({"a": [1, 4], "b": [2, 5]}), base=1)
    assert (result.base, result.id_kind) == (1, "dense")
    result.save(tmp_path / f"c{suffix}")
    assert content(Components.load(tmp_path / f"c{suffix}")) == content(result)


def rewritten(path: Path, change: Callable[[dict[str, bytes]], list[tuple[str, bytes]]]) -> None:
    """Replace the members of an archive, all checksums right."""
    with zipfile.ZipFile(path) as archive:
        members = {n: archive.read(n) for n in archive.namelist()}
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")  # about repeated names
        for name, data in change(members):
            archive.writestr(name, data)


@pytest.mark.parametrize("first", [False, True], ids=["now", "first format"])
@pytest.mark.parametrize(
    ("name", "other", "problem"),
    [
        ("ids.npy", "jds.npy", "a member 'jds', which does not belong to it"),
        ("ids.npy", "ids.npx", "a member 'ids.npx', which"),
        ("ids.npy", "IDS.npy", "a member 'IDS', which"),
        ("ids.npy", "labels.npy", "two members of the archive are called labels"),
        ("ids.npy", "id_offsets.npy", "a member 'id_offsets', which does|which are not all"),
        ("labels.npy", None, "its member 'labels' is missing|which are not all of those of an answer"),
        ("about.npy", None, "it has no member 'about'"),
        (None, "more.npy", "a member 'more', which does not belong to it"),
    ],
)
def test_other_members_are_refused(
    first: bool, name: str | None, other: str | None, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "c.npz"
    if first:
        path.write_bytes((FIRST / "sparse.npz").read_bytes())
    else:
        landbridge.components([(10**12, 7), (9, 9)], ids="sparse").save(path)

    def change(members: dict[str, bytes]) -> list[tuple[str, bytes]]:
        rest = [(n, data) for n, data in members.items() if n != name]
        return rest if other is None else [*rest, (other, members[name or "ids.npy"])]

    rewritten(path, change)
    with pytest.raises(FileFormatError, match=problem):
        Components.load(path)


def test_a_file_of_names_without_them_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    landbridge.components([("ann", "bob")]).save(path)
    rewritten(path, lambda members: [(n, d) for n, d in members.items() if n in ("labels.npy", "about.npy")])
    with pytest.raises(FileFormatError, match=r"c\.npz: the file is damaged: its member 'id_bytes' is missing"):
        Components.load(path)


@pytest.mark.parametrize("name", [b"ids.npy", b"labels.npy", b"about.npy"])
@pytest.mark.parametrize("place", [0, -1], ids=["before the data", "in the directory"])
def test_names_that_differ_between_the_directory_and_a_member_are_refused(
    name: bytes, place: int, tmp_path: Path
) -> None:
    path = tmp_path / "c.npz"
    landbridge.components([(10**12, 7), (9, 9)], ids="sparse").save(path)
    whole = path.read_bytes()
    at = [i for i in range(len(whole)) if whole.startswith(name, i)][place]
    path.write_bytes(whole[:at] + b"x" + whole[at + 1 :])
    with pytest.raises(FileFormatError, match=r"archive is damaged|file is damaged|no member 'about'"):
        Components.load(path)
