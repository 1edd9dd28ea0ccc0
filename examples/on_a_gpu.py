"""The same call on a GPU.

Arrays of NumPy are copied to the GPU; arrays of CuPy and tensors of PyTorch stay there, and the labels, too. The plan
is chosen for the device, and labels are the same bit for bit.
"""

import sys
import time

import numpy as np

import landbridge


def main(size: int = 50_000_000) -> None:
    import cupy

    rng = cupy.random.default_rng(1)
    u, v = rng.integers(0, size, (2, 2 * size), dtype=np.int32)
    with cupy.cuda.Device():
        landbridge.components((u[:1000], v[:1000]), num_vertices=size)  # compiles the kernels
        start = time.perf_counter()
        answer = landbridge.components((u, v), num_vertices=size)
        cupy.cuda.runtime.deviceSynchronize()
        seconds = time.perf_counter() - start
    print(f"{size:,} vertices, {len(u):,} edges: {answer.count:,} components in {1000 * seconds:.1f} ms, {answer.plan}")
    on_host = landbridge.components((u.get(), v.get()), num_vertices=size, device="cpu")
    assert np.array_equal(cupy.asnumpy(answer.labels), on_host.labels)
    print("the labels are those of the CPU")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
