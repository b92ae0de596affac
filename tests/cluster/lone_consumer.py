"""Members of the consumer protocol (KIP-848) at the level of the protocol, who may be asked to obey or not, and their group as its
coordinator describes it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from muster.wire.errors import NONE
from muster.wire.generated.consumer_group_describe import ConsumerGroupDescribeRequest
from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartition,
)
from tests.cluster.lone_member import SESSION_MS, TOPIC, Asked, LoneClient

_LEAVES = -1


class LoneConsumer(LoneClient):
    commit_version = 9

    def __init__(self, group: str, member_id: str = "lone", *topics: str) -> None:
        super().__init__(group)
        self.member_id = member_id
        self.has: dict[bytes, list[int]] = {}
        """Partitions by topic id, as it was told last."""
        self._topics = topics or (TOPIC,)

    @property
    def count(self) -> int:
        """Of the partitions that it was told to have."""
        return sum(len(numbers) for numbers in self.has.values())

    def try_to_join(self, port: int) -> int:
        code = self._send(port, self._request(0, rebalance_timeout_ms=SESSION_MS, topics=self._topics, owned=[]))
        return code or self.obey(port)

    def heartbeat(self) -> Asked:
        return self._request(self.generation)

    def beat(self, port: int) -> int:
        return self._send(port, self.heartbeat())

    def obey(self, port: int) -> int:
        """A heartbeat that says what it has, which is what it was told."""
        owned = [ConsumerGroupHeartbeatRequestTopicPartition(topic, numbers) for topic, numbers in self.has.items()]
        return self._send(port, self._request(self.generation, owned=owned))

    def joins_somewhere(self, ports: Sequence[int]) -> bool:
        """Whether one of these is said to be the coordinator and makes it a member."""
        with suppress(OSError, EOFError):
            port = self.coordinator_port(ports)
            return port is not None and port in ports and self._try(port, lambda _: self.try_to_join(port)) == NONE
        return False

    def obeys_somewhere(self, ports: Sequence[int]) -> bool:
        """Whether one of these is said to be the coordinator and takes that heartbeat."""
        with suppress(OSError, EOFError):
            port = self.coordinator_port(ports)
            return port is not None and port in ports and bool(self._try(port, lambda _: self.obey(port)) == NONE)
        return False

    def goodbye(self) -> Asked:
        return self._request(_LEAVES)

    def described_somewhere(self, ports: Sequence[int]) -> Any:
        """Its group with epochs, assignments and targets, by the one of these that is said to be the coordinator and answers as
        such; None if there is none."""
        with suppress(OSError, EOFError):
            port = self.coordinator_port(ports)
            if port is not None and port in ports:
                request = ConsumerGroupDescribeRequest([self.group])
                (found,) = self._try(port, lambda client: client.ask("ConsumerGroupDescribe", 1, request)).groups
                return found if found.error_code == NONE else None
        return None

    def _send(self, port: int, asked: Asked) -> int:
        answer = self._on(port).ask(*asked)
        if answer.error_code == NONE:
            self.generation = answer.member_epoch
            if answer.assignment is not None:
                self.has = {each.topic_id: list(each.partitions) for each in answer.assignment.topic_partitions}
        return int(answer.error_code)

    def _request(
        self,
        epoch: int,
        *,
        rebalance_timeout_ms: int = -1,
        topics: Sequence[str] | None = None,
        owned: Sequence[ConsumerGroupHeartbeatRequestTopicPartition] | None = None,
    ) -> Asked:
        request = ConsumerGroupHeartbeatRequest(
            self.group,
            self.member_id,
            epoch,
            rebalance_timeout_ms=rebalance_timeout_ms,
            subscribed_topic_names=topics,
            topic_partitions=owned,
        )
        return Asked("ConsumerGroupHeartbeat", 1, request)
