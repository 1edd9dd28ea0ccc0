"""What is done with one batch of a stream that takes several launches, once it is decided."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from landbridge.device.layout import Struct
from landbridge.engine.gpu.cut_edges import LANE_EDGES, LARGEST_TREE, NO_TREE
from landbridge.engine.gpu.edge_schedule import Hooking
from landbridge.engine.gpu.stream_launches import StreamLaunches


@dataclass(frozen=True, slots=True)
class BatchSteps:
    """The steps of a batch, in order: edges are hooked, the first ones united, paths flattened, the largest tree
    marked, the other edges united.

    hooking: how edges are hooked. head: how many edges come before paths are flattened. flat: where that leaves the
    roots; None if paths are not flattened. before, largest: the marked tree while the first edges are united, and from
    then on. marks: whether it is marked. settles: whether edges whose walks are cut off are united at once.
    """

    hooking: Hooking
    head: int
    flat: Any
    before: Struct
    largest: Struct
    marks: bool
    settles: bool

    @classmethod
    def of(
        cls,
        hooking: Hooking,
        edges: int,
        fresh: int,
        *,
        before: Struct,
        members: Any,
        control: Any,
        flat: Any,
        settles: bool,
    ) -> BatchSteps:
        """The steps for so many edges. fresh: how many edges the stream lacks until it has one for each vertex; these
        come before the tree is marked, unless edges are hooked. members, control: of the tree that is marked; control
        is None if none is."""
        marks = control is not None
        head = 0 if hooking else min(edges, fresh) if marks else edges
        head -= head % LANE_EDGES if head < edges else 0
        before = NO_TREE if hooking == "scattered" else before
        largest = LARGEST_TREE(members=members, control=control, apart=0) if marks else before
        return cls(hooking, head, flat if hooking or marks else None, before, largest, marks, settles)

    def kind(self, edges: int, inserts_apart: Callable[[int, Struct], bool]) -> Hashable:
        """What decides which kernels so many edges take."""
        apart = inserts_apart(self.head, self.before), inserts_apart(edges - self.head, self.largest)
        return self.hooking, self.flat is None, self.marks, apart

    def append_to(
        self, launches: StreamLaunches, edges: Struct, inserts: Struct, *, vertices: int, members: Any, seed: int
    ) -> None:
        """Append the launches. inserts: of all edges of the batch."""
        end = inserts.fields["end"]
        if self.hooking:
            launches.hook(edges, inserts, members if self.hooking == "scattered" else None)
        first = inserts.replaced(end=self.head) if self.head < end else inserts
        launches.insert(edges, first, self.before, settles=self.settles)
        if self.flat is not None:
            launches.flatten(self.flat, vertices, inserts.fields["control"])
        if self.marks:
            launches.mark_tree(self.flat, self.largest, seed)
        if self.head < end:
            launches.insert(edges, inserts.replaced(begin=self.head), self.largest, settles=self.settles)
