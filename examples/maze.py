"""A maze, and the way through it.

The cells of a grid are vertices, and a wall between two cells is an edge. Take the walls in random order and remove
each one whose cells are not connected yet: what is removed is a spanning forest, and from any cell to any other there
is one way. `SpanningForest.why` finds it.
"""

import sys

import numpy as np

import landbridge


def main(size: int = 2_500) -> None:
    side = max(2, int(size**0.5))
    cell = np.arange(side * side).reshape(side, side)
    u = np.concatenate([cell[:, :-1].ravel(), cell[:-1].ravel()])
    v = np.concatenate([cell[:, 1:].ravel(), cell[1:].ravel()])
    order = np.random.default_rng(7).permutation(len(u))

    # On one thread, an edge is in the forest if the edges before it leave its endpoints apart.
    forest = landbridge.spanning_forest((u[order], v[order]), plan="async(halve)@cpu(threads=1)")
    way = forest.why(0, side * side - 1)
    print(f"{side} x {side} cells, {len(u)} walls, {len(forest.u)} of them removed, a way of {len(way)} steps")
    assert len(forest.u) == side * side - 1
    draw(side, forest.u, forest.v, way.vertices)


def draw(side: int, u: np.ndarray, v: np.ndarray, way: np.ndarray) -> None:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return
    # Cell (r, c) is the pixel (2r + 1, 2c + 1); between two cells lies their wall.
    pixels = np.zeros((2 * side + 1, 2 * side + 1))
    row, column = lambda x: 2 * (x // side) + 1, lambda x: 2 * (x % side) + 1
    pixels[1::2, 1::2] = 1
    pixels[(row(u) + row(v)) // 2, (column(u) + column(v)) // 2] = 1
    steps = np.arange(len(way)) / len(way)
    pixels[row(way), column(way)] = 2 + steps
    a, b = way[:-1], way[1:]
    pixels[(row(a) + row(b)) // 2, (column(a) + column(b)) // 2] = 2 + steps[:-1]
    colours = plt.get_cmap("plasma")(np.clip(pixels - 2, 0, 1) * 0.85)
    colours[pixels == 0] = (0.10, 0.13, 0.17, 1)
    colours[pixels == 1] = (0.96, 0.96, 0.94, 1)
    plt.imsave("maze.png", np.kron(colours, np.ones((6, 6, 1))))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
