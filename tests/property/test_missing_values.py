"""Tables of text with words for no value, of two columns and more: each way to read one gives the same edges, or one
line of error."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import landbridge
from landbridge.edges.formats.sample import MISSING
from landbridge.errors import LandbridgeError

Rows = list[list[str]]

NUMBERS = ("0", "1", "2", "5", "007", "1500000000", "1500000001", "9" * 25, "9" * 5000, "1.5", "-1")
MISSED = [word.decode() for word in MISSING] + ["NaN", "NULL", "None", "NA"]
WAYS: list[dict[str, Any]] = [
    {}, {"header": False}, {"header": True}, {"ids": "names"}, {"ids": "sparse"}, {"ids": "dense"}, {"columns": (1, 2)},
    {"columns": (0, 1)},
]  # fmt: skip


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    width = draw(st.integers(2, 4))
    numbers, others = st.sampled_from(NUMBERS[: draw(st.sampled_from((4, 7, 11)))]), st.sampled_from([*MISSED, "a"])
    words = st.one_of(numbers, numbers, numbers, others)
    return draw(st.lists(st.lists(words, min_size=width, max_size=width), min_size=1, max_size=5))


def outcome(*args: Any, **options: Any) -> tuple[list[Any], list[int]] | str:
    """The vertices and labels of an answer, or the class of its error, which is one line."""
    try:
        result = landbridge.components(*args, max_bytes=1 << 27, threads=1, **options)
    except LandbridgeError as error:
        assert "\n" not in str(error)
        return type(error).__name__
    ids = range(len(result.labels)) if result.ids is None else list(result.ids)
    return list(ids), result.labels.tolist()


@pytest.mark.parametrize("options", WAYS, ids=str)
@given(rows=tables())
@example(rows=[["4", "null", "1"], ["0", "5", "5"]])
@example(rows=[["4", "5", "1"], ["0", "null", "2"]])
@example(rows=[["1500000000", "0", "NaN"], ["1500000001", "1", "2"]])
def test_no_value_breaks_no_reader(options: dict[str, Any], rows: Rows) -> None:
    text = "".join(",".join(row) + "\n" for row in rows).encode()
    with tempfile.TemporaryDirectory() as folder:
        plain, packed = Path(folder, "missing.csv"), Path(folder, "missing.csv.gz")
        plain.write_bytes(text)
        packed.write_bytes(gzip.compress(text, 1))
        whole = outcome(plain, **options)
        assert outcome(packed, **options) == whole
        assert outcome(chunks=plain, **options) == whole


def test_times_beside_a_missing_value_are_refused(tmp_path: Path) -> None:
    """A row without its last id leaves the first column what it is."""
    path = tmp_path / "t.csv"
    path.write_text("1500000000,4,7\n1500000003,5,null\n1500000004,6,7\n")
    with pytest.raises(landbridge.InputError, match="could be times, counted from 1970 on"):
        landbridge.components(path)
