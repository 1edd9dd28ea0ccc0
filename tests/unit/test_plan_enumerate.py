"""The enumeration is exactly the book's: counts, uniqueness, and each text its own plan."""

from __future__ import annotations

from collections import Counter

import pytest

from landbridge.errors import InputError, InvalidPlan
from landbridge.plan import parse, registry
from landbridge.problems import enumerate_plans

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


# Finishes of the published list, in the short codes of its tables: on CSR, and those on COO alone.
FINDS = ("n", "c", "h", "s")
SPLICED = tuple(f"{s}.{f}" for s in ("s1", "h1", "sa") for f in FINDS if (s, f) != ("sa", "c"))
REMS = tuple(f"{rem}.{rules}" for rem in ("rc", "rl") for rules in SPLICED)
UNIONS = (*(f"{link}.{f}" for link in ("as", "hk", "ea", "ec", "af") for f in FINDS), "jt.n", "jt.2", *REMS)
ROUNDS = ("lt-PUS", "lt-PRS", "lt-EUS", "lt-PUF", "lt-PRF", "lt-EUF", "sv", "st", "lp")
ALTERING = tuple(f"lt-{x}A" for x in ("CUS", "CRS", "PUS", "PRS", "EUS", "CUF", "CRF", "PUF", "PRF", "EUF"))
ON_ROWS, ON_PAIRS = 53, 63
PUBLISHED_SAMPLINGS = ("none", "kout2", "hb4", "bfs")


def test_the_published_list_counts_as_the_book_does() -> None:
    assert (len(UNIONS), len(ROUNDS), len(ALTERING)) == (44, 9, 10)
    assert (len(UNIONS) + len(ROUNDS), len(UNIONS) + len(ROUNDS) + len(ALTERING)) == (ON_ROWS, ON_PAIRS)
    assert 4 * ON_ROWS + 2 * ON_PAIRS + 1 == 339


@pytest.mark.parametrize("engine", ["cpu", "gpu"])
def test_the_published_339_are_among_the_plans_of_an_engine(engine: str) -> None:
    on_rows = [f"{sample}+{finish}:csr" for sample in PUBLISHED_SAMPLINGS for finish in (*UNIONS, *ROUNDS)]
    on_pairs = [f"{finish}:{form}" for form in ("coo", "staged0.5") for finish in (*UNIONS, *ROUNDS, *ALTERING)]
    published = {str(parse(f"{text}@{engine}")) for text in (*on_rows, *on_pairs, "bfscc:csr")}
    assert len(published) == 339
    listed = set(enumerate_plans(engine=engine))
    assert published < listed
    # What is listed beyond them are more samplings of the same finishes.
    others = {sampling(text) for text in listed - published}
    assert others == {"kout(2,pure)", "kout(2,hybrid)", "kout(2,max_degree)", "ldd(0.2)"}
    assert len(listed) == 339 + 4 * ON_ROWS


# Those of them that make a spanning forest, by the book: none of Rem's that splice, rounds with a root update alone.
FOREST_UNIONS = tuple(f for f in UNIONS if ".sa." not in f)
FOREST_ROUNDS, FOREST_ALTERING = ("lt-PRS", "lt-PRF", "sv"), ("lt-CRSA", "lt-CRFA", "lt-PRSA", "lt-PRFA")


