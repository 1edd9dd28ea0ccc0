"""A run on any engine: first pass, plan, method, names, check."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from landbridge.cluster import contraction, naming, sampling, tasks, verifying
from landbridge.cluster.engines import MessageEngine, Source
from landbridge.cluster.forests import bytes_per_row
from landbridge.cluster.keys import IdType, id_type
from landbridge.cluster.messages import Kind
from landbridge.cluster.planning import (
    FAN_IN,
    METHODS,
    ClusterPlan,
    choose,
    contraction_owners,
    facts_of,
    levels,
    members_pay,
    owners,
)
from landbridge.cluster.trees import FORESTS
from landbridge.cluster.versions import is_of_another_version, too_many_versions, versions_of
from landbridge.errors import CheckFailed, InputError
from landbridge.flags import flag

_log = logging.getLogger("landbridge.cluster")
_MOST_ROUNDS = 64
_REPEATS = 3


@dataclass(frozen=True)
class RunOptions:
    """What a call says. names: of the two columns of the result. threads: of one task."""

    names: tuple[str, str] = ("id", "component")
    method: str = "auto"
    min_size: int = 1
    check: bool = False
    threads: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.min_size, int) or self.min_size < 1:
            raise InputError(f"min_size must be a whole number of at least 1, not {self.min_size!r}")
        if self.method not in METHODS:
            raise InputError(f"method must be one of {', '.join(METHODS)}, not {self.method!r}")
        flag("check", self.check)
        if self.names[0] == self.names[1]:
            raise InputError(f"both columns of the result are called {self.names[0]!r}")


def edges_of(
    src: Any,
    dst: Any,
    names: tuple[str, str] = ("src", "dst"),
    vertices: tuple[str, Any] | None = None,
    words: Mapping[str, str] | None = None,
) -> tasks.EdgeReader:
    """How the columns of edges are read, from their types in Arrow. vertices: the column of vertices, and its type.
    words: as for `id_type`. Raises InputError, as `id_type` does, and for one column twice."""
    if names[0] == names[1]:
        raise InputError(f"the column {names[0]!r} is named twice; an edge is in two columns")
    columns = [(repr(name), kind) for name, kind in zip(names, (src, dst), strict=True)]
    if vertices is not None:
        columns.append((f"{vertices[0]!r} of the vertices", vertices[1]))
    ids = id_type(columns, words=words)
    return tasks.EdgeReader(replace(ids, salt=secrets.token_bytes(16)) if ids.hashed else ids, names)


@dataclass
class ClusterRun:
    """One run. reader: how edges are read."""

    engine: MessageEngine
    reader: tasks.EdgeReader
    options: RunOptions
    persisted: list[Any] = field(default_factory=list)
    links: int = 0
    versions: dict[int, int] = field(default_factory=dict)

    @property
    def ids(self) -> IdType:
        """The type of the ids."""
        return self.reader.ids

    def persist(self, data: Any) -> list[dict[str, Any]]:
        """Have the engine hold data until `close`."""
        self.persisted.append(data)
        return self.engine.persist(data)

    def close(self, held: int = 0) -> None:
        """Nothing is persisted any more but the first data, so many."""
        while len(self.persisted) > held:
            self.engine.release(self.persisted.pop())

    def repeated(self, phases: Callable[[], Any]) -> Any:
        """The result of what reads the forests of the first pass. Where edges are of another run of a task than the one
        that was counted, all of it is done again, with new counts, `_REPEATS` times at most."""
        held = len(self.persisted)
        for _ in range(_REPEATS + 1):
            self.links, self.versions = 0, {}
            try:
                return phases()
            except Exception as error:  # of whatever class an engine raises for a task
                if not is_of_another_version(error):
                    raise
                _log.info("%s", error)
            self.close(held)
        raise too_many_versions(_REPEATS)

    def first_pass(self, edges: Any, forest: bool = False) -> tuple[Any, ClusterPlan]:
        """The forests of all partitions, and the plan."""
        task = tasks.ForestOfEdges(self.reader, self.engine.memory, self.options.threads, forest)
        data = self.engine.map_partitions(edges, task)
        facts = facts_of(self.persist(data), self.engine.memory, self.engine.places)
        plan = choose(self.options.method, facts, self.ids, forest)
        _log.info("%s", plan)
        return data, plan

    def explain(self, edges: Any) -> ClusterPlan:
        """The plan, from the first pass alone."""
        try:
            return self.first_pass(edges)[1]
        finally:
            self.close()

    def components(self, edges: Any) -> Any:
        """The table of ids and components."""
        try:
            data, plan = self.first_pass(edges)
            return self.repeated(lambda: self._components(edges, data, plan))
        finally:
            self.close()

    def _components(self, edges: Any, data: Any, plan: ClusterPlan) -> Any:
        o = self.options
        joined = self.ids.hashed or (o.min_size > 1 and (o.check or plan.method == "contract"))
        parts = owners(plan.facts, self.ids, self.engine.tasks, o.check)
        if plan.method == "contract":
            parts = max(parts, contraction_owners(plan.facts, self.ids, self.engine.tasks))
            labels = self.contracted(data, parts)
        else:
            in_order = not (joined or o.check)  # else other messages meet labels at the owners of their keys
            labels = self.merged(data, plan, parts, 1 if joined else o.min_size, in_order=in_order)
        if o.check:
            self.verify(edges, labels, parts)
        if not joined:
            result = self.engine.table(labels, naming.LabelTable(self.ids, o.names), self._columns(o.names), parts)
        else:
            result = self._named(data, labels, parts)
        return result

    def spanning_forest(self, edges: Any) -> Any:
        """The table of forest edges, u and v."""
        try:
            data, plan = self.first_pass(edges, forest=True)
            return self.repeated(lambda: self._spanning_forest(data, plan))
        finally:
            self.close()

    def _spanning_forest(self, data: Any, plan: ClusterPlan) -> Any:
        parts = owners(plan.facts, self.ids, self.engine.tasks, False)
        forest = self.merged(data, plan, parts, 1, forest=True)
        columns, names = self._columns(self.options.names), self.options.names
        if not self.ids.hashed:
            sources = [(one, (Kind.FOREST, Kind.VERSION)) for one, _ in forest]
            result = self.engine.table(sources, naming.ForestTable(self.ids, names, self.versions), columns, parts)
        else:
            texts = self._texts(data, parts)
            edges_and_texts: list[Source] = [(forest[0][0], (Kind.FOREST, Kind.VERSION)), texts]
            first = self.engine.shuffle(edges_and_texts, naming.JoinFirstText(self.ids, parts, self.versions), parts)
            second = naming.JoinSecondText(self.ids, names)
            result = self.engine.table([(first, (Kind.EDGE,)), texts], second, columns, parts)
        return result

    def _columns(self, names: tuple[str, str]) -> list[tuple[str, Any]]:
        return [(name, self.ids.type) for name in names]

    def _texts(self, data: Any, parts: int) -> Source:
        return self.engine.map_messages((data, (Kind.TEXT,)), tasks.SendToOwners((Kind.TEXT,), parts)), (Kind.TEXT,)

    def _named(self, data: Any, labels: list[Source], parts: int) -> Any:
        """Labels with the ids and the names of components joined to their keys, and small components left out."""
        ids, o = self.ids, self.options
        texts = [self._texts(data, parts)] if ids.hashed else []
        rows = self.engine.shuffle([*labels, *texts], naming.JoinComponents(ids, parts), parts)
        self.persist(rows)
        replies = self.engine.shuffle([(rows, (Kind.ROOT,))], naming.SumComponents(ids), parts)
        task = naming.NamedTable(ids, o.names, o.min_size)
        sources = [(rows, (Kind.ROW,)), (replies, (Kind.ROOT_REPLY,))]
        return self.engine.table(sources, task, self._columns(o.names), parts)

    # methods ----------------------------------------------------------------------------------------------------------

    def merged(
        self, data: Any, plan: ClusterPlan, parts: int, min_size: int, *, forest: bool = False, in_order: bool = False
    ) -> list[Source]:
        """Forests merged level by level into one, and its labels (or its edges). in_order: as `MergeIntoLabels`."""
        threads = self.options.threads
        merge = tasks.MergeForests(self.ids, threads, forest)
        if plan.method == "sample":
            sources, few = self.sampled(data, plan, forest)
            sizes = [1] if few else levels(plan.facts.tasks)
        else:
            sources = [self.engine.combine((data, FORESTS), merge, FAN_IN)]
            sizes = levels(plan.facts.places)
        for groups in sizes[:-1]:
            sources = [(self.engine.reduce_groups(sources, merge, groups), (*FORESTS, Kind.COUNTERS))]
        threads = max(threads, self.engine.threads)
        last = tasks.MergeIntoLabels(self.ids, threads, forest, parts, min_size, in_order)
        labels = self.engine.reduce_groups(sources, last, 1)
        if not in_order:  # else they are read once
            counters = self.persist(labels)
            self.links = sum(one["links"] for one in counters if one["task"] == "labels")
            self.versions = versions_of(counters)
        return [(labels, (Kind.LABEL,))]

    def sampled(self, data: Any, plan: ClusterPlan, forest: bool) -> tuple[list[Source], bool]:
        """The forest of a sample and what it leaves of the others; whether that is little."""
        engine, facts = self.engine, plan.facts
        select = engine.map_messages((data, FORESTS), sampling.SelectForests(plan.sample))
        merge = sampling.MergeSample(self.ids, self.options.threads, forest)
        sample = engine.reduce_groups([(select, FORESTS)], merge, 1)
        counters = self.persist(sample)
        members = sum(one["members"] for one in counters)
        size = sum(one["bytes"].get(Kind.MEMBERS.name, 0) for one in counters)
        pays = members_pay(plan, members, size)
        task = sampling.LeaveOutMembers(self.ids, plan.sample, forest)
        rest = engine.map_messages((data, FORESTS), task, (sample, (Kind.MEMBERS,)) if pays else None)
        left = sum(one["left"] for one in self.persist(rest))
        _log.info("%d ids are in one component of the sample; the others keep %d edges", members, left)
        return [(sample, FORESTS), (rest, (Kind.FOREST,))], left <= facts.ids

    def contracted(self, data: Any, parts: int) -> list[Source]:
        """Rounds of contraction until what is left fits one worker, and its labels expanded round by round."""
        engine, ids = self.engine, self.ids
        most = max(engine.memory // (2 * bytes_per_row(ids)), 1)
        to_owners = contraction.ForestToOwners(ids, parts, engine.memory, self.options.threads)
        forests = engine.map_messages((data, FORESTS), to_owners)
        self.versions = versions_of(self.persist(forests))
        round_edges: list[Source] = [(forests, (Kind.EDGE, Kind.VERSION))]
        rounds = []
        for level in range(_MOST_ROUNDS):
            choices = engine.shuffle(round_edges, contraction.ChooseParents(ids, parts, level, self.versions), parts)
            counters = self.persist(choices)
            rounds.append(choices)
            if level:  # as many keys were contracted as do not come out of a round
                self.links -= sum(one["owned"] for one in counters)
            self.links += sum(one["active"] for one in counters)
            left = sum(one["left"] for one in counters)
            _log.info("round %d: at most %d keys left", level, left)
            relabel = contraction.RelabelEdges(ids, parts, level)
            edges = engine.shuffle([(choices, (Kind.PARENT, Kind.HALF_EDGE, Kind.SMALLEST))], relabel, parts)
            round_edges = [(edges, (Kind.EDGE, Kind.SMALLEST))]
            if left <= most:
                break
        else:
            raise InputError(f"{left} keys are left after {_MOST_ROUNDS} rounds, and memory={engine.memory}")
        remaining = engine.shuffle(round_edges, contraction.GatherRest(ids, len(rounds)), parts)
        self.links -= sum(one["owned"] for one in self.persist(remaining))
        rest = engine.shuffle([(remaining, (Kind.EDGE, Kind.SMALLEST))], contraction.SolveRest(ids, parts), 1)
        self.links += sum(one["links"] for one in self.persist(rest))
        labels: list[Source] = [(remaining, (Kind.LABEL,)), (rest, (Kind.LABEL,))]
        for choices in reversed(rounds):
            replies = engine.shuffle([*labels, (choices, (Kind.LOOKUP,))], contraction.AnswerLookups(ids), parts)
            sources = [(choices, (Kind.PARENT,)), (replies, (Kind.REPLY,))]
            expanded = engine.shuffle(sources, contraction.ExpandLabels(ids), parts)
            self.persist(expanded)
            labels = [(expanded, (Kind.LABEL,)), (choices, (Kind.LABEL,))]
        return labels

    # the check --------------------------------------------------------------------------------------------------------

    def verify(self, edges: Any, labels: list[Source], parts: int) -> None:
        """Raise CheckFailed unless both endpoints of every edge have one label, each label is the smallest key that has
        it, and there are as many labels as ids without forest edges."""
        engine, ids = self.engine, self.ids
        endpoints = engine.map_partitions(edges, verifying.SendEndpoints(self.reader, parts))
        first = engine.shuffle([*labels, (endpoints, (Kind.ENDPOINTS,))], verifying.SendLabels(ids, parts), parts)
        counters = self.persist(first)
        second = engine.shuffle([*labels, (first, (Kind.LABEL_EDGE,))], verifying.CompareLabels(ids), parts)
        counters = counters + self.persist(second)

        def total(name: str) -> int:
            return sum(one.get(name, 0) for one in counters)

        if total("differ"):
            example = next(one["example"] for one in counters if "example" in one)
            raise CheckFailed(f"{total('differ')} edges join two components, among them one of {example}")
        if total("missing"):
            raise CheckFailed(f"{total('missing')} endpoints of edges have no component")
        if total("above"):
            raise CheckFailed(f"{total('above')} ids are smaller than the name of their component")
        keys, components = total("keys"), total("roots")
        if keys - self.links != components:
            raise CheckFailed(f"{keys} ids and {self.links} forest edges do not make {components} components")
