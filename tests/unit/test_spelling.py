"""Options in messages: of Python for its callers, of the command line there; and the words of a file as they are."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import landbridge
from landbridge.cli import main
from landbridge.edges.formats.registry import FORMATS
from landbridge.edges.spelling import as_on_command_line, option, spelled
from landbridge.errors import InputError

PYTHON = re.compile(
    r"\b(header|columns|ids|base|num_vertices|comment|delimiter|format|encoding|max_bytes|chunks|devices?|threads)="
)
WORD = r"(?:'[^']*'|[^\s;']*[^\s;:',.)])"
PROPOSAL = re.compile(rf"--[a-z-]+ {WORD}(?: --[a-z-]+ {WORD})*")


def test_an_option_has_the_spelling_of_the_program_that_runs() -> None:
    values: dict[str, Any] = {"header": True, "columns": (0, 2), "delimiter": "\t", "comment": "", "num_vertices": 7}
    assert (
        spelled("base", **values) == "base=, header=True, columns=(0, 2), delimiter='\\t', comment='', num_vertices=7"
    )
    assert option("num_vertices") == "num_vertices"
    with as_on_command_line():
        assert spelled("base", **values) == (
            "--base --header yes --columns 0,2 --delimiter tab --comment '' --num-vertices 7"
        )
        assert spelled(columns=("a b", "c'd")) == "--columns " + shlex.quote("a b,c'd")
        assert option("num_vertices") == "--num-vertices" and option("chunks") == "--stream"
    assert spelled(ids="names") == "ids='names'"


QUESTIONS = [
    ("ann,bob\ncy,dora\n", "ambiguous whether the first row is a header"),
    ("2 2\n0 1\n1 0\n", "could be counts"),
    ("2 2 2\n0 1 1\n1 0 1\n", "could be counts"),
    ("src,dst\nsource,target\n1,2\n", "may be a second header"),
    (",a,b,c\n0,x,y,z\n1,y,z,w\n", "whether the first row is a header"),
    ("a b c\n1 x y z\n2 y z w\n", "columns and line 2 has 4"),
    ("src,dst,w\n1,2,3\nsrc,dst,w\n3,4,5\n", "repeats the header"),
    ("alpha,beta,delta\n1,2,3\n2,3,4\n", "which two of the columns"),
    ('"alpha, one",beta,delta\n1,2,3\n2,3,4\n', "which two of the columns"),
    ("x,7,y\na,b,c\nb,c,d\n", ""),
    ("n1,likes,n2\nn2,likes,n3\nn3,likes,n4\n", ""),
    ("100,1,2\n101,2,3\n102,4,5\n", "ascends by one"),
    ("a -> b\nb -> c\n", "nothing but ->"),
    ("a|1,b|2\n", "both part the lines"),
    ("0:1\n1:2\n", "makes 2"),
    ("u,v\n#10,#0\n", "as line 2 does"),
    ("#rust,ann\nann,bob\nbob,cy\n", "a comment or an edge"),
    ("ann bob\nann NA\ncy ann\n", "stands for no value"),
    ("1 x9\nb c\n", ""),
    ("01 2\n3 4\n", "begins with zeros"),
    ("1 2\n3 -4\n", ""),
    ("p sp 3 2\na 1 2 5\na 2 3 5\n", "a DIMACS file"),
    ("p edge 3 2\ne 1 2\ne 2 3\n", "a DIMACS file"),
    ('{"source": 1, "target": 2}\n', "this is JSON"),
    ("5,4,u,graph\n1,2\n2,3\n", "a .jlg file"),
    ("3 2\n2\n1 3\n2\n", "METIS"),
    ("0 1 0\n1 0 1\n0 1 0\n", "adjacency matrix"),
]


@pytest.mark.parametrize(("text", "problem"), QUESTIONS)
def test_what_a_command_proposes_leads_to_the_edges(
    text: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each proposal without a second question, but that of another option that is proposed with it."""
    path = tmp_path / "g.txt"
    path.write_text(text)
    code = main(["components", str(path), "-q"])
    error = capsys.readouterr().err
    if code == 0:
        assert not problem
        return
    assert code == 2 and problem in error
    message = re.sub(r": '[^:]*$", "", error.replace(str(path), ""))  # without the text of the line
    assert not PYTHON.search(message), error
    proposals = PROPOSAL.findall(message)
    assert proposals, error
    others = [each for each in proposals if each.startswith("--comment")]
    for each in proposals if len(others) in (0, len(proposals)) else set(proposals).difference(others):
        for other in others[:1] if each not in others else [""]:
            assert main(["components", str(path), "-q", *shlex.split(f"{each} {other}")]) == 0, (each, error)
            capsys.readouterr()
        if not others:
            assert main(["components", str(path), "-q", *shlex.split(each)]) == 0, (each, error)
            capsys.readouterr()


