"""One group, one variant: what would have happened, beside what did; and how far the replay of what did can be believed. Pure.

How much of the recording the replay gives back with the recorded settings is part of every answer: more than that cannot be
believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from muster.explain import words
from muster.explain.event import Event, event_of, events_of
from muster.explain.facts import History
from muster.whatif.arrivals import Arrivals
from muster.whatif.figures import Figures, Measured, Timeline, measure
from muster.whatif.initial_state import classic_events, consumer_events
from muster.whatif.journal import read_recorded
from muster.whatif.recorded import Recorded
from muster.whatif.replay import replay
from muster.whatif.stretch import CannotReplay
from muster.whatif.unowned import spread, wanted_since
from muster.whatif.variants import Variant

TOLERANCE_MS: Final = 100
"""A rebalance of the replay counts as the recorded one if it ends within this of it."""


MOST_PARTITIONS: Final = 100
"""So many partitions are listed one by one: those that were longest without an owner."""

REPLAYED_AS_RECORDED: Final = ("rebalances", "moved", "unowned_ms")
"""Figures of the replay with the recorded settings that stand in every row, beside the recorded ones."""


@dataclass(frozen=True, slots=True)
class UnownedPartition:
    """How long a partition had no owner, and how long it would have had none."""

    topic: str
    partition: int
    recorded_ms: int
    replayed_ms: int


@dataclass(frozen=True, slots=True)
class Answer:
    group: str
    variant: str
    recorded: Figures
    replayed: Figures
    """With the variant's settings."""
    partitions: Sequence[UnownedPartition]
    """Those that are without an owner at any time, the longest first; `MOST_PARTITIONS` at most."""
    reproduced: int
    """Rebalances of the recording that the replay with the recorded settings gives back: generation, cause, members and time."""
    replayed_as_recorded: Figures
    """Of that replay: what else it has beside those rebalances."""
    assumed: str
    """What the recording does not say."""


class Question:
    """One recording, read and given back once; then any variant of it may be asked about."""

    def __init__(
        self, group: str, payloads: Iterable[str], arrivals: Arrivals | None = None, assumed: str = ""
    ) -> None:
        """`payloads`: the events of the group as JSON, in log order. `assumed`: what they themselves assume. CannotReplay if they
        do not allow it."""
        events = [event for text in payloads if (event := _event(text)) is not None and event.group == group]
        self._arrivals = arrivals
        self._recorded = read_recorded(events)
        timeline = _as_recorded(self._recorded)
        history = timeline.history()
        self._wanted = wanted_since([*timeline.before, *timeline.events], history)
        self._measured = measure(timeline, history, arrivals, self._wanted)
        again = _as_replayed(self._recorded, Variant())
        history_again = again.history()
        self._reproduced = count_reproduced(history, history_again)
        self._replayed_as_recorded = measure(again, history_again, arrivals, self._wanted).figures
        self._assumed = "; ".join([each for each in (assumed, *_assumed(self._recorded, events)) if each])

    def answer(self, variant: Variant) -> Answer:
        """CannotReplay if this group cannot be so."""
        timeline = _as_replayed(self._recorded, variant)
        arrivals = None if self._arrivals is None else self._arrivals.spread(variant.partition_times)
        wanted = spread(self._wanted, variant.partition_times)
        replayed = measure(timeline, timeline.history(), arrivals, wanted)
        return Answer(
            self._recorded.group,
            str(variant),
            self._measured.figures,
            replayed.figures,
            _partitions(self._measured, replayed),
            self._reproduced,
            self._replayed_as_recorded,
            self._assumed,
        )


def _as_recorded(recorded: Recorded) -> Timeline:
    silent = {member.member_id: member.silent_ms for member in recorded.members}
    initial = [member for member in recorded.members if member.is_initial]
    snapshot = recorded.snapshot
    if snapshot is None:
        before = []
    elif recorded.coordinated is None:
        before = classic_events(recorded.group, snapshot, initial)
    else:
        before = consumer_events(recorded.group, snapshot, initial, {}, recorded.coordinated.assignor)
    return Timeline(recorded.group, before, recorded.events, recorded.end_ms, silent)


