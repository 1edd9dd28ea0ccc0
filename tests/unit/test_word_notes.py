"""Ids of text that may be another one, or none: in single quotes, words for no value, numbers in two forms."""

from __future__ import annotations

import contextlib
import re
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from oracles.texts import proposals, read_text

import landbridge
from landbridge.edges.formats import doubtful_names, edge_list, header_row, likely_formats, word_shapes
from landbridge.edges.formats.sample import Row
from landbridge.errors import FileFormatError, InputError


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
    assert landbridge.components(path, ids="names").count == 3


MISSING = ["NaT", "(null)", "[NULL]", "<null>", "#NA", "N/A", "#N/A", "undefined", "nil", "?", "-", "--", "."]


@pytest.mark.parametrize("header", ["", "src,dst\n"])
@pytest.mark.parametrize("word", ['""', '" "', '"   "', '"\t"', '" \t "', *MISSING])
def test_an_id_for_no_value_is_refused(word: str, header: str, tmp_path: Path) -> None:
    """It joined all records that have no value."""
    options = {} if header else {"header": False}
    text = f"{header}ann,bob\ncy,dan\neve,{word}\nfay,{word}\n"
    line = 3 + bool(header)
    shown = re.escape(word if word in MISSING else '""')
    match = rf"line {line}: {shown} (stands|may stand) for no value, and as an id .*: leave such lines out, or say "
    with pytest.raises(FileFormatError, match=match) as error:
        read_text(tmp_path, text, "g.csv", **options)
    assert proposals(str(error.value)) == [{"ids": "names"}]
    pairs = read_text(tmp_path, text, "g.csv", ids="names", **options)
    assert pairs[2:] == [("eve", word.strip('"')), ("fay", word.strip('"'))]
    without = "".join(row for row in text.splitlines(keepends=True) if word not in row)
    assert len(read_text(tmp_path, without, "g.csv", **options)) == 2


