"""The public face of list ranking: arguments, types, errors, the command, and a verifier that sees broken answers."""

from __future__ import annotations

import gzip
import io
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.lists import scanned, zoo
from oracles.refusals import refused

import landbridge
from landbridge import _core
from landbridge.cli import rank_command
from landbridge.cli.run import run
from landbridge.edges.formats import number_list
from landbridge.edges.generators import linked_list
from landbridge.edges.successors import SumOverflow
from landbridge.errors import (
    CheckFailed,
    DeviceError,
    FileFormatError,
    InputError,
    InvalidCombination,
    InvalidPlan,
    ListError,
    TimeLimitExceeded,
)
from landbridge.plan import RankPlan, parse_rank, registry


def test_the_shortest_use() -> None:
    assert landbridge.rank_list([1, 2, 2, 0]).tolist() == [2, 1, 0, 3]
    assert landbridge.rank_list([1, 2, -1, 0]).tolist() == [2, 1, 0, 3]
    assert landbridge.rank_list([1, 2, 2, 0], origin="head").tolist() == [1, 2, 3, 0]
    assert landbridge.rank_list([1, 2, 2, 0], weights=[10, 20, 30, 40]).tolist() == [30, 20, 0, 70]
    assert landbridge.scan_list([1, 2, 2, 0], [10, 20, 30, 40]).tolist() == [50, 70, 100, 40]
    assert landbridge.scan_list([1, 2, 2, 0], [10, 20, 30, 40], op="min", origin="tail").tolist() == [10, 20, 30, 10]


def test_nothing_and_one_element() -> None:
    for successor in ([], np.empty(0, np.int64)):
        result = landbridge.rank_list(successor, full=True)
        assert len(result) == result.count == 0
        assert result.ranks.dtype == np.int32
    assert landbridge.rank_list([0]).tolist() == [0]
    assert landbridge.scan_list([], []).dtype == np.int64


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, ">i4"])
def test_integers_of_every_kind(dtype: Any) -> None:
    successor = np.array([1, 2, 2, 0, 5, 5]).astype(dtype)
    assert landbridge.rank_list(successor).tolist() == [2, 1, 0, 3, 1, 0]
    apart = np.zeros(12, successor.dtype)
    apart[::2] = successor
    assert landbridge.rank_list(apart[::2]).tolist() == [2, 1, 0, 3, 1, 0]


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_unsigned_successors_that_do_not_fit_are_named_as_given(dtype: Any) -> None:
    successor = np.array([1, 2, np.iinfo(dtype).max - 7], dtype)
    with pytest.raises(ListError, match=f"element 2: successor {np.iinfo(dtype).max - 7} is out of range for n = 3"):
        landbridge.rank_list(successor)
    successor[2] = np.iinfo(dtype).max  # it is no tail, though -1 has the same bits
    with pytest.raises(ListError, match=f"element 2: successor {np.iinfo(dtype).max} is out of range for n = 3"):
        landbridge.rank_list(successor)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[0]],), r"element 0: the successor = \[0\] is not a whole number"),
        (([0.5],), "element 0: the successor = 0.5 is not a whole number"),
        ((["a"],), "successors are whole numbers, not text"),
        (([0, 1], {"weights": [1]}), "there are 2 successors and 1 weights"),
        (([0], {"weights": [1j]}), "element 0: weights = 1j is neither an integer nor a float"),
        (([0], {"weights": np.array([2**63], np.uint64)}), "give them as float64"),
        (([1, 1], {"weights": [2**62, 0], "origin": "left"}), "origin is 'tail' or 'head'"),
        (([0], {"threads": 0}), "threads must be a positive integer"),
    ],
)
def test_what_is_no_input_is_refused_in_words(arguments: tuple[Any, ...], words: str) -> None:
    options = arguments[1] if len(arguments) > 1 else {}
    with pytest.raises(InputError, match=words):
        landbridge.rank_list(arguments[0], **options)


