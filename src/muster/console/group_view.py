"""One group: members, owners, lag, rebalances with their causes and what could be changed, and a rebalance that is under way."""

from __future__ import annotations

from typing import Any, Final

from muster.console.group_choice import GroupChoice
from muster.console.group_status import GroupStatus, Position
from muster.console.lanes import lanes_of, owned_at_end
from muster.console.observer import Observer, Wants
from muster.console.overview_view import kind_of
from muster.console.paging import portion_of
from muster.console.progress import PHASE_WORDS, progress_of
from muster.console.rebalance_bars import bars_of
from muster.core.time_units import MINUTE_MS
from muster.explain.cause_words import why_sentence
from muster.explain.facts import History, Partition
from muster.explain.holding_back import holding_back
from muster.explain.names import Names
from muster.explain.sentences import tell_quiet

PAGE_EVENTS: Final = 20
LANE_STEP_MS: Final = 10_000
"""Lanes end at a multiple of this: a look that brought nothing new draws the same."""
PAGE_MEMBERS: Final = 200
PAGE_POSITIONS: Final = 400


class GroupView:
    regions: Final = {
        "facts": "group_facts.html",
        "progress": "group_progress.html",
        "members": "group_members.html",
        "lag": "group_lag.html",
        "rebalances": "group_rebalances.html",
        "lanes": "group_lanes.html",
    }

    def __init__(self, observer: Observer, choice: GroupChoice) -> None:
        self._observer = observer
        self.choice = choice
        self.group = choice.group

    @property
    def key(self) -> str:
        return f"group {self.choice!r}"

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
            self._observer.unread(self.group),
            reader.trouble,
            reader.lost,
            reader.has_journal,
            self._is_asking(),
        )
        return timeline.version, version, told, minute

    def context(self) -> dict[str, Any]:
        observer, choice, at_ms = self._observer, self.choice, self.choice.at_ms
        history, now_ms = self._history(), observer.now_ms()
        until_ms = at_ms if at_ms is not None else -(-now_ms // LANE_STEP_MS) * LANE_STEP_MS
        names, newest = Names(history), history.rebalances[-1] if history.rebalances else None
        return {
            "group": self.group,
            "choice": choice,
            "is_asking": self._is_asking(),
            "at_ms": at_ms,
            "history": history,
            "newest": newest,
            "newest_why": why_sentence(newest, names) if newest is not None else "",
            "phase_words": PHASE_WORDS,
            "progress": progress_of(history) if at_ms is None else None,
            "rebalances": bars_of(history, choice),
            "quiet": portion_of(history.quiet[::-1], choice.events, PAGE_EVENTS),
            "tell_quiet": lambda each: tell_quiet(each, names),
            "lanes": lanes_of(history, until_ms, choice),
            "members_then": portion_of(members_then(history), choice.members, PAGE_MEMBERS)
            if at_ms is not None
            else None,
            "reader": observer.reader,
            "trouble": observer.trouble_of(self.group),
            "unread": observer.unread(self.group),
            "is_whole": observer.reader.timelines.of(self.group).is_whole,
            "now_ms": now_ms,
            **self._described(history),
        }

    def _described(self, history: History) -> dict[str, Any]:
        """What the cluster says of the group now."""
        known, choice = self.known, self.choice
        description = known.description if known is not None else None
        members = (
            []
            if description is None
            else sorted(description.members, key=lambda each: (each.client_id, each.member_id))
        )
        positions = [] if known is None else [each for each in known.positions if choice.has(each.place.topic)]
        return {
            "known": known,
            "description": description,
            "kind": kind_of(known.listing) if known is not None else "",
            "holders": holding_back(description, history) if description is not None else [],
            "members": portion_of(members, choice.members, PAGE_MEMBERS),
            "positions": portion_of(positions, choice.offsets, PAGE_POSITIONS),
            "worst_lag": worst_lag(positions),
            "owners": known.owners if known is not None else {},
        }

    def _history(self) -> History:
        timelines, at_ms = self._observer.reader.timelines, self.choice.at_ms
        return timelines.history(self.group) if at_ms is None else timelines.of(self.group).history_at(at_ms)

    def _is_asking(self) -> bool:
        """Nothing is known yet, and the cluster has been asked."""
        observer = self._observer
        return self.known is None and not observer.trouble_of(self.group) and not observer.has_looked_at(self.group)


def members_then(history: History) -> list[tuple[str, list[Partition]]]:
    """Who was in the group at the end of a history, and what each owned."""
    names, owned = Names(history), owned_at_end(history)
    return sorted((names.full(who), owned.get(names.short(who), [])) for who in history.members)


def worst_lag(positions: list[Position]) -> int:
    return max((each.lag for each in positions if each.lag is not None), default=0)
