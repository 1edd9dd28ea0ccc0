"""Which transport leads from one processor to another."""

from __future__ import annotations

from landbridge.engine.parts.peers import PeerReads, reads_peer
from landbridge.engine.parts.processors import OneGpu, Processor
from landbridge.engine.parts.transports import HostArrays, Transport


def transport_between(receiver: Processor, sender: Processor) -> Transport:
    """The transport by which the trees of `sender` reach those of `receiver`.

    A GPU reads the trees of another GPU in place where it may. What else is in different memories passes through pinned
    host memory.
    """
    if receiver.memory == sender.memory and receiver.engine.on_host:
        return HostArrays()
    if isinstance(receiver, OneGpu) and isinstance(sender, OneGpu) and reads_peer(receiver.ordinal, sender.ordinal):
        return PeerReads()
    return HostArrays("host copies")
