"""Writes the markers that end a transaction into its partitions, and tries again where that is not possible yet.

A partition of a user's topic gets its marker from `topics.markers`, one of `__consumer_offsets` from the coordinator of groups,
whose pending offsets it completes; one that another node leads is sent there (`remote_markers`). Who leads it is looked up for
each try anew. A partition that is gone needs none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import Final

from mypy_extensions import mypyc_attr

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.core.records import EndTransactionMarker
from muster.core.replies import MarkerReply
from muster.core.transactions.outcome import MarkerOrder
from muster.core.transactions.topic_partitions import Topics, pairs
from muster.log.contract import NOBODY, LedElsewhere, NotReadYet, StorageError
from muster.log_limit import LogLimit
from muster.runtime.clock import Clock
from muster.runtime.coordinator import Coordinator
from muster.runtime.group_commit import GroupCommit
from muster.runtime.remote_markers import TELL_AFTER_MS, RemoteMarkers
from muster.runtime.tickets import Redeemable
from muster.topics.broker import Broker
from muster.topics.markers import RAISED_EPOCH_VERSION
from muster.topics.refusal import TopicError
from muster.wire.errors import (
    INVALID_PRODUCER_EPOCH,
    KAFKA_STORAGE_ERROR,
    LEADER_NOT_AVAILABLE,
    NETWORK_EXCEPTION,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
    PRODUCER_FENCED,
    TRANSACTION_COORDINATOR_FENCED,
    UNKNOWN_TOPIC_OR_PARTITION,
    name_of,
)
from muster.wire.value import Value

_failures = LogLimit(logging.getLogger(__name__), "transaction markers that could not be written", monotonic)

RETRY_MS: Final = 100
"""Before the second try; twice as long before each further one, up to `LONGEST_RETRY_MS`."""
LONGEST_RETRY_MS: Final = 1_600
_NOTHING_LEFT_TO_DO: Final = (NONE, UNKNOWN_TOPIC_OR_PARTITION, INVALID_PRODUCER_EPOCH, PRODUCER_FENCED)
"""Written; or the partition is gone; or somebody has ended the transaction there with a higher epoch."""
_MOVING: Final = (LEADER_NOT_AVAILABLE, NETWORK_EXCEPTION, NOT_LEADER_OR_FOLLOWER)
"""Happens whenever a partition or a node goes: told only if it lasts. `remote_markers` tells of a node that stays away."""


@mypyc_attr(allow_interpreted_subclasses=True)
class MarkerWriter:
    def __init__(
        self, broker: Broker, groups: Coordinator, durable: GroupCommit, clock: Clock, remote: RemoteMarkers
    ) -> None:
        self._broker = broker
        self._groups = groups
        self._durable = durable
        self._clock = clock
        self.remote = remote
        self.node_id = broker.node_id
        self._waiting: dict[_Marker, int] = {}
        """Markers that were ordered and are not durable yet, oldest first, with the time of the order."""
        self.read_apart: Callable[[Callable[[], None], Callable[[], None]], None] | None = None
        """Where logs are in a database: has something done as often as it lacks what has to be read first, then calls back."""

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def oldest_ms(self) -> int:
        """How long the oldest of them has waited; 0 if none does."""
        ordered_ms = next(iter(self._waiting.values()), None)
        return 0 if ordered_ms is None else self._clock.ticks_ms() - ordered_ms

    def write(
        self,
        order: MarkerOrder,
        coordinator_epoch: int,
        written: Callable[[Topics], None],
        is_wanted: Callable[[], bool],
    ) -> None:
        """`written` is called for each partition, when its marker is durable. No more is tried once it is not wanted."""
        for topic, index in list(pairs(order.topics)):
            marker = _Marker(self, order, coordinator_epoch, topic, index, written, is_wanted)
            self._waiting[marker] = self._clock.ticks_ms()
            marker.write()

    def leader_of(self, topic: str, index: int) -> int | None:
        """The node that leads the partition, NOBODY while none does, None if the partition is gone."""
        partition = self._broker.catalog.partition(topic, index)
        if partition is None:
            return None
        return self._broker.node_id if partition.is_led_here else partition.leader_id

    def write_once(
        self, topic: str, index: int, end: EndTransactionMarker, transaction_version: int, then: Callable[[int], None]
    ) -> None:
        """One attempt at one partition; `then` gets NONE when the marker is durable, or the error."""
        if topic == CONSUMER_OFFSETS:
            raises_epoch = transaction_version >= RAISED_EPOCH_VERSION
            self._groups.end_transaction(index, end, _MarkerTicket(then), raises_epoch)
            return
        try:
            self._append(topic, index, end, transaction_version, then)
        except NotReadYet:
            assert self.read_apart is not None, "a log that has to be read apart, and nobody who does"
            again = _AppendAgain(self, topic, index, end, transaction_version, then)
            self.read_apart(again.look, again.tell)

    def _append(
        self, topic: str, index: int, end: EndTransactionMarker, transaction_version: int, then: Callable[[int], None]
    ) -> None:
        """NotReadYet: nothing was done, and a database has to be asked about the producer first."""
        try:
            log, end_offset = self._broker.append_marker(
                topic,
                index,
                end.producer_id,
                end.producer_epoch,
                commit=end.commit,
                coordinator_epoch=end.coordinator_epoch,
                now_ms=self._clock.now_ms(),
                transaction_version=transaction_version,
            )
        except TopicError as refused:
            then(refused.code)
            return
        except NotReadYet:
            raise
        except StorageError as failed:
            then(_code(failed))
            return
        self._durable.when_durable(log, end_offset, lambda error: then(_code(error)))

    def again(self, marker: _Marker, delay_ms: int) -> None:
        self._clock.wake_at(self._clock.ticks_ms() + delay_ms, marker.write)

    def waited_ms(self, marker: _Marker) -> int:
        return self._clock.ticks_ms() - self._waiting[marker]

    def settle(self, marker: _Marker) -> None:
        """Nothing is left to do for it."""
        del self._waiting[marker]


class _AppendAgain:
    """An attempt that had to wait for what a database knows of the producer."""

    __slots__ = ("_end", "_index", "_is_done", "_then", "_topic", "_version", "_writer")

    def __init__(
        self,
        writer: MarkerWriter,
        topic: str,
        index: int,
        end: EndTransactionMarker,
        version: int,
        then: Callable[[int], None],
    ) -> None:
        self._writer = writer
        self._topic = topic
        self._index = index
        self._end = end
        self._version = version
        self._then = then
        self._is_done = False

    def look(self) -> None:
        if self._is_done:
            return
        try:
            self._writer._append(self._topic, self._index, self._end, self._version, self._then)
        except NotReadYet:
            return
        self._is_done = True

    def tell(self) -> None:
        if not self._is_done:
            self._then(KAFKA_STORAGE_ERROR)


class _Marker:
    """One partition's marker, until it is written."""

    __slots__ = (
        "_delay_ms",
        "_is_told",
        "_is_wanted",
        "_writer",
        "_written",
        "coordinator_epoch",
        "index",
        "order",
        "topic",
    )

    def __init__(
        self,
        writer: MarkerWriter,
        order: MarkerOrder,
        coordinator_epoch: int,
        topic: str,
        index: int,
        written: Callable[[Topics], None],
        is_wanted: Callable[[], bool],
    ) -> None:
        self._writer = writer
        self.order = order
        self.coordinator_epoch = coordinator_epoch
        self.topic = topic
        self.index = index
        self._written = written
        self._is_wanted = is_wanted
        self._delay_ms = RETRY_MS
        self._is_told = False

    def write(self) -> None:
        writer = self._writer
        if not self._is_wanted():
            writer.settle(self)
            return
        leader_id = writer.leader_of(self.topic, self.index)
        if leader_id is None:
            self.ended(UNKNOWN_TOPIC_OR_PARTITION)
        elif leader_id == NOBODY:
            self.ended(LEADER_NOT_AVAILABLE)
        elif leader_id == writer.node_id:
            order = self.order
            end = EndTransactionMarker(order.producer_id, order.producer_epoch, order.commit, self.coordinator_epoch)
            writer.write_once(self.topic, self.index, end, order.transaction_version, self.ended)
        else:
            writer.remote.send(leader_id, self)

    def ended(self, error: int) -> None:
        if error in _NOTHING_LEFT_TO_DO:
            self._writer.settle(self)
            self._written(((self.topic, (self.index,)),))
        elif error == TRANSACTION_COORDINATOR_FENCED:  # another node has the transaction now
            self._writer.settle(self)
        else:
            self._try_again(error)

    def _try_again(self, error: int) -> None:
        has_become_late = not self._is_told and self._writer.waited_ms(self) >= TELL_AFTER_MS
        if error not in _MOVING or (has_become_late and error != NETWORK_EXCEPTION):
            self._is_told = True
            _failures.warning(
                "the marker of transactional id %.100r in %s-%d cannot be written yet: %s",
                self.order.transactional_id,
                self.topic,
                self.index,
                name_of(error),
            )
        self._writer.again(self, self._delay_ms)
        self._delay_ms = min(2 * self._delay_ms, LONGEST_RETRY_MS)


def _code(error: StorageError | None) -> int:
    if error is None:
        return NONE
    return NOT_LEADER_OR_FOLLOWER if isinstance(error, LedElsewhere) else KAFKA_STORAGE_ERROR


class _MarkerTicket(Redeemable):
    """How the coordinator of groups says what became of a marker."""

    __slots__ = ("_then",)

    def __init__(self, then: Callable[[int], None]) -> None:
        super().__init__()
        self._then = then

    @property
    def is_abandoned(self) -> bool:
        return False

    def redeem(self, reply: Value) -> None:
        assert isinstance(reply, MarkerReply), f"a marker is answered with {reply!r}"
        self.answered = True
        self._then(reply.error)
