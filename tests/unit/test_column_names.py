"""The two columns that hold the edges, by the names of all columns."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import landbridge
from landbridge.edges.column_names import choose_columns, is_pair, possible_pairs, stem_of
from landbridge.errors import InputError

PAIRS = """
src dst|source target|Source Target|SOURCE DESTINATION|from to|left right|u v|a b|id1 id2|id_1 id_2|node1 node2
|node_1 node_2|unique_id_l unique_id_r|id_l id_r|idA idB|ida idb|id_a id_b
|FromNodeId ToNodeId|from_id to_id|source_id target_id|srcid dstid|:START_ID :END_ID
|person1_id person2_id|start_node end_node|record_left record_right|parent child|row col|uid1 uid2|lid rid|i j
|employee manager|emp_id mgr_id|payer payee|sender recipient|buyer seller|author coauthor|user friend
|origin destination|ORIGIN DEST|winner_id loser_id|debtor creditor
"""
PARTIES = """
src_ip dst_ip|SourceIP DestinationIP|srcaddr dstaddr|source_ip_address target_ip_address|src_mac dst_mac|srchost dsthost
|sender_email recipient_email|From Email:To Email|caller_phone callee_phone|from_account to_account|ip_src ip_dst
|payer_iban payee_iban|from_station to_station|parent_company child_company|follower_username followee_username
"""
ALONE = "name1 name2|KundeA KundeB|x_1 x_2|name_x name_y|person1 person2|customer_l customer_r|city_l city_r"
TIMES = """
from_date to_date|from_year to_year|start_time end_time|startdate enddate|amount_l amount_r|price_1 price_2|ts_a ts_b
|value_l value_r|score1 score2|gender_l gender_r|age_x age_y|start_lat end_lat|lon1 lon2|zip_l zip_r
|ValidFromDate ValidToDate|start_day end_day|count_l count_r|weight_left weight_right
|date_of_birth_l date_of_birth_r|amount_usd_l amount_usd_r|src_bytes dst_bytes|packets_from packets_to
"""

NO_IDS = ["weight", "match_probability", "Unnamed: 0", "timestamp", "label", "note", "year"]
OTHERS = [*NO_IDS, "id", "city"]


def pairs_of(text: str) -> list[tuple[str, ...]]:
    return [tuple(pair.split(":") if pair.count(" ") > 1 else pair.split()) for pair in text.split("|")]


def mixed(draw: random.Random, *names: str) -> list[str]:
    return draw.sample(names, len(names))


@pytest.mark.parametrize("pair", pairs_of(PAIRS))
def test_a_known_pair_is_chosen_at_any_position(pair: tuple[str, str]) -> None:
    draw = random.Random(pair[0])
    for _ in range(20):
        names = [*pair, *draw.sample(OTHERS, draw.randrange(len(OTHERS) + 1))]
        draw.shuffle(names)
        kinds = [draw.choice(["integer", "text", None]) for _ in names]
        assert tuple(names[i] for i in choose_columns(names, kinds, "x")) == pair


@pytest.mark.parametrize("pair", pairs_of(ALONE))
def test_the_only_pair_of_candidates_is_chosen(pair: tuple[str, str]) -> None:
    draw = random.Random(pair[0])
    for _ in range(20):
        names = mixed(draw, *pair, *draw.sample(NO_IDS, draw.randrange(1, len(NO_IDS) + 1)))
        assert tuple(names[i] for i in choose_columns(names, [None] * len(names), "")) == pair
        other = draw.choice(["id", "city", "shop"])
        names = mixed(draw, other, *names)
        with pytest.raises(InputError, match="it is ambiguous which two of the columns") as error:
            choose_columns(names, [None] * len(names), "")
        assert all(name in str(error.value) for name in (other, *pair))


@pytest.mark.parametrize("pair", pairs_of(PARTIES))
def test_a_pair_of_parties_is_chosen_by_name_beside_any_column_and_no_other_pair(pair: tuple[str, str]) -> None:
    draw = random.Random(pair[0])
    for _ in range(20):
        names = mixed(draw, *pair, *draw.sample([*OTHERS, "subject", "bytes", "protocol"], draw.randrange(8)))
        kinds = [draw.choice(["integer", "text", None]) for _ in names]
        assert tuple(names[i] for i in choose_columns(names, kinds, "x")) == pair
        ids = ("sender_id", "receiver_id")
        names = mixed(draw, *names, *ids)
        assert tuple(names[i] for i in choose_columns(names, [None] * len(names), "x")) == ids
    for others in (("src_name", "dst_name"), ("name_l", "name_r"), ("source_port", "target_port")):
        names = mixed(draw, *pair, *others)
        kinds = ["float" if name in others else "text" for name in names]  # a measure, by its values
        assert tuple(names[i] for i in choose_columns(names, kinds, "x")) == pair
        with pytest.raises(InputError, match="ambiguous which two") as error:
            choose_columns(names, [None] * 4, "x")
        assert any(str(error.value).endswith(f"say columns={each} or others") for each in (pair, pair[::-1]))


@pytest.mark.parametrize(
    "names",
    [
        "ip_from ip_to country_code country_name",  # a range, as of tables of places on a map
        "from_address to_address street city",
        "package dependency from_version to_version",
        "word translation source_lang target_lang",
        "source_system target_system customer_id match",
        "buyer_name seller_name buyer_address seller_address",
        "src_ip dst_ip src_port dst_port",
        "phone1 phone2 person",
    ],
)
def test_names_with_words_for_endpoints_that_may_be_of_something_else_are_asked_about(names: str) -> None:
    draw = random.Random(names)
    for _ in range(5):
        columns = mixed(draw, *names.split(), *draw.sample(["amount", "timestamp"], draw.randrange(3)))
        with pytest.raises(InputError, match="it is ambiguous which two"):
            choose_columns(columns, [draw.choice(["text", None])] * len(columns), "")


@pytest.mark.parametrize(
    "header", ["src_ip,dst_ip,bytes", "src_addr,dst_addr,packets", "caller,callee,seconds", "sender_id,receiver_id,usd"]
)
def test_what_is_measured_beside_two_parties_is_none(header: str, tmp_path: Path) -> None:
    for ids in (["10.0.0.1", "10.0.0.2", "10.0.0.3"], ["7", "8", "9"], ["ann", "bob", "cy"]):
        (tmp_path / "g.csv").write_text(f"{header}\n{ids[0]},{ids[1]},55\n{ids[1]},{ids[2]},60\n")
        r = landbridge.components(tmp_path / "g.csv")
        assert list(map(str, r.ids.tolist())) == ids and r.count == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("times", pairs_of(TIMES))
def test_times_and_amounts_are_never_endpoints(times: tuple[str, str]) -> None:
    draw = random.Random(times[0])
    for pair in [*pairs_of(PAIRS), *pairs_of(ALONE), ("customer", "shop")]:
        names = mixed(draw, *pair, *times)
        choice = choose_columns(names, ["integer"] * 4, "")
        assert {names[i] for i in choice} == set(pair)
    for others in (["id"], ["weight"], ["customer", "shop", "town"]):
        names = mixed(draw, *times, *others)
        with pytest.raises(InputError, match="it is ambiguous"):
            choose_columns(names, ["integer"] * len(names), "")


def test_dates_are_no_endpoints() -> None:
    assert choose_columns(["from", "to", "customer", "shop"], ["date", "date", "integer", "integer"], "") == (2, 3)
    assert choose_columns(["src", "dst", "customer", "shop"], ["date", "integer", "integer", "integer"], "") == (0, 1)
    with pytest.raises(InputError, match="employee, manager, from, to hold"):
        choose_columns(["employee", "manager", "from", "to"], ["integer"] * 4, "")


@pytest.mark.parametrize(
    "dataset", ["source_dataset_l source_dataset_r", "dataset_1 dataset_2", "leftDataSet rightDataSet"]
)
def test_ids_of_two_data_sets_are_refused(dataset: str) -> None:
    draw = random.Random(dataset)
    for pair in (("unique_id_l", "unique_id_r"), ("left", "right"), ("FromNodeId", "ToNodeId")):
        names = mixed(draw, *pair, *dataset.split(), "match_weight")
        with pytest.raises(InputError, match=r"^x: ids in .* unique within a data set only, as .*columns=") as error:
            choose_columns(names, ["text"] * 5, "x")
        assert "\n" not in str(error.value)
    with pytest.raises(InputError, match="it is ambiguous"):
        choose_columns(["customer", "shop", *dataset.split()], ["text"] * 4, "x")
    assert choose_columns(["unique_id_l", "unique_id_r", "dataset"], ["text"] * 3, "") == (0, 1)


@pytest.mark.parametrize(
    ("names", "twice"),
    [
        ("left right left", "left"),
        ("left right right weight", "right"),
        ("u u", "u"),
        ("customer shop shop", "shop"),
        ("left left left", "left"),
    ],
)
def test_a_repeated_name_of_the_pair_is_refused(names: str, twice: str) -> None:
    columns = names.split()
    with pytest.raises(InputError, match=rf"^x: {columns.count(twice)} columns have the name '{twice}' \(positions"):
        choose_columns(columns, ["integer"] * len(columns), "x")


def test_other_names_may_repeat() -> None:
    assert choose_columns(["w", "w", "dst", "src"], [None] * 4, "") == (3, 2)
    assert choose_columns(["note", "note", "customer", "shop"], [None] * 4, "") == (2, 3)


def test_the_best_pair_is_chosen() -> None:
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
        (["i", "j", "w"], ["integer"] * 3, (0, 1)),
        (["u", "p", "v"], ["integer"] * 3, (0, 2)),
    ],
)
def test_choices_without_a_known_pair(names: list[str], kinds: list[str | None], expected: tuple[int, int]) -> None:
    assert choose_columns(names, kinds, "x") == expected


@pytest.mark.parametrize(
    "names",
    [
        ["customer", "shop", "town"],
        ["id1", "id2", "id3"],
        ["src_ip", "dst_ip", "src_port", "dst_port"],
        ["u", "v", "a", "b"],
        ["i", "j", "k"],
        [*"abcdefghij"],
        ["p", "q", "r"],
        ["start", "end", "customer"],
        ["weight", "score", "customer"],
    ],
)
def test_ambiguous_columns_are_refused_with_the_candidates(names: list[str]) -> None:
    with pytest.raises(InputError, match=r"^table\.csv: it is ambiguous .*columns=\(") as error:
        choose_columns(names, ["integer"] * len(names), "table.csv")
    assert "\n" not in str(error.value)
    assert sum(name in str(error.value) for name in names) >= min(2, len(names))


def test_fewer_than_two_columns_are_refused() -> None:
    with pytest.raises(InputError, match="two columns, and there is only 'a'"):
        choose_columns(["a"], ["text"], "f")
    with pytest.raises(InputError, match="there is none"):
        choose_columns([], [], "")


def test_pairs_and_stems_of_names() -> None:
    assert is_pair("KundeA", "KundeB") and is_pair("l", "r") and not is_pair("anna", "bert") and not is_pair("1", "2")
    assert is_pair("from_date", "to_date") and not is_pair("user", "friend")  # of a first row, the latter may be names
    assert stem_of("name1", "name2") == "name" and stem_of("KundeA", "KundeB") == "kunde"
    assert stem_of("a1", "a2") == "a" and stem_of("anna", "bert") is None
    assert possible_pairs(["anna", "bert", "cy"]) == []


@pytest.mark.parametrize("columns", [None, ("left", "right")])
def test_a_repeated_name_is_refused_in_files(columns: tuple[str, str] | None, tmp_path: Path) -> None:
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    (tmp_path / "t.csv").write_text("left,right,left\nann,bob,cy\n")
    sides = [arrow.array([x]) for x in ("ann", "bob", "cy")]
    parquet.write_table(arrow.Table.from_arrays(sides, ["left", "right", "left"]), tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        for source in ({"graph": tmp_path / name}, {"chunks": tmp_path / name}):
            with pytest.raises(InputError, match=r"2 columns have the name 'left' \(positions 0, 2\)"):
                landbridge.components(**source, columns=columns)
    assert list(landbridge.components(tmp_path / "t.csv", columns=(0, 1)).ids or []) == ["ann", "bob"]


@pytest.mark.parametrize(
    ("names", "pair"),
    [
        ("id qid1 qid2 question1 question2 is_duplicate", "qid1 qid2"),
        ("rec name_l name_r city_l city_r", "name_l name_r"),
        ("shop person_left person_right town", "person_left person_right"),
        ("id src from dst to", "src dst"),
        ("id_a left id_b right", "id_a id_b"),
        ("_id ltable_id rtable_id label", "ltable_id rtable_id"),
        ("_id ltable_id rtable_id ltable_key rtable_key", "ltable_id rtable_id"),
    ],
)
def test_columns_that_look_like_a_pair_are_proposed(names: str, pair: str) -> None:
    """The first two candidates were: the number of a row and one of the two ids, or two ends of two pairs."""
    columns, (first, second) = names.split(), pair.split()
    kinds = ["text" if column[:4] in ("ques", "name", "city", "pers") else "integer" for column in columns]
    with pytest.raises(InputError, match="it is ambiguous which two of the columns") as error:
        choose_columns(columns, kinds, "")
    assert str(error.value).endswith(f"say columns=('{first}', '{second}') or others")


def test_any_two_of_columns_without_a_pair_may_be_meant() -> None:
    columns = ["id", "person", "city", "town"]
    with pytest.raises(InputError, match="it is ambiguous") as error:
        choose_columns(columns, ["integer", "text", "text", "text"], "")
    ending = "say columns=('id', 'person') or other columns; no two names look like a pair"
    assert str(error.value).endswith(ending)


@pytest.mark.parametrize("plus", ["+49", "0049"])
@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("phone1,phone2,name,city", "{},{},{},{}"),
        ("msisdn_a,msisdn_b,name,city", "{},{},{},{}"),
        ("Phone 1,Phone 2,name,city", "{},{},{},{}"),
        ("phone,duplicate,name,city", "{},{},{},{}"),
        ("name,phone1,phone2", "{2},{0},{1}"),
    ],
)
def test_telephone_numbers_may_be_ids_with_and_without_a_plus(
    plus: str, header: str, cells: str, tmp_path: Path
) -> None:
    rows = [("17126", "17115", "Smith", "Ulm"), ("17112", "17113", "Jones", "Bonn"), ("17119", "17111", "Lee", "Ulm")]
    path = tmp_path / "g.csv"
    lines = [cells.format(plus + first, plus + second, *rest) for first, second, *rest in rows]
    path.write_text("\n".join([header, *lines, ""]))
    names = [name for name in header.split(",") if name not in ("name", "city")]
    for options in ({}, {"ids": "names"}):
        with pytest.raises(InputError, match=re.escape(f"say columns=({names[0]!r}, {names[1]!r})")):
            landbridge.components(path, **options)
    assert landbridge.components(path, ids="names", columns=tuple(names)).count == 3


def test_a_further_column_of_numbers_with_a_plus_may_hold_ids(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("ann,+491,+492\nbob,+492,+493\n")
    answer = landbridge.components(path, header=False, ids="names")
    assert answer.notes == (
        "lines have 3 columns and no header: the first two hold the edges (columns= selects others)",
    )
    path.write_text("src,sign,dst\n1,+1,2\n2,-1,3\n")
    assert landbridge.components(path).count == 1


@pytest.mark.parametrize("names", [["0", "1", "2"], ["V1", "V2", "V3"], ["column_1", "column_2", "column_3"]])
def test_frames_without_names_have_a_note_that_the_first_two_columns_hold_the_edges(names: list[str]) -> None:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    note = "there are 3 columns and no names: the first two hold the edges (columns= selects others)"
    frame = pandas.DataFrame([["2020-01-01", "ann", "bob"], ["2020-01-02", "bob", "cy"]])
    tables = [frame, frame.set_axis(names, axis=1), arrow.table(dict(zip(names, frame.to_numpy().T, strict=True)))]
    for table in tables:
        assert note in landbridge.components(table).notes
        assert note not in landbridge.components(table, columns=(1, 2)).notes
    for rows, header in (([[1, 2, 0.5]], names), ([[1, 2, 3]], ["src", "dst", "w"]), ([[1, 2]], names[:2])):
        assert landbridge.components(pandas.DataFrame(rows).set_axis(header, axis=1)).notes == ()


@pytest.mark.parametrize("name", ["No", "Nr", "no", "Nr."])
def test_numbers_that_repeat_or_do_not_ascend_number_no_rows(name: str, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    header = f"{name};Duplicate of;Branch\n"
    for rows in ("1016;1008;443\n1009;1021;22\n1016;1021;22\n", "3;8;443\n2;21;22\n", "2;8;443\n2;21;22\n"):
        path.write_text(header + rows)
        with pytest.raises(InputError, match="it is ambiguous which two") as error:
            landbridge.components(path)
        assert f"say columns=({name!r}, 'Duplicate of') or" in str(error.value)
        columns = (name, "Duplicate of")
        assert set(map(str, landbridge.components(path, columns=columns).ids)).isdisjoint(("443", "22"))
    for rows in ("1;1008;443\n2;1021;22\n9;1021;22\n", "7;1021;22\n"):
        path.write_text(header + rows)
        assert "columns Duplicate of and Branch are the edges" in landbridge.components(path).notes[0]
