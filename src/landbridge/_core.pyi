# mypy: ignore-errors
"""
The compiled core of landbridge. Internal: call the functions of the package instead.
"""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class CoreInputError(ValueError):
    pass

class CoreListError(CoreInputError):
    pass

def available_threads() -> int:
    """Processors this process may run on."""

def fail_allocation(k: int) -> None:
    """Makes the k-th allocation from now fail (for tests); 0 turns it off."""

def policies() -> list:
    """The rows of the registry."""

def systems() -> list:
    """
    The standalone algorithms that are written once for all engines, and the arrays each has of its own.
    """

def combinations() -> list:
    """
    Every pairing of a link with a find and a splice rule, and why it may not run.
    """

def rounds() -> list:
    """
    Every choice of words of every algorithm in rounds, what it can do, and why it may not run.
    """

def largest_id(ids: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], what: str, threads: int) -> int | None:
    """The largest id, None for no ids; raises for a negative one."""

def check_range(ids: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], n: int, what: str, threads: int) -> None:
    """Raises for the first id outside 0..n-1."""

def check_offsets(offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], arcs: int, threads: int) -> None:
    """Raises unless offsets ascend from 0 to arcs."""

def components(n: int, offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, a: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], b: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, symmetric: bool, wide: bool, sample: str = '', choice: str = 'first', k: int = 2, beta: float = 0.2, link: str = '', find: str = '', splice: str = '', finish: str = '', values: dict = {}, rows: bool = False, stage: float = 0.0, seed: int = 1, threads: int = 1) -> tuple:
    """
    Components of validated edges: (count, labels, [(phase, seconds)], skipped vertices, rounds).
    """

def spanning_forest(n: int, offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, a: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], b: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, symmetric: bool, wide: bool, sample: str = '', choice: str = 'first', k: int = 2, beta: float = 0.2, link: str = '', find: str = '', splice: str = '', finish: str = '', values: dict = {}, rows: bool = False, stage: float = 0.0, seed: int = 1, threads: int = 1) -> tuple:
    """
    The edges of a spanning forest of validated edges: ((u, v, edge), [(phase, seconds)], skipped vertices, rounds).
    """

def components_of_pairs(u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], link: str, find: str, splice: str, threads: int) -> tuple | None:
    """
    Components of pairs in one pass, with n found on the way: (count, labels, [(phase, seconds)]), or None if the ids or the plan need the other way.
    """

def forest_of_pairs(u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], link: str, find: str, splice: str, threads: int) -> tuple | None:
    """
    A spanning forest of pairs in one pass, with n found on the way: (n, (u, v, edge), [(phase, seconds)]), or None as above.
    """

def probe(n: int, offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], a: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)]) -> tuple:
    """
    A look at a few rows: (largest degree, share with a smaller first neighbour, share of near neighbours, expansion).
    """

def symmetric_rows(n: int, offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, a: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], b: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, symmetric: bool, threads: int) -> tuple:
    """Symmetric rows of any graph: (offsets, neighbors)."""

def check_labels(n: int, offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, a: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], b: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, labels: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)]) -> str:
    """Empty if the labels are right, else one line that proves they are not."""

def check_forest(n: int, offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, a: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], b: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None, u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], edge: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)]) -> str:
    """
    Empty if the edges are a spanning forest, else one line that proves they are not.
    """

class CoreFormatError(ValueError):
    pass

def parse_edges(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1, first: int = 0, second: int = 1, tag: str = '', comments: str = '#%', delimiter: str = '', base: int = 0, limit: int = 18446744073709551615, fields: int = 2, exact: bool = False, first_line: int = 1, edges: int = -1, quotes: bool = False, careful: bool = False, padded: bool = True, progress: object | None = None) -> tuple:
    """
    Parses lines of edges (bytes as uint8) to (u, v, lines, largest id); see text.hpp.
    """

def parse_names(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, first: int = 0, second: int = 1, comments: str = '#%', delimiter: str = '', fields: int = 2, exact: bool = False, quotes: bool = True, doubt: bool = False, first_line: int = 1, progress: object | None = None) -> tuple:
    """
    Parses lines of edges whose ids are text to two pairs (offsets, bytes).
    """

