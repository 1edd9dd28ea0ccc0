"""By-value structs as the headers declare them: bytes at the right places, every wrong field refused."""

from __future__ import annotations

import ctypes
import struct
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from landbridge.device import layout
from landbridge.device.layout import StructType

FIELDS = [("cells", 0, "pointer", "Id*"), ("count", 8, "int64", "i64"), ("how", 16, "int32", "Pick")]


def array(address: int) -> Any:
    return SimpleNamespace(data=SimpleNamespace(ptr=address))


def test_fields_lie_where_the_header_has_them() -> None:
    example = StructType("Example", 32, 8, [*FIELDS, ("growth", 24, "float64", "double")])
    cells = array(0xDEAD_BEEF_0000)
    value = example(growth=0.25, how=3, count=-7, cells=cells)
    assert len(value.packed) == 32
    assert ctypes.string_at(value.address, 32) == bytes(value.packed)
    assert struct.unpack("=Qqi4xd", bytes(value.packed)) == (0xDEAD_BEEF_0000, -7, 3, 0.25)
    assert value.fields["cells"] is cells


def test_a_null_pointer_is_none() -> None:
    value = StructType("Example", 24, 8, FIELDS)(cells=None, count=1, how=0)
    assert bytes(value.packed) == struct.pack("=Qqi4x", 0, 1, 0)


def test_a_struct_with_other_values() -> None:
    value = StructType("Example", 24, 8, FIELDS)(cells=array(8), count=np.int64(1), how=0).replaced(count=2)
    assert bytes(value.packed) == struct.pack("=Qqi4x", 8, 2, 0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"cells": None, "count": 1}, r"missing: \['how'\]"),
        ({"cells": None, "count": 1, "how": 0, "more": 2}, r"unknown: \['more'\]"),
        ({"cells": None, "count": 1, "hwo": 0}, r"missing: \['how'\], unknown: \['hwo'\]"),
        ({"cells": 8, "count": 1, "how": 0}, "Example.cells takes a device array or None, not 8"),
        ({"cells": None, "count": 1.5, "how": 0}, "Example: required argument is not an integer"),
        ({"cells": None, "count": 2**63, "how": 0}, "Example: "),
        ({"cells": None, "count": None, "how": 0}, "Example: "),
    ],
)
def test_a_wrong_field_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        StructType("Example", 24, 8, FIELDS)(**fields)


def test_fields_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="how overlaps"):
        StructType("Example", 24, 8, [("count", 0, "int64"), ("how", 4, "int32")])


def test_every_struct_of_the_headers_has_its_size() -> None:
    assert layout.struct_types()
    for name, kind in layout.struct_types().items():
        values = {field: None if k == "pointer" else 0 for field, (_, k, *_) in kind.fields.items()}
        assert len(kind(**values).packed) == kind.size, name


def test_one_word_means_one_thing_in_every_control_block() -> None:
    """Words of two families mean the same in both: barriers, votes, links, blocks that are done; what a small batch
    reports of a batch; the number of components."""
    families = layout.control_families()
    common = {word for a, b in combinations(families, 2) for word in families[a].keys() & families[b].keys()}
    assert common == {"barrier", "done", "vote", "links", "bound", "first_fault", "count", "end"}, common
    assert families["components"].keys() & families["unchecked"].keys() == {"count", "end"}
    assert families["batch"].keys() & families["small_batch"].keys() == {"bound", "first_fault", "end"}


def test_constants_enums_and_control_words() -> None:
    assert layout.constant("warp_threads") == 32
    assert layout.constant("block_threads") % layout.constant("warp_threads") == 0
    with pytest.raises(KeyError):
        layout.constant("no_such_constant")
