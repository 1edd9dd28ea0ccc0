"""`landbridge.compat.scipy` gives SciPy's answers with SciPy's types, for every kind of matrix, and SciPy's errors."""

from __future__ import annotations

import inspect
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sparse = pytest.importorskip("scipy.sparse")
from scipy.sparse import csgraph  # noqa: E402

from landbridge.compat.scipy import connected_components  # noqa: E402

FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]
VALUES = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -2.5, np.inf, -np.inf, np.nan]
DTYPES = [np.float64, np.float32, np.int64, np.int8, np.uint16, np.bool_]


def outcome(function: Any, *args: Any) -> Any:
    """The answer with all its types, or the exception and its text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = function(*args)
    except Exception as error:
        return type(error), str(error)
    if not isinstance(answer, tuple):
        return type(answer), answer
    count, labels = answer
    return type(count), count, type(labels), labels.dtype, labels.flags.writeable, labels.tolist()


@st.composite
def matrices(draw: Any) -> Any:
    n = draw(st.integers(0, 7))
    dtype = draw(st.sampled_from(DTYPES))
    values = VALUES if np.dtype(dtype).kind == "f" else [0, 0, 0, 0, 1, 3]
    dense = np.array(draw(st.lists(st.sampled_from(values), min_size=n * n, max_size=n * n)), dtype=dtype).reshape(n, n)
    kind = draw(st.sampled_from(["dense", "fortran", "masked", "matrix", *FORMATS, *(f"{f}_matrix" for f in FORMATS)]))
    if kind == "dense":
        return dense
    if kind == "fortran":
        return np.asfortranarray(dense)
    if kind == "matrix":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.matrix(dense)
    if kind == "masked":
        mask = np.array(draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n)), dtype=bool).reshape(n, n)
        return np.ma.array(dense, mask=mask)
    # Entries with explicit zeros and duplicates, in any order.
    m = draw(st.integers(0, 10)) if n else 0
    rows, columns = (np.array(draw(st.lists(st.integers(0, max(0, n - 1)), min_size=m, max_size=m)), dtype=np.int64)
                     for _ in range(2))  # fmt: skip
    entries = np.array(draw(st.lists(st.sampled_from(values), min_size=m, max_size=m)), dtype=dtype)
    matrix = sparse.coo_array((entries, (rows, columns)), shape=(n, n))
    if kind.startswith("bsr") and n == 0:
        kind = kind.replace("bsr", "csr")
    with np.errstate(invalid="ignore"):  # duplicates of both infinities
        matrix = matrix.asformat(kind.removesuffix("_matrix"))
    return getattr(sparse, f"{matrix.format}_matrix")(matrix) if kind.endswith("_matrix") else matrix


@settings(max_examples=80, deadline=None)
@given(matrices(), st.booleans(), st.sampled_from(["weak", "strong", "WEAK", "Strong"]), st.booleans())
def test_answers_and_types_are_those_of_scipy(matrix: Any, directed: bool, connection: str, labels: bool) -> None:
    words = (directed, connection, labels)
    assert outcome(connected_components, matrix, *words) == outcome(csgraph.connected_components, matrix, *words)


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((2, 3)), np.zeros(3), sparse.csr_array((2, 3)), [[0, 1], [0, 0]], None, 5, np.array([["a"]]),
        np.eye(2, dtype=complex), sparse.csr_array(np.eye(2, dtype=complex)), np.array([[None]], dtype=object),
        np.zeros((1, 1, 1)), sparse.coo_array(np.ones(3)),
    ],
    ids=lambda matrix: f"{type(matrix).__name__} {getattr(matrix, 'shape', '')} {getattr(matrix, 'dtype', '')}",
)  # fmt: skip
def test_other_objects_have_the_outcome_of_scipy(matrix: Any) -> None:
    assert outcome(connected_components, matrix) == outcome(csgraph.connected_components, matrix)


@pytest.mark.parametrize("connection", ["", "both", None, 3])
def test_other_connections_have_the_error_of_scipy(connection: Any) -> None:
    words = (np.eye(2), False, connection)
    assert outcome(connected_components, *words) == outcome(csgraph.connected_components, *words)


def test_the_signature_is_that_of_scipy() -> None:
    ours = inspect.signature(connected_components).parameters.values()
    theirs = inspect.signature(csgraph.connected_components).parameters.values()
    assert [(p.name, p.default) for p in ours] == [(p.name, p.default) for p in theirs]


def test_weak_components_are_not_computed_by_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csgraph, "connected_components", lambda *words: pytest.fail("SciPy computes them"))
    matrix = sparse.random_array((50, 50), density=0.02, rng=np.random.default_rng(1))
    for form in FORMATS:
        assert isinstance(connected_components(matrix.asformat(form), return_labels=False), int)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.bsr_array])
def test_strong_components_of_a_matrix_with_repeated_entries(kind: Any) -> None:
    """SciPy's own search does not end on these; nothing of the matrix is changed."""
    rows = (np.ones(5), np.array([1, 1, 1, 0, 0]), np.array([0, 3, 5, 5]))
    matrix = kind((np.ones((5, 1, 1)), *rows[1:]) if kind is sparse.bsr_array else rows, shape=(3, 3))
    count, labels = connected_components(matrix, connection="strong")
    assert (count, labels[0] == labels[1], labels[0] == labels[2]) == (2, True, False)
    assert matrix.nnz == 5


def test_the_modules_of_compat_are_there_without_an_import_of_their_own() -> None:
    code = (
        "import landbridge, numpy, sys\n"
        "assert 'landbridge.compat.scipy' not in sys.modules\n"
        "assert landbridge.compat.scipy.connected_components(numpy.array([[0, 1], [0, 0]]))[0] == 1\n"
        "assert not hasattr(landbridge.compat, 'nothing')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
