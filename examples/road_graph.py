"""The largest component of a road graph.

Extracts of road networks have islands: parking lots, ferries, roads cut by the border of the extract. Routing wants
the largest component. The graph here is a grid of streets of which a part is closed.
"""

import sys

import numpy as np
import scipy.sparse

import landbridge


def main(size: int = 1_000_000) -> None:
    side = int(size**0.5)
    crossing = np.arange(side * side).reshape(side, side)
    rng = np.random.default_rng(1)
    streets = [
        (ends[0].ravel()[open_], ends[1].ravel()[open_])
        for ends in ((crossing[:, :-1], crossing[:, 1:]), (crossing[:-1], crossing[1:]))
        for open_ in [rng.random(ends[0].size) < 0.55]
    ]
    u, v = (np.concatenate(ends) for ends in zip(*streets, strict=True))
    roads = scipy.sparse.coo_array((np.ones(len(u), dtype=np.int8), (u, v)), shape=(side * side, side * side)).tocsr()

    components = landbridge.components(roads)
    print(components)
    largest = components.largest()
    within = roads[largest][:, largest]
    print(f"the largest component has {within.shape[0]:,} of {roads.shape[0]:,} crossings and {within.nnz:,} streets")
    assert landbridge.components(within).count == 1
    inside = np.zeros(side * side, dtype=bool)
    inside[largest] = True
    draw(inside.reshape(side, side))


def draw(inside: np.ndarray) -> None:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    plt.figure(figsize=(5, 5))
    plt.imshow(inside[:200, :200], cmap="YlGnBu", interpolation="nearest")
    plt.axis("off")
    plt.title("crossings of the largest component (a corner)")
    plt.savefig("road_graph.png", dpi=100, bbox_inches="tight")
    plt.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
