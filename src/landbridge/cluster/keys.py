"""Keys: what stands for an id on the way through a cluster, of 64 bits for whole numbers and of 128 for the others.

Keys of numbers and of UUIDs (16 bytes each) are the ids themselves, in their order. Strings and binary ids get a hash
of 128 bits under the key of the run, and their text is joined back at the end: of 10^10 ids two have the same hash with
a probability of 1.5e-19.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.cluster.packing import Column, Texts, joined
from landbridge.errors import InputError, MissingDependency

Keys = NDArray[np.uint64]
"""Shape (n,), or (n, 2) for keys of 128 bits, whose bytes are in the order of their ids."""

_SIGN = np.uint64(1 << 63)


def arrow() -> Any:
    """pyarrow, or MissingDependency."""
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise MissingDependency("a cluster exchanges Arrow batches: pip install 'landbridge[io]'") from None


@dataclass(frozen=True)
class IdType:
    """The type of the ids of one run.

    arrow: Arrow's name of it, such as "int64" or "large_string". salt: the key of the run, for hashes.
    """

    arrow: str
    salt: bytes = b""

    @property
    def wide(self) -> bool:
        """Whether keys have 128 bits."""
        return not self.arrow.startswith(("int", "uint"))

    @property
    def hashed(self) -> bool:
        """Whether keys are hashes, and ids are joined back to them."""
        return self.wide and self.arrow != "fixed_size_binary[16]"

    @property
    def type(self) -> Any:
        """The type in Arrow."""
        if self.arrow == "fixed_size_binary[16]":
            return arrow().binary(16)
        return getattr(arrow(), self.arrow)()

    def empty(self) -> Keys:
        """No keys."""
        return np.empty((0, 2) if self.wide else 0, dtype=np.uint64)


_TYPES = ("int32", "int64", "uint32", "uint64", "string", "large_string", "binary", "large_binary")
_NAMES = {"fixed_size_binary[16]": "fixed_size_binary[16]", "extension<arrow.uuid>": "fixed_size_binary[16]"}
_NAMES |= {name: name for name in _TYPES} | {"string_view": "large_string", "binary_view": "large_binary"}
KINDS_OF_IDS = "ids are int32, int64, uint64, strings, UUIDs or binary"
_CASTS = {frozenset({"int64", other}): "int64" for other in ("int32", "uint32")}
_CASTS |= {frozenset({"int32", "uint32"}): "int64", frozenset({"uint32", "uint64"}): "uint64"}
_CASTS |= {frozenset({"binary", other}): "binary" for other in ("string", "fixed_size_binary[16]")}
_CASTS |= {frozenset({"string", number}): "string" for number in ("int32", "int64", "uint32", "uint64")}
_BEYOND_INT64 = "cast them to int64, or to string if ids are 2^63 or more"
_CASTS |= {frozenset({"uint64", number}): _BEYOND_INT64 for number in ("int32", "int64")}


def _values(kind: Any) -> str:
    """Arrow's name of a type, and of a dictionary that of its values."""
    return str(kind.value_type if str(kind).startswith("dictionary<") else kind)


def word_of(kind: Any) -> str:
    """The type of the ids in a column of a type of Arrow: text of all widths and views is "string", bytes are "binary",
    and a dictionary is what its values are."""
    return _NAMES.get(_values(kind), str(kind)).removeprefix("large_")


def id_type(columns: Sequence[tuple[str, Any]], salt: bytes = b"", words: Mapping[str, str] | None = None) -> IdType:
    """The type of the ids of some columns. columns: how messages call each, and its type in Arrow. words: what messages
    call types, where that is not Arrow's name.

    Of text of several widths the type is the large one, and so it is of bytes.

    Raises
    ------
    InputError
        For two types of ids, with the cast that makes them one, and for a type that holds neither whole numbers nor
        text nor bytes.
    """
    words = words or {}
    kinds = [word_of(kind) for _, kind in columns]
    for (name, kind), word in zip(columns, kinds, strict=True):
        if word not in _NAMES:
            raise InputError(f"column {name} holds {kind}; {KINDS_OF_IDS}")
    for (name, _), word in zip(columns, kinds, strict=True):
        if word != kinds[0]:
            first, other = (words.get(one, one) for one in (kinds[0], word))
            names = [name for name, _ in columns]
            raise InputError(f"column {names[0]} holds {first} and {name} holds {other}: {_cast(names, kinds, words)}")
    return IdType(max((_NAMES[_values(kind)] for _, kind in columns), key=len), salt)


