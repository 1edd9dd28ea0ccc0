"""Single quotes around ids are part of them, as a note says; an id with and without them is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.texts import proposals, read_text

import landbridge
from landbridge.errors import FileFormatError


@pytest.mark.parametrize(
    ("text", "line"), [("'a','b'\n'b','c'\n", 1), ("src,dst\na,b\nb,'c d'\n", 3), ("src,dst\n'1','2'\n", 2)]
)
def test_a_note_says_that_single_quotes_are_part_of_ids(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text(text)
    word = next(word for word in text.splitlines()[line - 1].split(",") if word.startswith("'"))
    note = f"single quotes around ids are part of them, as in {word!r} of line {line}"
    for call in ({"graph": path}, {"chunks": path}):
        result = landbridge.components(**call)  # type: ignore[arg-type]
        assert note in result.notes
        assert word in result.ids.tolist()
    for other in ("o'neill,d'arcy\n", "'s-hertogenbosch,b\n", "',b'\n", "'',b\n"):
        path.write_text(f"src,dst\n{other}")
        assert not any("single quotes" in note for note in landbridge.components(path).notes)


@pytest.mark.parametrize("header", ["", "src,dst\n"])
@pytest.mark.parametrize(
    "rows", ["'a1','b2'\nb2,\"c3\"\n", "\"a1\",'b2'\n'b2',\"c3\"\n\"b2\",'d4'\n", "'a 1',b2\n\"a 1\",c3\n"]
)
def test_an_id_with_and_without_single_quotes_is_refused(rows: str, header: str, tmp_path: Path) -> None:
    """Quotes of two kinds made two vertices of one."""
    options = {} if header else {"header": False}
    with pytest.raises(FileFormatError, match="an id in single quotes, which are part of it, and line ") as error:
        read_text(tmp_path, header + rows, "g.csv", **options)
    assert proposals(str(error.value)) == [{"ids": "names"}]
    assert len(read_text(tmp_path, header + rows, "g.csv", ids="names", **options)) == rows.count("\n")


def test_a_number_in_single_quotes_is_none(tmp_path: Path) -> None:
    hint = "a whole number; single quotes enclose no id: write it with double quotes or none: \"'2'\""
    with pytest.raises(FileFormatError, match=hint):
        read_text(tmp_path, "1,2\n3,4\n5,'2'\n", "g.csv")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x,y\nNA,b\nc,d\n", 2),
        ("ann,bob\nc,d\ne, null\n", 3),
        ("NA,bob\nann,b\n", 1),
        ("user,item,kind\nu1,i1,x\nNaN,i2,y\n", 3),
        ("payer,payee,kind\nu1,i1,NA\nu2,i2,y\n", 0),
    ],
)
def test_the_question_about_a_header_names_words_for_no_value(text: str, line: int, tmp_path: Path) -> None:
    """The answer was followed by the refusal of such a word."""
    with pytest.raises(FileFormatError, match="it is ambiguous whether the first row is a header: ") as error:
        read_text(tmp_path, text, "g.csv")
    message = str(error.value)
    assert (f"; and leave out lines such as line {line}, where " in message) == (line > 0)
    ways = proposals(message)
    names = {"ids": "names"} if line else {}
    assert [each for each in ways if "header" not in each] == ([names] if line else [])
    rest = [row for i, row in enumerate(text.splitlines(), 1) if i != line]
    for header in (each for each in ways if "header" in each):
        count = text.count("\n") - bool(header["header"])
        assert len(read_text(tmp_path, text, "g.csv", **{**header, **names})) == count
        if line > 1:
            assert len(read_text(tmp_path, "\n".join(rest) + "\n", "g.csv", **header)) == count - 1


@pytest.mark.parametrize("header", ["", "src;dst\n"])
@pytest.mark.parametrize(
    ("rows", "column", "word"),
    [
        ("2,5;3,5\n3,5;4,5\n", 0, "2,5"),
        ("ann;2,5\nbob;3\n", 1, "2,5"),
        ("ann;1000\nbob;3\ncy;1,000\n", 1, "1,000"),
        ("ann;2,5\nbob;cy\n", None, ""),
        ("ann;Ulm, DE\nbob;cy\n", None, ""),
    ],
)
def test_a_note_says_that_numbers_with_commas_are_names_where_the_delimiter_is_stated(
    rows: str, header: str, column: int | None, word: str, tmp_path: Path
) -> None:
    path = tmp_path / "g.csv"
    path.write_text(header + rows)
    options = {"delimiter": ";", **({} if header else {"header": False})}
    line = 1 + (header + rows).partition(word or rows)[0].count("\n")
    where = f"as {word} of line {line}: they are taken as text, and 1,000 and 1000 are two ids"
    note = f"column {column} (from 0) holds numbers with commas, {where}"
    for call in ({"graph": path}, {"chunks": path}):
        result = landbridge.components(**call, **options)  # type: ignore[arg-type]
        assert [each for each in result.notes if "commas" in each] == ([note] if word else [])
    assert not any("commas" in each for each in landbridge.components(path, ids="names", **options).notes)


def test_an_apostrophe_beside_an_id_of_no_letters_is_no_quote(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text('src,dst\nann,bob\n"",o\'neill\ncy,"dd"\n')
    assert landbridge.components(path).count == 3
