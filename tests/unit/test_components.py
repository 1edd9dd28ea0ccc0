"""landbridge.components: its contract, its arguments, and that the plan asked for is the plan that ran."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge import DeviceError, Graph, InputError, InvalidCombination, InvalidPlan
from landbridge.plan import parse

PAIR = (np.array([3, 2, 5, 4]), np.array([0, 4, 4, 4]))


def specimen(name: str) -> Specimen:
    return next(s for s in zoo() if s.name == name)


def test_it_unpacks_like_scipy() -> None:
    count, labels = landbridge.components(PAIR)
    assert count == 3
    assert labels.tolist() == [0, 1, 2, 0, 2, 2]
    assert labels.dtype == np.int32


def test_labels_are_the_callers_own() -> None:
    one, other = landbridge.components(PAIR), landbridge.components(PAIR)
    one.labels[:] = 7
    assert other.labels.tolist() == [0, 1, 2, 0, 2, 2]
    assert one.labels.flags.c_contiguous
    assert one.labels.flags.writeable


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 64])
def test_the_default_plan_on_the_zoo(threads: int) -> None:
    for each in zoo():
        for layout in ("csr", "coo"):
            for promise in (True, False):
                result = landbridge.components(each.graph(layout, promise=promise), threads=threads)
                assert np.array_equal(result.labels, each.answer), f"{each} {layout} {promise}"
                assert result.count == each.count
                assert result.profile.threads == threads


def test_runs_are_identical_again_and_again() -> None:
    for name in ("random_big", "crowded_big", "path_big_shuffled", "big_giant_leaves", "long_hubs"):
        graph = specimen(name).graph("csr")
        first = landbridge.components(graph, threads=3).labels
        for _ in range(20):
            assert np.array_equal(landbridge.components(graph, threads=3).labels, first)


def test_the_ranked_forest_is_counted_anew() -> None:
    # More than one chunk of vertices, all united by sampling, and roots by rank that are not minima: the counts taken
    # before the renaming belong to other chunks than those after it.
    each = specimen("isolated_big")
    result = landbridge.components(each.graph("csr"), plan="kout(2)+jtb(two_try)", threads=1)
    assert np.array_equal(result.labels, each.answer)


# The plan ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ran"),
    [
        ("kout+rem_cas", "kout(2)+rem_cas(naive,split_one)"),
        ("afforest", "kout(2)+afforest(compress)"),
        (" bfscc @ cpu ( threads = 2 ) ", "bfscc@cpu(threads=2)"),
        ("rc.s1.n:staged0.5", "stages(rem_cas(naive,split_one),q=0.5)@cpu(layout=coo)"),
        (parse("ldd+async"), "ldd(0.2)+async(naive)"),
    ],
)
def test_the_result_names_the_plan_in_canonical_text(text: Any, ran: str) -> None:
    assert landbridge.components(PAIR, plan=text).plan == ran


def test_auto_is_a_plan_like_any_other() -> None:
    for layout in ("csr", "coo"):
        graph = specimen("grid").graph(layout)
        result = landbridge.components(graph)
        assert str(parse(result.plan)) == result.plan
        assert result.plan == landbridge.explain(graph).plan
        assert np.array_equal(landbridge.components(graph, plan=result.plan).labels, result.labels)


def phases(each: Specimen, layout: str, plan: str, **options: Any) -> dict[str, float]:
    profile = landbridge.components(each.graph(layout, **options), plan=plan).profile
    assert all(seconds >= 0 for seconds in profile.seconds.values())
    assert sum(profile.seconds.values()) <= profile.total * 1.5 + 1e-3
    return dict(profile.seconds)


@pytest.mark.parametrize(
    "plan", [p for p in landbridge.plans(engine="cpu", layout="csr") if "async(halve)" in p or "bfscc" in p]
)
def test_a_sampled_plan_samples_and_another_does_not(plan: str) -> None:
    parsed = parse(plan)
    grid = specimen("grid")
    names = phases(grid, "csr", plan)
    assert ("sample" in names) == (parsed.sample is not None)
    assert "finish" in names
    assert "csr" not in names


def test_a_csr_is_built_where_a_plan_needs_one_and_only_there() -> None:
    each = specimen("bridge_upper")
    for plan in ("kout(2)+async(halve)", "bfs+async(halve)", "bfscc", "async(halve)@cpu(layout=csr)"):
        assert "csr" in phases(each, "coo", plan), plan
    for plan in ("async(halve)", "stages(async(halve),q=0.5)", "async(halve)@cpu(layout=coo)"):
        assert "csr" not in phases(each, "coo", plan), plan
    # A directed CSR: a search must see both endpoints of each arc, a union need not.
    assert "csr" in phases(each, "csr", "bfscc")
    assert "csr" not in phases(each, "csr", "kout(2)+async(halve)")
    assert "csr" not in phases(specimen("bridge"), "csr", "bfscc")
    assert "csr" in phases(specimen("bridge"), "csr", "bfscc", promise=False)


@pytest.mark.parametrize("sample", ["kout(2)", "kout(2,pure)", "kout(2,hybrid)", "kout(2,max_degree)", "hb(4)", "bfs"])
def test_after_sampling_the_giant_is_skipped(sample: str) -> None:
    connected = specimen("random_dense")
    profile = landbridge.components(connected.graph("csr"), plan=f"{sample}+async(halve)").profile
    assert profile.skipped > 0.5
    assert profile.skipped <= 1
    assert landbridge.components(connected.graph("csr"), plan="async(halve)").profile.skipped == 0


def test_nothing_but_a_giant_can_be_skipped() -> None:
    scattered = specimen("many_triangles")
    assert landbridge.components(scattered.graph("csr"), plan="kout(2)+async(halve)").profile.skipped < 0.1


@pytest.mark.parametrize(
    ("plan", "rounds"),
    [
        *((plan, 2) for plan in ("shiloach_vishkin", "label_propagation", "sv0_5", "cong_muzio_cc", "crono_sv")),
        *((plan, 1) for plan in ("soman", "gunrock_cc", "groute_cc", "rem_verify")),
        *((plan, None) for plan in ("async(halve)", "kout(2)+async(halve)", "bfscc", "ecl_cc")),
    ],
)
def test_rounds_are_counted_to_the_last_that_finds_nothing(plan: str, rounds: int | None) -> None:
    assert landbridge.components(([0], [1]), plan=plan, threads=1).profile.rounds == rounds


def test_rounds_of_all_stages_are_counted_together() -> None:
    edges = np.arange(4), np.arange(1, 5)
    for finish in ("cong_muzio_cc", "shiloach_vishkin"):
        # One edge a stage, which takes two rounds.
        assert landbridge.components(edges, plan=f"stages({finish},q=0.2)", threads=1).profile.rounds == 8


def test_a_forest_in_rounds_tells_them() -> None:
    assert landbridge.spanning_forest(([0], [1]), plan="shiloach_vishkin", threads=1).profile.rounds == 2
    assert landbridge.spanning_forest(([0], [1]), plan="async(halve)").profile.rounds is None


def test_the_profile_of_nothing() -> None:
    profile = landbridge.components(([], [])).profile
    assert profile.skipped == 0
    assert profile.total >= 0


def test_threads_come_from_the_plan_or_the_call() -> None:
    assert landbridge.components(PAIR, plan="async@cpu(threads=3)").profile.threads == 3
    assert landbridge.components(PAIR, plan="async", threads=2).profile.threads == 2
    assert landbridge.components(PAIR).profile.threads >= 1


def test_the_width_of_ids_can_be_asked_for() -> None:
    assert landbridge.components(PAIR, plan="async@cpu(ids=wide)").labels.dtype == np.int64
    assert landbridge.components(PAIR, plan="async@cpu(ids=narrow)").labels.dtype == np.int32


@pytest.mark.parametrize(
    ("plan", "kind", "message"),
    [
        ("kout(2)+nope", InvalidPlan, "plan 'kout(2)+nope', character 9: unknown finish 'nope'; "),
        ("", InvalidPlan, "plan '', character 1: expected a plan, found the end"),
        ("kout(0)+async", InvalidPlan, "plan 'kout(0)+async', character 6: k is at least 1, not 0"),
        ("rem_cas(compress,splice)", InvalidCombination, "rem_cas(compress,splice): "),
        (
            "bfs+bfscc",
            InvalidCombination,
            "bfs+bfscc: bfscc is a standalone algorithm that initialises the parents itself, ",
        ),
        ("kout+async@cpu(layout=coo)", InvalidCombination, "kout(2)+async(naive)@cpu(layout=coo): sampling needs"),
        (
            "stages(async)@cpu(layout=csr)",
            InvalidCombination,
            "stages(async(naive),q=0.5)@cpu(layout=csr): stages",
        ),
        ("async@tpu", InvalidPlan, "plan 'async@tpu', character 7: unknown engine 'tpu'; "),
        ("async@cpu(ids=64)", InvalidPlan, "plan 'async@cpu(ids=64)', character "),
        (5, InvalidPlan, "a plan is a text such as 'kout(2)+async(halve)', not int"),
        (None, InvalidPlan, "a plan is a text such as 'kout(2)+async(halve)', not NoneType"),
    ],
)
def test_a_plan_that_is_none(plan: Any, kind: type[InvalidPlan], message: str) -> None:
    with refused(kind, message, exactly=False):
        landbridge.components(PAIR, plan=plan)


@pytest.mark.parametrize("device", ["tpu", "cuda:0", "", "CPU"])
def test_a_device_that_is_not_there(device: str) -> None:
    for call in (landbridge.components, landbridge.explain):
        with refused(DeviceError, f"no device {device!r} here; there is: cpu", exactly=False):
            call(PAIR, device=device)


def test_a_device_against_the_plan() -> None:
    assert landbridge.components(PAIR, plan="async@cpu", device="cpu").device == "cpu"
    with refused(DeviceError, "device='gpu', but the plan asks for @cpu"):
        landbridge.components(PAIR, plan="async@cpu", device="gpu")


def test_bad_edges_are_refused_before_anything_runs() -> None:
    with refused(InputError, "edge 1: vertex 9 is out of range for n = 9"):
        landbridge.components(([0, 9, 1], [1, 2, 3]), num_vertices=9)


# Symmetry ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("plan", landbridge.plans(engine="cpu", layout="csr")[::23])
def test_an_arc_that_only_the_giant_names_is_not_lost(plan: str) -> None:
    for each in zoo():
        if each.name.startswith(("arc_", "leaves_", "chain_", "noise_")):
            for threads in (1, 3):
                result = landbridge.components(each.graph("csr"), plan=plan, threads=threads)
                assert np.array_equal(result.labels, each.answer), f"{plan} on {each}"


# Sizes -------------------------------------------------------------------------------------------------------------


def free_bytes() -> int:
    with open("/proc/meminfo", encoding="ascii") as table:  # noqa: PTH123
        lines = dict(line.split(":") for line in table)
    return int(lines["MemAvailable"].split()[0]) * 1024


@pytest.mark.slow
def test_two_to_the_31_vertices_take_64_bits() -> None:
    n = 2**31
    needed = 8 * n + 2**30  # the labels, and nothing else that grows with n
    if free_bytes() < needed * 1.1:
        pytest.skip(f"needs {needed >> 30} GiB of free memory for 2^31 vertices, there are {free_bytes() >> 30}")
    u = np.array([0, n - 1, 5], dtype=np.int64)
    v = np.array([n - 1, n - 2, 5], dtype=np.int64)
    result = landbridge.components(Graph((u, v), num_vertices=n))
    assert result.labels.dtype == np.int64
    assert result.count == n - 2
    assert result.labels[[0, 1, n - 3, n - 2, n - 1]].tolist() == [0, 1, n - 3, 0, 0]


def test_just_below_2_to_the_31_ids_are_narrow() -> None:
    graph = Graph((np.array([0]), np.array([2**31 - 2])))
    assert graph.num_vertices == 2**31 - 1
    assert not graph.wide
    assert Graph((np.array([0]), np.array([2**31 - 1]))).wide
    with refused(InputError, f"ids=narrow holds fewer than 2^31 vertices, and the graph has {2**31}"):
        landbridge.components(Graph((np.array([0]), np.array([2**31 - 1]))), plan="async@cpu(ids=narrow)")


def test_more_vertices_than_memory_is_a_memory_error() -> None:
    with pytest.raises(MemoryError):
        landbridge.components((np.array([0]), np.array([2**50])))
    assert landbridge.components(PAIR).count == 3


def test_ids_far_apart_in_arrays_are_hinted_at() -> None:
    hint = "the largest id is 1000000000000 with 2 edges: ids='sparse' numbers the ids that occur"
    for function in (landbridge.components, landbridge.spanning_forest):
        with pytest.raises(MemoryError, match=hint):
            function(([1, 10**12], [10**12, 3]))


@pytest.mark.parametrize("isolated", [0, 3, 500_000])
def test_a_declared_number_of_vertices_is_kept_in_one_pass_and_in_two(isolated: int) -> None:
    rng = np.random.default_rng(1)
    n = 200_000
    u, v = rng.integers(0, n, (2, 150_000))
    u[0] = n - 1
    expected = landbridge.components(landbridge.Graph((u, v), num_vertices=n + isolated))
    result = landbridge.components((u, v), num_vertices=n + isolated)
    assert result.count == expected.count
    assert np.array_equal(result.labels, expected.labels)
    assert result.labels.dtype == expected.labels.dtype
    with pytest.raises(landbridge.InputError, match=f"edge 0: vertex {n - 1} is out of range for n = {n - 1}"):
        landbridge.components((u, v), num_vertices=n - 1)
