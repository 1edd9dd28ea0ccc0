"""The words of names of columns: those for endpoints, for ids, for what has ids, and for what has none."""

from __future__ import annotations

# Words for the two endpoints of an edge. Two names are a pair if they differ in one such word only.
_SIDES = """
left right, l r, a b, u v, i j, x y, 1 2, 0 1, one two, first second, head tail, start end, begin end, row col,
row column, lhs rhs
"""
# Those that say where an edge begins and where it leads to.
_DIRECTIONS = """
src dst, src dest, src tgt, src trg, source target, source destination, source dest, source dst, source sink, from to,
origin destination, origin dest, orig dest, parent child, sender receiver, caller callee, citing cited,
follower followee, subject object, von nach, quelle ziel
"""
# Roles that are the endpoints of an edge if both are columns. As words of a first row they may be names, too.
_ROLES = """
sender recipient, payer payee, buyer seller, employee manager, emp manager, emp mgr, author coauthor, user friend,
lender borrower, debtor creditor, donor recipient, inviter invitee, winner loser
"""


def _word_pairs(pairs: str) -> frozenset[tuple[str, str]]:
    return frozenset((first, second) for first, second in map(str.split, pairs.replace("\n", " ").split(",")))


_DIRECTED, _ORDERED_ROLES = _word_pairs(_DIRECTIONS), _word_pairs(_ROLES)
_NAMED = _word_pairs(_SIDES) | _DIRECTED
ORDERED = _NAMED | _ORDERED_ROLES
"""Words for endpoints and roles, source before target."""
ENDPOINTS = frozenset(map(frozenset, _NAMED))
ALL_ENDPOINTS = frozenset(map(frozenset, ORDERED))
ENDPOINT_WORDS = frozenset(word for pair in _NAMED for word in pair)
ROLE_WORDS = frozenset(word for pair in _ORDERED_ROLES for word in pair)
_BOUND_WORDS = ("from", "to", "von", "nach")
DIRECTION_WORDS = frozenset(word for pair in _DIRECTED | _ORDERED_ROLES for word in pair)
WEAK = frozenset(("start", "end", "begin", "x", "y", "0", "1", "2", "row", "col", "column", "first", "second"))
"""These name the bounds of other things, too: only beside a word of `IDS` are they endpoints."""
SPANS = WEAK.union(_BOUND_WORDS)
"""Two times of day below these are a span of time."""
_ID_WORDS = "id ids uid uuid guid key node vertex entity record unique idx no nr num"
IDS = frozenset(_ID_WORDS.split())
_STEM_WORDS = """
name names user item doc document person company customer product account author paper word term title text string gene
protein email phone address url var
"""
STEMS = IDS.union(_STEM_WORDS.split())
LAST_WORDS = frozenset(("id", "ids", "uid", "uuid", "guid", "key", "node", "vertex"))
_ADDRESS_WORDS = "ip ipv4 ipv6 ipaddr addr address mac"
_CODE_WORDS = "email mail phone msisdn url uri account acct iban wallet"
_PARTY_WORDS = "hostname user username person customer company"
_HOST_WORDS = "host client station stop airport"
_ADDRESSES, _CODES = frozenset(_ADDRESS_WORDS.split()), frozenset(_CODE_WORDS.split())
_PARTIES = _CODES.union(_PARTY_WORDS.split())
_NO_CODES = frozenset(("node", "vertex", "entity", "record"))
CODE_WORDS = _ADDRESSES | _CODES | (IDS - _NO_CODES) | {"number", "numbers"}
"""Words for addresses, ids and the like, which no vertex has for a name, with a number behind it neither."""
_OTHER_ID_WORDS = "alias dup duplicate duplicates original neighbor neighbour contact supplier"
COLUMN_WORDS = CODE_WORDS.union(STEMS, _PARTIES, ROLE_WORDS, _OTHER_ID_WORDS.split())
"""Words that a column of ids may have for a name, without those that a host may have."""
# Words of columns beside ids: times, amounts, places on a map, kinds, remarks; and words of those that hold no ids as
# numbers, but may as text: a page, a match, a class.
_MEASURE_WORDS = """
date dates datetime timestamp stamp time times ts year years month months week weeks day days hour hours minute minutes
seconds secs milliseconds dob birth birthday birthdate birthyear duration age gender sex amount amt price cost fee val
total sum balance salary quantity qty count cnt freq frequency weight wt score rating prob probability similarity sim
distance dist confidence conf capacity length len size height width percent pct ratio rate mean avg min max lat latitude
lon lng longitude gamma bf tf scores weights prices amounts usd eur gbp bytes octets packets pkts correlation corr
coefficient pvalue type kind flag flags sign comment comments note notes description
"""
_OTHER_WORDS = """
value values rank zip zipcode postcode pos position offset line page label labels class category status
"""
MEASURES = frozenset(_MEASURE_WORDS.split())
NO_ID_WORDS = MEASURES.union(_OTHER_WORDS.split())


def are_parties(first: str, second: str, others: tuple[str, ...]) -> bool:
    """Whether two names are those of what an edge leads from and to, as src_ip and dst_ip, payer_iban and payee_iban.

    first, second: the words in which they differ; others: those that they share. Addresses from one to another may be a
    range, as ip_from and ip_to are.
    """
    if not DIRECTION_WORDS.issuperset((first, second)):
        return False
    is_range = first in _BOUND_WORDS and second in _BOUND_WORDS
    return others[-1] in _PARTIES.union(_HOST_WORDS.split()) or (others[-1] in _ADDRESSES and not is_range)
