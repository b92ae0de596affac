"""Recorded clients of the classic protocol against the real core: with the recorded settings, or with others.

Clients come, leave and fall silent at their recorded times. They react to the coordinator: in a join phase they join again after
the time that they took in this one, or usually take; the leader assigns after the time that it took. So other settings lead to
other join phases, and to other reactions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from statistics import median_low
from typing import Final

from muster.core.assignors.choice import ASSIGNORS, RANGE
from muster.core.assignors.contract import TopicPartition
from muster.core.classic.group import Group
from muster.core.classic.states import COMPLETING_REBALANCE, PREPARING_REBALANCE
from muster.core.journal import JournalEvent
from muster.core.replies import JoinReply, SyncReply
from muster.core.requests import JoinGroup, LeaveGroup, LeavingMember, SyncGroup
from muster.explain.assignments import owners_in
from muster.whatif.changes import Setting
from muster.whatif.core_replay import Client, CoreReplay
from muster.whatif.initial_state import classic_events, classic_record
from muster.whatif.leader import assign, assign_to, by_topic, is_cooperative
from muster.whatif.recorded import OwnJoin, Recorded, RecordedMember, Rejoin
from muster.whatif.stretch import GroupSnapshot
from muster.wire import errors
from muster.wire.consumer_protocol import Subscription, encode_subscription
from muster.wire.value import Value

_USUAL_REACTION_MS: Final = 3_000
"""In a group of which nobody ever showed how long it takes: Kafka's default heartbeat interval."""
_NOT_RECORDED: Final[tuple[int, dict[str, bytes]]] = (-1, {})