@pytest.mark.parametrize("engine", ["cpu", "gpu"])
def test_the_255_forests_of_the_book_are_among_the_plans_of_an_engine(engine: str) -> None:
    assert (len(FOREST_UNIONS), len(FOREST_ROUNDS), len(FOREST_ALTERING)) == (38, 3, 4)
    on_rows = [f"{s}+{f}:csr" for s in PUBLISHED_SAMPLINGS for f in (*FOREST_UNIONS, *FOREST_ROUNDS)]
    finishes = (*FOREST_UNIONS, *FOREST_ROUNDS, *FOREST_ALTERING)
    on_pairs = [f"{f}:{form}" for form in ("coo", "staged0.5") for f in finishes]
    published = {str(parse(f"{text}@{engine}")) for text in (*on_rows, *on_pairs, "bfscc:csr")}
    assert len(published) == 4 * 41 + 2 * 45 + 1 == 255
    listed = set(enumerate_plans("forest", engine))
    assert published < listed
    # What is listed beyond them are more samplings of the same finishes.
    others = {sampling(text) for text in listed - published}
    assert others == {"kout(2,pure)", "kout(2,hybrid)", "kout(2,max_degree)", "ldd(0.2)"}
    assert len(listed) == 255 + 4 * 41
    # Nothing else of the components is sound, whatever it is called.
    components = set(enumerate_plans("components", engine))
    assert {text for text in components if not parse(text).no_forest} == listed


@pytest.mark.parametrize("engine", ["cpu", "gpu"])
def test_the_51_streams_of_the_book_are_those_of_an_engine(engine: str) -> None:
    book = {str(parse(f"{text}@{engine}")) for text in (*UNIONS, *FOREST_ROUNDS, *FOREST_ALTERING)}
    listed = enumerate_plans("incremental", engine)
    assert set(listed) == book
    finishes = [parse(text).finish for text in listed]
    assert (len(finishes), sum(f.mixed for f in finishes), sum(f.standalone for f in finishes)) == (51, 38, 7)


@pytest.mark.parametrize("engine", ["cpu", "gpu"])
def test_on_csr_every_sampling_meets_every_finish_and_bfscc_stands_alone(engine: str) -> None:
    texts = enumerate_plans(engine=engine, layout="csr")
    assert all(text.endswith(f"@{engine}(layout=csr)") for text in texts)
    assert [text for text in texts if text.startswith("bfscc")] == [f"bfscc@{engine}(layout=csr)"]
    counts = Counter(sampling(text) for text in texts if not text.startswith("bfscc"))
    assert counts == dict.fromkeys(SAMPLINGS, ON_ROWS)


@pytest.mark.parametrize("engine", ["cpu", "gpu"])
def test_on_coo_finishes_come_plain_and_staged(engine: str) -> None:
    texts = enumerate_plans(engine=engine, layout="coo")
    assert all(text.endswith(f"@{engine}(layout=coo)") for text in texts)
    staged = [text for text in texts if text.startswith("stages(")]
    assert all(",q=0.5)@" in text for text in staged)
    assert (len(texts) - len(staged), len(staged)) == (ON_PAIRS, ON_PAIRS)
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
        assert len(both) == 8 * ON_ROWS + 2 * ON_PAIRS + 1
    assert enumerate_plans() == enumerate_plans(engine="cpu") + enumerate_plans(engine="gpu")


def test_extended_adds_the_find_outside_the_published_list() -> None:
    added = set(enumerate_plans(extended=True)) - set(enumerate_plans())
    assert added
    rules = {name for axis in ("find", "finish") for name, row in registry().axis(axis).items() if not row.published}
    assert all("frontier" in text or any(name in text for name in rules) for text in added)
    assert set(enumerate_plans()) < set(enumerate_plans(extended=True))
    assert {parse(text).finish.link for text in added} >= {"async", "hooks", "early", "ecl", "afforest"}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match="unknown problem 'colouring'"):
        enumerate_plans("colouring")
    with pytest.raises(InvalidPlan, match="unknown engine 'abacus'"):
        enumerate_plans(engine="abacus")
    with pytest.raises(InputError, match="unknown layout 'cso'"):
        enumerate_plans(layout="cso")


def test_a_stream_refuses_rows_for_their_own_reason() -> None:
    assert "has no rows" in parse("rem_cas(naive,halve_one)@cpu(layout=csr)").no_stream
    assert "samplings and searches" in parse("kout(2)+async").no_stream
    assert "samplings and searches" in parse("bfscc").no_stream
