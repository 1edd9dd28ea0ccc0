"""Negative ids of data frames: each call names what takes them, and takes them so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import landbridge
from landbridge.errors import InputError

pandas = pytest.importorskip("pandas")
FRAME = pandas.DataFrame({"src": [-1, 2], "dst": [2, -5]})
RECORDS = pandas.DataFrame({"id": [-1, 2, -5]})
CALLS: dict[str, Callable[..., Any]] = {
    "components": lambda **ids: landbridge.components(FRAME, **ids),
    "chunks": lambda **ids: landbridge.components(chunks=[FRAME], **ids),
    "columns": lambda **ids: landbridge.components((FRAME.src, FRAME.dst), **ids),
    "graph": lambda **ids: landbridge.Graph(FRAME, **ids),
    "forest": lambda **ids: landbridge.spanning_forest(FRAME, **ids),
    "explain": lambda **ids: landbridge.explain(FRAME, **ids),
    "why": lambda **ids: landbridge.why(FRAME, -1, -5, **ids),
    "deduplicate": lambda **ids: landbridge.deduplicate(FRAME, RECORDS, **ids),
    "check": lambda **ids: landbridge.check_components(FRAME, landbridge.components(FRAME, ids="sparse"), **ids),
    "stream": lambda **ids: landbridge.Incremental(**ids).insert(FRAME),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_message_about_a_negative_id_names_what_takes_it(call: str) -> None:
    with pytest.raises(InputError, match=r"-1 is negative; (Incremental\()?ids='sparse'\)? takes negative ids$"):
        CALLS[call]()
    CALLS[call](ids="sparse")


@pytest.mark.parametrize("option", [{"num_vertices": 9}, {"base": 1}])
def test_options_that_exclude_negative_ids_are_named(option: dict[str, int]) -> None:
    (name,) = option
    with pytest.raises(InputError, match=f"ids='sparse' without {name} takes negative ids$"):
        landbridge.components(FRAME, **option)  # type: ignore[arg-type]
    assert landbridge.components(FRAME, ids="sparse").ids.tolist() == [-5, -1, 2]
