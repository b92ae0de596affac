"""A transactional producer for servers that are killed: it writes a number to every partition and, as an offset, to its group.

It remembers which transactions were said to be committed or aborted. Whatever happened in between, a reader of committed records
finds each transaction in every partition or in none, never twice, and the group has the offset of the last one that is there.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from random import Random
from time import monotonic

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from tests.interop.client_confluent import QUIET
from tests.interop.client_log import DEBUG, ClientLog
from tests.interop.transactional import read_to_end
from tests.interop.waiting import PATIENCE_SECONDS, eventually

TOPIC = "payments"
TRANSACTIONAL_ID = "payments"
PARTITIONS = 2
GROUP = "payers"
ABORT_SHARE = 0.2
PATIENT = {**QUIET, "metadata.recovery.strategy": "none", "connections.max.idle.ms": 3_000}
"""librdkafka 2.16 forgets a broker that Metadata does not name, but not that it was the coordinator of the group: offsets wait for
the forgotten broker, whatever the timeout of the call, until the connection to some other broker goes up or down. So idle ones
are closed soon (docs/cluster.md)."""
CALL_SECONDS = 5.0
"""An abort that finds a record on its way, which then is refused, waits for its whole timeout, and is done when asked again."""
LATE_SECONDS = 30.0
"""Without a transaction for so long somebody is asked why."""


class TransactionalWriter(threading.Thread):
    """One transaction after the other. What fails is left to the next producer of the same transactional id."""

    def __init__(self, address: str, seed: int, **settings: str | int) -> None:
        """`settings`: of the producer, beside those that it needs."""
        super().__init__(name="transactional writer", daemon=True)
        self._address = address
        self._settings = {"bootstrap.servers": address, "transactional.id": TRANSACTIONAL_ID, **PATIENT, **settings}
        self._random = Random(seed)
        self._stop_asked = threading.Event()
        self._offsets = Consumer({"bootstrap.servers": address, "group.id": GROUP, **PATIENT})
        self._number = 0
        self._log = ClientLog()
        self._producer: Producer | None = None
        self._call = ("nothing", monotonic())
        """What the producer was asked last, and when."""
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
        self._producer = producer = Producer({**self._settings, "linger.ms": 0, **DEBUG}, logger=self._log.logger)
        try:
            self._begin_call("init_transactions")
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
        self._begin_call(f"send_offsets_to_transaction of {number}")
        producer.send_offsets_to_transaction(offsets, self._offsets.consumer_group_metadata(), CALL_SECONDS)
        commit = self._random.random() >= ABORT_SHARE
        self._begin_call(f"{'commit' if commit else 'abort'}_transaction of {number}")
        end_transaction(producer, commit=commit)
        with self.changed:
            (self.committed if commit else self.aborted).add(number)
            self.changed.notify_all()

    def _begin_call(self, what: str) -> None:
        self._call = (what, monotonic())

    def wait_for_more(self, transactions: int, ask_why: Callable[[], str] = str) -> None:
        """`ask_why`: what the servers say, when it takes suspiciously long."""
        with self.changed:
            wanted = len(self.committed) + transactions

            def has_arrived() -> bool:
                return len(self.committed) >= wanted or self.fault is not None

            if self.changed.wait_for(has_arrived, LATE_SECONDS):
                return
        why = f"{self._waits_for()}\n{ask_why()}"
        with self.changed:
            arrived = self.changed.wait_for(has_arrived, PATIENCE_SECONDS - LATE_SECONDS)
        assert arrived, f"in {PATIENCE_SECONDS} s no more than {len(self.committed)} transactions in all. {why}"
        print(f"no transaction for {LATE_SECONDS} s. {why}", flush=True)

    def _waits_for(self) -> str:
        what, since = self._call
        if self._producer is not None:
            self._producer.poll(0)  # its log comes with it
        return f"The producer has waited for {what} for {monotonic() - since:.1f} s; its log:\n{self._log}"

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


def end_transaction(producer: Producer, *, commit: bool) -> None:
    """An end that timed out may be asked for again, and has to be."""
    while True:
        try:
            if commit:
                producer.commit_transaction(CALL_SECONDS)
            else:
                producer.abort_transaction(CALL_SECONDS)
        except KafkaException as failed:
            error: KafkaError = failed.args[0]
            if not error.retriable():
                raise
        else:
            return