def test_sums_that_do_not_fit_are_refused_and_those_that_do_are_exact() -> None:
    with pytest.raises(InputError, match=r"2\^63 or more, and integers are added exactly"):
        landbridge.rank_list([1, 2, 2], weights=[2**62, 2**62, 0])
    assert landbridge.rank_list([1, 2, 2], weights=[2**62, 2**62 - 1, 0]).tolist() == [2**63 - 1, 2**62 - 1, 0]
    assert landbridge.rank_list([1, 2, 2], weights=[-(2**62), 2**62 - 1, 0]).tolist() == [-1, 2**62 - 1, 0]
    assert landbridge.rank_list([1, 2, 2], weights=[1e20, 1.0, 5.0]).tolist() == [1e20, 1.0, 0.0]
    # The length of a tail's link is no part of any sum.
    for origin in ("tail", "head"):
        ranks = landbridge.rank_list([1, 2, -1], weights=[2**62, 2**62 - 1, 2**63 - 1], origin=origin)
        assert ranks.max() == 2**63 - 1
    with pytest.raises(InputError, match=r"2\^63 or more, and integers are added exactly"):
        landbridge.scan_list([1, 1], [1, 2**63 - 1])


def test_what_is_no_number_stays_one() -> None:
    values = [1.0, np.nan, 3.0]
    for op in ("sum", "min", "max"):
        assert np.isnan(landbridge.scan_list([1, 2, 2], values, op=op)).tolist() == [False, True, True]


def test_plans_have_one_text_each() -> None:
    for text in landbridge.plans("list_ranking", extended=True):
        assert str(parse_rank(text)) == text
    assert str(parse_rank(" random_splitter ( splitters = 16384 , layout = bits48 ) @ cpu(threads=2)")) == (
        "random_splitter(16384,bits48)@cpu(threads=2)"
    )
    assert str(parse_rank("fis(4.0)")) == "fis"
    assert parse_rank("chains(8)")["splitters"] == 8


