"""Generators by text: parsed, called, and written in canonical form."""

from __future__ import annotations

import re
from typing import cast

from landbridge.edges.forms import EdgeList
from landbridge.edges.generators.analogues import analogue_text
from landbridge.edges.generators.table import GENERATORS, Generator, Parameter, Value
from landbridge.errors import InputError

_CALL = re.compile(r"\s*([a-z_][a-z0-9_]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)\s*=)?\s*([^\s=]+)\s*")
_LIKE = re.compile(r"\s*like:([^@,\s]+)@([^@,\s]+)(?:,seed=(\d{1,20}))?\s*")
_SEED = Parameter("seed", int, 0, required=False)
_POWER = re.compile(r"(\d{1,9})(?:\^|\*\*)(\d{1,2})")


def _value(text: str, name: str, kind: type) -> Value:
    """The value of a text as a parameter of this kind."""
    if kind is bool:
        if text.lower() in ("true", "false", "0", "1"):
            return text.lower() in ("true", "1")
        raise InputError(f"{name} = {text!r} is neither true nor false")
    if kind is str:
        return text.strip("'\"")
    power = _POWER.fullmatch(text)
    if power:
        return cast(int, int(power[1]) ** int(power[2]))
    try:
        if kind is int:
            return int(text) if "e" not in text.lower() else _integral(float(text))
        return float(text)
    except (ValueError, OverflowError):
        word = "a whole number" if kind is int else "a number"
        raise InputError(f"{name} = {text!r} is not {word}") from None


def _integral(x: float) -> int:
    if not x.is_integer():
        raise ValueError
    return int(x)


def _parse(text: str) -> tuple[Generator, dict[str, Value]]:
    """The generator and the arguments of a text."""
    like = _LIKE.fullmatch(text)
    if like is not None:
        generator, values = _parse(analogue_text(like[1], _scale(like[2])))
        return generator, values | {"seed": int(like[3] or 0)}
    call = _CALL.fullmatch(text)
    if call is None:
        raise InputError(f"generator {text!r} is not of the form name(value, name=value, ...)")
    if call[1] not in GENERATORS:
        raise InputError(f"generator {call[1]!r} is not one of {', '.join(sorted(GENERATORS))}")
    generator = GENERATORS[call[1]]
    known = {p.name: p for p in (*generator.parameters, _SEED)}
    arguments: dict[str, Value] = {}
    parts = call[2].split(",") if call[2] and call[2].strip() else []
    for i, part in enumerate(parts):
        match = _ARGUMENT.fullmatch(part)
        if match is None:
            raise InputError(f"argument {i + 1} of {call[1]}, {part.strip()!r}, is neither value nor name=value")
        name = match[1]
        if name is None:
            if i >= len(generator.parameters):
                raise InputError(
                    f"{call[1]} takes {len(generator.parameters)} values, and {part.strip()!r} is one more"
                )
            if len(arguments) < i or any(p.name not in arguments for p in generator.parameters[:i]):
                raise InputError(f"argument {i + 1} of {call[1]}, {part.strip()!r}, needs its name")
            name = generator.parameters[i].name
        if name not in known:
            raise InputError(f"{call[1]} has no parameter {name!r}; it has {', '.join(known)}")
        if name in arguments:
            raise InputError(f"{call[1]} is given {name} twice")
        arguments[name] = _value(match[2], name, known[name].kind)
    for p in generator.parameters:
        if p.required and p.name not in arguments:
            raise InputError(f"{call[1]} needs a value for {p.name}")
    return generator, arguments


def generate(text: str, *, seed: int | None = None, threads: int | None = None) -> EdgeList:
    """The graph of a text such as ``rmat(20,edge_factor=16,seed=1)``, ``grid2d(1024,1024)`` or ``like:road_usa@0.1``.

    The text is parsed, never executed.

    Parameters
    ----------
    text : str
        A call of a generator, or ``like:<data set>@<scale>``. Values may be written ``2^20`` or ``1e6``.
    seed : int, optional
        Replaces the seed of the text.
    threads : int, optional
        By default all processors this process may use. The result does not depend on it.

    Returns
    -------
    EdgeList
        With ``num_vertices`` set.

    Raises
    ------
    InputError
        With the part of the text, or the parameter, that is wrong.
    """
    generator, arguments = _parse(text)
    if seed is not None:
        arguments["seed"] = seed
    return generator.function(**arguments, threads=threads)


def canonical(text: str) -> str:
    """The canonical form of a text, for naming inputs.

    Required values in order, then ``name=value`` for each other one that differs from its default; no blanks. An
    analogue keeps its name: ``like:road_usa@0.1``.
    """
    generator, arguments = _parse(text)
    like = _LIKE.fullmatch(text)
    if like is not None:
        seed = arguments["seed"]
        return f"like:{like[1]}@{_shown(_scale(like[2]))}" + (f",seed={seed}" if seed else "")
    words = []
    for p in (*generator.parameters, _SEED):
        value = arguments.get(p.name, p.default)
        if p.required:
            words.append(_shown(value))
        elif value != p.default:
            words.append(f"{p.name}={_shown(value)}")
    return f"{generator.name}({','.join(words)})"


def _shown(value: Value) -> str:
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _scale(text: str) -> float:
    value = _value(text, "scale", float)
    if not isinstance(value, int | float) or not 0 < value <= 1024:
        raise InputError(f"scale = {text} is not above 0 and at most 1024")
    return float(value)


def analogue(data_set: str, scale: float = 1.0, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """The synthetic analogue of a published data set, at a scale of its number of vertices.

    The average degree is met to within about 15 % (internet: 30 %), and the number of components exactly for grids,
    meshes, roads and web graphs. Social and citation graphs have one giant component and, unlike the originals, only
    small random ones; kron has powers of two. Results are named ``like:<data set>@<scale>`` (see `canonical`), never by
    the original name.
    """
    return generate(f"like:{data_set}@{_scale(str(scale))!r}", seed=seed, threads=threads)
