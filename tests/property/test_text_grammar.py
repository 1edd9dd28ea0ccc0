"""The grammar of lines of edges: the fast path and the bytewise path accept the same language.

The fast path needs some bytes behind a line to look ahead, so texts are placed between lines of edges.
"""

from __future__ import annotations

import random
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from landbridge import _core

SYMBOLS = '01 ,\n\r\t#"\0'
BEFORE, AFTER = "10 20\n30 40\n", "\n" + "50 60\n" * 9
DIALECTS: list[dict[str, Any]] = [
    {},
    {"fields": 3},
    {"delimiter": ","},
    {"delimiter": ",", "fields": 3},
    {"delimiter": "\t", "fields": 3},
    {"delimiter": " ", "fields": 3},
    {"exact": False, "quotes": False, "base": 1},
]


def lines_in(dialect: dict[str, Any]) -> tuple[str, str]:
    """Lines of edges before and after a text, in the dialect."""
    part = dialect.get("delimiter", " ")
    third = f"{part}0.5" if dialect.get("fields", 2) == 3 else ""
    return tuple(text.replace(" ", part).replace("\n", third + "\n") for text in (BEFORE, AFTER[1:]))  # type: ignore[return-value]


def first_difference(texts: list[bytes], before: str, after: str, dialect: dict[str, Any]) -> bytes | None:
    """The first of the texts that the two paths read differently: other edges, or another problem, line or column."""
    stops = np.cumsum([len(text) for text in texts], dtype=np.int64)
    data = np.frombuffer(b"".join(texts), np.uint8)
    index = _core._compare_paths(data, stops, before=before, after=after, **dialect)
    return None if index < 0 else before.encode() + texts[index] + after.encode()


@pytest.mark.long
@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
def test_both_paths_agree_on_every_short_text(dialect: dict[str, Any]) -> None:
    """All texts of up to five (or four) significant symbols, alone and behind two ids."""
    longest = 5 if dialect in DIALECTS[:2] else 4
    texts = ["".join(word) for length in range(longest + 1) for word in product(SYMBOLS, repeat=length)]
    whole = [text.encode() for text in texts]
    before, after = lines_in(dialect)
    part = dialect.get("delimiter", " ")
    assert first_difference(whole, before, "\n" + after, dialect) is None
    behind = [f"7{part}8".encode() + text for text in whole if len(text) < longest]
    assert first_difference(behind, before, "\n" + after, dialect) is None


@pytest.mark.parametrize("fields", [3, 4, 5])
@pytest.mark.parametrize("delimiter", ["", " ", ","])
def test_both_paths_agree_on_long_columns(fields: int, delimiter: str) -> None:
    """The tail of a line is read 32 bytes at a time: the position of the seams has no influence."""
    dialect = {"fields": fields, "delimiter": delimiter}
    part = delimiter or " "
    endings = ["".join(word) for length in range(4) for word in product(" ,\r\n\t", repeat=length)]
    texts = [f"1{part}2{part}{'x' * k}{end}y" for k in range(25, 36) for end in endings]
    texts += [text[:-1] for text in texts if text.endswith("y")]
    texts += [
        f"1{part}2{part}{'x' * k}{mark}y" for k in range(36) for mark in ("\ufeff", "\uf000", "\ufeff\n", "\ufeff\r")
    ]
    assert first_difference([t.encode() for t in texts], "", "\n" + "\n" * 60, dialect) is None


def mutated(draw: random.Random, seeds: list[bytes]) -> bytes:
    text = bytearray(draw.choice(seeds))
    for _ in range(draw.randrange(1, 5)):
        at = draw.randrange(len(text) + 1)
        match draw.randrange(4):
            case 0:
                text[at:at] = draw.choice(SYMBOLS).encode()
            case 1:
                text[at : at + 1] = bytes([draw.randrange(256)])
            case 2:
                del text[at : at + draw.randrange(1, 4)]
            case 3:
                stop = draw.randrange(len(text) + 1)
                text[at:at] = text[stop : stop + draw.randrange(1, 40)]
    return bytes(text)


