"""The engine of CPU threads."""

NAME = "cpu"
"""The name of this engine in `landbridge.plan.engines`, and in answers."""
