"""The engine of one GPU: a run is a list of launches, built by one small module a family.

`solve` takes a plan to its family; `union_find`, `rounds`, `systems` and `search` append launches to a `ComponentsRun`;
`execute` and `replay` run them; `components` and `forest` answer calls; `memory` counts what a run takes.
"""

NAME = "gpu"
"""The name of this engine in `landbridge.plan.engines`, and in answers."""
