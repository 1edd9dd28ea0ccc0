"""Objects in memory to linked lists: an array of successors, and one of values where there are any."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from landbridge.edges.id_columns import ids_of
from landbridge.edges.number_columns import values_of
from landbridge.edges.on_device import is_device_array
from landbridge.edges.other_objects import way_from_iterator
from landbridge.edges.place import Place
from landbridge.errors import InputError, ListError
from landbridge.flags import is_word
from landbridge.passes import elements_of, host_array

Array = Any  # of NumPy or CuPy


class SumOverflow(InputError):
    """Integers to be added whose sizes add up to 2^63 or more. problem: the message without what helps."""

    problem = "the sizes of all values add up to 2^63 or more, and integers are added exactly"

    @classmethod
    def of_arrays(cls) -> SumOverflow:
        """With what helps where the values are an array."""
        return cls(f"{cls.problem}: as float64 they are rounded")


@dataclass(frozen=True, slots=True)
class ScanSpec:
    """What is asked of each element: the values between it and one end of its list, combined.

    op: "sum", "min" or "max"; without values each link counts one. from_head: from the head to the element, otherwise
    from the element to the tail. exclusive: without its own value. of_links: values belong to links, and that of a tail
    does not count. tails: the tail of each element's list, too.
    """

    op: Literal["sum", "min", "max"] = "sum"
    from_head: bool = False
    exclusive: bool = False
    of_links: bool = False
    tails: bool = False


@dataclass(frozen=True, slots=True)
class Lists:
    """Successors as engines take them: contiguous int32 or int64; -1 and a tail's own index both end a list.

    values: contiguous int64 or float64, or None. source: the array the successors came from, for messages. scan: what
    is asked of each element.
    """

    successor: Array
    values: Array | None
    on_device: bool
    source: Array
    scan: ScanSpec = ScanSpec()

    def __len__(self) -> int:
        return len(self.successor)

    def tails(self) -> int:
        """The number of tails, which is that of the lists. O(n), without an array of the size of the lists."""
        functions: Any = np
        if self.on_device:
            from landbridge.device import cuda

            functions = cuda.cupy()
        count, block = 0, 2**20
        for begin in range(0, len(self), block):
            successor = self.successor[begin : begin + block]
            own = functions.arange(begin, begin + len(successor), dtype=successor.dtype)
            count += int(((successor == own) | (successor == -1)).sum())
        return count

    def to_host(self) -> Lists:
        """The same lists in host memory."""
        if not self.on_device:
            return self
        values = None if self.values is None else self.values.get()
        return replace(self, successor=self.successor.get(), values=values, on_device=False)

    def explain(self, problem: str) -> str:
        """The core's message, with an unsigned successor that does not fit shown as it is in the source."""
        if self.source.dtype.kind == "u" and "out of range" in problem:
            i = int(problem.split()[1].rstrip(":"))
            return f"element {i}: successor {int(self.source[i])} is out of range for n = {len(self)}"
        return problem


def is_from_head(origin: Any, name: str = "origin") -> bool:
    """Whether an origin is the head of a list. Raises InputError for other words than "tail" and "head".

    name: of the option.
    """
    if not is_word(origin, ("tail", "head")):
        raise InputError(f"{name} is 'tail' or 'head', not {origin!r}")
    return bool(origin == "head")


def refuse_other_operation(op: Any) -> None:
    """Raise InputError for an operation of scans that there is not."""
    if not is_word(op, ("sum", "min", "max")):
        raise InputError(f"op is 'sum', 'min' or 'max', not {op!r}")


