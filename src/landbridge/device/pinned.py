"""Pinned host memory in turns: the device copies one buffer while the processors work on another."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import numpy as np

from landbridge.device import cuda


class PinnedWords:
    """64-bit words in pinned memory: kernels write them where the host reads them, without a copy.

    As a field of a by-value struct it stands for the address of the words.
    """

    def __init__(self, count: int) -> None:
        self.data = cuda.cupy().cuda.alloc_pinned_memory(8 * count)
        self.words = np.frombuffer(self.data, np.uint64, count)
        self._address = self.words.ctypes.data

    def read(self, words: Any) -> Any:
        """Copy as many words from an array on the device, behind what is queued on CuPy's current CUDA stream, and wait
        for them: the array of these words, until the next call. Two thirds of the time of an array's own `get`."""
        stream = cuda.cupy().cuda.get_current_stream()
        try:
            words.data.copy_to_host_async(self._address, self.words.nbytes, stream)
        finally:  # an interrupt leaves no copy under way
            stream.synchronize()
        return self.words


class PinnedAnswer(PinnedWords):
    """Words that a kernel writes while it runs: the host waits for the last of them, not for the end of the kernel.

    last: the position of the word that the kernel writes last, and not as 0. Not for use by two threads at once.
    """

    def __init__(self, count: int, last: int) -> None:
        super().__init__(count)
        self._view, self._last = memoryview(self.words.data), last
        self._unanswered: Any = None  # the CUDA stream of a kernel whose answer has not been read

    def expect(self) -> None:
        """The next kernel on CuPy's current CUDA stream answers."""
        if self._unanswered is not None:  # an interrupt came first: that answer is none of the next kernel
            self._unanswered.synchronize()
        self._unanswered = cuda.cupy().cuda.get_current_stream()
        self._view[self._last] = 0

    def wait(self) -> Any:
        """The words, once the kernel has answered."""
        words, last = self._view, self._last
        for _ in range(_PATIENCE):
            if words[last]:
                break
        else:
            self._unanswered.synchronize()
        self._unanswered = None
        return words


_PATIENCE = 20_000
"""Looks at an answer after which the host waits for the CUDA stream instead."""


class PinnedBuffer:
    """One buffer of a ring. size: its bytes. copied: the event after which the host may write it again (or read it,
    where it was copied to). used: the event after which its mirror on the device may be written again."""

    __slots__ = ("_device", "_pinned", "copied", "size", "used")

    def __init__(self) -> None:
        self.size = 0
        self.copied: Any = None
        self.used: Any = None
        self._pinned: Any = None
        self._device: Any = None

    def host(self, count: int, dtype: Any, offset: int = 0) -> Any:
        """`count` elements from byte `offset` on, as a NumPy array."""
        return np.frombuffer(self._pinned, dtype, count, offset)

    def device(self, count: int, dtype: Any, offset: int = 0) -> Any:
        """The same place in the mirror, as an array on the device."""
        dtype = np.dtype(dtype)
        return self._device[offset : offset + count * dtype.itemsize].view(dtype)

    def wait(self) -> None:
        """Until the host may touch the buffer: a copy from it or to it has been made."""
        if self.copied is not None:
            self.copied.synchronize()
            self.copied = None

    def wait_all(self) -> None:
        """Until nothing on the device touches the buffer or its mirror."""
        self.wait()
        if self.used is not None:
            self.used.synchronize()
            self.used = None


class PinnedRing:
    """Pinned buffers in turns. own_stream: copies run on a CUDA stream of their own, while kernels work on what was
    copied before. mirrored: each buffer has as much memory on the device beside it, too.

    One thread at a time may call. As a context manager it waits in the end until nothing touches the buffers.
    """

    def __init__(self, buffers: int, *, own_stream: bool = False, mirrored: bool = False) -> None:
        self._cupy = cuda.cupy()
        self._mirrored = mirrored
        streams = self._cupy.cuda
        self.stream = streams.Stream(non_blocking=True) if own_stream or mirrored else streams.get_current_stream()
        self._buffers = [PinnedBuffer() for _ in range(buffers)]
        self._next = 0

    def __enter__(self) -> PinnedRing:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def take(self, size: int) -> PinnedBuffer:
        """The next buffer, of at least so many bytes. Waits until the host may write it."""
        buffer = self._buffers[self._next]
        self._next = (self._next + 1) % len(self._buffers)
        buffer.wait()
        if size > buffer.size:
            self._grow(buffer, size)
        return buffer

    def _grow(self, buffer: PinnedBuffer, size: int) -> None:
        buffer.wait_all()
        # Whole powers of two: CuPy keeps pinned memory for the next time, and making it costs as much as a large copy.
        buffer.size = 1 << (size - 1).bit_length()
        buffer._pinned = self._cupy.cuda.alloc_pinned_memory(buffer.size)
        if self._mirrored:
            buffer._device = self._cupy.empty(buffer.size, dtype=np.uint8)
            # What had this memory before may still be at work on it, on the CUDA stream that asked for it now.
            buffer.used = self._cupy.cuda.get_current_stream().record()

    def copy_to_device(self, source: Any, target: Any) -> None:
        """Queue a copy of pinned host memory to an array on the device."""
        target.data.copy_from_host_async(source.ctypes.data, source.nbytes, self.stream)

    def copy_to_host(self, source: Any, target: Any) -> None:
        """Queue a copy of an array on the device to pinned host memory."""
        source.data.copy_to_host_async(target.ctypes.data, target.nbytes, self.stream)

    def copies_queued(self, buffer: PinnedBuffer) -> None:
        """All copies of this turn are queued: the buffer is taken again after them."""
        buffer.copied = self.stream.record()

    def upload(self, buffer: PinnedBuffer, *parts: tuple[int, Any, int]) -> list[Any]:
        """Copy parts (count, dtype, offset) of a mirrored buffer to its mirror; the arrays there.

        What is queued on the current CUDA stream from now on finds them filled. Call `release` after it.
        """
        here = self._cupy.cuda.get_current_stream()
        if buffer.used is not None:
            self.stream.wait_event(buffer.used)
        arrays = [buffer.device(*part) for part in parts]
        for part, array in zip(parts, arrays, strict=True):
            self.copy_to_device(buffer.host(*part), array)
        self.copies_queued(buffer)
        here.wait_event(buffer.copied)
        return arrays

    def release(self, buffer: PinnedBuffer, event: Any = None) -> None:
        """The mirror may be written again after what the current CUDA stream has queued by now, or after `event`."""
        buffer.used = self._cupy.cuda.get_current_stream().record() if event is None else event

    def close(self) -> None:
        """Wait until nothing touches the buffers, and give their memory back."""
        for buffer in self._buffers:
            buffer.wait_all()
        self._buffers = [PinnedBuffer() for _ in self._buffers]
