"""Everything that brings edges in: arrays, matrices, files, generators."""
