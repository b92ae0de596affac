"""DescribeProducers (61), version 0: the producers that a partition knows, and their open transactions (KIP-664)."""

from __future__ import annotations

from muster.log.contract import StorageError
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_topic
from muster.server.call import Call
from muster.topics.refusal import TopicError
from muster.wire.errors import KAFKA_STORAGE_ERROR, NONE, TOPIC_AUTHORIZATION_FAILED
from muster.wire.generated.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    DescribeProducersResponsePartition,
    DescribeProducersResponseProducer,
    DescribeProducersResponseTopic,
)


def handle(call: Call, request: DescribeProducersRequest, node: Node) -> None:
    asked = _Asked(call, request, node)
    if node.reads_apart is not None:
        node.reads_apart.run(call, asked.look, asked.reply)
    else:
        asked.look()
        asked.reply()


class _Asked:
    """One request."""

    __slots__ = ("_allowed", "_call", "_found", "_node", "_request")

    def __init__(self, call: Call, request: DescribeProducersRequest, node: Node) -> None:
        self._call = call
        self._request = request
        self._node = node
        self._found: list[DescribeProducersResponseTopic] = []
        self._allowed = [authorize_topic(call, node, Operation.READ, topic.name) for topic in request.topics]
        """Judged once, however often is looked."""

    def look(self) -> None:
        self._found = [
            DescribeProducersResponseTopic(
                topic.name,
                [
                    self._describe(topic.name, index)
                    if is_allowed
                    else DescribeProducersResponsePartition(index, TOPIC_AUTHORIZATION_FAILED)
                    for index in topic.partition_indexes
                ],
            )
            for topic, is_allowed in zip(self._request.topics, self._allowed, strict=True)
        ]

    def reply(self) -> None:
        self._call.reply(DescribeProducersResponse(topics=self._found))

    def _describe(self, topic: str, index: int) -> DescribeProducersResponsePartition:
        try:
            found = self._node.broker.describe_producers(topic, index, self._node.clock.now_ms())
        except TopicError as refused:
            return DescribeProducersResponsePartition(index, refused.code, refused.message)
        except StorageError as error:
            return DescribeProducersResponsePartition(index, KAFKA_STORAGE_ERROR, str(error))
        return DescribeProducersResponsePartition(
            index,
            NONE,
            None,
            [
                DescribeProducersResponseProducer(
                    each.producer_id,
                    each.epoch,
                    each.last_sequence,
                    each.last_timestamp_ms,
                    each.coordinator_epoch,
                    each.transaction_start_offset,
                )
                for each in found
            ],
        )
