"""The command that ranks lists."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from landbridge.cli import output, terminal
from landbridge.cli.answers import print_answer, result_fields
from landbridge.cli.app import Device, Json, MaxBytes, PlanText, Quiet, Threads, Timeout, app, bytes_of
from landbridge.errors import FileFormatError, InputError, ListError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landbridge.edges.options import Budget

ROWS = 1 << 16
"""Rows formatted at a time."""

_BLANKS = (b"\n", b"\r", b" ", b"\t")
_BLANK_LINE = re.compile(rb"^[ \t\r]*\n", re.MULTILINE)

PART = 1 << 20
"""Bytes of text that are read as numbers at a time."""

Successors = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="Successors: .npy, or text with one per line (- for stdin); tails have themselves or -1."
    ),
]


@app.command()
def rank(
    file: Successors,
    *,
    out: Annotated[
        str | None, typer.Option("-o", "--output", help="Ranks: .npy, or .csv (element,rank,tail), or -.")
    ] = None,
    weights: Annotated[str | None, typer.Option("--weights", help="Lengths of links, in a file like FILE.")] = None,
    origin: Annotated[str, typer.Option("--from", help="Where ranks count from: tail or head.")] = "tail",
    check: Annotated[bool, typer.Option("--check", help="Verify the ranks.")] = False,
    plan: PlanText = "auto",
    device: Device = "auto",
    threads: Threads = None,
    timeout: Timeout = None,
    max_bytes: MaxBytes = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Rank the elements of linked lists: how far each is from the tail of its list."""
    from landbridge import check_ranks, rank_list  # loaded before the clock runs
    from landbridge.edges.options import budget_of

    terminal.be_quiet(quiet)
    terminal.limit(timeout)
    if origin not in ("tail", "head"):
        raise InputError(f"--from is tail or head, not {origin!r}")
    if out is not None:
        out = output.check_target(out)
        if out != output.STANDARD and Path(out).suffix not in (".npy", ".csv"):
            raise InputError(f"{out}: ranks are written as .npy or .csv")
        if out == output.STANDARD and as_json:
            raise InputError("--json and -o - both write to stdout; write the ranks to a file")
    started = time.perf_counter()
    most = budget_of(bytes_of(max_bytes))
    successor = terminal.work(f"reading {file}", lambda _: numbers_of(file, most))
    lengths = None if weights is None else terminal.work(f"reading {weights}", lambda _: numbers_of(weights, most))
    read = time.perf_counter() - started
    started = time.perf_counter()
    try:
        ranking = terminal.work(
            "ranking",
            lambda _: rank_list(
                successor,
                plan=plan,
                weights=lengths,
                device=device,
                threads=threads,
                origin="head" if origin == "head" else "tail",
                full=True,
            ),
        )
    except ListError as error:
        raise _placed(file, str(error)) from None
    elapsed = time.perf_counter() - started
    if check:
        side: Any = origin
        terminal.work("checking", lambda _: check_ranks(successor, ranking, weights=lengths, origin=side))
    if out is not None:
        path = out
        terminal.work(f"writing {path}", lambda _: _write(path, ranking.ranks, ranking.tails))
    if out == output.STANDARD:
        return
    longest = ranking.ranks.max().item() if len(ranking) else 0
    answer: dict[str, Any] = {
        "elements": len(ranking),
        "lists": ranking.count,
        "largest": longest,
        "from": origin,
        "checked": check,
        **result_fields(ranking, elapsed, read, out),
        "file": file,
    }
    each = f" ({elapsed / len(ranking) * 1e9:.3g} ns per element)" if len(ranking) else ""
    rows = {
        "elements": terminal.count(len(ranking)),
        "lists": terminal.count(ranking.count),
        "largest rank": f"{longest:,}" if terminal.for_people() else str(longest),
        "plan": ranking.plan,
        "device": ranking.device,
        "time": f"{terminal.seconds(elapsed)}{each}; reading {terminal.seconds(read)}",
    }
    print_answer(answer, rows | ({"checked": "right"} if check else {}), "ranks", as_json)


