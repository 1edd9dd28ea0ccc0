"""Cells of the zoo on CPU threads."""

from benchmarks.kinds.base import Kind
from benchmarks.zoo.results import summary

KIND = Kind(lambda sink: None, summary, frozenset())
