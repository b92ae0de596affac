"""A coordinator with everything real but time, chance and the loop: logs in memory, a clock that stands still."""

from __future__ import annotations

import itertools
import json
from typing import Any, TypeVar, cast

from muster.core.config import GroupConfig
from muster.core.requests import Heartbeat, JoinGroup, OffsetCommit, OffsetFetch, Request, SyncGroup
from muster.log.contract import LogConfig, PartitionLog
from muster.log.memory import MemoryStore
from muster.runtime.alarm import Alarm
from muster.runtime.coordinator import Coordinator, CoordinatorConfig
from muster.runtime.coordinator_shards import ShardState
from muster.runtime.group_commit import GroupCommit
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.tickets import Redeemable
from muster.wire.batch import decode_records, encode_pairs, iterate_batches, parse_header
from muster.wire.i32_array import i32_array
from muster.wire.value import Value
from tests.core.commit_entries import by_topic
from tests.movable_clock import MovableClock
from tests.runtime.manual_loop import ManualLoop

R = TypeVar("R")

MAX_BATCH_BYTES = 1_048_588


class HeldTicket(Redeemable):
    """Keeps its reply for the test to look at."""

    def __init__(self) -> None:
        super().__init__()
        self.reply: Value | None = None
        self.has_gone = False

    @property
    def is_abandoned(self) -> bool:
        return self.has_gone

    def redeem(self, reply: Value) -> None:
        assert not self.answered, "answered twice"
        self.answered = True
        self.reply = reply

    def as_(self, kind: type[R]) -> R:
        assert isinstance(self.reply, kind), f"expected a {kind.__name__}, got {self.reply!r}"
        return self.reply


class World:
    def __init__(self, partitions: int = 1, **groups: Any) -> None:
        self.loop = ManualLoop()
        self.clock = MovableClock()
        self.alarm = Alarm(self.clock)
        self.store = MemoryStore()
        self.partitions = partitions
        self.commit = GroupCommit(self.store, cast(Any, self.loop))
        self.journal = JournalWriter(self._journal_logs, self.commit, self.clock, self.loop.call_soon)
        ids = itertools.count(1)
        self.coordinator = Coordinator(
            CoordinatorConfig(GroupConfig(**{"initial_rebalance_delay_ms": 0, **groups})),
            self.clock,
            self.alarm,
            self.commit,
            self.journal,
            lambda: f"id-{next(ids)}",
            lambda partition: (self.log(partition), MAX_BATCH_BYTES),
            self.loop.call_soon,
        )

    def start(self) -> World:
        self.coordinator.start(self.partitions)
        for partition in range(self.partitions):
            self.coordinator.elect(partition, 0)
        self.loop.run_until_idle()
        return self

    def log(self, partition: int = 0) -> PartitionLog:
        return self.store.open("__consumer_offsets", partition, bytes(16), LogConfig())

    def _journal_logs(self) -> list[tuple[PartitionLog, int]]:
        opened = (self.store.open("__group_journal", index, bytes(16), LogConfig()) for index in range(self.partitions))
        return [(log, 0) for log in opened]

    def journal_events(self) -> list[dict[str, Any]]:
        log, _ = self._journal_logs()[0]
        content = log.read(0, 1 << 30) if log.durable_offset else b""
        return [
            json.loads(record.value or b"{}")
            for position, header in iterate_batches(content)
            for record in decode_records(content, header, position)
        ]

    def append_pairs(self, pairs: list[tuple[bytes | None, bytes | None]]) -> None:
        """Put records into the log as if somebody had written them before."""
        self.append_batch(encode_pairs(pairs, 1))

    def append_batch(self, batch: bytes) -> None:
        self.log().append(batch, parse_header(batch, 0), 0, 1)
        self.commit.soon()
        self.loop.run_until_idle()

    def shard_state(self, partition: int = 0) -> ShardState:
        return self.coordinator.places[partition].state

    # -- asking

    def send(self, request: Request) -> HeldTicket:
        """Submit and do not turn the loop: nothing becomes durable yet."""
        ticket = HeldTicket()
        self.coordinator.submit(request, ticket)
        return ticket

    def ask(self, request: Request) -> HeldTicket:
        """Submit and let everything that can happen without time passing happen."""
        ticket = self.send(request)
        self.settle()
        return ticket

    def settle(self) -> None:
        self.loop.run_until_idle()

    def advance(self, duration_ms: int) -> None:
        self.clock.advance(duration_ms)
        self.settle()

    def advance_in_flight(self, duration_ms: int) -> None:
        """Time passes, the disk does not answer."""
        self.clock.advance(duration_ms)


def join(member_id: str = "", group: str = "g", **changes: Any) -> JoinGroup:
    settings: dict[str, Any] = {
        "group_id": group,
        "member_id": member_id,
        "group_instance_id": None,
        "client_id": "c",
        "client_host": "/127.0.0.1",
        "session_timeout_ms": 10_000,
        "rebalance_timeout_ms": 60_000,
        "protocol_type": "consumer",
        "protocols": (("range", b"\0\0\0\0\0\0\xff\xff\xff\xff"),),
        "reason": None,
        "requires_known_member_id": False,
        "supports_skip_assignment": True,
    }
    return JoinGroup(**{**settings, **changes})


def sync(member_id: str, generation: int, *assigned: tuple[str, bytes], group: str = "g") -> SyncGroup:
    return SyncGroup(group, generation, member_id, None, None, None, assigned)


def beat(member_id: str, generation: int, group: str = "g") -> Heartbeat:
    return Heartbeat(group, generation, member_id, None)


def commit(offset: int = 7, group: str = "g", member_id: str = "", generation: int = -1) -> OffsetCommit:
    return OffsetCommit(group, generation, member_id, None, None, by_topic([("t", 0, offset, -1, "", None)]), True)


def fetch(group: str = "g", *, stable: bool = False) -> OffsetFetch:
    return OffsetFetch(group, [("t", i32_array([0]))], stable)