def _placed(path: str, problem: str) -> FileFormatError:
    """The problem of a list with the file, and the line where it is text: that of the element it is about, or of the
    second of two predecessors."""
    numbers = re.search(r"two predecessors, \d+ and (\d+)", problem) or re.search(r"elements? (\d+)", problem)
    if path == output.STANDARD:
        return FileFormatError("<stdin>", problem)
    if numbers is None or Path(path).suffix == ".npy":
        return FileFormatError(path, problem)
    element, words_read = int(numbers[1]), 0
    with Path(path).open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            words_read += len(line.split())
            if words_read > element:
                return FileFormatError(path, problem, line=number)
    return FileFormatError(path, problem)


def numbers_of(path: str, budget: Budget | None = None) -> Any:
    """The numbers of a file, one per element. Nothing is unpickled. budget: how many bytes may be read."""
    import numpy as np

    from landbridge.edges.formats import npy
    from landbridge.edges.formats.source import Source

    if Path(path).suffix == ".npy":
        with Source(path, budget=budget) as source:
            return npy.array_of(source).copy()  # a mapping would end the process if the file were cut meanwhile
    data = _bytes_of(path, budget)
    path = "<stdin>" if path == output.STANDARD else path
    _refuse_blank_lines(path, data)
    for kind in (np.int64, np.float64):
        try:
            return np.concatenate([np.empty(0, kind), *(np.array(words, dtype=kind) for words in _words_of(data))])
        except (ValueError, OverflowError):
            continue
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        for word in line.split():
            if not _is_number(word):
                raise FileFormatError(path, "expected a number", line=number, text=word)
    raise FileFormatError(path, "expected numbers")


def _refuse_blank_lines(path: str, data: bytes) -> None:
    """Raise FileFormatError for a blank line above a number: the numbers below it would be those of other elements."""
    if not data.startswith(_BLANKS) and not any(b"\n" + blank in data for blank in _BLANKS):
        return  # the usual file: no line begins with a blank or is empty
    blank = _BLANK_LINE.search(data, 0, len(data.rstrip()))
    if blank is not None:
        line = data.count(b"\n", 0, blank.start()) + 1
        raise FileFormatError(path, "a blank line where a number should be", line=line)


def _words_of(data: bytes) -> Iterator[list[str]]:
    """The words of a text, a part at a time: between two of them Ctrl-C and a limit of time end the command."""
    from landbridge import _core

    begin = 0
    while begin < len(data):
        _core.check_time()
        end = max(data.find(blank, begin + PART, begin + 2 * PART) for blank in (b"\n", b" ")) + 1 or len(data)
        yield data[begin:end].decode("utf-8", "replace").split()
        begin = end


def _bytes_of(path: str, budget: Budget | None) -> bytes:
    """The bytes of a file, or of standard input."""
    most = -1 if budget is None else budget.most + 1
    if path == output.STANDARD:
        data = typer.get_binary_stream("stdin").read(most)
    else:
        with Path(path).open("rb") as file:
            data = file.read(most)
    if budget is not None:
        budget.take("<stdin>" if path == output.STANDARD else path, path, len(data), "the file has at least")
    return data


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _write(path: str, ranks: Any, tails: Any) -> None:
    import numpy as np

    if Path(path).suffix == ".npy":
        with output.replacing(path) as beside, beside.open("wb") as out:
            np.save(out, ranks, allow_pickle=False)
        return
    with output.replacing(path) as beside, beside.open("w", encoding="ascii") as text:
        text.write("element,rank,tail\n")
        for begin in range(0, len(ranks), ROWS):
            rows = slice(begin, begin + ROWS)
            triples = zip(
                range(begin, begin + len(ranks[rows])), ranks[rows].tolist(), tails[rows].tolist(), strict=True
            )
            text.writelines(f"{i},{r},{t}\n" for i, r, t in triples)
