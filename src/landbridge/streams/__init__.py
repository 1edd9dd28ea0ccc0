"""What a stream of edges is made of beside its trees: its form on disk, its table of ids, and views of its clusters."""
