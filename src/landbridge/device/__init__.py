"""The GPU as everything else sees it: CuPy behind one door, kernels compiled at run time, arrays on a device.

Nothing here is imported before a GPU is asked for, and CuPy not before one of these functions needs it.
"""
