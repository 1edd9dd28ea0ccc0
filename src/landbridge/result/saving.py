"""Components in a file and back: .npz, or Parquet that other programs read. Nothing in a file is executed."""

from __future__ import annotations

import importlib
import json
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.formats import npz, parquet
from landbridge.edges.formats.archive import Archive, open_archive
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.tables import arrow_errors
from landbridge.edges.id_columns import Place, ids_of
from landbridge.edges.names import NameArray
from landbridge.edges.options import budget_of
from landbridge.edges.replacing import replacing
from landbridge.errors import FileFormatError, InputError, MissingDependency
from landbridge.profile import Profile
from landbridge.tables import on_host

_MARK = "landbridge components 1"
_NOT_OURS = "this is no file that Components.save wrote"


def save(path: str | os.PathLike[str], fields: Mapping[str, Any], first: Any) -> None:
    """Write the fields of a `Components`; first: the smallest vertex of each component. See `Components.save`."""
    target = os.fspath(path)
    write: Callable[[dict[str, Any], str, IO[bytes]], None] | None = {
        ".npz": _write_npz,
        ".parquet": _write_parquet,
    }.get(Path(target).suffix.lower())
    if write is None:
        raise InputError(f"{target}: components are saved as .npz or .parquet")
    ids, profile = fields["ids"], fields["profile"]
    columns: dict[str, Any] = {"labels": on_host(fields["labels"])} | ({} if ids is None else {"ids": _ids(ids)})
    about = {
        "format": _MARK, "count": fields["count"], "plan": fields["plan"], "device": fields["device"],
        "notes": list(fields["notes"]), "library": fields["library"],
        "profile": {
            "seconds": dict(profile.seconds), "total": profile.total, "threads": profile.threads,
            "skipped": profile.skipped, "rounds": profile.rounds, "turns": list(profile.turns), "owned": profile.owned,
            "left_out": profile.left_out,
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
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
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
    meta = {"landbridge": about, "landbridge ids": "given" if "ids" in columns else "0..n-1"}
    writing.write_table(table.replace_schema_metadata(meta), out)


def load(path: str | os.PathLike[str], max_bytes: int | None = None) -> dict[str, Any]:
    """The fields of the `Components` in a file. See `Components.load`."""
    source = os.fspath(path)
    read = {".npz": _read_npz, ".parquet": _read_parquet}.get(Path(source).suffix.lower())
    if read is None:
        raise InputError(f"{source}: components are loaded from .npz or .parquet")
    problem = _NOT_OURS
    try:
        with Source(source, budget=budget_of(max_bytes)) as file:
            labels, ids, text = read(file)
        about = json.loads(text)
        if about["format"] != _MARK:
            raise FileFormatError(source, f"{problem}, or a newer version of landbridge did")
        measured = about["profile"]
        profile = Profile(**measured | {"turns": tuple(map(str, measured.get("turns", ())))})
        fields = {
            "count": int(about["count"]), "labels": labels, "plan": str(about["plan"]), "device": str(about["device"]),
            "profile": profile, "ids": ids, "notes": tuple(map(str, about["notes"])), "library": about["library"],
        }  # fmt: skip
    except (InputError, OSError, MissingDependency):
        raise
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise FileFormatError(source, f"{problem} ({str(error).splitlines()[0] if str(error) else error!r})") from None
    _check(source, labels, ids, fields["count"])
    return fields


def _check(path: str, labels: NDArray[Any], ids: Any, count: int) -> None:
    """Raise FileFormatError for arrays that are no components; labels are numbered by first appearance."""
    if labels.ndim != 1 or labels.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        raise FileFormatError(path, f"labels are of type {labels.dtype} and shape {labels.shape}")
    if ids is not None and len(ids) != len(labels):
        raise FileFormatError(path, f"there are {len(ids)} ids and {len(labels)} labels")
    rises = np.maximum.accumulate(np.concatenate([np.array([-1], dtype=labels.dtype), labels]))
    if int(rises[-1]) + 1 != count or (np.diff(rises) > 1).any() or (len(labels) and int(labels.min()) < 0):
        raise FileFormatError(path, "the labels are not those of components numbered by their smallest vertices")


def _read_npz(source: Source) -> tuple[NDArray[Any], Any, str]:
    path = source.path
    if source.peek(2) != b"PK":
        source.fail(_NOT_OURS)
    with open_archive(source) as members:
        arrays = {name: _member(source, members, name) for name in _ARRAYS if name in members.names}
    ids: Any = arrays.get("ids")
    if "id_offsets" in arrays:
        offsets, data = arrays["id_offsets"], arrays["id_bytes"]
        whole = len(offsets) > 0 and offsets[0] == 0 and int(offsets[-1]) == len(data)
        if offsets.dtype != np.int64 or data.dtype != np.uint8 or not whole or (np.diff(offsets) < 0).any():
            raise FileFormatError(path, "the offsets of its names do not ascend from 0 to the end of their bytes")
        try:
            data.tobytes().decode()
        except UnicodeDecodeError:
            raise FileFormatError(path, "its names are no text in UTF-8") from None
        ids = NameArray(offsets, data)
    elif ids is not None and ids.dtype.kind not in "iu":
        raise FileFormatError(path, f"its ids are of type {ids.dtype}")
    return arrays["labels"], ids, arrays["about"].tobytes().decode()


_ARRAYS = ("labels", "about", "ids", "id_offsets", "id_bytes")


def _member(source: Source, members: Archive, name: str) -> NDArray[Any]:
    """An array that is stored as it is, so that no more memory is taken than the file has bytes."""
    if not members.is_stored(name):
        source.fail(f"{name} is compressed; Components.save writes arrays as they are")
    array = npz.member(source, members, name)
    if array.ndim != 1 or not array.dtype.isnative:
        source.fail(f"{name} holds {array.dtype} of shape {array.shape}")
    return array


def _read_parquet(source: Source) -> tuple[NDArray[Any], Any, str]:
    path = source.path
    with arrow_errors(path, "the Parquet file"):
        table, _ = parquet.read_columns(source, lambda _: ("id", "component"))
        labels: NDArray[Any] = table.column("component").to_numpy()
    meta = table.schema.metadata or {}
    if b"landbridge" not in meta:
        raise FileFormatError(path, "this is no file that Components.save wrote: its metadata does not say so")
    ids: Any = None
    if meta.get(b"landbridge ids") == b"given":
        column = table.column("id")
        values = ids_of(column, Place("column 'id'", "row", 0, path))
        ids = NameArray(*values) if isinstance(values, tuple) else values
    return labels, ids, meta[b"landbridge"].decode()
