"""What runs of all plans of list ranking share: the survey, predecessors, and what is read between the launches."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

from landbridge import _core
from landbridge.device.list_kernels import Number
from landbridge.device.timeline import Timeline
from landbridge.edges.successors import ScanSpec
from landbridge.engine.gpu.launch_list import Device, Launch
from landbridge.engine.gpu.list_sets import IndependentSets
from landbridge.engine.gpu.list_steps import Array, ListSteps, MarkedWalks
from landbridge.engine.gpu.one_list import OneAnswer, OneList
from landbridge.plan import RankPlan
from landbridge.result import Profile

Answer = tuple[Array, Array | None]
"""A value for each element and, where it is requested, an end of its list."""


class InvalidListsError(Exception):
    """The successors are no lists; the host finds the element that proves it."""


class Algorithm(Protocol):
    """How the plans of one name rank lists: a row of `landbridge.engine.gpu.list_plans.ALGORITHMS`."""

    def rank(self, run: ListRun, scan: ScanSpec) -> Answer:
        """Links between elements and an end of their list. Raises InvalidListsError."""

    def scan(self, run: ListRun, values: Array, scan: ScanSpec) -> Answer:
        """Values combined between elements and an end of their list, as lb::core::scan_lists. Raises
        InvalidListsError, and InputError for integer sums that 64 bits may not hold."""


class ListTimeline(Timeline):
    """When the phases ended, from `start` on; a run of one launch need not start. idle: the share of the phase "remove"
    in which the device waited for random bits."""

    __slots__ = ("idle",)

    def __init__(self) -> None:
        super().__init__(started=False)
        self.idle: float | None = None

    def profile(self, threads: int, skipped: float = 0.0) -> Profile:
        profile = super().profile(threads, skipped)
        if self.idle is None:
            return profile
        seconds = dict(profile.seconds)
        return replace(profile, seconds=seconds | {"idle": self.idle * seconds["remove"]})


class Submitter(Protocol):
    """Takes launches as they are appended, as `landbridge.engine.gpu.execute.Submission`."""

    def __call__(self, launch: Launch) -> None: ...
    def end(self) -> None:
        """What was queued since the last event belongs to the phase of the last launch."""


class Host(Protocol):
    """What the host does for a run beside appending launches. With one that only counts, the same runs yield the
    estimate of memory.

    cupy: CuPy's functions on arrays of the device.
    """

    @property
    def device(self) -> Device: ...
    @property
    def cupy(self) -> Any: ...
    def submission(self, timeline: ListTimeline | None) -> Submitter:
        """Where the launches of a run go."""

    def read(self, steps: ListSteps) -> dict[str, int]:
        """The words of the control block after all launches so far."""

    def rank_one(self, one: OneList) -> OneAnswer:
        """Rank a single list by one launch."""

    def place_sublists(self, walks: MarkedWalks, op: str) -> tuple[Array, Array]:
        """Of each sublist the first one of its list, with `end_bit`, and what lies before it: ranked by the CPU."""

    def remove(
        self, sets: IndependentSets, rounds: int, seed: int, *, draws_bits: bool
    ) -> tuple[list[int], float | None]:
        """Run the rounds of removals: how many elements are left before the first and after each, and the share of the
        time in which the device waited for bits where the CPU draws them."""


class ListRun:
    """One run of a plan over one array of successors. Not for use by two threads at once.

    timeline: records an event after each phase; None where the phases belong to another run. narrow: whether elements
    of the result have 32 bits. tails: the number of lists. Methods raise InvalidListsError.
    """

    def __init__(self, host: Host, successor: Array, plan: RankPlan, timeline: ListTimeline | None) -> None:
        self.host, self.cupy, self.device = host, host.cupy, host.device
        self.plan, self.timeline, self.successor, self.n = plan, timeline, successor, len(successor)
        self.narrow = self.n < 2**31 and plan.option("ids", "") != "wide"
        self.seed = plan.option("seed", 1)
        self._survey: dict[str, int] | None = None
        self._launched = False

    def over(self, successor: Array, plan: RankPlan | None = None, *, timed: bool = False) -> ListRun:
        """A run over other successors, of the same plan if no other is named. timed: its phases count as those of this
        run."""
        return ListRun(self.host, successor, plan or self.plan, self.timeline if timed else None)

    @cached_property
    def _submission(self) -> Submitter:
        if self.timeline is not None:
            self.timeline.start()
        return self.host.submission(self.timeline)

    @cached_property
    def first_steps(self) -> ListSteps:
        """The steps over the successors, of which the first is the survey."""
        element: Number = "int32" if self.narrow else "int64"
        return ListSteps(self.device, self.successor, element, self._submission)

    def rank_one(self, one: OneList) -> OneAnswer:
        """See `Host`. The survey is read then."""
        answer = self.host.rank_one(one)
        self.take_survey(answer[-1])
        return answer

    # the survey -------------------------------------------------------------------------------------------------------

    def launch_survey(self) -> None:
        """Queue the survey if it has not been queued."""
        if not self._launched and self._survey is None:
            self._launched = True
            self.first_steps.survey(self.first_steps.launches())

    def take_survey(self, words: dict[str, int]) -> dict[str, int]:
        """The words of a survey that has been read, which are in order."""
        self._survey = words
        if words["out_of_range"] or not words["tails"]:
            raise InvalidListsError
        return words

    @property
    def survey(self) -> dict[str, int]:
        """The words of the survey. Waits for it if nothing has been read yet."""
        if self._survey is not None:
            return self._survey
        self.launch_survey()
        return self.take_survey(self.read())

    @property
    def surveyed(self) -> bool:
        """Whether the survey has been read."""
        return self._survey is not None

    @property
    def tails(self) -> int:
        return self.survey["tails"]

    @property
    def steps(self) -> ListSteps:
        """The steps, which may follow the successors: the survey has been read, and all are in range.

        `first_steps` are the same before the survey.
        """
        _ = self.survey
        return self.first_steps

    # what is read -----------------------------------------------------------------------------------------------------

    def read(self) -> dict[str, int]:
        """The words of the control block after all launches so far."""
        self._submission.end()
        return self.host.read(self.first_steps)

    def read_checked(self) -> dict[str, int]:
        """The same; the kernels must not have found that the successors are no lists."""
        words = self.read()
        if words["invalid"]:
            raise InvalidListsError
        return words

    def require_arrival(self, rounds: int) -> None:
        """Every element has reached an end before the last round of jumps: no list is a cycle."""
        if self.read_checked()["moving"] == rounds:
            raise InvalidListsError

    def record(self, phase: str) -> None:
        """What was queued since the last event belongs to this phase."""
        self._submission.end()
        if self.timeline is not None:
            self.timeline.record(phase)

    def end_phase(self) -> None:
        """What was queued since the last event belongs to the phase of the last launch."""
        self._submission.end()

    # steps of several algorithms --------------------------------------------------------------------------------------

    def strategy(self, name: str) -> Any:
        """Where a plan of this name has splitters, and how many rounds it takes; as on the CPU."""
        return _core.list_strategy(_core.ListPlan(name, dict(self.plan.values), self.seed, 1), self.n)

    def check_predecessors(self) -> None:
        """Queue the check that no element has two predecessors; `read_checked` raises if one has."""
        self.steps.mark_predecessors(self.steps.launches(), "check")

    def predecessors(self) -> Array:
        """-1 at heads."""
        launches = self.steps.launches()
        predecessor = self.steps.find_predecessors(launches)
        self.read_checked()
        return predecessor

    def is_tail(self) -> Array:
        own = self.cupy.arange(self.n, dtype=self.successor.dtype)
        return (self.successor == own) | (self.successor == -1)
