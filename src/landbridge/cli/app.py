"""The app of the program, and the parameters that several commands share, each defined once.

Commands import the library when they run: --help and completion load neither NumPy nor the core.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from landbridge.cli import terminal
from landbridge.edges.spelling import CHARACTERS
from landbridge.errors import InputError

if TYPE_CHECKING:
    from landbridge.edges.options import Budget, Options, Progress

app = typer.Typer(
    rich_markup_mode=None,  # help in plain text: the library that draws frames is slow to load
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _devices() -> list[str]:
    """The words of ``device=``, for completion."""
    from landbridge.plan.engines import device_words  # on demand: --help loads no core

    return ["auto", *(word for word, _ in device_words())]


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
PlanText = Annotated[str, typer.Option("--plan", help="Which rules to use, as listed by 'landbridge plans'.")]
Device = Annotated[
    str,
    typer.Option("--device", help="auto, or an engine; a wrong word lists what is here.", autocompletion=_devices),
]
Devices = Annotated[
    str | None,
    typer.Option("--devices", metavar="LIST", help="Processors that share the run: 0,1 for two GPUs, or cpu,0."),
]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="Threads; all processors if not given, fewer for a small input.")
]
Timeout = Annotated[
    float | None, typer.Option("--timeout", help="Seconds after which the command ends, with exit code 124.")
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No notes, no progress, no summary of a written file.")]


class Ids(StrEnum):
    """The kinds of vertices."""

    auto = "auto"
    dense = "dense"
    sparse = "sparse"
    names = "names"


class Header(StrEnum):
    """Whether the first row of text names the columns."""

    auto = "auto"
    yes = "yes"
    no = "no"


@dataclass(frozen=True, slots=True)
class Reading:
    """The input of a command, and the options of reading it."""

    files: list[str]
    format: str | None
    ids: str
    columns: tuple[str | int, ...] | None
    header: bool | None
    delimiter: str | None
    comment: str | None
    base: int | None
    encoding: str | None
    num_vertices: int | None
    budget: Budget | None
    threads: int | None

    @property
    def source(self) -> str | list[str]:
        """The input as the library takes it."""
        return self.files[0] if len(self.files) == 1 else self.files

    @property
    def signed(self) -> str | None:
        """``ids=`` for edges that were read: whether their numbers may be negative."""
        return "sparse" if self.ids == "sparse" else None

    @property
    def name(self) -> str:
        """The input in messages."""
        return name_of(self.files)

    @property
    def fields(self) -> dict[str, Any]:
        """The input as fields of a JSON object."""
        return {"file": self.files[0] if len(self.files) == 1 else None, "files": self.files}

    def options(self, progress: Progress | None = None) -> Options:
        """The options of reading. Raises InputError for values that contradict each other."""
        from landbridge.edges.options import options_of  # on demand, as in every command
        from landbridge.threads import default_threads

        return options_of(
            ids=self.ids, num_vertices=self.num_vertices, threads=default_threads(self.threads), columns=self.columns,
            progress=progress, header=self.header, delimiter=self.delimiter, comment=self.comment, base=self.base,
            encoding=self.encoding, max_bytes=self.budget,
        )  # fmt: skip


def name_of(files: list[str]) -> str:
    """Files in messages."""
    more = len(files) - 1
    return files[0] + (f" and {more} more" if more else "")


MaxBytes = Annotated[
    str | None,
    typer.Option("--max-bytes", metavar="N", help="The most that all files may unpack to; K, M, G may follow."),
]

_FILES = typer.Argument(
    metavar="FILE", help="Files of edges; folders and quoted globs stand for those in them, - for stdin."
)
NUMBERS, TEXTS = "the numbers that occur", "the texts that occur"
"""What the vertices are if they are not 0 to n-1."""
_IDS = f"What the vertices are: dense (0 to n-1; 1 to n with --base 1), sparse ({NUMBERS}), names ({TEXTS})."


def _reading(
    *,
    files: Annotated[list[str], _FILES],
    format_: Annotated[str | None, typer.Option("--format", help="The input's format; by its ending.")] = None,
    ids: Annotated[Ids, typer.Option("--ids", help=_IDS)] = Ids.auto,
    columns: Annotated[
        str | None, typer.Option("--columns", help="The two columns of the edges: names or positions from 0, A,B.")
    ] = None,
    header: Annotated[Header, typer.Option("--header", help="Whether the first row names the columns.")] = Header.auto,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", help="Between columns: a character, or tab, comma, pipe, semicolon, space."),
    ] = None,
    comment: Annotated[
        str | None, typer.Option("--comment", help="Characters that begin comments; '' for none.")
    ] = None,
    base: Annotated[
        int | None, typer.Option("--base", help="The number of the first vertex; ids are dense.", min=0, max=1)
    ] = None,
    encoding: Annotated[str | None, typer.Option("--encoding", help="Of text; utf-8 if not given.")] = None,
    num_vertices: Annotated[
        int | None, typer.Option("--num-vertices", help="The number of vertices; ids are dense.", min=0)
    ] = None,
    max_bytes: MaxBytes = None,
    threads: Threads = None,
    timeout: Timeout = None,
    quiet: Quiet = False,
) -> Reading:
    terminal.be_quiet(quiet)
    terminal.limit(timeout)
    return Reading(
        files, format_, ids.value, columns_of(columns), {"yes": True, "no": False}.get(header.value),
        None if delimiter is None else CHARACTERS.get(delimiter.lower(), delimiter), comment, base, encoding,
        num_vertices, budget_of(max_bytes), threads,
    )  # fmt: skip


def budget_of(text: str | None) -> Budget | None:
    """What a command may read of all its files: a number of bytes, perhaps with K, M, G or T behind it for powers of
    1000."""
    if text is None:
        return None
    from landbridge.edges.options import Budget  # on demand, as in every command

    match = re.fullmatch(r"(\d{1,18})([KMGT]?)B?", text.strip().upper(), re.ASCII)
    if match is None or int(match[1]) == 0:
        raise InputError(f"--max-bytes is a number of bytes, such as 500M, not {text!r}")
    return Budget(int(match[1]) * 1000 ** " KMGT".index(match[2] or " "))


def devices_of(text: str | None) -> list[str | int] | None:
    """The processors of --devices: numbers of GPUs, and words."""
    if text is None:
        return None
    return [int(word) if word.strip().isdecimal() else word.strip() for word in text.split(",")]


def columns_of(text: str | None) -> tuple[str | int, ...] | None:
    """The columns of --columns: positions if all digits, else names."""
    if text is None:
        return None
    columns = tuple(int(c) if c.strip().isdecimal() else c.strip() for c in text.split(","))
    if len(columns) != 2:
        raise InputError(f"--columns names two columns with a comma between them, not {text!r}")
    return columns


def reads_edges(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the first parameter of a command, a Reading, by its arguments and options."""
    shared = inspect.signature(_reading, eval_str=True)
    own = inspect.signature(command, eval_str=True)
    _, *others = own.parameters.values()

    def call(**arguments: Any) -> None:
        reading = _reading(**{name: arguments.pop(name) for name in shared.parameters})
        command(reading, **arguments)

    # typer inspects these. Arguments come first: those of the command behind its files.
    files, *options = shared.parameters.values()
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (files, *others, *options)]
    call.__name__, call.__doc__, call.__module__ = command.__name__, command.__doc__, command.__module__
    call.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined] # read by inspect
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call
