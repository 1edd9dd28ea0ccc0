"""The clustering of scikit-learn's kind: its checks, its peers on the same points, and DBSCAN by the recipe."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn", minversion="1.6")
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph
from sklearn.utils.estimator_checks import check_estimator

import landbridge
from landbridge.compat.sklearn import ConnectedComponentsClustering

NOT_FOR_GRAPHS = {"check_clustering": "it clusters points of two features, which are no graph"}
POINTS = st.lists(st.tuples(*[st.integers(0, 12).map(lambda x: x / 2)] * 2), min_size=2, max_size=14).map(np.array)


@pytest.mark.long
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_checks_of_estimators_pass(metric: str) -> None:
    estimator = ConnectedComponentsClustering(threshold=1.0, metric=metric)
    expected = NOT_FOR_GRAPHS if metric == "precomputed" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    statuses = {r["check_name"]: r["status"] for r in results}
    assert len(results) > 40
    others = {name: status for name, status in statuses.items() if status != "passed"}
    assert others.keys() - {"check_array_api_input"} == expected.keys(), others


def same_partition(a: Any, b: Any) -> bool:
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})


@settings(max_examples=15, deadline=None)
@given(POINTS, st.integers(0, 6).map(lambda x: x / 2))
def test_clusters_are_those_of_single_linkage(points: Any, threshold: float) -> None:
    of_points = ConnectedComponentsClustering(threshold, metric="euclidean").fit(points)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert ConnectedComponentsClustering(threshold).fit_predict(distances).tolist() == of_points.labels_.tolist()
    # scikit-learn merges clusters nearer than its threshold; here an equal distance counts.
    peer = AgglomerativeClustering(None, linkage="single", distance_threshold=np.nextafter(threshold, np.inf)).fit(
        points
    )
    assert same_partition(of_points.labels_, peer.labels_)
    assert of_points.n_components_ == of_points.n_clusters_ == peer.n_clusters_


@settings(max_examples=12, deadline=None)
@given(POINTS, st.integers(1, 6).map(lambda x: x / 2), st.integers(1, 4))
def test_small_components_are_noise_in_the_order_of_first_points(points: Any, threshold: float, least: int) -> None:
    graph = radius_neighbors_graph(points, threshold, mode="distance")
    estimator = ConnectedComponentsClustering(threshold, min_size=least).fit(graph)
    labels = landbridge.components(graph).labels
    sizes = np.bincount(labels)
    large = [c for c in range(len(sizes)) if sizes[c] >= least]
    assert estimator.labels_.tolist() == [large.index(c) if c in large else -1 for c in labels.tolist()]
    assert (estimator.n_clusters_, estimator.n_components_) == (len(large), len(sizes))


def dbscan(points: Any, eps: float, min_samples: int) -> Any:
    """The recipe of docs/drop_in.md."""
    near = radius_neighbors_graph(points, eps, include_self=True)
    core = near.getnnz(axis=1) >= min_samples
    labels = np.full(len(points), -1)
    labels[core] = landbridge.components(near[core][:, core]).labels
    for x in np.flatnonzero(~core):
        neighbors = near.indices[near.indptr[x] : near.indptr[x + 1]]
        reached = labels[neighbors[core[neighbors]]]
        labels[x] = reached.min(initial=len(points)) if len(reached) else -1
    return labels


@settings(max_examples=20, deadline=None)
@given(POINTS, st.integers(1, 5).map(lambda x: x / 2), st.integers(1, 5))
def test_dbscan_by_the_recipe(points: Any, eps: float, min_samples: int) -> None:
    assert (
        dbscan(points, eps, min_samples).tolist()
        == DBSCAN(eps=eps, min_samples=min_samples).fit_predict(points).tolist()
    )


@pytest.mark.parametrize("threshold", [Fraction(3, 2), Decimal("1.5"), np.float32(1.5), 1])
def test_thresholds_are_real_numbers_of_any_type(threshold: Any) -> None:
    points = np.array([[0.0], [1.0], [5.0]])
    distances = np.abs(points - points.T)
    for data, metric in (
        (points, "euclidean"),
        (distances, "precomputed"),
        (sparse.csr_array(distances), "precomputed"),
    ):
        estimator = ConnectedComponentsClustering(threshold, metric=metric)
        assert estimator.fit_predict(data).tolist() == [0, 0, 1]
        assert estimator.threshold is threshold


def test_graphs_count_in_both_directions_and_every_entry_counts_without_a_threshold() -> None:
    points = np.random.default_rng(1).random((60, 2))
    for form in ("csr", "csc", "coo"):
        graph = kneighbors_graph(points, 3, mode="distance").asformat(form)
        ours = ConnectedComponentsClustering().fit_predict(graph)
        assert ours.tolist() == landbridge.components(graph).labels.tolist()
    zeros = sparse.csr_array((np.zeros(1), ([0], [1])), shape=(3, 3))
    assert ConnectedComponentsClustering().fit_predict(zeros).tolist() == [0, 0, 1]
    assert ConnectedComponentsClustering(0.0).fit_predict(zeros).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("words", "X", "message"),
    [
        ({}, np.eye(3), "dense distances need a threshold"),
        ({"metric": "euclidean"}, np.eye(3), "points need a threshold"),
        ({"threshold": 1.0}, np.ones((3, 2)), r"have shape \(n, n\), not \(3, 2\)"),
        ({"threshold": -1.0}, np.eye(3), "threshold must be a number of at least 0, not -1.0"),
        ({"threshold": float("nan")}, np.eye(3), "threshold must be a number of at least 0, not nan"),
        ({"threshold": "1"}, np.eye(3), "threshold must be a number of at least 0, not '1'"),
        ({"threshold": 1j}, np.eye(3), "threshold must be a number of at least 0, not 1j"),
        ({"threshold": Decimal("sNaN")}, np.eye(3), r"threshold must be a number of at least 0, not Decimal\('sNaN'\)"),
        ({"threshold": Fraction(10) ** 400}, np.eye(3), "threshold must be a number of at least 0, not Fraction"),
        ({"threshold": 1.0, "min_size": 0}, np.eye(3), "min_size must be a whole number of at least 1, not 0"),
        ({"threshold": 1.0, "min_size": 1.5}, np.eye(3), "min_size must be a whole number of at least 1, not 1.5"),
        ({"threshold": 1.0}, np.full((2, 2), np.nan), "NaN"),
    ],
)
def test_refusals(words: dict[str, Any], X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ConnectedComponentsClustering(**words).fit(X)


def test_it_is_cloned_with_its_parameters() -> None:
    estimator = ConnectedComponentsClustering(0.5, metric="cosine", min_size=3)
    assert clone(estimator).get_params() == {"threshold": 0.5, "metric": "cosine", "min_size": 3}
