"""What a user may have typed: every name, parameter and plan text of the golden list is there, and means the same.

`python tests/unit/test_public_names.py` writes the list again, after something was added. What is on it stays.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import landbridge
from landbridge.problems import PROBLEMS

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "public.json"


def parameters(value: Any) -> dict[str, str]:
    """The parameters of a callable: whether each is passed by position, by name or both, and its default."""
    if not callable(value) or (inspect.isclass(value) and issubclass(value, BaseException)):
        return {}
    rows = inspect.signature(value).parameters.values()
    return {
        row.name: row.kind.name.lower() + ("" if row.default is row.empty else f" = {row.default!r}") for row in rows
    }


def members(value: Any) -> dict[str, dict[str, str]]:
    """The public attributes of a class, each with its parameters."""
    if not inspect.isclass(value) or issubclass(value, BaseException):
        return {}
    names = [name for name in dir(value) if not name.startswith("_")] + list(getattr(value, "__dataclass_fields__", ()))
    return {name: parameters(getattr(value, name, None)) for name in sorted(set(names))}


def public() -> dict[str, Any]:
    names = [name for name in landbridge.__all__ if not name.startswith("__")]
    values = {name: getattr(landbridge, name) for name in names}
    return {
        "names": {name: parameters(value) for name, value in values.items()},
        "members": {name: rows for name, value in values.items() if (rows := members(value))},
        "plans": {
            problem: {engine: landbridge.plans(problem, engine, extended=True) for engine in ("cpu", "gpu")}
            for problem in PROBLEMS
        },
    }


def lost(before: Any, now: Any, place: str = "") -> list[str]:
    """What is in `before` and not in `now`, each with its place."""
    if isinstance(before, dict):
        missing = [f"{place}.{key}" for key in before if key not in now]
        return missing + [
            each for key in before if key in now for each in lost(before[key], now[key], f"{place}.{key}")
        ]
    if isinstance(before, list):
        return [f"{place}.{each}" for each in sorted(set(before) - set(now))]
    return [] if before == now else [f"{place}: {before} became {now}"]


def test_nothing_that_a_user_may_have_typed_is_gone() -> None:
    golden = json.loads(GOLDEN.read_text())
    assert lost(golden, public()) == []
    assert lost({"a": {"b": "c = 1"}, "d": ["e"]}, {"a": {"b": "c = 2"}, "d": []}) == [
        ".a.b: c = 1 became c = 2",
        ".d.e",
    ]


def test_a_new_required_parameter_is_noticed() -> None:
    """A call of yesterday passes as many arguments as the golden list has: what is added has a default."""
    golden, now = json.loads(GOLDEN.read_text())["names"], public()["names"]
    added = {name: set(now[name]) - set(rows) for name, rows in golden.items()}
    required = {name: [row for row in rows if now[name][row] in ("positional_or_keyword", "keyword_only")]
                for name, rows in added.items()}  # fmt: skip
    assert not any(required.values()), required


def test_there_are_as_many_plans_as_before() -> None:
    """The published enumeration, for each of the two engines of devices; rules of one's own are beside it."""
    assert len(landbridge.plans()) == 1102
    assert len(landbridge.plans(extended=True)) >= 1446
    assert len(landbridge.plans("incremental")) == 102
    assert len(landbridge.plans("list_ranking")) == 19


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(public(), indent=1) + "\n")