@pytest.mark.parametrize("option_", ["--base 1", "--num-vertices 5"])
@pytest.mark.parametrize(
    ("text", "ids"), [("ann,bob\ncy,dan\n", "names"), ("1,2\nx,3\n4,5\n", "names"), ("3,-1\n4,5\n", "")]
)
def test_what_goes_with_vertex_numbers_alone_is_left_out(
    text: str, ids: str, option_: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where names are proposed, which it does not go with. For a negative id in text nothing is."""
    path = tmp_path / "g.csv"
    path.write_text(text)
    assert main(["components", str(path), "-q", "--header", "no", *option_.split()]) == 2
    error = capsys.readouterr().err
    if not ids:
        assert "negative" in error and "--ids" not in error
        return
    assert f"--ids {ids} without {option_.partition(' ')[0]} takes" in error
    assert main(["components", str(path), "-q", "--header", "no", "--ids", ids]) == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--ids dense", "far.txt: no memory for the labels: .* 2 edges: --ids sparse numbers the ids that occur"),
        ("--devices abacus", "--devices has 'abacus'; a processor is"),
        ("--devices cpu,cpu --device cpu", "--devices divides the work among processors, and the engine cpu does not"),
        ("--threads 99999", "99999 threads: at most 65535 run"),
    ],
)
def test_options_of_a_run_are_those_of_the_command_line(
    options: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "far.txt"
    path.write_text("0 1\n5 1000000000000\n")
    for command in ("components", "forest"):
        assert main([command, str(path), "-q", *options.split()]) == 2
        error = capsys.readouterr().err
        assert re.search(problem, error) and not PYTHON.search(error), error


def test_the_encoding_of_a_name_is_an_option_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.csv"
    path.write_bytes("src,dst\nann,René\n".encode("latin-1"))
    assert main(["components", str(path), "-q"]) == 2
    assert "not UTF-8 in a name (--encoding reads other encodings)" in capsys.readouterr().err
    assert main(["components", str(path), "-q", "--encoding", "latin-1"]) == 0
    with pytest.raises(InputError, match="encoding= reads other"):
        landbridge.Graph(path)


def test_words_of_the_caller_are_no_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names of files and of columns, and values, that read as options do."""
    path = tmp_path / "header=True, ids='names'.csv"
    path.write_text("columns=(0, 1);x\ncomment=''\n", encoding="utf-8")
    assert main(["components", str(path), "-q"]) == 2
    error = capsys.readouterr().err
    assert str(path) in error and "comment=''" in error
    with pytest.raises(InputError) as caught:
        landbridge.Graph(path)
    assert str(path) in str(caught.value)


def test_a_caller_of_python_is_told_no_option_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    for text, _ in QUESTIONS:
        path.write_text(text)
        for options in ({}, {"base": 1}):
            try:
                landbridge.Graph(path, **options)
            except InputError as error:
                assert " --" not in str(error) and "(--" not in str(error)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_formats_are_named_by_words_of_a_shell(name: str) -> None:
    with as_on_command_line():
        assert spelled(format=name) == f"--format {name}"


def test_a_matrix_of_names_beside_a_base_is_read_as_edges_without_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.csv"
    path.write_text('"","V1","V2","V3"\n"V1",0,1,0\n"V2",1,0,1\n"V3",0,1,0\n')
    assert main(["components", str(path), "-q", "--base", "1"]) == 2
    ways = "--header yes --columns 0,1 --ids names"
    assert f"; {ways} without --base takes the first two columns as edges" in capsys.readouterr().err
    assert main(["components", str(path), "-q", *ways.split()]) == 0


def test_columns_that_cannot_be_named_are_numbered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the command line those with a comma or of digits; anywhere those of a long name."""
    path = tmp_path / "g.csv"
    for first, numbered in (("alpha", False), ('"al,pha"', True), ("7", True), ("a" * 70, True)):
        path.write_text(f"{first},beta,delta\n1,2,3\n2,3,4\n")
        assert main(["components", str(path), "-q", "--header", "yes"]) == 2
        error = capsys.readouterr().err
        (way,) = PROPOSAL.findall(error.replace(str(path), ""))
        assert (re.fullmatch(r"--columns \d,\d", way) is not None) == numbered, error
        assert main(["components", str(path), "-q", "--header", "yes", *shlex.split(way)]) == 0
        capsys.readouterr()
