"""Questions to a large cluster: who coordinates each group, and does it answer. One group stands for each coordinator partition."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from time import perf_counter

from muster.core.hashing import partition_for
from muster.wire.errors import NONE
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
)
from tests.cluster.stage import ClusterStage
from tests.interop.waiting import eventually
from tests.server.raw_client import RawClient

TOPIC = "orders"
OFFSETS_A_GROUP = 10
PATIENCE_SECONDS = 120
_ASKED_AT_ONCE = 5_000
"""Half of what one request may list."""
_ROWS = [OffsetCommitRequestPartition(partition, 7, -1, "") for partition in range(OFFSETS_A_GROUP)]


def create_topic(stage: ClusterStage) -> None:
    wanted = CreateTopicsRequestTopic(name=TOPIC, num_partitions=OFFSETS_A_GROUP, replication_factor=1)
    request = CreateTopicsRequest(topics=[wanted], timeout_ms=30_000)
    (made,) = stage.ask(min(stage.running), "CreateTopics", 5, request).topics
    assert made.error_code == NONE, f"CreateTopics: {made.error_message}"


def commit_all(port: int, groups: Sequence[str]) -> int:
    """Commit the offsets of each group, one request after the other; how many were acknowledged, which must be all."""
    with RawClient(port) as client:
        for group in groups:
            request = OffsetCommitRequest(group_id=group, topics=[OffsetCommitRequestTopic(TOPIC, partitions=_ROWS)])
            answer = client.ask("OffsetCommit", 8, request)
            codes = {row.error_code for topic in answer.topics for row in topic.partitions}
            assert codes == {NONE}, f"{group}: error codes {codes}"
    return len(groups)


class Fleet:
    """All groups of the cluster, by name."""

    def __init__(self, stage: ClusterStage, partitions: int, groups: int) -> None:
        self._stage = stage
        self._groups = [f"team-{number:06}" for number in range(groups)]
        self._probes: dict[int, str] = {}
        """By coordinator partition: a group that is kept there."""
        for group in self._groups:
            self._probes.setdefault(partition_for(group, partitions), group)

    def groups_by_coordinator(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = defaultdict(list)
        everybody = eventually("coordinators of all groups", lambda: self._find(self._groups), self._is_whole)
        for group, node_id in everybody:
            found[node_id].append(group)
        return found

    def coordinators(self) -> dict[int, int]:
        """By coordinator partition: the node that leads it."""
        found = dict(eventually("all coordinators", lambda: self._find(list(self._probes.values())), self._is_whole))
        return {partition: found[group] for partition, group in self._probes.items()}

    def wait_until_answered(
        self, partitions: Sequence[int], without: int | None = None
    ) -> dict[int, tuple[float, int]]:
        """By partition: when its coordinator answered for the first time, and which node it was."""
        waiting = {self._probes[partition]: partition for partition in partitions}
        answered: dict[int, tuple[float, int]] = {}
        deadline = perf_counter() + PATIENCE_SECONDS
        while waiting:
            assert perf_counter() < deadline, f"nobody answers for {len(waiting)} partitions"
            by_node: dict[int, list[str]] = defaultdict(list)
            for group, node_id in self._find(list(waiting)):
                if node_id in self._stage.running and node_id != without:
                    by_node[node_id].append(group)
            for node_id, groups in by_node.items():
                for group in self._answering(node_id, groups):
                    answered[waiting.pop(group)] = perf_counter(), node_id
        return answered

    def _find(self, groups: Sequence[str]) -> list[tuple[str, int]]:
        """Group and node, as a node that runs says; -1: nobody."""
        found: list[tuple[str, int]] = []
        node = self._stage.nodes[min(self._stage.running)]
        with RawClient(node.port) as client:
            for start in range(0, len(groups), _ASKED_AT_ONCE):
                keys = groups[start : start + _ASKED_AT_ONCE]
                answer = client.ask("FindCoordinator", 4, FindCoordinatorRequest(key_type=0, coordinator_keys=keys))
                found += [(each.key, each.node_id if each.error_code == NONE else -1) for each in answer.coordinators]
        return found

    def _is_whole(self, found: Iterable[tuple[str, int]]) -> bool:
        return all(node_id in self._stage.running for _, node_id in found)

    def _answering(self, node_id: int, groups: Sequence[str]) -> list[str]:
        topics = [OffsetFetchRequestGroupTopic(name=TOPIC, partition_indexes=[0])]
        request = OffsetFetchRequest(
            groups=[OffsetFetchRequestGroup(group_id=group, topics=topics) for group in groups]
        )
        with suppress(OSError, EOFError):
            answer = self._stage.ask(node_id, "OffsetFetch", 8, request)
            return [each.group_id for each in answer.groups if each.error_code == NONE]
        return []
