"""Produce (0), versions 3 to 13: append one batch to each partition named.

v7+ zstd. v8+ says which records were wrong, and why. v13+ names topics by id. The reply waits until everything that was
appended is durable; with acks=0 there is none, and an error closes the connection, which is all such a client can notice.
A connection that sends with acks=0 faster than the disk takes it waits too: what is not durable yet is held in memory.
Records that are many, or unpack to much, are checked in a thread, one request after the other; what is quick is done here, a
few milliseconds at a time.
"""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter
from typing import Final

from muster.log.contract import LedElsewhere, NotReadYet, StorageError
from muster.runtime.node import Node
from muster.runtime.waiting import ToItsEnd
from muster.security.resources import Operation
from muster.server.authorize import authorize_topic, may_use_transactional_id
from muster.server.call import Call
from muster.server.limits import UNCONFIRMED_BYTES_PER_CONNECTION
from muster.server.transactions import Verification, is_transactional
from muster.topics.effort import UNBOUNDED, Effort, LoopEffort, NotWanted, ThreadEffort, TooMuchWork
from muster.topics.produce import Judging, ProduceResult, ProduceTerms
from muster.wire.errors import (
    INVALID_RECORD,
    INVALID_REQUIRED_ACKS,
    KAFKA_STORAGE_ERROR,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
    TOPIC_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_ID,
    name_of,
)
from muster.wire.generated.produce import (
    ProduceRequest,
    ProduceRequestTopic,
    ProduceResponse,
    ProduceResponsePartition,
    ProduceResponseRecordError,
    ProduceResponseTopic,
)

PARTITIONS_BETWEEN_LOOKS: Final = 16
SECONDS_AT_ONCE: Final = 0.01
"""After so long other requests are served before the next partitions of this one."""


def handle(call: Call, request: ProduceRequest, node: Node) -> None:
    work = _Work(call, request, node, _whole_error(call, request, node))
    if request.transactional_id is None:
        work.go_on()
    else:
        work.verify()


def _whole_error(call: Call, request: ProduceRequest, node: Node) -> int:
    """What is wrong with the request whatever the partitions are."""
    if _has_transactional_batch(request):
        name = request.transactional_id
        if name is None or not may_use_transactional_id(call, node, Operation.WRITE, name):
            return TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    return NONE if request.acks in (-1, 0, 1) else INVALID_REQUIRED_ACKS


def _has_transactional_batch(request: ProduceRequest) -> bool:
    for topic in request.topic_data:
        for partition in topic.partition_data:
            if is_transactional(partition.records):
                return True
    return False


class _Asked:
    """One partition of a request, and where its result goes."""

    __slots__ = ("name", "partition", "records", "results")

    def __init__(self, results: list[ProduceResult], name: str, partition: int, records: bytes | None) -> None:
        self.results = results
        self.name = name
        self.partition = partition
        self.records = records


