"""What errors in lines of numbers propose: nothing that leads to a second error, or to another number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracles.texts import pairs_of, proposals, read_text

import landbridge
from landbridge.edges.files import read
from landbridge.edges.options import options_of
from landbridge.errors import FileFormatError, InputError

WHOLE = "without a fraction, as .astype('Int64') does in pandas, also where values are missing"


def error_of(tmp_path: Path, text: str, **options: Any) -> str:
    """The message of an error, without the file."""
    with pytest.raises(FileFormatError) as error:
        read_text(tmp_path, text, **options)
    return str(error.value)[str(error.value).index("line ") :]


@pytest.mark.parametrize("above", ["", "src,dst\n", "1000,7\n", "1000,7\n" * 2000])
@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("1.000", f"; write 1000 if it has marks between thousands, else 1, {WHOLE}"),
        ("12.000", f"; write 12000 if it has marks between thousands, else 12, {WHOLE}"),
        ("1.0", f"; write 1, {WHOLE}"),
        ("1.0000", f"; write 1, {WHOLE}"),
        ("1000.000", f"; write 1000, {WHOLE}"),
        ("0.000", f"; write 0, {WHOLE}"),
        ("1.234", "; write 1234 if it has marks between thousands; ids='names' takes it as text"),
        ("1.234.567", "; write 1234567 if it has marks between thousands; ids='names' takes it as text"),
        ("1.23", "; ids='names' takes it as text"),
        ("+4915112345", "; ids='names' takes it as text"),
        ("1.23457E+11", "; write all its digits: a number with an exponent may have lost some"),
        ("1e10", "; write all digits if it is a number with an exponent; ids='names' takes it as text"),
    ],
)
def test_a_point_may_be_between_thousands(above: str, word: str, hint: str, tmp_path: Path) -> None:
    """1.000 beside 1000 is the same number where it has such marks, and 1 where it has a fraction."""
    for text, place in ((f"{word},2\n", 1), (f"2,{word}\n", 3)):
        line = above.count("\n") + 1
        error = error_of(tmp_path, f"{above}{text}3,4\n")
        assert error == f"line {line}, byte {place}: a vertex id must be a whole number{hint}: {word!r}"


@pytest.mark.parametrize("word", ["\u00a012", "12\u00a0", "\u200b12", "12\u3000", "\u202f012"])
def test_a_number_with_white_space_that_is_no_blank_is_not_proposed_as_a_name(word: str, tmp_path: Path) -> None:
    """It would be another id than the number."""
    error = error_of(tmp_path, f"1,2\n{word},4\n")
    assert error.startswith("line 2, byte 1: expected a vertex id, a whole number; write 12, in digits alone: ")


@pytest.mark.parametrize("word", ["1 000", "1'000", '"1 000"', "1\u202f000", "1\u00a0000", "1\u2019000"])
def test_blanks_and_apostrophes_may_be_between_thousands(word: str, tmp_path: Path) -> None:
    error = error_of(tmp_path, f"1;2\n{word};3\n")
    assert "expected a vertex id, a whole number; write 1000 if it has marks between thousands: " in error
    error = error_of(tmp_path, f"1;2\n{word.replace('1', '12', 1)};3\n")
    assert "; write 12000 if it has marks between thousands: " in error


def test_a_comma_in_quotes_may_be_between_thousands(tmp_path: Path) -> None:
    error = error_of(tmp_path, "1;2\n1,000;3\n")
    assert error.endswith("expected a vertex id, a whole number; write 1000 if it has marks between thousands: '1,000'")


BASE = "; base=1 if the vertices are 1 to {0}"
COUNTS = "; the first row could be counts: {0} leaves it out"


@pytest.mark.parametrize(
    ("text", "n", "place", "hint"),
    [
        ("1 2\n", 2, "line 1, byte 3", BASE),
        ("1 2\n2 1\n", 2, "line 1, byte 3", BASE),
        ("1 1\n1 2\n", 2, "line 2, byte 3", BASE),
        ("1 2\n0 1\n", 2, "line 1, byte 3", ""),
        ("1 3\n", 2, "line 1, byte 3", ""),
        ("12 3\n", 1, "line 1, byte 1", ""),
        ("4 4\n0 1\n1 2\n2 3\n3 0\n", 4, "line 1, byte 1", COUNTS.format("header=True")),
        ("4 3\n1 2\n2 3\n3 4\n", 4, "line 1, byte 1", COUNTS.format("header=True") + BASE),
        ("5 5 2\n0 1 9\n1 2 9\n", 5, "line 1, byte 1", COUNTS.format("header=True, columns=(0, 1)")),
    ],
)
def test_an_id_out_of_range_is_counted_from_one_or_a_count(
    text: str, n: int, place: str, hint: str, tmp_path: Path
) -> None:
    error = error_of(tmp_path, text, num_vertices=n)
    assert error.startswith(f"{place}: a vertex id is out of range for n = {n}{hint.format(n)}: ")
    path = tmp_path / "way.txt"
    path.write_text(text)
    if "base=1" in error and "counts" not in error:
        assert landbridge.components(path, num_vertices=n, base=1).ids.tolist() == list(range(1, n + 1))
        with pytest.raises(InputError) as stated:
            landbridge.components(path, num_vertices=n, base=0)
        assert "base=1" not in str(stated.value)
    for options in proposals(error):
        base = {"base": 1} if "base=1" in error else {}
        edges = pairs_of(read(path, options=options_of(num_vertices=n, **options, **base)))
        assert len(edges) == text.count("\n") - 1


@pytest.mark.parametrize(
    ("text", "columns"),
    [("1 2\n5 6\n7 new york\n", 3), ("1 2\n5 6\nnew york 7\n", 3), ("1 2\n3 4\nnew\n", 1), ("1,2\n3,4\n5,x,y\n", 3)],
)
@pytest.mark.parametrize("many", [1, 2000])
def test_names_are_not_proposed_for_a_line_of_other_columns(text: str, columns: int, many: int, tmp_path: Path) -> None:
    first, rest = text.split("\n", 1)
    error = error_of(tmp_path, f"{first}\n" * many + rest)
    also = f"this line has {columns} column{'s' * (columns > 1)} where 2 are needed"
    assert f"line {many + 2}, byte " in error
    assert f": expected a vertex id, a whole number; {also}: " in error
    with pytest.raises(FileFormatError, match=also):
        read_text(tmp_path, text, header=False, ids="names")


@pytest.mark.parametrize("text", ["007,2\n3,4\n", "3,4\n3,007\n"])
def test_zeros_are_kept_or_dropped_where_ids_are_numbers(text: str, tmp_path: Path) -> None:
    error = error_of(tmp_path, text)
    assert "a number that begins with zeros: ids='names' keeps them, ids='sparse' drops them: '007'" in error
    assert [len(read_text(tmp_path, text, **each)) for each in proposals(error)] == [2, 2]


@pytest.mark.parametrize(
    "text", ["007,2\n3,x\n", "007,2\n3,4\nx,4\n", "01,2,1.5\n3,x,2.5\n", "#007,2\n007,3\n3,x\n", "007,2.5\n3,4\n"]
)
def test_zeros_beside_text_are_kept_alone(text: str, tmp_path: Path) -> None:
    """No kind of ids but names takes the text."""
    error = error_of(tmp_path, text)
    assert "a number that begins with zeros: " in error
    ways = proposals(error)
    assert all(each.get("ids") != "sparse" for each in ways)
    first = {**ways[0], **(ways[1] if len(ways) > 1 else {})}
    assert len(read_text(tmp_path, text, **first)) == text.count("\n")
