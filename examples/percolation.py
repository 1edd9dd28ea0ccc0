"""The percolation threshold by a sweep of `Incremental`.

The bonds of a square lattice open one after another, in random order. While few are open, all clusters are small; at
a threshold one of them reaches through the whole lattice. In theory half of the bonds are open then. A stream answers
the question after every batch, with one pass over all bonds together.
"""

import sys

import numpy as np

import landbridge


def main(size: int = 1_000_000) -> None:
    side = int(size**0.5)
    sites = side * side
    site = np.arange(sites).reshape(side, side)
    u = np.concatenate([site[:, :-1].ravel(), site[:-1].ravel()])
    v = np.concatenate([site[:, 1:].ravel(), site[1:].ravel()])
    order = np.random.default_rng(1).permutation(len(u))
    u, v = u[order], v[order]

    # Two more vertices: above the first row, and below the last one.
    top, bottom = sites, sites + 1
    lattice = landbridge.Incremental(sites + 2)
    lattice.insert(np.full(side, top), site[0])
    lattice.insert(np.full(side, bottom), site[-1])

    step = max(1, len(u) // 200)
    share, clusters, threshold = [], [], None
    for begin in range(0, len(u), step):
        lattice.insert(u[begin : begin + step], v[begin : begin + step])
        share.append(min(1.0, (begin + step) / len(u)))
        clusters.append(lattice.count)
        if threshold is None and lattice.connected(top, bottom):
            threshold = share[-1]
    print(f"{sites:,} sites, {len(u):,} bonds: a cluster reaches through when {threshold:.3f} of them are open")
    assert abs(threshold - 0.5) < 0.15
    draw(share, clusters, threshold)


def draw(share: list[float], clusters: list[int], threshold: float) -> None:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    plt.figure(figsize=(6, 3.6))
    plt.plot(share, clusters, color="#2a6f97")
    plt.axvline(threshold, color="#c1121f", linestyle="--", label=f"reaches through: {threshold:.3f}")
    plt.yscale("log")
    plt.xlabel("share of open bonds")
    plt.ylabel("clusters")
    plt.legend()
    plt.savefig("percolation.png", dpi=100, bbox_inches="tight")
    plt.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
