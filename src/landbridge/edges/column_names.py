"""The two columns of a table that hold the edges, by the names of its columns. One rule for text and frames."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from landbridge.edges.column_words import (
    ALL_ENDPOINTS,
    CODE_WORDS,
    COLUMN_WORDS,
    ENDPOINT_WORDS,
    ENDPOINTS,
    IDS,
    LAST_WORDS,
    MEASURES,
    NO_ID_WORDS,
    ORDERED,
    ROLE_WORDS,
    SPANS,
    STEMS,
    WEAK,
    are_parties,
)
from landbridge.edges.spelling import can_name, spelled
from landbridge.errors import InputError

_DATASETS = {("source", "dataset"), ("dataset",), ("source", "data", "set"), ("data", "set")}
_GLUED = re.compile(
    r"(src|dst|dest|source|target|from|to|left|right|start|end|node|vertex|[luvr])(id|node|vertex|date|time|year)|"
    r"(src|dst|dest|source|target)(ip|addr|address|mac|port|host)"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")

# Names that programs use for columns of row numbers, and names of columns beside two ids.
_ROW_NUMBERS = re.compile(
    r"|unnamed: ?\d+|index|row|row_?(names?|numbers?|num|no|nr|id|index)|level_\d+|__index_level_\d+__|#|no\.?|nr\.?"
)
_NEVER_IDS = re.compile(
    r"(edge|pair|link|match|rel(ation(ship)?)?)_?(id|no|index)|eid|w|wts?|weights?|(match_)?(score|weight)s?|"
    r"(match_)?prob(ability)?|p|similarity|sim|jaccard|cosine|distance|dist|confidence|conf|cost|capacity|length|len|"
    r"ts|time|(time|date)_?stamp|date|date_?time|year|month|day|created|updated|[a-z]+ed_?(at|on)|:type|edge_?type|"
    r"rel(ation(ship)?)?(_?type)?|count|cnt|n|freq(uency)?|val|rating|is_?match|(is_?)?match_?key|"
    r"type|kind|sign|comments?|notes?|gamma_.*|bf_.*|tf_.*"
)
_NO_IDS = re.compile(r"labels?|class|category|values?|rank|match")
_NO_ID_KINDS = frozenset(("float", "bool", "date", "time", "other"))
_ANSWER = frozenset(("id", "component", "representative"))
"""The columns of an answer: each id is connected to its representative."""
_COMPUTED = re.compile(r"(count|sum|min|max|avg)\(.*\)")
# Names that readers use for the columns of a table without names.
_NUMBERED = re.compile(r"(|column_?|col_?|f|_c|v|x|field_?)(\d{1,9})")
# Pairs are searched among so many columns of one kind, and words of a name, as the time is quadratic.
_MOST_COLUMNS = 20
_MOST_WORDS = 32
_LONGEST_NAME = 60


def choose_columns(
    names: Sequence[str],
    kinds: Sequence[str | None],
    where: str,
    likely: tuple[int, int] | None = None,
    numbered: Collection[int] = (),
) -> tuple[int, int]:
    """The positions of the two columns that hold the edges.

    A known pair of names (src and dst, unique_id_l and unique_id_r, FromNodeId and ToNodeId, ...) is chosen at any
    position, and one of parties (src_ip and dst_ip, sender_email and receiver_email) beside no other pair. Else the two
    columns of two, the first two of columns that have numbers for names, ids and representatives of an answer, or the
    two that remain without row numbers, weights, times and the like. Text below a word for a class, a place or a row
    number (label, page, match, index) remains, too, beside other text.

    Parameters
    ----------
    names : sequence of str
        Of all columns.
    kinds : sequence of str or None
        What each holds: "integer", "text", "float", "bool", "date", "time", "other"; None if unknown.
    where : str
        The table in messages, such as its path; "" for none.
    likely : (int, int), optional
        The two that messages propose where their values say so and names do not.
    numbered : collection of int
        Columns that hold no row numbers by their values, though their names may say so.

    Raises
    ------
    InputError
        If there is no such choice, or more than one, if several columns have a name of the pair, and if ids are those
        of two data sets that other columns name.
    """
    prefix = f"{where}: " if where else ""
    if len(names) < 2:
        listed = f"only {names[0][:60]!r}" if names else "none"
        raise InputError(f"{prefix}edges are in two columns, and there is {listed}")
    distinct = list(dict.fromkeys(names))
    positions = {name: names.index(name) for name in distinct}
    if len(distinct) == len(names):
        return _choice(names, kinds, prefix, positions=positions, likely=likely or (), numbered=numbered)
    kind_of = dict(zip(names, kinds, strict=True))  # of the last one, if a name is repeated
    repeated = {name for name, count in Counter(names).items() if count > 1}
    i, j = 0, 0
    if len(distinct) > 1:
        i, j = _choice(distinct, [kind_of[name] for name in distinct], prefix, positions=positions, repeated=repeated)
    first, second = unique_position(distinct[i], names, prefix), unique_position(distinct[j], names, prefix)
    return first, second


def named_columns(
    columns: Sequence[str | int], names: Sequence[str], where: str, holder: str, width: int | None = None
) -> tuple[int, int]:
    """The positions of the two columns that a caller names, by name or by position.

    Parameters
    ----------
    columns : pair of str or int
        What the caller says.
    names : sequence of str
        Of all columns.
    where : str
        The path in messages; "" for none.
    holder : str
        What has the columns, such as "frame".
    width : int, optional
        The number of columns that have positions, if not all.

    Raises
    ------
    InputError
        For a column that is not there, for a name of several, and for one column twice: every edge would be a loop.
    """
    prefix = f"{where}: " if where else ""
    places = [named_column(column, names, prefix, holder, width) for column in columns]
    refuse_one_column(names[places[0]] if places[0] == places[1] else None, prefix)
    return places[0], places[1]


def named_column(column: str | int, names: Sequence[str], prefix: str, holder: str, width: int | None = None) -> int:
    """The position of a column that a caller names, by name or by position; see `named_columns`.

    Raises InputError for a column that is not there, and for a name of several.
    """
    size = len(names) if width is None else width
    if isinstance(column, str):
        if column not in names:
            missing = f"there is no column {quoted(column)}{from_zero(column)}"
            raise InputError(f"{prefix}{missing}; the {holder} has {listing(names)}")
        return unique_position(column, names, prefix)
    if not 0 <= column < size:
        raise InputError(f"{prefix}there is no column {column}; the {holder} has {size}, from 0")
    return int(column)


def from_zero(column: str) -> str:
    """What is to be said of a name that is a number below 0 and no column has; "" for any other."""
    return " (positions count from 0)" if re.fullmatch(r"-\d+", column) else ""


def refuse_one_column(column: str | int | None, prefix: str = "") -> None:
    """Raise InputError for a column that is named as both endpoints; None for none."""
    if column is not None:
        raise InputError(f"{prefix}the column {quoted(column)} is named twice; an edge is in two columns")


def unique_position(name: str, names: Sequence[str], prefix: str = "") -> int:
    """The position of a name among the names. Raises InputError if it is repeated."""
    several = [i for i in range(len(names)) if names[i] == name]
    if len(several) > 1:
        positions = listing([str(i) for i in several])
        raise InputError(
            f"{prefix}{len(several)} columns have the name {name[:60]!r} (positions {positions}): "
            "give them names of their own"
        )
    return several[0]


def _choice(
    names: Sequence[str],
    kinds: Sequence[str | None],
    prefix: str,
    *,
    positions: Mapping[str, int],
    repeated: Collection[str] = (),
    likely: Collection[int] = (),
    numbered: Collection[int] = (),
) -> tuple[int, int]:
    """The two columns of at least two with different names.

    positions: of each among all columns, the first of several. repeated: names that several columns have.
    """
    by_rank = _pairs(names, kinds)
    pairs = _best(by_rank, names, kinds)
    candidates = [i for i in range(len(names)) if i in numbered or is_candidate(names[i], kinds[i])]
    letters = [name.strip().lower() for name in names]
    if "q" in letters and "p" in letters:  # p is no probability then
        candidates = sorted({*candidates, letters.index("p")})
    texts = [i for i in range(len(names)) if kinds[i] == "text" and i not in candidates and _could_hold_text(names[i])]
    numbers = all(kinds[i] == "integer" for i in candidates)  # text is no end of an edge from a number
    others = [] if numbers or _are_surely_ids(names, candidates, by_rank) else texts
    is_mixed = {kinds[i] for i in candidates} == {"integer", "text"}
    choice: tuple[int, int] | None = None
    if len(pairs) == 1:
        choice = pairs[0]
    elif len(names) == 2 or (not pairs and are_numbered(names)):
        choice = 0, 1
    elif not pairs and is_row_number(names[0]) and are_numbered(names[1:]):
        choice = 1, 2
    elif not pairs and _ANSWER.issubset(names):
        choice = names.index("id"), names.index("representative")
    elif not pairs and len(candidates) == 2 and not others and not is_mixed:
        choice = candidates[0], candidates[1]
    if choice is not None:
        _refuse_datasets(names, choice, prefix, positions)
        reverse = (choice[1], choice[0])
        return reverse if any(reverse in ranked for ranked in by_rank.values()) else choice
    ids = [i for i in range(len(names)) if kinds[i] in ("integer", "text") and not is_row_number(names[i])]
    several = sorted({i for pair in pairs for i in pair} or {*candidates, *others, *(ids if is_mixed else ()), *likely})
    options = [names[i] for i in (several if len(several) > 1 else range(len(names)))]
    listed = listing(options)
    proposed = [names[i] for i in (() if pairs else likely) or _likely_pair(names, kinds, pairs, by_rank)]
    # A name of several columns selects none.
    options = sorted(options, key=lambda name: (name in repeated, name not in proposed))
    which = "others" if proposed else "other columns; no two names look like a pair"
    raise InputError(
        f"{prefix}it is ambiguous which two of the columns {listed} hold the edges: "
        f"say {_spelled_columns(options[:2], positions, repeated)} or {which}"
    )


def _likely_pair(
    names: Sequence[str],
    kinds: Sequence[str | None],
    pairs: Sequence[tuple[int, int]],
    by_rank: Mapping[int, Sequence[tuple[int, int]]],
) -> tuple[int, ...]:
    """Two columns that messages propose: the first pair of ids, or else of names such as qid1 and qid2, city_l and
    city_r, or ltable_id and rtable_id, of which one with "id" or with whole numbers comes first; none if no pair."""
    if pairs:
        return pairs[0]
    pairs = (*by_rank.get(_ANYTHING, ()), *_begun_alike(names))
    others = [pair for pair in pairs if {kinds[i] for i in pair} <= {"integer", "text", None}]
    ranked = {
        pair: (not any("id" in word for word in _words(names[pair[0]])), kinds[pair[0]] != "integer", pair)
        for pair in others
    }
    return min(others, key=ranked.__getitem__, default=())


def _begun_alike(names: Sequence[str]) -> list[tuple[int, int]]:
    """Columns whose names differ in a first letter, l and r, above candidates."""
    places = {name.strip().lower(): i for i, name in enumerate(names) if len(name) > 2 and is_candidate(name)}
    return [(i, places["r" + name[1:]]) for name, i in places.items() if name[0] == "l" and "r" + name[1:] in places]


def _are_surely_ids(names: Sequence[str], candidates: Sequence[int], by_rank: dict[int, list[tuple[int, int]]]) -> bool:
    """Whether two candidates are a pair, as person_a and person_b are, or both have a word for ids in their names."""
    pairs = [set(pair) for rank, some in by_rank.items() if rank != _NO_ID for pair in some]
    return set(candidates) in pairs or (
        len(candidates) == 2 and all(IDS.intersection(_words(names[i])[-1:]) for i in candidates)
    )


def quoted(name: object) -> str:
    """The name of a column in quotes for a message: one line of bounded length."""
    return f"{name[:60]!r}..." if isinstance(name, str) and len(name) > 60 else repr(name)


def listing(names: Sequence[str]) -> str:
    """The names of columns for a message: one line of bounded length."""
    first = [name if name.isprintable() and len(name) <= 60 else repr(name[:60]) for name in names[:12]]
    return ", ".join(first) + (", ..." if len(names) > 12 else "")


def _refuse_datasets(names: Sequence[str], choice: tuple[int, int], prefix: str, positions: Mapping[str, int]) -> None:
    """Raise InputError if two other columns name the data sets of the endpoints: both may have an id of one name."""
    words = [_words(name) for name in names]
    some = [i for i in range(len(names)) if i not in choice and not {"dataset", "set"}.isdisjoint(words[i])]
    for i, j in combinations(some[:_MOST_COLUMNS], 2):
        place = _difference(words[i], words[j])
        if place is None or words[i][:place] + words[i][place + 1 :] not in _DATASETS:
            continue
        if frozenset((words[i][place], words[j][place])) in ENDPOINTS:
            first, second, one, other = (names[k][:60] for k in (*choice, i, j))
            these = _spelled_columns([names[k] for k in choice], positions)
            raise InputError(
                f"{prefix}ids in {first!r} and {second!r} may be unique within a data set only, as {one!r} and "
                f"{other!r} say: make ids of both, or take these alone by {these}"
            )


def _spelled_columns(pair: Sequence[str], positions: Mapping[str, int], repeated: Collection[str] = ()) -> str:
    """The option that selects two columns, by their names; by their positions where a name is that of several, too long
    for a message, or none that a caller can say."""
    by_name = all(len(name) < _LONGEST_NAME and name not in repeated and can_name(name) for name in pair)
    return spelled(columns=tuple(name if by_name else positions[name] for name in pair))


def is_candidate(name: str, kind: str | None = None) -> bool:
    """Whether a column could hold ids, by its name and its kind."""
    if kind in _NO_ID_KINDS or is_row_number(name) or _NO_IDS.fullmatch(name.strip().lower()) is not None:
        return False
    return not _measures(name, NO_ID_WORDS)


def _could_hold_text(name: str) -> bool:
    """Whether a column of text could hold ids, whatever its name says of numbers: a page, a match, a class."""
    return not _measures(name, MEASURES)


def _measures(name: str, no_ids: Collection[str]) -> bool:
    """Whether the name of a column says that it holds no ids, by the words that say so."""
    if _NEVER_IDS.fullmatch(name.strip().lower()) is not None:
        return True
    words = _words(name)
    rest = [word for word in words if word not in ENDPOINT_WORDS]
    if IDS.intersection(rest):
        return False
    some = rest if len(rest) < len(words) else rest[-1:]  # price_list may be ids, and price_list_l is of a pair
    return any(word in no_ids for word in some)


def may_number_others(name: str) -> bool:
    """Whether a name for row numbers may also be one for numbers of other things, as No of customers."""
    return re.fullmatch(r"no\.?|nr\.?", name.strip().lower()) is not None


def is_row_number(name: str) -> bool:
    """Whether the name is one that programs give to a column of row numbers."""
    return _ROW_NUMBERS.fullmatch(name.strip().lower()) is not None


def possible_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """All pairs of columns whose names could be those of the endpoints of an edge, ``city_l`` and ``city_r``, too."""
    return [pair for rank, pairs in _pairs(names, None).items() if rank != _NO_ID for pair in pairs]


# What the columns of a pair hold, by the words that their names share.
_ID, _ID_OF, _PARTY, _ANYTHING, _NO_ID = range(5)


def _best(
    by_rank: Mapping[int, Sequence[tuple[int, int]]], names: Sequence[str], kinds: Sequence[str | None]
) -> list[tuple[int, int]]:
    """The pairs of the best rank; those of parties, as src_ip and dst_ip, with any others, as src_port and dst_port."""
    ids, parties = by_rank.get(_ID) or by_rank.get(_ID_OF), by_rank.get(_PARTY)
    if ids or not parties:
        return sorted(ids or ())
    others = [pair for pair in by_rank.get(_ANYTHING, ()) if all(is_candidate(names[i], kinds[i]) for i in pair)]
    return [*sorted(parties), *sorted(others)]


def _pairs(names: Sequence[str], kinds: Sequence[str | None] | None) -> dict[int, list[tuple[int, int]]]:
    """All pairs of columns whose names differ in two words for endpoints only, source before target, by rank."""
    words = [_words(name) for name in names]
    alike: dict[tuple[int, tuple[str, ...]], list[int]] = {}  # columns whose names differ in one word
    for i, name in enumerate(words):
        for place in range(len(name) if len(name) <= _MOST_WORDS else 0):
            alike.setdefault((place, name[:place] + name[place + 1 :]), []).append(i)
    by_rank: dict[int, list[tuple[int, int]]] = {}
    for (place, _), group in alike.items():
        endpoints = [i for i in group if words[i][place] in ENDPOINT_WORDS or words[i][place] in ROLE_WORDS]
        for i, j in combinations(endpoints[:_MOST_COLUMNS], 2):
            rank = _rank(words[i], words[j])
            if rank is None or (kinds is not None and _is_span({kinds[i], kinds[j]}, rank, words[i])):
                continue
            same = [k for k in group if kinds is None or None in (kinds[k], kinds[i]) or kinds[k] == kinds[i]]
            if _continues({words[k][place] for k in same}, words[i][place], words[j][place]):
                continue
            pair = (words[i][place], words[j][place])
            by_rank.setdefault(rank, []).append((i, j) if pair in ORDERED else (j, i))
    return by_rank


def _is_span(kinds: set[str | None], rank: int, words: tuple[str, ...]) -> bool:
    """Whether two columns of kinds are a span of time: two dates, whatever their names, and two times of day but below
    names of endpoints alone (src, dst), where 1:12 may be a verse. words: of the first name."""
    if kinds == {"time"}:
        return rank != _ID or (len(words) == 1 and (words[0] in SPANS or len(words[0]) == 1))
    return kinds <= {"date", "time", "bool"}


def is_pair(first: str, second: str) -> bool:
    """Whether two names are those of the two endpoints of an edge, or of the two ends of a span of time."""
    a, b = _words(first), _words(second)
    place = _difference(a, b)
    return place is not None and frozenset((a[place], b[place])) in ENDPOINTS and _rank(a, b) is not None


def are_endpoint_names(first: str, second: str) -> bool:
    """Whether two names are those of the endpoints of an edge, and no numbered or lettered names of vertices.

    They are for src and dst, source_1 and target_1, id_1 and id_2; not for name1 and name2, nor bob_l and bob_r.
    """
    a, b = _words(first), _words(second)
    place = _difference(a, b)
    if place is None or not is_pair(first, second):
        return False
    return _rank(a, b) == _ID or min(len(a[place]), len(b[place])) > 1


def could_be_names(first: str, second: str) -> bool:
    """Whether two words that are no identifiers could name columns: both end in a word for ids or names, as "User ID"
    and "Item Name" do, or one is what programs write: "Unnamed: 0", "COUNT(*)"."""
    last = [_words(name)[-1:] for name in (first, second)]
    known = all(word and word[0] in (*LAST_WORDS, "name", "names", "number", "code") for word in last)
    return known or any(is_row_number(name) or _COMPUTED.fullmatch(name.strip().lower()) for name in (first, second))


def is_column_word(name: str, words: Collection[str] | None = None) -> bool:
    """Whether a name has one of some words, or ends in one for endpoints, ids or what has ids, as Phone Number does; a
    numbered or lettered one in a word for addresses or ids: email_2 and ip_a, not host1 or ip-10-0-0-1."""
    own = _words(name)
    rest = [word for word in own if len(word) > 1 and word not in WEAK and not word.isdecimal()]
    if not rest or sum(word.isdecimal() for word in own) > 1:
        return False
    if words is not None:
        return not set(rest).isdisjoint(words)
    return rest[-1] in CODE_WORDS or (len(rest) == len(own) and rest[-1] in COLUMN_WORDS | ENDPOINT_WORDS)


def subject_of(name: str) -> str:
    """The one word of a name beside those for ids: user of userId and user, users of users; "" of others."""
    words = [word for word in _words(name) if word not in IDS]
    return words[0] if len(words) == 1 else ""


def stem_of(first: str, second: str) -> str | None:
    """The common part of two names that differ in their last word only, as ``name`` of name1 and name2."""
    a, b = _words(first), _words(second)
    if len(a) < 2 or a[:-1] != b[:-1] or frozenset((a[-1], b[-1])) not in ENDPOINTS:
        return None
    return "".join(a[:-1])


def is_stem_of_columns(stem: str) -> bool:
    """Whether numbers or letters behind a word make names of columns, as name1 and name2 are, and not of vertices."""
    return stem in STEMS or _NUMBERED.fullmatch(f"{stem}1") is not None


def _words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: of FromNodeId from, node, id; of id_1 id, 1."""
    words: list[str] = []
    for word in _WORD.findall(name.strip()):
        lower = word.lower()
        glued = _GLUED.fullmatch(lower)
        words.extend(filter(None, glued.groups()) if glued else (lower,))
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
    """What a pair of columns holds by the words that their names share; None if it is no pair."""
    place = _difference(a, b)
    if place is None or frozenset((a[place], b[place])) not in ALL_ENDPOINTS:
        return None
    others = a[:place] + a[place + 1 :]
    if not others:
        return None if a[0] in WEAK and b[0] in WEAK and {a[0], b[0]} != {"row", "col"} else _ID
    if all(word in IDS for word in others):
        return _ID
    if not NO_ID_WORDS.isdisjoint(others):
        return _ANYTHING if IDS.intersection(others) else _NO_ID
    if others[-1] in IDS or others[0] in ("id", "uid", "uuid"):
        return _ID_OF
    return _PARTY if are_parties(a[place], b[place], others) else _ANYTHING


def _continues(words: set[str], first: str, second: str) -> bool:
    """Whether a third word continues the count of two, as 3 continues 1 and 2: then no two of them are a pair."""
    pair = {first, second}
    if pair == {"i", "j"}:
        return not words.isdisjoint(("h", "k"))
    if pair in ({"1", "2"}, {"0", "1"}):
        return any(word.isdecimal() for word in words - pair)
    return pair == {"a", "b"} and "c" in words


def are_numbered(names: Sequence[str]) -> bool:
    """Whether the names are consecutive numbers, as those of columns without names."""
    matches = [_NUMBERED.fullmatch(name.strip().lower()) for name in names]
    if not all(matches) or len({m[1] for m in matches if m}) != 1:
        return False
    numbers = [int(m[2]) for m in matches if m]
    return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
