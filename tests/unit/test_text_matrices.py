"""Matrices as programs write them: with decimal commas, with true and false, with words for no value."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from oracles.texts import read_text, said_by

from landbridge.errors import FileFormatError

CELLS: dict[str, list[list[str]]] = {
    "decimal commas": [["0", "1,5", "2,25"], ["1,5", "0", "1.003,5"], ["2,25", "1.003,5", "0"]],
    "true and false": [["False", "True", "True"], ["True", "False", "True"], ["True", "False", "False"]],
    "no values": [["NA", "2", "0.5"], ["2", "NA", "4"], ["0.5", "4", "NA"]],
    "empty": [["", "2", "3"], ["2", "", "nan"], ["3", "nan", ""]],
}
LABELS = [["Ulm", "Rom", "Bonn"], ["0", "1", "2"], ["V1", "V2", "V3"]]


def texts(cells: list[list[str]], delimiter: str) -> list[str]:
    """The cells alone, and with labels over them, beside them, and both."""
    written = ["\n".join(map(delimiter.join, cells))]
    for labels in LABELS:
        beside = [[label, *row] for label, row in zip(labels, cells, strict=True)]
        tables = [[labels, *cells], beside, *([[corner, *labels], *beside] for corner in ("", "Ort"))]
        written += ["\n".join(map(delimiter.join, table)) for table in tables]
    return [f"{text}\n" for text in written]


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("name", ["g.csv", "g.txt"])
def test_matrices_of_words_for_numbers_are_refused(kind: str, delimiter: str, name: str, tmp_path: Path) -> None:
    if "commas" in kind and delimiter == ",":
        return
    for text in texts(CELLS[kind], delimiter):
        is_ambiguous = "," in text.partition("\n")[0] or delimiter == "\t"
        stated = {"delimiter": delimiter} if is_ambiguous else {}
        with pytest.raises(FileFormatError, match="it looks like an adjacency matrix") as error:
            read_text(tmp_path, text, name, **stated)
        if kind == "empty":
            continue  # no edge has an empty word
        options = said_by(str(error.value))
        m = text.count("\n") - (options.get("header") is True)
        assert len(read_text(tmp_path, text, name, **stated, **options)) == m


def test_labels_on_both_sides_show_a_matrix_whatever_its_numbers_are(tmp_path: Path) -> None:
    for cells in (["1", "-0.5", "0.2"], ["7", "1", "2"]):
        rows = "".join(f"{label},{','.join(cells)}\n" for label in ("a1", "b2", "c3"))
        for corner in ("", "id"):
            with pytest.raises(FileFormatError, match="it looks like an adjacency matrix") as error:
                read_text(tmp_path, f"{corner},a1,b2,c3\n{rows}")
            assert len(read_text(tmp_path, f"{corner},a1,b2,c3\n{rows}", **said_by(str(error.value)))) == 3
    rows = "".join(f"{i};1,5;0,5;0,25\n" for i in range(3))
    with pytest.raises(FileFormatError, match="it looks like an adjacency matrix"):
        read_text(tmp_path, f";0;1;2\n{rows}")


@pytest.mark.parametrize(
    ("text", "options", "m"),
    [
        ("src,dst,ok\nann,bob,True\nbob,cy,False\ncy,ann,True\n", {}, 3),
        ("src,dst,w\n0,1,NA\n1,0,NA\n0,1,NA\n", {}, 3),
        ("src;dst;w\n0;1;1,5\n1;0;2\n0;2;0,5\n", {}, 3),
        (",0,1,2\n0,5,6,0.5\n1,7,8,0.25\n2,8,9,0.125\n", {}, 3),
        ("4,1,NA\n1,2,3\n2,0,NA\n", {}, 3),
        ("ann;bob;1,5\nbob;cy;0,5\ncy;ann;2\n", {"header": False}, 3),
        ("True,no\nno,False\n", {"header": False}, 2),
        ("NA,US\nUS,DE\nDE,NA\n", {"header": False, "ids": "names"}, 3),
    ],
)
def test_edges_beside_such_words_are_edges(text: str, options: dict[str, Any], m: int, tmp_path: Path) -> None:
    assert len(read_text(tmp_path, text, **options)) == m


def test_tables_of_ids_are_read_whatever_their_number_of_rows(tmp_path: Path) -> None:
    for rows, ids in itertools.product((1, 2, 3, 4), (("0", "7"), ("a7", "b7"))):
        text = "".join(f"{ids[0]},{ids[1]}{i},True,NA\n" for i in range(rows))
        assert len(read_text(tmp_path, text, header=False)) == rows
