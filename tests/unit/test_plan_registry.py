"""The registry as Python sees it: complete, consistent, and every default it promises exists."""

from __future__ import annotations

import math

import pytest

from landbridge import _core
from landbridge.plan import registry
from landbridge.plan.registry import AXES, DEFAULT_FIND, TRAITS, Parameter, Registry, show


def test_the_axes_hold_the_books_policies() -> None:
    names = {axis: set(registry().axis(axis)) for axis in AXES}
    assert names["sample"] == {"kout", "hb", "bfs", "ldd"}
    assert names["find"] == {"naive", "compress", "split", "halve", "inter", "two_try"}
    assert names["splice"] == {"split_one", "halve_one", "splice"}
    assert names["link"] == {"async", "hooks", "early", "rem_cas", "rem_lock", "jtb", "ecl", "afforest"}
    rounds = {"shiloach_vishkin", "lt", "stergiou", "label_propagation", "fastsv"}
    assert names["finish"] >= {"bfscc"} | rounds
    assert {v.name for v in registry().variants() if "rounds" in v.traits} == rounds


def test_names_and_codes_are_unique_within_an_axis() -> None:
    for axis in AXES:
        rows = list(registry().axis(axis).values())
        assert len({row.code for row in rows}) == len(rows)
        assert all(row.summary and row.reference and row.engines for row in rows)


def test_a_name_is_a_link_or_a_finish_but_not_both() -> None:
    table = registry()
    assert not set(table.axis("link")) & set(table.axis("finish"))
    assert not {"stages", "none"} & {policy.name for policy in table.policies()}


def test_traits_are_known_and_every_standalone_algorithm_runs_on_an_engine() -> None:
    for policy in registry().policies():
        assert set(policy.traits) <= set(TRAITS)
        assert policy.traits or policy.axis != "finish"
        assert set(policy.traits) <= {"unites"} or policy.axis == "finish"
    for variant in registry().variants():
        assert variant.traits & {"csr", "coo"}
        assert variant.valid == (variant.reason == "")
        assert variant.valid or not variant.published
        assert "samples" not in variant.traits or "csr" in variant.traits
        assert "stages" not in variant.traits or "coo" in variant.traits


def test_samplings_unite_and_algorithms_draw_by_their_rows() -> None:
    assert {p.name for p in registry().policies() if "unites" in p.traits} == {"kout", "hb"}
    assert {p.name for p in registry().policies() if "draws" in p.traits} == {"ndhybrid"}


def test_every_combination_is_valid_or_has_a_reason() -> None:
    for cell in registry().combinations():
        assert cell.valid == (cell.reason == ""), cell
        assert cell.valid or not cell.published


def test_the_published_combinations_are_the_books_44() -> None:
    published = [cell for cell in registry().combinations() if cell.published]
    per_link = {link: sum(cell.link == link for cell in published) for link in registry().axis("link")}
    assert per_link == {
        "async": 4, "hooks": 4, "early": 4, "jtb": 2, "ecl": 4, "afforest": 4, "rem_cas": 11, "rem_lock": 11,
    }  # fmt: skip
    assert len(published) == 44


def test_the_words_of_the_rounds_are_those_of_their_types() -> None:
    judged = {(row["name"], tuple(row["words"])) for row in _core.rounds()}
    written = {(v.name, tuple(w for _, w in v.words)) for v in registry().variants() if "rounds" in v.traits}
    assert judged == written


def test_of_liu_and_tarjan_the_books_16_are_sound() -> None:
    lt = [v for v in registry().variants() if v.name == "lt"]
    letters = {"direct": "C", "parent": "P", "extended": "E", "any": "U", "root": "R", "once": "S", "full": "F"}
    letters |= {"alter": "A", "keep": ""}
    sound = {"".join(letters[w] for _, w in v.words): v for v in lt if v.valid}
    assert (len(lt), len(sound)) == (24, 16)
    assert {code for code, v in sound.items() if "csr" in v.traits} == {"PUS", "PRS", "EUS", "PUF", "PRF", "EUF"}
    assert {code for code, v in sound.items() if "root_based" in v.traits} == {
        "CRSA", "PRSA", "PRS", "CRFA", "PRFA", "PRF",
    }  # fmt: skip
    assert all(v.published for v in sound.values())


def test_full_compression_never_meets_splicing() -> None:
    for link in ("rem_cas", "rem_lock"):
        cell = registry().combination(link, "compress", "splice")
        assert not cell.valid
        assert cell.reason


def test_the_default_of_every_link_is_a_published_combination() -> None:
    table = registry()
    assert set(DEFAULT_FIND) <= set(table.axis("link"))
    for link in table.axis("link"):
        assert table.combination(link, table.default_find(link), table.default_splice(link)).published


def test_only_the_links_of_rem_take_a_splice() -> None:
    assert [link for link in registry().axis("link") if registry().takes_splice(link)] == [
        "rem_cas",
        "rem_lock",
    ]


@pytest.mark.parametrize(
    ("link", "splice", "words"), [("async", "split_one", "no splice"), ("rem_cas", "", "a splice")]
)
def test_a_cell_that_does_not_exist_says_why(link: str, splice: str, words: str) -> None:
    cell = registry().combination(link, "naive", splice)
    assert not cell.valid
    assert cell.reason


def test_a_cell_left_out_of_the_table_is_forbidden_with_a_reason() -> None:
    empty = Registry([], [])
    assert empty.combination("async", "naive", "split_one").reason == "async takes no splice rule"


@pytest.mark.parametrize(
    ("parameter", "value", "problem"),
    [
        (Parameter("k", "int", 2, minimum=1), 0, "k is at least 1, not 0"),
        (Parameter("k", "int", 2, maximum=9), 10, "k is at most 9, not 10"),
        (Parameter("k", "int", 2), 2.0, "k is a whole number, not 2.0"),
        (Parameter("k", "int", 2), True, "k is a number, not True"),
        (Parameter("k", "int", 2), "two", "k is a number, not 'two'"),
        (Parameter("q", "float", 0.5, above=0.0), 0.0, "q is greater than 0, not 0"),
        (Parameter("q", "float", 0.5), math.nan, "q is a finite number, not nan"),
        (Parameter("c", "word", "a", choices=("a", "b")), "d", "c is one of a, b, not 'd'"),
    ],
)
def test_a_value_out_of_bounds_is_refused_in_words(parameter: Parameter, value: object, problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        parameter.convert(value)
    assert str(caught.value) == problem


def test_numbers_are_shown_with_the_fewest_digits_that_read_back() -> None:
    assert [show(x) for x in (1.0, 0.2, 1e-7, 3, "pure")] == ["1", "0.2", "1e-07", "3", "pure"]
