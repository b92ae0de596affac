"""DescribeProducers (61), version 0: the producers that a partition knows, and their open transactions (KIP-664).

Deviates: a partition that is listed several times is described once. A short question would have a very long answer otherwise.
"""

from __future__ import annotations

from typing import Final

from muster.log.contract import StorageError
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_topic
from muster.server.call import Call
from muster.topics.refusal import TopicError
from muster.wire.errors import KAFKA_STORAGE_ERROR, NONE, TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    DescribeProducersResponsePartition,
    DescribeProducersResponseProducer,
    DescribeProducersResponseTopic,
)

_NOT_ALLOWED: Final = "Topic authorization failed."
_NO_SUCH_TOPIC: Final = "This server does not host this topic-partition."
"""Of a topic that is not there; a partition that is not there has no text."""


def handle(call: Call, request: DescribeProducersRequest, node: Node) -> None:
    asked = _Asked(call, request, node)
    if node.reads_apart is not None:
        node.reads_apart.run(call, asked.look, asked.reply)
    else:
        asked.look()
        asked.reply()


class _Asked:
    """One request."""

    __slots__ = ("_allowed", "_call", "_found", "_node", "_wanted")

    def __init__(self, call: Call, request: DescribeProducersRequest, node: Node) -> None:
        self._call = call
        self._node = node
        self._found: list[DescribeProducersResponseTopic] = []
        self._wanted: dict[str, dict[int, None]] = {}
        for topic in request.topics:
            self._wanted.setdefault(topic.name, {}).update(dict.fromkeys(topic.partition_indexes))
        self._allowed = {name: authorize_topic(call, node, Operation.READ, name) for name in self._wanted}
        """Judged once, however often is looked."""

    def look(self) -> None:
        self._found = [
            DescribeProducersResponseTopic(
                name,
                [
                    self._describe(name, index)
                    if self._allowed[name]
                    else DescribeProducersResponsePartition(index, TOPIC_AUTHORIZATION_FAILED, _NOT_ALLOWED)
                    for index in indexes
                ],
            )
            for name, indexes in self._wanted.items()
        ]

    def reply(self) -> None:
        self._call.reply(DescribeProducersResponse(topics=self._found))

    def _describe(self, topic: str, index: int) -> DescribeProducersResponsePartition:
        if self._node.broker.topic(topic) is None:
            return DescribeProducersResponsePartition(index, UNKNOWN_TOPIC_OR_PARTITION, _NO_SUCH_TOPIC)
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
