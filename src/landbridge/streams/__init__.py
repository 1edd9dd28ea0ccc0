"""Streams of edges: incremental connectivity, edges in chunks, and partial answers merged."""
