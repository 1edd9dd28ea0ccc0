"""Every rule names its source, and the source is in the bibliography."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from landbridge.plan import Policy, registry

ROOT = Path(__file__).resolve().parents[2]
BIBLIOGRAPHY = ROOT / "REFERENCES.bib"


@pytest.mark.parametrize("policy", registry().policies(), ids=lambda p: f"{p.axis}-{p.name}")
def test_the_source_of_every_rule_is_listed(policy: Policy) -> None:
    keys = re.findall(r"^@\w+\{([^,\s]+),", BIBLIOGRAPHY.read_text(), flags=re.MULTILINE)
    assert policy.reference in keys


def test_keys_are_unique() -> None:
    keys = re.findall(r"^@\w+\{([^,\s]+),", BIBLIOGRAPHY.read_text(), flags=re.MULTILINE)
    assert len(set(keys)) == len(keys)
    assert keys


def test_the_table_is_compiled_from_the_one_list() -> None:
    table = (ROOT / "include/landbridge/policy/registry.def").read_text()
    rows = re.findall(r"^LB_(SAMPLE|FIND|SPLICE|LINK|FINISH|ROUND|RANK)\((\w+),", table, flags=re.MULTILINE)
    axes = {"ROUND": "finish"}  # a standalone algorithm to the plan language
    written = {(axes.get(axis, axis.lower()), name) for axis, name in rows}
    assert written == {(p.axis, p.name) for p in registry().policies()}
