"""Laws of the plan language: text and plan are one thing, and any other text is refused in one line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from landbridge.errors import InvalidCombination, InvalidPlan
from landbridge.plan import Engine, Finish, Parameter, Plan, Sample, parse, registry
from landbridge.plan.engines import ENGINES


def values(parameter: Parameter) -> st.SearchStrategy[Any]:
    if parameter.kind == "word":
        return st.sampled_from(parameter.choices)
    low = parameter.minimum if parameter.minimum is not None else 0
    high = parameter.maximum if parameter.maximum is not None else 2**31 - 1
    if parameter.kind == "int":
        return st.integers(int(low), int(high))
    return st.floats(float(low), float(high), allow_nan=False)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Any valid plan: every parameter and option drawn over its whole range."""
    table = registry()
    sample: Sample | None = None
    stages: float | None = None
    if draw(st.integers(0, 9)) == 0:
        variant = draw(st.sampled_from([v for v in table.variants() if v.valid]))
        words = dict(variant.words)
        numbers = [p for p in table.axis("finish")[variant.name].parameters if p.kind != "word"]
        finish = Finish(variant.name, values=(*words.items(), *((p.name, draw(values(p))) for p in numbers)))
        if "stages" in finish.traits and draw(st.booleans()):
            finish = replace(finish, stages=draw(st.floats(0, 1e9, exclude_min=True)))
        elif "samples" in finish.traits and draw(st.booleans()):
            policy = draw(st.sampled_from(list(table.axis("sample").values())))
            sample = Sample(policy.name, tuple((p.name, draw(values(p))) for p in policy.parameters))
    else:
        cell = draw(st.sampled_from([c for c in table.combinations() if c.valid]))
        kind = draw(st.sampled_from(["plain", "sampled", "staged"]))
        if kind == "sampled":
            policy = draw(st.sampled_from(list(table.axis("sample").values())))
            sample = Sample(policy.name, tuple((p.name, draw(values(p))) for p in policy.parameters))
        if kind == "staged":
            stages = draw(st.floats(0, 1e9, exclude_min=True))
        finish = Finish(cell.link, cell.find, cell.splice, stages)
    engine = None
    if draw(st.booleans()):
        engines = table.axis("finish")[finish.link].engines if finish.standalone else tuple(ENGINES)
        name = draw(st.sampled_from(sorted(engines)))
        options = [(p.name, draw(values(p))) for p in ENGINES[name].options if draw(st.booleans())]
        fixed = Plan(sample, finish).layout
        options = [(n, fixed if n == "layout" and fixed else v) for n, v in draw(st.permutations(options))]
        try:
            return Plan(sample, finish, Engine(name, tuple(options)))
        except InvalidCombination as error:
            assert "would have no effect" in str(error)
            needing = dict(ENGINES[name].needs)
            known = {p.name: p for p in ENGINES[name].options}
            free = [(n, "off" if n in needing else v) for n, v in options if n not in needing or known[n].choices]
            engine = Engine(name, tuple(free))
    return Plan(sample, finish, engine)


@given(plans())
def test_text_and_plan_are_one(plan: Plan) -> None:
    assert parse(str(plan)) == plan


@given(plans(), st.data())
def test_spaces_between_words_mean_nothing(plan: Plan, data: st.DataObject) -> None:
    text = str(plan)
    for mark in "(),+@=":
        if data.draw(st.booleans()):
            text = text.replace(mark, f" {mark}  ") if mark != "+" else text
    assert parse(text) == plan


@given(plans(), plans())
def test_different_plans_have_different_texts(one: Plan, other: Plan) -> None:
    assert (one == other) == (str(one) == str(other))


@given(st.text(max_size=60) | st.text(alphabet="akoutsync2.()+,=@:e-1 ", max_size=40))
def test_any_text_is_a_plan_or_refused_in_one_line(text: str) -> None:
    try:
        plan = parse(text)
    except InvalidPlan as refused:
        assert "\n" not in str(refused)
    else:
        assert parse(str(plan)) == plan


@given(plans(), st.integers(0, 80), st.sampled_from(list("()+,=@:.x0 ")))
def test_a_damaged_text_is_a_plan_or_refused(plan: Plan, at: int, damage: str) -> None:
    text = str(plan)
    damaged = text[:at] + damage + text[at + 1 :]
    try:
        assert str(parse(str(parse(damaged)))) == str(parse(damaged))
    except InvalidPlan as refused:
        assert "\n" not in str(refused)