def _as_replayed(recorded: Recorded, variant: Variant) -> Timeline:
    replayed = replay(recorded, variant)
    return Timeline(recorded.group, replayed.before, events_of(replayed.journal), recorded.end_ms, replayed.silent)


def _partitions(recorded: Measured, replayed: Measured) -> list[UnownedPartition]:
    was, would_be = recorded.unowned_ms, replayed.unowned_ms
    found = [UnownedPartition(*each, was.get(each, 0), would_be.get(each, 0)) for each in {**was, **would_be}]
    found.sort(key=lambda each: (-max(each.recorded_ms, each.replayed_ms), each.topic, each.partition))
    return found[:MOST_PARTITIONS]


def answer(
    group: str,
    payloads: Iterable[str],
    variants: Sequence[Variant],
    arrivals: Arrivals | None = None,
    assumed: str = "",
) -> list[Answer]:
    asked = Question(group, payloads, arrivals, assumed)
    return [asked.answer(each) for each in variants]


def _event(text: str) -> Event | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return event_of(found) if isinstance(found, dict) else None


def count_reproduced(recorded: History, replayed: History) -> int:
    found = {each.generation: each for each in replayed.rebalances}
    count = 0
    for each in recorded.rebalances:
        other = found.get(each.generation)
        if other is None or (other.why.cause, other.members, other.result) != (
            each.why.cause,
            each.members,
            each.result,
        ):
            continue
        ends = (each.ended_ms or each.began_ms, other.ended_ms or other.began_ms)
        count += abs(ends[0] - ends[1]) <= TOLERANCE_MS
    return count


def _assumed(recorded: Recorded, events: Sequence[Event]) -> Iterable[str]:
    snapshot = recorded.snapshot
    if snapshot is not None:
        members = len(snapshot.assignments)
        yield (
            f"begins at {words.moment(snapshot.at_ms)} UTC with generation {snapshot.generation} and"
            f" {words.plural(members, 'member')}, the first rebalance whose end is known"
        )
    if recorded.coordinated is not None:
        times = recorded.coordinated.times
        if not times.is_known:
            interval = words.duration(times.heartbeat_interval_ms)
            yield f"heartbeats came every {interval}, and everybody subscribed to the same topics"
    elif not recorded.phases.is_delay_known:
        yield f"group.initial.rebalance.delay.ms was {recorded.phases.initial_delay_ms}"
    if len(recorded.events) < len(events):
        count = len(events) - len(recorded.events)
        is_are = "is" if count == 1 else "are"
        yield f"{words.plural(count, 'event')} before or after what can be replayed {is_are} left out"


def as_row(found: Answer) -> dict[str, Any]:
    """Flat, for tables and JSON."""
    row: dict[str, Any] = {"group_id": found.group, "variant": found.variant}
    for name, value in asdict(found.recorded).items():
        row[f"recorded_{name}"] = value
    for name, value in asdict(found.replayed).items():
        row[f"replayed_{name}"] = value
    partitions = [asdict(each) for each in found.partitions]
    return {
        **row,
        "partitions": partitions,
        "reproduced": found.reproduced,
        **{f"replayed_as_recorded_{name}": getattr(found.replayed_as_recorded, name) for name in REPLAYED_AS_RECORDED},
        "assumed": found.assumed,
        "problem": None,
    }


def problem_row(group: str, variant: str, problem: CannotReplay) -> dict[str, Any]:
    names = [f"{kind}_{name}" for kind in ("recorded", "replayed") for name in Figures.__dataclass_fields__]
    row: dict[str, Any] = {"group_id": group, "variant": variant, **dict.fromkeys(names)}
    row |= dict.fromkeys(
        ["partitions", "reproduced", *(f"replayed_as_recorded_{name}" for name in REPLAYED_AS_RECORDED)]
    )
    return {**row, "assumed": None, "problem": str(problem)}
