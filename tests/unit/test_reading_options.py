"""The options of reading edges: public functions take the same ones, and their signatures spell them out."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge.edges import generators
from landbridge.edges.files import FORMATS, write_edges
from landbridge.edges.formats.registry import format_by_name
from landbridge.edges.options import Options, ReadingOptions, options_of
from landbridge.errors import InputError

FUNCTIONS = (landbridge.components, landbridge.spanning_forest, landbridge.components_of_chunks, landbridge.Graph)
NAMES = tuple(ReadingOptions.__annotations__)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_signatures_spell_the_options_out(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    assert not [each for each in parameters.values() if each.kind is each.VAR_KEYWORD]
    for name in NAMES:
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].default is None
        assert parameters[name].annotation.endswith("| None")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_unknown_option_is_refused_by_the_function(function: Callable[..., Any]) -> None:
    name = function.__init__.__qualname__ if inspect.isclass(function) else function.__name__  # type: ignore[misc]
    refusal = f"{name}() got an unexpected keyword argument 'delimeter'"
    with pytest.raises(TypeError, match=re.escape(refusal)):
        function(([0], [1]), delimeter=";")


def test_every_option_is_one_of_readers() -> None:
    assert {"budget" if name == "max_bytes" else name for name in NAMES} <= set(Options.__dataclass_fields__)
    assert set(NAMES) <= set(inspect.signature(options_of).parameters)


@pytest.mark.parametrize("row", [row for row in FORMATS.values() if row.write is not None], ids=lambda row: row.name)
def test_an_option_of_text_that_a_format_does_not_read_is_refused(row: Any, tmp_path: Path) -> None:
    path = tmp_path / f"g{row.extensions[0]}"
    write_edges(generators.generate("grid2d(3,3)"), path)
    options = {"header": False, "delimiter": " ", "comment": "#", "encoding": "utf-8"}
    for name, value in options.items():
        for call in (landbridge.components, lambda x, **option: landbridge.components(chunks=x, **option)):
            if name in row.read_by:
                landbridge.components(path, **{name: value})
            elif row.chunks is not None or call is landbridge.components:
                takes = ", ".join(other.title for other in FORMATS.values() if name in other.read_by)
                problem = f"{name} has no effect on files of format {row.name}: it is for {takes}"
                with refused(landbridge.InputError, f"{path}: {problem}"):
                    call(path, **{name: value})


def test_an_option_that_a_dataset_of_arrow_does_not_read_is_refused(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    dataset = pytest.importorskip("pyarrow.dataset")
    folder = tmp_path / "day=1"
    folder.mkdir()
    parquet.write_table(arrow.table({"u": [0, 1], "v": [1, 2]}), folder / "edges.parquet")
    options: dict[str, Any] = {"header": False, "delimiter": " ", "comment": "#", "encoding": "utf-8"}
    for name, source in ((str(tmp_path), tmp_path), ("<FileSystemDataset>", dataset.dataset(folder))):
        for form in ("graph", "chunks"):
            call = partial(landbridge.components, **{form: source}, columns=("u", "v"))
            assert call().count == call(format="parquet").count == 1
            with refused(InputError, f"{name}: a dataset of Arrow has a format already: leave format='edges' out"):
                call(format="edges")
            for option, value in options.items():
                takes = ", ".join(row.title for row in FORMATS.values() if option in row.read_by)
                with refused(InputError, f"{name}: {option} has no effect on a dataset of Arrow: it is for {takes}"):
                    call(**{option: value})


def test_a_list_of_formats_says_which_is_csv() -> None:
    titles = ["edges (CSV, TSV and other text)", *list(FORMATS)[1:]]
    with refused(InputError, f"there is no file format 'nix'; known are {', '.join(titles)}"):
        format_by_name("nix")
    for row in FORMATS.values():
        assert format_by_name(row.name) is row
        for name in {ending[1:] for ending in row.extensions} - set(FORMATS):
            for word in (name, name.upper()):
                with refused(InputError, f"there is no file format {word!r}; .{name} files are of format {row.name}"):
                    format_by_name(word)


@pytest.mark.parametrize("name", ["edges.npy", "edges.npz"])
def test_a_base_is_not_for_arrays_in_files(name: str, tmp_path: Path) -> None:
    """Their ids were taken as 0 to n-1 and shown as 1 to n."""
    u, v = np.array([1, 2]), np.array([2, 3])
    if name.endswith("npy"):
        np.save(tmp_path / name, np.stack([u, v], axis=1))
    else:
        np.savez(tmp_path / name, u=u, v=v)
    for call in (landbridge.components, landbridge.spanning_forest):
        with pytest.raises(InputError, match=f"{name}: base is not for files of format np[yz]; subtract 1"):
            call(tmp_path / name, base=1)
    assert landbridge.components(tmp_path / name).count == 2


def test_whole_numbers_of_numpy_bound_bytes_and_chunks(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n1 2\n")
    assert landbridge.components(path, max_bytes=np.int64(100)).count == 1
    assert landbridge.components(chunks=path, chunk_size=np.int64(1)).count == 1
    for value in (np.int64(0), True, 1.0):
        for name, source in ("max_bytes", path), ("chunk_size", None):
            options: Any = {name: value} | ({} if source else {"chunks": path})
            with pytest.raises(InputError, match=f"{name} must be a positive whole number"):
                landbridge.components(*filter(None, [source]), **options)
