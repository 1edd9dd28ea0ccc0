"""Rows of an id, a word for a relation, and an id: subject, verb and object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracles.texts import proposals, read_text

import landbridge
from landbridge.errors import FileFormatError


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("n1\tpp\tn2\nn2\tpp\tn3\nn4\tpd\tn1\n", "g.sif"),
        ("ann pp bob\ncy pp dan\n", "g.sif"),
        ("17 pp 18\n", "g.sif"),
        ("a1,likes,b2\nb2,owns,c3\n", "g.txt"),
        ("ann@x.org,likes,bob@x.org\n", "g.txt"),
        ("ann,likes,bob\nbob,owns,cy\n", "g.txt"),
        ("ann,likes,bob\nbob,likes,cy\ndan,likes,eve\n", "g.csv"),
        ("Sue Li,owns,Lea Fox\nAnn Day,owns,Bo Ek\nBo Ek,owns,Cy Orr\n", "g.csv"),
        ("49156734232\tisA\t49159127270\n49156734233\tisA\t49159127279\n", "g.txt"),
        ("1,likes,4\n4,owns,2\n7,likes,9\n2,likes,7\n", "g.csv"),
        ("".join(f"{i % 7},{('likes', 'owns')[i % 2]},{100 + i}\n" for i in range(16)), "g.csv"),
        ("ann;3;bob\nbob;2;cy\n", "g.csv"),
        ("u1;5;u2\nu3;5;u4\n", "g.csv"),
    ],
)
def test_words_for_relations_are_no_endpoints(text: str, name: str, tmp_path: Path) -> None:
    delimiter = next(d for d in "\t,; " if d in text)
    pairs = [tuple(line.split(delimiter)[::2]) for line in text.splitlines()]
    for header in ({}, {"header": False}):
        with pytest.raises(FileFormatError) as error:
            read_text(tmp_path, text, name, **header)
        (options,) = [each for each in proposals(str(error.value)) if each.get("columns") == (0, 2)][-1:]
        edges = read_text(tmp_path, text, name, **{**header, "header": False, **options})
        assert [(str(u), str(v)) for u, v in edges] == pairs
    problem = r"there is no header, and column 1 .from 0. holds|there is no header, and column 1 .from 0. has"
    with pytest.raises(FileFormatError, match=problem) as error:
        read_text(tmp_path, text, name, header=False)
    ways = proposals(str(error.value))
    assert ways[:2] == [{"columns": (0, 2)}, {"columns": (0, 1)}]
    assert all(len(read_text(tmp_path, text, name, header=False, **each)) == text.count("\n") for each in ways[:2])


@pytest.mark.parametrize(
    "text",
    [
        "1 2 5\n2 3 4\n5 6 1\n",
        "196\t242\t3\t881250949\n186\t302\t3\t891717742\n22\t377\t1\t878887116\n3\t5\t2\t880606923\n",
        "ann,bob,likes\nbob,cy,owns\ncy,ann,likes\n",
        "ann,bob,0.5\nbob,cy,0.25\n",
        "u1,u2,friend\nu3,u2,friend\nu4,u2,colleague\n",
        "7,Batman,5\n9,Joker,4\n5,Alien,5\n4,Brazil,3\n",
        "".join(f"{100 + 7 * i},{('noir', 'drama')[i % 2]},{20 + i % 15}\n" for i in range(16)),
        "1,2,likes\n2,3,likes\n4,3,likes\n",
        "u1,i1,5\nu2,i1,3\nu3,i1,3\n",
        "ann,soap,Berlin\nbob,milk,Ulm\ncy,soap,Bonn\n",
        "max;ned;owns\nmax;ned;likes\nmax;ned;likes\n",
    ],
)
def test_endpoints_before_labels_and_weights_are_read(text: str, tmp_path: Path) -> None:
    delimiter = next(d for d in "\t,; " if d in text)
    pairs = [tuple(line.split(delimiter)[:2]) for line in text.splitlines()]
    assert [(str(u), str(v)) for u, v in read_text(tmp_path, text, header=False)] == pairs


def test_the_header_question_proposes_the_columns_around_a_relation(tmp_path: Path) -> None:
    for text, name in (("ann,likes,bob\nbob,owns,cy\n", "g.csv"), ("ann\tpp\tbob\n", "g.sif")):
        with pytest.raises(FileFormatError, match="ambiguous whether the first row is a header") as error:
            read_text(tmp_path, text, name)
        edge = proposals(str(error.value))[1]
        assert edge == {"header": False, "columns": (0, 2)}
        assert read_text(tmp_path, text, name, **edge)[0] == ("ann", "bob")


def test_a_note_says_where_the_second_of_three_columns_is_one_word(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    texts: dict[str, Any] = {"Sue Li,owns,Lea\nAnn,owns,Lea\n": True, "ann,bob,likes\nbob,cy,likes\n": False}
    for text, is_noted in texts.items():
        path.write_text(text)
        notes = landbridge.components(path, header=False).notes
        assert any("no header: the first two hold the edges" in note for note in notes) == is_noted


def test_several_targets_of_a_line_are_no_columns(tmp_path: Path) -> None:
    path = tmp_path / "g.sif"
    path.write_text("ann pp bob cy\ndan pp eve fay\n")
    for options in ({}, {"header": False}):
        with pytest.raises(FileFormatError, match=r"line 1: a line of this suffix has targets from column 2"):
            landbridge.components(path, **options)
