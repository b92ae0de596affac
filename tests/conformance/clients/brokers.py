"""The two brokers under equal settings: a fresh one for each client, so that names and offsets can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from tests.conformance import kafka, muster_node
from tests.conformance.kafka import Node
from tests.conformance.stage import prepare

SETTINGS: Final = {
    "node.id": "1",
    # A first rebalance at once, and sessions short enough that a killed consumer is missed within seconds.
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
    # Consumer groups that notice soon who is gone.
    "group.consumer.min.session.timeout.ms": "3000",
    "group.consumer.session.timeout.ms": "6000",
    "group.consumer.min.heartbeat.interval.ms": "300",
    "group.consumer.heartbeat.interval.ms": "300",
    "auto.create.topics.enable": "true",
    "num.partitions": "2",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    # Kafka looks this often for transactions that have timed out.
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}
OF_CLIENT: Final[Mapping[str, Mapping[str, str]]] = {
    # Without the question to the coordinator a transaction can hang: one that its coordinator does not know.
    "tools": {"transaction.partition.verification.enable": "false"},
    # Members of consumer groups are told to beat often, and are missed soon.
    "muster": {
        "group.consumer.min.heartbeat.interval.ms": "100",
        "group.consumer.heartbeat.interval.ms": "100",
        "group.consumer.min.session.timeout.ms": "2000",
        "group.consumer.session.timeout.ms": "4000",
        "group.consumer.assignment.interval.ms": "0",
    },
}
"""What a client needs beyond that."""


class _Running(Protocol):
    def __call__(self, settings: Mapping[str, str], data: Path | None = None) -> AbstractContextManager[Node]: ...


BROKERS: Final[Mapping[str, _Running]] = {"Muster": muster_node.running, "Kafka": kafka.running}


@contextmanager
def fresh(broker: str, client: str) -> Iterator[Node]:
    """A node with an empty data directory on disk, ready to serve groups."""
    prefix = f"clients-{broker.lower()}-"
    settings = {**SETTINGS, **OF_CLIENT.get(client, {})}
    with TemporaryDirectory(prefix=prefix) as made, BROKERS[broker](settings, Path(made) / "data") as node:
        prepare(broker, node.host, node.port)
        yield node