def first_rows(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, most: int = 1000, comments: str = '#%', delimiter: str = '', quotes: bool = True, first_line: int = 1) -> tuple:
    """
    The first lines with columns as (line, begin, end, columns), and whether a line behind them cannot be read.
    """

def parse_matrix_market(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1, progress: object | None = None) -> tuple:
    """A Matrix Market file to (u, v, vertices)."""

def parse_dimacs(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1, progress: object | None = None) -> tuple:
    """A DIMACS file to (u, v, vertices, edges its header promises)."""

def parse_metis(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1, progress: object | None = None) -> tuple:
    """A METIS file to (offsets, neighbors)."""

@overload
def renumber(u: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple: ...

@overload
def renumber(u: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple: ...

@overload
def renumber(u: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple: ...

@overload
def renumber(u: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple:
    """
    Ids of any size to (u, v, ids): ranks from 0 among the ids that occur, which are returned ascending.
    """

@overload
def format_edges(u: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, prefix: str = '', separator: str = '\t', suffix: str = '', base: int = 0, threads: int = 1) -> bytes: ...

@overload
def format_edges(u: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, prefix: str = '', separator: str = '\t', suffix: str = '', base: int = 0, threads: int = 1) -> bytes: ...

@overload
def format_edges(u: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, prefix: str = '', separator: str = '\t', suffix: str = '', base: int = 0, threads: int = 1) -> bytes: ...

@overload
def format_edges(u: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, prefix: str = '', separator: str = '\t', suffix: str = '', base: int = 0, threads: int = 1) -> bytes:
    """The edges as text, one a line."""

def generate_gnm(arg0: int, arg1: int, arg2: int, arg3: int, arg4: int, /) -> object: ...

def generate_gnp(arg0: int, arg1: float, arg2: int, arg3: int, /) -> object: ...

def generate_rmat(arg0: int, arg1: int, arg2: int, arg3: int, arg4: int, arg5: int, arg6: int, arg7: bool, arg8: int, arg9: int, /) -> object: ...

def generate_uniform(arg0: int, arg1: int, arg2: int, arg3: int, /) -> object: ...

def generate_ba(arg0: int, arg1: int, arg2: int, arg3: int, /) -> object: ...

def generate_r4(arg0: int, arg1: int, arg2: int, /) -> object: ...

def generate_lattice(arg0: int, arg1: int, arg2: bool, arg3: bool, arg4: int, arg5: bool, arg6: int, arg7: int, /) -> object: ...

def generate_delaunay(arg0: int, arg1: int, arg2: int, /) -> object: ...

def delaunay_of(arg0: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arg2: int, /) -> object: ...

def generate_road(arg0: int, arg1: int, arg2: int, arg3: int, arg4: int, /) -> object: ...

def generate_web(arg0: int, arg1: int, arg2: int, arg3: int, arg4: int, arg5: int, arg6: int, /) -> object: ...

def generate_cliques(arg0: int, arg1: int, arg2: int, arg3: int, arg4: int, /) -> object: ...

def generate_tiny(arg0: int, arg1: int, arg2: int, arg3: bool, arg4: int, arg5: int, /) -> object: ...

def generate_list_graph(arg0: int, arg1: int, arg2: int, arg3: int, /) -> object: ...

def generate_tree_graph(arg0: int, arg1: int, arg2: int, arg3: int, arg4: int, /) -> object: ...

def generate_linked_list(arg0: int, arg1: int, arg2: int, arg3: int, /) -> object: ...

def generate_drop_isolated(arg0: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu')], arg1: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu')], arg2: int, arg3: int, /) -> int: ...

def distinct_keys(arg0: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], arg1: int, arg2: int, /) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

class IncrementalTrees:
    """Incremental connectivity on CPU threads."""

    def __init__(self, link: str, find: str, splice: str, vertices: int, threads: int, keep_forest: bool, narrow_most: int = 2147483647, words: Sequence[str] = [], alone_if_free: bool = False) -> None: ...

    @property
    def vertices(self) -> int: ...

    @property
    def count(self) -> int: ...

    @property
    def position(self) -> int: ...

    @property
    def mixed(self) -> bool: ...

    @property
    def keeps_forest(self) -> bool: ...

    def prepare(self, u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], is_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, vertices: int) -> None:
        """
        Refuses a batch that would be refused, and makes room for it, before anything changes.
        """

    def insert(self, u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)]) -> None: ...

    def insert_one(self, u: int, v: int) -> None: ...

    def connected(self, u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
        """Shape (count,), bool."""

    def connected_one(self, u: int, v: int) -> bool: ...

    def apply(self, u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], is_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], inserts_first: bool) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """Packed bits, the lowest bit of a byte first."""

    def labels(self, threads: int) -> tuple:
        """(count, labels) of a moment between batches."""

    def snapshot(self, with_forest: bool) -> tuple:
        """
        (position, representatives, (u, v, positions) or None) of a moment between batches.
        """

    def refuse_from(self, n: int) -> None:
        """From now on vertices not below n are refused."""

    def insert_at(self, u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], at: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, advance: int, vertices: int) -> None:
        """The edges of another stream, as if it came now."""

