"""Fill the pages of `docs` and their pictures from records: `python -m benchmarks.report [RESULTS ...]`.

A page holds the sentences; between a line `<!-- begin NAME -->` and a line `<!-- end NAME -->` stands what
a renderer of `RENDERERS` makes from the results, so no number is typed. Every page below `docs` with such lines is
filled. `--check` changes nothing and fails if a page is not what the results give.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.kinds.cluster import projection_text as cluster_projection
from benchmarks.kinds.cluster import summary as cluster_summary
from benchmarks.kinds.components import graphs_table, threads_summary
from benchmarks.kinds.components import summary as components_summary
from benchmarks.kinds.door import summary as door_summary
from benchmarks.kinds.forest import summary as forest_summary
from benchmarks.kinds.gpu_ablations import ablation_table
from benchmarks.kinds.gpu_components import auto_table, calls_table, peers_table
from benchmarks.kinds.gpu_components import draw as draw_gpu
from benchmarks.kinds.gpu_components import plans_table as gpu_plans_table
from benchmarks.kinds.gpu_counters import counters_table
from benchmarks.kinds.gpu_forests import forests_table
from benchmarks.kinds.gpu_pairs import pairs_table
from benchmarks.kinds.gpu_streams import batches_table, streams_table
from benchmarks.kinds.gpu_transfer import transfer_table
from benchmarks.kinds.imports import over_numpy
from benchmarks.kinds.incremental import summary as incremental_summary
from benchmarks.kinds.memory import summary as memory_summary
from benchmarks.kinds.papers import summary as claims_summary
from benchmarks.kinds.parts import draw as draw_parts
from benchmarks.kinds.parts import projection as parts_projection
from benchmarks.kinds.parts import summary as parts_summary
from benchmarks.kinds.plans import summary as plans_summary
from benchmarks.kinds.ranking import claims_summary as list_claims_summary
from benchmarks.kinds.ranking import draw as draw_lists
from benchmarks.kinds.ranking import lists_summary
from benchmarks.kinds.splink import summary as splink_summary
from benchmarks.pictures import save_picture
from benchmarks.published import sources_text
from benchmarks.records import Record, by_graph, latest, of_suite, read_records
from benchmarks.tables import OURS, by_device, fastest_peer, ratio_summary
from benchmarks.zoo.heatmap import draw as draw_zoo
from benchmarks.zoo.results import programs_summary
from benchmarks.zoo.results import summary as zoo_summary

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RESULTS = Path(__file__).with_name("results")
NOTHING = "No results yet."
BLOCK = re.compile(r"^<!-- begin (?P<name>[\w ]+) -->\n.*?^<!-- end (?P=name) -->$", re.MULTILINE | re.DOTALL)

Renderer = Callable[[list[Record], Path], str]
"""Makes text of all records; pictures go to a folder."""


def table(render: Callable[[list[Record]], str], *suites: str) -> Renderer:
    """Wrap a renderer: of the records of some suites, device by device, each with a line on its origin."""

    def rendered(records: list[Record], folder: Path) -> str:
        del folder
        return by_device(render, [record for suite in suites for record in of_suite(records, suite)]) or NOTHING

    return rendered


def picture(draw: Callable[[list[Record], Path], None], suite: str, unit: str, text: str) -> Renderer:
    """Draw the times of a suite and return the picture's line."""

    def rendered(records: list[Record], folder: Path) -> str:
        timings = [record for record in of_suite(records, suite) if record["unit"] == unit]
        if not timings:
            return NOTHING
        draw(timings, folder / f"{suite}.svg")
        return f"![{text}](images/{suite}.svg)"

    return rendered


def draw_ratios(records: Sequence[Record], path: Path) -> None:
    """Draw bars of median over the fastest peer's median, logarithmic."""
    most = max(record["threads"] for record in records)
    rows = by_graph(record for record in records if record["threads"] == most)
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    width = 0.9 / max(len(names), 1)
    with save_picture(path, figsize=(max(8.0, 1.2 * len(rows)), 4.5)) as (_, axes):
        for place, name in enumerate(names):
            spots: list[float] = []
            heights: list[float] = []
            for group, row in enumerate(rows.values()):
                base = fastest_peer(row) or next(iter(row.values()))
                if name in row:
                    spots.append(group - 0.45 + (place + 0.5) * width)
                    heights.append(row[name]["median"] / base["median"])
            ours = name.startswith(OURS)
            style: dict[str, Any] = {"edgecolor": "black", "linewidth": 0.8} if ours else {"alpha": 0.75}
            axes.bar(spots, heights, width, label=name, **style)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_yscale("log")
        axes.set_xticks(range(len(rows)), list(rows), rotation=20)
        axes.set_ylabel(f"time over the fastest peer, {most} threads")
        axes.legend(fontsize="x-small", ncols=3)


def with_timing(render: Callable[[list[Record]], str], *timings: str) -> Callable[[list[Record]], str]:
    """Wrap what renders the records of one device: those of some timings alone."""

    def rendered(records: list[Record]) -> str:
        return render([record for record in records if record.get("timing") in timings])

    return rendered


