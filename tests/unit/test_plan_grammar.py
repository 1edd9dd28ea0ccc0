"""The language of plans: what is read, the one text that is written, and what errors say."""

from __future__ import annotations

import pytest

from landbridge.errors import InvalidCombination, InvalidPlan
from landbridge.plan import ALIASES, Engine, Finish, Plan, Sample, parse, registry
from landbridge.plan.engines import ENGINES
from landbridge.plan.model import NEEDS


@pytest.mark.parametrize(
    "text",
    [
        "kout(2)+rem_cas(naive,split_one)",
        "kout(2,pure)+async(halve)",
        "hb(4)+ecl(naive)",
        "bfs+early(split)",
        "ldd(0.2)+jtb(two_try)",
        "bfscc",
        "stages(rem_cas(naive,split_one),q=0.5)",
        "stages(hooks(compress),q=2)",
        "async(halve)@cpu",
        "async(halve)@cpu(layout=coo,threads=8)",
        "kout(2)+afforest(naive)@cpu(layout=csr,seed=0,threads=1)",
    ],
)
def test_canonical_text_is_its_own_canonical_text(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        # spaces, defaults, keywords, order of engine options
        (" kout ( 2 ) + rem_cas ( naive , split_one ) @ cpu ( threads = 8 , layout = csr ) ",
         "kout(2)+rem_cas(naive,split_one)@cpu(layout=csr,threads=8)"),
        ("kout+async", "kout(2)+async(naive)"),
        ("kout(choice=pure,k=3)+async(find=halve)", "kout(3,pure)+async(halve)"),
        ("kout(2,first)+async(halve)", "kout(2)+async(halve)"),
        ("kout(4,choice=hybrid)+jtb", "kout(4,hybrid)+jtb(two_try)"),
        ("rem_cas", "rem_cas(naive,split_one)"),
        ("rem_lock(halve)", "rem_lock(halve,split_one)"),
        ("rem_cas(splice=halve_one)", "rem_cas(naive,halve_one)"),
        ("none+ecl()", "ecl(naive)"),
        ("hb+async", "hb(4)+async(naive)"),
        ("ldd+async", "ldd(0.2)+async(naive)"),
        ("ldd(1)+async", "ldd(1)+async(naive)"),
        ("async@cpu()", "async(naive)@cpu"),
        ("stages(async(halve))", "stages(async(halve),q=0.5)"),
        ("stages(async(halve),1e-3)", "stages(async(halve),q=0.001)"),
        # the short codes of the papers' tables
        ("kout2+rc.h1.n", "kout(2)+rem_cas(naive,halve_one)"),
        ("kout2+as.c", "kout(2)+async(compress)"),
        ("hb4+as.c", "hb(4)+async(compress)"),
        ("hb4+rc.h1.n", "hb(4)+rem_cas(naive,halve_one)"),
        ("none+jt.2", "jtb(two_try)"),
        ("as.h:coo", "async(halve)@cpu(layout=coo)"),
        ("bfs+as.h:csr", "bfs+async(halve)@cpu(layout=csr)"),
        ("rc.s1.n:staged0.5", "stages(rem_cas(naive,split_one),q=0.5)@cpu(layout=coo)"),
        ("rl.sa.s:staged", "stages(rem_lock(split,splice),q=0.5)@cpu(layout=coo)"),
        ("kout2p+hk.s", "kout(2,pure)+hooks(split)"),
        ("k+as.h", "kout(2)+async(halve)"),
        ("k(3,pure)+async(naive)", "kout(3,pure)+async(naive)"),
        ("h(2)+rem_cas", "hb(2)+rem_cas(naive,split_one)"),
        ("b()+as.c", "bfs+async(compress)"),
        ("l(beta=0.3)+jt.2", "ldd(0.3)+jtb(two_try)"),
        ("kouth+ea.e", "kout(2,hybrid)+early(inter)"),
        ("kout3m+af.n", "kout(3,max_degree)+afforest(naive)"),
        ("ldd0.25+ec.e", "ldd(0.25)+ecl(inter)"),
        ("as.h:coo@cpu(threads=2)", "async(halve)@cpu(layout=coo,threads=2)"),
        ("sv", "shiloach_vishkin"),
        ("kout2+st", "kout(2)+stergiou"),
        ("lp", "label_propagation"),
        ("lp(frontier)", "label_propagation(frontier)"),
        ("label_propagation(emit=all)", "label_propagation"),
        ("lt-PRS:coo", "lt(parent,root,once)@cpu(layout=coo)"),
        ("lt-CUFA:staged", "stages(lt(direct,any,full,alter),q=0.5)@cpu(layout=coo)"),
        ("lt(alter=alter,shortcut=full,update=any,connect=extended)", "lt(extended,any,full,alter)"),
        ("hb+lt-EUS", "hb(4)+lt(extended,any,once)"),
        ("stages(as.h,q=1)", "stages(async(halve),q=1)"),
        # a link that shares its name with a historic system
        ("afforest", "kout(2)+afforest(compress)"),
        ("afforest@cpu(threads=2)", "kout(2)+afforest(compress)@cpu(threads=2)"),
        ("none+afforest", "afforest(naive)"),
        ("hb+afforest", "hb(4)+afforest(naive)"),
        ("afforest(halve)", "afforest(halve)"),
        ("stages(afforest)", "stages(afforest(naive),q=0.5)"),
    ],
)  # fmt: skip
def test_other_spellings_mean_one_canonical_text(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


def test_every_code_of_the_registry_reads_back() -> None:
    table = registry()
    for cell in table.combinations():
        parts = [("link", cell.link), ("splice", cell.splice), ("find", cell.find)]
        code = ".".join(table.axis(axis)[name].code for axis, name in parts if name)
        if cell.valid:
            assert parse(code) == Plan(None, Finish(cell.link, cell.find, cell.splice))
        else:
            with pytest.raises(InvalidCombination) as caught:
                parse(code)
            assert str(caught.value).endswith(cell.reason)


def test_every_choice_of_words_reads_back_from_its_letters() -> None:
    table = registry()
    for variant in table.variants():
        policy, words = table.axis("finish")[variant.name], dict(variant.words)
        spoken = [p for p in policy.parameters if p.kind == "word"]
        codes = [dict(zip(p.choices, p.codes, strict=True))[words[p.name]] for p in spoken]
        if any(not c and words[p.name] != p.default for c, p in zip(codes, spoken, strict=True)):
            continue
        text = policy.code + ("-" if any(codes) else "") + "".join(codes)
        if variant.valid:
            assert parse(text) == Plan(None, Finish(variant.name, values=variant.words))
        else:
            with pytest.raises(InvalidCombination, match=r"^lt\(") as caught:
                parse(text)
            assert str(caught.value).endswith(variant.reason)


def test_every_historic_name_is_documented_and_is_its_plan() -> None:
    for name, alias in ALIASES.items():
        assert name == alias.name
        assert alias.source
        assert alias.deviation
        assert str(parse(name)) == alias.plan
        if not alias.arguments:
            assert str(parse(f"{name}@cpu(threads=3)")) == f"{alias.plan}@cpu(threads=3)"


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "expected a plan, found the end"),
        ("kout(2)+", 9, "expected a finish, found the end"),
        ("kout(2", 7, "expected ',' or ')'"),
        ("kout(2))+async", 8, "found ')'"),
        ("async halve", 7, "found 'halve'"),
        ("kout(2)+rem_cas(naiv,split_one)", 17, "unknown find 'naiv'; did you mean 'naive'?"),
        ("rem_cas(split_one)", 9, "unknown find 'split_one'; it is a splice"),
        ("rem_cas(naive,halve)", 15, "unknown splice 'halve'; it is a find"),
        ("kot+async", 1, "unknown sampling 'kot'; did you mean 'kout'?"),
        ("asinc", 1, "unknown finish 'asinc'; did you mean 'async'?"),
        ("ASYNC", 1, "did you mean 'async'?"),
        (" auto@cpu", 2, "unknown finish 'auto'; 'auto' is a plan of its own"),
        ("kout", 1, "'kout' is a sampling and needs a finish"),
        ("kout2p", 1, "'kout2p' is a sampling and needs a finish: kout2p+async(halve)"),
        ("kout(2)+kout(2)", 9, "'kout' is a sampling and cannot be the finish; async(halve) can"),
        ("kout(2)+k(2)", 9, "'k' is a sampling and cannot be the finish"),
        ("k2+h", 4, "'h' is a sampling and cannot be the finish"),
        ("stages(kout)", 8, "'kout' is a sampling and cannot be the finish"),
        ("kout+hb+async", 8, "a plan has one '+': between its sampling and its finish"),
        ("kout(0)+async", 6, "k is at least 1, not 0"),
        ("kout(-3)+async", 6, "k is at least 1, not -3"),
        ("kout(2.5)+async", 6, "k is a whole number, not 2.5"),
        ("kout2.5+async", 5, "k is a whole number, not 2.5"),
        ("kout(2,impure)+async", 8, "unknown choice 'impure'; did you mean 'pure'?"),
        ("kout(2,pure,3)+async", 13, "kout takes k=2, choice="),
        ("kout(k=2,2)+async", 10, "kout takes"),
        ("kout(k=2,k=3)+async", 10, "k is given twice"),
        ("kout(j=2)+async", 6, "unknown parameter of kout 'j'"),
        ("bfs(3)+async", 5, "bfs takes no argument"),
        ("none(3)+async", 1, "none takes no argument"),
        ("ldd(1e999)+async", 5, "finite"),
        (f"kout({'9' * 41})+async", 6, "at most 40 characters"),
        ("async(find=halve,find=halve)", 18, "find is given twice"),
        ("async(halve,split_one)", 13, "async takes find, nothing more"),
        ("async(fund=halve)", 7, "unknown argument of async 'fund'; did you mean 'find'?"),
        ("async(halve(3))", 7, "expected a number or a word"),
        ("async(3)", 7, "unknown find '3'"),
        ("bfscc(naive)", 7, "bfscc takes no argument"),
        ("lt", 1, "lt: connect has to be given: direct or parent or extended"),
        ("lt(parent,root)", 1, "lt: shortcut has to be given: once or full"),
        ("lt(parent,rot,once)", 11, "unknown update 'rot'; did you mean 'root'?"),
        ("lt(parent,root,once,alter,1)", 27, "lt takes"),
        ("lt-PRX", 6, "the short code 'lt-PRX' has a letter without meaning: 'X'"),
        ("sv-P", 4, "the short code 'sv-P' has a letter without meaning: 'P'"),
        ("sv-", 1, "unknown finish 'sv-'"),
        ("async@tpu(threads=1)", 7, "unknown engine 'tpu'"),
        ("async@cpu(8)", 11, "engine options have names"),
        ("async@cpu(thread=8)", 11, "unknown option of engine cpu 'thread'; did you mean 'threads'?"),
        ("async@cpu(threads=0)", 19, "threads is at least 1, not 0"),
        ("async@cpu(threads=2,threads=2)", 21, "threads is given twice"),
        ("async@cpu(layout=cso)", 18, "unknown layout 'cso'; did you mean 'csr'?"),
        ("async@cpu(threads=many)", 19, "threads is a number, not 'many'"),
        ("kout(k=0)+async", 8, "k is at least 1, not 0"),
        ("stages", 1, "stages needs a finish first"),
        ("stages(q=1)", 1, "stages needs a finish first"),
        ("stages(stages(async))", 8, "stages cannot be nested"),
        ("stages(async,q=0)", 16, "q is greater than 0"),
        ("stages(async,p=1)", 14, "unknown parameter of stages 'p'"),
        ("stages(connectit)", 8, "is a whole plan"),
        ("kout+connectit", 6, "is a whole plan"),
        ("afforest:coo", 1, "is a whole plan"),
        ("as.x", 4, "unknown short code of a find 'x'"),
        ("kout2p+rc.x.n", 11, "unknown short code of a splice 'x'"),
        ("rc.h1.x", 7, "unknown short code of a find 'x'"),
        ("stages(as.x)", 11, "unknown short code of a find 'x'"),
        ("kout2+lt-PRX", 12, "the short code 'lt-PRX' has a letter without meaning: 'X'"),
        ("kout0p+as.h", 5, "k is at least 1, not 0"),
        ("k2.50+as.h", 2, "k is a whole number, not 2.50"),
        ("async@cpu(threads=1e3)", 19, "threads is a whole number, not 1e3"),
        ("async@cpu(threads=00)", 19, "threads is at least 1, not 00"),
        ("async@cpu(layout=1e3)", 18, "unknown layout '1e3'"),
        ("async(1e3)", 7, "unknown find '1e3'"),
        ("xx.n", 1, "unknown short code of a link 'xx'"),
        ("rc.n", 1, "the short code of rem_cas is rc.splice.find"),
        ("as.h:cco", 6, "unknown format 'cco'; did you mean 'coo'?"),
        ("as.h:coo@cpu(layout=csr)", 6, "the format says coo, the engine csr"),
        ("stages(async):staged", 15, "stages are given twice"),
        ("as.h:staged0.00", 12, "q is greater than 0, not 0.00"),
        ("async\u00e9", 6, "has no meaning here"),
        ("a(" * 12, 19, "nested too deeply"),
    ],
)
def test_an_error_names_character_word_and_remedy(text: str, column: int, words: str) -> None:
    with pytest.raises(InvalidPlan) as caught:
        parse(text)
    message = str(caught.value)
    assert f"character {column}: " in message
    assert words in message
    assert "\n" not in message
    assert caught.value.__notes__ == [f"  {text}\n  {' ' * (column - 1)}^"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("kout(2)+async@cpu(layout=coo)", "sampling needs CSR"),
        ("bfs+as.h:coo", "sampling needs CSR"),
        ("kout+stages(async)", "stages run on COO"),
        ("hb4+as.h:staged", "stages run on COO"),
        ("stages(async)@cpu(layout=csr)", "stages need COO"),
        ("bfs+bfscc", "initialises the parents itself, which would overwrite the trees of a sampling"),
        ("bfscc@cpu(layout=coo)", "bfscc visits the neighbours of vertices and needs CSR"),
        ("stages(bfscc)", "bfscc visits the neighbours of vertices and needs CSR, and stages"),
        (
            "lt-PRSA@cpu(layout=csr)",
            "lt replaces the endpoints of edges by their parents, which would destroy the rows",
        ),
        ("kout+lt-CRFA", "lt runs on COO, because it replaces the endpoints of edges"),
        ("lt-CUS", "direct connect offers an endpoint to the other endpoint, not its label"),
        ("lt-PRSA:csr", "lt replaces the endpoints of edges"),
        ("kout+sv:coo", "sampling needs CSR"),
        ("afforest@cpu(layout=coo)", "sampling needs CSR"),
        ("bfscc@cpu(climb=on)", "climb=on would have no effect: it is about links that go by steps"),
        ("async(halve)@cpu(climb=on)", "climb=on would have no effect: it is about links that go by steps"),
        (
            "rem_cas(halve,split_one)@cpu(owners=on)",
            "owners=on would have no effect: it is about links that go by steps",
        ),
        ("sv@cpu(owners=on)", "owners=on would have no effect: it is about links that go by steps"),
        ("stages(rem_cas)@cpu(owners=on)", "it is about one pass over all edges, and stages take groups"),
        (
            "rem_cas@cpu(adapt=on)",
            "adapt=on would have no effect: it is about what a sampling leaves, and there is none",
        ),
        ("kout+sv@cpu(adapt=on)", "it is about edges that a link unites, and shiloach_vishkin is no link"),
        ("sv@cpu(skip=tree)", "it is about edges that a link unites, and shiloach_vishkin is no link"),
        ("kout+async@cpu(skip=tree)", "it is about edges of a COO edge list or a stream, and this plan needs CSR"),
        ("async@cpu(layout=csr,skip=tree)", "it is about edges of a COO edge list or a stream"),
        ("stages(async)@cpu(skip=tree)", "skip=tree would have no effect: it is about one pass over all edges"),
        ("jtb@cpu(skip=tree)", "it is about parents, and the cells of jtb hold ranks"),
        ("bfscc@cpu(seed=3)", "seed=3 would have no effect: it is about random choices, of samplings and low-diameter"),
        ("jtb@cpu(seed=1)", "seed=1 would have no effect: it is about random choices"),
    ],
)
def test_parts_that_do_not_go_together_say_why(text: str, reason: str) -> None:
    with pytest.raises(InvalidCombination) as caught:
        parse(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_are_taken_where_they_can_act_and_where_they_are_off() -> None:
    for text in (
        "rem_cas(naive,splice)@cpu(climb=on,owners=on,skip=tree)",
        "kout(2)+rem_cas(naive,split_one)@cpu(adapt=on,climb=on,owners=on)",
        "kout(2)+shiloach_vishkin@cpu(climb=on,owners=on)",  # the sampling is united by a link that goes by steps
        "stages(rem_cas(naive,split_one),q=0.5)@cpu(climb=on)",
        "async(inter)@cpu(skip=tree)",
        "bfscc@cpu(adapt=off,climb=off,owners=off,skip=off)",
        "bfs+async(halve)@cpu(seed=3)",  # the largest tree is looked for at random vertices
        "ndhybrid(0.2)@cpu(seed=3)",
    ):
        assert str(parse(text)) == text


def test_every_need_of_an_option_has_its_words() -> None:
    for kind in ENGINES.values():
        known = {p.name: p for p in kind.options}
        for option, words in kind.needs:
            assert known[option].kind == "int" or "off" in known[option].choices
            assert words and set(words) <= set(NEEDS)
        assert {option for option, _ in kind.whole_graph_options} <= set(known)


def test_every_forbidden_combination_raises_with_its_reason() -> None:
    forbidden = [cell for cell in registry().combinations() if not cell.valid]
    assert forbidden
    for cell in forbidden:
        arguments = ",".join(name for name in (cell.find, cell.splice) if name)
        with pytest.raises(InvalidCombination) as caught:
            parse(f"{cell.link}({arguments})")
        assert str(caught.value).endswith(cell.reason)


def test_a_plan_is_a_text_of_bounded_length() -> None:
    with pytest.raises(InvalidPlan, match="at most 1000 characters"):
        parse("a" * 1001)
    with pytest.raises(InvalidPlan, match="not int"):
        parse(3)  # type: ignore[arg-type]


def test_plans_built_by_hand_are_checked_and_completed() -> None:
    plan = Plan(Sample("kout", (("choice", "pure"),)), Finish("rem_cas"), Engine("cpu", (("threads", 2),)))
    assert str(plan) == "kout(2,pure)+rem_cas(naive,split_one)@cpu(threads=2)"
    assert plan.sample is not None
    assert (plan.sample["k"], plan.sample["choice"]) == (2, "pure")
    assert plan.engine is not None
    assert (plan.engine.get("threads"), plan.engine.get("layout")) == (2, None)
    assert plan == parse(str(plan))
    assert hash(plan) == hash(parse(str(plan)))


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("async", None),
        ("async@cpu(threads=1)", None),
        ("async@cpu(layout=coo)", "coo"),
        ("async@cpu(layout=csr)", "csr"),
        ("kout+async", "csr"),
        ("bfscc", "csr"),
        ("sv", None),
        ("lt-PRS", None),
        ("lt-PRSA", "coo"),
        ("kout+lt-PRS", "csr"),
        ("stages(sv)", "coo"),
        ("stages(async)", "coo"),
    ],
)
def test_a_plan_knows_the_layout_it_fixes(text: str, layout: str | None) -> None:
    assert parse(text).layout == layout


