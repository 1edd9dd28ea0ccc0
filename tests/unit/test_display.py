"""What results, graphs and streams show of themselves, and what a copy or a pickle of them is equal to."""

from __future__ import annotations

import copy
import io
import pickle
import sys
from collections.abc import Callable
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge.plan import parse

PAIRS = [("ann", "bob"), ("cy", "dan"), ("bob", "eve")]
U, V = np.array([0, 1, 3, 5]), np.array([1, 2, 4, 5])
COPIES: list[Callable[[Any], Any]] = [
    copy.copy, copy.deepcopy, *(lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in range(2, 6)),
]  # fmt: skip


def objects() -> dict[str, Any]:
    csr = landbridge.CSR([0, 1, 2, 2], [1, 0], symmetric=True)
    named = landbridge.components(PAIRS)
    named.first, named.largest_size  # noqa: B018 - what is kept with a result travels with it
    probe = landbridge.Graph(csr)
    probe.probe  # noqa: B018
    return {
        "components": landbridge.components((U, V)),
        "names": named,
        "sparse": landbridge.components((U * 10**9, V), ids="sparse"),
        "forest": landbridge.spanning_forest((U, V)),
        "ranking": landbridge.rank_list([1, 1, 3, 3], full=True),
        "pairs": landbridge.Graph((U, V)),
        "csr": probe,
        "named graph": landbridge.Graph(PAIRS),
        "plan": parse("kout(2)+rem_cas(naive,split_one)@cpu(threads=2)"),
        "explanation": landbridge.explain((U, V)),
        "sizes": landbridge.Sizes(10, 20),
        "csr arrays": csr,
    }


def content(value: Any) -> Any:
    """All that an object holds, as plain data."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if type(value).__name__ == "NameArray":
        return [str(x) for x in value]
    if isinstance(value, dict):
        return {key: content(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [content(x) for x in value]
    names = [f.name for f in fields(value)] if hasattr(value, "__dataclass_fields__") else []
    names += [name for name in vars(value) if name not in names] if hasattr(value, "__dict__") else []
    return {name: content(getattr(value, name)) for name in names} if names else value


@pytest.mark.parametrize("how", range(len(COPIES)))
@pytest.mark.parametrize("name", objects())
def test_copies_are_equal_and_work(name: str, how: int) -> None:
    value = objects()[name]
    again = COPIES[how](value)
    assert type(again) is type(value)
    assert content(again) == content(value)
    assert repr(again) == repr(value)
    if isinstance(value, landbridge.Graph):
        assert landbridge.components(again).labels.tolist() == landbridge.components(value).labels.tolist()
    if isinstance(value, landbridge.Components):
        assert again.representatives.tolist() == value.representatives.tolist()
        assert again.frame("pandas").equals(value.frame("pandas")) if "pandas" in sys.modules else True


def test_a_deep_copy_shares_no_array() -> None:
    value = landbridge.Graph((U, V))
    assert not np.shares_memory(copy.deepcopy(value).a, value.a)
    assert np.shares_memory(copy.copy(value).a, value.a)


@pytest.mark.parametrize("how", range(len(COPIES)))
def test_a_stream_says_how_it_is_copied(how: int) -> None:
    stream = landbridge.Incremental()
    with pytest.raises(TypeError, match="a stream is not copied: merge it into a new one, or save and load it"):
        COPIES[how](stream)


class Cells(HTMLParser):
    """The cells of a table; fails for tags that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


def cells(value: Any) -> list[str]:
    parser = Cells()
    parser.feed(value._repr_html_())
    parser.close()
    assert parser.open == []
    return parser.cells


def test_notebooks_show_tables() -> None:
    shown = objects()
    of_names = cells(shown["names"])
    assert of_names[:9] == [
        "Connected components", "components", "2", "vertices", "5", "largest component", "3 (0.6 of all)",
        "isolated vertices", "0 (0 of all)",
    ]  # fmt: skip
    assert "names" in of_names
    assert {"Spanning forest", "trees", "3"} <= set(cells(shown["forest"]))
    assert {"List ranking", "lists", "2"} <= set(cells(shown["ranking"]))
    assert {"Graph", "csr", "yes"} <= set(cells(shown["csr"]))
    stream = landbridge.Incremental()
    stream.insert([0], [3])
    assert {"Stream of edges", "components", "3", "vertex numbers"} <= set(cells(stream))


def test_html_escapes_notes() -> None:
    result = landbridge.components((U, V))
    noted = landbridge.Components(2, result.labels, "p", "cpu", result.profile, notes=("<script>",))
    assert "<script>" in cells(noted)


def test_lines_say_what_a_person_asks_first() -> None:
    line = repr(landbridge.components(PAIRS, threads=1))
    assert line.startswith("Components(count=2, vertices=5, largest=3, isolated=0, ids='names', plan=")
    assert repr(landbridge.Graph(PAIRS)).endswith("int32, names ids)")
    assert repr(landbridge.components(([], []))).startswith("Components(count=0, vertices=0, plan=")


# plots -----------------------------------------------------------------------------------------------------------


def test_sizes_are_drawn() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    result = landbridge.components((U, V))  # 3, 2, 1 vertices
    axes = result.plot(color="red")
    (points,) = axes.lines
    assert points.get_xdata().tolist() == [1, 2, 3]
    assert points.get_ydata().tolist() == pytest.approx([1, 2 / 3, 1 / 3])
    assert points.get_color() == "red"
    other = pyplot.subplots()[1]
    assert result.plot("sizes", ax=other) is other
    assert other.lines[0].get_ydata().tolist() == [3, 2, 1]
    landbridge.components(([], [])).plot()
    with pytest.raises(landbridge.InputError, match="kind must be one of 'ccdf', 'sizes'"):
        result.plot("pie")
    pyplot.close("all")


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(landbridge.MissingDependency, match="plot"):
        landbridge.components((U, V)).plot()


# bars ------------------------------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_without_tqdm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    path = tmp_path / "edges.txt"
    path.write_text("cy bob\ndan eve\n" * 100_000)
    for stream, written in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert landbridge.components(path, progress=True).count == 2
        assert landbridge.components(chunks=path, progress=True, ids="names").count == 2
        assert bool(stream.getvalue()) == written


def test_a_bar_of_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    class Bar:
        total: Any = None

        def __init__(self, **words: Any) -> None:
            calls.append(words["unit"])

        def update(self, more: int) -> None:
            calls.append(more)

        def close(self) -> None:
            calls.append("closed")

    module = type(sys)("tqdm.auto")
    module.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    assert landbridge.components(chunks=[([0], [1]), ([1, 2], [2, 3])], progress=True).count == 1
    assert (calls[0], calls[-1], sum(x for x in calls[1:-1])) == ("edges", "closed", 3)


def test_progress_is_a_function_or_true(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("cy bob\n" * 200_000)
    calls: list[Any] = []
    assert landbridge.components(path, progress=lambda done, total: calls.append((done, total))).count == 1
    landbridge.components(chunks=path, ids="names", progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (path.stat().st_size,) * 2
    for no_bar in (False, np.False_, np.True_):  # standard error is no terminal
        assert landbridge.components(path, progress=no_bar).count == 1
    with pytest.raises(landbridge.InputError, match="progress must be True, False, None or a function"):
        landbridge.components(path, progress=3)  # type: ignore[arg-type]
    with pytest.raises(landbridge.InputError, match="progress"):
        landbridge.components(([0], [1]), progress=print)
