"""Options that are true or false: a bool of Python or NumPy, and nothing that Python takes for one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge.cluster.running import RunOptions
from landbridge.edges.files import write_edges
from landbridge.edges.options import GraphOptions
from landbridge.errors import InputError
from landbridge.flags import flag, flag_or_none

PAIR = ([0, 1], [1, 2])
ROWS = landbridge.CSR([0, 1, 2], [1, 0])
CHAIN = [1, 2, 2]
Call = Callable[..., Any]

FLAGS: dict[tuple[str, str], Call] = {
    ("plans", "extended"): lambda **flag: landbridge.plans("list_ranking", "cpu", **flag),
    ("Graph", "check"): lambda **flag: landbridge.Graph(PAIR, **flag),
    ("Incremental", "forest"): landbridge.Incremental,
    ("rank_list", "full"): lambda **flag: landbridge.rank_list(CHAIN, **flag),
    ("scan_list", "full"): lambda **flag: landbridge.scan_list(CHAIN, CHAIN, **flag),
    ("scan_list", "exclusive"): lambda **flag: landbridge.scan_list(CHAIN, CHAIN, **flag),
    ("Sizes", "symmetric"): lambda **flag: landbridge.Sizes(3, 2, **flag),
    ("Sizes", "on_device"): lambda **flag: landbridge.Sizes(3, 2, **flag),
    ("Sizes", "in_rows"): lambda **flag: landbridge.Sizes(3, 2, **flag),
    ("ListSizes", "values"): lambda **flag: landbridge.ListSizes(3, **flag),
    ("ListSizes", "on_device"): lambda **flag: landbridge.ListSizes(3, **flag),
    ("options of graphs", "check"): lambda **flag: landbridge.explain(PAIR, **flag),
    ("dask and spark", "check"): RunOptions,
}
SYNC = ("Incremental", "sync")
EXCLUSIVE = ("check_ranks", "exclusive")
OPEN: dict[tuple[str, str], Call] = {
    ("components", "symmetric"): lambda **flag: landbridge.components(ROWS, **flag),
    ("spanning_forest", "symmetric"): lambda **flag: landbridge.spanning_forest(ROWS, **flag),
    ("Graph", "symmetric"): lambda **flag: landbridge.Graph(PAIR, **flag),
    ("options of graphs", "symmetric"): lambda **flag: landbridge.estimate_memory(ROWS, **flag),
    ("CSR", "symmetric"): lambda **flag: landbridge.CSR([0, 1, 2], [1, 0], **flag),
    ("check_components", "numbering"): lambda **flag: landbridge.check_components(PAIR, [0, 0, 0], **flag),
}
HEADER = {
    (name, "header")
    for name in ("Graph", "components", "components_of_chunks", "deduplicate", "spanning_forest", "why")
}
HEADER.add(("options of graphs", "header"))
NO_FLAGS = ["no", "False", "", 0, 1, 1.0, [], np.array([True, False])]


def test_every_option_that_is_true_or_false_is_in_these_tables() -> None:
    named = {
        (name, parameter.name)
        for name in landbridge.__all__
        if callable(thing := getattr(landbridge, name))
        and not (inspect.isclass(thing) and issubclass(thing, Exception))
        for parameter in inspect.signature(thing).parameters.values()
        if str(parameter.annotation) in ("bool", "bool | None")
    }
    hints = GraphOptions.__annotations__
    named |= {("options of graphs", name) for name, hint in hints.items() if hint.__forward_arg__.startswith("bool")}
    assert named | {("dask and spark", "check")} == {*FLAGS, *OPEN, *HEADER, SYNC, EXCLUSIVE}


@pytest.mark.parametrize("value", NO_FLAGS, ids=repr)
@pytest.mark.parametrize("place", FLAGS, ids=" ".join)
def test_what_is_no_bool_is_refused(place: tuple[str, str], value: Any) -> None:
    with refused(InputError, f"{place[1]} must be True or False, not {' '.join(repr(value).split())}"):
        FLAGS[place](**{place[1]: value})
    with refused(InputError, f"{place[1]} must be True or False, not None"):
        FLAGS[place](**{place[1]: None})


@pytest.mark.parametrize("value", NO_FLAGS, ids=repr)
@pytest.mark.parametrize("place", OPEN, ids=" ".join)
def test_what_is_neither_a_bool_nor_none_is_refused(place: tuple[str, str], value: Any) -> None:
    with refused(InputError, f"{place[1]} must be True, False or None, not {' '.join(repr(value).split())}"):
        OPEN[place](**{place[1]: value})
    OPEN[place](**{place[1]: None})


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("place", [*FLAGS, *OPEN], ids=" ".join)
def test_a_bool_of_numpy_is_one_of_python(place: tuple[str, str], value: bool) -> None:
    call = {**FLAGS, **OPEN}[place]
    one, other = (call(**{place[1]: each}) for each in (value, np.bool_(value)))
    assert type(one) is type(other)
    assert flag("it", np.bool_(value)) is value is flag_or_none("it", np.bool_(value))
    if isinstance(one, landbridge.CSR | landbridge.Sizes | landbridge.ListSizes | RunOptions):
        assert getattr(one, place[1]) == getattr(other, place[1]) == value


@pytest.mark.parametrize("value", NO_FLAGS, ids=repr)
def test_headers_synchronised_journals_and_exclusive_sums_are_bools(value: Any, tmp_path: Path) -> None:
    text, what = tmp_path / "g.csv", " ".join(repr(value).split())
    text.write_text("src,dst\n0,1\n")
    paths = partial(landbridge.why, u=0, v=1)
    functions = (landbridge.components, landbridge.spanning_forest, landbridge.Graph, landbridge.deduplicate, paths)
    for function in functions:
        with refused(InputError, f"header must be True, False or None, not {what}"):
            function(text, header=value)
    with refused(InputError, f"header must be True, False or None, not {what}"):
        landbridge.components(chunks=text, header=value)
    with refused(InputError, f"sync must be True or False, not {what}"):
        landbridge.Incremental(journal=tmp_path / "j", sync=value)
    assert not (tmp_path / "j").exists()
    with refused(InputError, f"exclusive must be True or False, not {what}"):
        landbridge.check_ranks(CHAIN, [0, 1, 3], values=CHAIN, exclusive=value)
    assert landbridge.components(text, header=np.bool_(True)).count == 1


@pytest.mark.parametrize("format", [5, True, b"edges", ["edges"]], ids=repr)
def test_a_format_is_text(format: Any, tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("0 1\n")
    for call in (
        landbridge.components,
        landbridge.Graph,
        lambda x, **option: landbridge.components(chunks=x, **option),
    ):
        with refused(InputError, f"format must be the name of a format or None, not {format!r}"):
            call(path, format=format)
    for write in (
        lambda: write_edges(PAIR, tmp_path / "o.txt", format=format),
        lambda: landbridge.components(chunks=[], format=format),
    ):
        with refused(InputError, f"format must be the name of a format or None, not {format!r}"):
            write()


@pytest.mark.parametrize("ids", ["", 0, False, [], "numbers"], ids=repr)
def test_a_kind_of_ids_is_one_of_four_words(ids: Any) -> None:
    with refused(InputError, f"ids must be one of 'auto', 'dense', 'sparse', 'names', not {ids!r}"):
        landbridge.components(PAIR, ids=ids)
