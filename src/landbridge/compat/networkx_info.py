"""What NetworkX reads of the backend "landbridge" when it is imported; nothing else is imported for it."""

from __future__ import annotations

from typing import Any

FUNCTIONS = {
    "connected_components": "",
    "from_pandas_edgelist": "No loop over rows; the graph stays in the backend.",
    "from_scipy_sparse_array": "No loop over entries; the graph stays in the backend.",
    "has_path": "Of undirected graphs.",
    "is_connected": "",
    "is_forest": "",
    "is_isolate": "",
    "is_tree": "",
    "is_weakly_connected": "",
    "isolates": "",
    "maximum_spanning_edges": "Kruskal's algorithm, of graphs without parallel edges.",
    "maximum_spanning_tree": "Kruskal's algorithm, of graphs without parallel edges.",
    "minimum_spanning_edges": "Kruskal's algorithm, of graphs without parallel edges.",
    "minimum_spanning_tree": "Kruskal's algorithm, of graphs without parallel edges.",
    "node_connected_component": "",
    "number_connected_components": "",
    "number_of_isolates": "",
    "number_weakly_connected_components": "",
    "read_edgelist": "No loop over lines of two integers or two words; the graph stays in the backend.",
    "weakly_connected_components": "",
}
"""The functions of the backend, each with a remark for NetworkX's documentation."""


def get_info() -> dict[str, Any]:
    """The entry point ``networkx.backend_info``."""
    return {
        "backend_name": "landbridge",
        "project": "landbridge",
        "package": "landbridge",
        "short_summary": "Connectivity on CPU threads and GPUs",
        "default_config": {},
        "functions": {name: {"additional_docs": remark} if remark else {} for name, remark in FUNCTIONS.items()},
    }