def in_batches(records: list[Record]) -> str:
    return batches_table([record for record in records if ", " in record["form"]])


RENDERERS: dict[str, Renderer] = {
    "graphs": table(lambda records: graphs_table(records).markdown(), "cpu"),
    "cpu": table(components_summary, "cpu"),
    "cpu plot": picture(draw_ratios, "cpu", "s", "Times over the fastest peer, by graph"),
    "end to end": table(ratio_summary, "end_to_end"),
    "threads": table(threads_summary, "threads"),
    "plans": table(plans_summary, "plans"),
    "memory": table(memory_summary, "memory"),
    "files": table(ratio_summary, "files"),
    "streaming": table(ratio_summary, "streaming"),
    "incremental": table(incremental_summary, "incremental"),
    "forest": table(forest_summary, "forest"),
    "import": table(over_numpy, "import"),
    "cluster": table(cluster_summary, "cluster"),
    "cluster projection": table(cluster_projection, "cluster"),
    "door": table(door_summary, "door"),
    "splink": table(splink_summary, "splink"),
    "gpu": table(auto_table, "gpu"),
    "gpu plot": picture(draw_gpu, "gpu", "s", "Lower bound, landbridge and the best published time, by graph"),
    "gpu plans": table(gpu_plans_table, "gpu"),
    "gpu analogues": table(auto_table, "gpu_analogues"),
    "gpu counters": table(counters_table, "gpu_counters"),
    "gpu ablations": table(ablation_table, "gpu_ablations"),
    "gpu calls": table(with_timing(calls_table, "wall"), "gpu_calls", "gpu", "gpu_analogues"),
    "gpu peers": table(peers_table, "gpu_peers"),
    "gpu forests": table(forests_table, "gpu_forests"),
    "gpu pairs": table(pairs_table, "gpu_pairs"),
    "gpu streams": table(streams_table, "gpu_streams"),
    "gpu stream batches": table(in_batches, "gpu_streams"),
    "gpu transfer": table(transfer_table, "gpu_transfer"),
    "parts": table(parts_summary, "parts"),
    "parts projection": table(parts_projection, "parts"),
    "parts plot": picture(draw_parts, "parts", "s", "When each processor took its pieces, and its share of the edges"),
    "zoo": table(zoo_summary, "zoo", "zoo_grid", "zoo_large"),
    "zoo programs": table(programs_summary, "zoo_programs"),
    "zoo plot": picture(draw_zoo, "zoo_grid", "s", "Times the median cell, by structure, form and order of ids"),
    "zoo gpu": table(zoo_summary, "zoo_gpu"),
    "zoo gpu plot": picture(draw_zoo, "zoo_gpu", "s", "Times the median cell, by structure, form and order of ids"),
    "published": lambda records, folder: sources_text() if records else NOTHING,
    "lists cpu": table(lists_summary, "ranking"),
    "lists cpu plot": picture(draw_lists, "ranking", "s", "Nanoseconds per element, by length"),
    "lists gpu": table(lists_summary, "ranking_gpu"),
    "lists gpu plot": picture(draw_lists, "ranking_gpu", "s", "Nanoseconds per element, by length"),
    "claims cpu": table(claims_summary, "papers"),
    "claims gpu": table(claims_summary, "papers_gpu"),
    "list claims cpu": table(list_claims_summary, "ranking"),
    "list claims gpu": table(list_claims_summary, "ranking_gpu"),
}


def render(page: str, records: Sequence[Record], folder: Path) -> str:
    """Return the page with every block filled; pictures go to `folder`. Raises KeyError for an unknown
    block.
    """
    newest = latest(records)

    def fill(match: re.Match[str]) -> str:
        name = match["name"]
        return f"<!-- begin {name} -->\n{RENDERERS[name](newest, folder)}\n<!-- end {name} -->"

    return BLOCK.sub(fill, page)


def pages() -> list[Path]:
    """Every page of the documentation that holds something rendered from results."""
    return [path for path in sorted(DOCS.rglob("*.md")) if BLOCK.search(path.read_text())]


def main(argv: list[str] | None = None) -> int:
    """Render the pages; return 0, or 1 if `--check` finds one out of date."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__.partition("\n")[0])
    parser.add_argument("results", nargs="*", type=Path, help="files of records; default: all of benchmarks/results")
    parser.add_argument("--page", type=Path, action="append", help="a page to fill; default: every one below docs")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a page is out of date")
    arguments = parser.parse_args(argv)
    records = read_records(arguments.results or sorted(RESULTS.rglob("*.jsonl")))
    outdated = []
    for path in arguments.page or pages():
        text = path.read_text()
        if arguments.check:
            with tempfile.TemporaryDirectory() as scratch:
                if render(text, records, Path(scratch)) != text:
                    outdated.append(path)
        else:
            path.write_text(render(text, records, path.parent / "images"))
    for path in outdated:
        print(f"{path} is not what the results give: run python -m benchmarks.report", file=sys.stderr)
    return int(bool(outdated))


if __name__ == "__main__":
    sys.exit(main())