def test_lists_are_ranked_by_the_short_codes_that_tables_show() -> None:
    for text in landbridge.plans("list_ranking", extended=True):
        plan = parse_rank(text)
        code = registry().axis("rank")[plan.name].code
        assert parse_rank(text.replace(plan.name, code, 1)) == plan
    assert landbridge.rank_list([1, 2, 2, 0], plan="wy").tolist() == [2, 1, 0, 3]


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("chain", InvalidPlan, "did you mean 'chains'"),
        ("chains(1,2,3)", InvalidPlan, "chains takes splitters=0, width=64"),
        ("random_splitter(0)", InvalidPlan, "splitters is at least 1, not 0"),
        ("kout(2)", InvalidPlan, "it is a sampling"),
        ("serial+wyllie", InvalidPlan, "expected '@' and an engine, or the end"),
        ("serial@gpu", InvalidCombination, "serial does not exist for the engine gpu"),
        ("serial@cpu(layout=csr)", InvalidCombination, "the option layout is about graphs"),
    ],
)
def test_plans_that_are_none(text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parse_rank(text)


def test_a_seed_is_refused_where_an_algorithm_draws_nothing() -> None:
    reasons = {}
    for text in landbridge.plans("list_ranking"):
        try:
            seeded = parse_rank(f"{text}(seed=3)")
        except InvalidCombination as error:
            reasons[text] = str(error)
        else:
            assert seeded.option("seed", 1) == 3
    names = {text: parse_rank(text).name for text in landbridge.plans("list_ranking")}
    assert reasons == {
        text: f"{text}(seed=3): seed=3 would have no effect: it is about random choices, and {name} makes none"
        for text, name in names.items()
        if name in ("serial", "wyllie", "rehman")
    }
    assert str(parse_rank("wyllie@parts(seed=3)")) == "wyllie@parts(seed=3)"  # removals within ranges are drawn


def test_plans_and_devices_agree() -> None:
    assert landbridge.rank_list([0], plan="serial@cpu", device="cpu").tolist() == [0]
    assert landbridge.rank_list([0], plan=RankPlan("wyllie")).tolist() == [0]
    with pytest.raises(DeviceError, match="the plan asks for @cpu"):
        landbridge.rank_list([0], plan="serial@cpu", device="gpu")
    with pytest.raises(DeviceError, match="no device 'tpu'"):
        landbridge.rank_list([0], device="tpu")
    with pytest.raises(InputError, match="layouts are those of graphs"):
        landbridge.plans("list_ranking", layout="csr")


def test_auto_walks_short_lists_one_by_one() -> None:
    n = 1 << 11
    successor = np.append(np.arange(1, n), -1)
    assert landbridge.rank_list(successor, full=True).plan == "serial@cpu"
    assert landbridge.rank_list(linked_list(1 << 17, 1), full=True).plan == "chains@cpu"
    assert landbridge.rank_list(linked_list(1 << 17, 1, 1 << 14), full=True).plan == "serial@cpu"
    in_order = np.append(np.arange(1, 1 << 20), -1)
    assert landbridge.rank_list(in_order, full=True, threads=2).plan == "serial@cpu"
    assert landbridge.rank_list(in_order, full=True, threads=5).plan == "chains@cpu"
    fives = np.arange(1 << 20) + 1 - (np.arange(1 << 20) % 5 == 4)
    fives[-1] = -1
    assert landbridge.rank_list(fives, full=True, threads=2).plan == "serial@cpu"
    pairs = linked_list(1 << 20, 1, 1 << 19)
    assert landbridge.rank_list(pairs, full=True, threads=2).plan == "serial@cpu"
    assert landbridge.rank_list(pairs, full=True, threads=5).plan == "chains@cpu"


def test_a_ranking_says_what_happened() -> None:
    result = landbridge.rank_list([1, 1, 3, 3, 4], full=True, threads=2)
    assert result.count == 3
    assert result.tails.tolist() == [1, 1, 3, 3, 4]
    assert result.profile.total > 0
    assert repr(result) == "Ranking(elements=5, lists=3, plan='serial@cpu', device='cpu')"


# ---- the verifier


def broken_ranks(ranks: np.ndarray[Any, Any], successor: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Wrong answers, from obvious to nearly right."""
    n = len(ranks)
    swapped = ranks.copy()
    swapped[[0, n - 1]] = swapped[[n - 1, 0]]
    one_off = ranks.copy()
    one_off[n // 2] += 1
    turned, nothing, other_end = ranks[::-1].copy(), np.zeros_like(ranks), ranks.max() - ranks
    return [ranks + 1, turned, nothing, swapped, one_off, other_end, successor * 0 - 1]


def test_the_verifier_accepts_what_is_right_and_sees_what_is_not() -> None:
    for lists in zoo():
        successor = lists.successor
        landbridge.check_ranks(successor, lists.ranks)
        if lists.name not in ("head_inside", "random", "random_17", "long_900"):
            continue
        for wrong in broken_ranks(lists.ranks, successor):
            if not np.array_equal(wrong, lists.ranks):
                with pytest.raises(CheckFailed, match=r"element \d+ has -?\d+, and \d+ is right"):
                    landbridge.check_ranks(successor, wrong)
        with pytest.raises(CheckFailed):
            landbridge.check_ranks(successor, lists.ranks, origin="head")


def test_the_verifier_checks_tails_and_lengths_and_lists() -> None:
    result = landbridge.rank_list([1, 1, 3, 3], full=True)
    landbridge.check_ranks([1, 1, 3, 3], result)
    result.tails[0] = 3
    with pytest.raises(CheckFailed, match="tails: element 0 has 3, and 1 is right"):
        landbridge.check_ranks([1, 1, 3, 3], result)
    with pytest.raises(CheckFailed, match="there are 3 ranks for 4 elements"):
        landbridge.check_ranks([1, 1, 3, 3], [1, 0, 1])
    with pytest.raises(CheckFailed, match="is in a cycle"):
        landbridge.check_ranks([1, 0], [1, 0])
    with pytest.raises(CheckFailed, match="two predecessors"):
        landbridge.check_ranks([1, 1, 1], [1, 0, 1])  # depths in a tree are no ranks
    with pytest.raises(CheckFailed, match="a number of more than 64 bits is right"):
        landbridge.check_ranks([1, 2, 2], [-(2**63), 2**62, 0], weights=[2**62, 2**62, 0])


def test_the_verifier_weighs_floats_with_their_rounding() -> None:
    lists = next(x for x in zoo() if x.name == "random_17")
    values = np.random.default_rng(0).random(len(lists.ranks)) - 0.5
    right = scanned(lists.successor, values, "sum", True, False)
    landbridge.check_ranks(lists.successor, np.nextafter(right, np.inf), values=values)
    with pytest.raises(CheckFailed):
        landbridge.check_ranks(lists.successor, right + 1e-6, values=values)
    with pytest.raises(CheckFailed):
        landbridge.check_ranks(lists.successor, right, values=values, exclusive=True)
    least = scanned(lists.successor, values, "min", False, True)
    landbridge.check_ranks(lists.successor, least, values=values, op="min", origin="tail", exclusive=True)
    with pytest.raises(CheckFailed):
        landbridge.check_ranks(lists.successor, least, values=values, op="max", origin="tail", exclusive=True)


def test_the_verifier_knows_what_is_infinite() -> None:
    landbridge.check_ranks([1, 1], [np.inf, 0.0], weights=[np.inf, 0.0])
    for wrong in (5.0, -np.inf, np.nan):
        with pytest.raises(CheckFailed, match="and inf is right"):
            landbridge.check_ranks([1, 1], [wrong, 0.0], weights=[np.inf, 0.0])
    weights = [1e308, 1e308, 0.0]  # more than a double holds
    landbridge.check_ranks([1, 2, 2], landbridge.rank_list([1, 2, 2], weights=weights), weights=weights)


# ---- the command


def rank(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["rank", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_ranks_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "list.txt", tmp_path / "ranks.csv"
    file.write_text("1\n2\n-1\n0\n")
    code, text, _ = rank(capsys, str(file), "-o", str(out), "--check", "--json")
    assert code == 0
    answer = json.loads(text)
    assert (answer["elements"], answer["lists"], answer["largest"], answer["checked"]) == (4, 1, 3, True)
    assert answer["plan"] == "serial@cpu"
    assert out.read_text() == "element,rank,tail\n0,2,2\n1,1,2\n2,0,2\n3,3,2\n"
    code, text, _ = rank(capsys, str(file), "--from", "head")
    assert code == 0
    assert "largest rank: 3" in text


def test_the_command_takes_arrays_and_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, weights, out = tmp_path / "list.npy", tmp_path / "weights.txt", tmp_path / "ranks.npy"
    np.save(file, np.array([1, 1]))
    weights.write_text("2.5\n7\n")
    code, text, _ = rank(capsys, str(file), "--weights", str(weights), "-o", str(out))
    assert code == 0
    assert "lists: 1" in text
    assert np.load(out).tolist() == [2.5, 0.0]
    assert rank(capsys, str(file), "-o", "-")[1] == "element,rank,tail\n0,1,1\n1,0,1\n"


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        ("1\nx\n", [], "line 2, byte 1: expected a successor, a whole number: 'x'"),
        ("1\n0\n", [], "list.txt, line 1: element 0 is in a cycle of 2 elements"),
        ("0\n1\n2\n# two more\n9\n0\n", [], "list.txt, line 5: element 3: successor 9 is out of range for n = 5"),
        ("0\n1\n2\n9 0\n", [], "list.txt, line 4, byte 1: this line has 2 columns where 1 is needed: '9 0'"),
        ("2\n2\n2\n", [], "list.txt, line 2: element 2 has two predecessors, 0 and 1"),
        ("0\n", ["--from", "left"], "--from is 'tail' or 'head', not 'left'"),
        ("0\n", ["--plan", "chian"], "did you mean 'chains'?"),
        ("0\n", ["-o", "ranks.txt"], "ranks are written as .npy or .csv"),
        ("0\n", ["-o", "-", "--json"], "both write to stdout"),
    ],
)
def test_a_users_error_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, arguments: list[str], words: str
) -> None:
    file = tmp_path / "list.txt"
    file.write_text(text)
    code, out, error = rank(capsys, str(file), *arguments)
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert words in error


def test_a_broken_list_that_is_no_text_names_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "list.npy", np.array([1, 7]))
    code, _, error = rank(capsys, str(tmp_path / "list.npy"))
    assert code == 2
    assert "list.npy: element 1: successor 7 is out of range for n = 2" in error
    command = [sys.executable, "-m", "landbridge", "rank", "-"]
    done = subprocess.run(command, input=b"1\n0\n", capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith(b"landbridge: <stdin>, line 1: element 0 is in a cycle of 2 elements")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1\nx\n")))
    assert rank(capsys, "-")[2].startswith("landbridge: <stdin>, line 2, byte 1: expected a succ")


@pytest.mark.parametrize(
    ("successor", "weights", "problem"),
    [
        ([1, 2, 2], [1, 2], "weights.npy: there are 3 successors and 2 weights"),
        ([1, 2, 2], [[1, 2, 3]], "weights.npy: weights must be a one-dimensional array"),
        ([1, 2, 2], ["a", "b", "c"], "weights.npy: weights are integers or floats"),
        ([1, 2, 2], [1, math.nan, 3], "weights.npy: element 1: expected a weight, a number: 'nan'"),
        (
            [1, 2, 2],
            [2**62] * 3,
            "weights.npy: the sizes of all values add up to 2^63 or more, and integers are added",
        ),
        ([[1, 2, 2]], [1, 2, 3], "list.npy: the successor must be one-dimensional"),
        ([1.5, 2, 2], [1, 2, 3], "list.npy: element 0: the successor = 1.5 is not a whole number"),
        ([1, 2, 5], [1, 2, 3], "list.npy: element 2: successor 5 is out of range for n = 3"),
    ],
)
def test_the_file_that_is_wrong_is_named(
    successor: Any, weights: Any, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two, the successors and the weights; with its line where it is text."""
    np.save(tmp_path / "list.npy", np.array(successor))
    np.save(tmp_path / "weights.npy", np.array(weights))
    code, out, error = rank(capsys, str(tmp_path / "list.npy"), "--weights", str(tmp_path / "weights.npy"))
    assert (code, out) == (2, "")
    assert error.startswith(f"landbridge: {tmp_path}/{problem}")
    (tmp_path / "list.txt").write_text("1\n2\n2\n")
    (tmp_path / "weights.txt").write_text("1\n2\n")
    code, _, error = rank(capsys, str(tmp_path / "list.txt"), "--weights", str(tmp_path / "weights.txt"))
    assert error == f"landbridge: {tmp_path}/weights.txt: there are 3 successors and 2 weights\n"


def test_weights_that_are_too_large_fit_as_their_message_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In arrays and in text."""
    problem = "the sizes of all values add up to 2^63 or more, and integers are added exactly"
    lists, weights, text = (tmp_path / name for name in ("list.npy", "weights.npy", "weights.txt"))
    np.save(lists, np.array([1, 2, 2]))
    np.save(weights, np.array([2**62] * 3))
    text.write_text(f"{2**62}\n" * 3)
    command = ("--weights", str(text), "--json")
    message = f"landbridge: {text}: {problem}: with a decimal point in one of them all are float64, and rounded\n"
    assert rank(capsys, str(lists), *command) == (2, "", message)
    text.write_text(f"{2**62}\n{2**62}\n{2**62}.0\n")
    assert json.loads(rank(capsys, str(lists), *command)[1])["largest"] == 2.0**63
    command = ("--weights", str(weights), "--json")
    message = f"landbridge: {weights}: {problem}: as float64 they are rounded\n"
    assert rank(capsys, str(lists), *command) == (2, "", message)
    np.save(weights, np.array([2.0**62] * 3))
    assert json.loads(rank(capsys, str(lists), *command)[1])["largest"] == 2.0**63
    with refused(SumOverflow, f"{problem}: as float64 they are rounded"):
        landbridge.rank_list([1, 2, 2], weights=[2**62] * 3)


def test_weights_in_text_are_added_exactly_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sign changes no type, and no integer is rounded because another weight is a decimal, wherever that is."""
    (tmp_path / "list.txt").write_text("1\n2\n2\n")
    weights, odd = tmp_path / "weights.txt", 2**53 + 1
    command = (str(tmp_path / "list.txt"), "--weights", str(weights), "--json")
    weights.write_text(f"+{odd}\n+0\n-0.0\n")
    assert "a weight that is no float64" in rank(capsys, *command)[2]
    weights.write_text(f"+{odd}\n+0\n0\n")
    assert json.loads(rank(capsys, *command)[1])["largest"] == odd
    message = "a weight that is no float64, and others are: write it as one, with a decimal point"
    for word in (f"{odd}", f"-{odd}", f"+{odd}"):
        weights.write_text(f"0.5\n{word}\n0\n")
        assert rank(capsys, *command)[2] == f"landbridge: {weights}, line 2, byte 1: {message}: '{int(word)}'\n"
    weights.write_text(f"0.5\n{2**53 + 2}\n0\n")
    assert json.loads(rank(capsys, *command)[1])["largest"] == 2.0**53 + 2
    n = number_list.ROWS + 5
    (tmp_path / "list.txt").write_text("".join(f"{i}\n" for i in [*range(1, n), n - 1]))
    for at, decimal in ((3, n - 2), (n - 2, 3)):
        words = ["1"] * n
        words[at], words[decimal] = str(odd), "0.5"
        weights.write_text("\n".join(words))
        assert f"weights.txt, line {at + 1}, byte 1: {message}" in rank(capsys, *command)[2]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--threads", "3", "--plan", "chains@cpu(threads=2)"], "--threads 3, but the plan asks for threads=2"),
        (["--devices", "abacus"], "--devices has 'abacus'; a processor is the number of a GPU"),
        (["--device", "abacus"], "no device 'abacus' here"),
        (["--threads", "99999"], "99999 threads: at most"),
        (["--plan", "rem_cas"], "plan 'rem_cas', character 1"),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_wrong_option_is_no_error_of_a_file(
    arguments: list[str], problem: str, weighted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "list.npy", np.array([1, 2, 2]))
    np.save(tmp_path / "weights.npy", np.array([1, 2, 3]))
    weights = ["--weights", str(tmp_path / "weights.npy")] if weighted else []
    code, out, error = rank(capsys, str(tmp_path / "list.npy"), *weights, *arguments)
    assert (code, out) == (2, "")
    assert error.startswith(f"landbridge: {problem}")


def test_files_that_are_no_lists_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list.parquet"
    path.write_bytes(b"PAR1" + bytes(20))
    places = "a file whose name ends in .npy, or from a line of text"
    problem = f"this is a file of format parquet, and a {{}} is read from {places}"
    assert rank(capsys, str(path)) == (2, "", f"landbridge: {path}: {problem.format('successor')}\n")
    (tmp_path / "list.txt").write_text("0\n")
    error = rank(capsys, str(tmp_path / "list.txt"), "--weights", str(path))[2]
    assert error == f"landbridge: {path}: {problem.format('weight')}\n"
    np.save(tmp_path / "list.npy", np.array([1, 1]))
    packed = tmp_path / "list.npy.gz"
    packed.write_bytes(gzip.compress((tmp_path / "list.npy").read_bytes()))
    problem = problem.format("successor").replace("parquet", "npy")
    assert rank(capsys, str(packed)) == (2, "", f"landbridge: {packed}: {problem}\n")


@pytest.mark.parametrize(
    ("text", "line"), [("1\n\n2\n", 2), ("\n1\n", 1), ("0\r\n1\r\n \r\n2", 3), ("1\n\t\n\n2\n\n", 2)]
)
def test_blank_lines_between_successors_are_refused(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text, newline="")
    with pytest.raises(FileFormatError, match=f"line {line}: a blank line where a successor should be"):
        rank_command.numbers_of(str(path), "successor")


def numbers(path: Path, text: bytes, what: Any = "successor") -> Any:
    """The numbers of a text."""
    path.write_bytes(text)
    return rank_command.numbers_of(str(path), what).values


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (b"1\n2\n2\n", [1, 2, 2]),
        (b"7", [7]),
        (b" 1\r\n\t-1 \r\n", [1, -1]),
        (b"\xef\xbb\xbf1\n1\n", [1, 1]),
        (b"# a comment\n0\n%\n1\n", [0, 1]),
        (b"# nothing but a comment\n", []),
        (b'"1"\n1\n\n\n', [1, 1]),
        (b"999999999999999999\n1000000000000000000\n-9223372036854775808\n", [10**18 - 1, 10**18, -(2**63)]),
    ],
)
def test_successors_are_read_as_edges_are(
    text: bytes, right: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = numbers(tmp_path / "a.txt", text)
    assert (whole.dtype, whole.tolist()) == (np.int64, right)
    assert numbers(tmp_path / "a.txt.gz", gzip.compress(text)).tolist() == right
    for rows in (1, 2):
        monkeypatch.setattr(number_list, "ROWS", rows)
        assert numbers(tmp_path / "a.txt", text).tolist() == right


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "a.txt: the file is empty"),
        (b" \n\r\n", "a.txt: the file is empty: nothing but blank lines"),
        (b"1\n99999999999999999999\n", "line 2, byte 1: a successor does not fit 64 bits: '99999999999999999999'"),
        (b"1\n9223372036854775808\n", "line 2, byte 1: a successor does not fit 64 bits"),
        (b"1\n" + b"9" * 5000 + b"\n", "line 2, byte 1: a successor does not fit 64 bits"),
        (b"1.0\n", "line 1, byte 1: a successor must be a whole number: '1.0'"),
        (b"# c\n 1e0\n", "line 2, byte 2: a successor must be a whole number: '1e0'"),
        ("1\n\u0661\n".encode(), "line 2, byte 1: expected a successor, a whole number: '\u0661'"),
        (b"1_0\n", "expected a successor, a whole number: '1_0'"),
        (b"+1\n", "a successor must be a whole number: '[+]1'"),
        (b"NaN\n", "expected a successor, a whole number: 'NaN'"),
        (b"007\n", "a number that begins with zeros: '007'"),
        (b"-0\n", "expected a number, not -0"),
        (b'""\n', "expected a successor, a whole number"),
        (
            b"successor\n1\n",
            "line 1, byte 1: expected a successor, a whole number; header=True leaves out a header: 'successor'",
        ),
        (b"NA\n1\n", "line 1, byte 1: expected a successor, a whole number: 'NA'"),
        (b"1\r0\r", "line 1, byte 2: a carriage return inside a line"),
        (b"1\n0\0\n", "line 2, byte 2: a zero byte"),
        (b"1\n\xef\xbb\xbf0\n", "line 2, byte 1: a byte order mark"),
        (b"\xff\xfe1\0", "the text is UTF-16"),
        (b"0 1\n1 1\n", "line 1, byte 1: this line has 2 columns where 1 is needed: '0 1'"),
        (b"1,\n", "this line has 2 columns where 1 is needed"),
    ],
)
def test_other_texts_are_refused_with_their_line(text: bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=problem):
        numbers(tmp_path / "a.txt", text)


