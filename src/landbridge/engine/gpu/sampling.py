"""A sampling before the finish, and the choice of the tree that the finish skips."""

from __future__ import annotations

from landbridge.device import kernels
from landbridge.engine.gpu.components_run import COVERAGE, ComponentsRun
from landbridge.engine.gpu.csr import add_rows
from landbridge.engine.gpu.samplings import SAMPLINGS, Sampled
from landbridge.engine.gpu.schedule import MANY
from landbridge.plan import Sample

# Of adaptive runs, read off measurements of all plans on families of graphs.
LARGE = COVERAGE // 2  # coverage of the largest tree below which more is sampled
SOME = COVERAGE // 8  # coverage below which nothing is skipped
MORE, MORE_FROM = 2, 5.0  # further edges of each row outside, and the edges per vertex from which they are few


def add_sampling(run: ComponentsRun, rule: kernels.Rule, sample: Sample, *, stars: bool = False) -> Sampled:
    """Sample under a rule, and choose the tree to skip. stars: leave every parent a root."""
    sampled = SAMPLINGS[sample.name](run, rule, sample)
    if not sampled.chose:
        _choose(run, rule, sampled, stars)
    return sampled


def _choose(run: ComponentsRun, rule: kernels.Rule, sampled: Sampled, stars: bool) -> None:
    if rule.ranked:
        run.repeated += [run.flatten_ranked("skip", rule), run.choose_skip()]
    elif stars or not run.symmetric:
        # Rounds begin with stars, and members are marked by their parents.
        run.repeated += [run.flatten("skip"), run.choose_skip()]
    else:
        run.repeated += [run.choose_skip(), run.flatten("skip", if_deep=True)]
        more = run.schedule.adapt and run.m > MORE_FROM * run.n
        if more:
            if run.m >= MANY:  # a long path hides the coverage from the first choice
                run.repeated.append(run.choose_skip(again=True))
            add_rows(
                run, rule, "skip", pick="outside", first=sampled.read, limit=MORE,
                run_if="coverage_below", bound=LARGE,
            )  # fmt: skip
        run.repeated.append(run.choose_skip(again=True, below=LARGE if more else 0))
