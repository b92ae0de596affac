"""A client that speaks the transaction APIs in any version, and a server that has their coordinator. Judges nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from muster.wire.batch import Record, encode_batch
from muster.wire.generated.add_offsets_to_txn import AddOffsetsToTxnRequest
from muster.wire.generated.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnRequestTopic,
    AddPartitionsToTxnRequestTransaction,
    AddPartitionsToTxnRequestTransactionTopic,
)
from muster.wire.generated.describe_transactions import DescribeTransactionsRequest
from muster.wire.generated.end_txn import EndTxnRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.init_producer_id import InitProducerIdRequest
from muster.wire.generated.list_offsets import ListOffsetsRequest, ListOffsetsRequestPartition, ListOffsetsRequestTopic
from muster.wire.generated.list_transactions import ListTransactionsRequest
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from muster.wire.generated.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from muster.wire.generated.write_txn_markers import (
    WriteTxnMarkersRequest,
    WriteTxnMarkersRequestMarker,
    WriteTxnMarkersRequestTopic,
)
from tests.server.groups.group_client import GroupClient
from tests.server.groups.group_server import OPERATOR, GroupServer

NAME = "tx"
TIMEOUT_MS = 60_000
SETTINGS = {"transaction.state.log.num.partitions": "4"}
TRANSACTION = 1
"""The key type of FindCoordinator."""
LATEST = -1


class Producer(NamedTuple):
    """Who a request says that it is of."""

    producer_id: int
    epoch: int
    name: str = NAME

    def at(self, epoch: int) -> Producer:
        return self._replace(epoch=epoch)


Places = Sequence[tuple[str, Sequence[int]]]
Codes = list[tuple[str, int, int]]
"""Topic, partition, error."""


def batch(
    producer: Producer, sequence: int = 0, *, transactional: bool = True, control: bool = False, value: bytes = b"v"
) -> bytes:
    return encode_batch(
        [Record(0, 1_000, None, value)],
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        base_sequence=sequence,
        transactional=transactional,
        control=control,
    )


def produce_request(*batches: tuple[str, int, bytes], name: str | None = NAME) -> ProduceRequest:
    """Of each (topic, partition, batch)."""
    topics = [
        ProduceRequestTopic(topic, partition_data=[ProduceRequestPartition(partition, records)])
        for topic, partition, records in batches
    ]
    return ProduceRequest(name, -1, 1_000, topics)


class TxnClient(GroupClient):
    def init(self, name: str | None = NAME, timeout_ms: int = TIMEOUT_MS, *, version: int = 4, **expected: int) -> Any:
        return self.call("InitProducerId", version, InitProducerIdRequest(name, timeout_ms, **expected))

    def started(self, name: str = NAME) -> Producer:
        reply = self.init(name)
        assert reply.error_code == 0, f"no producer: {reply}"
        return Producer(reply.producer_id, reply.producer_epoch, name)

    def add(self, producer: Producer, *places: tuple[str, Sequence[int]], version: int = 3) -> Codes:
        topics = [AddPartitionsToTxnRequestTopic(topic, partitions) for topic, partitions in places]
        request = AddPartitionsToTxnRequest(producer.name, producer.producer_id, producer.epoch, topics)
        reply = self.call("AddPartitionsToTxn", version, request)
        return _codes(reply.results_by_topic)

    def add_batched(
        self, *asked: tuple[Producer, Places], verify_only: bool = False, version: int = 4
    ) -> tuple[int, list[tuple[str, Codes]]]:
        """The error of the whole, and the codes by transactional id."""
        transactions = [
            AddPartitionsToTxnRequestTransaction(
                producer.name,
                producer.producer_id,
                producer.epoch,
                verify_only,
                [AddPartitionsToTxnRequestTransactionTopic(topic, partitions) for topic, partitions in places],
            )
            for producer, places in asked
        ]
        reply = self.call("AddPartitionsToTxn", version, AddPartitionsToTxnRequest(transactions=transactions))
        found = [(each.transactional_id, _codes(each.topic_results)) for each in reply.results_by_transaction]
        return reply.error_code, found

    def add_offsets(self, producer: Producer, group: str = "g", *, version: int = 3) -> int:
        request = AddOffsetsToTxnRequest(producer.name, producer.producer_id, producer.epoch, group)
        code: int = self.call("AddOffsetsToTxn", version, request).error_code
        return code

    def commit_offset(self, producer: Producer, offset: int, group: str = "g", *, version: int = 3) -> int:
        """Of orders-0."""
        topics = [TxnOffsetCommitRequestTopic("orders", [TxnOffsetCommitRequestPartition(0, offset, -1, "")])]
        request = TxnOffsetCommitRequest(
            producer.name, group, producer.producer_id, producer.epoch, -1, "", None, topics
        )
        code: int = self.call("TxnOffsetCommit", version, request).topics[0].partitions[0].error_code
        return code

    def end(self, producer: Producer, *, commit: bool = True, version: int = 3) -> Any:
        request = EndTxnRequest(producer.name, producer.producer_id, producer.epoch, commit)
        return self.call("EndTxn", version, request)

    def produce(
        self, *batches: tuple[str, int, bytes], name: str | None = NAME, version: int = 11
    ) -> list[tuple[int, int]]:
        """Error and base offset of each (topic, partition, batch)."""
        reply = self.call("Produce", version, produce_request(*batches, name=name))
        found = [each for topic in reply.responses for each in topic.partition_responses]
        return [(each.error_code, each.base_offset) for each in found]

    def produced(self, producer: Producer, sequence: int = 0, *, version: int = 11) -> int:
        """The error of one batch to orders-0."""
        ((error, _),) = self.produce(("orders", 0, batch(producer, sequence)), name=producer.name, version=version)
        return error

    def end_offset(self, topic: str = "orders", partition: int = 0, *, committed: bool = False) -> int:
        """The last stable offset, if `committed`."""
        asked = [ListOffsetsRequestTopic(topic, [ListOffsetsRequestPartition(partition, -1, LATEST)])]
        reply = self.call("ListOffsets", 6, ListOffsetsRequest(-1, int(committed), asked))
        offset: int = reply.topics[0].partitions[0].offset
        return offset

    def describe_txns(self, *names: str) -> Any:
        return self.call("DescribeTransactions", 0, DescribeTransactionsRequest(names)).transaction_states

    def state_of(self, name: str = NAME) -> str:
        (found,) = self.describe_txns(name)
        return str(found.transaction_state)

    def list_txns(self, *, version: int = 2, **filters: Any) -> Any:
        return self.call("ListTransactions", version, ListTransactionsRequest(**filters))

    def listed(self, **filters: Any) -> list[str]:
        reply = self.list_txns(**filters)
        assert reply.error_code == 0
        return sorted(each.transactional_id for each in reply.transaction_states)

    def write_marker(
        self,
        producer: Producer,
        *places: tuple[str, Sequence[int]],
        commit: bool = True,
        coordinator_epoch: int = 0,
        transaction_version: int = 0,
    ) -> Codes:
        topics = [WriteTxnMarkersRequestTopic(topic, partitions) for topic, partitions in places]
        marker = WriteTxnMarkersRequestMarker(
            producer.producer_id, producer.epoch, commit, topics, coordinator_epoch, transaction_version
        )
        version = 2 if transaction_version else 1
        (answer,) = self.call("WriteTxnMarkers", version, WriteTxnMarkersRequest([marker])).markers
        assert answer.producer_id == producer.producer_id
        return [(t.name, p.partition_index, p.error_code) for t in answer.topics for p in t.partitions]

    def find_transactions(self, *names: str) -> list[int]:
        """The error of each."""
        request = FindCoordinatorRequest(key_type=TRANSACTION, coordinator_keys=list(names))
        return [each.error_code for each in self.call("FindCoordinator", 4, request).coordinators]


class TxnServer(GroupServer):
    """A `GroupServer` whose transaction coordinator is there too."""

    def __init__(self, settings: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__({**SETTINGS, **(settings or {})}, **more)

    def __enter__(self) -> TxnServer:
        super().__enter__()
        if self._with_coordinator:
            client = self.txn_client(OPERATOR)
            client.find_transactions(NAME)
            self.settle()
            assert client.find_transactions(NAME) == [0]
        return self

    def txn_client(self, source: str = "127.0.0.1") -> TxnClient:
        client = TxnClient(self.port, "raw", source)
        self._clients.callback(client.close)
        return client


def _codes(topics: Any) -> Codes:
    return [
        (topic.name, each.partition_index, each.partition_error_code)
        for topic in topics
        for each in topic.results_by_partition
    ]
