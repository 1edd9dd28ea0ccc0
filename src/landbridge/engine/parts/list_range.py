"""A range of the elements of linked lists in the memory of one processor, and what is done to it there.

An end of a list has the complement of its tail in the place of a successor: a negative number, as nothing else is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.edges.successors import Array, Lists, ScanSpec
from landbridge.engine.gpu.list_run import InvalidListsError
from landbridge.engine.gpu.list_values import neutral_of, total_size
from landbridge.engine.parts.processors import Processor

ACTIVE, REST, REMOVED = 0, 1, 2
"""What the state of an element says: it is in the lists; it is in what one processor ranks; from here on, the round
that removed it."""
_NO_ROUND = 256
"""More than rounds can be: states have 8 bits."""
_FEW = 8
"""Elements that are followed by others are listed once they are at most one in so many. From then on, so are those that
rounds remove, as long as these are no more."""
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_FOLD, _TOP = np.uint64(32), np.uint64(63)

Questions = dict[int, tuple[Array, tuple[Array, ...]]]
"""By the place of the range that answers: the positions the answers are for, and the arrays that are sent there."""


@dataclass(frozen=True, slots=True)
class ListDivision:
    """How lists are divided. elements: n. size: elements of a range; the last ones may have fewer. block: elements that
    are worked on at a time. element, value: types. parts: the number of ranges. seed: of random bits."""

    scan: ScanSpec
    elements: int
    size: int
    block: int
    element: Any
    value: Any
    parts: int
    seed: int


def coins(module: Any, ids: Array, key: int) -> Array:
    """A random bit of each element, as booleans, which follows from its number and the key."""
    bits = ids.astype(np.uint64)
    bits += np.uint64(key)
    bits *= _FIRST
    bits ^= bits >> _FOLD
    bits *= _SECOND
    bits >>= _TOP
    return bits.astype(bool)


class ListRange:
    """The elements begin..end-1. One thread at a time; its processor is selected.

    follower: shape (size,), the element after each in what is left of the lists; for a removed element, the one that
    completes its value. value: what lies between the two. state: uint8. Nothing else has the size of the range.
    moved: bytes that came from another memory.
    """

    def __init__(self, place: int, processor: Processor, division: ListDivision) -> None:
        self.place, self.processor, self.division = place, processor, division
        self.module = processor.module
        self.begin, self.end = (min(division.elements, i * division.size) for i in (place, place + 1))
        self.moved, self.seconds = 0, 0.0
        self._received = 0
        self._active: Array = None
        self._members: Array = None
        self._log: dict[int, list[Array]] = {}
        self._log_from, self._logged = _NO_ROUND, 0
        self._answer: Any = None
        self._values_of_tails = not division.scan.of_links
        self._combine = getattr(self.module, {"sum": "add", "min": "minimum", "max": "maximum"}[division.scan.op])
        self.neutral = neutral_of(division.scan.op, division.value)

    def __len__(self) -> int:
        return self.end - self.begin

    def received(self, array: Array, source: ListRange) -> Array:
        """An array of another range in the memory of this one."""
        if source.processor.memory != self.processor.memory:
            self.moved += array.nbytes
        return self.processor.held(array)

    def blocks(self) -> Iterator[slice]:
        """The positions of the range, a block at a time, each after a look at the time."""
        for begin in range(0, len(self), self.division.block):
            _core.check_time()
            yield slice(begin, min(len(self), begin + self.division.block))

    def _block(self, number: int) -> slice:
        _core.check_time()
        begin = number * self.division.block
        return slice(begin, min(len(self), begin + self.division.block))

    # the input --------------------------------------------------------------------------------------------------------

    def load(self, lists: Lists) -> tuple[bool, int]:
        """Copy the range: whether all its successors are in range, and the sum of the sizes of integers to be added."""
        module, division = self.module, self.division
        self.follower = module.empty(len(self), division.element)
        self.value = module.empty(len(self), division.value)
        self.state = module.zeros(len(self), np.uint8)
        legal, size = True, 0
        for block in self.blocks():
            successor = self._source(lists.successor, block)
            largest = min(division.elements - 1, np.iinfo(successor.dtype).max)
            legal = legal and not bool(((successor < -1) | (successor > largest)).any())
            own, is_tail = self._is_tail(successor, block)
            self.follower[block] = module.where(is_tail, ~own, successor)
            if lists.values is None:
                values = (~is_tail).astype(division.value)
            else:
                values = self._own_values(lists, block, is_tail)
                if division.scan.op == "sum" and division.value.kind == "i":
                    size += total_size(values)
            self.value[block] = values
        return legal, size

    def _source(self, array: Array, block: slice) -> Array:
        return self.processor.held(array[self.begin + block.start : self.begin + block.stop])

    def _is_tail(self, successor: Array, block: slice) -> tuple[Array, Array]:
        """The elements of a block, and which of them are tails."""
        own = self.module.arange(self.begin + block.start, self.begin + block.stop, dtype=self.division.element)
        return own, (successor == own) | (successor == -1)

    def _own_values(self, lists: Lists, block: slice, is_tail: Array) -> Array:
        values = self._source(lists.values, block)
        return values if self._values_of_tails else self.module.where(is_tail, self.neutral, values)

    # removing ---------------------------------------------------------------------------------------------------------

    def followed(self) -> int:
        """How many elements are in the lists and no ends. They are listed from now on if they are few."""
        if self._active is not None:
            self._active = self._active[self._is_followed(self._active)]
            return len(self._active)
        count = sum(int(self.module.count_nonzero(self._is_followed(block))) for block in self.blocks())
        if count <= len(self) // _FEW:
            positions = [
                (self.module.flatnonzero(self._is_followed(block)) + block.start).astype(self.division.element)
                for block in self.blocks()
            ]
            self._active = self._joined(positions)
        return count

    def _joined(self, arrays: list[Array]) -> Array:
        return self.module.concatenate(arrays) if arrays else self.module.empty(0, self.division.element)

    def _is_followed(self, at: Any) -> Array:
        return (self.follower[at] >= 0) & (self.state[at] < REMOVED)

    def rounds_blocks(self) -> int:
        """How many blocks the elements have that a round reads."""
        elements = len(self) if self._active is None else len(self._active)
        return -(-elements // self.division.block)

    def _candidates(self, number: int) -> Array:
        """Positions of a block of the elements that are followed by others."""
        if self._active is not None:
            _core.check_time()
            return self._active[number * self.division.block : (number + 1) * self.division.block]
        block = self._block(number)
        return self.module.flatnonzero(self._is_followed(block)) + block.start

    def choose(self, number: int, round_number: int) -> Questions:
        """The elements of a block whose random bit is 0, and whose follower's is 1: they take its place."""
        key = _core.mix(self.division.seed, round_number)
        positions = self._candidates(number)
        positions = positions[~coins(self.module, self._ids(positions), key)]
        target = self.follower[positions]
        is_removed = coins(self.module, target, key)
        result = self.by_owner(positions[is_removed], target[is_removed])
        if not self.division.scan.from_head:
            return result
        return {owner: (at, (*sent, self._ids(at), self.value[at])) for owner, (at, sent) in result.items()}

    def _ids(self, positions: Array) -> Array:
        return positions.astype(self.division.element, copy=False) + self.division.element.type(self.begin)

    def by_owner(self, positions: Array, target: Array) -> Questions:
        """Questions about elements `target`, by the range that they are in, as positions there."""
        size = self.division.size
        if len(target) == 0:
            return {}
        if self.division.parts == 1:
            return {0: (positions, (target,))}
        owner, result = target // size, {}
        for place in range(self.division.parts):
            own = self.module.flatnonzero(owner == place)
            if len(own):
                result[place] = positions[own], (target[own] - self.division.element.type(place * size),)
        return result

    def remove(self, at: Array, ids: Array = None, values: Array = None, *, round_number: int) -> tuple[Array, ...]:
        """Remove the elements at these positions: their followers and values. From heads on, each is completed by the
        element `ids` before it, whose values are `values`. Raises InvalidListsError."""
        if bool((self.state[at] != ACTIVE).any()):
            raise InvalidListsError
        self.state[at] = REMOVED + round_number
        if self._active is not None:
            self._keep_removed(at, round_number)
        self._received += len(at)
        answer = self.follower[at], self.value[at]
        if ids is not None:
            self.follower[at], self.value[at] = ids, values
        return answer

    def _keep_removed(self, at: Array, round_number: int) -> None:
        """List what a round removes. Where it is too much, as tails of many lists are, lists begin with the next
        round."""
        if self._log_from == _NO_ROUND:
            self._log_from = round_number
        if round_number >= self._log_from:
            self._log.setdefault(round_number, []).append(at)
            self._logged += len(at)
        if self._logged * _FEW > len(self):
            self._log.clear()
            self._log_from, self._logged = round_number + 1, 0

    def follow(self, positions: Array, follower: Array, value: Array) -> None:
        """The removed elements behind these are replaced by theirs. Raises InvalidListsError for a cycle."""
        if bool((follower == self._ids(positions)).any()):
            raise InvalidListsError
        self.follower[positions] = follower
        self.value[positions] = self._combine(self.value[positions], value)

    # what one processor ranks -----------------------------------------------------------------------------------------

    def touch(self, number: int) -> Questions:
        """Questions about the followers of a block; the elements they are for belong to the rest."""
        positions = self._candidates(number)
        self.state[positions] = REST
        return self.by_owner(positions, self.follower[positions])

    def touched(self, at: Array) -> tuple[Array, ...]:
        """Elements that are followers belong to the rest. Raises InvalidListsError if one has been removed."""
        if bool((self.state[at] >= REMOVED).any()):
            raise InvalidListsError
        self.state[at] = REST
        return ()

    def rest(self) -> int:
        """How many elements of the rest are in this range. Raises InvalidListsError if one was removed twice."""
        count, positions = 0, []
        for block in self.blocks():
            state = self.state[block]
            count += int(self.module.count_nonzero(state >= REMOVED))
            own = self.module.flatnonzero(state == REST) + block.start
            positions.append(own.astype(self.division.element))
        if count != self._received:
            raise InvalidListsError
        self._members = self._joined(positions)
        return len(self._members)

    def ask_places(self, number: int) -> Questions:
        """Questions for the places of followers in the rest, for a block of the rest of this range."""
        begin = number * self.division.block
        members = self._members[begin : begin + self.division.block]
        follower = self.follower[members]
        at = self.module.flatnonzero(follower >= 0)
        return self.by_owner(at + begin, follower[at])

    def rest_blocks(self) -> int:
        """How many blocks the rest of this range has."""
        return -(-len(self._members) // self.division.block)

    def start_places(self, first: int, element: Any) -> None:
        """The places of the rest begin at `first`; each element follows itself."""
        self._first = first
        self._places = self.module.arange(first, first + len(self._members), dtype=element)

    def places(self, at: Array) -> tuple[Array, ...]:
        """The places in the rest of elements at these positions."""
        own = self.module.searchsorted(self._members, at)
        return ((own + self._first).astype(self._places.dtype),)

    def set_places(self, positions: Array, places: Array) -> None:
        """The followers of these elements of the rest have these places."""
        self._places[positions] = places

    def rest_arrays(self) -> tuple[Array, Array, Array]:
        """Places of followers, values, and followers, of the rest of this range; the places are not held any more."""
        places, self._places = self._places, None
        value = self.value[self._members]
        return places, value if value.dtype.kind == "f" else value.astype(np.int64), self.follower[self._members]

    def complete(self, value: Array, tails: Array | None) -> None:
        """Values of the rest of this range, and their tails as complements, where they are requested."""
        if len(self._members):
            self.value[self._members] = value.astype(self.division.value, copy=False)
            if tails is not None:
                self.follower[self._members] = tails
        self._members, self._active = None, None

    def complete_ends(self) -> None:
        """From heads on, nothing lies before an end that follows no other element."""
        for block in self.blocks():
            alone = self.module.flatnonzero((self.state[block] == ACTIVE) & (self.follower[block] < 0)) + block.start
            self.value[alone] = self.neutral

    # inserting --------------------------------------------------------------------------------------------------------

    def inserted_blocks(self, round_number: int) -> int:
        """How many blocks the elements have that are read for those that a round removed."""
        if round_number < self._log_from:
            return -(-len(self) // self.division.block)
        return -(-sum(map(len, self._log.get(round_number, []))) // self.division.block)

    def ask_values(self, number: int, round_number: int) -> Questions:
        """Questions for what completes the elements that a round removed, for a block. Ends are complete."""
        if number * self.division.block >= len(self):
            return {}
        if round_number >= self._log_from:
            _core.check_time()
            positions = self._joined(self._log.get(round_number, []))[
                number * self.division.block : (number + 1) * self.division.block
            ]
        else:
            block = self._block(number)
            positions = self.module.flatnonzero(self.state[block] == REMOVED + round_number) + block.start
        target = self.follower[positions]
        known = target >= 0
        return self.by_owner(positions[known], target[known])

    def values_at(self, at: Array) -> tuple[Array, ...]:
        """What is complete: values, and the complements of tails where they are requested."""
        return (self.value[at], self.follower[at]) if self.division.scan.tails else (self.value[at],)

    def insert(self, positions: Array, value: Array, tails: Array = None) -> None:
        """Complete elements by what completes them."""
        self.value[positions] = self._combine(self.value[positions], value)
        if tails is not None:
            self.follower[positions] = tails

    # the answer -------------------------------------------------------------------------------------------------------

    def ask_next(self, lists: Lists, number: int) -> Questions:
        """Questions for the values of the successors of a block."""
        if number * self.division.block >= len(self):
            self._answer = None
            return {}
        block = self._block(number)
        successor = self._source(lists.successor, block)
        at = self.module.flatnonzero(~self._is_tail(successor, block)[1])
        self._answer = block, self.module.full(len(successor), self.neutral, self.division.value)
        return self.by_owner(at, successor[at].astype(self.division.element, copy=False))

    def set_next(self, positions: Array, value: Array, tails: Array = None) -> None:
        """The values of successors are the answers of these elements."""
        self._answer[1][positions] = value

    def give_next(self, put: Callable[[slice, Array], None]) -> None:
        """Hand over the answers of the block of `ask_next`."""
        if self._answer is not None:
            block, values = self._answer
            put(slice(self.begin + block.start, self.begin + block.stop), values)

    def give(self, lists: Lists, put: Callable[[slice, Array], None]) -> None:
        """Hand over the answers, a block at a time, with their place in the lists."""
        scan = self.division.scan
        for block in self.blocks():
            value = self.value[block]
            if scan.from_head and not scan.exclusive:
                successor = self._source(lists.successor, block)
                value = self._combine(value, self._own_values(lists, block, self._is_tail(successor, block)[1]))
            put(slice(self.begin + block.start, self.begin + block.stop), value)

    def give_tails(self, put: Callable[[slice, Array], None]) -> None:
        """Hand over the tails."""
        for block in self.blocks():
            put(slice(self.begin + block.start, self.begin + block.stop), ~self.follower[block])
