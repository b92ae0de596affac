"""The real coordinator core on a virtual clock: carries its outcomes out, keeps its timers, and runs what clients have planned.

Knows nothing of what clients do: `classic_replay` and `consumer_replay` are built on it and say so. Heartbeats are not replayed one
by one: a member that is alive keeps its session, and the time in which nothing else happens is passed over.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from muster.core.assignors.contract import TopicPartition
from muster.core.config import GroupConfig
from muster.core.consumer.topics import TopicView
from muster.core.contract import Outcome, TimerKey
from muster.core.journal import JournalEvent
from muster.core.records import Record
from muster.core.requests import Request
from muster.core.shard import Shard
from muster.explain import words
from muster.explain.event import Event
from muster.whatif.recorded import Recorded, RecordedMember
from muster.whatif.stretch import CannotReplay
from muster.whatif.timers import Timers
from muster.wire.value import Value

MOST_STEPS: Final = 5_000_000
"""Timers and actions of clients in one replay. Anybody who may write to the journal's topic can make up a history without end."""


class Client:
    """A recorded process, playing its part."""

    def __init__(self, recorded: RecordedMember) -> None:
        self.recorded = recorded
        self.member_id = ""
        self.changes = 0
        """How often it has subscribed to something else."""
        self.is_gone = False
        self.owned: list[TopicPartition] = []
        self.generation = -1
        """Of the classic protocol; the member epoch in the new one."""

    def is_alive(self, now_ms: int) -> bool:
        silent_ms = self.recorded.silent_ms
        return not self.is_gone and (silent_ms is None or now_ms <= silent_ms)

    def is_heard(self, now_ms: int) -> bool:
        """Whether it still keeps its session."""
        heard_ms = self.recorded.heard_ms
        return self.is_alive(now_ms) and (heard_ms is None or now_ms <= heard_ms)


class Ticket:
    __slots__ = ("client",)

    def __init__(self, client: Client) -> None:
        self.client = client


