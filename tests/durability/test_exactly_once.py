"""Consume, transform, produce while the server is killed again and again: each record is there exactly once (KIP-98, KIP-447)."""

from __future__ import annotations

import threading
from pathlib import Path
from random import Random

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from tests.interop.broker_process import QUICK_GROUPS, BrokerProcess
from tests.interop.client_confluent import QUIET, ConfluentClient
from tests.interop.transactional import read_to_end
from tests.interop.vocabulary import Sent
from tests.interop.waiting import PATIENCE_SECONDS, eventually

SOURCE, TARGET, GROUP = "source", "target", "copiers"
RECORDS = 400
MOST_AT_ONCE = 10
KILLS = 6
SEED = 11
PATIENT = {**QUIET, "metadata.recovery.strategy": "none"}
"""librdkafka 2.16 forgets its brokers when the last is gone, but not that one of them was the coordinator of the group: offsets
are then never sent until the call times out."""


class Copier(threading.Thread):
    """Copies every record of the source in transactions. What fails is aborted, or begun anew by another producer."""

    def __init__(self, address: str) -> None:
        super().__init__(name="copier")
        self._address = address
        self._random = Random(SEED)
        self._stop_asked = threading.Event()
        self.changed = threading.Condition()
        self.ended = 0
        """Transactions that were said to be committed."""
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            while not self._stop_asked.is_set():
                self._copy()
        except BaseException as fault:
            self.fault = fault
            raise
        finally:
            with self.changed:
                self.changed.notify_all()

    def _copy(self) -> None:
        """Until it is stopped, or something goes wrong that only a new producer can mend."""
        producer = Producer(
            {"bootstrap.servers": self._address, "transactional.id": "copier", "linger.ms": 0, **PATIENT}
        )
        consumer = Consumer(
            {
                "bootstrap.servers": self._address,
                "group.id": GROUP,
                "isolation.level": "read_committed",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "session.timeout.ms": 1_000,  # one that could not leave is soon out of the group
                "heartbeat.interval.ms": 200,
                **PATIENT,
            }
        )
        try:
            producer.init_transactions(PATIENCE_SECONDS)
            consumer.subscribe([SOURCE])
            while not self._stop_asked.is_set():
                self._copy_some(producer, consumer)
        except KafkaException:
            pass  # the next producer aborts what this one left open, and the next consumer begins where that was
        finally:
            consumer.close()

    def _copy_some(self, producer: Producer, consumer: Consumer) -> None:
        messages = [
            each for each in consumer.consume(self._random.randint(1, MOST_AT_ONCE), 0.5) if each.error() is None
        ]
        if not messages:
            return
        producer.begin_transaction()
        for message in messages:
            producer.produce(TARGET, message.value(), partition=message.partition())
        places = [place for place in consumer.position(consumer.assignment()) if place.offset >= 0]
        producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), PATIENCE_SECONDS)
        self._end(producer)
        with self.changed:
            self.ended += 1
            self.changed.notify_all()

    def _end(self, producer: Producer) -> None:
        """A commit that timed out may be asked for again, and has to be."""
        while True:
            try:
                producer.commit_transaction(PATIENCE_SECONDS)
            except KafkaException as failed:
                error: KafkaError = failed.args[0]
                if not error.retriable():
                    raise
            else:
                return

    def wait_for_more(self, transactions: int) -> None:
        with self.changed:
            wanted = self.ended + transactions
            assert self.changed.wait_for(lambda: self.ended >= wanted or self.fault is not None, PATIENCE_SECONDS), (
                f"{self.ended} transactions and no more"
            )

    def stop(self) -> None:
        self._stop_asked.set()
        self.join(2 * PATIENCE_SECONDS)


@pytest.mark.interop
def test_every_record_is_copied_exactly_once_over_six_kills(tmp_path: Path) -> None:
    random = Random(SEED)
    with BrokerProcess(tmp_path, QUICK_GROUPS) as broker:
        client = ConfluentClient(broker.address)
        for topic in (SOURCE, TARGET):
            client.create_topic(topic, 2)
        wanted = [[b"%d" % number for number in range(partition, RECORDS, 2)] for partition in range(2)]
        for partition, values in enumerate(wanted):
            client.send(SOURCE, partition, [Sent(value) for value in values])
        copier = Copier(broker.address)
        copier.start()
        try:
            for _ in range(KILLS):
                copier.wait_for_more(random.randint(1, 5))
                broker.kill()
                broker.start()
            eventually("all offsets", lambda: _committed(broker.address), lambda found: found == [RECORDS // 2] * 2)
        finally:
            copier.stop()
        assert copier.fault is None
        for partition, values in enumerate(wanted):
            assert read_to_end("confluent-kafka", broker.address, TARGET, partition, committed=True) == values
        client.close()


def _committed(address: str) -> list[int]:
    consumer = Consumer({"bootstrap.servers": address, "group.id": GROUP, **QUIET})
    try:
        found = consumer.committed([TopicPartition(SOURCE, index) for index in range(2)], timeout=5)
    except KafkaException:
        return []  # the server has just been started
    finally:
        consumer.close()
    return [each.offset for each in found]
