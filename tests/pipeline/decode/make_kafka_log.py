"""`python -m tests.pipeline.decode.make_kafka_log`: writes the fixture log of a real Apache Kafka anew.

Starts that Kafka three times on one data directory, with other compression each time; lets classic and KIP-848 members come and go,
commits, rewinds, deletes, commits and aborts in transactions, has the log rolled and compacted; asks OffsetFetch for every group
and keeps the answers beside the log's files. Needs Java and Maven (`tests.conformance.kafka`). Not a test: it takes a minute.
"""

from __future__ import annotations

import io
import json
import random
import tarfile
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from confluent_kafka import KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from muster.wire.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tests.conformance import kafka
from tests.pipeline.kafka_clients import (
    admin_of,
    commit,
    consumer_of,
    create_topics,
    delete_group,
    groups_of,
    poll_until,
    transactional_producer,
)
from tests.server.raw_client import RawClient

FOLDER = Path(__file__).parent.parent / "fixtures" / "kafka-4.3.1"
LOG = FOLDER / "data.tar.xz"
ANSWERS = FOLDER / "offset_fetch.json"
OFFSETS_PARTITIONS = 3
TOPICS = {"orders": 4, "payments": 2}
SETTINGS = {
    "offsets.topic.num.partitions": str(OFFSETS_PARTITIONS),
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.backoff.ms": "200",
    "log.index.size.max.bytes": "4096",
}
NONE, GZIP, SNAPPY, LZ4, ZSTD = "0", "1", "2", "3", "4"


def main() -> None:
    chance = random.Random(4_3_1)
    with TemporaryDirectory() as made:
        data = Path(made) / "data"
        with kafka.running({**SETTINGS, "offsets.topic.compression.codec": NONE}, data) as node:
            at = f"{node.host}:{node.port}"
            create_topics(at, TOPICS)
            _produce(at, 300)
            _commits(at, chance, 60)
            _let_be_compacted(at)
            _classic_group(at, "classic-group")
            _transactions(at)
        with kafka.running({**SETTINGS, "offsets.topic.compression.codec": ZSTD}, data) as node:
            at = f"{node.host}:{node.port}"
            _commits(at, chance, 60)
            _consumer_group(at, "new-protocol-group")
            _deletes(at)
        with kafka.running({**SETTINGS, "offsets.topic.compression.codec": LZ4}, data) as node:
            at = f"{node.host}:{node.port}"
            _commits(at, chance, 30)
            time.sleep(3)  # the cleaner's turn
            answers = _ask_offsets(node.host, node.port)
        FOLDER.mkdir(parents=True, exist_ok=True)
        _pack(data)
    ANSWERS.write_text(json.dumps(answers, indent=0, sort_keys=True) + "\n")
    print(f"{LOG.stat().st_size} bytes of log, {ANSWERS.stat().st_size} of answers for {len(answers)} groups")


