"""Whoever watches a simulated world: what members were told, and what the logs and shards say at the end, goes into the history.

Shared by the world of one server and the world of a cluster; knows nothing of how servers live and die.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from muster.core.classic.states import GroupState
from muster.core.consumer.records import ConsumerGroupRecord
from muster.core.journal import JournalEvent
from muster.core.records import GroupErased, GroupStored, LogRecord, OffsetCommitted, OffsetErased
from muster.core.shard import Shard
from muster.log.contract import PartitionLog
from muster.log.record_codec import decode_record
from muster.runtime.node import Node
from muster.runtime.offsets_load import OffsetsLoad
from muster.sim.consumers.witness import ConsumerWitness, consumer_facts
from muster.sim.history import Acked, Expelled, Fetched, History, Joined, Synced
from muster.sim.member import PARTITIONS, SESSION_MS, TOPIC, SimMember
from muster.sim.network import Network
from muster.sim.scheduler import Scheduler
from muster.sim.transactions.witness import TransactionWitness
from muster.wire.batch import NO_PRODUCER_ID, decode_records, iterate_batches
from muster.wire.generated.join_group import JoinGroupResponse
from muster.wire.generated.sync_group import SyncGroupRequestAssignment


class Witness:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.scheduler = Scheduler()
        self.history = History()
        self.network = Network(self.scheduler, Random(self.random.random()))
        self.members: list[SimMember] = []
        self.transactions: TransactionWitness | None = None
        """Set if transactional clients take part."""
        self.consumers = ConsumerWitness(self)
        self.topic_partitions = PARTITIONS
        """Of the topic that everybody reads. It may grow; clients that assign by themselves learn of it with their next plan."""
        self._requests = 0
        self._values: dict[tuple[str, int], int] = {}
        self._plans: dict[tuple[int, str, int], dict[str, bytes]] = {}
        self._heard: dict[str, tuple[int, int]] = {}
        """Member id -> when its last answered heartbeat was sent, on the server's clock and in truth."""

    # -- what differs from world to world

    def life_of(self, member: SimMember) -> int:
        """Which life of the coordinator gave the member its last answer."""
        raise NotImplementedError

    def acknowledged_by(self, member: SimMember) -> tuple[int, int]:
        """Which node gave the member its last answer, and in which epoch; there is only one where there is no cluster."""
        return 0, 0

    def shard_of(self, group: str) -> Shard | None:
        """What the group's coordinator knows now; None if it has none."""
        raise NotImplementedError

    def log_ends(self) -> Iterator[tuple[str, int]]:
        """Where the logs that transactions write to end now, by partition."""
        raise NotImplementedError

    def both_clocks(self) -> tuple[int, int]:
        """The server's, and the true one."""
        raise NotImplementedError

    # -- what members tell

    def note(self, *words: object) -> None:
        self.history.note(self.scheduler.now_ms, *words)

    def next_request_number(self) -> int:
        self._requests += 1
        return self._requests

    def next_value(self, group: str, partition: int) -> int:
        value = self._values[group, partition] = self._values.get((group, partition), 0) + 1
        return value

    def heard(self, member: SimMember, asked: tuple[int, int]) -> None:
        """The server answered a heartbeat with NONE: the session began anew, no earlier than the request was sent."""
        self._heard[member.member_id] = asked

    def note_joined(self, member: SimMember, response: JoinGroupResponse, asked_ms: int) -> None:
        if member.is_moved:
            return
        self.history.joined.append(
            Joined(
                self.scheduler.now_ms,
                self.life_of(member),
                member.group,
                response.generation_id,
                identity(response.member_id),
                identity(response.leader),
                response.protocol_name or "",
                asked_ms,
            )
        )

    def note_plan(self, member: SimMember, plan: list[SyncGroupRequestAssignment]) -> None:
        self._plans[self.life_of(member), member.group, member.generation] = {
            identity(entry.member_id): entry.assignment for entry in plan
        }

    def note_synced(self, member: SimMember, assignment: bytes) -> None:
        if member.is_moved:
            return
        life, who = self.life_of(member), identity(member.member_id)
        plan = self._plans.get((life, member.group, member.generation))
        planned = None if plan is None else plan.get(who, b"")
        self.history.synced.append(
            Synced(life, member.group, member.generation, member.member_id, assignment, planned, self.scheduler.now_ms)
        )

    def note_acked(self, member: SimMember, partition: int, value: int) -> None:
        node, epoch = self.acknowledged_by(member)
        self.history.acked.append(Acked(self.scheduler.now_ms, member.group, partition, value, node, epoch))

    def note_fetched(self, member: SimMember, asked_ms: int, partition: int, value: int) -> None:
        self.history.fetched.append(Fetched(asked_ms, member.group, partition, value))

    # -- what servers tell

    def listen_to_journal(self, node: Node) -> None:
        write = node.journal.write

        def listen(event: JournalEvent) -> None:
            self.note("journal", repr(event))
            if event.kind == "member_expelled" and event.cause == "session_expired" and event.member_id is not None:
                self._note_expelled(event.group_id, event.member_id, event.at_ms, node)
            write(event)

        node.journal.write = listen  # type: ignore[method-assign]

    def _note_expelled(self, group: str, member_id: str, at_ms: int, node: Node) -> None:
        heard = self._heard.get(member_id)
        if heard is not None:
            silence_ms = self.silence_ms(group, at_ms, heard, node)
            self.history.expelled.append(Expelled(group, member_id, silence_ms, SESSION_MS))

    def silence_ms(self, group: str, at_ms: int, heard: tuple[int, int], node: Node) -> int:
        """Since a member was heard, on the server's clock or in truth, whichever is longer: clocks may be set back."""
        server_ms, true_ms = heard
        return max(at_ms - server_ms, self.scheduler.now_ms - true_ms)

    # -- the end of a run

    def look_at_groups(self, shard: Shard) -> None:
        for group in shard.groups.values():
            alive = [member for member in self.members if member.group == group.group_id and member.is_alive]
            if alive and group.state is not GroupState.STABLE:
                self.history.unstable_groups.append(f"{group!r}, {len(alive)} live members")
        self.consumers.look_at_groups(shard)
        for group_id, topic, partition, entry in shard.offsets:
            if topic == TOPIC:
                self.history.fetched.append(Fetched(self.scheduler.now_ms, group_id, partition, entry.offset))

    def read_log(self, content: bytes) -> None:
        for position, header in iterate_batches(content):
            if header.producer_id != NO_PRODUCER_ID:
                continue  # of transactions: `TransactionWitness` reads these
            records = [decode_record(record.key, record.value) for record in decode_records(content, header, position)]
            for record in records:
                self._note_stored(record)
            self.consumers.read_batch(records)

    def _note_stored(self, record: LogRecord) -> None:
        match record:
            case OffsetCommitted():
                self.history.stored_offsets.append((record.group_id, record.partition, record.offset))
            case OffsetErased():
                self.history.stored_offsets.append((record.group_id, record.partition, -1))
            case GroupStored():
                self.history.stored_generations.append((record.group_id, record.generation))
            case GroupErased():
                self.history.stored_generations.append((record.group_id, -1))
            case ConsumerGroupRecord():
                pass  # `ConsumerWitness` reads these
            case _:
                self.history.replay_differences.append(f"unknown record in the log: {record!r}")

    def compare_with_replay(self, live: Shard, log: PartitionLog) -> None:
        replayed = Shard(live.config, lambda: "unused")
        load = OffsetsLoad(replayed, log, 1 << 20)
        while not load.step():
            pass
        if replayed.facts != live.facts:
            self.history.replay_differences.append(
                f"{log!r}: facts differ: {live.facts} live, {replayed.facts} replayed"
            )
        if sorted(map(repr, replayed.offsets)) != sorted(map(repr, live.offsets)):
            self.history.replay_differences.append(f"{log!r}: offsets differ")
        groups, others = consumer_facts(live), consumer_facts(replayed)
        if groups != others:
            self.history.replay_differences.append(f"{log!r}: consumer groups differ: {groups} live, {others} replayed")


def identity(member_id: str) -> str:
    """Who it is: a static member gets a new id with every restart, and its place in the generation stays (KIP-345)."""
    return member_id.rsplit("-", 1)[0] if member_id.startswith("instance-") else member_id
