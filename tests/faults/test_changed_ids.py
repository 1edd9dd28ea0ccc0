"""Ids that another thread changes while they are numbered: any answer or an error, never a crash or a hang."""

import pytest

from tests.faults.changing import DISTURB, run

PROGRAM = (
    DISTURB
    + """
kind, dtype, seconds = sys.argv[1], np.dtype(sys.argv[2]), float(sys.argv[3])
m = 400_000
rng = np.random.default_rng(len(kind))
top = np.iinfo(dtype).max
low = np.iinfo(dtype).min
far = np.concatenate([np.array([low, low + 1, top, top - 1, 0, 1], dtype), rng.integers(low, top, 200_000, dtype)])
done, end = 0, time.monotonic() + seconds
while time.monotonic() < end:
    if kind == "near":
        u, v = (rng.integers(0, m, (2, m)) + top // 2).astype(dtype)
    else:
        u, v = rng.integers(low // 2, top // 2, (2, m)).astype(dtype)
    table = {"u": u, "v": v}
    calls = [
        lambda: lb.components((u, v), ids="sparse", threads=2, timeout=5),
        lambda: lb.spanning_forest((u, v), ids="sparse", threads=2, timeout=5),
        lambda: lb.Incremental(ids="sparse", threads=2).insert(u, v),
        lambda: lb.components(chunks=[(u, v), (v, u)], ids="sparse", threads=2, timeout=5),
    ]
    with disturbed([u, v], far, 3):
        for call in calls:
            try:
                call()
            except (LandbridgeError, IndexError) as error:
                assert str(error)
            done += 1
print(done)
"""
)


@pytest.mark.parametrize("kind", ["near", "far"])
def test_changed_ids_crash_nothing(kind: str) -> None:
    run(PROGRAM, kind, "int64", 0.3, limit=60)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["near", "far"])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_changed_ids_crash_nothing_of_any_type(kind: str, dtype: str) -> None:
    run(PROGRAM, kind, dtype, 2, limit=120)


IN_PLACE = (
    DISTURB
    + """
n, seconds = int(sys.argv[1]), float(sys.argv[2])
m = 400_000
rng = np.random.default_rng(n)
u, v = rng.integers(0, n, (2, m)).astype(np.int32)
# As cells the negative ones are the farthest. Positive ones may be taken for edges: then they make vertices, and 2^31
# of those took half a minute.
far = np.array([-1, -(2**31), -(2**31) + 1, n, n + 1, 2 * n, n + 10**6], np.int32)
calls = [
    lambda threads: lb.Incremental(n, threads=threads).insert(u, v),
    lambda threads: lb.Incremental(n, plan="async(halve)", threads=threads).insert(u, v),
    lambda threads: lb.Incremental(n, threads=threads, forest=True).insert(u, v),
    lambda threads: lb.Incremental(n, threads=threads).apply(u, v, np.arange(m) % 3 == 0),
    lambda threads: lb.components(chunks=[(u, v), (v, u)], threads=threads, num_vertices=n, timeout=5),
]
taken, end = 0, time.monotonic() + seconds
with disturbed([u, v], far, 3, restore=True):
    while time.monotonic() < end:
        for call in calls:
            for threads in (1, 2):
                try:
                    call(threads)
                    taken += 1
                except (LandbridgeError, MemoryError) as error:
                    assert str(error)
print(taken)
"""
)


@pytest.mark.parametrize("n", [100_000, 1_200_000])
def test_ids_that_a_stream_reads_in_place_crash_nothing(n: int) -> None:
    """An id is a far one for a moment: mostly behind the comparison that the batch has passed."""
    run(IN_PLACE, n, 1, limit=60)


NAMES = (
    DISTURB
    + """
from landbridge import _core

offsets_type, seconds = np.dtype(sys.argv[1]), float(sys.argv[2])
m = 300_000
values = np.array([-1, np.iinfo(offsets_type).max], offsets_type)
text = np.random.default_rng(1).integers(97, 101, 6 * m).astype(np.uint8)
right = np.arange(0, 6 * m + 1, 6).astype(offsets_type)
done, end = 0, time.monotonic() + seconds
while time.monotonic() < end:
    offsets = right.copy()
    names = _core.Names(2)
    names.number(right, text, right, text)
    calls = [
        lambda: names.find(offsets, text),
        lambda: names.number(offsets, text, offsets, text),
        lambda: _core.Names(2).number_each(offsets, text),
    ]
    with disturbed([offsets], values, 3, restore=True):
        for call in calls:
            try:
                call()
            except _core.CoreInputError as error:
                assert "do not lie within" in str(error)
            done += 1
print(done)
"""
)


@pytest.mark.long
@pytest.mark.parametrize("offsets", ["int32", "int64"])
def test_changed_offsets_of_names_crash_nothing(offsets: str) -> None:
    run(NAMES, offsets, 3, limit=120)