def lists_of(successor: Any, values: Any = None, what: str = "weights", scan: ScanSpec = ScanSpec()) -> Lists:
    """Successors and values from anything with one dimension: sequences, NumPy, CuPy and all that offers DLPack.

    No copy of contiguous arrays of 32- and 64-bit integers and of int64 and float64 values. Raises InputError for other
    shapes, types and lengths. Range is the engine's concern.
    """
    on_device = is_device_array(successor)
    if values is not None and is_device_array(values) != on_device:
        device, host = ("the successors", what) if on_device else (what, "the successors")
        raise InputError(f"{device} are on a GPU and {host} are not; put both in one place")
    source = _on_device(successor, "successors") if on_device else _whole(successor)
    if source.size == 0:
        source = source.astype(np.int32)
    if source.dtype.kind not in "iu":
        raise InputError(f"successors are integers, not {source.dtype}")
    array = source
    if array.itemsize < 4:
        array = array.astype(np.int32)
    elif array.dtype.kind == "u":
        _refuse_ones(array)
        array = (
            array.view(np.int32 if array.itemsize == 4 and len(array) < 2**31 else np.int64)
            if (array.itemsize == 8 or len(array) < 2**31)
            else array.astype(np.int64)
        )
    if values is None:
        return Lists(array, None, on_device, source, scan)
    numbers = _on_device(values, what) if on_device else _contiguous(values_of(values, Place(what, "element")))
    if len(numbers) != len(array):
        raise InputError(f"there are {len(array)} successors and {len(numbers)} {what}")
    if numbers.size == 0:
        numbers = numbers.astype(np.int64)
    if numbers.dtype.kind in "iub":
        if numbers.dtype == np.uint64 and len(numbers) and int(numbers.max()) >= 2**63:
            i = int((numbers >= 2**63).argmax())
            problem = f"= {int(numbers[i])} does not fit int64; give them as float64"
            raise Place(what, "element").error_at(i, problem)
        numbers = numbers.astype(np.int64, copy=False)
    elif numbers.dtype.kind == "f" and numbers.itemsize <= 8:
        numbers = numbers.astype(np.float64, copy=False)
    else:
        raise InputError(f"{what} are integers or floats, not {numbers.dtype}")
    return Lists(array, numbers, on_device, source, scan)


def _whole(successors: Any) -> Any:
    """Successors in host memory as integers: an array of these, or what a column of ids may be."""
    array = successors
    if elements_of(successors) is None:
        with contextlib.suppress(ValueError, TypeError, OverflowError, RuntimeError, BufferError):
            array = host_array(successors)
    if isinstance(array, np.ndarray) and array.ndim == 0:
        way = way_from_iterator(successors, "successors")
        if isinstance(successors, str | os.PathLike):
            way = "; numpy.loadtxt(path, dtype=int) makes one of a text with a number on each line"
        raise InputError(f"successors are a one-dimensional array of integers, not {type(successors).__name__}{way}")
    if isinstance(array, np.ndarray) and array.dtype.kind in "iu" and array.ndim == 1:
        return _contiguous(array.astype(array.dtype.newbyteorder("="), copy=False))
    ids = ids_of(successors, Place("the successor", "element", kinds="whole numbers"))
    if isinstance(ids, tuple):
        raise InputError("successors are whole numbers, not text")
    return np.ascontiguousarray(ids)


def _contiguous(array: Array) -> Array:
    return array if array.flags.c_contiguous and array.flags.aligned else array.copy()


def _refuse_ones(successors: Array) -> None:
    """Raise ListError for an unsigned number that would be -1, a tail, as a signed one of its size."""
    ones = np.iinfo(successors.dtype).max
    if int(successors.max()) == ones:
        i = int((successors == ones).argmax())
        raise ListError(f"element {i}: successor {ones} is out of range for n = {len(successors)}")


def _on_device(obj: Any, what: str) -> Array:
    from landbridge.device import cuda

    cupy = cuda.cupy()
    array = obj
    if not isinstance(obj, cupy.ndarray):
        array = cupy.from_dlpack(obj) if hasattr(obj, "__dlpack__") else cupy.asarray(obj)
    if array.ndim != 1:
        raise InputError(f"{what} must be one-dimensional, not of shape {tuple(array.shape)}")
    return array if array.flags.c_contiguous else array.copy()
