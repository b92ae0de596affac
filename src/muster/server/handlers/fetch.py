"""Fetch (1), versions 4 to 17: read batches from many partitions, waiting for some if there are none.

v7+ fetch sessions (KIP-227). v9+ leader epochs. v13+ names topics by id. v15+ moves the replica id to a tagged field.
The answer has no more than max_bytes, whole batches, and the first partition that has anything gives at least one.

Deviates: no fetch session is kept. A client that wants one is answered with session id 0, which tells it to send whole
requests; one that insists gets FETCH_SESSION_ID_NOT_FOUND and starts again, as after a restart of a broker.
A Fetch that waited is judged anew when it is answered: rights may have been taken away meanwhile, and the authentication may
have expired.

Deviates: no Fetch waits longer than five minutes (`LONGEST_FETCH_WAIT_MS`).
Deviates: a replica id is ignored. There are no other nodes that could follow, so everybody reads as a consumer does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_topic
from muster.server.call import Call
from muster.server.limits import LONGEST_FETCH_WAIT_MS
from muster.topics.fetch import FetchAsk, FetchRead, PartitionRead
from muster.wire.errors import (
    FETCH_SESSION_ID_NOT_FOUND,
    NONE,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_SERVER_ERROR,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
    UNSUPPORTED_COMPRESSION_TYPE,
)
from muster.wire.generated.fetch import (
    FetchRequest,
    FetchRequestTopic,
    FetchResponse,
    FetchResponseAbortedTransaction,
    FetchResponsePartition,
    FetchResponseTopic,
)
from muster.wire.special_values import READ_COMMITTED, READ_UNCOMMITTED

_NOT_FOUND = (UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID)
_FOUND = (NONE, *_NOT_FOUND)
WHOLE_REQUEST_EPOCHS = (0, -1)
"""The request stands alone: it would begin a session, or end one. Any other epoch goes on with one (KIP-227)."""


def handle(call: Call, request: FetchRequest, node: Node) -> None:
    if request.session_epoch not in WHOLE_REQUEST_EPOCHS:
        call.reply(FetchResponse(error_code=FETCH_SESSION_ID_NOT_FOUND))
        return
    if request.isolation_level not in (READ_UNCOMMITTED, READ_COMMITTED):
        call.reply(_unknown_isolation_level(call, request))
        return
    _Fetch(call, request, node).begin()


def _unknown_isolation_level(call: Call, request: FetchRequest) -> FetchResponse:
    """As Kafka 4.3.1 answers: an error of its own, and one for each partition where topics have names."""
    topics = [
        FetchResponseTopic(
            topic.topic, topic.topic_id, [_failed(each.partition, UNKNOWN_SERVER_ERROR) for each in topic.partitions]
        )
        for topic in request.topics
    ]
    return FetchResponse(error_code=UNKNOWN_SERVER_ERROR, responses=[] if call.version >= 13 else topics)


class _Fetch:
    """One request: asked now, and once more if it had to wait."""

    __slots__ = ("_asks", "_call", "_max_bytes", "_node", "_read", "_read_committed", "_refused", "_request", "_topics")

    def __init__(self, call: Call, request: FetchRequest, node: Node) -> None:
        self._call = call
        self._request = request
        self._max_bytes = request.max_bytes
        self._read_committed = request.isolation_level == READ_COMMITTED
        self._node = node
        self._asks: list[FetchAsk] = []
        self._read: FetchRead | None = None
        self._refused: dict[int, int] = {}
        """position of the topic in the request -> error of all its partitions"""
        self._topics = _without_repeats(request.topics)
        self._judge()

    def _judge(self) -> None:
        """Which topics may be read, at this moment."""
        self._asks = []
        self._refused = {}
        for position, topic in enumerate(self._topics):
            error = self._refusal(topic)
            if error:
                self._refused[position] = error
            else:
                self._asks += _asks(topic)

    def begin(self) -> None:
        throttle = self._call.connection.throttle
        if throttle is not None:
            self._max_bytes = throttle.most_bytes(self._call, self._max_bytes)
        self._look_then(self._answer_or_wait)

    def _look_then(self, step: Callable[[], None]) -> None:
        apart = self._node.reads_apart
        if apart is not None:
            apart.run(self._call, self._look, step)
        else:
            self._look()
            step()

    def _look(self) -> None:
        self._read = self._node.broker.fetch(self._asks, self._max_bytes, read_committed=self._read_committed)

    def _answer_or_wait(self) -> None:
        request, node, read = self._request, self._node, self._read
        assert read is not None
        answer_now = (
            request.max_wait_ms <= 0
            or not self._asks
            or bool(self._refused)
            or read.failed
            or read.total_bytes >= request.min_bytes
        )
        if answer_now:
            self._reply()
            return
        self._read = None
        wait = node.broker.fetch_wait(read, request.min_bytes, read_committed=self._read_committed)
        deadline_ms = node.clock.ticks_ms() + min(request.max_wait_ms, LONGEST_FETCH_WAIT_MS)
        parked = node.long_polls.park(wait.logs(), deadline_ms, wait.ready, self._fire)
        self._call.abandon = parked.cancel

    def _fire(self) -> None:
        self._call.resume(self._judge_and_answer)

    def _judge_and_answer(self) -> None:
        sasl = self._call.connection.sasl
        if sasl is not None and sasl.is_expired:
            self._call.close("its authentication expired while it waited")  # KIP-368, as with the next request
            return
        self._judge()
        self._look_then(self._reply)

    def _refusal(self, topic: FetchRequestTopic) -> int:
        broker, name = self._node.broker, topic.topic
        if self._call.version < 13:
            known = broker.topic(name)
        else:
            known = broker.catalog.by_id(topic.topic_id)
            if known is None:
                return UNKNOWN_TOPIC_ID
            name = known.name
        if not authorize_topic(self._call, self._node, Operation.READ, name):
            return TOPIC_AUTHORIZATION_FAILED
        if self._call.version < 10 and known is not None and known.settings.compression_type == "zstd":
            return UNSUPPORTED_COMPRESSION_TYPE
        return NONE

    def _reply(self) -> None:
        assert self._read is not None
        answers = iter(self._read.partitions)
        topics = []
        for position, topic in enumerate(self._topics):
            error = self._refused.get(position)
            if error:
                partitions = [_failed(partition.partition, error) for partition in topic.partitions]
            else:
                partitions = [_laid_out(next(answers), self._read_committed) for _ in topic.partitions]
            topics.append(FetchResponseTopic(topic.topic, topic.topic_id, partitions))
        self._call.reply(FetchResponse(responses=topics))


def _without_repeats(topics: Sequence[FetchRequestTopic]) -> Sequence[FetchRequestTopic]:
    """Kafka 4.3.1: a partition that is listed several times is read once, in its first place, as its last entry says."""
    last = {
        (topic.topic, topic.topic_id, partition.partition): partition
        for topic in topics
        for partition in topic.partitions
    }
    if len(last) == sum(len(topic.partitions) for topic in topics):
        return topics
    kept = []
    for topic in topics:
        keys = dict.fromkeys((topic.topic, topic.topic_id, each.partition) for each in topic.partitions)
        partitions = [last.pop(key) for key in keys if key in last]
        if partitions:
            kept.append(FetchRequestTopic(topic.topic, topic.topic_id, partitions))
    return kept


def _asks(topic: FetchRequestTopic) -> list[FetchAsk]:
    return [
        FetchAsk(
            topic.topic,
            partition.partition,
            partition.fetch_offset,
            partition.partition_max_bytes,
            partition.current_leader_epoch,
            topic.topic_id,
        )
        for partition in topic.partitions
    ]


def _failed(index: int, error: int) -> FetchResponsePartition:
    return FetchResponsePartition(index, error, -1, -1, -1)


def _laid_out(read: PartitionRead, committed: bool) -> FetchResponsePartition:
    return FetchResponsePartition(
        read.ask.partition,
        read.error_code,
        read.high_watermark,
        read.last_stable_offset,
        read.log_start_offset,
        # Who does not ask for committed data is told nothing, and nobody is if the offset is not there. A partition that was not
        # found has the empty list all the same, as on a real broker.
        aborted_transactions=_aborted(read) if read.error_code in (_FOUND if committed else _NOT_FOUND) else None,
        records=read.records,
    )


def _aborted(read: PartitionRead) -> Sequence[FetchResponseAbortedTransaction]:
    return [FetchResponseAbortedTransaction(each.producer_id, each.first_offset) for each in read.aborted]
