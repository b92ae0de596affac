"""The simulated world: a server that may crash and come back, its disk and network, members, and the clock that moves them all.

Everything is drawn from one seed, in an order that depends on nothing else. What happens is written into the history;
whether it may happen is the checkers' business.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, cast

from muster.core.classic.states import GroupState
from muster.core.journal import JournalEvent
from muster.core.records import GroupErased, GroupStored, OffsetCommitted, OffsetErased, Record
from muster.core.shard import Shard
from muster.log.contract import PartitionLog
from muster.log.record_codec import decode_record
from muster.runtime.loader import Load
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.server.endpoint import Endpoint
from muster.server.handlers.table import HANDLERS
from muster.server.listener import Listener
from muster.server.routes import Routes
from muster.server.settings import Settings
from muster.sim.disk import SimStore
from muster.sim.history import Expelled, Fetched, History
from muster.sim.member import PARTITIONS, SESSION_MS, TOPIC, SimMember, identity, joined_fact, synced_fact
from muster.sim.network import Network
from muster.sim.scheduler import Scheduler, ServerLoop
from muster.topics.broker import Broker, BrokerConfig
from muster.topics.creation import NewTopic
from muster.topics.names import CONSUMER_OFFSETS
from muster.wire.batch import decode_records, iterate_batches
from muster.wire.generated.join_group import JoinGroupResponse
from muster.wire.generated.sync_group import SyncGroupRequestAssignment

EPOCH_MS = 1_700_000_000_000
GROUPS = 2
MEMBERS_A_GROUP = 4
SETTINGS = {
    "muster.storage": "memory",
    "offsets.topic.num.partitions": "3",
    "group.initial.rebalance.delay.ms": "500",
    "group.min.session.timeout.ms": "1000",
}


class World:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.scheduler = Scheduler()
        self.history = History()
        self.network = Network(self.scheduler, Random(self.random.random()))
        self.store = SimStore()
        self.life = 0
        self.disk_delay_ms = 5
        self._clock_ms = EPOCH_MS
        self._settings = Settings.of(SETTINGS)
        self._ids = Random(self.random.random())
        self._requests = 0
        self._values: dict[tuple[str, int], int] = {}
        self._plans: dict[tuple[int, str, int], dict[str, bytes]] = {}
        self._heard: dict[str, tuple[int, int]] = {}
        """Member id -> when its last answered heartbeat was sent, on the server's clock and in truth."""
        self.node: Node | None = None
        self.start_server()
        self.members = [self._member(number) for number in range(GROUPS * MEMBERS_A_GROUP)]

    def _member(self, number: int) -> SimMember:
        group, place = f"group-{number % GROUPS}", number // GROUPS
        instance_id = f"instance-{place}" if place % 2 else None
        return SimMember(self, group, f"m{place}-{group}", Random(self.random.random()), instance_id)

    # -- the server's lives

    def start_server(self) -> None:
        self.life += 1
        loop = ServerLoop(self.scheduler, self._clock_ms)
        self.network.server_loop = loop
        self.node = Node(
            self._settings,
            Broker(self.store, BrokerConfig(cluster_id="sim"), self._ids.randbytes),
            loop,
            cast(Any, loop),
            AllowAll(),
            lambda: f"{self._ids.getrandbits(64):016x}",
            self._in_background(loop),
        )
        self._listen_to_journal(self.node)
        loop.enter(self.node.start)
        if self.node.broker.topic(TOPIC) is None:
            self.node.broker.create_topics([NewTopic(TOPIC, PARTITIONS, 1)])
        self.node.advertise("server", 9092)
        listener = Listener(self._settings, Routes(HANDLERS))
        listener.doors[0].advertised = Endpoint("server", 9092)
        listener.node = self.node
        self.network.listener = listener
        self.note("server", "life", self.life)

    def crash(self, down_ms: int) -> None:
        """The machine stops: what was not synced may be gone."""
        if self.node is None:
            return
        self.network.server_loop.alive = False
        self._clock_ms = self.network.server_loop.now_ms() - self.scheduler.now_ms
        self.network.listener = None
        self.node = None
        self.network.cut_all()
        self.store = self.store.after_crash(self.random)
        self.note("server", "crashed")
        self.scheduler.after(down_ms, self._come_back)

    def _come_back(self) -> None:
        if self.node is None:
            self.start_server()

    def _in_background(self, loop: ServerLoop) -> Callable[[Callable[[], None], Callable[[], None]], None]:
        def run(work: Callable[[], None], then: Callable[[], None]) -> None:
            def finished() -> None:
                work()
                then()

            loop.call_later(self.random.randint(0, self.disk_delay_ms) / 1000, finished)

        return run

    def _listen_to_journal(self, node: Node) -> None:
        write = node.journal.write

        def listen(event: JournalEvent) -> None:
            self.note("journal", repr(event))
            if event.kind == "member_expelled" and event.cause == "session_expired" and event.member_id is not None:
                self._note_expelled(event.group_id, event.member_id, event.at_ms)
            write(event)

        node.journal.write = listen  # type: ignore[method-assign]

    def _note_expelled(self, group: str, member_id: str, at_ms: int) -> None:
        heard = self._heard.get(member_id)
        if heard is not None:
            server_ms, true_ms = heard
            silence_ms = max(at_ms - server_ms, self.scheduler.now_ms - true_ms)
            self.history.expelled.append(Expelled(group, member_id, silence_ms, SESSION_MS))

    # -- what members tell

    def note(self, *words: object) -> None:
        self.history.note(self.scheduler.now_ms, *words)

    def next_request_number(self) -> int:
        self._requests += 1
        return self._requests

    def next_value(self, group: str, partition: int) -> int:
        value = self._values[group, partition] = self._values.get((group, partition), 0) + 1
        return value

    def heard(self, member_id: str, asked: tuple[int, int]) -> None:
        """The server answered a heartbeat with NONE: the session began anew, no earlier than the request was sent."""
        self._heard[member_id] = asked

    def both_clocks(self) -> tuple[int, int]:
        return self.network.server_loop.now_ms(), self.scheduler.now_ms

    def note_joined(self, member: SimMember, response: JoinGroupResponse) -> None:
        self.history.joined.append(joined_fact(member, response, self.scheduler.now_ms, self.life))

    def note_plan(self, member: SimMember, plan: list[SyncGroupRequestAssignment]) -> None:
        self._plans[self.life, member.group, member.generation] = {
            identity(entry.member_id): entry.assignment for entry in plan
        }

    def note_synced(self, member: SimMember, assignment: bytes) -> None:
        plan = self._plans.get((self.life, member.group, member.generation))
        self.history.synced.append(synced_fact(member, assignment, self.life, plan))

    # -- the end of a run

    def look_at_the_end(self) -> None:
        """Gather what only the whole can tell: the log, the groups' states, live facts against replayed ones."""
        assert self.node is not None, "the server is up when faults have ended"
        topic = self.node.broker.topic(CONSUMER_OFFSETS)
        assert topic is not None
        for partition in topic.partitions:
            self._read_log(partition.log)
            runner = self.node.coordinator.places[partition.index].runner
            if runner is None:
                self.history.unstable_groups.append(f"the groups of partition {partition.index}: no shard")
                continue
            self._look_at_groups(runner.shard)
            self._compare_with_replay(runner.shard, partition.log)

    def _look_at_groups(self, shard: Shard) -> None:
        for group in shard.groups.values():
            alive = [member for member in self.members if member.group == group.group_id and member.is_alive]
            if alive and group.state is not GroupState.STABLE:
                self.history.unstable_groups.append(f"{group!r}, {len(alive)} live members")
        for group_id, topic, partition, entry in shard.offsets:
            if topic == TOPIC:
                self.history.fetched.append(Fetched(self.scheduler.now_ms, group_id, partition, entry.offset))

    def _read_log(self, log: PartitionLog) -> None:
        content = log.read(0, 1 << 30) if log.durable_offset else b""
        for position, header in iterate_batches(content):
            for record in decode_records(content, header, position):
                self._note_stored(decode_record(record.key, record.value))

    def _note_stored(self, record: Record) -> None:
        match record:
            case OffsetCommitted():
                self.history.stored_offsets.append((record.group_id, record.partition, record.offset))
            case OffsetErased():
                self.history.stored_offsets.append((record.group_id, record.partition, -1))
            case GroupStored():
                self.history.stored_generations.append((record.group_id, record.generation))
            case GroupErased():
                self.history.stored_generations.append((record.group_id, -1))
            case _:
                self.history.replay_differences.append(f"unknown record in the log: {record!r}")

    def _compare_with_replay(self, live: Shard, log: PartitionLog) -> None:
        replayed = Shard(live.config, lambda: "unused")
        load = Load(replayed, log, 1 << 20)
        while not load.step():
            pass
        if replayed.facts != live.facts:
            self.history.replay_differences.append(
                f"{log!r}: facts differ: {live.facts} live, {replayed.facts} replayed"
            )
        if sorted(map(repr, replayed.offsets)) != sorted(map(repr, live.offsets)):
            self.history.replay_differences.append(f"{log!r}: offsets differ")
