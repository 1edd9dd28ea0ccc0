"""Tests of races: all threads unite all edges, however few there are."""

from all_threads import threads_not_compared

__all__ = ["threads_not_compared"]
