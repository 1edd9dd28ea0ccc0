"""What crosses the device boundary by value, as the C++ headers declare it: structs, enums, constants, control words.

`_core.device_layout()` exports what `landbridge/gpu/layout/` declares, so that no size, offset, order or constant is
typed a second time here.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NoReturn

from landbridge import _core

_CODES = {"pointer": "Q", "int64": "q", "uint64": "Q", "float64": "d", "int32": "i", "uint32": "I"}
"""The codes of Python's module struct for the kinds of fields."""


class Struct:
    """One value of a by-value struct. packed: its bytes. address: where they are in host memory, for launches. fields:
    what it was made of; the arrays among it live as long as the struct."""

    __slots__ = ("address", "fields", "packed", "type")

    def __init__(self, type: StructType, fields: dict[str, Any], packed: ctypes.Array[ctypes.c_char]) -> None:
        self.type, self.fields, self.packed = type, fields, packed
        self.address = ctypes.addressof(packed)

    def __repr__(self) -> str:
        return f"{self.type.name}({', '.join(f'{name}={value!r}' for name, value in self.fields.items())})"

    def replaced(self, **fields: Any) -> Struct:
        """The same struct with other values in some fields."""
        return self.type(**(self.fields | fields))

    def assign(self, **fields: Any) -> None:
        """Other values in all fields, at the same address: for the launches that follow. Keeps none of the arrays."""
        self.type.write(self, fields)


class StructType:
    """A by-value struct of the headers. Called with a value for each field, by name, it makes a `Struct`.

    A pointer takes a device array or None, an enum the position of its word, any other field a number.
    fields: name -> offset in bytes, kind, and the type as the header spells it.
    """

    def __init__(self, name: str, size: int, align: int, fields: list[tuple[Any, ...]]) -> None:
        self.name, self.size, self.align = name, size, align
        self.fields = MappingProxyType({field: tuple(rest) for field, *rest in fields})
        self._names = tuple(self.fields)
        self._pointers = tuple(i for i, (_, kind, *_) in enumerate(self.fields.values()) if kind == "pointer")
        self._struct = struct.Struct(_format(size, fields))
        self._bytes = ctypes.c_char * size

    def __call__(self, **fields: Any) -> Struct:
        """Raises TypeError for a field that is missing, unknown or of a wrong type."""
        result = Struct(self, fields, self._bytes())
        self.write(result, fields)
        return result

    def write(self, target: Struct, fields: dict[str, Any]) -> None:
        """Store a value for each field in a struct of this type, whose `fields` stay what they are. Raises as a call
        does."""
        try:
            values = list(map(fields.__getitem__, self._names))
            if len(values) != len(fields):
                self._refuse(fields)
            for place in self._pointers:
                array = values[place]
                values[place] = 0 if array is None else array.data.ptr
            self._struct.pack_into(target.packed, 0, *values)
        except (KeyError, AttributeError, struct.error) as error:
            self._refuse(fields, error)

    def _refuse(self, fields: Mapping[str, Any], error: Exception | None = None) -> NoReturn:
        missing = [name for name in self._names if name not in fields]
        unknown = [name for name in fields if name not in self.fields]
        if missing or unknown:
            names = f"{self.name} takes {', '.join(self._names)}; missing: {missing}, unknown: {unknown}"
            raise TypeError(names) from None
        for name in (self._names[place] for place in self._pointers):
            if fields[name] is not None and not hasattr(getattr(fields[name], "data", None), "ptr"):
                raise TypeError(f"{self.name}.{name} takes a device array or None, not {fields[name]!r}") from None
        raise TypeError(f"{self.name}: {error} in {fields!r}") from None


def _format(size: int, fields: list[tuple[Any, ...]]) -> str:
    """The format of Python's module struct for fields at these offsets."""
    text, end = "=", 0
    for name, offset, kind, *_ in fields:
        if offset < end:
            raise ValueError(f"{name} overlaps the field before it")
        text += f"{offset - end}x{_CODES[kind]}" if offset > end else _CODES[kind]
        end = offset + struct.calcsize("=" + _CODES[kind])
    return text + (f"{size - end}x" if size > end else "")


@cache
def _layout() -> dict[str, Any]:
    table: dict[str, Any] = _core.device_layout()
    return table


@cache
def struct_type(name: str) -> StructType:
    """The struct of a name, such as "CsrArrays"."""
    row = _layout()["structs"][name]
    return StructType(name, row["size"], row["align"], row["fields"])


@cache
def struct_types() -> Mapping[str, StructType]:
    """All structs by name."""
    return MappingProxyType({name: struct_type(name) for name in _layout()["structs"]})


@cache
def enum(name: str) -> Mapping[str, int]:
    """The words of an enum with their values, in order."""
    return MappingProxyType({word: value for value, word in enumerate(_layout()["enums"][name])})


def checks() -> str:
    """C++ that fails to compile on a device where any of this differs."""
    return str(_layout()["checks"])


def constant(name: str) -> int:
    """A constant of the headers."""
    return int(_layout()["constants"][name])


def words_of(bits: int) -> int:
    """How many uint32 hold so many bits."""
    return -(-bits // 32)


@cache
def control_families() -> Mapping[str, Mapping[str, int]]:
    """The words of all control blocks by family; see `control`."""
    return MappingProxyType({family: control(family) for family in _layout()["control"]})


@cache
def control(family: str) -> Mapping[str, int]:
    """The words of the control block of a family of kernels with their positions; "end" is the number of words."""
    return MappingProxyType(dict(_layout()["control"][family]))
