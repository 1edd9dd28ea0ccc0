"""The engine over several processors: CPU threads and GPUs, each with trees of its own, which are merged.

A forest is a complete summary of the edges that made it. So the edges are divided in any way, every processor unites
its own under the rules of its own engine, and the trees are merged as links (v, parent of v). Linked lists are divided
by their elements: what removals leave of them is ranked by one processor.
"""

NAME, HYBRID = "parts", "hybrid"
"""The names of these engines in `landbridge.plan.engines`, and in answers."""