class Names:
    """Numbers names in the order in which they turn up."""

    def __init__(self, threads: int) -> None: ...

    def __len__(self) -> int: ...

    def number(self, a_offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], a_data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], b_offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], b_data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple:
        """
        The numbers of both ends of edges, as int32; texts as in Arrow: offsets (one more than texts) and bytes (uint8).
        """

    def number_each(self, offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The numbers of one column of names, as int32."""

    def find(self, offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        The numbers of one column of names, as int32; -1 for one that is not there.
        """

    def forget(self, size: int) -> None:
        """Drops the names whose numbers are not below `size`."""

    def texts(self, since: int = 0) -> tuple:
        """
        The names with the numbers from `since` on, in that order: (offsets, bytes).
        """

    def in_order(self) -> tuple:
        """The names ascending by bytes: (the number of each, offsets, bytes)."""

class Ids:
    """Numbers ids of 64 bits in the order in which they turn up."""

    def __init__(self, threads: int, listed: bool = False) -> None: ...

    def __len__(self) -> int: ...

    def number(self, a: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], b: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)]) -> tuple:
        """The numbers of both ends of edges, as int32."""

    def number_each(self, ids: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The number of each id, as int32: those of new ids are the next ones."""

    def find(self, ids: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The number of each id, as int32; -1 for one that is not there."""

    def forget(self, size: int) -> None:
        """Drops the ids whose numbers are not below `size`."""

    def fresh(self, since: int = 0) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """
        The ids with the numbers from `since` on, in that order, as uint64 bits.
        """

    def in_order(self, is_signed: bool) -> tuple:
        """The ids ascending: (the number of each, ids as uint64 bits)."""

@overload
def rename_in_order(order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, threads: int = 1) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

@overload
def rename_in_order(order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, threads: int = 1) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """labels[order], renamed in the order in which they turn up."""

def to_ranks(order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], u: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], v: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threads: int = 1) -> None:
    """Replaces each number in u and v by its place in `order`."""

@overload
def unite_ids(a: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple: ...

@overload
def unite_ids(a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple: ...

@overload
def unite_ids(a: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple: ...

@overload
def unite_ids(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple:
    """(ids of both, places of a's, places of b's), all ascending."""

@overload
def ids_ascend(ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> bool: ...

@overload
def ids_ascend(ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> bool: ...

@overload
def ids_ascend(ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> bool: ...

@overload
def ids_ascend(ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> bool: ...

def unite_names(a_offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], a_data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], b_offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], b_data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple:
    """
    (offsets and bytes of the names of both, places of a's, places of b's), all ascending.
    """

def names_ascend(offsets: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> bool:
    """Whether names ascend by bytes, no two of them equal."""

def set_hash_seed(seed: int) -> None:
    """
    The seed of hash tables made from now on, otherwise drawn once a process. Answers do not depend on it.
    """

@overload
def occurring(labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], threads: int = 1) -> tuple: ...

@overload
def occurring(labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], threads: int = 1) -> tuple:
    """
    (ids, labels, count) of the vertices that occur in edges, from the labels of all of 0..n-1; see occurring.hpp.
    """

def occurring_ends(n: int, fu: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], fv: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], u: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], v: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], threads: int = 1) -> object:
    """
    The vertices of 0..n-1 that are ends of the forest's edges (fu, fv) or of self-loops among (u, v), ascending.
    """

@overload
def rank_elements(successor: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], from_head: bool, want_tails: bool, plan: str, layout: str = 'bits64', share: str = 'native', splitters: int = 0, width: int = 64, per_thread: int = 8, stop: int = 100, factor: float = 4.0, seed: int = 1, threads: int = 1, wide: bool = False) -> tuple: ...

