"""Kernel expressions of list ranking (gpu/list_*.cuh), in the programs that are compiled together.

No GPU is needed: the tests compile these programs on machines without one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from landbridge.device.jit import Program

Number = Literal["int32", "int64", "uint32", "uint64", "float64"]
Word = Number | Literal["uint16"]
StateLayout = Literal["bits64", "bits48", "separate"]

_TYPES: dict[Word, str] = {
    "uint16": "unsigned short",
    "int32": "int",
    "int64": "long long",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float64": "double",
}


def _program(header: str, *kernels: tuple[str, tuple[str, ...]]) -> Program:
    return Program(header, tuple(f"lb::gpu::{name}<{', '.join(types)}>" for name, types in kernels))


def _each(names: tuple[str, ...], *types: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(name, types) for name in names]


def index_of(element: Number) -> Number:
    """The unsigned type of as many bits."""
    return "uint32" if element == "int32" else "uint64"


def word_of(layout: StateLayout, element: Number) -> Word:
    """The type of the words of a state: owners, or owner and place together."""
    return "uint64" if layout == "bits64" else "uint16" if layout == "bits48" else index_of(element)


@dataclass(frozen=True, slots=True)
class WalkTypes:
    """Of walks between marked splitters: how states are stored, whether links are added up instead of values, and the
    types of successors, of what is added up, of the result and of elements in it."""

    layout: StateLayout
    links: bool
    successor: Number
    value: Number
    result: Number
    element: Number

    @property
    def program(self) -> Program:
        return _walks(self)


@cache
def one_list(successor: Number, element: Number, blocks: int) -> Program:
    """A list that one launch ranks; so many blocks of it fit a multiprocessor."""
    types = (_TYPES[successor], _TYPES[element], str(blocks))
    return _program("list_one.cuh", ("rank_one_list", types))


@cache
def _walks(types: WalkTypes) -> Program:
    """The program of walks of these types; one object, because launches compare programs by identity first."""
    s, v = _TYPES[types.successor], _TYPES[types.value]
    word = _TYPES[word_of(types.layout, types.element)]
    state = f"LayoutBits64<{s}>" if types.layout == "bits64" else f"LayoutSeparate<{s}, {word}, {v}>"
    layout, add = f"lb::gpu::{state}", f"lb::gpu::{'AddLinks' if types.links else 'AddValues'}<{v}>"
    return _program(
        "list_walks.cuh",
        *_each(("reset_states",), layout, s, word, v),
        *_each(("place_splitters",), s, v),
        *_each(("claim_starts", "walk_sublists"), layout, add, s, word, v),
        *_each(("start_sublist_jumps", "total_lists"), v),
        *_each(("jump_round",), _TYPES["uint64"], v),
        *_each(("write_ranks",), layout, s, word, v, _TYPES[types.result], _TYPES[types.element]),
    )


@cache
def survey(successor: Number) -> Program:
    """The survey of the successors, with which every run begins."""
    names = ("survey_lists", "mark_predecessors", "list_heads")
    return _program("list_survey.cuh", *_each(names, _TYPES[successor]))


@cache
def predecessors(successor: Number, element: Number) -> Program:
    """The lists backwards."""
    return _program("list_survey.cuh", *_each(("find_predecessors",), _TYPES[successor], _TYPES[element]))


@cache
def sampled(successor: Number, element: Number) -> Program:
    """Walks between splitters that need no mark."""
    s, t = _TYPES[successor], _TYPES[element]
    names = ("walk_to_queues", "walk_in_place", "jump_sublists", "measure_lists", "rank_sublists")
    return _program("list_sampled.cuh", *_each(names, s), *_each(("scatter_ranks", "check_all_ranked"), s, t))


@cache
def packed_jumps(successor: Number, element: Number) -> Program:
    """Pointer jumping in packed words."""
    s, t = _TYPES[successor], _TYPES[element]
    return _program("list_jumps.cuh", *_each(("start_words", "jump_words"), s), *_each(("unpack_words",), s, t))


@cache
def array_jumps(successor: Number, index: Number, value: Number) -> Program:
    """Pointer jumping from array to array."""
    s, i, v = _TYPES[successor], _TYPES[index], _TYPES[value]
    return _program("list_jumps.cuh", *_each(("start_jumps",), s, i, v), *_each(("jump_round",), i, v))


@cache
def independent_sets(successor: Number, element: Number, index: Number, value: Number) -> Program:
    """Removals in rounds, and the way back."""
    s, t, i, v = _TYPES[successor], _TYPES[element], _TYPES[index], _TYPES[value]
    return _program(
        "list_sets.cuh",
        *_each(("start_removals",), s, t, i, v),
        *_each(("scan_tiles",), i),
        *_each(("select_removed", "unlink_removed", "number_remaining", "gather_remaining"), i, v),
        *_each(("scatter_remaining", "reinsert_removed"), i, v, t),
    )
