"""What a decision about transactions asks of the world: an `Outcome`, and markers to write into the partitions of a transaction.

`MarkerOrder` and `StoreTransaction` are plain data. The runtime writes markers and reports them by `on_markers_written`; it knows
the coordinator epoch that they carry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, cast

from muster.core.contract import Outcome, Ticket, TimerChange
from muster.core.transactions.topic_partitions import Topics
from muster.wire.value import Value

if TYPE_CHECKING:
    from muster.core.contract import TicketReply
    from muster.core.records import Record
    from muster.core.transactions.counters import EndedBy
    from muster.core.transactions.records import TransactionRecord
    from muster.core.transactions.replies import TransactionReply

TransactionTicketReply: TypeAlias = "tuple[Ticket, TransactionReply]"


class MarkerOrder(Value):
    """Write an end marker of this producer into these partitions. Repeated until `on_markers_written` has named all of them."""

    __match_args__ = ("transactional_id", "producer_id", "producer_epoch", "commit", "topics", "transaction_version")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        commit: bool,
        topics: Topics,
        transaction_version: int,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        """The producer's own, or one more if its epoch was raised (spec 14.2)."""
        self.commit = commit
        self.topics = topics
        self.transaction_version = transaction_version
        """2: the partition refuses a marker whose epoch is not higher than that of the open transaction (KIP-890)."""


class StoreTransaction(Value):
    """A record of a transactional id. When it is durable the markers are ordered, or the timeout begins, as its state says."""

    __match_args__ = ("transactional_id", "last_epoch", "ended_by")
    __slots__ = __match_args__

    def __init__(self, transactional_id: str, last_epoch: int, ended_by: EndedBy | None = None) -> None:
        self.transactional_id = transactional_id
        self.last_epoch = last_epoch
        """Not part of the record: Kafka does not write it either (KIP-360)."""
        self.ended_by = ended_by
        """Of the records of `Prepare*`: what is counted."""


class TransactionOutcome(Outcome):
    """`journal` stays empty: the journal tells of groups. Events of transactions would go there."""

    __match_args__ = (*Outcome.__match_args__, "markers")
    __slots__ = ("markers",)

    def __init__(
        self,
        records: list[TransactionRecord] | tuple[()] = (),
        replies: list[TransactionTicketReply] | tuple[()] = (),
        timers: list[TimerChange] | tuple[()] = (),
        step: StoreTransaction | None = None,
        markers: list[MarkerOrder] | tuple[()] = (),
    ) -> None:
        # The runtime carries records, replies and steps without looking into them: one contract for both kinds of shards.
        super().__init__(
            records=cast("list[Record] | tuple[()]", records),
            replies=cast("list[TicketReply] | tuple[()]", replies),
            timers=timers,
            step=step,
        )
        self.markers: Final = markers
        """Carried out at once: an outcome that has markers has no records, they were made durable by the one before."""
