"""The language of plans: text to Plan.

    plan   := [ sample "+" ] finish [ ":" format ] [ "@" engine ]        of graphs
            | term [ "@" engine ]                                        of linked lists
    term   := word [ "(" [ arg { "," arg } ] ")" ]
    arg    := [ word "=" ] ( number | word | term )

Full words and keyword arguments, the short codes of the papers' tables (``kout2p+rc.h1.n``) and the names of
historic systems are read; ``str(plan)`` writes one canonical text. Spaces between words mean nothing. Every
error is one line with the character it is about; a note on the exception draws the caret.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from landbridge.errors import InvalidCombination, InvalidPlan
from landbridge.plan.aliases import ALIASES, Alias
from landbridge.plan.engines import ENGINES, default_kind
from landbridge.plan.model import Engine, Finish, Plan, Sample
from landbridge.plan.ranking import RankPlan
from landbridge.plan.registry import (
    DEFAULT_STAGE,
    STAGE_FRACTION,
    Parameter,
    Policy,
    Value,
    registry,
    show,
)

LONGEST_TEXT = 1000
DEEPEST_TERM = 8

_TOKEN = re.compile(
    r"(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|(?P<word>[A-Za-z_][\w.\-]*)|(?P<symbol>[()+,=@:])",
    re.ASCII,
)
_SHORT_SAMPLE = re.compile(r"(?P<name>[a-z]+?)(?P<number>\d+(?:\.\d+)?)?(?P<flavour>[a-z])?", re.ASCII)
_SHORT_FORMAT = re.compile(r"csr|coo|(?P<staged>staged)(?P<q>\d+(?:\.\d+)?)?", re.ASCII)
_AXIS_NAMES = {
    "sample": "a sampling",
    "find": "a find",
    "splice": "a splice",
    "link": "a link",
    "finish": "a finish",
    "rank": "a plan of list ranking",
}

E = TypeVar("E", bound=InvalidPlan)
T = TypeVar("T")


def parse(text: str | Plan) -> Plan:
    """The plan a text describes, or a plan itself. ``parse(str(plan)) == plan`` for every plan.

    Raises InvalidPlan, naming character, word and the nearest known one, and InvalidCombination with the reason
    for parts that must not be combined.
    """
    if isinstance(text, str):
        return _parsed(text)
    return text if isinstance(text, Plan) else _Parser(text).plan()


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Plan:
    """Plans do not change, and a call on a small graph would take as long to read its plan as to run it."""
    return _Parser(text).plan()


def parse_rank(text: str | RankPlan) -> RankPlan:
    """The plan of list ranking a text describes, or a plan itself, as `parse`; ``wy(stride)`` is ``wyllie(stride)``."""
    return text if isinstance(text, RankPlan) else _Parser(text).rank_plan()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class _Argument:
    """One argument: its keyword or "", and a number or a term (a bare word is a term without arguments).

    text: the number as it is written, or the word of the term.
    """

    key: str
    at: int
    value_at: int
    text: str
    number: int | float | None
    term: _Term | None

    @property
    def value(self) -> Value:
        return self.number if self.number is not None else self.term.word if self.term is not None else ""


@dataclass(frozen=True, slots=True)
class _Term:
    word: str
    at: int
    arguments: tuple[_Argument, ...] | None

    @property
    def bare(self) -> bool:
        return self.arguments is None


class _Parser:
    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InvalidPlan(f"a plan is a text such as 'kout(2)+async(halve)', not {type(text).__name__}")
        if len(text) > LONGEST_TEXT:
            raise InvalidPlan(f"a plan has at most {LONGEST_TEXT} characters, this text has {len(text)}")
        self.text = text
        self.tokens = self._tokens()
        self.next = 0

    # errors -------------------------------------------------------------------------------------------------

    def error(self, at: int, problem: str) -> InvalidPlan:
        return self._with_caret(InvalidPlan(f"plan {self.text!r}, character {at + 1}: {problem}"), at)

    def unknown(self, at: int, what: str, word: str, known: Iterable[str]) -> InvalidPlan:
        known = list(known)
        axes = registry().axes_of(word)
        if axes:
            hint = f"it is {_AXIS_NAMES[axes[0]]}; known: {', '.join(known)}"
        elif word.lower() == "auto":
            hint = "'auto' is a plan of its own: in lower case, with nothing before or behind it"
        elif near := difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.5):
            hint = f"did you mean {near[0]!r}?"
        else:
            hint = f"known: {', '.join(known)}"
        return self.error(at, f"unknown {what} {word!r}; {hint}")

    def _with_caret(self, error: E, at: int) -> E:
        if self.text.isprintable():
            error.add_note(f"  {self.text}\n  {' ' * at}^")
        return error

    # text to terms ------------------------------------------------------------------------------------------

    def _tokens(self) -> list[_Token]:
        tokens, at = [], 0
        while at < len(self.text):
            if self.text[at].isspace():
                at += 1
                continue
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise self.error(at, f"{self.text[at]!r} has no meaning here")
            tokens.append(_Token(match.lastgroup or "", match.group(), at))
            at = match.end()
        tokens.append(_Token("end", "", len(self.text)))
        return tokens

    def peek(self, symbol: str) -> bool:
        return self.tokens[self.next].kind == "symbol" and self.tokens[self.next].text == symbol

    def take(self) -> _Token:
        token = self.tokens[self.next]
        self.next += 1
        return token

    def skip(self, symbol: str) -> bool:
        matches = self.peek(symbol)
        self.next += matches
        return matches

    def expected(self, what: str) -> InvalidPlan:
        token = self.tokens[self.next]
        return self.error(token.at, f"expected {what}, found {repr(token.text) if token.text else 'the end'}")

    def term(self, what: str, depth: int = 0) -> _Term:
        if self.tokens[self.next].kind != "word":
            raise self.expected(what)
        if depth > DEEPEST_TERM:
            raise self.error(self.tokens[self.next].at, "terms are nested too deeply")
        word = self.take()
        if not self.skip("("):
            return _Term(word.text, word.at, None)
        arguments: list[_Argument] = []
        if not self.skip(")"):
            while True:
                arguments.append(self.argument(depth))
                if self.skip(")"):
                    break
                if not self.skip(","):
                    raise self.expected("',' or ')'")
        return _Term(word.text, word.at, tuple(arguments))

    def argument(self, depth: int) -> _Argument:
        key, at = "", self.tokens[self.next].at
        if self.tokens[self.next].kind == "word" and self.tokens[self.next + 1].text == "=":
            key = self.take().text
            self.take()
        value_at = self.tokens[self.next].at
        if self.tokens[self.next].kind == "number":
            text = self.take().text
            return _Argument(key, at, value_at, text, self.number(value_at, text), None)
        term = self.term("a number or a word", depth + 1)
        return _Argument(key, at, value_at, term.word, None, term)

    def numeric(self, key: str, at: int, text: str) -> _Argument:
        """A number of a short code as an argument."""
        return _Argument(key, at, at, text, self.number(at, text), None)

    def number(self, at: int, text: str) -> int | float:
        if len(text) > 40:
            raise self.error(at, "a number has at most 40 characters")
        return float(text) if any(c in text for c in ".eE") else int(text)

    # terms to a plan ----------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        first = self.term("a plan")
        sample, finish = (first, self.term("a finish")) if self.skip("+") else (None, first)
        if self.peek("+"):
            raise self.error(self.tokens[self.next].at, "a plan has one '+': between its sampling and its finish")
        format_ = self.term("a format") if self.skip(":") else None
        engine_term = self.engine_term()
        engine = self.engine(engine_term) if engine_term is not None else None
        alias = ALIASES.get(finish.word)
        alias = alias if alias is not None and (finish.bare or alias.arguments) else None
        if alias is not None and (sample is None or not self.is_finish(finish.word)):
            if sample is not None or format_ is not None:
                raise self.error(finish.at, f"{finish.word!r} is a whole plan, {alias.plan}, and takes an engine only")
            base = parse(alias.plan)
            whole = self.engine_of_alias(alias, base.engine, finish, engine)
            return self.build(finish.at, lambda: Plan(base.sample, base.finish, whole))
        sampling = self.sample(sample) if sample is not None else None
        finishing = self.finish(finish, alone=sample is None)
        if format_ is not None:
            finishing, engine = self.format(format_, finishing, engine)
        return self.build(finish.at, lambda: Plan(sampling, finishing, engine))

    def rank_plan(self) -> RankPlan:
        term = self.term("a list ranking")
        engine_term = self.engine_term()
        known = registry().axis("rank")
        name = {policy.code: policy.name for policy in known.values()}.get(term.word, term.word)
        if name not in known:
            raise self.unknown(term.at, "list ranking", term.word, known)
        values = self.bind(term, known[name].parameters)
        engine = self.engine(engine_term) if engine_term is not None else None
        return self.build(term.at, lambda: RankPlan(name, tuple(values.items()), engine))

    def engine_term(self) -> _Term | None:
        """What ends every plan: an engine, or nothing."""
        term = self.term("an engine") if self.skip("@") else None
        if self.tokens[self.next].kind != "end":
            raise self.expected("'@' and an engine, or the end")
        return term

    def build(self, at: int, make: Callable[[], T]) -> T:
        """Calls a constructor of the model and puts the caret under the part it refuses."""
        try:
            return make()
        except InvalidCombination as error:
            raise self._with_caret(InvalidCombination(str(error)), at) from None
        except InvalidPlan as error:
            raise self.error(at, str(error)) from None

    def is_finish(self, word: str) -> bool:
        return any(word in registry().axis(axis) for axis in ("link", "finish"))

    def sample(self, term: _Term) -> Sample | None:
        if term.word == "none":
            if term.arguments:
                raise self.error(term.at, "none takes no argument")
            return None
        known = registry().axis("sample")
        codes = {policy.code: policy.name for policy in known.values()}
        word = term.word if term.bare else codes.get(term.word, term.word)
        if word not in known:
            short = self.short_sample(term, known) if term.bare else None
            if short is None:
                raise self.unknown(term.at, "sampling", term.word, [*known, "none"])
            word, term = short.word, short
        values = self.bind(term, known[word].parameters)
        return self.build(term.at, lambda: Sample(word, tuple(values.items())))

    def is_sample(self, term: _Term) -> bool:
        known = registry().axis("sample")
        codes = () if term.bare else (policy.code for policy in known.values())
        return term.word in (*known, *codes) or (term.bare and self.short_sample(term, known) is not None)

    def short_sample(self, term: _Term, known: Mapping[str, Policy]) -> _Term | None:
        """``kout2p``, ``k2p``, ``h``: a name or code, its first number, and the letter of a word that is no default, as
        a term with arguments."""
        match = _SHORT_SAMPLE.fullmatch(term.word)
        policy = next((p for p in known.values() if match is not None and match["name"] in (p.name, p.code)), None)
        if match is None or policy is None:
            return None
        arguments: list[_Argument] = []
        parameters = policy.parameters
        numbers = [p for p in parameters if p.kind != "word"]
        letters = {c[0]: (p.name, c) for p in parameters for c in p.choices if c != p.default}
        if text := match["number"]:
            if not numbers:
                return None
            arguments.append(self.numeric(numbers[0].name, term.at + match.start("number"), text))
        if match["flavour"]:
            if match["flavour"] not in letters:
                return None
            at = term.at + match.start("flavour")
            name, choice = letters[match["flavour"]]
            arguments.append(_Argument(name, at, at, choice, None, _Term(choice, at, None)))
        return _Term(policy.name, term.at, tuple(arguments))

    def finish(self, term: _Term, *, alone: bool) -> Finish:
        """alone: whether a sampling could stand before it."""
        table = registry()
        if term.word == "stages":
            return self.stages(term)
        names = {policy.code: policy.name for policy in table.axis("finish").values()}
        whole = term.word if term.bare else names.get(term.word, term.word)
        if whole in table.axis("finish"):
            values = self.bind(term, table.axis("finish")[whole].parameters)
            return self.build(term.at, lambda: Finish(whole, values=tuple(values.items())))
        if term.word in table.axis("link"):
            rules = self.rules(term)
            return self.build(term.at, lambda: Finish(term.word, rules.get("find", ""), rules.get("splice", "")))
        if "." in term.word and term.bare:
            return self.short_finish(term)
        if term.bare and (short := self.short_whole(term)) is not None:
            return short
        if term.word in ALIASES:
            raise self.error(term.at, f"{term.word!r} is a whole plan, {ALIASES[term.word].plan}, not a finish")
        known = [*table.axis("link"), *table.axis("finish"), "stages", *ALIASES]
        if self.is_sample(term):
            need = f"needs a finish: {term.word}+async(halve)" if alone else "cannot be the finish; async(halve) can"
            raise self.error(term.at, f"{term.word!r} is a sampling and {need}")
        raise self.unknown(term.at, "finish", term.word, dict.fromkeys(known))

    def rules(self, term: _Term) -> dict[str, str]:
        """The find and the splice among a link's arguments, by position or keyword."""
        table, rules = registry(), dict[str, str]()
        order = ("find", "splice") if table.takes_splice(term.word) else ("find",)
        for position, argument in enumerate(term.arguments or ()):
            axis = argument.key or (order[position] if position < len(order) else "")
            if axis not in ("find", "splice"):
                if argument.key:
                    raise self.unknown(argument.at, f"argument of {term.word}", argument.key, order)
                raise self.error(argument.at, f"{term.word} takes {' and '.join(order)}, nothing more")
            if axis in rules:
                raise self.error(argument.at, f"{axis} is given twice")
            self.scalar(argument)
            if argument.term is None or argument.value not in table.axis(axis):
                raise self.unknown(argument.value_at, axis, argument.text, table.axis(axis))
            rules[axis] = str(argument.value)
        return rules

    def stages(self, term: _Term) -> Finish:
        arguments = list(term.arguments or ())
        inner = next((a for a in arguments if not a.key and a.term is not None), None)
        if inner is None or inner.term is None or arguments[0] is not inner:
            raise self.error(term.at, "stages needs a finish first: stages(async(halve),q=0.5)")
        if inner.term.word == "stages":
            raise self.error(inner.at, "stages cannot be nested")
        rest = _Term(term.word, term.at, tuple(arguments[1:]))
        values = self.bind(rest, (STAGE_FRACTION,))
        q = float(values.get("q", DEFAULT_STAGE))
        base = self.finish(inner.term, alone=False)
        return self.build(term.at, lambda: replace(base, stages=q))

    def short_finish(self, term: _Term) -> Finish:
        """``rc.h1.n``: codes of link, splice (Rem's only) and find, joined by points."""
        table = registry()
        codes = term.word.split(".")
        link = self.coded(term.at, "link", codes[0])
        order = ("splice", "find") if table.takes_splice(link) else ("find",)
        if len(codes) != len(order) + 1:
            shape = ".".join((codes[0], *order))
            raise self.error(term.at, f"the short code of {link} is {shape}, not {term.word!r}")
        rules, at = dict[str, str](), term.at
        for axis, before, code in zip(order, codes, codes[1:], strict=False):
            at += len(before) + 1
            rules[axis] = self.coded(at, axis, code)
        return self.build(term.at, lambda: Finish(link, rules["find"], rules.get("splice", "")))

    def short_whole(self, term: _Term) -> Finish | None:
        """``sv``, ``lt-PRS``: the code of a standalone algorithm and, after a hyphen, the letters of its words."""
        code, hyphen, letters = term.word.partition("-")
        policy = next((p for p in registry().axis("finish").values() if p.code == code), None)
        if policy is None or bool(hyphen) != bool(letters):
            return None
        values: dict[str, Value] = {}
        for parameter in policy.parameters:
            codes = dict(zip(parameter.codes, parameter.choices, strict=True))
            word = codes.get(letters[:1]) if letters else None
            if word is not None:
                values[parameter.name] = word
                letters = letters[1:]
        if letters:
            at = term.at + len(term.word) - len(letters)
            raise self.error(at, f"the short code {term.word!r} has a letter without meaning: {letters[0]!r}")
        return self.build(term.at, lambda: Finish(policy.name, values=tuple(values.items())))

    def coded(self, at: int, axis: str, code: str) -> str:
        names = {policy.code: policy.name for policy in registry().axis(axis).values()}
        if code not in names:
            raise self.unknown(at, f"short code of {_AXIS_NAMES[axis]}", code, names)
        return names[code]

    def format(self, term: _Term, finish: Finish, engine: Engine | None) -> tuple[Finish, Engine]:
        """What a short format (``:csr``, ``:coo``, ``:staged0.5``) adds to finish and engine."""
        match = _SHORT_FORMAT.fullmatch(term.word) if term.bare else None
        if match is None:
            raise self.unknown(term.at, "format", term.word, ("csr", "coo", "staged"))
        if match["staged"]:
            if finish.stages is not None:
                raise self.error(term.at, "stages are given twice")
            q = DEFAULT_STAGE
            if text := match["q"]:
                q = float(self.value(self.numeric("q", term.at + match.start("q"), text), STAGE_FRACTION))
            plain = finish
            finish = self.build(term.at, lambda: replace(plain, stages=q))
        layout = "coo" if match["staged"] else term.word
        options = dict(engine.options) if engine is not None else {}
        if options.setdefault("layout", layout) != layout:
            raise self.error(term.at, f"the format says {layout}, the engine {options['layout']}")
        name = engine.name if engine is not None else default_kind("host").name
        return finish, Engine(name, tuple(options.items()))

    def engine(self, term: _Term) -> Engine:
        if term.word not in ENGINES:
            raise self.unknown(term.at, "engine", term.word, ENGINES)
        known = {p.name: p for p in ENGINES[term.word].options}
        values: dict[str, Value] = {}
        for argument in term.arguments or ():
            if not argument.key:
                raise self.error(argument.at, f"engine options have names: {term.word}({min(known)}=...)")
            self.scalar(argument)
            if argument.key not in known:
                raise self.unknown(argument.at, f"option of engine {term.word}", argument.key, sorted(known))
            if argument.key in values:
                raise self.error(argument.at, f"{argument.key} is given twice")
            values[argument.key] = self.value(argument, known[argument.key])
        return self.build(term.at, lambda: Engine(term.word, tuple(values.items())))

    def engine_of_alias(self, alias: Alias, base: Engine | None, term: _Term, engine: Engine | None) -> Engine | None:
        """The engine of a historic name: that of its plan with the name's arguments, or another with these options."""
        if base is None:
            return engine
        name = base.name if engine is None else engine.name
        options = dict(base.options) | dict(engine.options if engine is not None else ())
        parameters = {p.name: p for p in ENGINES[base.name].options}
        options |= self.bind(term, tuple(parameters[argument] for argument in alias.arguments))
        if not ENGINES[name].over:
            raise self.error(
                term.at, f"{alias.name!r} divides a graph among processors, which the engine {name} does not"
            )
        return self.build(term.at, lambda: Engine(name, tuple(options.items())))

    def bind(self, term: _Term, parameters: tuple[Parameter, ...]) -> dict[str, Value]:
        """Arguments matched to parameters by position, then keyword."""
        by_name = {p.name: p for p in parameters}
        values: dict[str, Value] = {}
        keyed = False
        for position, argument in enumerate(term.arguments or ()):
            self.scalar(argument)
            if argument.key and argument.key not in by_name:
                raise self.unknown(argument.at, f"parameter of {term.word}", argument.key, by_name or ["(none)"])
            keyed |= bool(argument.key)
            if not argument.key and (keyed or position >= len(parameters)):
                takes = ", ".join(f"{p.name}={show(p.default or 0)}" for p in parameters)
                raise self.error(argument.at, f"{term.word} takes {takes or 'no argument'}")
            parameter = by_name[argument.key] if argument.key else parameters[position]
            if parameter.name in values:
                raise self.error(argument.at, f"{parameter.name} is given twice")
            values[parameter.name] = self.value(argument, parameter)
        return values

    def value(self, argument: _Argument, parameter: Parameter) -> Value:
        """The value of an argument in the type of its parameter, checked where it stands."""
        value = argument.value
        if parameter.kind == "word" and value not in parameter.choices:
            raise self.unknown(argument.value_at, parameter.name, argument.text, parameter.choices)
        try:
            return parameter.convert(value, "" if argument.number is None else argument.text)
        except ValueError as problem:
            raise self.error(argument.value_at, str(problem)) from None

    def scalar(self, argument: _Argument) -> None:
        if argument.term is not None and not argument.term.bare:
            raise self.error(argument.term.at, f"expected a number or a word, found the term {argument.term.word}(...)")
