"""The documents build without a warning, and docstrings keep every word on their way into them."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import landbridge

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def _form() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docstring_form", DOCS / "docstring_form.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


FORM = _form()


def _render(text: str, *known: str) -> str:
    return "\n".join(FORM.render(inspect.cleandoc(text).splitlines(), set(known), lambda word: None)).strip()


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    for module in ("sphinx", "myst_parser"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install '.[test]'")
    words = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html", "-D", "html_theme=basic"]
    command = [*words, "-d", str(tmp_path / "doctrees"), str(DOCS), str(tmp_path / "site")]
    paths = os.pathsep.join([str(Path(landbridge.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = re.sub("<[^>]+>", "", (tmp_path / "site" / "api" / "components.html").read_text())
    assert "with a row for each vertex" in text


def test_every_public_name_is_on_one_page() -> None:
    pages = {path: path.read_text() for path in (DOCS / "api").glob("*.md")}
    public = set(landbridge.__all__) - {"__version__"}
    errors = {name for name in public if getattr(landbridge, name).__module__ == "landbridge.errors"}
    assert ".. automodule:: landbridge.errors" in pages[DOCS / "api" / "errors.md"]
    for name in public - errors:
        places = [p.name for p, text in pages.items() if re.search(rf":: landbridge\.{name}$", text, re.MULTILINE)]
        assert len(places) == 1, (name, places)


def test_names_become_a_definition_list() -> None:
    text = """What it does.

    u, v: the ends,
        of each edge.
    plan: a text. device: where. Raises InputError for others.
    O(n) time.
    """
    assert _render(text, "u", "v", "plan", "device") == (
        "What it does.\n\n``u``, ``v``\n    the ends,\n    of each edge.\n\n``plan``\n    a text.\n\n"
        "``device``\n    where.\n\nRaises InputError for others.\nO(n) time."
    )


def test_sections_of_numpydoc_become_definition_lists() -> None:
    text = """What it does.

    Parameters
    ----------
    u, v : array
        The endpoints of `each` edge.
    options :
        As above.

    Returns
    -------
    int
        A number.
    """
    assert _render(text) == (
        "What it does.\n\n**Parameters**\n\n``u``, ``v`` : array\n    The endpoints of ``each`` edge.\n``options``\n"
        "    As above.\n\n\n**Returns**\n\nint\n    A number."
    )


def test_prose_with_a_colon_stays_prose() -> None:
    text = "What it does: this.\n\nIt gives\nnothing: not that. Nor: this."
    assert _render(text, "plan") == text


def test_words_that_are_marks_elsewhere_are_escaped() -> None:
    assert _render("Is src_ or a|b, or x_1, ``y_`` or `z`?") == "Is src\\_ or a\\|b, or x_1, ``y_`` or ``z``?"


def test_examples_stay_as_they_are() -> None:
    example = ">>> rank(a_)\nplan: none"
    assert _render(f"Ranks.\n\n{example}", "plan").endswith(example)


@pytest.mark.parametrize("name", [name for name in landbridge.__all__ if name != "__version__"])
def test_no_word_of_a_docstring_is_lost(name: str) -> None:
    obj = getattr(landbridge, name)
    objects = [obj, *(vars(obj).values() if inspect.isclass(obj) else ())]
    for documented in objects:
        text = inspect.getdoc(documented) if not isinstance(documented, str | int | tuple | float) else None
        if not text:
            continue
        known = set(inspect.signature(documented).parameters) if inspect.isfunction(documented) else set(dir(obj))
        rendered = "\n".join(FORM.render(text.splitlines(), known, lambda word: None))
        assert re.findall(r"\w+", rendered) == re.findall(r"\w+", text)
