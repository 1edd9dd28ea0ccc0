"""The enumeration is exactly the book's: counts, uniqueness, and each text its own plan."""

from __future__ import annotations

from collections import Counter

import pytest

from landbridge.errors import InputError, InvalidPlan
from landbridge.plan import enumerate_plans, parse

SAMPLINGS = (
    "",
    "kout(2)",
    "kout(2,pure)",
    "kout(2,hybrid)",
    "kout(2,max_degree)",
    "hb(4)",
    "bfs",
    "ldd(0.2)",
)


def sampling(text: str) -> str:
    return text.split("+", maxsplit=1)[0] if "+" in text else ""


@pytest.mark.parametrize("engine", ["cpu", "gpu"])
def test_on_csr_every_sampling_meets_44_finishes_and_bfscc_stands_alone(engine: str) -> None:
    texts = enumerate_plans(engine=engine, layout="csr")
    assert all(text.endswith(f"@{engine}(layout=csr)") for text in texts)
    assert [text for text in texts if text.startswith("bfscc")] == [f"bfscc@{engine}(layout=csr)"]
    counts = Counter(sampling(text) for text in texts if not text.startswith("bfscc"))
    assert counts == dict.fromkeys(SAMPLINGS, 44)
    assert len(texts) == 8 * 44 + 1


@pytest.mark.parametrize("engine", ["cpu", "gpu"])
def test_on_coo_44_finishes_come_plain_and_44_staged(engine: str) -> None:
    texts = enumerate_plans(engine=engine, layout="coo")
    assert all(text.endswith(f"@{engine}(layout=coo)") for text in texts)
    staged = [text for text in texts if text.startswith("stages(")]
    assert all(",q=0.5)@" in text for text in staged)
    assert (len(texts), len(staged)) == (88, 44)
    assert {t.replace("stages(", "").replace(",q=0.5)", "") for t in staged} == set(texts) - set(staged)


@pytest.mark.parametrize("extended", [False, True])
def test_every_text_is_unique_and_canonical(extended: bool) -> None:
    texts = enumerate_plans(extended=extended)
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert str(parse(text)) == text


def test_both_layouts_are_listed_by_default() -> None:
    for engine in ("cpu", "gpu"):
        both = enumerate_plans(engine=engine)
        assert both == enumerate_plans(engine=engine, layout="csr") + enumerate_plans(engine=engine, layout="coo")
        assert len(both) == 441
    assert enumerate_plans() == enumerate_plans(engine="cpu") + enumerate_plans(engine="gpu")


def test_extended_adds_the_find_outside_the_published_list() -> None:
    added = set(enumerate_plans(extended=True)) - set(enumerate_plans())
    assert added
    assert all("inter" in text for text in added)
    assert set(enumerate_plans()) < set(enumerate_plans(extended=True))
    assert {parse(text).finish.link for text in added} >= {"async", "hooks", "early", "ecl", "afforest"}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match="unknown problem 'colouring'"):
        enumerate_plans("colouring")
    with pytest.raises(InvalidPlan, match="unknown engine 'abacus'"):
        enumerate_plans(engine="abacus")
    with pytest.raises(InputError, match="unknown layout 'cso'"):
        enumerate_plans(layout="cso")
