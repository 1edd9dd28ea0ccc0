"""The names of the kernels of list ranking (gpu/rank.cuh), in the programs that are compiled together.

Knows no GPU: the tests compile what is named here on machines without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

from landbridge.device.jit import Program

Number = Literal["int32", "int64", "uint32", "uint64", "float64"]

_TYPES = {
    "int32": "int",
    "int64": "long long",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float64": "double",
}


def _program(*kernels: tuple[str, tuple[str, ...]]) -> Program:
    return Program("rank.cuh", tuple(f"lb::gpu::{name}<{', '.join(types)}>" for name, types in kernels))


def _each(names: tuple[str, ...], *types: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(name, types) for name in names]


@dataclass(frozen=True, slots=True)
class Walking:
    """Walks between marked splitters: how states are kept ("bits64", "bits48", "apart"), and the types of successors,
    of what is added up, of the result and of elements in it. `ones` counts links instead of adding values."""

    layout: str
    ones: bool
    successor: Number
    value: Number
    result: Number
    element: Number

    @property
    def program(self) -> Program:
        s, v = _TYPES[self.successor], _TYPES[self.value]
        owner = {"bits48": "unsigned short", "apart": "unsigned int" if self.element == "int32" else _TYPES["uint64"]}
        layout = (
            f"lb::gpu::Layout64<{s}>"
            if self.layout == "bits64"
            else f"lb::gpu::LayoutApart<{s}, {owner[self.layout]}, {v}>"
        )
        add = f"lb::gpu::AddOnes<{v}>" if self.ones else f"lb::gpu::AddValues<{v}>"
        return _program(
            *_each(("reset_states",), layout, s),
            *_each(("place_starts",), s),
            *_each(("claim_starts", "walk_pieces"), layout, add, s, v),
            *_each(("aim_pieces", "end_lists"), v),
            *_each(("jump_round",), _TYPES["uint64"], v),
            *_each(("give_ranks",), layout, s, v, _TYPES[self.result], _TYPES[self.element]),
        )


def survey(successor: Number) -> Program:
    """What every run asks first."""
    return _program(*_each(("survey_lists", "mark_led", "list_heads"), _TYPES[successor]))


def reverse(successor: Number, element: Number) -> Program:
    """Predecessors."""
    return _program(*_each(("reverse_lists",), _TYPES[successor], _TYPES[element]))


def chase(successor: Number, element: Number) -> Program:
    """Walks between splitters that need no mark."""
    s, t = _TYPES[successor], _TYPES[element]
    return _program(
        *_each(("chase", "chase_here", "settle_pieces", "measure_lists", "name_pieces"), s),
        *_each(("scatter_ranks", "check_given"), t),
    )


def jump(successor: Number, element: Number) -> Program:
    """Pointer jumping in packed words."""
    return _program(*_each(("start_words", "jump_words"), _TYPES[successor]), *_each(("take_words",), _TYPES[element]))


def jump_apart(successor: Number, index: Number, value: Number) -> Program:
    """Pointer jumping from array to array."""
    s, i, v = _TYPES[successor], _TYPES[index], _TYPES[value]
    return _program(*_each(("start_apart",), s, i), *_each(("jump_round",), i, v))


def independent_sets(successor: Number, element: Number, index: Number, value: Number) -> Program:
    """Removals in rounds, and the way back."""
    s, t, i, v = _TYPES[successor], _TYPES[element], _TYPES[index], _TYPES[value]
    return _program(
        *_each(("fis_start",), s, t, i),
        *_each(("fis_deal", "fis_decide", "fis_offsets", "fis_next", "fis_number"), i),
        *_each(("fis_remove", "fis_gather"), i, v),
        *_each(("fis_spread", "fis_return"), i, v, t),
    )


def everything() -> Iterator[Program]:
    """Every program that some run loads."""
    both: tuple[Number, Number] = ("int32", "int64")
    numbers: tuple[Number, Number] = ("int64", "float64")
    for s in both:
        yield survey(s)
        yield from (reverse(s, t) for t in both)
        yield chase(s, "int32")
        yield jump(s, "int32")
        for layout in ("bits64", "bits48"):
            yield Walking(layout, True, s, "uint32", "int32", "int32").program
        for t, v in product(both, numbers):
            index: Number = "uint32" if t == "int32" else "uint64"
            yield Walking("apart", False, s, v, v, t).program
            yield jump_apart(s, index, v)
            yield independent_sets(s, t, index, v)
    yield Walking("apart", True, "int64", "uint64", "int64", "int64").program