class _Work:
    """One request: its results in request order, and how many of them are not durable yet."""

    __slots__ = (
        "_call",
        "_effort",
        "_error",
        "_found",
        "_node",
        "_partition_at",
        "_request",
        "_results",
        "_sealed",
        "_terms",
        "_topic_at",
        "_verification",
        "_waiting",
    )

    def __init__(self, call: Call, request: ProduceRequest, node: Node, error: int) -> None:
        self._call = call
        self._error = error
        self._effort = LoopEffort()
        self._request = request
        self._topic_at = 0
        self._partition_at = 0
        """What is taken next."""
        self._found: list[tuple[str, int]] = []
        """Names of the topics, or why they are refused, as far as they were looked for."""
        self._node = node
        self._results: list[list[ProduceResult]] = []
        self._waiting = 0
        self._sealed = False
        if request.acks == 0:
            call.outlives_client = True
        self._terms = self._make_terms(verified=False)
        self._verification: Verification | None = None
        """What the transaction coordinator says of the partitions; None if it need not be asked."""

    def verify(self) -> None:
        """Have the transaction coordinator say which partitions are in the transaction, then go on."""
        if self._error:
            self.go_on()
            return
        batches: list[tuple[str, int, bytes | None]] = []
        for at, topic in enumerate(self._request.topic_data):
            name, error = self._find(at, topic)
            if not error:
                batches += [(name, each.index, each.records) for each in topic.partition_data]
        verification = self._verification = Verification(
            self._node, self._request.transactional_id or "", self._call.version
        )

        def ask() -> None:
            verification.ask(batches, lambda: self._call.resume(self.go_on))

        apart = self._node.reads_apart
        if apart is not None:
            apart.run(ToItsEnd(self._call), lambda: self._look_at_producers(batches), ask)
        else:
            ask()

    def _look_at_producers(self, batches: list[tuple[str, int, bytes | None]]) -> None:
        now_ms = self._node.clock.now_ms()
        for name, index, _ in batches:
            with suppress(StorageError):  # the append finds out, and says so
                self._node.broker.read_producers(name, index, now_ms)

    def go_on(self) -> None:
        """Take partitions until all are taken, or until others have to be served, or until one is judged in a thread."""
        began, taken = perf_counter(), 0
        while True:
            asked = self._next()
            if asked is None:
                break
            if not self._append(asked):
                return
            taken += 1
            if taken % PARTITIONS_BETWEEN_LOOKS == 0 and perf_counter() - began > SECONDS_AT_ONCE:
                self._effort = LoopEffort()  # others are served before it goes on
                self._node.call_soon(self._call.resume, self.go_on)
                return
        self._sealed = True
        self._finish_if_complete()

    def _next(self) -> _Asked | None:
        """One partition after the other, in the order of the request; those that are refused already are answered on the way."""
        topics = self._request.topic_data
        while self._topic_at < len(topics):
            topic = topics[self._topic_at]
            name, topic_error = self._find(self._topic_at, topic)
            if self._partition_at == 0:
                self._results.append([])
            if self._partition_at == len(topic.partition_data):
                self._topic_at, self._partition_at = self._topic_at + 1, 0
                continue
            partition, results = topic.partition_data[self._partition_at], self._results[-1]
            self._partition_at += 1
            if topic_error == UNKNOWN_TOPIC_ID:
                refused_batches, now_ms = self._node.broker.refused_batches, self._node.clock.now_ms()
                refused_batches.note(topic.topic_id, partition.index, partition.records, now_ms)
            refused = self._refusal(name, partition.index, self._error or topic_error)
            if refused is None:
                return _Asked(results, name, partition.index, partition.records)
            results.append(refused)
        return None

    def _refusal(self, name: str, index: int, error: int) -> ProduceResult | None:
        if error:
            return ProduceResult(error)
        return None if self._verification is None else self._verification.refusal(name, index)

    def _append(self, asked: _Asked) -> bool:
        """False if it has to be judged in a thread; `go_on` is called again then."""
        node, now_ms, terms = self._node, self._node.clock.now_ms(), self._terms_of(asked)
        try:
            result = node.broker.produce(asked.name, asked.partition, asked.records, terms, now_ms, effort=self._effort)
        except TooMuchWork:
            judging = node.broker.judging(asked.name, asked.partition, asked.records, terms, now_ms)
            assert judging is not None, "there was something to judge"
            self._judge_apart(asked, judging)
            return False
        except NotReadYet:
            self._read_then_append(asked, None)
            return False
        self._take(asked, result)
        return True

    def _read_then_append(self, asked: _Asked, judging: Judging | None) -> None:
        """What is known of its producer is in the database: only this request waits for it."""
        apart = self._node.reads_apart
        assert apart is not None, "a log that has to be read apart, and nobody who does"
        result: ProduceResult | None = None

        def look() -> None:
            nonlocal result
            with suppress(NotReadYet):  # nothing was done then, and it is done again
                result = self._produce(asked, UNBOUNDED, judging)

        def go_on() -> None:
            self._take(asked, result or self._not_read(asked))
            self.go_on()

        apart.run(ToItsEnd(self._call), look, go_on)

    def _not_read(self, asked: _Asked) -> ProduceResult:
        broker = self._node.broker
        broker.refused_batches.note(asked.name, asked.partition, asked.records, self._node.clock.now_ms())
        return ProduceResult(KAFKA_STORAGE_ERROR, "the database did not say what it knows of the producer")

    def _produce(self, asked: _Asked, effort: Effort, judging: Judging | None) -> ProduceResult:
        now_ms = self._node.clock.now_ms()
        return self._node.broker.produce(
            asked.name, asked.partition, asked.records, self._terms_of(asked), now_ms, effort=effort, judged=judging
        )

    def _judge_apart(self, asked: _Asked, judging: Judging) -> None:
        effort = ThreadEffort(self._is_wanted)
        if self._request.acks != 0:
            self._call.abandon = lambda: self._give_back(judging)

        def judge() -> None:
            try:
                judging.run(effort)
            except NotWanted:
                pass
            except Exception as fault:  # also no memory: raised again in the loop, where it ends this connection alone
                judging.fault = fault

        self._node.validate_apart(judge, lambda: self._call.resume(lambda: self._append_judged(asked, judging)))

    def _give_back(self, judging: Judging) -> None:
        """The client has gone before its turn came: its records must not wait for that."""
        judging.forget()
        self._request.topic_data = ()

    def _is_wanted(self) -> bool:
        """With acks=0 nobody waits for the answer, so a client that has gone says nothing about what it sent."""
        return not self._node.is_stopping and (self._request.acks == 0 or not self._call.is_abandoned)

    def _append_judged(self, asked: _Asked, judging: Judging) -> None:
        self._call.abandon = None
        fault, judging.fault = judging.fault, None  # no circle: its traceback knows the records
        if fault is not None:
            raise fault
        if not judging.is_done or not self._is_wanted():
            if self._request.acks == 0:
                self._call.reply_nothing()  # its records are held no longer
            return
        try:
            result = self._produce(asked, UNBOUNDED, judging)
        except NotReadYet:
            self._read_then_append(asked, judging)
            return
        self._take(asked, result)
        self.go_on()

    def _terms_of(self, asked: _Asked) -> ProduceTerms:
        if self._verification is None or not self._verification.has_verified(asked.name, asked.partition):
            return self._terms
        return self._make_terms(verified=True)

    def _make_terms(self, verified: bool) -> ProduceTerms:
        config = self._node.broker.config
        return ProduceTerms(self._request.acks, self._call.version >= 7, verified, config.internal_topics_writable)

    def _take(self, asked: _Asked, result: ProduceResult) -> None:
        asked.results.append(result)
        if result.log is not None:
            self._wait_for(asked, len(asked.results) - 1, result)

    def _find(self, at: int, topic: ProduceRequestTopic) -> tuple[str, int]:
        """Of the topic at this place of the request, the name, or why it is refused. Each is looked for once, in their order."""
        if at == len(self._found):
            self._found.append(self._look_for(topic))
        return self._found[at]

    def _look_for(self, topic: ProduceRequestTopic) -> tuple[str, int]:
        name = topic.name
        if self._call.version >= 13:
            known = self._node.broker.catalog.by_id(topic.topic_id)
            if known is None:
                return "", UNKNOWN_TOPIC_ID
            name = known.name
        if not authorize_topic(self._call, self._node, Operation.WRITE, name):
            return name, TOPIC_AUTHORIZATION_FAILED
        return name, NONE

    def _wait_for(self, asked: _Asked, place: int, result: ProduceResult) -> None:
        assert result.log is not None
        connection, size = self._call.connection, len(asked.records or b"")
        connection.unconfirmed_bytes += size
        self._waiting += 1

        def settled(error: StorageError | None) -> None:
            connection.unconfirmed_bytes -= size
            if error is not None:
                assert result.log is not None
                code = NOT_LEADER_OR_FOLLOWER if isinstance(error, LedElsewhere) else KAFKA_STORAGE_ERROR
                asked.results[place] = ProduceResult(code, str(error))
                broker, now_ms = self._node.broker, self._node.clock.now_ms()
                broker.forget_unconfirmed(result.log)
                broker.refused_batches.note(asked.name, asked.partition, asked.records, now_ms)
            self._waiting -= 1
            if not self._call.answered:
                self._call.resume(self._finish_if_complete)

        self._node.durable.when_durable(result.log, result.end_offset, settled)

    def _finish_if_complete(self) -> None:
        if not self._sealed or (self._waiting and not self._may_run_ahead()):
            return
        if self._request.acks == 0:
            self._finish_without_reply()
            return
        topics: list[ProduceResponseTopic] = []
        for at, topic in enumerate(self._request.topic_data):
            results, partitions = self._results[at], topic.partition_data
            laid_out = [_laid_out(partitions[place].index, results[place]) for place in range(len(partitions))]
            topics.append(ProduceResponseTopic(topic.name, topic.topic_id, laid_out))
        self._call.reply(ProduceResponse(topics))

    def _may_run_ahead(self) -> bool:
        return self._request.acks == 0 and self._call.connection.unconfirmed_bytes <= UNCONFIRMED_BYTES_PER_CONNECTION

    def _finish_without_reply(self) -> None:
        failed = sorted({result.error_code for results in self._results for result in results} - {NONE})
        if failed:
            self._call.close(f"acks=0 and the append failed with {', '.join(map(name_of, failed))}")
        else:
            self._call.reply_nothing()


def _laid_out(index: int, result: ProduceResult) -> ProduceResponsePartition:
    return ProduceResponsePartition(
        index,
        result.error_code,
        result.base_offset,
        result.log_append_time_ms,
        result.log_start_offset,
        [ProduceResponseRecordError(each.batch_index, each.message) for each in result.record_errors],
        _message(result),
    )


def _message(result: ProduceResult) -> str | None:
    """Kafka explains only what is wrong with single records; other codes speak for themselves."""
    errors = result.record_errors
    if result.error_code == INVALID_RECORD and errors:
        first = ", ".join(
            f"RecordError(batchIndex={each.batch_index}, message='{each.message}')" for each in errors[:3]
        )
        return (
            f"{result.message} due to {result.record_error_count} record errors in total,"
            f" and only showing the first three errors at most: [{first}]"
        )
    return result.message if errors or result.tells_message else None
