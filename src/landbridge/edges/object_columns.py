"""Columns of Python's objects as ids: numbers of any type, str, bytes, UUIDs."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from decimal import Decimal
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.forms import IdArray
from landbridge.edges.place import Place, is_null, shown
from landbridge.passes import elements_of, slices

Texts = tuple[NDArray[Any], NDArray[np.uint8]]
"""Text in UTF-8: offsets, one more than there are texts, and bytes."""

_AS_OTHERS = "as others are; make all of them whole numbers, or all text"


def of_objects(values: list[Any], place: Place) -> IdArray | Texts:
    """The ids of a list of objects, which it changes: integers, or text if the first one is text."""
    if not values:
        return np.empty(0, dtype=np.int64)
    if isinstance(values[0], str | bytes | uuid.UUID):
        return texts_of(values, place)
    ids = np.empty(len(values), dtype=np.int64)
    fits = True  # whether all ids are below 2^63
    for part in slices(len(values)):
        for i, value in enumerate(values[part], part.start):
            if type(value) is not int:
                values[i] = _integer(value, i, place)
            if not -(2**63) <= values[i] < 2**64:
                raise place.error_at(i, f"= {shown(values[i])} does not fit 64 bits")
        try:
            ids[part] = np.array(values[part], dtype=np.int64)
        except OverflowError:
            fits = False
    if fits:
        return ids
    least = min(range(len(values)), key=values.__getitem__)
    if values[least] < 0:
        raise place.error_at(
            least, f"= {values[least]} is negative, and others are from 2^63 on: no type of integers holds both"
        )
    return np.array(values, dtype=np.uint64)


def _integer(value: Any, i: int, place: Place) -> int:
    """Element i, which is no int of Python, as one."""
    if isinstance(value, float | np.floating | Decimal) and isnan(value):
        raise place.error_at_nan(i, value)
    if is_null(value):
        raise place.error_at(i, "is null")
    if getattr(value, "shape", None) == () and not isinstance(value, np.generic) and hasattr(value, "item"):
        value = value.item()  # an array without dimensions
    if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value():
        if value.adjusted() > 20:
            raise place.error_at(i, f"= {value} does not fit 64 bits")
        return int(value)
    if isinstance(value, float | np.floating):
        return _exact(value, i, place)
    if isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(value, int | np.integer):
        nested = not place.unit and (elements_of(value) is not None or np.ndim(value) > 0)
        hint = f"; {place.subject} must be one-dimensional" if nested else f", {_AS_OTHERS}" if i else ""
        raise place.error_at(i, f"= {shown(value)} is not a whole number{hint}")
    return int(value)


def _exact(value: Any, i: int, place: Place) -> int:
    """A float without a fraction as an integer. Raises InputError where neighbouring integers are no floats."""
    if not float(value).is_integer():
        raise place.error_at(i, f"= {value} is not a whole number")
    kind, bits = ("floats are", 53) if isinstance(value, float) else (f"{value.dtype} is", exact_bits(value.dtype))
    if abs(value) >= 2.0**bits:
        raise place.error_at(i, f"= {value} is too large: {kind} exact below 2^{bits} only")
    return int(value)


def exact_bits(dtype: np.dtype[Any]) -> int:
    """Below 2^bits all integers are floats of this type."""
    return min(int(np.finfo(dtype).nmant) + 1, 63)


def texts_of(values: Any, place: Place) -> Texts:
    """Offsets and bytes of str, of bytes in UTF-8, or of UUIDs: of a list, an array of NumPy's or an array of Arrow."""
    count = len(values)
    if count and isinstance(values[0], uuid.UUID):
        return uuid_texts(_uuid_bytes(values, place))
    lengths = np.empty(count, dtype=np.int64)
    texts: list[bytes] = []
    for part in slices(count):
        parts = _encoded_slice(_listed(values[part]), part.start, place)
        lengths[part] = list(map(len, parts[0]))
        texts.append(parts[1])
    return _offsets(lengths), np.frombuffer(b"".join(texts), np.uint8)


def _listed(values: Any) -> list[Any]:
    if isinstance(values, list):
        return values
    objects: list[Any] = values.tolist() if isinstance(values, np.ndarray) else values.to_pylist()
    return objects


def _encoded_slice(values: list[Any], first: int, place: Place) -> tuple[Sequence[str | bytes], bytes]:
    """Texts of as many bytes as those of elements `first` and on, and the bytes of all."""
    try:
        joined: Any = (b"" if type(values[0]) is bytes else "").join(values)
        if joined.isascii() and (isinstance(joined, str) or set(map(type, values)) == {bytes}):
            return values, joined.encode() if isinstance(joined, str) else joined
        if isinstance(joined, str):
            parts = [value.encode() for value in values]
            return parts, b"".join(parts)
    except (TypeError, UnicodeEncodeError):
        pass
    parts = [_encoded(i, value, place) for i, value in enumerate(values, first)]
    return parts, b"".join(parts)


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _encoded(i: int, value: Any, place: Place) -> bytes:
    if is_null(value):
        raise place.error_at(i, "is null")
    if not isinstance(value, str | bytes):
        raise place.error_at(i, f"= {shown(value)} is not text, {_AS_OTHERS}")
    try:
        if isinstance(value, str):
            return value.encode()
        value.decode()
        return bytes(value)
    except UnicodeError:
        raise place.error_at(i, f"= {shown(value)} is no text in UTF-8") from None


def _uuid_bytes(values: list[Any], place: Place) -> NDArray[np.uint8]:
    """The bytes of UUIDs, 16 of each."""
    parts: list[bytes] = []
    for part in slices(len(values)):
        for i, value in enumerate(values[part], part.start):
            if not isinstance(value, uuid.UUID):
                raise place.error_at(i, "is null" if is_null(value) else f"= {shown(value)} is no UUID, as others are")
        parts.append(b"".join([value.bytes for value in values[part]]))
    return np.frombuffer(b"".join(parts), np.uint8)


_GROUPS = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))
"""The digits between two hyphens of a UUID."""


def uuid_texts(data: NDArray[np.uint8]) -> Texts:
    """The canonical text of UUIDs, of 16 bytes each."""
    count = len(data) // 16
    text = np.full((count, 36), ord("-"), dtype=np.uint8)
    for part in slices(count):
        digits = np.frombuffer(data[16 * part.start : 16 * part.stop].tobytes().hex().encode(), np.uint8).reshape(
            -1, 32
        )
        for hyphens, (begin, end) in enumerate(_GROUPS):
            text[part, begin + hyphens : end + hyphens] = digits[:, begin:end]
    return np.arange(count + 1, dtype=np.int64) * 36, text.reshape(-1)
