"""Connected components as a clustering of scikit-learn, of neighbour graphs and of distances."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import radius_neighbors_graph
from sklearn.utils.validation import check_array, validate_data

import landbridge

__all__ = ["ConnectedComponentsClustering"]


class ConnectedComponentsClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters are the connected components of the pairs of points that are at most a threshold apart.

    This is single-linkage clustering cut at a distance, and DBSCAN with ``min_samples=1``.

    Parameters
    ----------
    threshold : real number or None, default None
        The largest distance of an edge, compared as a float; the same distance counts. None: every stored entry of a
        sparse graph is an edge, whatever its value. Points and dense distances need one.
    metric : str or callable, default "precomputed"
        "precomputed": `X` is a neighbour graph or a matrix of distances. Any other metric of
        `sklearn.neighbors.radius_neighbors_graph`: `X` is points.
    min_size : int, default 1
        Points of smaller components are noise, with the label -1.

    Attributes
    ----------
    labels_ : array of int64, shape (n_samples,)
        The cluster of each point, 0..n_clusters_-1, numbered by the first point of each; -1 for noise.
    n_components_ : int
        The number of components, those of noise among them.
    n_clusters_ : int
        The number of clusters.
    components_ : Components
        The answer of `landbridge.components`.
    n_features_in_ : int
        Of the last `fit`.

    Notes
    -----
    A graph counts in both directions, so a kNN graph need not be symmetric. O(n + m) for a graph of m entries, on all
    processors; dense distances are read once, n^2 of them. The diagonal is no matter.

    Examples
    --------
    >>> import numpy as np
    >>> from landbridge.compat.sklearn import ConnectedComponentsClustering
    >>> points = np.array([[0.0], [1.0], [5.0]])
    >>> ConnectedComponentsClustering(threshold=1.5, metric="euclidean").fit_predict(points).tolist()
    [0, 0, 1]
    """

    def __init__(self, threshold: Any = None, *, metric: Any = "precomputed", min_size: int = 1) -> None:
        self.threshold = threshold
        self.metric = metric
        self.min_size = min_size

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the clusters.

        Parameters
        ----------
        X : array or sparse matrix
            Shape (n, n): distances or a neighbour graph, such as `sklearn.neighbors.kneighbors_graph` and
            `radius_neighbors_graph` return; or shape (n, features): points, with another metric.
        y : ignored

        Returns
        -------
        ConnectedComponentsClustering
            Itself.

        Raises
        ------
        ValueError
            For other shapes, NaN and infinities, parameters that are no numbers, and without a threshold where one is
            needed.
        """
        if not isinstance(self.min_size, int | np.integer) or self.min_size < 1:
            raise ValueError(f"min_size must be a whole number of at least 1, not {self.min_size!r}")
        at_most = self._largest_distance()
        X = validate_data(self, X, accept_sparse=["csr", "csc", "coo"], ensure_min_samples=1)
        self.components_ = landbridge.components(self._edges(X, at_most))
        labels = self.components_.labels.astype(np.int64)
        if self.min_size > 1:
            large = self.components_.sizes() >= self.min_size
            labels = np.where(large, np.cumsum(large) - 1, -1)[labels]
            self.n_clusters_ = int(np.count_nonzero(large))
        else:
            self.n_clusters_ = self.components_.count
        self.labels_ = labels
        self.n_components_ = self.components_.count
        return self

    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> Any:
        """Compute the clusters, and return `labels_`.

        Parameters
        ----------
        X, y
            As for `fit`.

        Returns
        -------
        array of int64, shape (n,)
        """
        return self.fit(X, y).labels_

    def _largest_distance(self) -> float | None:
        """The threshold as a float. ValueError for what is no real number of at least 0."""
        if self.threshold is None:
            return None
        try:
            number = float(self.threshold) if isinstance(self.threshold, Real | Decimal) else -1.0
        except (OverflowError, ValueError):  # too large for a float; a signalling NaN
            number = -1.0
        if not number >= 0:
            raise ValueError(f"threshold must be a number of at least 0, not {self.threshold!r}")
        return number

    def _edges(self, X: Any, at_most: float | None) -> Any:
        """What `landbridge.components` takes."""
        if self.metric != "precomputed":
            if at_most is None:
                raise ValueError("points need a threshold: the largest distance of two points of one cluster")
            return radius_neighbors_graph(X, at_most, mode="connectivity", metric=self.metric)
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"distances and graphs have shape (n, n), not {X.shape}; metric='euclidean' takes points as they are"
            )
        if sparse.issparse(X):
            if at_most is None:
                return X
            near = X.tocoo()
            close = near.data <= at_most
            return sparse.coo_array((near.data[close], (near.row[close], near.col[close])), shape=X.shape)
        if at_most is None:
            raise ValueError("dense distances need a threshold: the largest distance of two points of one cluster")
        return sparse.csr_array(check_array(X) <= at_most)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
