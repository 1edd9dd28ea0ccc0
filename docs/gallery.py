"""The directive `example`: a script of the folder examples, what it prints and what it draws when the site is built."""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SIZES = {
    "deduplicate_pairs": 1_000_000,
    "road_graph": 250_000,
    "percolation": 250_000,
    "maze": 2_500,
    "drop_in": 100_000,
    "stream_with_journal": 20_000,
}
"""The size with which a page shows each example: seconds for all of them."""


class Example(SphinxDirective):
    """`{example} NAME`: the words above the script, its picture, its lines and its output.

    With the option `recorded` it is not run: NAME.txt beside the script is its output, where there is one.
    """

    required_arguments = 1
    option_spec = {"recorded": directives.flag}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """The nodes of the page."""
        name = self.arguments[0]
        script = EXAMPLES / f"{name}.py"
        self.env.note_dependency(str(script))
        text = script.read_text(encoding="utf-8")
        words, lines = split(text)
        output, picture = recorded(name), None
        if "recorded" not in self.options and str(self.config.examples_run) not in ("0", "False"):
            output, picture = run(name, SIZES[name])
        parts: list[nodes.Node] = list(self.parse_text_to_nodes(words))
        if picture is not None:
            parts.append(self._image(name, picture))
        parts.append(nodes.literal_block(lines, lines, language="python"))
        if output:
            size = "" if "recorded" in self.options else f", with a size of {SIZES[name]:,}"
            parts.append(nodes.paragraph(text=f"What it prints{size}:"))
            parts.append(nodes.literal_block(output, output, language="text"))
        parts += self.parse_text_to_nodes(f"The script is `examples/{name}.py`; a size may follow its name.")
        return parts

    def _image(self, name: str, picture: bytes) -> nodes.Node:
        """A picture among the files of the site."""
        folder = Path(self.env.app.outdir) / "_images"
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / f"{name}-{hashlib.sha256(picture).hexdigest()[:8]}.png"
        place.write_bytes(picture)
        above = "../" * self.env.docname.count("/")
        html = (
            f'<p><img src="{above}_images/{place.name}" alt="what the example {name} draws" style="max-width:100%"></p>'
        )
        return nodes.raw("", html, format="html")


def split(text: str) -> tuple[str, str]:
    """The words of a script below its first line, and the script behind them."""
    module = ast.parse(text)
    words = (ast.get_docstring(module) or "").partition("\n\n")[2]
    behind = module.body[0].end_lineno or 0
    return words, "".join(text.splitlines(keepends=True)[behind:]).strip("\n")


def recorded(name: str) -> str:
    """The output of an example that runs elsewhere, "" where there is none."""
    path = EXAMPLES / f"{name}.txt"
    return path.read_text(encoding="utf-8").rstrip() if path.exists() else ""


def run(name: str, size: int) -> tuple[str, bytes | None]:
    """What an example prints, and its picture if it draws one. Raises RuntimeError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, str(EXAMPLES / f"{name}.py"), str(size)]
        environment = os.environ | {"MPLBACKEND": "agg", "PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8", check=False, env=environment)
        if done.returncode != 0:
            raise RuntimeError(f"examples/{name}.py {size} failed:\n{done.stdout}{done.stderr}")
        pictures = list(Path(folder).glob("*.png"))
        return done.stdout.rstrip(), pictures[0].read_bytes() if pictures else None


def setup(app: Any) -> dict[str, bool]:
    """The extension: `-D examples_run=0` builds the pages without running anything."""
    app.add_directive("example", Example)
    app.add_config_value("examples_run", True, "env", [bool, int, str])
    return {"parallel_read_safe": True, "parallel_write_safe": True}
