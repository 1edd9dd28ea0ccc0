"""The command that ranks lists."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from landbridge.cli import output, terminal
from landbridge.cli.answers import print_answer, result_fields
from landbridge.cli.app import (
    Device,
    Devices,
    Header,
    Json,
    MaxBytes,
    PlanText,
    Quiet,
    Threads,
    Timeout,
    app,
    budget_of,
    devices_of,
)
from landbridge.errors import FileFormatError, InputError, ListError
from landbridge.filename import filename

if TYPE_CHECKING:
    from landbridge.edges.formats.number_list import NumberList, What
    from landbridge.edges.formats.source import Source
    from landbridge.edges.options import Budget

ROWS = 1 << 16
"""Rows formatted at a time."""

_MANY = 1 << 16

Successors = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="Successors: .npy, or text with one on a line (- for stdin); tails have themselves or -1."
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
    header: Annotated[
        Header,
        typer.Option("--header", help="Whether the text of FILE, of the weights or of both begins with a header."),
    ] = Header.auto,
    encoding: Annotated[str | None, typer.Option("--encoding", help="Of text; utf-8 if not given.")] = None,
    origin: Annotated[str, typer.Option("--from", help="Where ranks count from: tail or head.")] = "tail",
    check: Annotated[bool, typer.Option("--check", help="Verify the ranks.")] = False,
    plan: PlanText = "auto",
    device: Device = "auto",
    devices: Devices = None,
    threads: Threads = None,
    timeout: Timeout = None,
    max_bytes: MaxBytes = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Rank the elements of linked lists: how far each is from the tail of its list."""
    from landbridge import check_ranks, rank_list  # loaded before the clock runs
    from landbridge.edges.successors import SumOverflow, is_from_head

    terminal.be_quiet(quiet)
    terminal.limit(timeout)
    side: Literal["tail", "head"] = "head" if is_from_head(origin, "--from") else "tail"
    out = None if out is None else _target(out, as_json, [file] if weights is None else [file, weights])
    started = time.perf_counter()
    numbers, links = _lists_in(file, weights, budget_of(max_bytes), header is Header.yes, encoding)
    option = f"--header {header.value}" if header is not Header.auto else f"--encoding {encoding}" if encoding else ""
    if option and isinstance(numbers, Array) and (links is None or isinstance(links, Array)):
        raise InputError(f"{option} would have no effect: {file} is no text")
    successor, lengths = numbers.values, None if links is None else links.values
    read = time.perf_counter() - started
    started = time.perf_counter()
    last = (file, numbers) if weights is None or links is None else (weights, links)
    with _naming(*last, SumOverflow), _naming(file, numbers, ListError):
        ranking = terminal.work(
            "ranking",
            lambda _: rank_list(
                successor,
                plan=plan,
                weights=lengths,
                device=device,
                devices=devices_of(devices),
                threads=threads,
                origin=side,
                full=True,
            ),
        )
    elapsed = time.perf_counter() - started
    if check:
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
    rows = {
        "elements": terminal.count(len(ranking)),
        "lists": terminal.count(ranking.count),
        "largest rank": f"{longest:,}" if terminal.for_people() else str(longest),
        "plan": ranking.plan,
        "device": ranking.device,
        "time": f"{terminal.seconds(elapsed)}{_per_element(elapsed, len(ranking))}; reading {terminal.seconds(read)}",
    }
    print_answer(answer, rows | ({"checked": "right"} if check else {}), "ranks", as_json)


def _target(out: str, as_json: bool, sources: Sequence[str]) -> str:
    """Where ranks are written. Raises InputError for a source, for other formats, and for a second answer on stdout."""
    out = output.check_target(out, sources)
    if out != output.STANDARD and Path(out).suffix not in (".npy", ".csv"):
        raise InputError(f"{out}: ranks are written as .npy or .csv")
    if out == output.STANDARD and as_json:
        raise InputError("--json and -o - both write to stdout; write the ranks to a file")
    return out


