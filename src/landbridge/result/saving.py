"""Components in a file and back: .npz, or Parquet that other programs read. Nothing in a file is executed."""

from __future__ import annotations

import importlib
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.formats import archive, npz, parquet
from landbridge.edges.formats.archive import Archive, open_archive
from landbridge.edges.formats.saved_answers import KEY
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.tables import arrow_errors
from landbridge.edges.id_columns import ids_of
from landbridge.edges.names import NameArray
from landbridge.edges.options import budget_of
from landbridge.edges.place import Place
from landbridge.edges.replacing import replacing
from landbridge.errors import FileFormatError, InputError, MissingDependency
from landbridge.filename import filename
from landbridge.profile import Profile
from landbridge.tables import on_host

_MARK = "landbridge components 2"
_FIRST_MARK = "landbridge components 1"
"""Of files without the kind of the ids, a list of members and a checksum."""
_MEMBERS: dict[str | None, tuple[str, ...]] = {None: (), "numbers": ("ids",), "names": ("id_offsets", "id_bytes")}
"""The members of an archive beside "labels" and "about", by what the ids are."""
_NOT_OURS = "this is no file that Components.save wrote"


def save(path: str | os.PathLike[str], fields: Mapping[str, Any], first: Any) -> None:
    """Write the fields of a `Components`; first: the smallest vertex of each component. See `Components.save`."""
    target = filename("path", path)
    write: Callable[[dict[str, Any], str, IO[bytes]], None] | None = {
        ".npz": _write_npz,
        ".parquet": _write_parquet,
    }.get(Path(target).suffix.lower())
    if write is None:
        raise InputError(f"{target}: components are saved as .npz or .parquet")
    ids, profile = fields["ids"], fields["profile"]
    columns: dict[str, Any] = {"labels": on_host(fields["labels"])} | ({} if ids is None else {"ids": _ids(ids)})
    kind = None if ids is None else "names" if isinstance(columns["ids"], NameArray) else "numbers"
    about = {
        "format": _MARK, "ids": kind, "base": fields["base"], "members": ["labels", "about", *_MEMBERS[kind]],
        "count": fields["count"], "plan": fields["plan"], "device": fields["device"],
        "notes": list(fields["notes"]), "library": fields["library"],
        "profile": {
            "seconds": dict(profile.seconds), "total": profile.total, "threads": profile.threads,
            "skipped": profile.skipped, "rounds": profile.rounds, "turns": list(profile.turns), "owned": profile.owned,
            "left_out": profile.left_out, "climbed": profile.climbed,
        },
    }  # fmt: skip
    columns["first"] = on_host(first)
    with replacing(target) as out:
        write(columns, json.dumps(about), out)


def _ids(ids: Any) -> Any:
    if isinstance(ids, NameArray) or ids.dtype.kind in "iu":
        return ids
    texts = ids_of(ids, Place("the id", "vertex"))
    return NameArray(*texts) if isinstance(texts, tuple) else texts


def _write_npz(columns: dict[str, Any], about: str, out: IO[bytes]) -> None:
    arrays = {"labels": columns["labels"], "about": np.frombuffer(about.encode(), np.uint8)}
    ids = columns.get("ids")
    if isinstance(ids, NameArray):
        arrays["id_offsets"], arrays["id_bytes"] = ids.buffers
    elif ids is not None:
        arrays["ids"] = ids
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
        for name, array in arrays.items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def _arrow(path: str) -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency(f"{path}: pyarrow is needed for Parquet files: pip install 'landbridge[io]'") from None


def _write_parquet(columns: dict[str, Any], about: str, out: IO[bytes]) -> None:
    arrow, writing = _arrow("saving components")
    labels, first = columns["labels"], columns["first"]
    ids = arrow.array(columns["ids"] if "ids" in columns else np.arange(len(labels)))
    table = arrow.table(
        {"id": ids, "component": labels, "representative": ids.take(arrow.array(first)).take(arrow.array(labels))}
    )
    meta = {KEY: about, b"landbridge check": str(_checksum(about.encode(), labels, columns.get("ids")))}
    writing.write_table(table.replace_schema_metadata(meta), out)


