"""The pairs of duplicates that datatrove's MinHash writes, and the lists of documents to remove that it reads.

A ``.dups`` file holds records of four little-endian 32-bit numbers: file and document of one duplicate, file and
document of the other. A document is the number ``file * 2**32 + document`` here, so that numbers have the order of
datatrove's pairs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.api import components
from landbridge.edges.inputs import inputs_of
from landbridge.errors import FileFormatError, InputError
from landbridge.filename import filename

__all__ = ["INDEX", "Clusters", "cluster", "documents", "pairs", "write_removals"]

Numbers = NDArray[np.uint64]
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

INDEX = np.uint64(2**64 - 1)
"""The document that stands for the index of other data sets."""
_RECORD = 16


def pairs(
    source: Paths, *, chunk_size: int = 1 << 22, ignore_index_matches: bool = False
) -> Iterator[tuple[Numbers, Numbers]]:
    """Batches of pairs of documents, for ``landbridge.components(chunks=..., ids="sparse")``.

    Parameters
    ----------
    source : path or sequence of paths
        ``.dups`` files, folders of them, or patterns.
    chunk_size : int, default 2**22
        Pairs in a batch.
    ignore_index_matches : bool, default False
        Leave out pairs with the index.

    Returns
    -------
    iterator of (array, array)
        uint64, shape (m,).

    Raises
    ------
    FileFormatError
        For a file that does not consist of whole records.
    InputError
        For a source without files.

    Examples
    --------
    >>> path = tmp / "00_00.dups"
    >>> size = path.write_bytes(np.array([0, 5, 1, 7], "<u4").tobytes())
    >>> [(u.tolist(), v.tolist()) for u, v in pairs(path)]
    [([5], [4294967303])]
    """
    if chunk_size < 1:
        raise InputError(f"chunk_size = {chunk_size}: it must be at least 1")
    for path in _files(source):
        size = path.stat().st_size
        if size % _RECORD:
            raise FileFormatError(str(path), f"it has {size} bytes, and a pair of duplicates takes {_RECORD}")
        with path.open("rb") as file:
            while data := file.read(_RECORD * chunk_size):
                words = np.frombuffer(data, "<u8").astype(np.uint64, copy=False)
                ids = (words << np.uint64(32)) | (words >> np.uint64(32))
                u, v = ids[0::2], ids[1::2]
                if ignore_index_matches:
                    inside = u != INDEX
                    u, v = u[inside], v[inside]
                yield np.ascontiguousarray(u), np.ascontiguousarray(v)


def _files(source: Paths) -> list[Path]:
    """The files in order. Of a folder, those that end in .dups."""
    sources = [filename("the path", each) for each in ([source] if isinstance(source, str | os.PathLike) else source)]
    files: list[Path] = []
    for each in sources:
        if Path(each).is_dir():
            files += sorted(Path(each).rglob("*.dups"))
        else:
            files += [Path(entry.path) for entry in inputs_of(each) if entry.path is not None]
    if not files:
        raise InputError(f"{sources[0] if sources else 'the list of files'}: there is no .dups file")
    return files


def documents(ids: NDArray[Any]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The file and the number in it of each document.

    Parameters
    ----------
    ids : array of uint64, shape (n,)
        As `pairs` makes them.

    Returns
    -------
    file, document : array of uint32, shape (n,)
    """
    wide = ids.astype(np.uint64, copy=False)
    return (wide >> np.uint64(32)).astype(np.uint32), (wide & np.uint64(2**32 - 1)).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class Clusters:
    """Documents that have duplicates.

    Attributes
    ----------
    ids : array of uint64, shape (n,)
        The documents, ascending.
    labels : array, shape (n,)
        Their clusters, numbered as datatrove numbers them: by the first document.
    sizes : array of int64, shape (k,)
        The number of documents of each cluster; the index counts as one.
    keep : array of bool, shape (n,)
        The first document of each cluster; none of a cluster with the index.
    """

    ids: Numbers
    labels: NDArray[Any]
    sizes: NDArray[np.int64]
    keep: NDArray[np.bool_]


def cluster(source: Paths, *, ignore_index_matches: bool = False, threads: int | None = None) -> Clusters:
    """The clusters of ``.dups`` files, in the memory of the documents that occur and of one batch.

    Parameters
    ----------
    source, ignore_index_matches :
        As for `pairs`.
    threads : int, optional
        As for `landbridge.components`.

    Returns
    -------
    Clusters

    Raises
    ------
    FileFormatError, InputError
        As `pairs` does.
    """
    batches = pairs(source, ignore_index_matches=ignore_index_matches)
    answer = components(chunks=batches, ids="sparse", threads=threads)
    ids = np.asarray(answer.ids).astype(np.uint64, copy=False)
    keep = np.zeros(len(ids), dtype=bool)
    keep[answer.first] = True
    if len(ids) and ids[-1] == INDEX:
        keep &= answer.labels != answer.labels[-1]
        keep[-1] = True
    return Clusters(ids, answer.labels, answer.sizes(), keep)


def write_removals(
    source: Paths,
    output: str | os.PathLike[str],
    *,
    save_cluster_id: bool = False,
    save_cluster_size: bool = False,
    ignore_index_matches: bool = False,
    threads: int | None = None,
) -> Clusters:
    """Write what datatrove's MinhashDedupFilter reads: for each file the documents to remove, ``000042.remove``.

    The first document of each cluster stays; datatrove keeps one that depends on the order of pairs.

    Parameters
    ----------
    source, ignore_index_matches, threads :
        As for `cluster`.
    output : path
        A folder, which is made.
    save_cluster_id, save_cluster_size : bool, default False
        Also write ``.clusters`` and ``.sizes``: document and cluster, document and size of its cluster.

    Returns
    -------
    Clusters

    Raises
    ------
    FileFormatError, InputError
        As `pairs` does.
    """
    folder = Path(filename("output", output, "give the path of a folder"))
    answer = cluster(source, ignore_index_matches=ignore_index_matches, threads=threads)
    folder.mkdir(parents=True, exist_ok=True)
    real = answer.ids != INDEX
    file, document = documents(answer.ids[real])
    labels, drop = answer.labels[real], ~answer.keep[real]
    numbers, starts = np.unique(file, return_index=True)
    stops = np.append(starts, len(file))[1:].tolist()
    for number, begin, end in zip(numbers.tolist(), starts.tolist(), stops, strict=True):
        name, some = f"{number:06d}", slice(begin, end)
        removed = document[some][drop[some]]
        if len(removed):
            (folder / f"{name}.remove").write_bytes(removed.astype("<u4").tobytes())
        for save, suffix, values in (
            (save_cluster_id, "clusters", labels[some]),
            (save_cluster_size, "sizes", answer.sizes[labels[some]]),
        ):
            if save:
                rows = np.stack([document[some], values.astype(np.uint32)], axis=1)
                (folder / f"{name}.{suffix}").write_bytes(rows.astype("<u4").tobytes())
    return answer
