"""A GPU that reads the trees of another one in place, over the link between the two."""

from __future__ import annotations

from functools import cache

from landbridge.device import cuda
from landbridge.engine.base import Trees
from landbridge.engine.parts.device_trees import MergingTrees
from landbridge.engine.parts.transports import HostArrays


@cache
def reads_peer(reader: int, owner: int) -> bool:
    """Whether kernels of one GPU may read the memory of another; allows it where that is possible."""
    if reader == owner:
        return True
    runtime = cuda.cupy().cuda.runtime
    if not runtime.deviceCanAccessPeer(reader, owner):
        return False
    with cuda.device(reader).selected():
        try:
            runtime.deviceEnablePeerAccess(owner)
        except runtime.CUDARuntimeError as error:
            return "AlreadyEnabled" in str(error)
    return True


class PeerReads:
    """The receiver's kernels read the parents in the memory of the sender."""

    kind = "peer reads"

    def merge(self, receiver: Trees, sender: Trees, with_forest: bool) -> int:
        """As `Transport.merge`. Of a forest its edges cross."""
        if not (isinstance(receiver, MergingTrees) and isinstance(sender, MergingTrees)):
            return HostArrays("host copies").merge(receiver, sender, with_forest)
        if not reads_peer(receiver.ordinal, sender.ordinal):
            return HostArrays("host copies").merge(receiver, sender, with_forest)
        if with_forest:
            return receiver.insert_forest_of(sender)
        if receiver.wide != sender.wide:
            return HostArrays("host copies").merge(receiver, sender, with_forest)
        return receiver.insert_parents_of(sender)