def test_a_word_of_an_other_column_is_no_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line that had the word in any column was cut in Python: 17 times as long as reading took."""
    cut = edge_list.rows_of
    lines: list[bytes] = []

    def counting(data: bytes, delimiter: str, comments: str, most: int) -> tuple[list[Row], bool]:
        lines.append(data)
        return cut(data, delimiter, comments, most)

    monkeypatch.setattr(edge_list, "rows_of", counting)
    path = tmp_path / "g.tsv"
    rows = "".join(f"g{i}\tg{i + 1}\t-\n" for i in range(200_000))
    path.write_text(f"# a - b\n{rows}\n# a - b\nga\t-\t-\nb\t-\t-\n")
    for call in ({"graph": path}, {"chunks": path, "chunk_size": 50_000}):
        lines.clear()
        with pytest.raises(FileFormatError, match="line 200004: - may stand for no value") as error:
            landbridge.components(**call, columns=(0, 1), header=False)  # type: ignore[arg-type]
        assert error.value.text == "ga\t-\t-"
        assert len(lines) < 5


def test_words_that_are_names_are_no_missing_values(tmp_path: Path) -> None:
    pairs = [("Na", "Cl"), ("Nan", "a-b"), ("a.b", "what?"), ("Null", "(nul)"), ("- -", "...")]
    text = "".join(f"{u},{v}\n" for u, v in pairs)
    assert read_text(tmp_path, text, "g.csv", header=False) == pairs


@pytest.mark.parametrize("word", ['"NA"', '"1.0"', '"1,000"', '""', '"NaT"', "(null)"])
def test_a_word_among_numbers_that_is_no_name_is_not_proposed_as_one(word: str, tmp_path: Path) -> None:
    """As names, 1.0 and 1 were two vertices."""
    for text in (f"1,2\n3,4\n5,{word}\n", f"src,dst\n1,2\n{word},4\n"):
        with pytest.raises(FileFormatError, match="expected a vertex id") as error:
            read_text(tmp_path, text, "g.csv")
        assert proposals(str(error.value)) == []
        hint = {'"1.0"': "write 1, without a fraction", '"1,000"': "write 1000 if it has marks between thousands"}
        assert hint.get(word, "it stands for no value: leave such lines out") in str(error.value)


@pytest.mark.parametrize("rows", ["ann,1.0\nbob,2.0\n1,cy\n", "ann,1.\n1,cy\n", 'ann,"1,000"\nbob,2\n1000,cy\n'])
def test_one_number_in_two_forms_among_names_is_refused(rows: str, tmp_path: Path) -> None:
    """A column of floats is written so: 1.0 and 1 were two vertices."""
    text = f"src,dst\n{rows}"
    last = text.count("\n")
    match = rf"line 2: 1(\.0?|,000) and 1(000)? of line {last} would be two ids, as ids are text here"
    with pytest.raises(FileFormatError, match=match) as error:
        read_text(tmp_path, text, "g.csv")
    assert proposals(str(error.value)) == [{"ids": "names"}]
    assert len(read_text(tmp_path, text, "g.csv", ids="names")) == rows.count("\n")


FORMS = {
    "01": "1",
    "000": "0",
    "-0": "0",
    "+1": "1",
    "+1.0": "1",
    "-01": "-1",
    "-1.0": "-1",
    "1 000": "1000",
    "1'000": "1000",
    "1\u202f000\u202f000": "1000000",
    "1.000.000": "1000000",
    "1000.00": "1000",
    "1.000": "1000",
    "-12.345": "-12345",
    "1e3": "1000",
    "1.5e+03": "1500",
    "1e+05": "100000",
}


@pytest.mark.parametrize("word", FORMS)
@pytest.mark.parametrize("header", ["", "src,dst\n"])
def test_any_other_form_of_a_number_beside_its_digits_is_refused(word: str, header: str, tmp_path: Path) -> None:
    """01 of a column that a spreadsheet has read as text, and 1 of one that it has read as numbers."""
    options = {} if header else {"header": False}
    text = f"{header}ann,bob\ncy,{word}\ndan,eve\n{FORMS[word]},fay\n"
    shown = word.replace("\u202f", "\\u202f")
    match = re.escape(
        f"line {2 + bool(header)}: {shown} and {FORMS[word]} of line {4 + bool(header)} would be two ids, as ids are "
        "text here: write whole numbers in one form, or say ids='names' if they are two: "
    )
    with pytest.raises(FileFormatError, match=match) as error:
        read_text(tmp_path, text, "g.csv", **options)
    assert proposals(str(error.value)) == [{"ids": "names"}]
    assert len(read_text(tmp_path, text, "g.csv", ids="names", **options)) == 4
    assert len(read_text(tmp_path, text.replace(word, FORMS[word]), "g.csv", **options)) == 4
    (note,) = landbridge.components([("ann", word), (FORMS[word], "bob")]).notes
    assert note == f"{word} and {FORMS[word]} are two ids: text is compared by its bytes"


THIRD_FORMS = [
    ("01", "001"), ("1.0", "01"), ("1,000", "1.000"), ("1.0", "1.00"), ("1e3", "1 000"), ("+49301234", "0049301234"),
    ("-01", "-1.0"), ("1.000", "01"),
]  # fmt: skip


@pytest.mark.parametrize("forms", THIRD_FORMS)
@pytest.mark.parametrize("swapped", [False, True])
def test_two_forms_of_a_number_of_which_neither_is_digits_alone_are_refused(
    forms: tuple[str, str], swapped: bool, tmp_path: Path
) -> None:
    """01 of one table and 001 of another were two vertices."""
    first, second = forms[::-1] if swapped else forms
    text = f'src,dst\nann,bob\ncy,"{first}"\ndan,eve\n"{second}",fay\n'
    with pytest.raises(FileFormatError, match="would be two ids, as ids are text here: write whole numbers") as error:
        read_text(tmp_path, text, "g.csv")
    lines = {first: 3, second: 5}
    (word,) = (each for each in forms if f": {each} and " in str(error.value))
    other = next(each for each in forms if each != word)
    assert f"line {lines[word]}: {word} and {other} of line {lines[other]} would be two ids" in str(error.value)
    assert proposals(str(error.value)) == [{"ids": "names"}]
    assert len(read_text(tmp_path, text, "g.csv", ids="names")) == 4
    assert len(read_text(tmp_path, text.replace(f'"{first}"', f'"{second}"'), "g.csv")) == 4
    (note,) = landbridge.components([("ann", first), (second, "bob")]).notes
    assert note in {f"{x} and {y} are two ids: text is compared by its bytes" for x, y in (forms, forms[::-1])}


def test_numbers_in_one_form_are_names(tmp_path: Path) -> None:
    """Zip codes, telephone numbers and account numbers in one form, versions, flats, and hexadecimal digits."""
    pairs = [
        ("01067", "ann"), ("+4930123", "0301234"), ("1e3", "10a"), ("1000", "3ff"), ("2 1000", "21000"), ("1_000", "x"),
        ("0x10", "16"), ("12,50", "12"), ("1.5", "15"), ("5e-1", "5"), ("1.25e1", "12"), ("--1", "+"), ("-", "1-1"),
        ("1.10", "1.1"), ("1.2345", "1.234"), ("02", "020"),
    ]  # fmt: skip
    text = "".join(f'"{u}","{v}"\n' for u, v in pairs if u != "-")
    assert read_text(tmp_path, text, "g.csv", header=False) == [pair for pair in pairs if pair[0] != "-"]


def test_the_other_form_of_a_number_is_named_where_its_digits_are_further_down(tmp_path: Path) -> None:
    text = "ann,1.0\n" + "".join(f"n{i},m{i}\n" for i in range(1200)) + "1,bob\n"
    match = r"line 1: 1\.0 and 1 would be two ids, as ids are text here: .* if they are two: '1\.0'$"
    with pytest.raises(FileFormatError, match=match):
        read_text(tmp_path, text, "g.csv", header=False)


@pytest.mark.parametrize("word", ["beef", "cafe", "deadbeef", "FACE", "a3f"])
@pytest.mark.parametrize(
    "rows", [(("1e3", "{}"), ("1000", "ffee")), (("{}", "1e3"), ("1000", "c0de")), (("1e3", "{}"),)]
)
def test_hexadecimal_letters_are_evidence(word: str, rows: tuple[tuple[str, str], ...], tmp_path: Path) -> None:
    pairs = [(u.format(word), v.format(word)) for u, v in (*rows, ("1000", "bob"))]
    text = "".join(f"{u},{v}\n" for u, v in pairs)
    assert read_text(tmp_path, text, "g.csv", header=False) == pairs
    assert landbridge.components(pairs).notes == ()


@pytest.mark.parametrize("word", ["bad", "Abba", "ann", "eee", "fadeb"])
def test_few_or_odd_letters_are_no_hexadecimal_digits(word: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="line 1: 1e3 and 1000 of line 2 would be two ids"):
        read_text(tmp_path, f"1e3,{word}\nbob,1000\n", "g.csv", header=False)


def test_letters_between_numbers_may_be_an_e(tmp_path: Path) -> None:
    """Seats in the fifth row were numbers with an exponent."""
    pairs = [("3g2", "4h2"), ("1e1", "10"), ("2e1", "11")]
    text = "".join(f"{u},{v}\n" for u, v in pairs)
    assert read_text(tmp_path, text, "g.csv", header=False) == pairs
    assert landbridge.components(pairs).notes == ()


@pytest.mark.parametrize("words", [("1,000", "1e3"), ("1e3", "1,000")])
def test_an_excused_form_of_a_number_hides_no_other(words: tuple[str, str]) -> None:
    (note,) = landbridge.components([(words[0], "a3f"), (words[1], "1000")]).notes
    assert note == "1,000 and 1000 are two ids: text is compared by its bytes"


def test_an_empty_word_is_no_number_in_another_form() -> None:
    """One form was asked for beside an empty word, though no word was a number in another."""
    assert word_shapes.two_forms({b"", b"ann"}) is None
    assert word_shapes.two_forms({b"", b"1.5"}) is None
    assert word_shapes.two_forms({b"", b"1.0", b"1"}) == (b"1.0", b"1")


def test_names_are_not_searched_for_numbers_where_all_begin_with_zeros(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Account numbers cost a search each: as much as reading them did."""
    searched: list[bytes] = []
    monkeypatch.setattr(doubtful_names, "find", lambda _, word: searched.append(word) or [])
    text = "".join(f"{i:06},n{i}\n" for i in range(2000))
    assert len(read_text(tmp_path, text, "g.csv", header=False)) == 2000
    assert {word for word in searched if word.isdigit()} == {b"0"}  # of 000000


