"""Published figures as data: `published.toml` says what each figure is, its authors, and its place in their paper."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("published.toml")


@dataclass(frozen=True)
class Figure:
    """value: in `unit`. code: the program that reached it, variant: which of its programs. device: where. paper: of the
    code, a key of REFERENCES.bib. stands: where the figure comes from.
    """

    value: float
    unit: str
    code: str
    variant: str
    device: str
    paper: str
    stands: str

    @property
    def seconds(self) -> float:
        """The value of a figure in milliseconds."""
        assert self.unit == "ms"
        return self.value / 1e3

    @property
    def program(self) -> str:
        """Code and variant."""
        return f"{self.code} {self.variant}".rstrip()


@cache
def figures() -> dict[tuple[str, str, str], Figure]:
    """Return (problem, graph, form) -> figure."""
    with FILE.open("rb") as file:
        sections = tomllib.load(file)
    sources, codes = sections.pop("sources"), sections.pop("codes")
    rows = {}
    for problem, section in sections.items():
        source = sources[section["source"]]
        for row in section["figures"]:
            key = problem, row["graph"], row.get("form", "")
            rows[key] = Figure(
                float(row["value"]), section["unit"], row["code"], row.get("variant", ""), source["device"],
                codes[row["code"]], source["stands"],
            )  # fmt: skip
    return rows


def published(problem: str, graph: str, form: str = "") -> Figure | None:
    """Return the figure of a problem on a graph, None if there is none."""
    return figures().get((problem, graph, form))


def sources_text() -> str:
    """One sentence for each source of figures."""
    texts = {figure.stands: figure.device for figure in figures().values()}
    return "\n\n".join(f"Published figures on an {device}: {stands}." for stands, device in texts.items())
