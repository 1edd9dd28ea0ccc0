"""Which two columns of a table hold the edges, judged by the names of its columns. One rule for text and frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from landbridge.errors import InputError

# Words that part the two ends of an edge. Two names are a pair if they are alike but for one such word.
_PAIRS = """
src dst, src dest, src tgt, src trg, source target, source destination, source dest, source dst, source sink, from to,
left right, l r, a b, u v, i j, x y, 1 2, 0 1, one two, first second, head tail, start end, begin end, parent child,
sender receiver, caller callee, citing cited, follower followee, subject object, row col, row column, lhs rhs,
von nach, quelle ziel
"""
_ORDERED = frozenset((first, second) for first, second in map(str.split, _PAIRS.replace("\n", " ").split(",")))
_ENDS = {frozenset(pair) for pair in _ORDERED}
_END_WORDS = frozenset(word for pair in _ORDERED for word in pair)
# These name the ends of other things, too: alone they say nothing, beside a word of `_IDS` they do.
_WEAK = frozenset(("start", "end", "begin", "x", "y", "0", "1", "2", "row", "col", "column", "first", "second"))
_IDS = frozenset(("id", "ids", "uid", "key", "node", "vertex", "entity", "record", "unique", "idx", "no", "nr", "num"))
_GLUED = re.compile(r"(src|dst|dest|source|target|from|to|left|right|start|end|node|vertex|[luvr])(id|node|vertex)")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")

# What programs call the columns of row numbers, and what stands beside two ids and is none.
_ROW_NUMBERS = re.compile(
    r"|unnamed: ?\d+|index|row|row_?(names?|numbers?|num|no|nr|id|index)|level_\d+|__index_level_\d+__|#|no\.?|nr\.?"
)
_NO_IDS = re.compile(
    r"(edge|pair|link|match|rel(ation(ship)?)?)_?(id|no|index)|eid|w|wts?|weights?|(match_)?(score|weight)s?|"
    r"(match_)?prob(ability)?|p|similarity|sim|jaccard|cosine|distance|dist|confidence|conf|cost|capacity|length|len|"
    r"ts|time|(time|date)_?stamp|date|date_?time|year|month|day|(created|updated)(_?(at|on))?|labels?|:?type|edge_?type|"
    r"rel(ation(ship)?)?(_?type)?|kind|class|category|count|cnt|n|freq(uency)?|values?|val|rating|sign|rank|"
    r"(is_?)?match(_?key)?|comments?|notes?|gamma_.*|bf_.*|tf_.*"
)
_NO_ID_KINDS = frozenset(("float", "bool", "date", "other"))
# What readers call the columns of a table that has no names for them.
_NUMBERED = re.compile(r"(|column_?|col_?|f|_c|v|x|field_?)(\d{1,9})")
# More columns of one kind, or words in a name, are not looked through for pairs: the time would be quadratic.
_MOST_ENDS = 20
_MOST_WORDS = 32


def choose_columns(names: Sequence[str], kinds: Sequence[str | None], where: str) -> tuple[int, int]:
    """The positions of the two columns that hold the edges.

    names: of all columns. kinds: what each holds ("integer", "text", "float", "bool", "date", "other"; None if nobody
    knows). where: what to call the table in a message, such as its path; "" for none.

    A known pair of names (src and dst, unique_id_l and unique_id_r, FromNodeId and ToNodeId, ...) is taken wherever it
    stands. Else the two columns of two, the first two of columns that have numbers for names, or the two that are left
    without row numbers, weights, times and the like. Raises InputError if there is no such choice, or more than one.
    """
    prefix = f"{where}: " if where else ""
    if len(names) < 2:
        listed = f"only {names[0][:60]!r}" if names else "none"
        raise InputError(f"{prefix}edges are in two columns, and there is {listed}")
    pairs = known_pairs(names, kinds)
    if len(pairs) == 1:
        return pairs[0]
    if len(names) == 2 or (not pairs and _are_numbered(names)):
        return 0, 1
    if not pairs and is_row_number(names[0]) and _are_numbered(names[1:]):
        return 1, 2
    candidates = [i for i in range(len(names)) if is_candidate(names[i], kinds[i])]
    if not pairs and len(candidates) == 2:
        return candidates[0], candidates[1]
    several = sorted({i for pair in pairs for i in pair}) or candidates
    shown = [names[i] for i in (several if len(several) > 1 else range(len(names)))]
    listed = listing(shown)
    raise InputError(
        f"{prefix}it cannot be told which two of the columns {listed} hold the edges: "
        f"say columns=({shown[0][:60]!r}, {shown[1][:60]!r}) or others (--columns on the command line)"
    )


def listing(names: Sequence[str]) -> str:
    """The names of columns for a message: one line, and not without end."""
    shown = [name if name.isprintable() and len(name) <= 60 else repr(name[:60]) for name in names[:12]]
    return ", ".join(shown) + (", ..." if len(names) > 12 else "")


def is_candidate(name: str, kind: str | None = None) -> bool:
    """Whether a column could hold ids, by its name and by what it holds."""
    if kind in _NO_ID_KINDS:
        return False
    lower = name.strip().lower()
    return not is_row_number(name) and _NO_IDS.fullmatch(lower) is None


def is_row_number(name: str) -> bool:
    """Whether the name is one that programs give to a column of row numbers."""
    return _ROW_NUMBERS.fullmatch(name.strip().lower()) is not None


def known_pairs(names: Sequence[str], kinds: Sequence[str | None] | None = None) -> list[tuple[int, int]]:
    """The best pairs of columns whose names say that they are the two ends of an edge, source before target.

    Pairs named by nothing but the ends, or as ids, are better than others (``unique_id_l`` than ``city_l``).
    """
    words = [_words(name) for name in names]
    alike: dict[tuple[int, tuple[str, ...]], list[int]] = {}  # columns whose names are alike but for one word
    for i, name in enumerate(words):
        for place in range(len(name) if len(name) <= _MOST_WORDS else 0):
            alike.setdefault((place, name[:place] + name[place + 1 :]), []).append(i)
    by_rank: dict[int, list[tuple[int, int]]] = {}
    for (place, _), group in alike.items():
        ends = [i for i in group if words[i][place] in _END_WORDS]
        for i, j in combinations(ends[:_MOST_ENDS], 2):
            rank = _rank(words[i], words[j])
            if rank is None:
                continue
            same = [k for k in group if kinds is None or None in (kinds[k], kinds[i]) or kinds[k] == kinds[i]]
            if _goes_on({words[k][place] for k in same}, words[i][place], words[j][place]):
                continue
            in_order = (words[i][place], words[j][place]) in _ORDERED
            by_rank.setdefault(rank, []).append((i, j) if in_order else (j, i))
    return sorted(by_rank[min(by_rank)]) if by_rank else []


def is_pair(first: str, second: str) -> bool:
    """Whether two names say that they are the two ends of an edge."""
    return _rank(_words(first), _words(second)) is not None


def stem_of(first: str, second: str) -> str | None:
    """What two names share that differ in a tail alone, as ``name`` of name1 and name2, if it has two letters."""
    a, b = _words(first), _words(second)
    if len(a) < 2 or a[:-1] != b[:-1] or frozenset((a[-1], b[-1])) not in _ENDS:
        return None
    stem = "".join(a[:-1])
    return stem if len(stem) > 1 else None


def _words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: of FromNodeId from, node, id; of id_1 id, 1."""
    words: list[str] = []
    for word in _WORD.findall(name.strip()):
        lower = word.lower()
        glued = _GLUED.fullmatch(lower)
        words.extend(glued.groups() if glued else (lower,))
    if len(words) == 1 and len(words[0]) > 2 and words[0][:-1] in ("id", "node", "vertex", "name"):
        words = [words[0][:-1], words[0][-1]]  # ida, idb, idl, idr
    return tuple(words)


