"""One group: members, owners, lag, rebalances with their causes and what could be changed, and a rebalance that is under way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from muster.console.group_status import GroupStatus
from muster.console.lanes import lanes_of, owned_at_end
from muster.console.observer import Observer, Wants
from muster.console.overview_view import kind_of
from muster.console.progress import progress_of
from muster.core.time_units import MINUTE_MS
from muster.explain.advice import Advice
from muster.explain.cause_words import why_sentence
from muster.explain.explanation import Explanation, explain
from muster.explain.facts import History, Partition, Rebalance
from muster.explain.holding_back import holding_back
from muster.explain.names import Names
from muster.explain.sentences import tell_quiet, tell_rebalance

SHOWN_REBALANCES: Final = 40
SHOWN_QUIET: Final = 20
LANE_STEP_MS: Final = 10_000
"""Lanes end at a multiple of this: a look that brought nothing new draws the same."""
SHOWN_MEMBERS: Final = 200
SHOWN_POSITIONS: Final = 400


@dataclass(frozen=True, slots=True)
class Bar:
    """A rebalance and the lengths of its phases as parts of a thousand of the longest one."""

    rebalance: Rebalance
    why: str
    details: tuple[tuple[str, str], ...]
    """(label, sentence), without what the first line says already."""
    advice: tuple[Advice, ...]
    before: int
    join: int
    sync: int
    rest: int
    """Of a length whose phases are not known."""


class GroupView:
    regions: Final = {
        "facts": "group_facts.html",
        "progress": "group_progress.html",
        "members": "group_members.html",
        "lag": "group_lag.html",
        "rebalances": "group_rebalances.html",
        "lanes": "group_lanes.html",
    }

    def __init__(
        self, observer: Observer, group: str, *, generation: int | None = None, at_ms: int | None = None
    ) -> None:
        self._observer = observer
        self.group = group
        self.generation = generation
        self.at_ms = at_ms

    @property
    def key(self) -> str:
        return f"group {self.generation} {self.at_ms} {self.group}"

    @property
    def known(self) -> GroupStatus | None:
        return self._observer.groups.statuses.get(self.group)

    def wants(self) -> Wants:
        return Wants(detail=frozenset([self.group]))

    def fingerprint(self) -> object:
        known, reader = self.known, self._observer.reader
        timeline = reader.timelines.of(self.group)
        minute = self._observer.now_ms() // MINUTE_MS  # the lanes go on, minute by minute
        version = None if known is None else (known.version, known.waited)
        told = (
            self._observer.trouble_of(self.group),
            reader.trouble,
            reader.lost,
            reader.has_journal,
            self._is_asking(),
        )
        return timeline.version, version, told, minute

    def context(self) -> dict[str, Any]:
        known, timelines = self.known, self._observer.reader.timelines
        history = (
            timelines.history(self.group) if self.at_ms is None else timelines.of(self.group).history_at(self.at_ms)
        )
        explanation = explain(history, last=SHOWN_REBALANCES)
        description = known.description if known is not None else None
        now_ms = self._observer.now_ms()
        until_ms = self.at_ms or -(-now_ms // LANE_STEP_MS) * LANE_STEP_MS
        return {
            "group": self.group,
            "generation": self.generation,
            "is_asking": self._is_asking(),
            "at_ms": self.at_ms,
            "known": known,
            "description": description,
            "kind": kind_of(known.listing) if known is not None else "",
            "history": history,
            "progress": progress_of(history) if self.at_ms is None else None,
            "holders": holding_back(description, history) if description is not None else [],
            "bars": bars_of(explanation),
            "explanation": explanation,
            "quiet": [(each, tell_quiet(each, explanation.names)) for each in explanation.quiet[-SHOWN_QUIET:]][::-1],
            "lanes": lanes_of(history, until_ms),
            "owners": known.owners if known is not None else {},
            "members": sorted(description.members, key=lambda each: (each.client_id, each.member_id))
            if description is not None
            else [],
            "members_then": members_then(history) if self.at_ms is not None else [],
            "reader": self._observer.reader,
            "trouble": self._observer.trouble_of(self.group),
            "now_ms": now_ms,
            "most_members": SHOWN_MEMBERS,
            "most_positions": SHOWN_POSITIONS,
        }

    def _is_asking(self) -> bool:
        """Nothing is known yet, and the cluster has been asked."""
        observer = self._observer
        return self.known is None and not observer.trouble_of(self.group) and not observer.has_looked_at(self.group)


def members_then(history: History) -> list[tuple[str, list[Partition]]]:
    """Who was in the group at the end of a history, and what each owned."""
    names, owned = Names(history), owned_at_end(history)
    return sorted((names.full(who), owned.get(names.short(who), [])) for who in history.members)


def bars_of(explanation: Explanation) -> list[Bar]:
    """The newest first."""
    longest = max((_length_ms(each) or 0 for each in explanation.shown), default=0)
    return [_bar(each, explanation, longest) for each in reversed(explanation.shown)]


def _bar(rebalance: Rebalance, explanation: Explanation, longest_ms: int) -> Bar:
    def part(length_ms: int | None) -> int:
        return 0 if not length_ms or not longest_ms else max(4, round(1000 * length_ms / longest_ms))

    whole = part(_length_ms(rebalance))
    join, sync = part(rebalance.join_ms), part(rebalance.sync_ms)
    known = min(whole, join + sync)
    names, history = explanation.names, explanation.history
    is_split = bool(rebalance.rounds) and rebalance.join_ms is not None
    lines = tell_rebalance(rebalance, names, history.last_ms).lines
    return Bar(
        rebalance,
        why_sentence(rebalance, names),
        tuple((label, text) for label, text in lines if label != "why"),
        tuple(each for each in explanation.advice if rebalance.generation in each.generations),
        max(0, whole - known) if is_split else 0,
        join,
        sync,
        whole if not is_split else 0,
    )


def _length_ms(rebalance: Rebalance) -> int | None:
    return None if rebalance.is_inferred else rebalance.took_ms
