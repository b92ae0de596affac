"""`python -m tests.wire.kafka.record_transactions`: writes the recorded transactions of a real Apache Kafka 4.3.1 anew.

Clients (librdkafka, Kafka's own tools, and a raw one in every version) use transactions through a proxy that keeps what went
over the wire; the broker's own requests to itself go through it too. Kafka is started again on the same directory: once with a
record that Muster has encoded, of a producer whose epochs are nearly used up, and with `transaction.version` 0; once to let all
transactional ids expire. Then the segments of `__transaction_state` and of the topics are kept as they lie on disk. Needs Java and
Maven (`tests.conformance.kafka`). Not a test: it takes a minute.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from muster.core.transactions.records import TransactionStored
from muster.core.transactions.states import TransactionState
from muster.log.transaction_value import encode_transaction_record
from muster.wire.batch import iterate_batches
from tests.conformance import kafka
from tests.conformance.codec import api_named
from tests.conformance.connection import Connection
from tests.wire.kafka.recording_proxy import Body, RecordingProxy
from tests.wire.kafka.transactions import RECORDED, WATCHED

STATE = "__transaction_state-0"
TOPICS = {"orders": 2, "payments": 1}
SETTINGS = {
    "transaction.state.log.num.partitions": "1",
    "offsets.topic.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
}
EXPIRY = {"transactional.id.expiration.ms": "1000", "transaction.remove.expired.transaction.cleanup.interval.ms": "200"}
LAST_EPOCHS = 32_765
PATIENCE_SECONDS = 30
RETRIED = (14, 15, 16, 51)
"""Loading, not available, not the coordinator, CONCURRENT_TRANSACTIONS: markers are still being written."""


def main() -> None:
    with TemporaryDirectory() as made:
        data = Path(made) / "data"
        proxy = RecordingProxy([api_named(name).key for name in WATCHED])
        settings = {**SETTINGS, "advertised.listeners": f"PLAINTEXT://127.0.0.1:{proxy.port}"}
        at = f"127.0.0.1:{proxy.port}"
        with kafka.running(settings, data) as node:
            proxy.forward_to(node.host, node.port)
            _create_topics(at)
            _librdkafka(at)
            _every_version(proxy.port)
            _kafkas_tools(at)
            _plant_last_epochs(at)
        with kafka.running(settings, data) as node:
            proxy.forward_to(node.host, node.port)
            _use_up_epochs(proxy.port)
            _tool("FeatureCommand", "--bootstrap-server", at, "downgrade", "--feature", "transaction.version=0")
            _librdkafka(at, "old-version")
            _copy(at, "java-old-version")
        with kafka.running({**settings, **EXPIRY}, data) as node:
            proxy.forward_to(node.host, node.port)
            _wait_for_tombstones(data)
        proxy.close()
        logs = {name: _batches(data / name) for name in (STATE, "orders-0", "orders-1")}
    RECORDED.write_text(_as_text(_chosen(proxy.bodies), logs))
    print(f"{len(proxy.bodies)} bodies seen; {RECORDED.stat().st_size} bytes written to {RECORDED}")


def _create_topics(at: str) -> None:
    admin = AdminClient({"bootstrap.servers": at})
    for each in admin.create_topics([NewTopic(name, n) for name, n in TOPICS.items()]).values():
        each.result()


def _librdkafka(at: str, transactional_id: str = "librdkafka") -> None:
    """A commit with two partitions of a topic, one of another, and offsets; an abort of the same."""
    producer = Producer({"bootstrap.servers": at, "transactional.id": transactional_id, "client.id": "librdkafka"})
    member = Consumer({"bootstrap.servers": at, "group.id": "readers", "client.id": "librdkafka"})
    producer.init_transactions(PATIENCE_SECONDS)
    for ending in ("commit", "abort"):
        producer.begin_transaction()
        for topic, partitions in TOPICS.items():
            for partition in range(partitions):
                producer.produce(topic, b"value", b"key", partition)
        producer.flush()
        offsets = [TopicPartition("orders", 0, 3), TopicPartition("orders", 1, 4)]
        producer.send_offsets_to_transaction(offsets, member.consumer_group_metadata(), PATIENCE_SECONDS)
        if ending == "commit":
            producer.commit_transaction(PATIENCE_SECONDS)
        else:
            producer.abort_transaction(PATIENCE_SECONDS)
    member.close()


def _kafkas_tools(at: str) -> None:
    """The Java clients: transactions with protocol 2, offsets, and what describes transactions."""
    _copy(at, "java")
    for arguments in (
        ("list",),
        ("describe", "--transactional-id", "java"),
        ("describe-producers", "--topic", "orders", "--partition", "0"),
    ):
        _tool("TransactionsCommand", "--bootstrap-server", at, *arguments)


def _copy(at: str, transactional_id: str) -> None:
    copying = ["--input-topic", "orders", "--input-partition", "0", "--output-topic", "payments", "--broker-list", at]
    ids = ["--consumer-group", transactional_id, "--transactional-id", transactional_id]
    _tool("TransactionalMessageCopier", *copying, *ids, "--max-messages", "1", "--use-group-metadata")


def _tool(name: str, *arguments: str) -> None:
    ran = kafka.run_tool(f"org.apache.kafka.tools.{name}", *arguments)
    if ran.returncode:
        raise SystemExit(f"{name} {arguments} ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")


def _every_version(port: int) -> None:
    raw = Connection("127.0.0.1", port, "raw")
    for version in range(6):
        txn = f"raw-{version}"
        producer = _producer(raw, txn, version)
        added = {**producer, "topics": [{"name": "orders", "partitions": [0, 1]}]}
        body: Any = added if version < 4 else {"transactions": [{**added, "verify_only": False}]}
        _ask(raw, "AddPartitionsToTxn", version, body)
        if version < 5:
            _ask(raw, "AddOffsetsToTxn", version, {**producer, "group_id": "readers"})
        committed = {"partition_index": 0, "committed_offset": 5, "committed_metadata": "note"}
        topics = [{"name": "orders", "partitions": [committed]}]
        _ask(raw, "TxnOffsetCommit", version, {**producer, "group_id": "readers", "topics": topics})
        if version == 0:
            _describe(raw, txn)
        _ask(raw, "EndTxn", version, {**producer, "committed": version % 2 == 0})
    for version in (1, 2):
        marker = {**_producer(raw, "raw-markers", 5), "topics": [{"name": "orders", "partition_indexes": [1]}]}
        del marker["transactional_id"]
        _ask(raw, "WriteTxnMarkers", version, {"markers": [{**marker, "coordinator_epoch": 0}]})
    raw.close()


def _describe(raw: Connection, transactional_id: str) -> None:
    _ask(raw, "DescribeTransactions", 0, {"transactional_ids": [transactional_id, "unknown"]})
    _ask(raw, "DescribeProducers", 0, {"topics": [{"name": "orders", "partition_indexes": [0, 9]}]})
    filters = {"state_filters": ["Ongoing", "Strange"], "producer_id_filters": []}
    _ask(raw, "ListTransactions", 0, filters)
    _ask(raw, "ListTransactions", 1, {**filters, "duration_filter": 0})
    _ask(raw, "ListTransactions", 2, {**filters, "transactional_id_pattern": "raw.*"})


def _producer(raw: Connection, transactional_id: str, version: int) -> dict[str, Any]:
    given = _ask(
        raw, "InitProducerId", version, {"transactional_id": transactional_id, "transaction_timeout_ms": 60_000}
    )
    return {
        "transactional_id": transactional_id,
        "producer_id": given["producer_id"],
        "producer_epoch": given["producer_epoch"],
    }


def _ask(raw: Connection, api: str, version: int, body: Any) -> Any:
    """Again while the coordinator is loading or busy with the transaction before."""
    for _ in range(100):
        answer = raw.ask(api_named(api), version, body)
        codes = _error_codes(answer)
        if not codes & set(RETRIED):
            return answer
        time.sleep(0.1)
    raise SystemExit(f"{api} v{version} {body}: {answer}")


def _error_codes(answer: Any) -> set[int]:
    if isinstance(answer, list):
        return {code for each in answer for code in _error_codes(each)}
    if not isinstance(answer, dict):
        return set()
    inside = {code for each in answer.values() for code in _error_codes(each)}
    return inside | {code for name, code in answer.items() if name.endswith("error_code")}


def _plant_last_epochs(at: str) -> None:
    """A record of ours, for Kafka to load. Clients may not write to internal topics, but for those of this name."""
    record = TransactionStored(
        "last-epochs", 4_000, LAST_EPOCHS, 60_000, TransactionState.EMPTY, (), int(time.time() * 1000)
    )
    key, value = encode_transaction_record(record)
    said: list[str] = []
    producer = Producer({"bootstrap.servers": at, "client.id": "__admin_client"})
    producer.produce("__transaction_state", value, key, 0, on_delivery=lambda error, _: said.append(str(error)))
    producer.flush(PATIENCE_SECONDS)
    assert said == ["None"], said


def _use_up_epochs(port: int) -> None:
    """EndTxn 5 raises the epoch until the log has to name the next producer id."""
    raw = Connection("127.0.0.1", port, "raw-epochs")
    producer = {"transactional_id": "last-epochs", "producer_id": 4_000, "producer_epoch": LAST_EPOCHS}
    for _ in range(3):
        added = {**producer, "topics": [{"name": "orders", "partitions": [0]}], "verify_only": False}
        _ask(raw, "AddPartitionsToTxn", 5, {"transactions": [added]})
        ended = _ask(raw, "EndTxn", 5, {**producer, "committed": True})
        assert ended["error_code"] == 0, ended
        producer |= {name: ended[name] for name in ("producer_id", "producer_epoch")}
    raw.close()


def _wait_for_tombstones(data: Path) -> None:
    known = _batches(data / STATE)
    for _ in range(100):
        time.sleep(0.2)
        if len(_batches(data / STATE)) > len(known):
            time.sleep(1)
            return
    raise SystemExit("no transactional id has expired")


def _batches(partition: Path) -> list[str]:
    content = b"".join(path.read_bytes() for path in sorted(partition.glob("*.log")))
    return [content[at : at + header.size].hex() for at, header in iterate_batches(content)]


def _chosen(bodies: list[Body]) -> list[Body]:
    """One of each client, API, version and direction, the longest: it says most."""
    longest: dict[tuple[str, str, int, str], Body] = {}
    for each in bodies:
        key = (_kind(each.client), each.api, each.version, each.direction)
        if key not in longest or len(each.body) > len(longest[key].body):
            longest[key] = each._replace(client=key[0])
    return sorted(longest.values(), key=lambda each: (WATCHED.index(each.api), *each[2:4], each.client))


def _kind(client: str) -> str:
    return client if client in ("librdkafka", "raw", "raw-epochs") else "Kafka"


def _as_text(bodies: list[Body], logs: dict[str, list[str]]) -> str:
    """JSON with a body or a batch a line."""
    lines = ['{"bodies": [', ",\n".join(json.dumps(each) for each in bodies), '], "logs": {']
    lines.append(
        ",\n".join(
            f'"{name}": [\n' + ",\n".join(f'"{each}"' for each in batches) + "]" for name, batches in logs.items()
        )
    )
    return "\n".join([*lines, "}}", ""])


if __name__ == "__main__":
    main()
