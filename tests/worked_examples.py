"""The worked examples of CONTRIBUTING.md: read off the page, and carried out on copies of the source tree."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from filecmp import cmp
from pathlib import Path

from native_build import ROOT, extension, locked

PAGE = ROOT / "CONTRIBUTING.md"
COMPILED = ("a find rule", "a sampling", "a sampling on a GPU", "a standalone algorithm")
"""The examples that change the core."""

PLACE = re.compile(
    r"(?P<new>a new file)|inside `namespace (?P<namespace>[\w:]+)`|a row of `(?P<table>\w+)`|(?P<row>a row)\b"
    r"|(?P<replaced>in place of its row)|(?P<import>an import|another one)|(?P<end>at the end)"
)


@dataclass(frozen=True)
class Edit:
    """A fragment of code and where it goes."""

    path: str
    kind: str
    where: str
    code: str


def sections() -> dict[str, list[Edit]]:
    """The edits of each example, in the order of the page."""
    result: dict[str, list[Edit]] = {}
    for part in re.split(r"^### Add ", PAGE.read_text(), flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        body = re.split(r"^## ", body, flags=re.MULTILINE)[0]
        path, edits = "", []
        for prose, code in re.findall(r"(.*?)^```\w+\n(.*?)^```$", body, flags=re.MULTILINE | re.DOTALL):
            heading = re.search(r"\*\*\d+\. `([^`]+)`\*\*(?!.*\*\*\d+\. )", prose, flags=re.DOTALL)
            path = heading[1] if heading else path
            places = list(PLACE.finditer(prose, heading.end() if heading else 0))
            assert path, title
            assert places, (title, prose)
            kind = places[0].lastgroup
            assert kind is not None
            edits.append(Edit(path, kind, places[0][kind], code))
        result[title] = edits
    return result


def after_row(lines: list[str], at: int) -> int:
    """The line behind the row of the registry that begins at a line."""
    depth = 0
    for number in range(at, len(lines)):
        depth += lines[number].count("(") - lines[number].count(")")
        if depth == 0:
            return number + 1
    raise AssertionError(lines[at])


def carry_out(root: Path, edit: Edit) -> None:
    """Change one file as the page says."""
    path = root / edit.path
    if edit.kind == "new":
        assert not path.exists(), path
        path.write_text(edit.code)
        return
    lines = path.read_text().splitlines(keepends=True)
    if edit.kind == "end":
        at = len(lines)
    elif edit.kind == "namespace":
        at = max(i for i, line in enumerate(lines) if line.strip() == f"}}  // namespace {edit.where}")
    elif edit.kind == "row":
        macro = edit.code.partition("(")[0]
        at = after_row(lines, max(i for i, line in enumerate(lines) if line.startswith(macro + "(")))
    elif edit.kind == "replaced":
        (at,) = (i for i, line in enumerate(lines) if line.startswith(edit.code.partition(",")[0] + ","))
        del lines[at : after_row(lines, at)]
    elif edit.kind == "import":
        at = min(i for i, line in enumerate(lines) if line.startswith("from landbridge"))
    else:
        begins = re.compile(rf"\s*{edit.where}\b.*[(\[{{]\s*$")
        (at,) = (i + 1 for i, line in enumerate(lines) if begins.match(line))
    path.write_text("".join([*lines[:at], edit.code, *lines[at:]]))


def copy_of_the_tree(target: Path) -> Path:
    """The sources that a build and a run need."""
    skipped = shutil.ignore_patterns("__pycache__", "*.so", "_core.pyi", "results", "corpus")
    for folder in ("src", "include", "tests", "docs"):
        shutil.copytree(ROOT / folder, target / folder, ignore=skipped)
    for file in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "REFERENCES.bib"):
        shutil.copy2(ROOT / file, target / file)
    return target


def changed_core() -> Path:
    """A folder to import landbridge from: this tree with `COMPILED` carried out, and a core that counts its work.

    Built once for all tests and test processes, in build/examples; a later run compiles what has changed since.
    """
    home = ROOT / "build" / "examples"
    with locked(home):
        shutil.rmtree(home / "new", ignore_errors=True)
        root = copy_of_the_tree(home / "new")
        for title in COMPILED:
            for edit in sections()[title]:
                carry_out(root, edit)
        _take_over(root, home / "tree")
        image = extension(home / "tree", home / "core", "-DLANDBRIDGE_COUNT_WORK=ON")
        place = home / "tree" / "src" / "landbridge" / image.name
        if not place.exists() or not cmp(image, place, shallow=False):
            place.unlink(missing_ok=True)
            shutil.copy2(image, place)
    return home / "tree" / "src"


def _take_over(new: Path, tree: Path) -> None:
    """Make a tree what a new one is; files that are the same keep their time, so that they are not compiled again."""
    names = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
    for path in [path for path in tree.rglob("*") if path.is_file() and path.suffix != ".so"]:
        if path.relative_to(tree) not in names:
            path.unlink()
    for name in names:
        if not (tree / name).exists() or not cmp(new / name, tree / name, shallow=False):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(new / name, tree / name)
