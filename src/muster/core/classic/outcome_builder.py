"""One decision being made: gathers what it asks of the world, then becomes the `Outcome`.

Every function that decides about classic groups takes the group and the builder. The builder holds the arguments that make
the core pure (time, ids, settings) and the lists that an outcome is made of; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from muster.core.classic.counters import Counters
from muster.core.classic.group import Group, PendingId
from muster.core.classic.member import Member
from muster.core.classic.states import GroupState
from muster.core.config import GroupConfig
from muster.core.contract import Outcome, Ticket, TicketReply, TimerChange, TimerKey
from muster.core.journal import Cause, JournalEvent, Kind
from muster.core.records import Record
from muster.core.replies import Reply
from muster.wire.value import Value


class OutcomeBuilder:
    __slots__ = (
        "config",
        "counters",
        "early_replies",
        "journal",
        "new_id",
        "notes",
        "now_ms",
        "records",
        "replies",
        "step",
        "timers",
    )

    def __init__(self, config: GroupConfig, counters: Counters, new_id: Callable[[], str], now_ms: int) -> None:
        self.config = config
        self.counters = counters
        self.new_id = new_id
        self.now_ms = now_ms
        self.records: list[Record] = []
        self.replies: list[TicketReply] = []
        self.early_replies: list[TicketReply] = []
        self.timers: list[TimerChange] = []
        self.journal: list[JournalEvent] = []
        self.notes: list[JournalEvent] = []
        """Of consumer groups: events that are told when the records are durable, and never if they are lost."""
        self.step: Value | None = None

    def reply(self, ticket: Ticket, reply: Reply) -> None:
        """Answer the request that is being handled, when the records of this outcome are durable."""
        self.replies.append((ticket, reply))

    def reply_early(self, ticket: Ticket, reply: Reply) -> None:
        """Answer at once a request that was parked earlier: it does not depend on the records of this outcome."""
        self.early_replies.append((ticket, reply))

    def set_timer(self, key: TimerKey, deadline_ms: int) -> None:
        self.timers.append((key, deadline_ms))

    def cancel_timer(self, key: TimerKey) -> None:
        self.timers.append((key, None))

    def start_session(self, member: Member) -> None:
        self.timers.append((member.session_key, self.now_ms + member.session_timeout_ms))

    def move(self, group: Group, state: GroupState, cause: Cause) -> None:
        before = group.state
        group.move(state, self.now_ms)
        self.note("state_changed", group, cause, detail={"from": before.value, "to": state.value})

    def note(
        self,
        kind: Kind,
        group: Group,
        cause: Cause,
        member: Member | None = None,
        reason: str | None = None,
        detail: dict[str, object] | None = None,
    ) -> None:
        """Write to the journal. `reason` is the client's own word, `cause` is ours."""
        event = JournalEvent(kind, self.now_ms, group.group_id, group.generation, cause, reason=reason)
        if member is not None:
            event.member_id = member.member_id
            event.instance_id = member.instance_id
            event.client_id = member.client_id
            event.client_host = member.client_host
        if detail is not None:
            event.detail = detail
        self.journal.append(event)

    def note_pending(
        self, kind: Kind, group: Group, cause: Cause, member_id: str, pending: PendingId, reason: str | None
    ) -> None:
        """The same about an id that is not a member's yet, or never became one."""
        self.note(kind, group, cause, reason=reason)
        event = self.journal[-1]
        event.member_id = member_id
        event.client_id = pending.client_id
        event.client_host = pending.client_host

    def outcome(self) -> Outcome:
        return Outcome(
            records=self.records,
            replies=self.replies,
            early_replies=self.early_replies,
            timers=self.timers,
            journal=self.journal,
            step=self.step,
        )
