"""Offsets of transactions that have not ended in this shard, by producer id, and the epochs that fence old producers (spec 4.6).

Durable facts, changed by `put`, `end` and `erase` only, which only the store calls, in `replay` (law 2). Nobody sees these offsets;
what they do until their transaction ends is to make a partition unstable, and to keep its offset and its group from expiring.

A transaction is open in a group from its first offset to its marker, also if tombstones have taken all of its offsets meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from mypy_extensions import mypyc_attr

from muster.core.records import EndTransactionMarker, OffsetCommitted, TransactionalOffset
from muster.wire.value import Value

Place: TypeAlias = tuple[str, int]
"""Topic and partition."""

NO_EPOCH: Final = -1
MOST_ENDED_PRODUCERS: Final = 10_000
"""Producers without a transaction whose epochs are remembered; who ended first is forgotten first. The transaction coordinator
knows every producer's epoch: these are for the request that was on its way when it changed."""


@mypyc_attr(acyclic=True)
class PendingOffset(Value):
    __match_args__ = ("record", "log_offset")
    __slots__ = __match_args__

    def __init__(self, record: OffsetCommitted, log_offset: int) -> None:
        self.record = record
        self.log_offset = log_offset
        """It decides between this offset and the one that is committed when the transaction is."""


@mypyc_attr(acyclic=True)
class ProducerState(Value):
    """What the log of a partition says about a producer. Kafka keeps the same for every partition."""

    __match_args__ = ("epoch", "coordinator_epoch", "is_open")
    __slots__ = __match_args__

    def __init__(self, epoch: int, coordinator_epoch: int, is_open: bool) -> None:
        self.epoch = epoch
        """Of the last record; -1 if there is none."""
        self.coordinator_epoch = coordinator_epoch
        """Of the last marker; -1 if there is none."""
        self.is_open = is_open


_UNKNOWN_PRODUCER: Final = ProducerState(NO_EPOCH, NO_EPOCH, False)


class _OpenTransaction(Value):
    __match_args__ = ("producer_epoch", "coordinator_epoch", "groups")
    __slots__ = ("coordinator_epoch", "groups", "producer_epoch", "since_ms")

    def __init__(self, producer_epoch: int, coordinator_epoch: int, since_ms: int) -> None:
        self.producer_epoch = producer_epoch
        self.coordinator_epoch = coordinator_epoch
        self.groups: dict[str, dict[Place, PendingOffset]] = {}
        """Group id -> its pending offsets; none if tombstones have taken them."""
        self.since_ms = since_ms
        """When its first offset was stored. No part of what is compared: a later one of the same partition replaces it."""


class PendingOffsets:
    """producer id -> group -> partition -> the last offset of its transaction."""

    __slots__ = ("_ended", "_open", "_producers")

    def __init__(self) -> None:
        self._open: dict[int, _OpenTransaction] = {}
        self._producers: dict[str, dict[int, None]] = {}
        """Group id -> who has a transaction open in it."""
        self._ended: dict[int, ProducerState] = {}
        """Producers without a transaction, in the order of their last markers."""

    def __len__(self) -> int:
        """Transactions that are open."""
        return len(self._open)

    # -- changes

    def put(self, record: TransactionalOffset, log_offset: int) -> None:
        """The last offset of a producer for a partition counts."""
        committed = record.committed
        transaction = self._open.get(record.producer_id)
        if transaction is None:
            known = self._ended.pop(record.producer_id, _UNKNOWN_PRODUCER)
            transaction = _OpenTransaction(
                record.producer_epoch, known.coordinator_epoch, committed.commit_timestamp_ms
            )
            self._open[record.producer_id] = transaction
        transaction.producer_epoch = record.producer_epoch
        offsets = transaction.groups.setdefault(committed.group_id, {})
        offsets[committed.topic, committed.partition] = PendingOffset(committed, log_offset)
        self._producers.setdefault(committed.group_id, {})[record.producer_id] = None

    def end(self, marker: EndTransactionMarker) -> list[PendingOffset]:
        """The producer's transaction is over; what it would commit. A marker of a producer without one leaves its epochs only."""
        producer_id = marker.producer_id
        self._remember(producer_id, ProducerState(marker.producer_epoch, marker.coordinator_epoch, False))
        transaction = self._open.pop(producer_id, None)
        if transaction is None:
            return []
        for group_id in transaction.groups:
            producers = self._producers[group_id]
            del producers[producer_id]
            if not producers:
                del self._producers[group_id]
        return [pending for offsets in transaction.groups.values() for pending in offsets.values()]

    def _remember(self, producer_id: int, state: ProducerState) -> None:
        self._ended.pop(producer_id, None)
        self._ended[producer_id] = state
        if len(self._ended) > MOST_ENDED_PRODUCERS:
            del self._ended[next(iter(self._ended))]

    def erase(self, group_id: str, topic: str, partition: int) -> None:
        """A tombstone takes the offsets of all producers for the partition. Their transactions stay open."""
        place = (topic, partition)
        for producer_id in self._producers.get(group_id, ()):
            self._open[producer_id].groups[group_id].pop(place, None)

    # -- readers

    def producer(self, producer_id: int) -> ProducerState:
        transaction = self._open.get(producer_id)
        if transaction is None:
            return self._ended.get(producer_id, _UNKNOWN_PRODUCER)
        return ProducerState(transaction.producer_epoch, transaction.coordinator_epoch, True)

    def since_ms(self, producer_id: int) -> int | None:
        """When the first offset of the producer's open transaction was stored; None if it has none."""
        transaction = self._open.get(producer_id)
        return None if transaction is None else transaction.since_ms

    def producers_of(self, group_id: str) -> list[int]:
        """Who has a transaction open in the group, in the order of their first offsets."""
        return list(self._producers.get(group_id, ()))

    def groups_of(self, producer_id: int) -> list[str]:
        """The groups in which the producer's transaction is open."""
        transaction = self._open.get(producer_id)
        return [] if transaction is None else list(transaction.groups)

    def offsets_of(self, producer_id: int, group_id: str) -> dict[Place, PendingOffset]:
        """What the producer's transaction would commit for the group."""
        return self._open[producer_id].groups[group_id]

    def is_open_in(self, group_id: str) -> bool:
        """Whether some transaction has committed offsets of the group and has not ended."""
        return group_id in self._producers

    def count(self) -> int:
        """How many pending offsets there are, of all groups and producers."""
        return sum(len(offsets) for transaction in self._open.values() for offsets in transaction.groups.values())

    def count_in(self, group_id: str) -> int:
        """How many pending offsets the group has, of all producers."""
        count = 0
        for producer_id in self._producers.get(group_id, ()):
            count += len(self._open[producer_id].groups[group_id])
        return count

    def of_group(self, group_id: str) -> dict[Place, None]:
        """Each partition for which the group has a pending offset, once."""
        places: dict[Place, None] = {}
        for producer_id in self._producers.get(group_id, ()):
            for place in self._open[producer_id].groups[group_id]:
                places[place] = None
        return places

    def of_topic(self, topic: str) -> Iterator[tuple[str, int]]:
        """(group id, partition) of each pending offset for the topic. Perhaps more than once."""
        for transaction in self._open.values():
            for group_id, offsets in transaction.groups.items():
                for pending_topic, partition in offsets:
                    if pending_topic == topic:
                        yield group_id, partition

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PendingOffsets) and self._open == other._open and self._ended == other._ended

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<PendingOffsets of {len(self._open)} transactions in {len(self._producers)} groups>"
