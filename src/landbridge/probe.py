"""What a few rows of a CSR show: the facts by which a plan is chosen, before anything runs."""

from __future__ import annotations

from typing import NamedTuple


class Probe(NamedTuple):
    """Of rows spread over all vertices; all 0 for a COO edge list or no edges.

    largest_degree: of those rows, on a device of up to eight neighbours of each, too. first_smaller: share whose
    first neighbour is smaller; on a device of 32 times as many rows, to see where one in a thousand has none. local:
    share of first and last neighbours within 1/64 of the id range. expansion: vertices two steps away for each one
    step away, up to eight edges followed from each vertex. repeats: share of the two-step walks to a vertex met
    before, as in meshes; 0 in random graphs and trees. doubled: share whose first two neighbours are the same.
    shared: share whose first neighbour is one and the same vertex. These three are 0 for graphs in host memory.
    upward: share whose first and last neighbours are both larger; 0 on a device. empty: share without neighbours.
    enclosed: of steps from some vertices two steps away, the share that end no further away, as most do in communities
    of up to a hundred vertices. equidistant: of pairs of first neighbours that are not near, the share equally far off,
    in 256 parts of the id range: 1/192 for ids in no order, and more where distances return, as in lattices whose ids a
    rule has given.
    """

    largest_degree: float = 0.0
    first_smaller: float = 0.0
    local: float = 0.0
    expansion: float = 0.0
    repeats: float = 0.0
    doubled: float = 0.0
    shared: float = 0.0
    upward: float = 0.0
    empty: float = 0.0
    enclosed: float = 0.0
    equidistant: float = 0.0
