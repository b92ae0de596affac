"""A group of one member at the level of the protocol: what each node answers it, error codes and all.

`LoneClient` is what both protocols of groups have in common, `LoneMember` is the classic one; `lone_consumer.py` has the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from muster.wire.errors import NONE
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from muster.wire.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from muster.wire.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.server.raw_client import RawClient

SESSION_MS = 30_000
TOPIC = "__consumer_offsets"
"""Offsets are kept for topics that exist, and this one does."""


class Asked(NamedTuple):
    """A request that a test sends by itself, because it does not wait for the reply."""

    api: str
    version: int
    message: object


class LoneClient(ABC):
    """Every question is put to a port, on a connection that is kept until it breaks."""

    commit_version: int

    def __init__(self, group: str) -> None:
        self.group = group
        self.member_id = ""
        self.generation = -1
        """Or the member's epoch."""
        self._clients: dict[int, RawClient] = {}

    def join(self, port: int) -> None:
        assert self.try_to_join(port) == NONE

    @abstractmethod
    def try_to_join(self, port: int) -> int:
        """The error; NONE means that it is the only member of a stable group."""

    @abstractmethod
    def heartbeat(self) -> Asked: ...

    def beat(self, port: int) -> int:
        return int(self._on(port).ask(*self.heartbeat()).error_code)

    def commit(self, port: int, offset: int) -> int:
        answer = self._on(port).ask(*self.offset_commit(offset))
        return int(answer.topics[0].partitions[0].error_code)

    def offset_commit(self, offset: int) -> Asked:
        partition = OffsetCommitRequestPartition(
            partition_index=0, committed_offset=offset, committed_leader_epoch=-1, committed_metadata=""
        )
        request = OffsetCommitRequest(
            group_id=self.group,
            generation_id_or_member_epoch=self.generation,
            member_id=self.member_id,
            topics=[OffsetCommitRequestTopic(name=TOPIC, partitions=[partition])],
        )
        return Asked("OffsetCommit", self.commit_version, request)

    def committed(self, port: int) -> tuple[int, int]:
        """(error, offset)"""
        request = OffsetFetchRequest(
            group_id=self.group, topics=[OffsetFetchRequestTopic(name=TOPIC, partition_indexes=[0])]
        )
        answer = self._on(port).ask("OffsetFetch", 5, request)
        return int(answer.error_code), int(answer.topics[0].partitions[0].committed_offset) if answer.topics else -1

    def coordinator_port(self, ports: Sequence[int]) -> int | None:
        """Where whoever answers first sends it; None if nobody knows."""
        for port in ports:
            with suppress(OSError, EOFError):
                found = self._try(port, lambda client: client.ask("FindCoordinator", 2, _find(self.group)))
                if found.error_code == NONE:
                    return int(found.port)
        return None

    def beats_somewhere(self, ports: Sequence[int]) -> bool:
        """Whether one of these is said to be the coordinator and takes its heartbeat."""
        with suppress(OSError, EOFError):
            port = self.coordinator_port(ports)
            return port is not None and port in ports and bool(self._try(port, lambda _: self.beat(port)) == NONE)
        return False

    def commits_somewhere(self, ports: Sequence[int], offset: int) -> bool:
        """Whether one of these is said to be the coordinator and takes its commit."""
        with suppress(OSError, EOFError):
            port = self.coordinator_port(ports)
            if port is not None and port in ports:
                return bool(self._try(port, lambda _: self.commit(port, offset)) == NONE)
        return False

    def knows_somewhere(self, ports: Sequence[int]) -> tuple[int, int] | None:
        """(port, offset) of the one of these that is said to be the coordinator and answers as such."""
        with suppress(OSError, EOFError):
            port = self.coordinator_port(ports)
            if port is not None and port in ports:
                error, offset = self._try(port, lambda _: self.committed(port))
                return (port, offset) if error == NONE else None
        return None

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    def _on(self, port: int) -> RawClient:
        if port not in self._clients:
            self._clients[port] = RawClient(port)
        return self._clients[port]

    def _try(self, port: int, question: Callable[[RawClient], Any]) -> Any:
        try:
            return question(self._on(port))
        except (OSError, EOFError):
            broken = self._clients.pop(port, None)
            if broken is not None:
                broken.close()
            raise


class LoneMember(LoneClient):
    """Of the classic protocol: leader of its group, and stable at once."""

    commit_version = 6

    def try_to_join(self, port: int) -> int:
        protocols = [JoinGroupRequestProtocol(name="range", metadata=b"\0\0\0\0\0\0\xff\xff\xff\xff")]
        joined = self._on(port).ask(
            "JoinGroup",
            3,
            JoinGroupRequest(
                group_id=self.group,
                session_timeout_ms=SESSION_MS,
                rebalance_timeout_ms=SESSION_MS,
                member_id=self.member_id,
                protocol_type="consumer",
                protocols=protocols,
            ),
        )
        if joined.error_code != NONE:
            return int(joined.error_code)
        self.member_id, self.generation = joined.member_id, joined.generation_id
        assigned = [SyncGroupRequestAssignment(member_id=self.member_id, assignment=b"")]
        synced = self._on(port).ask(
            "SyncGroup",
            2,
            SyncGroupRequest(
                group_id=self.group, generation_id=self.generation, member_id=self.member_id, assignments=assigned
            ),
        )
        return int(synced.error_code)

    def heartbeat(self) -> Asked:
        request = HeartbeatRequest(group_id=self.group, generation_id=self.generation, member_id=self.member_id)
        return Asked("Heartbeat", 2, request)


def _find(group: str) -> FindCoordinatorRequest:
    return FindCoordinatorRequest(key=group)
