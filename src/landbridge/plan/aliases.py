"""Names of historic systems, each an alias of a plan, with its source and what differs from the original.

Only names whose meaning is published are listed. A released name never changes its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alias:
    """A name, the plan it means, the paper that defines it, and how the plan deviates from it.

    arguments: options of the plan's engine that the name takes, as in ``banerjee_kothapalli(t=17)``.
    """

    name: str
    plan: str
    source: str
    deviation: str
    arguments: tuple[str, ...] = ()


ALIASES: dict[str, Alias] = {
    alias.name: alias
    for alias in (
        Alias(
            "afforest",
            "kout(2)+afforest(compress)",
            "Sutton, Ben-Nun, Barak: Optimizing Parallel Graph Connectivity Computation via Subgraph "
            "Sampling, IPDPS 2018",
            "Both arcs of a vertex are united in one pass and the forest is flattened once afterwards; the "
            "original flattens it after each of two passes.",
        ),
        Alias(
            "connectit",
            "kout(2,hybrid)+rem_cas(naive,split_one)",
            "Dhulipala, Hong, Shun: ConnectIt: A Framework for Static and Incremental Parallel Graph "
            "Connectivity Algorithms, PVLDB 14(4), 2020; its fastest variant, with its default sampling",
            "Random arcs come from a counter-based generator over (seed, round, vertex), so that a run can "
            "be repeated; labels are renumbered by smallest vertex.",
        ),
        Alias(
            "patwary_rem",
            "rem_lock(naive,splice)",
            "Patwary, Refsnes, Manne: Multi-core Spanning Forest Algorithms using the Disjoint-set Data "
            "Structure, IPDPS 2012; the lock-based union with Rem's splicing",
            "Splicing lowers the parent with an atomic minimum instead of a plain store, so that a stale "
            "pair cannot raise it.",
        ),
        Alias(
            "galois_async",
            "async(split)",
            "Nguyen, Lenharth, Pingali: A Lightweight Infrastructure for Graph Analytics, SOSP 2013; the "
            "asynchronous union-find of Galois",
            "Galois orders nodes by address and links the larger; here they are ordered by id. Its find lets a "
            "vertex skip its parent while that is unchanged, which is splitting.",
        ),
        Alias(
            "ligra_components",
            "label_propagation(frontier)",
            "Shun, Blelloch: Ligra: A Lightweight Graph Processing Framework for Shared Memory, PPoPP 2013; Components",
            "Every round scans all vertices for those that have changed, where Ligra changes between lists and bit "
            "sets; labels are read as they are and not as the last round left them.",
        ),
        Alias(
            "ligra_bfscc",
            "bfscc",
            "Shun, Blelloch: Ligra: A Lightweight Graph Processing Framework for Shared Memory, PPoPP 2013; BFSCC",
            "A search that has switched to pulling never returns to pushing, which Ligra may do.",
        ),
        Alias(
            "banerjee_kothapalli",
            "shiloach_vishkin@hybrid(divide=vertices)",
            "Banerjee, Kothapalli: Hybrid Algorithms for List Ranking and Graph Connected Components, HiPC 2011; "
            "algorithms 3 and 4",
            "Blocks of the processor have equally many vertices; every cross edge is used, not one for each pair of "
            "components; without t the share follows from measured rates, or from a table of earlier runs.",
            ("t", "threads", "device"),
        ),
    )
}
"""Every historic name, by name."""
