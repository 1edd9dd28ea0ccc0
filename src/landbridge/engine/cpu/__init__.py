"""The engine of CPU threads."""
