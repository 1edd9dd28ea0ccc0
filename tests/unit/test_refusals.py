"""Reasons of refusals are true of what is refused, name it once, and agree with what its traits say."""

from __future__ import annotations

from itertools import product

import pytest

import landbridge
from landbridge import InputError, InvalidCombination
from landbridge.plan import Finish, parse, registry
from landbridge.plan.registry import Variant

VALID = [v for v in registry().variants() if v.valid]
PATH = ([0, 1], [1, 2])


def named(variant: Variant) -> str:
    return str(Finish(variant.name, values=variant.words))


def reason_of(text: str) -> str:
    """Why a plan is refused, without its own text before; "" if it is not."""
    try:
        parse(text)
    except InvalidCombination as error:
        head, _, reason = str(error).partition(": ")
        assert head.startswith(text.partition("(")[0])
        return reason
    return ""


@pytest.mark.parametrize("variant", VALID, ids=named)
def test_why_no_sampling(variant: Variant) -> None:
    reason = reason_of(f"bfs+{named(variant)}")
    assert bool(reason) == ("samples" not in variant.traits)
    if reason:
        assert reason.count(variant.name) == 1
        assert ("sampling needs CSR" in reason) == ("csr" not in variant.traits)
        assert ("initialises the parents itself" in reason) == ("csr" in variant.traits)


@pytest.mark.parametrize("variant", VALID, ids=named)
def test_why_no_stages(variant: Variant) -> None:
    reason = reason_of(f"stages({named(variant)})")
    assert bool(reason) == ("stages" not in variant.traits)
    if reason:
        assert reason.count(variant.name) == 1
        assert ("needs CSR" in reason) == ("coo" not in variant.traits)
        assert ("an earlier group" in reason) == ("coo" in variant.traits)


@pytest.mark.parametrize("variant", VALID, ids=named)
def test_why_no_forest(variant: Variant) -> None:
    plan = parse(named(variant))
    reason = plan.finish.no_forest
    assert bool(reason) == ("forest" not in variant.traits)
    if reason:
        # Moving vertices out of their trees is what rounds may do; a published system records no edges.
        assert ("record no edge" in reason) == ("rounds" not in variant.traits)
        with pytest.raises(InvalidCombination) as caught:
            landbridge.spanning_forest(PATH, plan=plan)
        assert str(caught.value) == f"{plan}: {reason}"
        assert variant.name not in reason


def test_the_one_that_overwrites_is_the_one_that_takes_no_groups_of_pairs() -> None:
    assert {v.name for v in VALID if "coo" in v.traits and "stages" not in v.traits} == {"rem_verify"}


def test_threads_agree_with_the_plan() -> None:
    for solve, text in product((landbridge.components, landbridge.spanning_forest), ("async", "bfscc")):
        assert solve(PATH, plan=f"{text}@cpu(threads=2)", threads=2).profile.threads == 2
        with pytest.raises(InputError, match=r"^threads=1, but the plan asks for threads=2$"):
            solve(PATH, plan=f"{text}@cpu(threads=2)", threads=1)
    result = landbridge.components(chunks=[PATH], plan="async@cpu(threads=2)")
    assert result.profile.threads == 2
    for call in (
        lambda: landbridge.components(chunks=[PATH], plan="async@cpu(threads=2)", threads=1),
        lambda: landbridge.Incremental(3, plan="async@cpu(threads=2)", threads=1),
        lambda: landbridge.rank_list([1, 2, 2], plan="wyllie@cpu(threads=2)", threads=1),
        lambda: landbridge.scan_list([1, 2, 2], [1, 1, 1], plan="wyllie@cpu(threads=2)", threads=1),
        lambda: landbridge.estimate_memory(PATH, plan="async@cpu(threads=2)", threads=1),
    ):
        with pytest.raises(InputError, match=r"^threads=1, but the plan asks for threads=2$"):
            call()


def test_arrays_of_numbers_are_no_names() -> None:
    with pytest.raises(InputError, match="ids='names' is for text; these ids are whole numbers"):
        landbridge.components(([5], [9]), ids="names")
    with pytest.raises(InputError, match="chunk 0: ids='names' is for text; these ids are whole numbers"):
        landbridge.components(chunks=[([5], [9])], ids="names")
    assert landbridge.components(([5], [9]), ids="auto").count == 9


def test_columns_of_numbers_are_no_names() -> None:
    pandas = pytest.importorskip("pandas")
    numbers, texts = pandas.DataFrame({"a": [5], "b": [9]}), pandas.DataFrame({"a": ["5"], "b": ["9"]})
    for source in ({"graph": numbers}, {"chunks": [numbers]}):
        with pytest.raises(InputError, match="column 'a' holds numbers, and ids='names' is for text"):
            landbridge.components(**source, ids="names")
    for source in ({"graph": texts}, {"chunks": [texts]}):
        assert list(landbridge.components(**source, ids="names").ids) == ["5", "9"]
    with pytest.raises(InputError, match="ids must be one of 'auto', 'dense', 'sparse', 'names', not 'some'"):
        landbridge.components(numbers, ids="some")


@pytest.mark.parametrize("number", [2**70, 2**64, -1, 1.5, None, True])
def test_a_stream_of_no_such_number_of_vertices(number: object) -> None:
    with pytest.raises(InputError, match="num_vertices"):
        landbridge.Incremental(number)  # type: ignore[arg-type]
