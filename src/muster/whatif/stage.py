"""The real coordinator core on a virtual clock: carries its outcomes out, keeps its timers, and runs what clients have planned.

Knows nothing of what clients do: `classic_replay` and `consumer_replay` are built on it and say so. Heartbeats are not replayed one
by one: a member that is alive keeps its session.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence

from muster.core.assignors.contract import TopicPartition
from muster.core.config import GroupConfig
from muster.core.consumer.topics import TopicView
from muster.core.contract import Outcome, TimerKey
from muster.core.journal import JournalEvent
from muster.core.records import Record
from muster.core.requests import Request
from muster.core.shard import Shard
from muster.explain.event import Event
from muster.whatif.recorded import Life, Recorded
from muster.wire.value import Value


class Client:
    """A recorded process, playing its part."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.member_id = ""
        self.changes = 0
        """How often it has subscribed to something else."""
        self.is_gone = False
        self.owned: list[TopicPartition] = []
        self.generation = -1
        """Of the classic protocol; the member epoch in the new one."""

    def is_alive(self, now_ms: int) -> bool:
        silent_ms = self.life.silent_ms
        return not self.is_gone and (silent_ms is None or now_ms <= silent_ms)


class Ticket:
    __slots__ = ("client",)

    def __init__(self, client: Client) -> None:
        self.client = client


class Stage(ABC):
    def __init__(self, recorded: Recorded, config: GroupConfig, topics: TopicView | None = None) -> None:
        self.journal: list[JournalEvent] = []
        self.before: list[Event] = []
        """How the group stood when the replay began, as events. None if it was created then."""
        self._recorded = recorded
        self._group = recorded.group
        self._shard = Shard(config, self._new_id, topics)
        self._timers: dict[TimerKey, int] = {}
        self._todo: list[tuple[int, int, int, Callable[[], None]]] = []
        self._count = 0
        self._now_ms = recorded.begin_ms
        self._clients: dict[str, Client] = {}
        """By the member id that the replay gave."""
        self._asking: Client | None = None
        """Whose request is being handled."""
        self._log_offset = 0

    def _load(self, records: Iterable[Record], seated: Iterable[Client]) -> None:
        """Begin as a coordinator does: with what its log holds, and with these clients as members of it."""
        for client in seated:
            self._clients[client.member_id] = client
        for record in records:
            self._append(record)
        self._carry_out(self._shard.on_loaded(self._now_ms))

    def run(self) -> list[JournalEvent]:
        """Up to the last recorded event: what would come later is not known of the recorded history either."""
        end_ms = self._recorded.end_ms
        while True:
            timer = min(self._timers, key=self._timers.__getitem__, default=None)
            due_ms = None if timer is None else self._timers[timer]
            task_ms = self._todo[0][0] if self._todo else None
            if due_ms is not None and due_ms <= end_ms and (task_ms is None or due_ms <= task_ms):
                assert timer is not None
                self._now_ms = max(self._now_ms, due_ms)
                self._fire(timer)
            elif task_ms is not None and task_ms <= end_ms:
                self._now_ms = task_ms
                heapq.heappop(self._todo)[3]()
            else:
                return self.journal

    def silent(self) -> dict[str, int | None]:
        """By member id: the last sign of life of those that fell silent."""
        return {member_id: client.life.silent_ms for member_id, client in self._clients.items()}

    # -- what the protocols say

    @abstractmethod
    def _new_id(self) -> str:
        """The text of the next id that the coordinator gives out."""

    @abstractmethod
    def _answered(self, client: Client, reply: Value) -> None: ...

    @abstractmethod
    def _told(self, event: JournalEvent) -> None:
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
        del self._timers[key]
        client = self._clients.get(key[-1]) if key[0] == "session" else None
        if client is not None and client.is_alive(self._now_ms):
            session_ms = self._session_ms(client)
            if session_ms is not None:
                self._set_timer(key, self._now_ms + session_ms)
                return
        self._asking = None
        self._carry_out(self._shard.on_timer(key, self._now_ms))

    def _set_timer(self, key: TimerKey, deadline_ms: int) -> None:
        """A member that falls silent is missed a session timeout after its last sign of life, not after the last timer."""
        client = self._clients.get(key[-1]) if key[0] == "session" else None
        silent_ms = None if client is None else client.life.silent_ms
        if client is not None and silent_ms is not None:
            last_ms = silent_ms + self._patience_ms(client)
            deadline_ms = max(self._now_ms, min(deadline_ms, last_ms)) if self._now_ms >= silent_ms else deadline_ms
            deadline_ms = last_ms if self._now_ms < silent_ms <= deadline_ms < last_ms else deadline_ms
        self._timers[key] = deadline_ms

    def _patience_ms(self, client: Client) -> int:
        return client.life.asks.session_timeout_ms

    # -- the core

    def _ask(self, request: Request, client: Client) -> None:
        self._asking = client
        self._carry_out(self._shard.handle(request, Ticket(client), self._now_ms))

    def _carry_out(self, outcome: Outcome) -> None:
        """In the order that `muster.core.contract` states; what is appended is durable at once."""
        for event in outcome.journal:
            if event.member_id is not None and event.kind in ("member_joined", "static_replaced", "member_id_given"):
                self._name(event.member_id)
        for key, deadline_ms in outcome.timers:
            self._timers.pop(key, None)
            if deadline_ms is not None:
                self._set_timer(key, deadline_ms)
        self._release(outcome.early_replies)
        self.journal.extend(outcome.journal)
        for record in outcome.records:
            self._append(record)
        follow_up = self._shard.on_durable(outcome.step, self._now_ms) if outcome.step is not None else None
        self._release(outcome.replies)
        for event in outcome.journal:
            self._told(event)
        if follow_up is not None:
            self._carry_out(follow_up)

    def _append(self, record: Record) -> None:
        self._shard.replay(record, self._log_offset)
        self._log_offset += 1

    def _name(self, member_id: str) -> None:
        if self._asking is not None:
            self._asking.member_id = member_id
            self._clients[member_id] = self._asking

    def _release(self, replies: Sequence[tuple[object, Value]]) -> None:
        for ticket, reply in replies:
            assert isinstance(ticket, Ticket)
            self._answered(ticket.client, reply)
