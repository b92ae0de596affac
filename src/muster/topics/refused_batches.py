"""Batches of idempotent producers that this node has refused for a reason that passes: it does not lead the partition yet, or could
not store them. What was sent after such a batch must not be taken before it.

Clients send several batches without waiting for answers. If the node becomes the leader between the first and the second one, and
nothing is known of the producer, any sequence would be good enough for the second one; librdkafka then takes the first one for
stored as well, and it is lost. So the lowest sequence that was refused is remembered, as Kafka does for first batches of a
transaction (`verifications`). Knows neither partitions nor logs: a topic may not even be known yet.

The second batch is refused for the same passing reason, and not as out of order: then librdkafka would go on with a new epoch in
all partitions. What this cluster has stored of another partition, and was told to be uncertain, would be stored there twice.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from muster.topics.limits import MAX_REFUSED_PRODUCERS, MAX_TOPIC_NAME_LENGTH
from muster.topics.refusal import TopicError
from muster.wire.batch import NO_PRODUCER_ID, BatchHeader, parse_header
from muster.wire.errors import (
    KAFKA_STORAGE_ERROR,
    NOT_LEADER_OR_FOLLOWER,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
    WireError,
)

PASSING_ERRORS: Final = frozenset(
    (KAFKA_STORAGE_ERROR, NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION)
)
"""A client sends the batch again, perhaps to the same node."""
KEPT_MS: Final = 300_000
"""No client goes on trying for longer unless told to (librdkafka: message.timeout.ms; others give up sooner). A producer that has
given a batch up goes on with another epoch or another id."""


class _Refused(NamedTuple):
    lowest_sequence: int
    until_ms: int


class RefusedBatches:
    """By topic (or its id, from requests that name nothing else), partition, producer id and epoch; the oldest first."""

    __slots__ = ("_refused",)

    def __init__(self) -> None:
        self._refused: dict[tuple[str | bytes, int, int, int], _Refused] = {}

    def __len__(self) -> int:
        return len(self._refused)

    def note(self, topic: str | bytes, index: int, records: bytes | None, now_ms: int) -> None:
        """This was refused. What is no batch, of no producer with sequences, or for no possible topic is not looked at."""
        if len(topic) > MAX_TOPIC_NAME_LENGTH:
            return
        try:
            header = parse_header(records or b"")
        except WireError:
            return
        if header.producer_id == NO_PRODUCER_ID:
            return
        key = (topic, index, header.producer_id, header.producer_epoch)
        before = self._refused.get(key)
        if before is not None and now_ms < before.until_ms and before.lowest_sequence < header.base_sequence:
            return  # that one is waited for, and not for longer because of this one
        self._refused.pop(key, None)
        if len(self._refused) >= MAX_REFUSED_PRODUCERS:
            del self._refused[next(iter(self._refused))]
        self._refused[key] = _Refused(header.base_sequence, now_ms + KEPT_MS)

    def check(
        self, topic: str, topic_id: bytes, index: int, header: BatchHeader, newest_sequence: int, now_ms: int
    ) -> None:
        """TopicError if an earlier batch of this producer was refused and has not come again. `newest_sequence`: what the
        partition knows of this epoch of the producer."""
        # Deviates: Kafka takes any sequence of a producer that it does not know, also right after it has refused its first batch;
        # and of one that it knows, it calls the second batch out of order.
        for name in (topic, topic_id):
            refused = self._refused.get((name, index, header.producer_id, header.producer_epoch))
            if refused is None or now_ms >= refused.until_ms:
                continue
            if newest_sequence < refused.lowest_sequence < header.base_sequence:
                raise TopicError(
                    NOT_LEADER_OR_FOLLOWER,
                    f"Producer {header.producer_id} in {topic}-{index}: the batch with sequence {refused.lowest_sequence} was "
                    f"refused and comes before {header.base_sequence}",
                )

    def forget(self, topic: str, topic_id: bytes, index: int, header: BatchHeader) -> None:
        """A batch of this producer is appended: from now on its sequences are known."""
        for name in (topic, topic_id):
            self._refused.pop((name, index, header.producer_id, header.producer_epoch), None)
