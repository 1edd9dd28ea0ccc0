"""Successors that another thread changes during a call: any ranks or an error, never a crash or a hang."""

import pytest

from tests.faults.changing import DISTURB, run

PROGRAM = (
    DISTURB
    + """
plan, dtype, lists, seconds = sys.argv[1], np.dtype(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
n = 200_000
rng = np.random.default_rng(len(plan))

def successors():
    order, s = rng.permutation(n), np.empty(n, dtype)
    s[order[:-1]] = order[1:]
    s[order[-1]] = -1
    s[order[:: n // lists]] = -1
    return s

far = [2**62, -2**62, 2**32 + 7] if dtype.itemsize == 8 else [2**31 - 1, -2**31]
values = np.array([-1, -2, 0, 1, 77, n - 1, n, n + 1, *far], dtype)
weights = rng.integers(-5, 5, n)
done, end = 0, time.monotonic() + seconds
while time.monotonic() < end:
    s = successors()
    right = lb.rank_list(s)
    calls = [
        lambda: lb.rank_list(s, plan=plan, threads=2, timeout=2),
        lambda: lb.rank_list(s, plan=plan, threads=2, origin="head", full=True, timeout=2),
        lambda: lb.scan_list(s, weights, plan=plan, threads=2, full=True, timeout=2),
        lambda: lb.scan_list(s, weights, plan=plan, threads=2, origin="tail", exclusive=True, timeout=2),
        lambda: lb.check_ranks(s, right, timeout=2),
    ]
    with disturbed([s], values, 3):
        for call in calls:
            try:
                call()
            except LandbridgeError as error:
                assert str(error), call
            done += 1
print(done)
"""
)
PLANS = ["serial", "chains", "wyllie", "random_splitter", "helman_jaja", "wei_jaja", "rehman", "fis"]


@pytest.mark.parametrize("plan", ["chains", "fis"])
def test_changed_successors_crash_nothing(plan: str) -> None:
    run(PROGRAM, plan, "int64", 1, 0.3, limit=60)


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("lists", [1, 500])
def test_changed_successors_crash_nothing_under_any_plan(plan: str, dtype: str, lists: int) -> None:
    run(PROGRAM, plan, dtype, lists, 1, limit=90)
