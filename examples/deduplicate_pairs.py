"""One record of each cluster, of ten million pairs.

A matcher has compared records and returned pairs that denote the same entity. The pairs chain: a-b and b-c make one
cluster of three. `deduplicate` says for each record whether it is kept, and which record stands for its cluster.
"""

import sys
import time

import numpy as np

import landbridge


def main(size: int = 10_000_000) -> None:
    # Entities of one to six records each, and a pair for each record with another of its entity.
    rng = np.random.default_rng(1)
    entities = rng.integers(0, size // 2, size)
    order = np.argsort(entities, kind="stable")
    together = entities[order[1:]] == entities[order[:-1]]
    ids = rng.permutation(size).astype(np.int64)
    left, right = ids[order[1:][together]], ids[order[:-1][together]]
    print(f"{size:,} records, {len(left):,} pairs")

    start = time.perf_counter()
    answer = landbridge.deduplicate((left, right), num_vertices=size)
    seconds = time.perf_counter() - start

    print(f"{answer.keep.sum():,} records are kept, {(~answer.keep).sum():,} are dropped: {seconds:.2f} s")
    print(f"the largest cluster has {answer.size.max()} records")
    assert answer.keep.sum() == len(np.unique(entities))

    # A cluster looks too large? Ask which pairs connect two of its records.
    cluster = answer.id[answer.representative == answer.representative[answer.size.argmax()]]
    print(landbridge.why((left, right), int(cluster[0]), int(cluster[-1]), num_vertices=size))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