def test_a_note_says_that_a_number_with_a_fraction_is_a_name(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("src,dst\nann,1.0\nbob,2.0\ncy,dan\n")
    note = "1.0 of line 2 is taken as text: as an id, 1 is another one"
    for call in ({"graph": path}, {"chunks": path}):
        assert note in landbridge.components(**call).notes  # type: ignore[arg-type]
    assert note not in landbridge.components(path, ids="names").notes


@pytest.mark.parametrize("word", ["", " ", "nan", "None", "<NA>", "NaT", "?"])
def test_a_note_names_an_id_for_no_value_in_tables_and_lists(word: str, tmp_path: Path) -> None:
    """`fillna("")` and `astype(str)` make such of missing values, and all rows without one were joined."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"src": ["a", "b"], "dst": [word, word]})
    sources = [frame, [("a", word), ("b", word)], (["a", "b"], [word, word])]
    shown = word.strip() or "''"
    note = f"{shown} is an id, and joins all rows that have it: leave them out if it stands for no value"
    for source in sources:
        for result in (landbridge.components(source), landbridge.components(chunks=[source])):
            assert note in result.notes
            assert result.count == 1
    assert landbridge.components(frame.assign(dst=["c", "Nan"])).notes == ()
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "t.parquet")
    assert note in landbridge.components(tmp_path / "t.parquet").notes
    assert note in landbridge.components(chunks=tmp_path / "t.parquet").notes


def test_a_note_says_that_one_number_in_two_forms_is_two_ids() -> None:
    """As of a column of floats that is made text, and one of whole numbers."""
    for pairs in ([("1.0", "a"), ("b", "1")], [("1,000", "a"), ("b", "1000")]):
        (note,) = landbridge.components(pairs).notes
        assert note == f"{pairs[0][0]} and {pairs[1][1]} are two ids: text is compared by its bytes"
    assert landbridge.components([("1.0", "a"), ("b", "2"), ("1.10", "1.1")]).notes == ()


@pytest.mark.parametrize("rows", ["1,\n2,1\n3,1\n", "root,\na,root\n"])
def test_empty_columns_are_left_out_and_no_names(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "duplicates.csv"
    path.write_text("id,parent\n" + rows)
    with pytest.raises(FileFormatError, match="leave out lines such as line 2, of which a column is empty") as refused:
        landbridge.components(path)
    assert "ids='names'" not in str(refused.value)
    for ids in ("auto", "names"):
        with pytest.raises(FileFormatError, match="should be; leave such lines out"):
            landbridge.components(path, header=True, ids=ids)


@pytest.mark.parametrize("word", ["", "  ", "nan", "01"])
def test_a_stream_has_the_notes_that_a_list_has(word: str) -> None:
    """It took "" as a name without a word, and all edges without a value were joined."""
    pairs = [("a", word), ("b", word), ("c", "1")]
    expected = landbridge.components(pairs).notes
    assert len(expected) == 1
    stream = landbridge.Incremental(ids="names")
    stream.insert("a", "c")
    assert stream.components().notes == ()
    stream.insert(pairs)
    assert stream.components().notes == expected


@pytest.mark.parametrize("word", ["#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NUM!"])
def test_errors_of_spreadsheets_are_words_for_no_value(word: str, tmp_path: Path) -> None:
    """All records with a broken formula were one component."""
    text = f"src,dst\nann,{word}\nbob,{word}\n"
    with pytest.raises(FileFormatError, match=f"line 2: {re.escape(word)} stands for no value") as error:
        read_text(tmp_path, text, "g.csv")
    assert proposals(str(error.value)) == [{"ids": "names"}]
    assert len(read_text(tmp_path, text, "g.csv", ids="names")) == 2


@pytest.mark.parametrize("word", ["ann\u00a0", "\u2003ann", "ann\u200b", "\u2060ann"])
def test_a_note_names_white_space_that_is_no_blank(word: str, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text(f"src,dst\n{word},bob\nann,cy\n", encoding="utf-8")
    assert f"blanks around ids are part of them, as in {word!r} of line 2" in landbridge.components(path).notes
    path.write_text("src,dst\nann\u00a0lee,böb\nann,cy\n", encoding="utf-8")
    assert not any("blanks" in note for note in landbridge.components(path).notes)


def test_a_note_names_a_number_that_a_spreadsheet_has_rounded(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("src,dst\nann,1.23457E+11\nbob,1.23457E+11\n")
    note = "1.23457E+11 of line 2 is taken as text: other numbers may have been rounded to the same"
    assert note in landbridge.components(path).notes
    assert note not in landbridge.components(path, ids="names").notes
    path.write_text("src,dst\nann,1.5E+00\nbob,3E5x\n")
    assert not any("rounded" in note for note in landbridge.components(path).notes)


def test_runs_of_one_mark_take_time_in_proportion(tmp_path: Path) -> None:
    """The time was that of the square of their length: a minute for 100,000 colons."""
    path = tmp_path / "g.csv"
    colons, dashes, signs = (mark * 100_000 + " x" for mark in ":-@")
    path.write_text(f"email,reply\n{colons},{colons}\n{colons},ann\n")
    begin = time.process_time()
    with contextlib.suppress(InputError):
        landbridge.components(path)
    assert likely_formats.rule_hint((1, 0, len(dashes), [dashes.encode()]), dashes.encode()) == ""
    assert not header_row._are_alike(signs, "b", {"c"})
    assert time.process_time() - begin < 5
    assert likely_formats.rule_hint((1, 0, 4, [b"----"]), b"----")
    assert header_row._are_alike("a@b", "c", {"d"})
    for address in (b"::1", b"fe80::1", b"::ffff:10.0.0.1", b"2001:db8:0:0:0:0:0:1"):
        assert "ipv6" in word_shapes.address_names([address])


@pytest.mark.parametrize("word", ["'007", '="007"', '"=""007"""'])
def test_marks_of_text_of_a_spreadsheet_are_part_of_ids(word: str, tmp_path: Path) -> None:
    plain = word.replace('"=""', '="').replace('"""', '"')
    for call in (read_text, _read_chunks):
        if call is _read_chunks:
            answer = call(tmp_path, f"src,dst\n{word},ann\nbob,cy\n", "g.csv")
            assert f"marks of text around ids are part of them, as in {plain!r} of line 2" in answer.notes
        with pytest.raises(FileFormatError, match="with marks of text, which are part of it, and line 3") as error:
            call(tmp_path, f"src,dst\n{word},ann\nbob,007\n", "g.csv")
        assert proposals(str(error.value)) == [{"ids": "names"}]


@pytest.mark.parametrize(
    ("one", "other"),
    [("M\u00fcller", "Mu\u0308ller"), ("Ann Smith", "Ann\u00a0Smith"), ("Ann Smith", "Ann  Smith")],
)
def test_a_note_names_two_ids_that_look_alike(one: str, other: str, tmp_path: Path) -> None:
    """They were two vertices without a word."""
    path = tmp_path / "g.csv"
    for text, has_note in ((f"src,dst\n{one},a\nb,{other}\n", True), (f"src,dst\n{one},a\nb,{one}\n", False)):
        path.write_text(text, "utf-8")
        for call in ({"graph": path}, {"chunks": path}):
            result = landbridge.components(**call)  # type: ignore[arg-type]
            assert result.count == 2 - (not has_note)
            note = f"{one!a} of line 2 and {other!a} of line 3 are two ids, though they look alike"
            assert any(each.startswith(note) for each in result.notes) == has_note


def test_a_note_names_a_number_in_two_forms_in_two_files(tmp_path: Path) -> None:
    """Of one file they are refused; of two they were two vertices without a word."""
    for name, rows in (("a.csv", "ann,1\n"), ("b.csv", "bob,01\n")):
        (tmp_path / name).write_text(f"src,dst\n{rows}" + "".join(f"{name}{i:03},x{i:03}\n" for i in range(300)))
    note = "01 and 1 are two ids: text is compared by its bytes"
    assert note in landbridge.components(tmp_path).notes
    assert note not in landbridge.components(tmp_path / "a.csv").notes
    names = [f"x{i:04}" for i in range(1000)]
    assert note in landbridge.components([*pairwise(names), ("1", "x1"), ("01", "x2")]).notes


_COUNTED = ["(2 rows)", "(1 row)", " (12 rows)", "2 rows", "SELECT 2"]


@pytest.mark.parametrize("header", ["", "id1 id2\n", "id1\tid2\n"])
@pytest.mark.parametrize("count", _COUNTED)
def test_a_line_that_counts_rows_between_blanks_is_refused(header: str, count: str, tmp_path: Path) -> None:
    """As programs of databases write it; it was an edge between (2 and rows)."""
    for rows in ("ann bob\nbob cy\n", "ann\tbob\nbob\tcy\n"):
        text = f"{header}{rows}{count}\n"
        options = {} if header else {"header": False}
        line = text.count("\n")
        for call in (read_text, _read_chunks):
            with pytest.raises(FileFormatError, match=f"line {line}: it may count the rows above it") as error:
                call(tmp_path, text, "g.txt", **options)
            assert proposals(str(error.value)) == [{"ids": "names"}]
        if "\t" not in text:
            assert len(read_text(tmp_path, text, "g.txt", ids="names", **options)) == 3


def test_a_line_that_counts_rows_is_one_of_three_columns_too(tmp_path: Path) -> None:
    for count in ("(2 rows affected)", "2 rows affected", "2 rows selected."):
        with pytest.raises(FileFormatError, match="line 4: it may count the rows above it"):
            read_text(tmp_path, f"id1 id2 w\nann bob 1\nbob cy 2\n{count}\n", "g.txt")
    with pytest.raises(FileFormatError, match="a whole number; it counts the rows above it: leave such lines out"):
        read_text(tmp_path, "1 2\n2 3\n(2 rows)\n", "g.txt")
    with pytest.raises(FileFormatError, match="a whole number; it counts the rows above it: leave such lines out"):
        read_text(tmp_path, "id1|id2\n1|2\n2|3\n(2 rows)\n", "g.txt")


def test_words_for_rows_are_ids(tmp_path: Path) -> None:
    for last in ("7 rows", "rows 2", "select 7", "two rows", "(2 ROWS)", "2 rowsets"):
        assert len(read_text(tmp_path, f"ann bob\nbob cy\n{last}\n", "g.txt", header=False)) == 3
    assert len(read_text(tmp_path, "ann,bob\nbob,(2 rows)\n", "g.csv", header=False)) == 2


def _read_chunks(folder: Path, text: str, name: str, **options: object) -> Any:
    path = folder / name
    path.write_text(text)
    return landbridge.components(chunks=path, **options)  # type: ignore[arg-type]