def test_parts_built_by_hand_refuse_what_is_unknown() -> None:
    for make in (
        lambda: Sample("kot"),
        lambda: Sample("kout", (("j", 1),)),
        lambda: Sample("kout", (("k", 1), ("k", 1))),
        lambda: Sample("kout", (("k", 0),)),
        lambda: Finish("asink"),
        lambda: Finish("async", "halv"),
        lambda: Finish("rem_cas", "naive", "split_two"),
        lambda: Finish("async", "halve", stages=-1.0),
        lambda: Engine("abacus"),
        lambda: Engine("cpu", (("beads", 1),)),
    ):
        with pytest.raises(InvalidPlan) as caught:
            make()
        assert not isinstance(caught.value, InvalidCombination)
    with pytest.raises(InvalidCombination, match="takes no find"):
        Finish("bfscc", "naive")
    with pytest.raises(InvalidCombination, match="splice"):
        Finish("async", "naive", "split_one")


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("k+as.h", "kout(2)+async(halve)"),
        ("k3m+as.h", "kout(3,max_degree)+async(halve)"),
        ("h+rc.s1.n", "hb(4)+rem_cas(naive,split_one)"),
        ("h2+as.h", "hb(2)+async(halve)"),
        ("b+as.h", "bfs+async(halve)"),
        ("l0.1+as.h", "ldd(0.1)+async(halve)"),
    ],
)
def test_samplings_are_read_by_their_codes(short: str, long: str) -> None:
    assert parse(short) == parse(long)


def test_every_sampling_of_the_registry_is_read_by_its_code() -> None:
    for policy in registry().axis("sample").values():
        assert parse(f"{policy.code}+as.h") == parse(f"{policy.name}+as.h")