def _difference(a: tuple[str, ...], b: tuple[str, ...]) -> int | None:
    """The one position at which two names have different words."""
    if len(a) != len(b):
        return None
    places = [k for k in range(len(a)) if a[k] != b[k]]
    return places[0] if len(places) == 1 else None


def _rank(a: tuple[str, ...], b: tuple[str, ...]) -> int | None:
    place = _difference(a, b)
    if place is None or frozenset((a[place], b[place])) not in _ENDS:
        return None
    others = a[:place] + a[place + 1 :]
    if not others:
        return None if a[0] in _WEAK and b[0] in _WEAK and {a[0], b[0]} != {"row", "col"} else 0
    return 0 if all(word in _IDS for word in others) else 1


def _goes_on(words: set[str], first: str, second: str) -> bool:
    """Whether a third word goes on with the count of two, as 3 with 1 and 2: then no two of them are a pair."""
    ends = {first, second}
    if ends in ({"1", "2"}, {"0", "1"}):
        return any(word.isdecimal() for word in words - ends)
    return ends == {"a", "b"} and "c" in words


def _are_numbered(names: Sequence[str]) -> bool:
    """Whether the names are nothing but numbers one after another: those of columns that have no names."""
    matches = [_NUMBERED.fullmatch(name.strip().lower()) for name in names]
    if not all(matches) or len({m[1] for m in matches if m}) != 1:
        return False
    numbers = [int(m[2]) for m in matches if m]
    return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
