"""What the documents show runs as it stands, in order: every fragment of Python of a page, in one interpreter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md"))]
FRAGMENT = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fragments(page: str) -> list[tuple[int, str]]:
    """The fragments of a page, each with the line it begins in."""
    text = (ROOT / page).read_text()
    return [(text[: match.start(1)].count("\n"), match[1]) for match in FRAGMENT.finditer(text)]


@pytest.mark.parametrize("page", [page for page in PAGES if fragments(page)])
def test_fragments_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pandas", "polars", "pyarrow", "scipy", "networkx"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": page}
    for line, code in fragments(page):
        exec(compile("\n" * line + code, str(ROOT / page), "exec"), names)
