"""The real thing: a server process that is killed again and again while real clients write, and what they were told stays true.

Producers (confluent-kafka, idempotent, acks=all) and a committing client remember every acknowledgement. The server is ended
by SIGKILL after a number of acknowledged records and commits that the seed draws, and started again on the same directory. At the
end every acknowledged record must be in the log, at its offset, exactly once; every committed offset must be the last acknowledged
one or one that was sent after it. A transactional producer is beside them (`atomic_writer`).
`python -m tests.durability.kill` runs the long form.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.interop import atomic_writer
from tests.interop.atomic_writer import TransactionalWriter
from tests.interop.broker_process import QUICK_GROUPS, BrokerProcess

TOPIC = "orders"
PARTITIONS = 3
GROUP = "keepers"
PATIENCE_SECONDS = 60
MOST_RECORDS_BETWEEN_KILLS = 400
MOST_COMMITS_BETWEEN_KILLS = 40
MOST_TRANSACTIONS_BETWEEN_KILLS = 10
METADATA = "m" * 4_000
"""With every commit, so that a few hundred of them fill a segment."""
SETTINGS = {**QUICK_GROUPS, "offsets.topic.segment.bytes": str(1024 * 1024), "log.cleaner.backoff.ms": "50"}
TOPIC_CONFIG = {"cleanup.policy": "compact", "internal.segment.bytes": "20000", "min.cleanable.dirty.ratio": "0.01"}
"""Compaction is at work all the time, on the offsets and on the records: every key is written once, so none may go."""


@dataclass
class Told:
    """What the clients were told. One condition guards it all and says when something was added."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    records: dict[tuple[int, int], str] = field(default_factory=dict)
    """(partition, offset) -> value"""
    committed: dict[int, int] = field(default_factory=dict)
    sent: dict[int, int] = field(default_factory=dict)
    commits: int = 0

    def note_record(self, partition: int, offset: int, value: str) -> None:
        with self.changed:
            self.records[partition, offset] = value
            self.changed.notify_all()

    def note_commit(self, partition: int, offset: int) -> None:
        with self.changed:
            self.committed[partition] = offset
            self.commits += 1
            self.changed.notify_all()

    def wait_for_a_commit_of_every_partition(self) -> None:
        self._wait(lambda: len(self.committed) == PARTITIONS)

    def wait_for_more(self, records: int, commits: int) -> None:
        """Both: a client that looks for its coordinator may be silent while the others are told much."""
        records += len(self.records)
        commits += self.commits
        self._wait(lambda: len(self.records) >= records and self.commits >= commits)

    def _wait(self, enough: Callable[[], bool]) -> None:
        with self.changed:
            arrived = self.changed.wait_for(enough, PATIENCE_SECONDS)
        assert arrived, (
            f"in {PATIENCE_SECONDS} s no more than {len(self.records)} records and {self.commits} commits in all"
        )


class Writer(threading.Thread):
    """An idempotent producer that never stops asking."""

    def __init__(self, address: str, told: Told, name: str) -> None:
        super().__init__(name=name)
        self._told = told
        self._stop_asked = threading.Event()
        self.failures: list[str] = []
        self._producer = Producer(
            {
                "bootstrap.servers": address,
                "enable.idempotence": True,
                "acks": "all",
                "linger.ms": 2,
                "batch.size": 8_000,
                "reconnect.backoff.max.ms": 200,
                "message.timeout.ms": PATIENCE_SECONDS * 1_000,
                "log_level": 0,
            }
        )

    def run(self) -> None:
        number = 0
        while not self._stop_asked.is_set():
            if len(self._producer) < 500:
                number += 1
                value = f"{self.name}-{number}"
                self._producer.produce(TOPIC, value, value, partition=number % PARTITIONS, callback=self._delivered)
            self._producer.poll(0.001)
        self._producer.flush(PATIENCE_SECONDS)

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self.failures.append(str(error))
        else:
            self._told.note_record(message.partition(), message.offset(), message.value().decode())

    def stop(self) -> None:
        self._stop_asked.set()


class Committer(threading.Thread):
    """Commits ever larger offsets, one at a time, and knows which were acknowledged."""

    def __init__(self, address: str, told: Told) -> None:
        super().__init__(name="committer")
        self._told = told
        self._stop_asked = threading.Event()
        self._consumer = Consumer(_consumer_config(address, GROUP))

    def run(self) -> None:
        number = 0
        while not self._stop_asked.is_set():
            number += 1
            partition = number % PARTITIONS
            self._told.sent[partition] = number
            try:
                self._consumer.commit(offsets=[TopicPartition(TOPIC, partition, number, METADATA)], asynchronous=False)
            except KafkaException:
                self._stop_asked.wait(0.02)  # the server is down; the next number tries again
            else:
                self._told.note_commit(partition, number)
        self._consumer.close()

    def stop(self) -> None:
        self._stop_asked.set()