@pytest.mark.parametrize("above", ["", "# made by a program\n", "\ufeff", "\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_stated_header_is_left_out(above: str, end: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Lines in messages are those of the file."""
    path, weights, out = tmp_path / "next.txt", tmp_path / "w.txt.gz", tmp_path / "ranks.npy"
    path.write_bytes(f"{above}successor\n1\n2\n2\n".replace("\n", end).encode())
    weights.write_bytes(gzip.compress(b"weight\n2\n0.5\n1\n"))
    command = ["rank", str(path), "--header", "yes"]
    assert run([*command, "-o", str(out)]) == 0
    assert np.load(out).tolist() == [2, 1, 0]
    assert run([*command, "--weights", str(weights), "-o", str(out)]) == 0
    assert np.load(out).tolist() == [2.5, 0.5, 0.0]
    for header in ([], ["--header", "no"], ["--header", "auto"]):
        capfd.readouterr()
        assert run(["rank", str(path), *header]) == 2
        problem = capfd.readouterr().err
        assert (
            "a blank line" in problem if above == "\n" else "--header yes leaves out a header: 'successor'" in problem
        )
    path.write_bytes(f"{above}successor\n1\n7\n2\n".replace("\n", end).encode())
    assert run(command) == 2
    assert f"line {3 + above.count(chr(10))}: element 1: successor 7 is out of range" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"1\n2\n2\n", "line 1: a number, and no header, as --header yes says: it is a successor: '1'"),
        (b"next\n\n1\n", "line 2: a blank line where a successor should be"),
        (b"next\n", "line 1: no numbers are below the header"),
        (b"next", "line 1: no numbers are below the header"),
        (b"# c\n", "there is no line that --header yes could leave out"),
        (b"next\nnext\n1\n", "line 2, byte 1: expected a successor, a whole number"),
    ],
)
def test_a_stated_header_that_is_none_is_refused(
    text: bytes, problem: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_bytes(text)
    assert run(["rank", str(tmp_path / "a.txt"), "--header", "yes"]) == 2
    assert problem in capfd.readouterr().err


def test_arrays_have_no_header(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([1, 1]))
    assert run(["rank", str(path), "--header", "yes"]) == 2
    assert f"--header yes would have no effect: {path} is no text" in capfd.readouterr().err


def test_weights_may_be_decimals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    for rows in (1 << 16, 1):
        monkeypatch.setattr(number_list, "ROWS", rows)
        assert numbers(path, b"2\n-3\n", "weight").dtype == np.int64
        assert numbers(path, b"2\n-1.5\n1e3\n", "weight").tolist() == [2.0, -1.5, 1000.0]
    for word in (b"nan", b"inf", b"1e400", b"x", b"1_0"):
        with pytest.raises(FileFormatError, match="line 2, byte 1: expected a weight, a number"):
            numbers(path, b"1\n" + word + b"\n", "weight")


@given(text=st.text(alphabet='0123-# ,\t"\r\n\ufeff\0x', max_size=12))
def test_texts_that_are_no_edges_are_no_successors(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Without a sign a text is accepted by the parser of edges, with one column, or by none of the two."""
    path, data = tmp_path_factory.getbasetemp() / "a.txt", text.encode()
    try:
        values = numbers(path, data).tolist()
    except FileFormatError as error:
        values = None
        if "a blank line where" in str(error) or "is empty" in str(error):
            return
    start = 3 * text.startswith("\ufeff")
    options: dict[str, Any] = {"first": 0, "second": 0, "fields": 1, "exact": True, "quotes": True, "padded": False}
    try:
        edges = _core.parse_edges(np.frombuffer(data[start:], np.uint8), **options)[0].tolist()
    except _core.CoreFormatError:
        edges = None
    if "-" in text and edges is None:
        assert values is None or min(values) < 0
    else:
        assert values == edges


def test_the_time_of_an_element_is_that_of_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "few.npy", np.array([1, 1]))
    assert "per element" not in rank(capsys, str(tmp_path / "few.npy"))[1]
    np.save(tmp_path / "many.npy", np.arange(1 << 16))
    assert " ns per element)" in rank(capsys, str(tmp_path / "many.npy"))[1]
    assert rank_command._per_element(3.0, 1 << 20) == " (2,861 ns per element)"
    assert rank_command._per_element(0.003, 1 << 20) == " (2.86 ns per element)"


def test_a_limit_of_time_ends_the_reading(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    with pytest.raises(TimeLimitExceeded), landbridge.time_limit(1e-9):
        rank_command.numbers_of(str(tmp_path / "a.txt"), "successor")


def test_no_second_header_is_proposed_below_a_stated_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("next\nfoo\n1\n1\n")
    assert run(["rank", str(path), "--header", "yes"]) == 2
    problem = capfd.readouterr().err
    assert "line 2, byte 1: expected a successor, a whole number: 'foo'" in problem
    assert "--header" not in problem


def test_one_of_two_texts_may_have_the_stated_header(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A number was refused as a header, and without one the other text was."""
    path, weights, out = tmp_path / "next.txt", tmp_path / "w.txt", tmp_path / "ranks.npy"
    command = ["rank", str(path), "--weights", str(weights), "--header", "yes", "-o", str(out)]
    for above, over in (("", "w\n"), ("next\n", ""), ("next\n", "w\n"), ("# c\nnext\n", "# c\n")):
        out.unlink(missing_ok=True)
        path.write_text(f"{above}1\n2\n2\n")
        weights.write_text(f"{over}2\n0.5\n1\n")
        assert run(command) == 0
        assert np.load(out).tolist() == [2.5, 0.5, 0.0]
    path.write_text("1\n2\n2\n")
    weights.write_text("2\n0.5\n1\n")
    assert run(command) == 2
    assert f"{weights}, line 1: a number, and no header, as --header yes says" in capfd.readouterr().err
    np.save(tmp_path / "w.npy", np.array([2, 0.5, 1]))
    assert run(["rank", str(path), "--weights", str(tmp_path / "w.npy"), "--header", "yes"]) == 2
    assert f"{path}, line 1: a number, and no header, as --header yes says" in capfd.readouterr().err


def test_successors_and_weights_may_have_another_encoding(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Messages proposed the option, which the command lacked."""
    path, weights = tmp_path / "a.txt", tmp_path / "w.txt"
    path.write_text("1\n1\n", encoding="utf-16")
    weights.write_text("2\n3\n", encoding="utf-16")
    assert run(["rank", str(path)]) == 2
    assert "the text is UTF-16; --encoding utf-16 reads it" in capfd.readouterr().err
    assert run(["rank", str(path), "--weights", str(weights), "--encoding", "utf-16"]) == 0
    np.save(tmp_path / "a.npy", np.array([1, 1]))
    assert run(["rank", str(tmp_path / "a.npy"), "--encoding", "utf-16"]) == 2
    assert "--encoding utf-16 would have no effect" in capfd.readouterr().err
