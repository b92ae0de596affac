"""Directories with transactions that one broker wrote and the other takes over: committed, aborted, open, and timed out meanwhile.

A `View` is what clients see of transactions, producers, records and offsets. Two are compared: after the start, and after the open
transactions were ended by the broker that took them over. Called by the runner; needs Java. The replay uses a directory that Kafka
wrote when it was recorded, and what Kafka showed of it.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from muster.wire.batch import decode_records, iterate_batches
from tests.conformance import kafka, muster_node
from tests.conformance.codec import Tree, api_named
from tests.conformance.compare import differences
from tests.conformance.connection import Connection
from tests.conformance.exchange import keep_directory
from tests.conformance.kafka import Node
from tests.conformance.raw_transactions import RawProducer
from tests.conformance.recording import FOLDER
from tests.conformance.stage import prepare

View = dict[str, Any]

SETTINGS: Final = {
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "200",
}
TOPIC: Final = "payments"
PARTITIONS: Final = 3
LATE_PARTITION: Final = 2
"""Of the transaction that times out: each broker writes its marker at a time of its own."""
GROUP: Final = "payers"
LATE_MS: Final = 8_000
OPEN: Final = {"open": False, "open-too": True}
"""Transactional ids whose transaction is open when the broker stops, and whether they speak the second protocol."""
TOPICS: Final = (TOPIC, "__consumer_offsets", "__transaction_state")
LATEST: Final = -1
DIRECTORY: Final = FOLDER / "transactions-directory.tar.xz"
RECORDED: Final = FOLDER / "transactions-directory.views.json"
ENDED_SECONDS: Final = 60


def check_transactions() -> list[str]:
    """Everything that went wrong, as lines for people; empty when all is well."""
    with TemporaryDirectory(prefix="exchange-transactions-") as made:
        folder = Path(made)
        return [*_muster_takes_over(folder), *_kafka_takes_over(folder)]


def _muster_takes_over(folder: Path) -> Iterator[str]:
    written, copied = folder / "kafka", folder / "kafka-copy"
    theirs = write_with_kafka(written, copied)
    with muster_node.running(SETTINGS, copied) as node:
        ours = views("Muster", node)
    yield from _differences("Muster on Kafka's directory", ours, theirs)
    print(f"Muster took over Kafka's directory with {len(theirs[0]['transactions'])} transactional ids")


def write_with_kafka(written: Path, copied: Path) -> tuple[View, View]:
    """Fills a directory with Kafka, keeps a copy of it, and gives what a restarted Kafka shows."""
    with kafka.running(SETTINGS, written) as node:
        fill("Kafka", node)
    shutil.copytree(written, copied)
    with kafka.running(SETTINGS, written) as node:
        return views("Kafka", node)


def _kafka_takes_over(folder: Path) -> Iterator[str]:
    written, made_by_kafka = folder / "muster", folder / "grafted"
    with muster_node.running(SETTINGS, written) as node:
        fill("Muster", node)
    kept = folder / "muster-copy"
    shutil.copytree(written, kept)
    with kafka.running(SETTINGS, made_by_kafka) as node:
        _create_topics("Kafka", node)
    graft(kept, made_by_kafka)
    with muster_node.running(SETTINGS, written) as node:
        ours = views("Muster", node)
    with kafka.running(SETTINGS, made_by_kafka) as node:
        theirs = views("Kafka", node)
    yield from _differences("Kafka on Muster's records", ours, theirs)
    print(f"Kafka took over Muster's records with {len(ours[0]['transactions'])} transactional ids")


def graft(ours: Path, theirs: Path) -> None:
    """Our segments in the place of those that Kafka made; it finds out by itself what its indexes and snapshots would say."""
    (theirs / ".kafka_cleanshutdown").unlink(missing_ok=True)
    for name in TOPICS:
        for source in sorted(ours.glob(f"{name}-*")):
            target = theirs / source.name
            for old in target.iterdir():
                if old.name != "partition.metadata":
                    old.unlink()
            for segment in source.glob("*.log"):
                shutil.copy(segment, target / segment.name)


def record_directory() -> None:
    """Renews the directory that the replay takes over, and what Kafka itself shows of it."""
    with TemporaryDirectory(prefix="exchange-transactions-") as made:
        written, copied = Path(made) / "kafka", Path(made) / "copy"
        before, after = write_with_kafka(written, copied)
        keep_directory(copied, TOPICS, DIRECTORY)
    began_ms = before["transactions"]["open"]["transaction_start_time_ms"]
    kept = {"began_ms": began_ms, "after the start": before, "after the ends": after}
    RECORDED.write_text(json.dumps(kept, indent=1) + "\n")


# ---- what is written


def _create_topics(name: str, node: Node) -> Connection:
    """Also those of both coordinators."""
    prepare(name, node.host, node.port)
    connection = Connection(node.host, node.port, "writer")
    topic = {"name": TOPIC, "num_partitions": PARTITIONS, "replication_factor": 1}
    _ask(connection, "CreateTopics", 5, {"topics": [topic], "timeout_ms": 30_000})
    RawProducer(connection, "first").start()
    return connection


def fill(name: str, node: Node) -> None:
    connection = _create_topics(name, node)
    for second in (False, True):
        _ended_transactions(connection, second)
    for transactional_id, second in OPEN.items():
        producer = _begun(connection, transactional_id, second)
        producer.send(TOPIC, 0, b"open 1", b"open 2")
        producer.send(TOPIC, 1, b"open")
        producer.send_offsets(GROUP, TOPIC, {1 if second else 0: 7})
    behind = _begun(connection, "behind", second=False)
    behind.send(TOPIC, 0, b"committed behind an open one")
    behind.send(TOPIC, 1, b"committed behind an open one")
    behind.end(commit=True)
    late = _begun(connection, "late", second=False, timeout_ms=LATE_MS, partitions=(LATE_PARTITION,))
    late.send(TOPIC, LATE_PARTITION, b"too late")
    late.send_offsets(GROUP, TOPIC, {LATE_PARTITION: 9})
    connection.close()


def _begun(
    connection: Connection,
    transactional_id: str,
    second: bool,
    timeout_ms: int = 900_000,
    partitions: tuple[int, ...] = (0, 1),
) -> RawProducer:
    producer = RawProducer(connection, transactional_id, second_protocol=second)
    producer.start(timeout_ms)
    if not second:
        producer.add(TOPIC, *partitions)
    return producer


def _ended_transactions(connection: Connection, second: bool) -> None:
    done = _begun(connection, f"done-{second}", second)
    done.send(TOPIC, 0, b"committed 1", b"committed 2")
    done.send_offsets(GROUP, TOPIC, {0: 2, 1: 1})
    done.end(commit=True)
    aborted = _begun(connection, f"aborted-{second}", second)
    for partition in range(2):
        aborted.send(TOPIC, partition, b"aborted 1", b"aborted 2")
    aborted.send_offsets(GROUP, TOPIC, {0: 99})
    aborted.end(commit=False)


# ---- what is seen


def views(name: str, node: Node) -> tuple[View, View]:
    """After the start, and after the open transactions were ended: one is committed, one aborted."""
    prepare(name, node.host, node.port)
    connection = Connection(node.host, node.port, "viewer")
    _until_ended(connection, "late")
    before = view(connection)
    for transactional_id, second in OPEN.items():
        described = before["transactions"][transactional_id]
        producer = RawProducer(
            connection, transactional_id, described["producer_id"], described["producer_epoch"], second
        )
        producer.end(commit=not second)
        _until_ended(connection, transactional_id)
    after = view(connection)
    for partition in after["producers"].values():
        for each in partition:
            each["coordinator_epoch"] = each["last_timestamp"] = "of the broker"
    connection.close()
    return before, after


def _until_ended(connection: Connection, transactional_id: str) -> None:
    deadline = time.monotonic() + ENDED_SECONDS
    while True:
        answer = _ask(connection, "DescribeTransactions", 0, {"transactional_ids": [transactional_id]})
        (found,) = answer["transaction_states"]
        if found["transaction_state"].startswith("Complete"):
            return
        if time.monotonic() > deadline:
            raise RuntimeError(f"{transactional_id} has not ended after {ENDED_SECONDS} s: {found}")
        time.sleep(0.05)


def view(connection: Connection) -> View:
    """Everything that clients can see of transactions and of what they wrote."""
    listed = _ask(
        connection, "ListTransactions", 1, {"state_filters": [], "producer_id_filters": [], "duration_filter": -1}
    )
    names = sorted(each["transactional_id"] for each in listed["transaction_states"])
    described = _ask(connection, "DescribeTransactions", 0, {"transactional_ids": names})["transaction_states"]
    for each in described:
        each["topics"] = sorted((topic["topic"], sorted(topic["partitions"])) for topic in each["topics"])
    return {
        "transactions": {each["transactional_id"]: each for each in described},
        "producers": {str(index): _producers(connection, index) for index in range(PARTITIONS)},
        "records": {str(index): _records(connection, index) for index in range(PARTITIONS)},
        "offsets": {str(stable): _offsets(connection, stable) for stable in (False, True)},
    }


def _producers(connection: Connection, index: int) -> list[Tree]:
    body = {"topics": [{"name": TOPIC, "partition_indexes": [index]}]}
    (topic,) = _ask(connection, "DescribeProducers", 0, body)["topics"]
    (found,) = topic["partitions"]
    producers = sorted(found["active_producers"], key=lambda each: int(each["producer_id"]))
    if index == LATE_PARTITION:
        for each in producers:
            each["coordinator_epoch"] = each["last_timestamp"] = "of the broker"
    return producers


def _records(connection: Connection, index: int) -> Tree:
    """With both isolation levels: the ends, and what a fetch of everything gives."""
    seen: Tree = {}
    for level in (0, 1):
        partitions = [{"partition_index": index, "current_leader_epoch": -1, "timestamp": LATEST}]
        body = {"replica_id": -1, "isolation_level": level, "topics": [{"name": TOPIC, "partitions": partitions}]}
        (topic,) = _ask(connection, "ListOffsets", 6, body)["topics"]
        seen[f"end {level}"] = topic["partitions"][0]["offset"]
        asked = {"partition": index, "fetch_offset": 0, "partition_max_bytes": 1_000_000}
        limits = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 1_000_000, "isolation_level": level}
        (topic,) = _ask(connection, "Fetch", 11, {**limits, "topics": [{"topic": TOPIC, "partitions": [asked]}]})[
            "responses"
        ]
        (part,) = topic["partitions"]
        seen[f"last stable offset {level}"] = part["last_stable_offset"]
        seen[f"aborted {level}"] = part["aborted_transactions"]
        seen[f"batches {level}"] = list(_batches(part["records"] or b""))
    return seen


def _batches(raw: bytes) -> Iterator[tuple[int, int, int, int, list[str]]]:
    """Offset, producer id and epoch, attributes, values; of a marker only its type, for its time and epoch are the broker's."""
    for position, header in iterate_batches(raw):
        records = decode_records(raw, header, position)
        told = [repr(each.key if header.is_control else each.value) for each in records]
        yield header.base_offset, header.producer_id, header.producer_epoch, header.attributes, told


def _offsets(connection: Connection, stable: bool) -> list[Tree]:
    topics = [{"name": TOPIC, "partition_indexes": list(range(PARTITIONS))}]
    body = {"groups": [{"group_id": GROUP, "topics": topics}], "require_stable": stable}
    (group,) = _ask(connection, "OffsetFetch", 8, body)["groups"]
    return sorted(group["topics"][0]["partitions"], key=lambda each: int(each["partition_index"]))


def _ask(connection: Connection, api: str, version: int, body: Tree) -> Any:
    got = connection.ask(api_named(api), version, body)
    if not isinstance(got, dict):
        raise RuntimeError(f"{api} v{version}: {got}")
    return got


def _differences(what: str, ours: tuple[View, View], theirs: tuple[View, View]) -> Iterator[str]:
    for when, left, right in zip(("after the start", "after the ends"), ours, theirs, strict=True):
        for path, mine, other in differences(left, right, ""):
            yield f"{what}, {when}: {path}: ours {mine!r}, theirs {other!r}"
