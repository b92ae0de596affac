"""One group, one variant: what would have happened, beside what did; and how far the replay of what did can be believed. Pure.

How much of the recording the replay gives back with the recorded settings is part of every answer: more than that cannot be
believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from muster.explain.event import Event, event_of, events_of
from muster.explain.facts import History
from muster.explain.fold import fold
from muster.whatif.arrivals import Arrivals
from muster.whatif.figures import Figures, measure
from muster.whatif.recorded import CannotReplay, Recorded, read_recorded
from muster.whatif.replay import replay
from muster.whatif.variants import Variant

TOLERANCE_MS: Final = 100
"""A rebalance of the replay counts as the recorded one if it ends within this of it."""


@dataclass(frozen=True, slots=True)
class Answer:
    group: str
    variant: str
    recorded: Figures
    replayed: Figures
    """With the variant's settings."""
    reproduced: int
    """Rebalances of the recording that the replay with the recorded settings gives back: generation, cause, members and time."""
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
        self._recorded = read_recorded(events)
        self._arrivals = arrivals
        before = fold(self._recorded.events, group)
        silent = {life.member_id: life.silent_ms for life in self._recorded.lives}
        self._figures = measure(before, self._recorded.events, silent, self._recorded.end_ms, arrivals)
        again = fold(events_of(replay(self._recorded, Variant()).journal), group)
        self._reproduced = count_reproduced(before, again)
        self._assumed = "; ".join([each for each in (assumed, *_assumed(self._recorded, events)) if each])

    def answer(self, variant: Variant) -> Answer:
        """CannotReplay if this group cannot be so."""
        replayed = _figures(self._recorded, variant, self._arrivals)
        group = self._recorded.group
        return Answer(group, str(variant), self._figures, replayed, self._reproduced, self._assumed)


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
        told = json.loads(text)
    except ValueError:
        return None
    return event_of(told) if isinstance(told, dict) else None


def _figures(recorded: Recorded, variant: Variant, arrivals: Arrivals | None) -> Figures:
    replayed = replay(recorded, variant)
    events = events_of(replayed.journal)
    spread = None if arrivals is None else arrivals.spread(variant.partition_times)
    return measure(fold(events, recorded.group), events, replayed.silent, recorded.end_ms, spread)


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
    if not recorded.is_delay_known:
        yield f"group.initial.rebalance.delay.ms was {recorded.initial_delay_ms}"
    if len(recorded.events) < len(events):
        yield f"{len(events) - len(recorded.events)} events before or after what can be replayed are left out"


def as_row(found: Answer) -> dict[str, Any]:
    """Flat, for tables and JSON."""
    row: dict[str, Any] = {"group_id": found.group, "variant": found.variant}
    for name, value in asdict(found.recorded).items():
        row[f"recorded_{name}"] = value
    for name, value in asdict(found.replayed).items():
        row[f"replayed_{name}"] = value
    return {**row, "reproduced": found.reproduced, "assumed": found.assumed, "problem": None}


def problem_row(group: str, variant: str, problem: CannotReplay) -> dict[str, Any]:
    names = [f"{kind}_{name}" for kind in ("recorded", "replayed") for name in Figures.__dataclass_fields__]
    row: dict[str, Any] = {"group_id": group, "variant": variant, **dict.fromkeys(names)}
    return {**row, "reproduced": None, "assumed": None, "problem": str(problem)}