@overload
def rank_elements(successor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], from_head: bool, want_tails: bool, plan: str, layout: str = 'bits64', share: str = 'native', splitters: int = 0, width: int = 64, per_thread: int = 8, stop: int = 100, factor: float = 4.0, seed: int = 1, threads: int = 1, wide: bool = False) -> tuple:
    """
    Links between each element and an end of its list: (ranks, tails or None, [(phase, seconds)]).
    """

@overload
def problem_of_lists(successor: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> str: ...

@overload
def problem_of_lists(successor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> str:
    """
    The first thing wrong with the successors, as one line; empty if they are lists.
    """

@overload
def scan_lists(successor: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], op: str, from_head: bool, exclusive: bool, of_links: bool, want_tails: bool, plan: str, layout: str = 'bits64', share: str = 'native', splitters: int = 0, width: int = 64, per_thread: int = 8, stop: int = 100, factor: float = 4.0, seed: int = 1, threads: int = 1, wide: bool = False) -> tuple: ...

@overload
def scan_lists(successor: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], op: str, from_head: bool, exclusive: bool, of_links: bool, want_tails: bool, plan: str, layout: str = 'bits64', share: str = 'native', splitters: int = 0, width: int = 64, per_thread: int = 8, stop: int = 100, factor: float = 4.0, seed: int = 1, threads: int = 1, wide: bool = False) -> tuple: ...

@overload
def scan_lists(successor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], op: str, from_head: bool, exclusive: bool, of_links: bool, want_tails: bool, plan: str, layout: str = 'bits64', share: str = 'native', splitters: int = 0, width: int = 64, per_thread: int = 8, stop: int = 100, factor: float = 4.0, seed: int = 1, threads: int = 1, wide: bool = False) -> tuple: ...

@overload
def scan_lists(successor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], op: str, from_head: bool, exclusive: bool, of_links: bool, want_tails: bool, plan: str, layout: str = 'bits64', share: str = 'native', splitters: int = 0, width: int = 64, per_thread: int = 8, stop: int = 100, factor: float = 4.0, seed: int = 1, threads: int = 1, wide: bool = False) -> tuple:
    """
    What lies between each element and an end of its list: (values, tails or None, [(phase, seconds)]).
    """

@overload
def check_scan(successor: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, op: str, from_head: bool, exclusive: bool, of_links: bool, ranks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> str: ...

@overload
def check_scan(successor: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, op: str, from_head: bool, exclusive: bool, of_links: bool, ranks: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> str: ...

@overload
def check_scan(successor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, op: str, from_head: bool, exclusive: bool, of_links: bool, ranks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> str: ...

@overload
def check_scan(successor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, op: str, from_head: bool, exclusive: bool, of_links: bool, ranks: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> str:
    """Empty if the values are right, else one line that proves they are not."""

def draw_words(out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], key: int, threads: int) -> None:
    """Fills an array with random words that follow from the key."""

def read_at_random(table: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, threads: int) -> int:
    """
    Reads words at independent random places, as fast as the memory answers, and returns their sum: what any walk costs at least.
    """

def format_named_rows(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], representatives: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, separator: str = ',', threads: int = 1) -> bytes:
    """
    Lines of name, label, name of the representative; labels and representatives are those of the vertices from begin on.
    """

@overload
def format_numbered_rows(ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], representatives: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, separator: str = ',', threads: int = 1) -> bytes: ...

@overload
def format_numbered_rows(ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], representatives: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, separator: str = ',', threads: int = 1) -> bytes:
    """Lines of id, label, representative."""

def copy_ids(source: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], target: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu')], threads: int) -> int:
    """
    Copies ids into an array of 32 or 64 bits; returns the largest as unsigned. One that does not fit loses its upper half.
    """

def empty_ids(size: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """An int32 array, not initialised, on huge pages if large."""

def empty_wide_ids(size: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """An int64 array, not initialised, on huge pages if large."""
