"""Ids of two kinds in the two columns of a table, both numbered from 1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import landbridge
from landbridge.edges.two_kinds import _OWNED_WORDS, _OWNER_WORDS, could_be_two_kinds

NOTE = (
    "columns {!r} and {!r} have numbers in common, each of which is one vertex: if they are ids of two kinds, add a "
    "number beyond all of them to those of one column"
)
PAIRS = [("userId", "movieId"), ("movie_id", "user_id"), ("Customer ID", "Product ID"), ("user", "item")]
ONE_KIND = [
    ("src", "dst"), ("employee_id", "manager_id"), ("buyer", "seller"), ("user_id", "friend_id"), ("id", "parent_id"),
    ("author", "coauthor"), ("user_id_1", "user_id_2"), ("movie", "sequel"), ("customer", "client"),
    ("user", "user_id"), ("paper", "article"), ("", "item"),
]  # fmt: skip


@pytest.mark.parametrize("names", PAIRS)
def test_a_note_names_columns_of_two_kinds(names: tuple[str, str], tmp_path: Path) -> None:
    """User 1 and movie 1 were one vertex without a word."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(dict(zip(names, ([1, 2, 3], [1, 1, 7]), strict=True)))
    text = tmp_path / "ratings.csv"
    frame.to_csv(text, index=False)
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "ratings.parquet")
    files = [text, tmp_path / "ratings.parquet"]
    calls: list[dict[str, Any]] = [{"graph": source} for source in (frame, *files)]
    calls += [{"chunks": source} for source in ([frame, frame], *files)]
    calls += [{**call, "columns": names} for call in calls]
    for call in calls:
        result = landbridge.components(**call)
        assert [note for note in result.notes if "two kinds" in note] == [NOTE.format(*names)]
        result = landbridge.components(**call, ids="sparse")
        assert not any("two kinds" in note for note in result.notes)


def test_there_is_no_note_where_no_number_is_in_both_columns(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"userId": [1, 2, 3], "movieId": [4, 4, 5]})
    assert landbridge.components(frame).notes == ()
    assert landbridge.components(frame.astype(str).assign(movieId=["1", "2", "1"])).notes == ()  # text
    path = tmp_path / "ratings.csv"
    for text in ("userId,movieId\n1,4\n2,5\n", "userId,movieId\nu1,m1\nu2,1\n", "userId,movieId\n"):
        path.write_text(text)
        assert not any("two kinds" in note for note in landbridge.components(path, header=True).notes)


@pytest.mark.parametrize("names", ONE_KIND)
def test_names_that_may_be_of_one_kind_have_no_note(names: tuple[str, str]) -> None:
    assert not could_be_two_kinds(*names)
    assert not could_be_two_kinds(*names[::-1])


def test_every_word_is_found_in_the_singular_and_in_the_plural() -> None:
    """business_id was read as the plural of busines."""
    for word in _OWNER_WORDS.split():
        for name in (word, f"{word}s", f"{word}_id", f"{word}sId"):
            assert could_be_two_kinds(name, "item")
            assert not could_be_two_kinds(name, "user")
    for word in _OWNED_WORDS.split():
        plural = f"{word}es" if word.endswith("s") else f"{word}s"
        for name in (word, plural, f"{word}_id", f"{plural}Id"):
            assert could_be_two_kinds("users", name)
            assert not could_be_two_kinds("items", name)