def load(path: str | os.PathLike[str], max_bytes: int | None = None) -> dict[str, Any]:
    """The fields of the `Components` in a file. See `Components.load`."""
    source = filename("path", path)
    read = {".npz": _read_npz, ".parquet": _read_parquet}.get(Path(source).suffix.lower())
    if read is None:
        Path(source).stat()  # a file that is not there is said first
        raise InputError(f"{source}: components are loaded from .npz or .parquet")
    with _words_of(source):
        with Source(source, budget=budget_of(max_bytes)) as file:
            labels, ids, about = read(file)
        measured = about["profile"]
        profile = Profile(**measured | {"turns": tuple(map(str, measured.get("turns", ())))})
        fields = {
            "count": int(about["count"]), "labels": labels, "plan": str(about["plan"]), "device": str(about["device"]),
            "profile": profile, "ids": ids, "notes": tuple(map(str, about["notes"])), "library": about["library"],
            "base": int(about.get("base", 0)),
        }  # fmt: skip
    _check(source, labels, ids, fields["count"])
    return fields


@contextmanager
def _words_of(path: str) -> Iterator[None]:
    """What a file says of itself is read: an error of another kind than ours is one of the file."""
    try:
        yield
    except (InputError, OSError, MissingDependency):
        raise
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise FileFormatError(path, f"{_NOT_OURS} ({str(error).splitlines()[0] if str(error) else error!r})") from None


def _about(path: str, text: bytes) -> dict[str, Any]:
    """What a file says of itself. Raises FileFormatError for another format."""
    about: dict[str, Any] = json.loads(text.decode())
    if about["format"] not in (_MARK, _FIRST_MARK):
        raise FileFormatError(path, f"{_NOT_OURS}, or a newer version of landbridge did")
    return about


def _checksum(about: bytes, labels: NDArray[Any], ids: Any) -> int:
    """Of all that Parquet does not protect itself."""
    parts = [] if ids is None else [ids]
    if isinstance(ids, NameArray):
        offsets, data = ids.buffers
        parts = [np.diff(offsets), data[offsets[0] : offsets[-1]]]
    value = zlib.crc32(about)
    for array in (labels, *parts):
        value = zlib.crc32(np.ascontiguousarray(array).data, zlib.crc32(array.dtype.str.encode(), value))
    return value


def _check(path: str, labels: NDArray[Any], ids: Any, count: int) -> None:
    """Raise FileFormatError for arrays that are no components; labels are numbered by first appearance."""
    if labels.ndim != 1 or labels.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise FileFormatError(path, f"labels are of type {labels.dtype} and shape {labels.shape}")
    if ids is not None and len(ids) != len(labels):
        raise FileFormatError(path, f"there are {len(ids)} ids and {len(labels)} labels")
    rises = np.maximum.accumulate(np.concatenate([np.array([-1], dtype=labels.dtype), labels]))
    if int(rises[-1]) + 1 != count or (np.diff(rises) > 1).any() or (len(labels) and int(labels.min()) < 0):
        raise FileFormatError(path, "the labels are not those of components numbered by their smallest vertices")


def _read_npz(source: Source) -> tuple[NDArray[Any], Any, dict[str, Any]]:
    path = source.path
    if source.peek(2) != b"PK":
        source.fail(_NOT_OURS)
    with open_archive(source) as members:
        if members.commented:
            source.fail(f"the file is damaged: its directory has a comment on {archive.shown(members.commented[0])}")
        if "about" not in members.names:
            source.fail(f"{_NOT_OURS}: it has no member 'about'")
        text = _member(source, members, "about").tobytes()
        with _words_of(path):
            about = _about(path, text)
            kind = _kind_of_members(path, about, list(members.names))
        labels = _member(source, members, "labels")
        columns = [_member(source, members, name) for name in _MEMBERS[kind]]
    ids: Any = columns[0] if columns else None
    if kind == "names":
        ids = _names_of(path, *columns)
    elif ids is not None and ids.dtype.kind not in "iu":
        raise FileFormatError(path, f"its ids are of type {ids.dtype}")
    return labels, ids, about


