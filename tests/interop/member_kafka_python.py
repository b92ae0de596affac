"""A member with kafka-python: its own range or cooperative-sticky assignor, dynamic or static."""

from __future__ import annotations

import queue
from typing import Any

from tests.interop.kafka_python import (
    ConsumerRebalanceListener,
    CooperativeStickyAssignor,
    KafkaConsumer,
    OffsetAndMetadata,
    RangePartitionAssignor,
    TopicPartition,
    errors,
)
from tests.interop.member import Member, MemberSettings, say

ASSIGNORS = {"range": RangePartitionAssignor, "cooperative-sticky": CooperativeStickyAssignor}
POLL_MS = 100
JOIN_MS = 2_000
"""A poll that ends while a JoinGroup is in flight makes kafka-python join a second time if the answer comes before the next
poll. On a busy machine that is a needless rebalance, so nobody polls shortly without having partitions."""


class KafkaPythonMember(Member):
    def __init__(self, settings: MemberSettings) -> None:
        super().__init__(settings)
        self.owned: set[int] = set()
        self.uncommitted: dict[int, int] = {}
        self._consumer = KafkaConsumer(
            bootstrap_servers=settings.bootstrap,
            group_id=settings.group,
            group_instance_id=settings.instance,
            partition_assignment_strategy=[ASSIGNORS[settings.assignor]],
            session_timeout_ms=settings.session_ms,
            heartbeat_interval_ms=settings.heartbeat_ms,
            max_poll_interval_ms=settings.max_poll_ms,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            fetch_max_wait_ms=100,
            reconnect_backoff_max_ms=500,
            metadata_max_age_ms=settings.metadata_ms,
            **({} if settings.client is None else {"client_id": settings.client}),
        )

    def run(self) -> None:
        self._consumer.subscribe([self.settings.topic], listener=_listener(self))
        while self._wish() != "leave":
            self._take(self._poll())
        self._consumer.close(autocommit=False)

    def _poll(self) -> dict[Any, list[Any]]:
        patience_ms = POLL_MS if self._consumer.assignment() else JOIN_MS
        try:
            polled: dict[Any, list[Any]] = self._consumer.poll(patience_ms, max_records=self.settings.commit_every)
        except errors.RetriableError:  # the server is away, and kafka-python leaves it to the application to go on
            return {}
        return polled

    def _wish(self) -> str | None:
        try:
            wish = self.wishes.get_nowait()
        except queue.Empty:
            return None
        if wish == "stall":
            say("stalled")
            return self.wishes.get()  # does not poll until told to
        return wish

    def _take(self, polled: dict[Any, list[Any]]) -> None:
        """Rebalances happen inside poll, so a batch is committed before anything can be taken away."""
        generation = self.generation()
        for at, records in polled.items():
            for record in records:
                self.say_read(at.partition, record.offset, generation)
                self.uncommitted[at.partition] = record.offset + 1
        offsets, self.uncommitted = self.uncommitted, {}
        if not offsets:
            return
        try:
            self._consumer.commit(
                {
                    TopicPartition(self.settings.topic, partition): OffsetAndMetadata(offset, "", -1)
                    for partition, offset in offsets.items()
                }
            )
        except errors.KafkaError as error:
            self.say_commit_failed(error)
            # What it keeps in a cooperative rebalance it does not read again: without this it would stay uncommitted.
            self.uncommitted = {partition: offset for partition, offset in offsets.items() if partition in self.owned}
        else:
            self.say_committed(offsets)

    def generation(self) -> int:
        generation: int = self._consumer.group_metadata().generation_id
        return generation


def _listener(member: KafkaPythonMember) -> Any:
    class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_revoked(self, revoked: Any) -> None:
            for at in revoked:
                member.owned.discard(at.partition)
                member.uncommitted.pop(at.partition, None)
            member.say_owned(list(member.owned), member.generation())

        def on_partitions_assigned(self, assigned: Any) -> None:
            member.owned |= {at.partition for at in assigned}  # in an eager rebalance all was revoked before
            member.say_owned(list(member.owned), member.generation())

    return Listener()


def make(settings: MemberSettings) -> Member:
    return KafkaPythonMember(settings)
