"""Histories that the real coordinator wrote: a shard on a movable clock, played by a script, its log and journal as bronze rows.

Each script is a cluster of its own, so that one run judges them all. Members speak the consumer protocol with real bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import polars as pl
import pyarrow as pa

from muster.core.config import GroupConfig
from muster.core.replies import JoinReply
from muster.core.requests import OffsetCommit
from muster.log.record_codec import encode_record
from muster.pipeline.schemas import TABLES
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription
from tests.core.commit_entries import Entry, by_topic
from tests.core.world import Call, World
from tests.pipeline.oracle.decode_batch import decode_batch


class Script(World):
    """A world that remembers when each record became durable, with members that divide the partitions of `t` among them."""

    def __init__(self, name: str, partitions: int = 4, config: GroupConfig | None = None) -> None:
        self.name = name
        self.partitions = partitions
        self.times: list[int] = []
        self.positions: dict[int, int] = {}
        self.owned: dict[str, list[int]] = {}
        super().__init__(config or GroupConfig(initial_rebalance_delay_ms=0))
        self.watch = self._stamp
        self._stamp()

    def _stamp(self) -> None:
        self.times.extend([self.now_ms] * (len(self.log) - len(self.times)))

    # -- members

    def enter(self, member_id: str = "", **details: Any) -> Call[JoinReply]:
        topics = details.pop("topics", ("t",))
        protocol = details.pop("protocol", "range")
        metadata = encode_subscription(Subscription(list(topics)))
        return self.join(member_id, protocols=((protocol, metadata),), **details)

    def found(self, *instances: str | None, **details: Any) -> list[str]:
        """A first generation of these members (None: a dynamic one), and some work. Their ids."""
        ids = self.complete(*(self.enter(instance=instance, **details) for instance in instances))
        self.work(*ids, rounds=15, every_ms=5_000)
        return ids

    def complete(self, *joins: Call[JoinReply]) -> list[str]:
        """The join phase ends, with time passing if it must; everybody in the group syncs. Ids of those who joined here."""
        while any(call.waiting for call in joins):
            self.advance(self.timers["join", "g"] - self.now_ms)
        self.share_out()
        return [call.reply.member_id for call in joins]

    def share_out(self) -> None:
        group = self.group
        assert group.leader is not None
        ids = sorted(group.members)
        self.owned = {
            member_id: [number for number in range(self.partitions) if number % len(ids) == index]
            for index, member_id in enumerate(ids)
        }
        plan = {
            member_id: encode_assignment(Assignment([("t", mine)] if mine else []))
            for member_id, mine in self.owned.items()
        }
        for member_id in [group.leader, *(other for other in ids if other != group.leader)]:
            assert self.sync(member_id, group.generation, plan if member_id == group.leader else {}).reply.error == 0

    def work(self, *ids: str, rounds: int = 5, every_ms: int = 1_000, commits: bool = True) -> None:
        """Time passes; these heartbeat and commit ten records more of each partition that they own."""
        for _ in range(rounds):
            self.advance(every_ms)
            for member_id in ids:
                self.heartbeat(member_id, self.group.generation)
                if commits:
                    self.commit_owned(member_id)

    def commit_owned(self, member_id: str) -> None:
        moved: list[Entry] = []
        for number in self.owned[member_id]:
            self.positions[number] = self.positions.get(number, 0) + 10
            moved.append(("t", number, self.positions[number], -1, "", None))
        self.ask(OffsetCommit("g", self.group.generation, member_id, None, None, by_topic(moved), True))

    # -- rows

    def bronze(self, cluster: str | None = None) -> list[dict[str, Any]]:
        self._stamp()
        rows = []
        for offset, (record, at_ms) in enumerate(zip(self.log, self.times, strict=True)):
            key, value = encode_record(record)
            place = {"log_topic": "__consumer_offsets", "log_partition": 0, "log_offset": offset, "record_ms": at_ms}
            flags = {"is_control": False, "is_transactional": False, "producer_id": -1, "batch_base_offset": offset}
            rows.append(
                {"cluster": cluster or self.name, "key": key, "value": value, "dt": "1970-01-01", **place, **flags}
            )
        return rows

    def journal_rows(self, cluster: str | None = None) -> list[dict[str, Any]]:
        return [
            {
                "cluster": cluster or self.name,
                "log_partition": 0,
                "log_offset": offset,
                "at_ms": event.at_ms,
                "kind": event.kind,
                "group_id": event.group_id,
                "generation": event.generation,
                "cause": event.cause,
                "member_id": event.member_id,
                "instance_id": event.instance_id,
                "client_id": event.client_id,
                "client_host": event.client_host,
                "reason": event.reason,
                "payload": json.dumps(event.to_json()),
                "dt": "1970-01-01",
            }
            for offset, event in enumerate(self.journal)
        ]


def decoded(bronze: Iterable[dict[str, Any]]) -> dict[str, pa.RecordBatch]:
    return decode_batch(pa.RecordBatch.from_pylist(list(bronze), schema=TABLES["b_log_record"]))


def frames(bronze: list[dict[str, Any]], journal: Iterable[dict[str, Any]] = ()) -> dict[str, pl.DataFrame]:
    """What the publishing job has: decoded rows, bronze, and the journal for gold."""
    rows = {name: pa.Table.from_batches([batch]) for name, batch in decoded(bronze).items()}
    rows["b_log_record"] = pa.Table.from_pylist(bronze, schema=TABLES["b_log_record"])
    rows["b_journal_event"] = pa.Table.from_pylist(list(journal), schema=TABLES["b_journal_event"])
    return {name: pl.DataFrame(pl.from_arrow(table)) for name, table in rows.items()}
