"""What one decision of the core may ask of the world. The whole contract between decisions and everything else.

    shard.handle(request, ticket, now_ms) -> Outcome      a client asked
    shard.on_marker(marker, ticket, now_ms)-> Outcome     a transaction has ended
    shard.on_timer(key, now_ms)           -> Outcome      a deadline passed
    shard.on_loaded(now_ms)               -> Outcome      the log has been replayed
    shard.on_topics_deleted(names, now_ms)-> Outcome      user topics are gone
    shard.on_unload(now_ms)               -> Outcome      this node no longer owns the partition
    shard.replay(record, log_offset)                      the ONLY place where durable facts change
    shard.on_durable(step, now_ms)        -> Outcome      an outcome's records are durable and were replayed
    shard.on_append_failed(outcome, error_code, now_ms) -> Outcome   they never will be
    shard.on_append_overdue(outcome, now_ms) -> Outcome   nobody waits for them any longer; they may still become durable

The runtime carries an outcome out in this order:

1. `early_replies`, `timers` and `journal` at once.
2. `records` are appended in one batch. When they are durable each one goes through `replay`, then `on_durable(step)` is
   asked if there is a step, then `replies` are released, then the outcome of `on_durable` is carried out.
3. Without records `replies` are released at once.
4. If the append fails the facts never changed: `on_append_failed` turns the waiting replies into errors (spec 4.3).

While a group has group records (not offset records) in flight, later events for that group wait their turn in the
runtime.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final, TypeAlias

from mypy_extensions import mypyc_attr, trait

from muster.wire.value import Value

if TYPE_CHECKING:
    from muster.core.journal import JournalEvent
    from muster.core.records import Record

Ticket: TypeAlias = object
"""The right to exactly one reply. Opaque here; the server makes it, the core keeps it, the runtime redeems it."""

TimerKey: TypeAlias = tuple[str, ...]
"""("session", group, member) | ("join", group) | ("sync", group) | ("expire",); in consumer groups also ("revoke", group, member)
| ("regex", group) | ("join", group, member) | ("sync", group, member). Setting an existing key replaces it."""

TimerChange: TypeAlias = tuple[TimerKey, int | None]
"""(key, absolute deadline in ms) sets or moves the timer; (key, None) cancels it."""

TicketReply: TypeAlias = tuple[Ticket, Value]
"""The reply is one of `core.replies`, or of `core.transactions.replies`: the code that redeems the ticket knows which."""


@mypyc_attr(acyclic=True)
class Outcome(Value):
    """What one decision asks of the world. Plain data, never changed once it was returned."""

    __match_args__ = ("records", "replies", "early_replies", "timers", "journal", "step")
    __slots__ = __match_args__

    def __init__(
        self,
        records: list[Record] | tuple[()] = (),
        replies: list[TicketReply] | tuple[()] = (),
        early_replies: list[TicketReply] | tuple[()] = (),
        timers: list[TimerChange] | tuple[()] = (),
        journal: list[JournalEvent] | tuple[()] = (),
        step: Value | None = None,
    ) -> None:
        self.records: Final = records
        self.replies: Final = replies
        """Released when `records` are durable; at once if there are none."""
        self.early_replies: Final = early_replies
        """Released at once, whatever happens to the records (spec 3.4 step 12: MEMBER_ID_REQUIRED does not wait)."""
        self.timers: Final = timers
        self.journal: Final = journal
        self.step: Final = step
        """What is left to do once `records` are durable, or have failed."""


@trait
class StateMachine:
    """The decisions of one coordinator partition, as the runtime calls them. `handle` and `replay` have types of their own."""

    @abstractmethod
    def on_timer(self, key: TimerKey, now_ms: int) -> Outcome: ...

    @abstractmethod
    def on_loaded(self, now_ms: int) -> Outcome: ...

    @abstractmethod
    def on_unload(self, now_ms: int) -> Outcome: ...

    @abstractmethod
    def on_durable(self, step: Value, now_ms: int) -> Outcome: ...

    @abstractmethod
    def on_append_failed(self, outcome: Outcome, error_code: int, now_ms: int) -> Outcome: ...

    @abstractmethod
    def on_append_overdue(self, outcome: Outcome, now_ms: int) -> Outcome: ...
