"""Journal events of a classic group, in log order, to its `History`, and of what both kinds of groups have in common.

The base of `fold`, which adds the epochs of consumer groups. These two are the only places that know how events follow each other.

A join or a departure is told just before the start that it causes, and always at the same moment. What is not known (the journal
begins in the middle, a server stopped without a word) stays unknown in the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from muster.explain.assignments import owners_in, raw_assignments
from muster.explain.attendance import Attendance
from muster.explain.diagnosis import Circumstances, diagnose
from muster.explain.event import Event, texts_of
from muster.explain.facts import (
    Arrival,
    Asked,
    Departure,
    History,
    Move,
    Partition,
    Quiet,
    QuietKind,
    Rebalance,
    Result,
    Return,
    Round,
    Who,
    Why,
    is_cooperative,
)
from muster.explain.held_offsets import held_back, without_wait
from muster.explain.ownership import Ownership


class ClassicFold:
    def __init__(self, group: str) -> None:
        self._history = History(group)
        self._attendance = Attendance()
        self._ownership = Ownership()
        self._now: Rebalance | None = None
        self._seen = Circumstances()
        self._gone_before: list[Departure] = []
        """Departures that the next start belongs to."""
        self._joined_before: tuple[Who, bool] | None = None
        """A join that the next start belongs to, and whether it is a newcomer's."""
        self._came_back: Return | None = None
        self._asked: tuple[Asked, ...] = ()
        self._protocol: str | None = None
        self._is_empty = False
        self._empty_since_ms: int | None = None
        self._steps: dict[str, Callable[[Event], object]] = {
            "group_created": self._created,
            "group_removed": self._removed,
            "member_joined": self._joined,
            "member_rejoined": self._rejoined,
            "member_left": self._departs,
            "member_expelled": self._departs,
            "pending_id_dropped": self._id_dropped,
            "static_replaced": self._replaced,
            "static_restored": self._restored,
            "rebalance_started": self._started,
            "join_completed": self._join_completed,
            "leader_elected": self._elected,
            "rebalance_ended": self._ended,
            "state_changed": self._moved_state,
            "denied": self._denied,
            "offsets_awaited": self._awaited,
            "offsets_released": self._released,
        }

    def take(self, event: Event) -> None:
        history = self._history
        history.first_ms = event.at_ms if history.first_ms is None else history.first_ms
        history.last_ms = event.at_ms
        if event.generation >= 0:
            history.generation = event.generation
        step = self._steps.get(event.kind)
        if step is not None:
            step(event)

    def finished(self) -> History:
        if self._now is not None:
            self._now.why = diagnose(self._now, self._seen)
            self._history.rebalances.append(self._now)
        self._history.members = self._attendance.present
        self._history.seen = self._attendance.seen
        self._history.returns = self._attendance.returns
        self._history.shared_identities = self._attendance.shared_identities
        self._history.unowned_since = dict(self._ownership.unowned_since)
        self._history.unowned_when_emptied = list(self._ownership.unowned_when_emptied)
        return self._history

    # -- members

    def _joined(self, event: Event) -> None:
        who = self._attendance.meet(event)
        self._came_back = self._attendance.newcomer(who, event.at_ms)
        if self._now is not None:
            self._now.newcomers.append(who)
        self._arrives(who, event.at_ms, is_new=True)

    def _rejoined(self, event: Event) -> None:
        who = self._attendance.meet(event)
        self._attendance.here([who.member_id])
        if event.cause == "unchanged":
            gaps = self._ownership.taken_back(who.member_id, event.at_ms)
            if gaps and self._history.rebalances:
                self._history.rebalances[-1].gaps.extend(gaps)
            return
        if not is_cooperative(self._protocol):
            self._ownership.given_up(who.member_id, event.at_ms)
        self._arrives(who, event.at_ms, is_new=False)

    def _arrives(self, who: Who, at_ms: int, *, is_new: bool) -> None:
        if self._now is None or self._now.rounds[-1].join_ended_ms is not None:
            self._joined_before = (who, is_new)
            return
        waited_ms = at_ms - self._now.rounds[-1].began_ms
        self._now.arrivals = [each for each in self._now.arrivals if each.who.member_id != who.member_id]
        self._now.arrivals.append(Arrival(who, waited_ms, is_new))

    def _departs(self, event: Event) -> Departure:
        who = self._attendance.meet(event)
        gone = Departure(
            who,
            event.at_ms,
            event.cause,
            event.reason,
            event.number("session_timeout_ms"),
            event.number("rebalance_timeout_ms"),
        )
        self._ownership.given_up(who.member_id, event.at_ms - gone.silent_ms)
        returned = self._attendance.gone(gone)
        if self._now is not None:
            if returned is not None and returned.who == self._now.rounds[0].trigger:
                self._seen.returned = returned
            self._now.departures.append(gone)
            self._now.arrivals = [each for each in self._now.arrivals if each.who.member_id != who.member_id]
        else:
            self._gone_before.append(gone)
        return gone

    def _id_dropped(self, event: Event) -> None:
        who = self._attendance.meet(event)
        if self._now is not None and event.cause == "pending_id_expired":
            self._now.ids_never_used.append(who)
        elif event.cause in ("pending_id_expired", "group_full"):
            self._whisper("refused" if event.cause == "group_full" else "id_never_used", event, who)

    def _replaced(self, event: Event) -> None:
        who = self._attendance.meet(event)
        old_id = event.text("old_member_id")
        if old_id is not None:
            self._ownership.renamed(old_id, who.member_id)
        self._attendance.renamed(old_id, who.member_id)
        if self._now is None:
            self._whisper("static_restart", event, who)
        self._arrives(who, event.at_ms, is_new=False)

    def _restored(self, event: Event) -> None:
        who = self._attendance.meet(event)
        failed_id = event.text("failed_member_id")
        if failed_id is not None:
            self._ownership.renamed(failed_id, who.member_id)
        self._attendance.renamed(failed_id, who.member_id)
        self._whisper("static_restored", event, who)

    # -- rebalances

    def _started(self, event: Event) -> None:
        if self._now is not None and self._now.rounds[-1].cut_short_by is None:
            self._finish("lost", None)
        trigger = self._attendance.meet(event) if event.member is not None else None
        if self._now is None:
            self._now = Rebalance(
                event.group, event.generation + 1, event.at_ms, Why(event.cause, trigger, event.reason)
            )
            self._begin(event)
        self._now.rounds.append(Round(event.at_ms, event.cause, trigger, event.reason))
        self._now.arrivals = []
        if self._joined_before is not None:
            who, is_new = self._joined_before
            if is_new and who not in self._now.newcomers:
                self._now.newcomers.append(who)
            self._now.arrivals.append(Arrival(who, 0, is_new))
            self._joined_before = None
        self._now.departures += self._gone_before
        self._gone_before = []
        if self._history.quiet and self._history.quiet[-1].who == trigger:
            self._unsay_restart(event)

    def _begin(self, event: Event) -> None:
        """What a diagnosis will want to know of the time before."""
        assert self._now is not None
        self._now.from_empty = self._is_empty
        if self._is_empty and self._empty_since_ms is not None:
            self._now.empty_ms = event.at_ms - self._empty_since_ms
        owners = self._ownership.owners
        self._seen = Circumstances(
            returned=self._came_back if self._came_back is not None and self._came_back.at_ms == event.at_ms else None,
            before=None if owners is None else dict(owners),
            left_over=self._left_over(),
            asked_before=self._asked,
            protocol_before=self._protocol,
        )

    def _left_over(self) -> frozenset[Partition]:
        """Taken by the cooperative round before, and not since by somebody's departure."""
        last = self._history.rebalances[-1] if self._history.rebalances else None
        if last is None or not last.is_cooperative or last.moves is None:
            return frozenset()
        return frozenset(move.partition for move in last.moves if move.target is None)

    def _unsay_restart(self, event: Event) -> None:
        last = self._history.quiet[-1]
        if last.kind == "static_restart" and last.at_ms == event.at_ms:
            self._history.quiet.pop()

    def _join_completed(self, event: Event) -> None:
        if self._now is None:
            self._now = self._begun_unseen(event)
        last = self._now.rounds[-1]
        last.join_ended_ms = event.at_ms
        last.join_ended_by = event.cause
        self._now.generation = event.generation
        self._describe(event)
        told = event.detail.get("settings")
        settings = told if isinstance(told, list | tuple) else ()  # anybody may have written it into the journal
        asked = tuple(self._asked_by(entry) for entry in settings if isinstance(entry, dict))
        self._now.asked = self._asked = asked
        for each in asked:
            self._attendance.here(who.member_id for who in each.members)

    def _asked_by(self, entry: Mapping[str, Any]) -> Asked:
        topics = entry.get("topics")
        return Asked(
            _number(entry.get("session_timeout_ms")),
            _number(entry.get("rebalance_timeout_ms")),
            texts_of(entry.get("protocols")),
            None if topics is None else texts_of(topics),
            tuple(who for each in texts_of(entry.get("members")) if (who := self._attendance.person(each)) is not None),
        )

    def _elected(self, event: Event) -> None:
        if self._now is not None:
            self._now.leader = self._attendance.meet(event)
            self._now.new_leader_because = event.cause

    def _ended(self, event: Event) -> None:
        if self._now is None:
            self._now = self._begun_unseen(event)
        last = self._now.rounds[-1]
        last.ended_ms = event.at_ms
        result = event.text("result")
        if result == "interrupted":
            last.cut_short_by = event.cause
            if event.cause == "unloaded":
                self._finish("lost", None)
            return
        self._now.generation = event.generation
        self._describe(event)
        if result == "stable":
            self._assign(event, self._now)
        else:
            self._ownership.emptied()
            self._protocol = None
        self._finish("stable" if result == "stable" else "empty", event.at_ms)

    def _assign(self, event: Event, now: Rebalance) -> None:
        raw = raw_assignments(event.detail.get("assignments"))
        owners = None if raw is None else owners_in(raw)
        if raw is not None:
            self._attendance.only(raw)
        change = self._ownership.assigned(owners, event.at_ms, now.began_ms if now.from_empty else None)
        self._seen.after = owners
        self._protocol = now.protocol
        now.stayed, now.gaps = change.stayed, [*now.gaps, *change.gaps]
        if change.moved is not None:
            now.moves = [
                Move(each, self._attendance.person(old), self._attendance.person(new))
                for each, old, new in change.moved
            ]

    def _describe(self, event: Event) -> None:
        assert self._now is not None
        members = event.number("members")
        self._now.members = members if members is not None else self._now.members
        self._now.protocol = event.text("protocol") or self._now.protocol
        self._now.leader = self._attendance.person(event.text("leader")) or self._now.leader

    def _begun_unseen(self, event: Event) -> Rebalance:
        """The journal begins in the middle of it, but the end says when and by what it began."""
        began_ms = event.number("started_ms")
        cause = event.text("started_by") or "unknown"
        rebalance = Rebalance(event.group, event.generation, event.at_ms if began_ms is None else began_ms, Why(cause))
        first = Round(rebalance.began_ms, cause)
        join_ms = event.number("join_phase_ms")
        if join_ms is not None:
            first.join_ended_ms = rebalance.began_ms + join_ms
        rebalance.rounds.append(first)
        self._seen = Circumstances()
        return rebalance

    def _finish(self, result: Result, at_ms: int | None) -> None:
        assert self._now is not None
        self._now.result, self._now.ended_ms = result, at_ms
        self._now.why = diagnose(self._now, self._seen)
        self._history.rebalances.append(self._now)
        self._now = None
        self._is_empty = result == "empty"
        self._empty_since_ms = at_ms if self._is_empty else None
        if self._is_empty:
            self._attendance.only(())

    # -- the group

    def _created(self, event: Event) -> None:
        self._ownership.emptied()
        self._is_empty, self._empty_since_ms = True, None

    def _removed(self, event: Event) -> None:
        self._created(event)
        self._attendance.only(())
        self._whisper("group_removed", event, None)

    def _moved_state(self, event: Event) -> None:
        self._history.state = event.text("to")
        if event.text("from") == "Empty":
            self._is_empty = True
            self._ownership.owners = self._ownership.owners or {}
            if self._now is not None:
                self._now.from_empty = True
                self._seen.before = self._seen.before or {}
        if event.cause == "unloaded":
            self._history.state = None
            self._whisper("coordinator_moved", event, None)
        elif event.cause == "taken_over":
            self._whisper("coordinator_taken_over", event, None)

    def _denied(self, event: Event) -> None:
        """Somebody without the right to; it need not be a member, nor the group exist."""
        who = Who("?", None, event.client, event.host)
        self._history.quiet.append(
            Quiet("denied", event.at_ms, -1, event.cause, who, None, event.text("principal"), event.text("api"))
        )

    def _awaited(self, event: Event) -> None:
        self._history.quiet.append(held_back("offsets_awaited", event))

    def _released(self, event: Event) -> None:
        ended = held_back("offsets_released", event)
        self._history.quiet = [*without_wait(self._history.quiet, ended), ended]

    def _whisper(self, kind: QuietKind, event: Event, who: Who | None) -> None:
        self._history.quiet.append(Quiet(kind, event.at_ms, event.generation, event.cause, who, event.reason))


def _number(told: object) -> int:
    return told if isinstance(told, int) else 0
