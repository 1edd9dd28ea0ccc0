"""Errors cross processes: each class comes out of pickle as it went in."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

from landbridge import FileFormatError, TimeLimitExceeded, errors

CLASSES = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, errors.LandbridgeError)]


def made(cls: type[errors.LandbridgeError]) -> errors.LandbridgeError:
    if issubclass(cls, FileFormatError):
        return cls("a.csv", "no whole number", line=3, column=7, text='x"y')
    return cls("edge 17: vertex 9 is out of range for n = 9")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("cls", CLASSES)
def test_an_error_comes_back_from_pickle(cls: type[errors.LandbridgeError], protocol: int) -> None:
    error = made(cls)
    error.add_note("while reading")
    for copied in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error), copy.deepcopy(error)):
        assert type(copied) is cls
        assert (str(copied), copied.args, vars(copied)) == (str(error), error.args, vars(error))


def test_a_file_error_keeps_its_place() -> None:
    error = pickle.loads(pickle.dumps(made(FileFormatError)))
    assert (error.path, error.problem, error.line, error.column, error.text) == (
        "a.csv", "no whole number", 3, 7, "x\"y",
    )  # fmt: skip
    assert str(error) == """a.csv, line 3, byte 7: no whole number: 'x"y'"""


def test_every_class_is_tested() -> None:
    assert FileFormatError in CLASSES
    assert len(CLASSES) >= 10


def test_messages_have_no_control_characters() -> None:
    error = FileFormatError("a\x1b[31m\nb.csv", "the header has x\ty\u202ez", line=3)
    assert str(error) == "a\\x1b[31m\\nb.csv, line 3: the header has x\\ty\\u202ez"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.path) == (str(error), "a\x1b[31m\nb.csv")
    assert str(TimeLimitExceeded("a\rb")) == "a\\rb"