def _cast(names: Sequence[str], kinds: Sequence[str], words: Mapping[str, str]) -> str:
    """What makes ids of several types ones of one type."""
    target = _CASTS.get(frozenset(kinds), "cast them to one type")
    if target not in _TYPES:
        return target
    others = dict.fromkeys(name for name, kind in zip(names, kinds, strict=True) if kind != target)
    return f"cast {' and '.join(others)} to {words.get(target, target)}"


def plain(column: Any) -> Any:
    """An array of Arrow that is no dictionary, with the same rows."""
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


def check_type(column: Any, ids: IdType, where: str, name: str) -> None:
    """Raise InputError, with the cast that mends it, unless an array of Arrow holds ids of a type."""
    word, expected = word_of(column.type), word_of(ids.arrow)
    if word != expected:
        cast = f": {_cast([name] * 2, [word, expected], {})}" if word in _NAMES else ""
        raise InputError(f"{where}: {name} holds {column.type}, not {ids.arrow}{cast}")


def numbers_of(column: Any) -> NDArray[Any]:
    """The whole numbers of an array of Arrow without nulls, where they are. `np.asarray` imports pandas, a second."""
    kind = np.dtype(str(column.type))
    if len(column) == 0:
        return np.empty(0, dtype=kind)
    return np.frombuffer(column.buffers()[1], kind, len(column), column.offset * kind.itemsize)


def column_of(numbers: NDArray[Any]) -> Any:
    """Whole numbers as an array of Arrow, where they are, without pandas, as `numbers_of`."""
    pa, whole = arrow(), np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(getattr(pa, whole.dtype.name)(), len(whole), [None, pa.py_buffer(whole)])


def keys_of(column: Any, ids: IdType, room: Keys | None = None) -> Keys:
    """The keys of a column of Arrow without nulls. room: for as many keys of signed numbers, which are put there."""
    if ids.hashed:
        return _hashed(texts_of(column), ids.salt)
    if ids.wide:
        chunk = column.storage if hasattr(column, "storage") else column
        data = np.frombuffer(chunk.buffers()[1], np.uint8) if len(chunk) else np.empty(0, np.uint8)
        return data[16 * chunk.offset :][: 16 * len(chunk)].view("<u8").reshape(-1, 2)
    values = numbers_of(column)
    if values.dtype.kind == "u":
        return values.astype(np.uint64, copy=False)
    signed = values.astype(np.int64, copy=False).view(np.uint64)
    return np.bitwise_xor(signed, _SIGN, out=None if room is None or len(room) < len(signed) else room[: len(signed)])


def ids_of(keys: Keys, ids: IdType, own: bool = False) -> Any:
    """The ids of keys that are not hashes, as an Arrow array. own: the keys may be overwritten."""
    pa = arrow()
    if ids.wide:
        data = np.ascontiguousarray(keys).tobytes()
        return pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(keys), [None, pa.py_buffer(data)])
    if ids.arrow.startswith("u"):
        return column_of(keys.astype(ids.arrow, copy=False))
    signed = np.bitwise_xor(keys, _SIGN, out=keys if own and keys.flags.writeable else None)
    return column_of(signed.view(np.int64).astype(ids.arrow, copy=False))


def texts_of(column: Any) -> Texts:
    """The bytes of a column of strings or binary."""
    pa = arrow()
    array = column.cast(pa.large_binary())
    _, offsets, data = array.buffers()
    if len(array) == 0:
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    stops = np.require(np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1], requirements="A")
    return stops, np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)


def ids_of_texts(texts: Texts, ids: IdType) -> Any:
    """An Arrow array of the type of the ids."""
    pa = arrow()
    offsets, data = (np.ascontiguousarray(x) for x in texts)
    buffers = [None, pa.py_buffer(offsets.astype(np.int64)), pa.py_buffer(data)]
    array = pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)
    return array.cast(ids.type)


def _hashed(texts: Texts, salt: bytes) -> Keys:
    """BLAKE2b of each text, once for each different one."""
    table = _core.Names(1)
    numbers = table.number_each(*texts)
    offsets, data = (np.asarray(x) for x in table.texts(0))
    view: Any = memoryview(data.data)
    stops = offsets.tolist()
    digests = bytearray(16 * (len(stops) - 1))
    for i in range(len(stops) - 1):
        text = view[stops[i] : stops[i + 1]]
        digests[16 * i : 16 * i + 16] = hashlib.blake2b(text, digest_size=16, key=salt).digest()
    keys: Keys = np.frombuffer(bytes(digests), "<u8").reshape(-1, 2)[numbers]
    return keys