def mutated_files(dialect: dict[str, Any], count: int, seed: str) -> list[bytes]:
    draw = random.Random(seed + str(dialect))
    part = dialect.get("delimiter", " ")
    seeds = []
    for _ in range(40):
        rows = []
        for _ in range(draw.randrange(3, 12)):
            columns = [str(draw.randrange(10 ** draw.randrange(1, 20))) for _ in range(2)]
            columns += ["".join(draw.choices("abc 0.5é", k=draw.randrange(1, 45)))] * (dialect.get("fields", 2) - 2)
            rows.append(part.join(columns) + draw.choice(["\n", "\n", "\r\n"]))
        seeds.append("".join(rows).encode())
    return [mutated(draw, seeds) for _ in range(count)]


@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
def test_both_paths_agree_on_mutated_files(dialect: dict[str, Any]) -> None:
    texts = mutated_files(dialect, 16_000, "")
    assert len(texts) * len(DIALECTS) >= 100_000
    assert first_difference(texts, "", "", dialect) is None
    assert first_difference(texts[:4000], *lines_in(dialect), dialect) is None


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS, ids=str)
def test_both_paths_agree_on_a_million_mutated_files(dialect: dict[str, Any]) -> None:
    for seed in range(10):
        texts = mutated_files(dialect, 15_000, str(seed))
        assert 10 * len(texts) * len(DIALECTS) >= 1_000_000
        assert first_difference(texts, "", "", dialect) is None
        assert first_difference(texts[:4000], *lines_in(dialect), dialect) is None


def test_a_difference_of_the_paths_is_detected() -> None:
    """Both parts of an outcome are compared, and neither is empty."""
    same = _core.parse_edges(np.frombuffer(b"0 1 2\n" * 20, np.uint8), bytewise=True)
    assert same[0].tolist() == [0] * 20
    with pytest.raises(_core.CoreFormatError, match="3 columns"):
        _core.parse_edges(np.frombuffer(b"0 1 2\n" * 20, np.uint8), exact=True)


@pytest.mark.parametrize("fields", [2, 3, 5])
@pytest.mark.parametrize("bytewise", [False, True])
def test_misplaced_characters_are_refused_with_line_and_column(fields: int, bytewise: bool) -> None:
    line = ("1 2" + " 7" * (fields - 2)).encode()
    good = (line + b"\n") * 20
    for at, stray in product(range(len(line)), (b"\r", b"\0")):
        for text, place in (
            (good + line[:at] + stray + line[at:] + b"\n" + good, 21),
            (line[:at] + stray + line[at:] + b"\n" + good, 1),
            (b"# " + line[:at] + stray + line[at:] + b"\n" + good, 1),
        ):
            with pytest.raises(_core.CoreFormatError) as error:
                data = np.frombuffer(text, np.uint8)
                _core.parse_edges(data, fields=fields, exact=True, quotes=True, bytewise=bytewise)
            problem, where, column, _ = error.value.args
            assert where == place and column == at + 1 + 2 * text.startswith(b"#")
            assert ("carriage return" if stray == b"\r" else "zero byte") in problem
    for other in (line + b" 7", line[:-2]):
        with pytest.raises(_core.CoreFormatError, match=rf"columns? where {fields} are needed|empty column") as error:
            data = np.frombuffer(good + other + b"\n" + good, np.uint8)
            _core.parse_edges(data, fields=fields, exact=True, quotes=True, bytewise=bytewise)
        assert error.value.args[1] == 21


def names(text: str | bytes, **dialect: Any) -> list[tuple[str, str]]:
    data = np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8)
    columns = _core.parse_names(data, exact=True, **dialect)
    return list(
        zip(
            *[[bytes(x[a:b]).decode() for a, b in pairwise(o)] for o, x in columns],
            strict=True,
        )
    )


def test_names_follow_the_same_grammar() -> None:
    assert names("a b\n# x\n\né  ü\r\n") == [("a", "b"), ("é", "ü")]
    assert names('"a ""b"" c", d \n', delimiter=",") == [('a "b" c', "d")]
    assert names("a,b|c,d\n", delimiter="|") == [("a,b", "c,d")]
    assert names("smith,j doe\n", delimiter=" ") == [("smith,j", "doe")]
    assert names("#a,b\n", delimiter=",", comments="") == [("#a", "b")]
    assert names("x\ta\tb\n", delimiter="\t", first=2, second=1, fields=3) == [("b", "a")]


