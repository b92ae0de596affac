"""First batches of transactions for which the transaction coordinator is asked, until one of them is appended (KIP-890).

Two of them may be asked for at the same time, and the later one may be answered first: nothing that is known of the producer would
tell then that another batch belongs before it. So the lowest sequence that was asked for is remembered. Knows no logs; part of a
partition's ledger.
"""

from __future__ import annotations

from muster.topics.limits import MAX_PRODUCERS_PER_PARTITION
from muster.topics.refusal import TopicError
from muster.wire.batch import BatchHeader
from muster.wire.errors import OUT_OF_ORDER_SEQUENCE_NUMBER


class _Asked:
    __slots__ = ("epoch", "lowest_sequence", "must_begin_at_zero")

    def __init__(self, epoch: int, lowest_sequence: int, must_begin_at_zero: bool) -> None:
        self.epoch = epoch
        self.lowest_sequence = lowest_sequence
        self.must_begin_at_zero = must_begin_at_zero
        """The request that asked first was a Produce of version 12 or later: then a producer of which nothing is known begins
        at 0."""


class Verifications:
    """By producer id, the one that asked longest ago first."""

    __slots__ = ("_asked", "_partition")

    def __init__(self, partition: str) -> None:
        self._partition = partition
        self._asked: dict[int, _Asked] = {}

    def __bool__(self) -> bool:
        return bool(self._asked)

    def begin(self, header: BatchHeader, must_begin_at_zero: bool) -> None:
        """The coordinator is asked for this batch."""
        asked = self._asked.get(header.producer_id)
        if asked is None:
            if len(self._asked) == MAX_PRODUCERS_PER_PARTITION:
                del self._asked[next(iter(self._asked))]
            self._asked[header.producer_id] = _Asked(header.producer_epoch, header.base_sequence, must_begin_at_zero)
        elif header.producer_epoch > asked.epoch:
            asked.epoch, asked.lowest_sequence = header.producer_epoch, header.base_sequence
        elif header.producer_epoch == asked.epoch:
            asked.lowest_sequence = min(asked.lowest_sequence, header.base_sequence)

    def check(self, header: BatchHeader, is_known: bool) -> None:
        """TopicError if this batch may not come first. `is_known`: there are batches of this producer.

        Plain batches of the producer are held to it as well (observed on 4.3.1).
        """
        asked, first = self._asked.get(header.producer_id), header.base_sequence
        if asked is None:
            return
        if asked.must_begin_at_zero and first != 0 and not is_known:
            raise TopicError(
                OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"Invalid sequence number {first} of producer {header.producer_id} in {self._partition}: "
                "nothing is known of it, so it has to begin at 0",
            )
        if first > asked.lowest_sequence:
            raise TopicError(
                OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"Out of order sequence number for producer {header.producer_id} in {self._partition}: "
                f"{first} (incoming seq. number), {asked.lowest_sequence} (earliest seen sequence)",
            )

    def end(self, producer_id: int) -> None:
        """A batch of its transaction was appended, or a marker."""
        self._asked.pop(producer_id, None)
