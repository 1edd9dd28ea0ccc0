"""Edges whose walks are cut off, and wait to be settled: where they wait, and the grids of their kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge.device import layout
from landbridge.device.kernels import Rule
from landbridge.device.launch import BLOCK, Processors, grid_for
from landbridge.device.layout import Struct
from landbridge.engine.gpu.launch_list import Device

CUT_EDGES = layout.struct_type("CutEdges")
NO_CUT = CUT_EDGES(position=None, u=None, v=None, capacity=0, steps=0)
LARGEST_TREE = layout.struct_type("LargestTree")
NO_TREE = LARGEST_TREE(members=None, control=None, apart=0)
_CUT_WALK = layout.constant("cut_walk")
LANE_EDGES = layout.constant("lane_edges")
"""Edges a lane reads at a time, in one access where they are aligned."""
MOST_EDGES = 2**31
"""Edges of one launch: the place of a waiting edge has 32 bits."""
_ROUND_BLOCKS = layout.constant("round_blocks")
_SHARE, _SHARE_OF_SMALL, _LEAST, _MOST = 256, 32, 2**10, 2**18
"""Places for edges that wait: one for so many vertices, one for fewer if many small batches come, within two bounds."""
_MOST_OF_BATCH = 2**20
"""Two batches of at most so many edges each have a place for each edge beside those of earlier ones, so that one is
inserted while those of the other may still wait: to unite them is one more launch, which takes a fifth of the time of
such a batch."""
_WAVES = 2 * layout.constant("cut_off_blocks")
"""Blocks per multiprocessor that unite edges of a list: twice what fits at once, so that none waits for the longest."""


def places_for(vertices: int, *, small: bool = False, batch: int = 0) -> int:
    """How many edges may wait in a graph of so many vertices. small: whether batches are small, and edges wait for
    several. batch: the edges of one, which all have a place unless it is a large batch."""
    places = min(_MOST, max(_LEAST, vertices // (_SHARE_OF_SMALL if small else _SHARE)))
    return places + 2 * batch if batch <= _MOST_OF_BATCH else places


def waiting_edges(device: Device, rule: Rule, places: int, cell: Any, *, positions: bool) -> dict[str, Any]:
    """The arrays in which so many edges may wait under a rule, by the names of the fields. positions: of edges, for a
    forest."""
    if not rule.cuts_off:
        return {}
    arrays = {"u": device.empty(places, cell), "v": device.empty(places, cell)}
    return arrays | ({"position": device.empty(places, np.uint64)} if positions else {})


def cut_struct(waiting: dict[str, Any]) -> Struct:
    """The arrays as kernels take them."""
    if not waiting:
        return NO_CUT
    places = len(waiting["u"])
    return CUT_EDGES(position=waiting.get("position"), u=waiting["u"], v=waiting["v"], capacity=places, steps=_CUT_WALK)


def blocks_for(device: Processors, edges: int) -> int:
    """Blocks that unite so many edges of a list."""
    return grid_for(device, edges, BLOCK * LANE_EDGES, _WAVES)


def settle_blocks(device: Processors) -> int:
    """Blocks that fit the device at once."""
    return _ROUND_BLOCKS * device.multiprocessors