@pytest.mark.parametrize("fields", [2, 3, 5])
@pytest.mark.parametrize("delimiter", ["", " ", ",", "\t"])
def test_a_byte_order_mark_is_refused_at_every_place(fields: int, delimiter: str) -> None:
    """In numbers, in names and in comments, by both paths, with its line and column."""
    line = (delimiter or " ").join(["1", "2", *["abc"] * (fields - 2)]) + "\n"
    dialect: dict[str, Any] = {"fields": fields, "delimiter": delimiter}
    for at, start in product(range(len(line)), ("", "#")):
        text = (2 * line + start + line[:at] + "\ufeff" + line[at:] + 20 * line).encode()
        for way in (*({"bytewise": bytewise} for bytewise in (False, True)), None):
            with pytest.raises(_core.CoreFormatError, match="byte order mark") as error:
                if way is None:
                    names(text, **dialect)
                else:
                    _core.parse_edges(np.frombuffer(text, np.uint8), exact=True, quotes=True, **dialect, **way)
            assert error.value.args[1:3] == (3, at + len(start) + 1)


@pytest.mark.parametrize("delimiter", ["", " ", ",", ";", "\t", "|"])
def test_whole_numbers_are_the_same_as_names(delimiter: str) -> None:
    """Blanks around a whole number belong to no name."""
    draw = random.Random(delimiter)
    blanks = ["", "", " ", "  ", *(["\t"] if delimiter != "\t" else [])]
    for _ in range(2000):
        rows = [
            [str(draw.randrange(10 ** draw.randrange(1, 6))) for _ in range(2)] for _ in range(draw.randrange(1, 6))
        ]
        text = "".join(
            (delimiter or ",").join(draw.choice(blanks) + word + draw.choice(blanks) for word in row)
            + draw.choice(["\n", "\r\n"])
            for row in rows
        )
        u, v, *_ = _core.parse_edges(
            np.frombuffer(text.encode(), np.uint8), exact=True, quotes=True, delimiter=delimiter
        )
        assert names(text, outer_blanks=True, delimiter=delimiter) == [
            (str(a), str(b)) for a, b in zip(u, v, strict=True)
        ]
    assert names(" -1 , +2\n 3 x, x3 \n", outer_blanks=True, delimiter=",") == [("-1", "+2"), (" 3 x", " x3 ")]


@pytest.mark.parametrize(
    ("text", "problem", "line", "column"),
    [
        (b"a b\nc\rd e\n", "carriage return", 2, 2),
        (b"a b\nc\0 e\n", "zero byte", 2, 2),
        (b"a b\nc d e\n", "3 columns where 2 are needed", 2, 1),
        (b"a b\nc\n", "1 column where 2 are needed", 2, 1),
        (b'a "b\nc" d\n', "a quote that nothing closes", 1, 3),
        (b'a "b"c\n', "text behind the quote", 1, 3),
        (b"a,\n", "an empty column", 1, 3),
        (b"a b\nc \xe9\n", "not UTF-8", 2, 3),
        (b"a \xed\xa0\x80\n", "not UTF-8", 1, 3),
        (b"a b\nxyz\xc0\xafc d\n", "not UTF-8", 2, 4),
        (b"abcdefghij\xf4\x90\x80\x80 b\n", "not UTF-8", 1, 11),
    ],
)
def test_invalid_names_are_refused(text: bytes, problem: str, line: int, column: int) -> None:
    with pytest.raises(_core.CoreFormatError, match=problem) as error:
        names(text)
    assert error.value.args[1:3] == (line, column)


def test_utf8_is_validated_as_in_python() -> None:
    draw = random.Random(5)
    pieces = ["a", "é", "€", "😀", "\ud7ff", "\ue000", "\U0010ffff", "\u0080", "\u0800", "\U00010000"]
    for _ in range(20_000):
        name = bytearray("".join(draw.choices(pieces, k=draw.randrange(1, 12))).encode())
        if draw.random() < 0.7:
            name[draw.randrange(len(name))] = draw.choice([0x61, 0x80, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0, 0xF4, 0xFF])
        try:
            text = name.decode()
        except UnicodeDecodeError:
            with pytest.raises(_core.CoreFormatError, match="not UTF-8"):
                names(bytes(name) + b" x\n")
        else:
            assert names(bytes(name) + b" x\n") == [(text, "x")]
