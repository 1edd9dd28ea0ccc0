"""Which two columns hold the edges, by their names."""

from __future__ import annotations

import random

import pytest

from landbridge.edges.column_names import choose_columns, is_pair, known_pairs, stem_of
from landbridge.errors import InputError

PAIRS = """
src dst|source target|Source Target|SOURCE DESTINATION|from to|left right|u v|a b|id1 id2|id_1 id_2|node1 node2
|node_1 node_2|unique_id_l unique_id_r|id_l id_r|idA idB|ida idb|id_a id_b|name1 name2|KundeA KundeB|x_1 x_2
|name_x name_y|FromNodeId ToNodeId|from_id to_id|source_id target_id|srcid dstid|src_ip dst_ip|:START_ID :END_ID
|person1_id person2_id|start_node end_node|record_left record_right|parent child|row col|uid1 uid2|lid rid|i j
"""

OTHERS = ["weight", "match_probability", "id", "Unnamed: 0", "timestamp", "city", "label", "note", "year"]


@pytest.mark.parametrize("pair", [tuple(p.split()) for p in PAIRS.split("|")])
def test_a_known_pair_is_taken_wherever_it_stands(pair: tuple[str, str]) -> None:
    draw = random.Random(pair[0])
    for _ in range(20):
        names = [*pair, *draw.sample(OTHERS, draw.randrange(len(OTHERS) + 1))]
        draw.shuffle(names)
        kinds = [draw.choice(["integer", "text", None]) for _ in names]
        assert tuple(names[i] for i in choose_columns(names, kinds, "x")) == pair


def test_the_better_pair_is_taken() -> None:
    splink = ["match_weight", "unique_id_l", "unique_id_r", "first_name_l", "first_name_r", "gamma_first_name"]
    assert choose_columns(splink, [None] * 6, "") == (1, 2)
    assert choose_columns(["city_l", "city_r", "id_l", "id_r"], [None] * 4, "") == (2, 3)
    assert choose_columns(["source_name", "target_name", "source", "target"], ["text"] * 4, "") == (2, 3)


@pytest.mark.parametrize(
    ("names", "kinds", "expected"),
    [
        (["x", "y"], ["float", "bool"], (0, 1)),
        (["customer", "shop", "price"], ["integer", "integer", "float"], (0, 1)),
        (["index", "customer", "shop"], [None] * 3, (1, 2)),
        (["", "customer", "shop"], [None] * 3, (1, 2)),
        (["customer", "weight", "shop", "timestamp"], [None] * 4, (0, 2)),
        (["0", "1", "2"], ["integer"] * 3, (0, 1)),
        (["column_1", "column_2", "column_3"], ["integer"] * 3, (0, 1)),
        (["f0", "f1", "f2"], ["text"] * 3, (0, 1)),
        (["dst", "src", "w"], [None] * 3, (1, 0)),
        (["u", "v", "w"], ["integer"] * 3, (0, 1)),
    ],
)
def test_without_a_known_pair(names: list[str], kinds: list[str | None], expected: tuple[int, int]) -> None:
    assert choose_columns(names, kinds, "x") == expected


@pytest.mark.parametrize(
    "names",
    [
        ["customer", "shop", "town"],
        ["id1", "id2", "id3"],
        ["src_ip", "dst_ip", "src_port", "dst_port"],
        ["u", "v", "a", "b"],
        ["start", "end", "customer"],
        ["weight", "score", "customer"],
    ],
)
def test_what_cannot_be_told_is_refused_with_the_candidates(names: list[str]) -> None:
    with pytest.raises(InputError, match=r"^table\.csv: it cannot be told .*columns=\(") as error:
        choose_columns(names, ["integer"] * len(names), "table.csv")
    assert "\n" not in str(error.value)
    assert sum(name in str(error.value) for name in names) >= min(2, len(names))


def test_fewer_than_two_columns_are_refused() -> None:
    with pytest.raises(InputError, match="two columns, and there is only 'a'"):
        choose_columns(["a"], ["text"], "f")
    with pytest.raises(InputError, match="there is none"):
        choose_columns([], [], "")


def test_pairs_and_stems() -> None:
    assert is_pair("KundeA", "KundeB") and is_pair("l", "r") and not is_pair("anna", "bert") and not is_pair("1", "2")
    assert stem_of("name1", "name2") == "name" and stem_of("KundeA", "KundeB") == "kunde"
    assert stem_of("a1", "a2") is None and stem_of("anna", "bert") is None
    assert known_pairs(["anna", "bert", "cy"]) == []
