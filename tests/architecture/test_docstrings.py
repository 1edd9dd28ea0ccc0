"""Docstrings of public names have the sections of numpydoc that their signatures ask for, and their examples run."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge

TITLES = ("Parameters", "Attributes", "Returns", "Raises", "Notes", "Examples")


def public() -> list[str]:
    return [name for name in landbridge.__all__ if name != "__version__"]


def classes() -> list[type]:
    return [getattr(landbridge, name) for name in public() if inspect.isclass(getattr(landbridge, name))]


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """The public members that landbridge defines for a class, inherited ones among them."""
    for base in owner.__mro__:
        if base.__module__.startswith("landbridge"):
            yield from ((name, value) for name, value in vars(base).items() if not name.startswith("_"))


def callables() -> dict[str, Callable[..., Any]]:
    """Every public function and method."""
    result = {name: getattr(landbridge, name) for name in public() if inspect.isfunction(getattr(landbridge, name))}
    for owner in classes():
        for name, value in members(owner):
            function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if inspect.isfunction(function):
                result[f"{owner.__name__}.{name}"] = function
    return result


def sections(text: str | None) -> dict[str, list[str]]:
    """The lines of each section of a docstring; those above the first one under ""."""
    result: dict[str, list[str]] = {"": []}
    title, lines = "", inspect.cleandoc(text or "").splitlines()
    for number, line in enumerate(lines):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if line and below == "-" * len(line):
            assert line in TITLES, line
            title = line
            result[title] = []
        elif not (line and set(line) == {"-"}):
            result[title].append(line)
    assert [name for name in TITLES if name in result] == list(result)[1:], "sections out of order"
    return result


def names_in(section: list[str]) -> list[str]:
    """The names that the entries of a section explain."""
    entries = [line.partition(" : ")[0] for line in section if line and not line.startswith(" ")]
    return [name.strip().lstrip("*") for entry in entries for name in entry.split(",")]


def parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def summary(text: str | None) -> str:
    return inspect.cleandoc(text or "").partition("\n\n")[0]


@pytest.mark.parametrize("name", callables())
def test_functions_explain_parameters_and_results(name: str) -> None:
    function = callables()[name]
    parts = sections(function.__doc__)
    assert sorted(names_in(parts.get("Parameters", []))) == sorted(parameters(function))
    returns = inspect.signature(function).return_annotation not in (None, "None", inspect.Signature.empty)
    assert returns == ("Returns" in parts)
    assert "\n" not in summary(function.__doc__)
    assert summary(function.__doc__).endswith(".")


@pytest.mark.parametrize("owner", classes(), ids=lambda owner: owner.__name__)
def test_classes_explain_parameters_and_attributes(owner: type) -> None:
    parts = sections(owner.__doc__)
    assert "\n" not in summary(owner.__doc__)
    if is_dataclass(owner):
        expected = [entry.name for entry in fields(owner) if not entry.name.startswith("_")]
    elif "__init__" in vars(owner):
        expected = parameters(owner)
    else:
        expected = []
    title = "Parameters" if "Parameters" in parts else "Attributes"
    assert sorted(names_in(parts.get(title, []))) == sorted(expected)


@pytest.mark.parametrize("owner", classes(), ids=lambda owner: owner.__name__)
def test_properties_have_a_sentence(owner: type) -> None:
    for name, value in members(owner):
        if isinstance(value, property | cached_property):
            assert summary(value.__doc__).endswith("."), name


SOURCE = re.compile(r"\b([a-z]+(?:19|20)\d\d)\b")


def test_sources_are_in_the_bibliography() -> None:
    bibliography = Path(__file__).resolve().parents[2] / "REFERENCES.bib"
    keys = set(re.findall(r"^@\w+\{(\w+),", bibliography.read_text(), re.MULTILINE))
    texts = [getattr(landbridge, name).__doc__ or "" for name in public()]
    cited = {key for text in texts for key in SOURCE.findall(text)}
    assert len(cited) > 3
    assert cited <= keys


def examples() -> list[doctest.DocTest]:
    """The examples of all public names, each with its own variables."""
    finder, objects = doctest.DocTestFinder(exclude_empty=True), []
    for name in public():
        value = getattr(landbridge, name)
        bases = value.__mro__ if inspect.isclass(value) else (value,)
        objects += [base for base in bases if base.__module__.startswith("landbridge")]
    tests = {
        test.name: test
        for value in objects
        for test in finder.find(value, value.__qualname__, globs={"landbridge": landbridge, "np": np})
    }
    return list(tests.values())


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_examples_run(example: doctest.DocTest) -> None:
    lines: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=lines.append)
    assert "".join(lines) == ""


def test_every_function_has_an_example() -> None:
    names = {example.name for example in examples()}
    functions = {name for name in public() if inspect.isfunction(getattr(landbridge, name))}
    assert functions <= names


OF_MATPLOTLIB = {("Components.plot", "ax"), ("Components.plot", "style")}
"""Parameters that are handed on: a type of matplotlib here would import it."""


def test_parameters_have_named_types() -> None:
    untyped = {
        (name, parameter)
        for name, function in callables().items()
        for parameter in parameters(function)
        if inspect.signature(function).parameters[parameter].annotation in ("Any", Any, inspect.Parameter.empty)
    }
    assert untyped == OF_MATPLOTLIB