def _produce(at: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": at, "linger.ms": 5})
    for number in range(count):
        producer.produce(chance_topic(number), key=str(number), value=b"v" * 20)
    producer.flush()


def chance_topic(number: int) -> str:
    return "orders" if number % 3 else "payments"


def _partitions(chance: random.Random) -> list[TopicPartition]:
    topic = chance.choice(list(TOPICS))
    numbers = chance.sample(range(TOPICS[topic]), chance.randint(1, TOPICS[topic]))
    metadata = chance.choice(["", "", "", "checkpoint α", "m" * 200])
    return [TopicPartition(topic, number, chance.randint(0, 80), metadata) for number in numbers]


def _commits(at: str, chance: random.Random, count: int) -> None:
    """Groups that only commit; offsets go back and forth."""
    members = [consumer_of(at, f"simple-{number}") for number in range(6)]
    for _ in range(count):
        commit(chance.choice(members), _partitions(chance))
    for member in members:
        member.close()


def _classic_group(at: str, group: str) -> None:
    settings: dict[str, Any] = {"auto.offset.reset": "earliest", "session.timeout.ms": 6000}
    first = consumer_of(at, group, **settings, **{"group.instance.id": "static-1"})
    second = consumer_of(at, group, **settings)
    for member in (first, second):
        member.subscribe(["orders"])
    poll_until([first, second], lambda: bool(first.assignment() and second.assignment()))
    commit(first, [TopicPartition("orders", 0, 5)])
    second.close()
    poll_until([first], lambda: len(first.assignment()) == TOPICS["orders"])
    commit(first, [TopicPartition("orders", 1, 7)])
    first.close()


def _consumer_group(at: str, group: str) -> None:
    settings = {"auto.offset.reset": "earliest", "group.protocol": "consumer"}
    first, second = consumer_of(at, group, **settings), consumer_of(at, group, **settings)
    first.subscribe(["orders", "payments"])
    poll_until([first], lambda: len(first.assignment()) == 6)
    second.subscribe(["orders"])
    poll_until([first, second], lambda: bool(second.assignment()))
    commit(first, [TopicPartition("payments", 0, 3)])
    second.close()
    first.close()


def _transactions(at: str) -> None:
    """One group commits, one aborts; one leaves its transaction open for good."""
    for group, ending in (("txn-committed", "commit"), ("txn-aborted", "abort"), ("txn-open", "open")):
        member = consumer_of(at, group)
        commit(member, [TopicPartition("orders", 0, 1)])
        producer = transactional_producer(at, group)
        for round_ in range(2):
            producer.begin_transaction()
            producer.produce("payments", value=b"in a transaction")
            offsets = [TopicPartition("orders", number, 10 + round_) for number in range(2)]
            producer.send_offsets_to_transaction(offsets, member.consumer_group_metadata(), 30)
            producer.flush()
            if ending == "commit":
                producer.commit_transaction(30)
            elif ending == "abort":
                producer.abort_transaction(30)
            else:
                break
        member.close()


def _deletes(at: str) -> None:
    delete_group(at, "simple-5")
    member = consumer_of(at, "simple-5")
    commit(member, [TopicPartition("payments", 1, 2)])
    member.close()


def _let_be_compacted(at: str) -> None:
    """Short segments, and the cleaner may begin at once."""
    changes = {"segment.ms": "1000", "min.cleanable.dirty.ratio": "0.01", "max.compaction.lag.ms": "1000"}
    resource = ConfigResource(
        ResourceType.TOPIC,
        "__consumer_offsets",
        incremental_configs=[
            ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in changes.items()
        ],
    )
    admin = admin_of(at)
    for each in admin.incremental_alter_configs([resource]).values():
        try:
            each.result()
        except KafkaException as error:
            raise SystemExit(f"Kafka refused {changes}: {error}") from None
    time.sleep(2)


def _ask_offsets(host: str, port: int) -> dict[str, list[list[object]]]:
    """Of every group: [topic, partition, offset, leader epoch, metadata]."""
    asked = [OffsetFetchRequestGroup(group_id=group, topics=None) for group in sorted(groups_of(host, port))]
    with RawClient(port, host) as client:
        answer = client.ask("OffsetFetch", 8, OffsetFetchRequest(groups=asked))
    found: dict[str, list[list[object]]] = {}
    for group in answer.groups:
        assert group.error_code == 0
        found[group.group_id] = sorted(
            [topic.name, part.partition_index, part.committed_offset, part.committed_leader_epoch, part.metadata]
            for topic in group.topics
            for part in topic.partitions
        )
    return found


def _pack(data: Path) -> None:
    """Logs, their indexes cut to what is used, and topic ids: no times or owners that change from run to run."""
    with tarfile.open(LOG, "w:xz", preset=9) as tar:
        for folder in sorted(data.iterdir()):
            if folder.is_dir() and folder.name.rpartition("-")[0] in ("__consumer_offsets", *TOPICS):
                for file in sorted(folder.iterdir()):
                    if file.suffix in (".log", ".index") or file.name == "partition.metadata":
                        content = file.read_bytes()
                        entry = tarfile.TarInfo(f"{folder.name}/{file.name}")
                        entry.size = len(content)
                        tar.addfile(entry, io.BytesIO(content))


if __name__ == "__main__":
    main()
