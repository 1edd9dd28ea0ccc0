"""Fill the pages of `docs` and `docs/images` from result lines: `python -m benchmarks.report [RESULTS ...]`.

A page holds the sentences; between a line `<!-- begin NAME -->` and a line `<!-- end NAME -->` stands what
a renderer of `RENDERERS` makes from the results, so that nobody types a number. Every page of `docs` with such lines is
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

from benchmarks import gpu_lines
from benchmarks.kinds.components import threads_table
from benchmarks.kinds.door import table as door_table
from benchmarks.kinds.forest import summary as forest_table
from benchmarks.kinds.incremental import summary as streams_tables
from benchmarks.kinds.memory import memory_table
from benchmarks.kinds.papers import claims_table, untested_table
from benchmarks.kinds.plans import AUTO, distances, plans_table
from benchmarks.kinds.ranking import claims_lines, draw, lists_table, speed_lines
from benchmarks.results import Record, read_results
from benchmarks.tables import (
    OURS,
    Table,
    against_fastest_peer,
    by_graph,
    fastest_peer,
    latest,
    noise,
    ratio_table,
    ratio_text,
)

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
RESULTS = Path(__file__).with_name("results")
NOTHING = "No results yet."
BLOCK = re.compile(r"^<!-- begin (?P<name>[\w ]+) -->\n.*?^<!-- end (?P=name) -->$", re.MULTILINE | re.DOTALL)

Renderer = Callable[[list[Record], Path], str]


def of_suite(records: Sequence[Record], suite: str) -> list[Record]:
    return [record for record in records if record["suite"] == suite]


def origin(records: Sequence[Record]) -> str:
    """One line on where the results come from: processor, cores, versions, commits, the last day."""
    machines = {f"{r['machine']['cpu']}, {r['machine']['cores']} cores" for r in records}
    pages = {r["machine"]["huge_pages"] for r in records}
    versions = {name: version for record in records for name, version in record["versions"].items()}
    commits = {
        (record["commit"] or "unknown")[:12] + (" with changes" if record["dirty"] else "") for record in records
    }
    return (
        f"Measured on {'; '.join(sorted(machines))} (huge pages: {', '.join(sorted(pages))}), "
        f"last on {max(record['date'] for record in records)[:10]}, commit {', '.join(sorted(commits))}; "
        + ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
        + "."
    )


def with_origin(render: Callable[[list[Record]], str], suite: str) -> Renderer:
    """Wrap a renderer: the records of one suite, a line on their origin at the end, or a word that there are
    none.
    """

    def rendered(records: list[Record], folder: Path) -> str:
        del folder
        chosen = of_suite(records, suite)
        return "\n\n".join(filter(None, [render(chosen), noise(chosen), origin(chosen)])) if chosen else NOTHING

    return rendered


def graphs_table(records: list[Record]) -> str:
    table = Table(["graph", "generator", "vertices", "edges", "components"])
    seen = {record["graph"]["name"]: record["graph"] for record in records}
    for name, graph in seen.items():
        sizes = [f"{graph[size]:,}" for size in ("n", "m", "components")]
        table.rows.append([name, f"`{graph['text']}`", *sizes])
    return table.markdown()


def ratios(records: list[Record], *, floor: bool = False) -> str:
    """A table for each thread count, and landbridge over the fastest of all peers."""
    parts: list[str] = []
    counts = list(dict.fromkeys(record["threads"] for record in records))
    for threads in counts:
        chosen = [record for record in records if record["threads"] == threads]
        if len(counts) > 1:
            parts.append(f"With {threads} thread{'s' if threads > 1 else ''}:")
        parts.append(ratio_table(chosen, floor=floor).markdown())
        parts += [
            f"{name} over the fastest of all peers, geometric mean over the graphs: **{ratio_text(value)}**."
            for name, value in against_fastest_peer(chosen).items()
        ]
    return "\n\n".join(parts)


def imports(records: list[Record]) -> str:
    medians = {record["contestant"]: record for record in records}
    own = medians["landbridge(import)"]
    over = ratio_text(own["median"] / medians["numpy"]["median"])
    share = ratio_text(own["median"] / own["bar"])
    return f"`import landbridge` takes {over} times as long as `import numpy` before it: {share} of its bar."


def plans(records: list[Record]) -> str:
    means = distances(records)
    single = next((name for name in means if name != AUTO), None)
    lines = [plans_table(records).markdown()]
    if AUTO in means and single is not None:
        each, one = ratio_text(means[AUTO]), ratio_text(means[AUTO] / means[single])
        lines.append(
            f"The automatic choice over the best plan of each graph: **{each}**, geometric mean; "
            f"over the best single plan, `{single}`: **{one}**."
        )
    return "\n\n".join(lines)


def plot(records: list[Record], folder: Path, suite: str = "cpu") -> str:
    """Draw a suite's ratios to the fastest peer as bars, a group for each graph, and return the picture's
    line.
    """
    chosen = of_suite(records, suite)
    if not chosen:
        return NOTHING
    draw_ratios(chosen, folder / f"{suite}.svg")
    return f"![Times over the fastest peer, by graph](images/{suite}.svg)"


def draw_ratios(records: Sequence[Record], path: Path) -> None:
    """Draw bars of median over the fastest peer's median, logarithmic; the same results give the same
    file.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    mpl.rcParams["svg.hashsalt"] = "landbridge"
    most = max(record["threads"] for record in records)
    rows = by_graph(record for record in records if record["threads"] == most)
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    figure, axes = pyplot.subplots(figsize=(max(8.0, 1.2 * len(rows)), 4.5), layout="constrained")
    width = 0.9 / max(len(names), 1)
    for place, name in enumerate(names):
        spots: list[float] = []
        heights: list[float] = []
        for group, row in enumerate(rows.values()):
            base = fastest_peer(row) or next(iter(row.values()))
            if name in row:
                spots.append(group - 0.45 + (place + 0.5) * width)
                heights.append(row[name]["median"] / base["median"])
        style: dict[str, Any] = {"edgecolor": "black", "linewidth": 0.8} if name.startswith(OURS) else {"alpha": 0.75}
        axes.bar(spots, heights, width, label=name, **style)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xticks(range(len(rows)), list(rows), rotation=20)
    axes.set_ylabel(f"time over the fastest peer, {most} threads")
    axes.legend(fontsize="x-small", ncols=3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def of_gpu(render: Callable[[Sequence[Record]], str]) -> Renderer:
    """Wrap a renderer of the lines of GPUs: it says where they come from itself."""

    def rendered(records: list[Record], folder: Path) -> str:
        del folder
        return render(of_suite(records, "gpu")) or NOTHING

    return rendered


def gpu_plot(records: list[Record], folder: Path) -> str:
    """Draw the times on GPUs and return the picture's line."""
    chosen = of_suite(records, "gpu")
    if not any(record["kind"] == "replay" for record in chosen):
        return NOTHING
    gpu_lines.draw(chosen, folder / "gpu.svg")
    return "![Floor, landbridge and the best published time, by graph](images/gpu.svg)"


def lists(records: list[Record]) -> str:
    """List ranking: the table, and how much faster than one walk."""
    return "\n\n".join(filter(None, [lists_table(records).markdown(), speed_lines(records)]))


def lists_plot(suite: str) -> Renderer:
    """Draw the times of a suite of list ranking and return the picture's line."""

    def rendered(records: list[Record], folder: Path) -> str:
        chosen = [record for record in of_suite(records, suite) if record["unit"] == "s"]
        if not chosen:
            return NOTHING
        draw(chosen, folder / f"{suite}.svg")
        return f"![Nanoseconds an element, by length](images/{suite}.svg)"

    return rendered


RENDERERS: dict[str, Renderer] = {
    "lists cpu": with_origin(lists, "ranking"),
    "lists cpu plot": lists_plot("ranking"),
    "lists gpu": with_origin(lists, "ranking_gpu"),
    "lists gpu plot": lists_plot("ranking_gpu"),
    "list claims cpu": with_origin(claims_lines, "ranking"),
    "list claims gpu": with_origin(claims_lines, "ranking_gpu"),
    "graphs": with_origin(graphs_table, "cpu"),
    "cpu": with_origin(lambda records: ratios(records, floor=True), "cpu"),
    "cpu plot": plot,
    "end to end": with_origin(ratios, "end_to_end"),
    "threads": with_origin(lambda records: threads_table(records).markdown(), "threads"),
    "plans": with_origin(plans, "plans"),
    "memory": with_origin(lambda records: memory_table(records).markdown(), "memory"),
    "files": with_origin(ratios, "files"),
    "streaming": with_origin(ratios, "streaming"),
    "incremental": with_origin(streams_tables, "incremental"),
    "forest": with_origin(forest_table, "forest"),
    "import": with_origin(imports, "import"),
    "door": with_origin(lambda records: door_table(records).markdown(), "door"),
    "gpu": of_gpu(gpu_lines.auto_table),
    "gpu plot": gpu_plot,
    "gpu forests": of_gpu(gpu_lines.forests_table),
    "gpu plans": of_gpu(gpu_lines.plans_table),
    "gpu ablation": of_gpu(gpu_lines.ablation_table),
    "gpu stand ins": of_gpu(gpu_lines.stand_ins_table),
    "gpu calls": of_gpu(gpu_lines.calls_table),
    "gpu peers": of_gpu(gpu_lines.peers_table),
    "gpu transfer": of_gpu(gpu_lines.transfer_table),
    "gpu streams": of_gpu(gpu_lines.streams_table),
    "gpu stream batches": of_gpu(gpu_lines.stream_batches_table),
    "claims untested": lambda records, folder: untested_table().markdown() if records else NOTHING,
    "ranking claims cpu": with_origin(claims_lines, "ranking"),
    "ranking claims gpu": with_origin(claims_lines, "ranking_gpu"),
    "claims cpu": with_origin(lambda records: claims_table(records).markdown(), "papers"),
    "claims gpu": with_origin(lambda records: claims_table(records).markdown(), "papers_gpu"),
}


def render(page: str, records: Sequence[Record], folder: Path) -> str:
    """Return the page with every block filled; pictures go to `folder`. Raises KeyError for an unknown
    block.
    """
    kept = [*latest([r for r in records if r["suite"] != "gpu"]), *gpu_lines.newest(records)]

    def fill(match: re.Match[str]) -> str:
        name = match["name"]
        return f"<!-- begin {name} -->\n{RENDERERS[name](kept, folder)}\n<!-- end {name} -->"

    return BLOCK.sub(fill, page)


def pages() -> list[Path]:
    """Every page of the documentation that holds something rendered from results."""
    return [path for path in sorted(DOCS.glob("*.md")) if BLOCK.search(path.read_text())]


def main(argv: list[str] | None = None) -> int:
    """Render the pages; return 0, or 1 if `--check` finds one out of date."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "results", nargs="*", type=Path, help="files of result lines; default: all of benchmarks/results"
    )
    parser.add_argument("--page", type=Path, action="append", help="a page to fill; default: every one of docs")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a page is out of date")
    arguments = parser.parse_args(argv)
    everything = [path for folder in (RESULTS, RESULTS / "gpu") for path in sorted(folder.glob("*.jsonl"))]
    records = read_results(arguments.results or everything)
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
