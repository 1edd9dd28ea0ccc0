"""Where the time of a run went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SAMPLED_FURTHER = "sampled further: up to two more edges per vertex"
UNITED_ALL = "united all edges: no tree was large enough to be skipped"
"""What adaptive plans do, on any engine, as `Profile.turns` says it."""
ALL_ROWS_READ = "read all rows: some vertices remained, and an edge may be in the row of one endpoint alone"
"""What the rest of a sampled plan does, on any engine, if it has to, where a CSR is not said to be symmetric."""


@dataclass(frozen=True)
class Share:
    """What one of several processors did in a run.

    Attributes
    ----------
    device : str
        The processor, such as "gpu 1" or "cpu 0".
    edges : int
        How many edges it took; of a division by vertices, those inside its part; of lists, how many elements.
    pieces : int
        In how many pieces.
    seconds : float
        Wall seconds in which it worked on them.
    link : str
        How its trees reached those of the first processor: "same memory", "host copies", "peer reads"; "" for the first
        processor itself. Of lists, how messages reach it from there: "same memory", "host copies", "peer copies".
    moved : int
        Bytes that crossed that link; of lists, those of all messages that it received from other memories.
    spans : tuple of (float, float)
        When each piece began and ended, in seconds since the run began.
    """

    device: str
    edges: int
    pieces: int
    seconds: float
    link: str = ""
    moved: int = 0
    spans: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Profile:
    """The time of a run, by phase.

    Attributes
    ----------
    seconds : mapping of str to float
        Wall seconds of each phase in order; "csr" and "coo" where the graph was converted to that layout.
    total : float
        Wall seconds of the whole run on the engine.
    threads : int
        How many ran.
    skipped : float
        The share of vertices whose neighbours the finish did not read (0..1).
    rounds : int, optional
        How many rounds the finish took on CPU threads, those of all stages together, with the last one, which changes
        nothing. None for a finish without rounds, and on a GPU, which counts none.
    turns : tuple of str
        What depended on a sample, in order, in the same words on every engine: what a plan that adapts (``adapt=on``)
        did because the largest tree was small, and whether a sampled plan that unites edges has read all rows of a CSR
        that is not said to be symmetric.
    owned : int
        How many edges several CPU threads united without locked instructions, each thread those of a range of vertices
        that it alone wrote to. One that is united twice, as by a sampling and behind it, counts twice. 0 on one thread,
        which never needs such instructions, and on a GPU.
    left_out : int
        How many edges of a COO edge list CPU threads did not unite (``skip=tree``), because both endpoints were known
        to be in one tree: the largest one, or any tree where a core's own cache holds the parents.
    shares : tuple of Share
        What each processor did, where the run was divided among several; else empty.
    climbed : int
        How many edges CPU threads united by climbing from both endpoints to the roots (``climb=on``), because that took
        less time than walks of the rule.
    """

    seconds: Mapping[str, float]
    total: float
    threads: int
    skipped: float
    rounds: int | None = None
    turns: tuple[str, ...] = ()
    owned: int = 0
    left_out: int = 0
    shares: tuple[Share, ...] = ()
    climbed: int = 0
