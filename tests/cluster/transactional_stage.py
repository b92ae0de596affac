"""Transactions on several nodes, for tests: who coordinates and leads what, by the protocol, and raw clients of each node.

`Nodes` is what a cluster over PostgreSQL and the workers of one machine have in common here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from muster.log.contract import NOBODY
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.interop.client_confluent import ConfluentClient
from tests.interop.waiting import eventually
from tests.server.raw_client import RawClient
from tests.server.transactions.txn_client import TRANSACTION, Producer, TxnClient

PARTITIONS = 6


class Nodes:
    """Ports of the live nodes by id."""

    def __init__(self, ports: Mapping[int, int]) -> None:
        self.ports = ports

    @property
    def bootstrap(self) -> str:
        return ",".join(f"127.0.0.1:{port}" for port in self.ports.values())

    def without(self, node_id: int) -> Nodes:
        return Nodes({each: port for each, port in self.ports.items() if each != node_id})

    def create(self, topic: str) -> None:
        admin = ConfluentClient(self.bootstrap)
        admin.create_topic(topic, PARTITIONS)
        admin.close()
        eventually("leaders", lambda: self.leaders(topic), lambda led: len(led) == PARTITIONS)

    def leaders(self, topic: str) -> dict[int, int]:
        """By partition, as far as all nodes agree that there is one."""
        seen = [self._leaders_at(port, topic) for port in self.ports.values()]
        return seen[0] if all(each == seen[0] for each in seen) else {}

    def _leaders_at(self, port: int, topic: str) -> dict[int, int]:
        with RawClient(port) as client:
            found = client.ask("Metadata", 4, MetadataRequest([MetadataRequestTopic(name=topic)], False))
        return {
            each.partition_index: each.leader_id
            for entry in found.topics
            for each in entry.partitions
            if each.leader_id in self.ports
        }

    def coordinator_of(self, transactional_id: str) -> int:
        """The live node that all of them name."""

        def look() -> set[int]:
            return {self._named_at(port, transactional_id) for port in self.ports.values()}

        (named,) = eventually("a coordinator", look, lambda found: len(found) == 1 and found <= self.ports.keys())
        return named

    def _named_at(self, port: int, transactional_id: str) -> int:
        request = FindCoordinatorRequest(key=transactional_id, key_type=TRANSACTION)
        with RawClient(port) as client:
            found = client.ask("FindCoordinator", 3, request)
        return int(found.node_id) if found.error_code == 0 else NOBODY

    @contextmanager
    def client(self, node_id: int) -> Iterator[TxnClient]:
        client = TxnClient(self.ports[node_id], "raw", "127.0.0.1")
        try:
            yield client
        finally:
            client.close()

    def state_of(self, transactional_id: str) -> str:
        """What its coordinator says; empty while it does not know."""
        with self.client(self.coordinator_of(transactional_id)) as client:
            (found,) = client.describe_txns(transactional_id)
        return str(found.transaction_state)

    def producer(self, transactional_id: str, timeout_ms: int = 60_000) -> Producer:
        """Initialised by raw requests."""

        def look() -> Producer | None:
            with self.client(self.coordinator_of(transactional_id)) as client:
                reply = client.init(transactional_id, timeout_ms)
            return None if reply.error_code else Producer(reply.producer_id, reply.producer_epoch, transactional_id)

        found = eventually("a producer id", look)
        assert found is not None
        return found

    def name_coordinated_by(self, prefix: str, *node_ids: int) -> str:
        """A transactional id whose coordinator is one of these nodes."""
        return next(
            name for name in (f"{prefix} {number}" for number in range(200)) if self.coordinator_of(name) in node_ids
        )