def names_in(source: Source, members: Archive) -> NameArray | None:
    """The names of the vertices in an archive that `save` wrote; None if it has none.

    Raises FileFormatError for members that are no names.
    """
    both = _MEMBERS["names"]
    if members.names.isdisjoint(both):
        return None
    for name in both:
        if name not in members.names:
            source.fail(f"the file is damaged: its member {name!r} is missing")
    offsets, data = (_member(source, members, name) for name in both)
    return _names_of(source.path, offsets, data)


def _names_of(path: str, offsets: NDArray[Any], data: NDArray[Any]) -> NameArray:
    whole = len(offsets) > 0 and offsets[0] == 0 and int(offsets[-1]) == len(data)
    if offsets.dtype != np.int64 or data.dtype != np.uint8 or not whole or (np.diff(offsets) < 0).any():
        raise FileFormatError(path, "the offsets of its names do not ascend from 0 to the end of their bytes")
    try:
        data.tobytes().decode()
    except UnicodeDecodeError:
        raise FileFormatError(path, "its names are no text in UTF-8") from None
    return NameArray(offsets, data)


def _kind_of_members(path: str, about: dict[str, Any], names: list[str]) -> str | None:
    """What the ids of an archive are. Raises FileFormatError unless it has the members that go with them, no others.

    A file of the first format does not say what its ids are: its members do.
    """
    kinds = [about["ids"]] if about["format"] == _MARK else list(_MEMBERS)
    expected = {kind: {"labels", "about", *_MEMBERS[kind]} for kind in kinds}
    if about["format"] == _MARK and set(about["members"]) != expected[kinds[0]]:
        raise FileFormatError(path, "the file is damaged: the members that it lists are not those of its ids")
    for kind in kinds:
        if set(names) == expected[kind]:
            return kind
    unknown = next((name for name in names if all(name not in one for one in expected.values())), None)
    if unknown is not None:
        problem = f"it has a member {archive.shown(unknown)!r}, which does not belong to it"
    elif len(kinds) == 1:
        problem = f"its member {min(expected[kinds[0]] - set(names))!r} is missing"
    else:
        problem = f"it has the members {', '.join(sorted(names))}, which are not all of those of an answer"
    raise FileFormatError(path, f"the file is damaged: {problem}")


def _member(source: Source, members: Archive, name: str) -> NDArray[Any]:
    """An array that is stored as it is, so that no more memory is taken than the file has bytes."""
    if not members.is_stored(name):
        source.fail(f"{name} is compressed; Components.save writes arrays as they are")
    array = npz.member(source, members, name)
    if array.ndim != 1 or not array.dtype.isnative:
        source.fail(f"{name} holds {array.dtype} of shape {array.shape}")
    return array


def _read_parquet(source: Source) -> tuple[NDArray[Any], Any, dict[str, Any]]:
    path = source.path
    with arrow_errors(path, "the Parquet file"):
        table, _ = parquet.read_columns(source, lambda _: ("id", "component"))
        labels: NDArray[Any] = table.column("component").to_numpy()
    meta = table.schema.metadata or {}
    if KEY not in meta:
        raise FileFormatError(path, "this is no file that Components.save wrote: its metadata does not say so")
    text = meta[KEY]
    about = _about(path, text)
    is_first = about["format"] == _FIRST_MARK
    kind = {b"given": "ids", b"0..n-1": None}[meta[b"landbridge ids"]] if is_first else about["ids"]
    ids: Any = None
    if kind is not None:
        column = table.column("id")
        values = ids_of(column, Place("column 'id'", "row", 0, path))
        ids = NameArray(*values) if isinstance(values, tuple) else values
    if not is_first and meta[b"landbridge check"] != b"%d" % _checksum(text, labels, ids):
        raise FileFormatError(path, "the file is damaged: its checksum is not that of its labels, ids and metadata")
    return labels, ids, about
