"""Options that are one of some words: anything else is refused as a wrong word is, also arrays and lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import InputError
from landbridge.edges.generators.random_graphs import rmat
from landbridge.errors import LandbridgeError

EDGES = [(0, 1), (1, 2)]
NEXT = [1, 2, 2]
RANKS = [2, 1, 0]
CALLS: dict[str, Callable[[Any], Any]] = {
    "ids": lambda x: landbridge.components(EDGES, ids=x),
    "plan": lambda x: landbridge.components(EDGES, plan=x),
    "device": lambda x: landbridge.components(EDGES, device=x),
    "devices": lambda x: landbridge.components(EDGES, devices=x),
    "columns": lambda x: landbridge.components(EDGES, columns=x),
    "kind of a stream": lambda x: landbridge.Incremental(ids=x),
    "representative": lambda x: landbridge.Incremental(3).find(0, representative=x),
    "order": lambda x: landbridge.Incremental(3).apply([0], [1], [True], order=x),
    "origin": lambda x: landbridge.rank_list(NEXT, origin=x),
    "origin of a scan": lambda x: landbridge.scan_list(NEXT, NEXT, origin=x),
    "op": lambda x: landbridge.scan_list(NEXT, NEXT, op=x),
    "origin of a check": lambda x: landbridge.check_ranks(NEXT, RANKS, origin=x),
    "op of a check": lambda x: landbridge.check_ranks(NEXT, RANKS, op=x),
    "layout of sizes": lambda x: landbridge.Sizes(10, 20, layout=x),
    "bits of sizes": lambda x: landbridge.Sizes(10, 20, id_bits=x),
    "preset": lambda x: rmat(4, preset=x),
    "isolated": lambda x: rmat(4, isolated=x),
    "problem": landbridge.plans,
    "engine": lambda x: landbridge.plans(engine=x),
    "layout": lambda x: landbridge.plans(layout=x),
    "problem of an estimate": lambda x: landbridge.estimate_memory((3, 2), problem=x),
    "library": lambda x: landbridge.components(EDGES).frame(x),
    "library of records": lambda x: landbridge.deduplicate(EDGES, library=x),
    "id": lambda x: landbridge.deduplicate([("a", "b")], pytest.importorskip("pandas").DataFrame({"id": ["a"]}), id=x),
    "size of a chunk": lambda x: landbridge.components(chunks=pytest.importorskip("polars").LazyFrame(), chunk_size=x),
}
ODD = ["", "other", b"", 0, [], [0, 1, 2], {}, np.array([]), np.array(["a", "b"]), np.array(1), object()]


@pytest.mark.parametrize("option", CALLS)
def test_what_is_no_word_of_an_option_is_refused(option: str) -> None:
    """An array ended in an error about its truth, a list in one about its hash; "" and 0 were no library."""
    for value in ODD:
        with pytest.raises(LandbridgeError) as error:
            CALLS[option](value)
        assert "\n" not in str(error.value)


def test_options_of_edges_have_no_effect_on_an_estimate_of_sizes() -> None:
    with refused(InputError, "ids, columns have no effect: sizes are given, and no edges are read"):
        landbridge.estimate_memory((3, 2), ids="names", columns=(0, 1))
    with refused(InputError, "header has no effect: sizes are given, and no edges are read"):
        landbridge.estimate_memory((3, 2), header=True)


def test_an_operation_of_a_scan_is_refused_where_nothing_is_scanned() -> None:
    with refused(InputError, "op='max' would have no effect: it is of scans, and there are no values"):
        landbridge.check_ranks(NEXT, RANKS, op="max")
    landbridge.check_ranks(NEXT, landbridge.scan_list(NEXT, NEXT, op="max"), values=NEXT, op="max")


def test_a_missing_value_of_pandas_is_no_column() -> None:
    pandas = pytest.importorskip("pandas")
    for value in (pandas.NA, pandas.NaT):
        with pytest.raises(InputError):
            landbridge.deduplicate([("a", "b")], value)
        with pytest.raises(InputError):
            landbridge.check_components(EDGES, value)
