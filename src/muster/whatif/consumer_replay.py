"""Recorded clients of the classic protocol as members of a consumer group (KIP-848), against the real core.

They come, leave and fall silent at their recorded times. What they do in between is theirs no longer: the coordinator assigns, and
members hear of it with their heartbeats. Only those heartbeats are replayed that can bring news, each at its time: a settled group
has none. A member gives up what it is told to at once, and says so with a heartbeat of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from muster.core.consumer.notes import by_name
from muster.core.consumer.records import Target
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import JOIN_EPOCH, LEFT_EPOCH, STATIC_LEFT_EPOCH, ConsumerGroupState
from muster.core.consumer.target import compute_target
from muster.core.journal import JournalEvent
from muster.whatif.changes import Setting
from muster.whatif.consumer_heartbeats import NEWS, silence_end
from muster.whatif.core_replay import Client, CoreReplay
from muster.whatif.initial_state import consumer_events, consumer_records, subscription_of
from muster.whatif.recorded import Recorded, RecordedMember
from muster.whatif.replayed_topics import ReplayedTopics
from muster.whatif.stretch import CannotReplay
from muster.wire import errors
from muster.wire.value import Value

_LAST: Final = 2**62
"""The order of what comes after all else in its millisecond."""
_TOO_EARLY: Final = 10
"""A heartbeat may come so many parts of its interval too early: as late as the one before was."""


class ConsumerClient(Client):
    def __init__(self, recorded: RecordedMember) -> None:
        super().__init__(recorded)
        self.member_id = recorded.member_id
        self.held: Target = {}
        self.heard_ms = recorded.came_ms
        """Its last heartbeat."""
        self.has_plan = False
        """Whether its next heartbeat is among what is to be done."""
        self._passed = 0
        """How many of its recorded heartbeats are over."""

    def next_heartbeat(self, now_ms: int, interval_ms: int, silences: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """When its next one comes, and its order among what comes then: the next recorded one, or one between its last and that.
        `silences`: when nobody's came."""
        recorded = self.recorded.heartbeats
        while self._passed < len(recorded) and recorded[self._passed][0] < now_ms:
            self._passed += 1
        next_ms = recorded[self._passed][0] if self._passed < len(recorded) else None
        at_ms = self._between_ms(now_ms, interval_ms, next_ms)
        order = self.recorded.order
        while (end_ms := silence_end(self.recorded.silences, silence_end(silences, at_ms))) != at_ms:
            at_ms, order = end_ms, _LAST  # the heartbeat that ended the silence was the first
        if next_ms is None or at_ms < next_ms:
            return at_ms, order
        self._passed += 1
        return recorded[self._passed - 1]

    def _between_ms(self, now_ms: int, interval_ms: int, next_ms: int | None) -> int:
        """Later than now: its heartbeats at their interval, from the last on; of those before `next_ms` as many as fit, evenly."""
        since_ms = now_ms - self.heard_ms
        if next_ms is None:
            return self.heard_ms + (since_ms // interval_ms + 1) * interval_ms
        until_ms = next_ms - self.heard_ms
        if until_ms <= since_ms:
            return next_ms
        fit = max(1, (until_ms + interval_ms // _TOO_EARLY) // interval_ms)
        number = since_ms * fit // until_ms + 1
        return self.heard_ms - (-number * until_ms // fit)


class ConsumerReplay(CoreReplay):
    def __init__(self, recorded: Recorded, setting: Setting) -> None:
        if any(each.settings.topics is None for each in setting.members):
            raise CannotReplay("its members are no consumers, and the new protocol has no others")
        topics = ReplayedTopics(setting.counts)
        super().__init__(recorded, setting.config, topics)
        self._setting = setting
        self._silences = () if recorded.coordinated is None else recorded.coordinated.silences
        self._interval_ms = setting.config.consumer_heartbeat_interval_ms
        self._members: dict[str, ConsumerClient] = {}
        clients = [ConsumerClient(each) for each in setting.members]
        self._load_members([client for client in clients if client.recorded.is_initial], topics)
        for client in clients:
            self._plan(client)

    def _load_members(self, clients: Sequence[ConsumerClient], topics: ReplayedTopics) -> None:
        """Those that are members from the beginning, with what the coordinator's assignor gives them."""
        snapshot, assignor = self._recorded.snapshot, self._setting.remote_assignor
        if snapshot is None or assignor is None:
            self._load((), ())
            return
        members = [client.recorded for client in clients]
        subscriptions = {each.member_id: subscription_of(each, assignor, topics) for each in members}
        targets = compute_target(subscriptions, {}, {}, (assignor,), topics)
        for client in clients:
            self._members[client.member_id] = client
            client.held, client.generation = targets[client.member_id], snapshot.generation
        given = {member_id: by_name(target, topics) for member_id, target in targets.items()}
        self.before = consumer_events(self._group, snapshot, members, given, assignor)
        self._load(consumer_records(self._group, snapshot, subscriptions, targets, topics), clients)

    # -- what clients do

    def _plan(self, client: ConsumerClient) -> None:
        recorded = client.recorded
        if not recorded.is_initial:
            self._at(recorded.came_ms, recorded.order, partial(self._join, client))
        if recorded.left_ms is not None:
            self._at(recorded.left_ms, recorded.order, partial(self._leave, client, LEFT_EPOCH))
        elif recorded.is_away and recorded.silent_ms is not None:
            self._at(recorded.silent_ms, recorded.order, partial(self._leave, client, STATIC_LEFT_EPOCH))

    def _join(self, client: ConsumerClient) -> None:
        if not client.is_alive(self._now_ms):
            return
        self._clients[client.member_id] = self._members[client.member_id] = client
        client.held, client.generation = {}, JOIN_EPOCH
        self._beat(client, JOIN_EPOCH, is_full=True)

    def _leave(self, client: ConsumerClient, epoch: int) -> None:
        group = self._shard.consumer_groups.get(self._group)
        if group is not None and client.member_id in group.members and client.is_alive(self._now_ms):
            self._beat(client, epoch, is_full=False)
        client.is_gone = True

    def _beat(self, client: ConsumerClient, epoch: int, *, is_full: bool, owned: Target | None = None) -> None:
        """`is_full`: with all that a member says when it joins."""
        recorded = client.recorded
        client.heard_ms = self._now_ms
        topics = recorded.settings.topics or tuple(sorted(self._setting.counts))
        request = ConsumerHeartbeat(
            self._group,
            client.member_id,
            epoch,
            recorded.instance,
            None,
            recorded.settings.rebalance_timeout_ms if is_full else -1,
            topics if is_full else None,
            None,
            self._setting.remote_assignor if is_full else None,
            {} if is_full else owned,
            recorded.client,
            recorded.host,
            True,
        )
        self._send(request, client)

    # -- how they react

    def _on_event(self, event: JournalEvent) -> None:
        if event.kind in NEWS:
            for client in self._members.values():
                self._plan_beat(client)

    def _plan_beat(self, client: ConsumerClient) -> None:
        if client.has_plan or client.generation <= JOIN_EPOCH or not client.is_alive(self._now_ms):
            return
        client.has_plan = True
        at_ms, order = client.next_heartbeat(self._now_ms, self._interval_ms, self._silences)
        self._at(at_ms, order, partial(self._regular, client))

    def _regular(self, client: ConsumerClient) -> None:
        client.has_plan = False
        if not client.is_alive(self._now_ms) or client.generation <= JOIN_EPOCH:
            return
        self._beat(client, client.generation, is_full=False)
        group = self._shard.consumer_groups.get(self._group)
        if group is not None and group.state() is not ConsumerGroupState.STABLE:
            self._plan_beat(client)

    def _on_reply(self, client: Client, reply: Value) -> None:
        assert isinstance(client, ConsumerClient)
        if not isinstance(reply, ConsumerHeartbeatReply) or reply.member_epoch < JOIN_EPOCH:
            return
        order = client.recorded.order
        if reply.error == errors.UNRELEASED_INSTANCE_ID:  # its crashed predecessor still has the name: started again
            self._at(self._now_ms + self._interval_ms, order, partial(self._join, client))
        elif reply.error in (errors.UNKNOWN_MEMBER_ID, errors.FENCED_MEMBER_EPOCH):
            client.generation = LEFT_EPOCH
            self._at(client.recorded.polls_at(self._now_ms), order, partial(self._join, client))
        elif reply.error == errors.NONE:
            client.generation = reply.member_epoch
            if reply.assignment is not None and reply.assignment != client.held:
                before, client.held = client.held, reply.assignment
                is_less = any(
                    not set(numbers) <= set(reply.assignment.get(topic_id, ())) for topic_id, numbers in before.items()
                )
                at_ms = client.recorded.gives_up_at(self._now_ms) if is_less else self._now_ms
                self._at(at_ms, order, partial(self._acknowledge, client, reply.assignment))

    def _acknowledge(self, client: ConsumerClient, held: Mapping[bytes, tuple[int, ...]]) -> None:
        if client.is_alive(self._now_ms) and client.held == held and client.generation > JOIN_EPOCH:
            self._beat(client, client.generation, is_full=False, owned=client.held)
            group = self._shard.consumer_groups.get(self._group)
            if group is not None and group.state() is not ConsumerGroupState.STABLE:
                self._plan_beat(client)

    # -- what the core is told

    def _new_id(self) -> str:
        raise AssertionError("members bring their own ids")

    def _session_ms(self, client: Client) -> int | None:
        group = self._shard.consumer_groups.get(self._group)
        return self._patience_ms(client) if group is not None and client.member_id in group.members else None

    def _patience_ms(self, client: Client) -> int:
        """The session timeout is the broker's in this protocol."""
        return self._setting.config.consumer_session_timeout_ms
