"""A transactional producer by raw requests, which can also do what no client library does: write without a coordinator's knowledge.

Speaks the first transaction protocol, or the second: then partitions and offsets join by themselves and every end raises the
epoch. Judges nothing but that each request was accepted.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from muster.wire.batch import Record, encode_batch
from tests.conformance.codec import Tree, api_named
from tests.conformance.connection import Connection

ACCEPTED_SECONDS: Final = 60
_TRY_AGAIN: Final = (14, 15, 16, 51)
"""The coordinator loads, is not there yet, is another; the transaction before is still being ended."""
TRANSACTION: Final = 1
"""The key type of FindCoordinator."""


@dataclass
class RawProducer:
    """Who the requests say that they are of, and what was sent to each partition."""

    connection: Connection
    transactional_id: str
    producer_id: int = -1
    epoch: int = -1
    second_protocol: bool = False

    def __post_init__(self) -> None:
        self._sequences: dict[tuple[str, int], int] = {}

    def start(self, timeout_ms: int = 60_000) -> None:
        self._accepted("FindCoordinator", 3, {"key": self.transactional_id, "key_type": TRANSACTION})
        body = {"transactional_id": self.transactional_id, "transaction_timeout_ms": timeout_ms}
        found = self._accepted("InitProducerId", 4, {**body, "producer_id": -1, "producer_epoch": -1})
        self.producer_id, self.epoch = found["producer_id"], found["producer_epoch"]
        self._sequences.clear()

    def add(self, topic: str, *partitions: int) -> None:
        producer = {"producer_id": self.producer_id, "producer_epoch": self.epoch}
        topics = [{"name": topic, "partitions": list(partitions)}]
        body = {"transactional_id": self.transactional_id, **producer, "topics": topics}
        self._accepted("AddPartitionsToTxn", 3, body)

    def send(self, topic: str, partition: int, *values: bytes, time_ms: int | None = None) -> None:
        """In one batch. Without a time: now."""
        time_ms = time.time_ns() // 1_000_000 if time_ms is None else time_ms
        sequence = self._sequences.get((topic, partition), 0)
        self._sequences[topic, partition] = sequence + len(values)
        batch = encode_batch(
            [Record(index, time_ms, b"k", value) for index, value in enumerate(values)],
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            base_sequence=sequence,
            transactional=True,
        )
        partitions = [{"index": partition, "records": batch}]
        body = {"transactional_id": self.transactional_id, "acks": -1, "timeout_ms": 30_000}
        version = 12 if self.second_protocol else 11
        self._accepted("Produce", version, {**body, "topic_data": [{"name": topic, "partition_data": partitions}]})

    def send_offsets(self, group: str, topic: str, offsets: Mapping[int, int]) -> None:
        producer = {"producer_id": self.producer_id, "producer_epoch": self.epoch}
        body = {"transactional_id": self.transactional_id, "group_id": group, **producer}
        if not self.second_protocol:
            self._accepted("AddOffsetsToTxn", 3, body)
        partitions = [
            {
                "partition_index": index,
                "committed_offset": offset,
                "committed_leader_epoch": -1,
                "committed_metadata": "m",
            }
            for index, offset in offsets.items()
        ]
        outside = {"generation_id": -1, "member_id": "", "group_instance_id": None}
        version = 5 if self.second_protocol else 3
        self._accepted(
            "TxnOffsetCommit", version, {**body, **outside, "topics": [{"name": topic, "partitions": partitions}]}
        )

    def end(self, *, commit: bool) -> None:
        producer = {"producer_id": self.producer_id, "producer_epoch": self.epoch}
        body = {"transactional_id": self.transactional_id, **producer, "committed": commit}
        ended = self._accepted("EndTxn", 5 if self.second_protocol else 3, body)
        if self.second_protocol:
            self.producer_id, self.epoch = ended["producer_id"], ended["producer_epoch"]
            self._sequences.clear()

    def _accepted(self, api: str, version: int, body: Tree) -> Any:
        deadline = time.monotonic() + ACCEPTED_SECONDS
        while True:
            answer = self.connection.ask(api_named(api), version, body)
            codes = set(_errors(answer))
            if codes <= {0}:
                return answer
            if not codes <= {0, *_TRY_AGAIN} or time.monotonic() > deadline:
                raise RuntimeError(f"{api} v{version} of {self.transactional_id}: {answer}")
            time.sleep(0.02)


def _errors(tree: Any) -> list[int]:
    """Every error code in an answer."""
    if isinstance(tree, dict):
        return [
            code
            for name, value in tree.items()
            for code in ([value] if name.endswith("error_code") else _errors(value))
        ]
    return [code for each in tree for code in _errors(each)] if isinstance(tree, list) else []
