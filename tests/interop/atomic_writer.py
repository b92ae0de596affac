"""A transactional producer for servers that are killed: it writes a number to every partition and, as an offset, to its group.

It remembers which transactions were said to be committed or aborted. Whatever happened in between, a reader of committed records
finds each transaction in every partition or in none, never twice, and the group has the offset of the last one that is there.
"""

from __future__ import annotations

import threading
from collections import Counter
from random import Random

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from tests.interop.client_confluent import QUIET
from tests.interop.transactional import read_to_end
from tests.interop.waiting import PATIENCE_SECONDS, eventually

TOPIC = "payments"
PARTITIONS = 2
GROUP = "payers"
ABORT_SHARE = 0.2
PATIENT = {**QUIET, "metadata.recovery.strategy": "none"}
"""librdkafka 2.16 forgets its brokers when the last is gone, but not that one of them was the coordinator of the group: offsets
are then never sent until the call times out."""

PROGRESS_SECONDS = 150.0
"""More than one call of the client may take, and more than the timeout of a transaction that it leaves behind."""


class TransactionalWriter(threading.Thread):
    """One transaction after the other. What fails is left to the next producer of the same transactional id."""

    def __init__(self, address: str, seed: int, **settings: str | int) -> None:
        """`settings`: of the producer, beside those that it needs."""
        super().__init__(name="transactional writer", daemon=True)
        self._address = address
        self._settings = {"bootstrap.servers": address, "transactional.id": "payments", **PATIENT, **settings}
        self._random = Random(seed)
        self._stop_asked = threading.Event()
        self._offsets = Consumer({"bootstrap.servers": address, "group.id": GROUP, **PATIENT})
        self._number = 0
        self.changed = threading.Condition()
        self.committed: set[int] = set()
        self.aborted: set[int] = set()
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            while not self._stop_asked.is_set():
                self._write()
        except BaseException as fault:
            self.fault = fault
            raise
        finally:
            self._offsets.close()
            with self.changed:
                self.changed.notify_all()

    def _write(self) -> None:
        """Until it is stopped, or something goes wrong that only a new producer can mend."""
        producer = Producer({**self._settings, "linger.ms": 0})
        try:
            producer.init_transactions(PATIENCE_SECONDS)
            while not self._stop_asked.is_set():
                self._number += 1
                self._write_one(producer, self._number)
        except KafkaException:
            pass  # the next producer aborts what this one left open

    def _write_one(self, producer: Producer, number: int) -> None:
        producer.begin_transaction()
        for partition in range(PARTITIONS):
            producer.produce(TOPIC, b"%d" % number, partition=partition)
        offsets = [TopicPartition(TOPIC, 0, number)]
        producer.send_offsets_to_transaction(offsets, self._offsets.consumer_group_metadata(), PATIENCE_SECONDS)
        commit = self._random.random() >= ABORT_SHARE
        _end(producer, commit=commit)
        with self.changed:
            (self.committed if commit else self.aborted).add(number)
            self.changed.notify_all()

    def wait_for_more(self, transactions: int) -> None:
        with self.changed:
            wanted = len(self.committed) + transactions
            arrived = self.changed.wait_for(
                lambda: len(self.committed) >= wanted or self.fault is not None, PROGRESS_SECONDS
            )
        assert arrived, f"in {PROGRESS_SECONDS} s no more than {len(self.committed)} transactions in all"

    def stop(self) -> None:
        self._stop_asked.set()

    def __str__(self) -> str:
        return f"{len(self.committed)} transactions ({len(self.aborted)} aborted)"

    # -- afterwards

    def check(self) -> None:
        """AssertionError if a transaction is there in part, twice, or against what was said of it."""
        assert self.fault is None
        heir = Producer(self._settings)
        heir.init_transactions(PATIENCE_SECONDS)  # what the last producer left open is over now
        found = [self._read(partition) for partition in range(PARTITIONS)]
        complaints = broken_rules(self.committed, self.aborted, found)
        assert not complaints, f"{complaints[:5]} and {max(0, len(complaints) - 5)} more"
        last = max(found[0], default=0)
        eventually("the offset of the last transaction", self._kept_offset, last.__eq__)

    def _read(self, partition: int) -> list[int]:
        values = read_to_end("confluent-kafka", self._address, TOPIC, partition, committed=True)
        return [int(value) for value in values]

    def _kept_offset(self) -> int:
        consumer = Consumer({"bootstrap.servers": self._address, "group.id": GROUP, **QUIET})
        try:
            (found,) = consumer.committed([TopicPartition(TOPIC, 0)], timeout=5)
        except KafkaException:
            return -1  # the server has just been started
        finally:
            consumer.close()
        return int(found.offset)


def broken_rules(committed: set[int], aborted: set[int], found: list[list[int]]) -> list[str]:
    """`found`: the transactions that a reader of committed records finds in each partition."""
    first, *others = (Counter(each) for each in found)
    complaints = [f"transaction {each} is there twice" for each, count in first.items() if count > 1]
    for other in others:
        complaints += [f"transaction {each} is there in part" for each in ((first - other) | (other - first))]
    complaints += [f"transaction {each} was committed and is not there" for each in sorted(committed - set(first))]
    complaints += [f"transaction {each} was aborted and is there" for each in sorted(aborted & set(first))]
    return complaints


def _end(producer: Producer, *, commit: bool) -> None:
    """An end that timed out may be asked for again, and has to be."""
    while True:
        try:
            if commit:
                producer.commit_transaction(PATIENCE_SECONDS)
            else:
                producer.abort_transaction(PATIENCE_SECONDS)
        except KafkaException as failed:
            error: KafkaError = failed.args[0]
            if not error.retriable():
                raise
        else:
            return