def hash_keys(keys: Keys, seed: int) -> NDArray[np.uint64]:
    """64 random bits that follow from each key and a seed: for the order of priorities, and for owners."""
    words = keys if keys.ndim == 1 else keys[:, 0] ^ (keys[:, 1] << np.uint64(1))
    bits: NDArray[np.uint64] = _core.mix_each(np.ascontiguousarray(words), seed)
    return bits


def owner(keys: Keys, parts: int) -> NDArray[np.int64]:
    """Which of `parts` tasks owns each key."""
    return (hash_keys(keys, 0) % np.uint64(parts)).astype(np.int64)


class Table:
    """The different keys of a task, and a number for each: 0, 1, 2, ... by first appearance.

    16 to 24 bytes per key of 64 bits and 8 more for its place in the order; some 76 per key of 128 bits.
    """

    def __init__(self, ids: IdType, threads: int = 1) -> None:
        self._wide = ids.wide
        self._table: Any = _core.Names(threads) if ids.wide else _core.Ids(threads, True)

    def __len__(self) -> int:
        return len(self._table)

    def number(self, keys: Keys) -> NDArray[np.int32]:
        """The numbers of keys; new keys get the next ones."""
        numbers: NDArray[np.int32]
        numbers = self._table.number_each(*_as_texts(keys)) if self._wide else self._table.number_each(native(keys))
        return numbers

    def pairs(self, u: Keys, v: Keys) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The numbers of both endpoints of edges."""
        numbers: tuple[NDArray[np.int32], NDArray[np.int32]]
        if self._wide:
            numbers = self._table.number(*_as_texts(u), *_as_texts(v))
        else:
            numbers = self._table.number(native(u), native(v))
        return numbers

    def find(self, keys: Keys) -> NDArray[np.int32]:
        """The numbers of keys, -1 for those that are not here."""
        numbers: NDArray[np.int32]
        numbers = self._table.find(*_as_texts(keys)) if self._wide else self._table.find(native(keys))
        return numbers

    def keys(self, since: int = 0) -> Keys:
        """All keys in the order of their numbers, from `since` on."""
        if not self._wide:
            return np.asarray(self._table.fresh(since), dtype=np.uint64)
        return np.asarray(self._table.texts(since)[1]).view("<u8").reshape(-1, 2)

    def in_order(self) -> tuple[NDArray[np.int32], Keys]:
        """All keys ascending, and the number of each."""
        if not self._wide:
            order, keys = self._table.in_order(False)
            return order, np.asarray(keys, dtype=np.uint64)
        order, _, data = self._table.in_order()
        return order, np.asarray(data).view("<u8").reshape(-1, 2)


class KeyRows:
    """Where each key of a column is: for joins of two columns by their keys."""

    def __init__(self, ids: IdType, keys: Keys) -> None:
        self._table = Table(ids)
        numbers = self._table.number(keys)
        # A row of each different key, and behind them the -1 that `find` reads at number -1.
        self._rows = np.full(len(self._table) + 1, -1, dtype=np.int64)
        self._rows[numbers] = np.arange(len(numbers))

    def __len__(self) -> int:
        return len(self._table)

    def rows(self) -> NDArray[np.int64]:
        """A row of each different key, by first appearance: the column without its duplicates."""
        return self._rows[:-1]

    def find(self, keys: Keys) -> NDArray[np.int64]:
        """For each of some keys a row of the column that holds it, or -1."""
        return self._rows[self._table.find(keys)] if len(keys) else np.empty(0, dtype=np.int64)


def equal_keys(a: Keys, b: Keys) -> NDArray[np.bool_]:
    """Row by row, whether two columns hold the same key."""
    equal: NDArray[np.bool_] = a == b if a.ndim == 1 else (a == b).all(axis=1)
    return equal


def without_loops(u: Keys, v: Keys) -> tuple[Keys, Keys]:
    """The edges between two different keys."""
    rows = np.flatnonzero(~equal_keys(u, v))
    return u[rows], v[rows]


def native(keys: Keys) -> Keys:
    """Keys for the compiled core: what was read in place from a message may be at any address."""
    return np.require(keys, np.uint64, ["C", "A"])


def _as_texts(keys: Keys) -> Texts:
    data = native(keys).view(np.uint8).reshape(-1)
    return np.arange(len(keys) + 1, dtype=np.int64) * 16, data


def concatenated(columns: list[Column]) -> Any:
    """As `joined`, for a list of any length but 0."""
    return columns[0] if len(columns) == 1 else joined(columns)