class CoreReplay(ABC):
    """One replay. A protocol's subclass says what its clients do, and hears of events and replies."""

    def __init__(self, recorded: Recorded, config: GroupConfig, topics: TopicView | None = None) -> None:
        self.journal: list[JournalEvent] = []
        self.before: list[Event] = []
        """How the group stood when the replay began, as events. None if it was created then."""
        self._recorded = recorded
        self._group = recorded.group
        self._shard = Shard(config, self._new_id, topics)
        self._expiry_interval_ms = config.offsets_retention_check_interval_ms
        self._timers = Timers()
        self._quiet_until_ms = recorded.begin_ms
        """Before this moment nothing happens but that sessions are kept."""
        self._todo: list[tuple[int, int, int, Callable[[], None]]] = []
        self._count = 0
        self._now_ms = recorded.begin_ms
        self._clients: dict[str, Client] = {}
        """By the member id that the replay gave."""
        self._requester: Client | None = None
        """Whose request is being handled."""
        self._log_offset = 0

    def _load(self, records: Iterable[Record], initial: Iterable[Client]) -> None:
        """Begin as a coordinator does: with what its log holds, and with these clients as members of it."""
        for client in initial:
            self._clients[client.member_id] = client
        for record in records:
            self._append(record)
        self._carry_out(self._shard.on_loaded(self._now_ms))
        for key, deadline_ms, _ in list(self._timers):
            self._shorten_if_silent(key, deadline_ms)

    def _shorten_if_silent(self, key: TimerKey, deadline_ms: int) -> None:
        """A coordinator that loads gives everybody a session from then on: the recorded one had not just loaded."""
        client = self._clients.get(key[-1]) if key[0] == "session" else None
        silent_ms = None if client is None else client.recorded.silent_ms
        if client is not None and silent_ms is not None and silent_ms <= self._now_ms:
            last_ms = silent_ms + self._patience_ms(client)
            self._timers.set(key, max(self._now_ms, min(deadline_ms, last_ms)))

    def run(self) -> list[JournalEvent]:
        """Up to the last recorded event: what would come later is not known of the recorded history either.

        CannotReplay if that takes more than `MOST_STEPS`.
        """
        # The core looks for expired offsets again and again: of a history that is too long the number of steps is known before.
        is_too_long = self._recorded.end_ms - self._now_ms > MOST_STEPS * self._expiry_interval_ms
        for _ in range(0 if is_too_long else MOST_STEPS):
            if not self._step():
                return self.journal
        ends = words.moment(self._recorded.end_ms)
        raise CannotReplay(f"its journal, which ends at {ends} UTC, takes more than {MOST_STEPS:,} steps to replay")

    def _step(self) -> bool:
        """What is due next. False: nothing is, before the end."""
        end_ms = self._recorded.end_ms
        timer = self._timers.first()
        task_ms = self._todo[0][0] if self._todo else None
        if timer is not None and timer[0] <= end_ms and (task_ms is None or timer[0] <= task_ms):
            self._now_ms = max(self._now_ms, timer[0])
            self._fire(timer[1])
        elif task_ms is not None and task_ms <= end_ms:
            self._now_ms = task_ms
            heapq.heappop(self._todo)[3]()
        else:
            return False
        return True

    def silent(self) -> dict[str, int | None]:
        """By member id: the last sign of life of those that fell silent."""
        return {member_id: client.recorded.silent_ms for member_id, client in self._clients.items()}

    # -- what the protocols say

    @abstractmethod
    def _new_id(self) -> str:
        """The text of the next id that the coordinator gives out."""

    @abstractmethod
    def _on_reply(self, client: Client, reply: Value) -> None: ...

    @abstractmethod
    def _on_event(self, event: JournalEvent) -> None:
        """An event of a step that has been carried out."""

    @abstractmethod
    def _session_ms(self, client: Client) -> int | None:
        """The session timeout of this member, if it keeps its session by heartbeats now. None: it is no member, or has to act."""

    # -- the clock

    def _at(self, at_ms: int, order: int, task: Callable[[], None]) -> None:
        """`order`: who comes first of two at the same millisecond."""
        self._count += 1
        heapq.heappush(self._todo, (max(at_ms, self._now_ms), order, self._count, task))

    def _fire(self, key: TimerKey) -> None:
        session_ms = self._kept_session_ms(key, self._now_ms)
        self._timers.cancel(key)
        if session_ms is not None:
            self._set_timer(key, self._now_ms + session_ms, self._now_ms)
            if self._now_ms >= self._quiet_until_ms and self._planned_ms() > self._now_ms + session_ms:
                self._pass_quiet_time()
            return
        self._requester = None
        self._carry_out(self._shard.on_timer(key, self._now_ms))

    def _kept_session_ms(self, key: TimerKey, due_ms: int) -> int | None:
        """The session timeout behind this timer, if its member is still heard of when it is due. None: the core is to decide."""
        client = self._clients.get(key[-1]) if key[0] == "session" else None
        return None if client is None or not client.is_heard(due_ms) else self._session_ms(client)

    def _planned_ms(self) -> int:
        """When clients act next, or the end."""
        return min(self._todo[0][0], self._recorded.end_ms) if self._todo else self._recorded.end_ms

    def _pass_quiet_time(self) -> None:
        """Set the timers of kept sessions as they would be after firing again and again until anything else happens.

        Two that are due in the same millisecond fire in the order in which they were set, so that order has to be the same too: by
        when each was set last; then by when the timer that fired there had been set, and so on back to the timers as they are now.
        """
        until_ms = self._planned_ms()
        kept: list[tuple[TimerKey, int, int, int]] = []
        for key, due_ms, number in self._timers:
            session_ms = self._kept_session_ms(key, due_ms)
            if session_ms is None:
                until_ms = min(until_ms, due_ms)
                continue
            heard_ms = self._clients[key[-1]].recorded.heard_ms
            until_ms = until_ms if heard_ms is None else min(until_ms, heard_ms)
            kept.append((key, due_ms, number, session_ms))
        moved = []
        for key, due_ms, number, session_ms in kept:
            if due_ms < until_ms:
                last_ms = due_ms + (until_ms - 1 - due_ms) // session_ms * session_ms
                before = (0, 0) if last_ms == due_ms else (1, last_ms - session_ms)
                moved.append((last_ms, before, -due_ms, number, key, session_ms))
        for last_ms, _, _, _, key, session_ms in sorted(moved):
            self._set_timer(key, last_ms + session_ms, last_ms)
        self._quiet_until_ms = until_ms

    def _set_timer(self, key: TimerKey, deadline_ms: int, now_ms: int) -> None:
        """A member that falls silent is missed a session timeout after its last sign of life, not after the last timer. One that
        waits for the end of a join phase then has a session from that end on."""
        client = self._clients.get(key[-1]) if key[0] == "session" else None
        heard_ms = None if client is None else client.recorded.heard_ms
        if client is not None and heard_ms is not None and now_ms < heard_ms <= deadline_ms:
            deadline_ms = max(deadline_ms, heard_ms + self._patience_ms(client))
        self._timers.set(key, deadline_ms)

    def _patience_ms(self, client: Client) -> int:
        return client.recorded.settings.session_timeout_ms

    # -- the core

    def _send(self, request: Request, client: Client) -> None:
        self._requester = client
        self._carry_out(self._shard.handle(request, Ticket(client), self._now_ms))

    def _carry_out(self, outcome: Outcome) -> None:
        """In the order that `muster.core.contract` states; what is appended is durable at once."""
        for event in outcome.journal:
            if event.member_id is not None and event.kind in ("member_joined", "static_replaced", "member_id_given"):
                self._name(event.member_id)
        for key, deadline_ms in outcome.timers:
            if deadline_ms is None:
                self._timers.cancel(key)
            else:
                self._set_timer(key, deadline_ms, self._now_ms)
        self._release(outcome.early_replies)
        self.journal.extend(outcome.journal)
        for record in outcome.records:
            self._append(record)
        follow_up = self._shard.on_durable(outcome.step, self._now_ms) if outcome.step is not None else None
        self._release(outcome.replies)
        for event in outcome.journal:
            self._on_event(event)
        if follow_up is not None:
            self._carry_out(follow_up)

    def _append(self, record: Record) -> None:
        self._shard.replay(record, self._log_offset)
        self._log_offset += 1

    def _name(self, member_id: str) -> None:
        if self._requester is not None:
            self._requester.member_id = member_id
            self._clients[member_id] = self._requester

    def _release(self, replies: Sequence[tuple[object, Value]]) -> None:
        for ticket, reply in replies:
            assert isinstance(ticket, Ticket)
            self._on_reply(ticket.client, reply)