def _per_element(elapsed: float, elements: int) -> str:
    """The time of an element, of so many that it is not that of a call."""
    if elements < _MANY:
        return ""
    each = elapsed / elements * 1e9
    return f" ({each:,.0f} ns per element)" if each >= 1000 else f" ({each:.3g} ns per element)"


class Array(NamedTuple):
    """The numbers of a file that is no text."""

    values: Any

    def line_of(self, element: int) -> int:
        """None: 0, as in errors."""
        del element
        return 0


def _lists_in(
    file: str, weights: str | None, budget: Budget | None, header: bool, encoding: str | None
) -> tuple[NumberList | Array, NumberList | Array | None]:
    """The successors of a file, and the weights of another one if there is any; errors name the one that is wrong.

    header: whether one of the texts, or each, has a first line that is none of its numbers. encoding: of the texts.
    """
    from landbridge.edges.successors import lists_of

    texts: dict[str, Any] = {"header": header, "encoding": encoding}
    has_two = weights is not None and Path(weights).suffix != ".npy"
    numbers = terminal.work(
        f"reading {file}", lambda _: numbers_of(file, "successor", budget, may_lack=has_two, **texts)
    )
    with _naming(file, numbers):
        lists_of(numbers.values)
    if weights is None:
        return numbers, None
    is_left_out = not isinstance(numbers, Array) and numbers.lines.first_line > 1
    links = terminal.work(
        f"reading {weights}", lambda _: numbers_of(weights, "weight", budget, may_lack=is_left_out, **texts)
    )
    with _naming(weights, links):
        lists_of(numbers.values, links.values)
    return numbers, links


@contextmanager
def _naming(path: str, numbers: NumberList | Array, kind: type[InputError] = InputError) -> Iterator[None]:
    """Errors of a kind have the file of the numbers, and the line where it is text: that of the element they are about,
    or of the second of two predecessors."""
    from landbridge.edges.successors import SumOverflow

    try:
        yield
    except FileFormatError:
        raise
    except kind as error:
        problem = str(error)
        if isinstance(error, SumOverflow) and not isinstance(numbers, Array):
            problem = f"{error.problem}: with a decimal point in one of them all are float64, and rounded"
        element = re.search(r"two predecessors, \d+ and (\d+)", problem) or re.search(r"elements? (\d+)", problem)
        line = 0 if element is None else numbers.line_of(int(element[1]))
        raise FileFormatError("<stdin>" if path == output.STANDARD else path, problem, line=line) from None


def numbers_of(
    path: str,
    what: What,
    budget: Budget | None = None,
    *,
    header: bool = False,
    may_lack: bool = False,
    encoding: str | None = None,
) -> NumberList | Array:
    """The numbers of a file, one per element, with their lines where it is text. Nothing is unpickled. budget: how many
    bytes may be read. header: whether the first line of a text is none of them. may_lack: whether it may be one.
    encoding: of a text."""
    from landbridge.edges.formats import npy, number_list
    from landbridge.edges.formats.registry import MAGIC, format_by_magic
    from landbridge.edges.formats.source import Source

    path = filename(f"the path of the {'weights' if what == 'weight' else 'successors'}", path)
    is_array = Path(path).suffix == ".npy"
    with Source(path, encoding=None if is_array else encoding, budget=budget) as source:
        if is_array:
            values = npy.array_of(source).copy()  # a mapping would end the process if the file were cut meanwhile
            if what == "weight":
                _refuse_infinite(source, values)
            return Array(values)
        if (row := format_by_magic(source.peek(MAGIC), path)) is not None:
            places = "a file whose name ends in .npy, or from a line of text"
            source.fail(f"this is a file of format {row.name}, and a {what} is read from {places}")
        return number_list.read(source, what, header=header, may_lack=may_lack)


def _refuse_infinite(source: Source, weights: Any) -> None:
    """Raise FileFormatError for a weight that is no number, which text has none of either."""
    import numpy as np

    if weights.dtype.kind == "f" and not np.isfinite(weights).all():
        i = int(np.flatnonzero(~np.isfinite(weights))[0])
        source.fail(f"element {i}: expected a weight, a number", text=str(weights.flat[i]))


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
