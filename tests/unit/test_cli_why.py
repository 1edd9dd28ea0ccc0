"""The command that says why two vertices are in one component."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import landbridge
from landbridge.cli import main

ROWS = ["2024-01-01,3,ann,bob,0.5", "2024-01-01,4,bob,cy,0.6", "2024-01-02,9,ann,cy,0.1", "2024-01-02,1,dan,eve,1"]
TABLE = "\n".join(["when,weight,x,y,score", *ROWS, ""])
COLUMNS = ["--columns", "x,y"]


@pytest.mark.parametrize("more", [[], COLUMNS, ["--columns", "2,3", "--header", "yes", "--delimiter", "comma"]])
@pytest.mark.parametrize(("score", "edges"), [("score", [0, 1]), ("weight", [2])])
def test_the_path_is_that_of_the_library(
    more: list[str], score: str, edges: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    expected = landbridge.why(path, "ann", "cy", score=score, columns=("x", "y"))
    assert main(["why", str(path), "ann", "cy", "--score", score, "-q", *more]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert (head, [int(line.split("\t")[2]) for line in lines]) == ("u\tv\tedge\tscore", edges)
    assert expected.edge.tolist() == edges
    assert main(["why", str(path), "ann", "cy", "--score", score, "--json", "-q", *more]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["connected"], answer["vertices"]) == (True, expected.vertices.tolist())
    assert [row["edge"] for row in answer["path"]] == edges
    assert (answer["ids"], answer["edges"], answer["file"]) == ("names", 4, str(path))


@pytest.mark.parametrize(("more", "ids"), [([], (2, 7)), (["--base", "1"], (2, 7)), (["--ids", "names"], ("2", "7"))])
def test_ids_are_those_of_the_file(
    more: list[str], ids: tuple[int | str, int | str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.txt"
    path.write_text("2 3\n3 7\n9 8\n")
    assert main(["why", str(path), "2", "7", "--json", *more]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["vertices"] == [ids[0], type(ids[0])(3), ids[1]]
    assert {(row["u"], row["v"]) for row in answer["path"]} == {(ids[0], type(ids[0])(3)), (type(ids[0])(3), ids[1])}
    for start, stop in (("2", "9"), ("8", "3")):
        assert main(["why", str(path), start, stop, *more]) == 0
        assert capsys.readouterr().out == f"{start} and {stop} are not connected\n"
    assert main(["why", str(path), "2", "33", *more]) == 2
    assert capsys.readouterr().err.endswith(f"landbridge: {path}: there is no vertex 33\n")


def test_text_among_numbers_is_refused_with_what_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.txt"
    path.write_text("2 3\n3 7\n")
    assert main(["why", str(path), "ann", "7"]) == 2
    problem = "landbridge: ids are whole numbers here, and 'ann' is none; --ids names takes text\n"
    assert capsys.readouterr().err == problem


def test_a_score_of_text_without_a_header_is_a_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.csv"
    path.write_text("2024;3;ann;bob;0.5\n2024;4;bob;cy;0.6\n")
    assert main(["why", str(path), "ann", "cy", "--columns", "2,3", "--score", "4", "-q"]) == 0
    assert capsys.readouterr().out == "u\tv\tedge\tscore\nann\tbob\t0\t0.5\nbob\tcy\t1\t0.6\n"
    assert main(["why", str(path), "ann", "cy", "--columns", "2,3", "--score", "7"]) == 2
    assert "there is no column 7; the text has 5, from 0" in capsys.readouterr().err


def test_negative_ids_stand_behind_two_dashes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.txt"
    path.write_text("-3 4\n4 7\n")
    assert main(["why", str(path), "-q", "--ids", "names", "--", "-3", "7"]) == 0
    assert capsys.readouterr().out == "u\tv\tedge\n-3\t4\t0\n4\t7\t1\n"
    assert main(["why", "--help"]) == 0
    assert "-- stands before negative ids" in " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_digits_of_other_scripts_are_no_whole_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They were the number that they stand for."""
    path = tmp_path / "g.txt"
    path.write_text("2 3\n3 7\n")
    assert main(["why", str(path), "\u0662", "7"]) == 2
    assert "ids are whole numbers here, and '\u0662' is none" in capsys.readouterr().err


def test_a_number_in_another_form_is_no_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """01 and +1 were the id 1."""
    path = tmp_path / "g.csv"
    path.write_text("1,2\n2,3\n")
    assert main(["why", str(path), "01", "3"]) == 2
    assert "'01' begins with zeros: ids are whole numbers here, as 1 is" in capsys.readouterr().err
    assert main(["why", str(path), "+1", "3"]) == 2
    assert "ids are whole numbers here, and '+1' is none" in capsys.readouterr().err
    for options in (["--ids", "sparse"], ["--ids", "dense"], ["--num-vertices", "4"], ["--base", "1"]):
        assert main(["why", str(path), "01", "3", "-q", *options]) == 0
    assert main(["why", str(path), "01", "3", "-q", "--ids", "names"]) == 2
    assert "there is no vertex 01" in capsys.readouterr().err