def _consumer_config(address: str, group: str) -> dict[str, Any]:
    return {
        "bootstrap.servers": address,
        "group.id": group,
        "enable.auto.commit": False,
        "reconnect.backoff.max.ms": 200,
        "log_level": 0,
    }


ENOUGH_FOR_COMPACTION = 15
"""A shorter run may be over before anything is worth compacting."""


def run(home: Path, durability: str, kills: int, seed: int) -> str:
    """Raises AssertionError if anything that was acknowledged is missing; returns what happened in a line."""
    random = Random(seed)
    settings = {**SETTINGS, "muster.durability": durability}
    told = Told()
    with BrokerProcess(home, settings) as broker:
        admin = AdminClient({"bootstrap.servers": broker.address, "log_level": 0})
        topics = [
            NewTopic(TOPIC, PARTITIONS, 1, config=TOPIC_CONFIG),
            NewTopic(atomic_writer.TOPIC, atomic_writer.PARTITIONS, 1),
        ]
        for made in admin.create_topics(topics).values():
            made.result()
        writers = [Writer(broker.address, told, f"writer-{number}") for number in range(2)]
        transactions = TransactionalWriter(broker.address, seed)
        threads: list[Writer | Committer | TransactionalWriter] = [
            *writers,
            Committer(broker.address, told),
            transactions,
        ]
        for thread in threads:
            thread.start()
        try:
            told.wait_for_a_commit_of_every_partition()
            for _ in range(kills):
                told.wait_for_more(
                    records=random.randint(1, MOST_RECORDS_BETWEEN_KILLS),
                    commits=random.randint(1, MOST_COMMITS_BETWEEN_KILLS),
                )
                transactions.wait_for_more(random.randint(0, MOST_TRANSACTIONS_BETWEEN_KILLS))
                broker.kill()
                broker.start()
            told.wait_for_more(records=10, commits=1)
            transactions.wait_for_more(1)
        finally:
            for thread in threads:
                thread.stop()
            for thread in threads:
                thread.join(2 * PATIENCE_SECONDS)
        failures = [failure for writer in writers for failure in writer.failures]
        assert not failures, f"{len(failures)} records were refused, such as {failures[0]}"
        broker.kill()
        broker.start()
        _check_records(broker.address, told)
        _check_commits(broker.address, told)
        transactions.check()
        rounds = broker.log.count("compacted up to offset")
    assert rounds or kills < ENOUGH_FOR_COMPACTION, "compaction should have been at work"
    kept = f"{len(told.records)} records, {told.commits} commits and {transactions} kept"
    return f"{durability}: {kills} kills, {rounds} compactions, {kept}"


def _check_records(address: str, told: Told) -> None:
    consumer = Consumer(_consumer_config(address, "readers"))
    found: dict[tuple[int, int], str] = {}
    consumer.assign([TopicPartition(TOPIC, partition, OFFSET_BEGINNING) for partition in range(PARTITIONS)])
    ends = {
        partition: consumer.get_watermark_offsets(TopicPartition(TOPIC, partition), timeout=30)[1]
        for partition in range(PARTITIONS)
    }
    assert all(ends[partition] > offset for partition, offset in told.records), (
        "the log ends before what was acknowledged"
    )
    while len(found) < sum(ends.values()):
        message = consumer.poll(PATIENCE_SECONDS)
        assert message is not None, f"only {len(found)} of {sum(ends.values())} records can be read"
        assert message.error() is None
        found[message.partition(), message.offset()] = message.value().decode()
    consumer.close()
    missing = {place: value for place, value in told.records.items() if found.get(place) != value}
    assert not missing, (
        f"{len(missing)} acknowledged records are not where they were said to be, such as {missing.popitem()}"
    )
    twice = [value for value, count in Counter(found.values()).items() if count > 1]
    assert not twice, f"{len(twice)} records of an idempotent producer are there twice, such as {twice[0]}"


def _check_commits(address: str, told: Told) -> None:
    consumer = Consumer(_consumer_config(address, GROUP))
    stored = consumer.committed([TopicPartition(TOPIC, partition) for partition in range(PARTITIONS)], timeout=30)
    consumer.close()
    for entry in stored:
        low, high = told.committed[entry.partition], told.sent[entry.partition]
        assert low <= entry.offset <= high, (
            f"partition {entry.partition}: {low} was acknowledged, {entry.offset} is there"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for durability in ("fsync", "os"):
        print(f"seed {arguments.seed}, durability {durability}", flush=True)
        with tempfile.TemporaryDirectory(prefix="muster-kill-") as home:
            print(run(Path(home), durability, arguments.kills, arguments.seed), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
