"""Journal events of one group, in log order, to its `History`: a classic group, a consumer group, or one that changed over."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace

from muster.explain.classic_fold import ClassicFold
from muster.explain.epochs import Epochs
from muster.explain.event import Event
from muster.explain.facts import Departure, History, Quiet, Rebalance, Result, Round, Who, Why


def fold(events: Iterable[Event], group: str) -> History:
    """The history that these events tell. Events of other groups are passed over."""
    folding = Folding(group)
    for event in events:
        if event.group == group:
            folding.take(event)
    return folding.finished()


class Folding(ClassicFold):
    """A history that grows with every event: of a classic group, with the epochs of consumer groups (KIP-848)."""

    def __init__(self, group: str) -> None:
        super().__init__(group)
        self._epochs = Epochs()
        self._steps |= {
            "query_tracked": self._tracked,
            "epoch_raised": self._raised,
            "target_assigned": self._targeted,
            "revocation_started": self._told_to_revoke,
            "revocation_completed": self._revoked,
            "partitions_awaited": self._given,
            "member_reconciled": self._given,
            "member_fenced": self._fenced,
            "regex_resolved": self._resolved,
            "static_left": self._left_for_a_while,
            "group_upgraded": self._upgraded,
            "group_downgraded": self._downgraded,
        }

    def so_far(self) -> History:
        """What the events up to now tell; more may follow."""
        other = copy(self)
        other._history = replace(self._history, rebalances=list(self._history.rebalances))
        return other.finished()

    def finished(self) -> History:
        history = super().finished()
        if history.is_consumer:
            history.unowned_since = dict(self._epochs.unowned_since)
        history.unowned_when_emptied += self._epochs.unowned_when_emptied
        return history

    def _tracked(self, event: Event) -> None:
        figures = {name: event.detail.get(name) for name in ("query_id", "run_id", "batch_id", "duration_ms")}
        self._history.quiet.append(Quiet("query_tracked", event.at_ms, -1, event.cause, figures=dict(figures)))

    # -- epochs

    def _raised(self, event: Event) -> None:
        self._history.is_consumer = True
        trigger = self._attendance.meet(event) if event.member is not None else None
        if self._now is None:
            self._now = Rebalance(event.group, event.generation, event.at_ms, Why(event.cause, trigger))
            self._begin(event)
        elif self._now.rounds and self._now.rounds[-1].cut_short_by is None:
            self._now.rounds[-1].cut_short_by = event.cause
        if not self._now.is_consumer:
            self._epochs.begin(self._now)
            self._seen.before = dict(self._epochs.before)
        if not self._now.rounds:
            self._seen.figures = {
                name: event.detail[name] for name in ("added", "dropped", "regex") if name in event.detail
            }
            self._with_expression(event)
        self._now.generation = event.generation
        self._now.rounds.append(Round(event.at_ms, event.cause, trigger))
        if self._joined_before is not None:
            who, is_new = self._joined_before
            if is_new and who not in self._now.newcomers:
                self._now.newcomers.append(who)
            self._joined_before = None
        self._now.departures += self._gone_before
        self._gone_before = []

    def _with_expression(self, event: Event) -> None:
        """An epoch that was raised by an expression does not say which: the event before it does."""
        last = self._history.quiet[-1] if self._history.quiet else None
        if event.cause == "regex_resolved" and last is not None and last.kind == "regex_resolved":
            self._seen.figures = dict(last.figures)
            self._history.quiet.pop()  # told with the rebalance

    def _arrives(self, who: Who, at_ms: int, *, is_new: bool) -> None:
        if self._now is not None and self._now.is_consumer:
            return  # nobody waits for JoinGroups here
        super()._arrives(who, at_ms, is_new=is_new)

    def _targeted(self, event: Event) -> None:
        self._history.is_consumer = True
        self._epochs.assigned(event, self._now)
        self._seen.after = dict(self._epochs.target)

    def _told_to_revoke(self, event: Event) -> None:
        if self._now is None:
            self._now = self._begun_before(event)
        self._epochs.told_to_revoke(event, self._attendance.meet(event), self._now)

    def _revoked(self, event: Event) -> None:
        self._epochs.revoked(event, self._attendance.meet(event), self._now)

    def _given(self, event: Event) -> None:
        who = self._attendance.meet(event)
        self._attendance.here([who.member_id])
        self._epochs.given(event, who, self._now)

    def _begun_before(self, event: Event) -> Rebalance:
        """The journal begins in the middle of it."""
        rebalance = Rebalance(event.group, event.generation, event.at_ms, Why("unknown"))
        rebalance.rounds.append(Round(event.at_ms, "unknown"))
        self._epochs.begin(rebalance)
        return rebalance

    # -- members

    def _departs(self, event: Event) -> Departure:
        gone = super()._departs(event)
        self._epochs.gone(event, gone, self._now)
        return gone

    def _replaced(self, event: Event) -> None:
        old_id = event.text("old_member_id")
        super()._replaced(event)
        if old_id is not None and event.member is not None:
            self._epochs.renamed(old_id, event.member)

    def _left_for_a_while(self, event: Event) -> None:
        self._whisper("static_left", event, self._attendance.meet(event))

    def _fenced(self, event: Event) -> None:
        """Not a meeting: whoever has no right to the name is not the member."""
        self._whisper("fenced", event, self._attendance.person(event.member))

    def _resolved(self, event: Event) -> None:
        figures = {name: event.detail.get(name) for name in ("regex", "matches", "added", "dropped")}
        self._history.quiet.append(
            Quiet("regex_resolved", event.at_ms, event.generation, event.cause, figures=dict(figures))
        )

    # -- the group

    def _moved_state(self, event: Event) -> None:
        super()._moved_state(event)
        now = self._now
        if now is None or not now.is_consumer:
            return
        if event.cause == "unloaded":
            self._finish("lost", None)
        elif event.text("to") in ("Stable", "Empty") and event.cause != "taken_over":
            if event.member is not None:
                now.last_to_arrive = self._attendance.meet(event)
            now.rounds[-1].ended_ms = event.at_ms
            self._finish("stable" if event.text("to") == "Stable" else "empty", event.at_ms)

    def _finish(self, result: Result, at_ms: int | None) -> None:
        now = self._now
        if now is not None and now.is_consumer:
            if result == "empty":
                self._epochs.emptied()
                now.members = 0
            elif result == "stable":
                self._epochs.finish(now, {who.member_id: who for who in self._attendance.seen})
        super()._finish(result, at_ms)

    def _created(self, event: Event) -> None:
        super()._created(event)
        self._epochs.emptied()

    def _upgraded(self, event: Event) -> None:
        self._history.is_consumer = True
        self._epochs.take_over(self._ownership.owners)
        self._cut_short()
        self._whisper("upgraded", event, None)

    def _downgraded(self, event: Event) -> None:
        self._history.is_consumer = False
        self._ownership.owners = dict(self._epochs.owners)
        self._cut_short()
        if self._now is not None:
            self._now.is_consumer = False
        self._whisper("downgraded", event, None)

    def _cut_short(self) -> None:
        """A rebalance that is under way goes on in the other protocol."""
        if self._now is not None and self._now.rounds[-1].cut_short_by is None:
            self._now.rounds[-1].cut_short_by = "migration"