class ClassicReplay(CoreReplay):
    def __init__(self, recorded: Recorded, setting: Setting) -> None:
        self._next_id = ""
        self._ids = 0
        super().__init__(recorded, setting.config)
        self._setting = setting
        self._reactions = _reactions(recorded.members)
        self._computed: set[int] = set()
        """Generations whose assignment is not the recorded one."""
        clients = [Client(each) for each in setting.members]
        self._load_members([client for client in clients if client.recorded.is_initial])
        for client in clients:
            self._plan(client)

    def _load_members(self, clients: Sequence[Client]) -> None:
        """Those that are members from the beginning: with what they had then, or would have had with these settings."""
        snapshot = self._recorded.snapshot
        if snapshot is None:
            self._load((), ())
            return
        for client in clients:
            client.member_id = client.recorded.member_id
        snapshot = self._snapshot(snapshot, clients)
        subscriptions = {each.member_id: self._metadata(each, snapshot.protocol or "") for each in clients}
        members = [client.recorded for client in clients]
        self.before = classic_events(self._group, snapshot, members)
        self._load([classic_record(self._group, snapshot, members, subscriptions)], clients)
        for client in clients:
            client.owned = _owned(client.member_id, snapshot.assignments[client.member_id])
            client.generation = snapshot.generation

    def _snapshot(self, recorded: GroupSnapshot, clients: Sequence[Client]) -> GroupSnapshot:
        ids = [client.member_id for client in clients]
        if not clients:
            return GroupSnapshot(recorded.at_ms, recorded.generation)
        if set(ids) == set(recorded.assignments) and self._setting.assigns_as_recorded:
            return recorded
        self._computed.add(recorded.generation)
        offered = clients[0].recorded.settings.protocols
        protocol = recorded.protocol if recorded.protocol in offered else offered[0]
        said = [(each.member_id, each.recorded.instance, self._metadata(each, protocol or "")) for each in clients]
        given = assign_to(protocol, said, self._setting.counts)
        leader = recorded.leader if recorded.leader in ids else ids[0]
        return GroupSnapshot(recorded.at_ms, recorded.generation, protocol, leader, given)

    # -- what clients do

    def _plan(self, client: Client) -> None:
        recorded = client.recorded
        if not recorded.is_initial:
            self._at(recorded.came_ms, recorded.order, partial(self._join, client, "", recorded.join_reason))
        if recorded.left_ms is not None:
            self._at(recorded.left_ms, recorded.order, partial(self._leave, client))
        for own in recorded.own_joins:
            self._at(own.at_ms, own.order, partial(self._join_unasked, client, own))

    def _join(self, client: Client, member_id: str, reason: str | None) -> None:
        recorded = client.recorded
        if not client.is_alive(self._now_ms):
            return
        recorded_id = recorded.member_id.removeprefix(f"{recorded.instance or recorded.client}-")
        self._next_id = "" if client.member_id else recorded_id
        settings = recorded.settings
        request = JoinGroup(
            self._group,
            member_id,
            recorded.instance,
            recorded.client,
            recorded.host,
            settings.session_timeout_ms,
            settings.rebalance_timeout_ms,
            "consumer",
            tuple((name, self._metadata(client, name)) for name in settings.protocols),
            reason,
            recorded.asked_id_ms is not None and recorded.instance is None,
            True,
        )
        self._send(request, client)

    def _metadata(self, client: Client, protocol: str) -> bytes:
        assignor = ASSIGNORS.get(protocol, RANGE)
        data = assignor.user_data(client.owned, client.generation)
        topics = list(client.recorded.settings.topics or ())
        if client.changes:  # another subscription than before: how it differed is not recorded
            data = b"%d" % client.changes
        kept = by_topic(client.owned) if assignor.cooperative else ()
        return encode_subscription(Subscription(topics, data, kept, client.generation if kept else -1))

    def _leave(self, client: Client) -> None:
        recorded = client.recorded
        if client.member_id and client.is_alive(self._now_ms):
            self._send(
                LeaveGroup(self._group, (LeavingMember(client.member_id, recorded.instance, recorded.leave_reason),)),
                client,
            )
        client.is_gone = True

    def _join_unasked(self, client: Client, own: OwnJoin) -> None:
        """Of a cooperative member it is the answer to one assignment, and that may be another one here: see `_give_up`."""
        group = self._shard.groups.get(self._group)
        if own.is_cooperative and group is not None and group.generation in self._computed:
            return
        client.changes += own.is_changed
        if client.member_id:
            self._join(client, client.member_id, own.reason)

    # -- how they react

    def _on_event(self, event: JournalEvent) -> None:
        if event.kind == "rebalance_started":
            self._rejoin_all(event.at_ms)

    def _rejoin_all(self, started_ms: int) -> None:
        group = self._shard.groups[self._group]
        for member in group.members.values():
            client = self._clients[member.member_id]
            if member.parked_join is not None:
                continue
            known = client.recorded.rejoins.get(started_ms)
            if known is None and not (client.recorded.is_as_recorded and started_ms in self._recorded.phases.starts):
                known = [Rejoin(self._usual(client.recorded), client.recorded.order, None)]
            for each in known or ():
                at_ms = client.recorded.polls_at(started_ms + each.after_ms)
                self._at(at_ms, each.order, partial(self._rejoin, client, each.reason))

    def _rejoin(self, client: Client, reason: str | None) -> None:
        group = self._shard.groups.get(self._group)
        if group is None or client.is_gone:
            return
        if client.member_id not in group.members:
            self._begin_anew(client, group)
        elif group.state is PREPARING_REBALANCE:
            self._join(client, client.member_id, reason)

    def _begin_anew(self, client: Client, group: Group) -> None:
        """It was not waited for, hears UNKNOWN_MEMBER_ID, and joins as a new member."""
        instance = client.recorded.instance
        is_fenced = instance is not None and (client.recorded.is_late or instance in group.static_members)
        if client.member_id in group.pending_joins or is_fenced:
            return
        self._join_as_new(client, client.member_id)

    def _expelled(self, client: Client) -> None:
        """It hears UNKNOWN_MEMBER_ID and joins as a new member, unless the recording has that as another member."""
        if not client.recorded.is_late:
            at_ms = client.recorded.polls_at(self._now_ms + max(1, self._usual(client.recorded)))
            self._at(at_ms, client.recorded.order, partial(self._join_as_new, client, client.member_id))

    def _join_as_new(self, client: Client, gone_id: str) -> None:
        """`gone_id`: it may have come back by now."""
        if client.member_id != gone_id:
            return
        client.owned, client.generation = [], -1
        self._join(client, "", None)

    def _on_reply(self, client: Client, reply: Value) -> None:
        if isinstance(reply, JoinReply | SyncReply) and reply.error == errors.UNKNOWN_MEMBER_ID:
            self._expelled(client)
        elif isinstance(reply, JoinReply):
            self._joined(client, reply)
        elif isinstance(reply, SyncReply) and reply.error == errors.NONE:
            self._assigned(client, reply)

    def _joined(self, client: Client, reply: JoinReply) -> None:
        recorded = client.recorded
        if reply.error == errors.MEMBER_ID_REQUIRED:
            client.member_id = reply.member_id
            self._clients[reply.member_id] = client
            if recorded.joined_ms is not None and recorded.asked_id_ms is not None:
                after_ms = recorded.joined_ms - recorded.asked_id_ms
                self._at(
                    self._now_ms + after_ms,
                    recorded.order,
                    lambda: self._join(client, reply.member_id, recorded.join_reason),
                )
        elif reply.error == errors.NONE and recorded.silent_ms != self._now_ms and client.is_alive(self._now_ms):
            # Silent since this moment: its session begins here, and nothing was heard of it since it had joined.
            self._sync(client, reply)

    def _sync(self, client: Client, reply: JoinReply) -> None:
        if reply.leader != client.member_id or reply.skip_assignment:
            self._at(self._now_ms, client.recorded.order, lambda: self._send_sync(client, reply, {}))
            return
        key = (reply.generation, self._now_ms)
        known = self._recorded.phases.syncs.get(key, _NOT_RECORDED)
        # Recorded, and cut short before the leader had assigned: it would have done so later.
        after_ms, assignments = known or (max(self._usual_sync(), self._recorded.phases.cuts[key] + 1), {})
        is_same_group = set(assignments) == {member.member_id for member in reply.members}
        if not assignments or not is_same_group or not self._setting.assigns_as_recorded:
            assignments = assign(reply, self._setting.counts)
            if known is not None:
                self._computed.add(reply.generation)
        if after_ms < 0:
            after_ms = self._usual_sync()
        send = self._send_sync if known is not None else self._send_sync_if_waited_for
        self._at(self._now_ms + after_ms, client.recorded.order, partial(send, client, reply, assignments))

    def _send_sync(self, client: Client, reply: JoinReply, assignments: dict[str, bytes]) -> None:
        if client.is_alive(self._now_ms) and client.member_id == reply.member_id:
            pairs = tuple(assignments.items())
            request = SyncGroup(
                self._group, reply.generation, client.member_id, client.recorded.instance, None, None, pairs
            )
            self._send(request, client)

    def _send_sync_if_waited_for(self, client: Client, reply: JoinReply, assignments: dict[str, bytes]) -> None:
        """With the recorded settings the join phase is over by then, and the leader's reaction to that is recorded."""
        group = self._shard.groups.get(self._group)
        if not client.is_alive(self._now_ms) or client.member_id != reply.member_id:
            return
        if group is None or client.member_id not in group.members:
            self._expelled(client)
        elif group.generation == reply.generation and group.state is COMPLETING_REBALANCE:
            self._computed.add(reply.generation)  # not before: the recorded join that cut it short counts until now
            self._send_sync(client, reply, assignments)

    def _assigned(self, client: Client, reply: SyncReply) -> None:
        """KIP-429: a cooperative member that was to give something up does so, and joins again for others to take it."""
        group = self._shard.groups[self._group]
        before = client.owned
        client.owned = _owned(client.member_id, reply.assignment)
        client.generation = group.generation
        if is_cooperative(reply.protocol_name) and not set(before) <= set(client.owned):
            self._at(self._now_ms, client.recorded.order, lambda: self._give_up(client, group.generation))

    def _give_up(self, client: Client, generation: int) -> None:
        group = self._shard.groups.get(self._group)
        if generation not in self._computed or group is None or group.generation != generation:
            return  # as recorded: then its join is in the recording
        if client.member_id in group.members:
            self._join(client, client.member_id, None)

    def _usual(self, recorded: RecordedMember) -> int:
        """How long it takes to join again: as it mostly did, else as most of the group did."""
        return median_low(_reactions([recorded]) or self._reactions or [_USUAL_REACTION_MS])

    def _usual_sync(self) -> int:
        return median_low([sync[0] for sync in self._recorded.phases.syncs.values() if sync is not None] or [0])

    # -- what the core is told

    def _new_id(self) -> str:
        chosen, self._next_id = self._next_id, ""
        self._ids += 1
        return chosen or f"replayed-{self._ids}"

    def _session_ms(self, client: Client) -> int | None:
        """Not while it waits for an answer, nor before it is a member."""
        group = self._shard.groups.get(self._group)
        member = None if group is None else group.members.get(client.member_id)
        return None if member is None or member.is_new else member.session_timeout_ms


def _owned(member_id: str, assignment: bytes) -> list[TopicPartition]:
    return sorted(TopicPartition(*place) for place in owners_in({member_id: assignment}) or ())


def _reactions(members: Iterable[RecordedMember]) -> list[int]:
    return [each.after_ms for member in members for rejoins in member.rejoins.values() for each in rejoins]
