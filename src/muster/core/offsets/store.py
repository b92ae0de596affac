"""The committed offsets of one shard: durable facts, changed by `put` and `erase` only, which only `replay` calls (law 2).

Knows nothing of groups beyond their ids: offsets may outlive their group in the log, and a group may have none (spec 5.7).
The commit, fetch, delete and expire files read it.

Beside the facts it remembers which commits are on their way to the log: a tombstone that lands behind a commit which it has not
seen would take back an acknowledged offset, or leave one behind its own group's tombstone. Fetches never see those.

Nested dicts on purpose: flat (group, topic, partition) keys cost 396 bytes an offset. All orders are insertion order (law 7).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from muster.core.records import OffsetCommitted, Record
from muster.wire.value import Value


@mypyc_attr(acyclic=True)
class StoredOffset(Value):
    """One committed offset. Nothing in it can lead back to it: compiled, it never troubles the garbage collector."""

    __match_args__ = (
        "offset",
        "leader_epoch",
        "metadata",
        "committed_ms",
        "expires_ms",
        "log_offset",
        "topic_id",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        offset: int,
        leader_epoch: int,
        metadata: str,
        committed_ms: int,
        expires_ms: int,
        log_offset: int,
        topic_id: bytes | None,
    ) -> None:
        self.offset = offset
        self.leader_epoch = leader_epoch
        """-1: unknown."""
        self.metadata = metadata
        self.committed_ms = committed_ms
        self.expires_ms = expires_ms
        """-1: the broker's retention applies."""
        self.log_offset = log_offset
        """Where the record lies in the log."""
        self.topic_id = topic_id


Topics: TypeAlias = Mapping[str, Mapping[int, StoredOffset]]
"""topic -> partition -> offset."""

_NO_TOPICS: Topics = {}


class OffsetStore:
    """group -> topic -> partition -> the last committed offset."""

    __slots__ = ("_groups", "_on_the_way", "count")

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, dict[int, StoredOffset]]] = {}
        self._on_the_way: deque[Sequence[Record]] = deque()
        """The records of each commit that is neither durable nor lost, oldest first."""
        self.count = 0
        """How many offsets there are, kept while they come and go."""

    def put(self, record: OffsetCommitted, log_offset: int) -> None:
        """Apply a commit record. The record further on in the log wins, whenever it comes in (spec 4.2)."""
        if self._on_the_way and self._on_the_way[0][-1] is record:
            self._on_the_way.popleft()  # commits become durable in the order in which they were made
        partitions = self._partitions(record.group_id, record.topic)
        held = partitions.get(record.partition)
        if held is None:
            self.count += 1
        elif held.log_offset >= log_offset:
            return
        partitions[record.partition] = StoredOffset(
            record.offset,
            record.leader_epoch,
            record.metadata,
            record.commit_timestamp_ms,
            record.expire_timestamp_ms,
            log_offset,
            record.topic_id,
        )

    def put_loaded(self, group_id: str, topic: str, commits: list[tuple[int, StoredOffset]]) -> None:
        """`put` for many (partition, offset) pairs of one group and topic, while nothing is on its way."""
        partitions = self._partitions(group_id, topic)
        before = len(partitions)
        for partition, stored in commits:
            held = partitions.get(partition)
            if held is None or held.log_offset < stored.log_offset:
                partitions[partition] = stored
        self.count += len(partitions) - before

    def _partitions(self, group_id: str, topic: str) -> dict[int, StoredOffset]:
        topics = self._groups.get(group_id)
        if topics is None:
            topics = self._groups[group_id] = {}
        partitions = topics.get(topic)
        if partitions is None:
            partitions = topics[topic] = {}
        return partitions

    def erase(self, group_id: str, topic: str, partition: int) -> None:
        """Apply a tombstone. One for an unknown key means nothing (T210): compaction may have taken its predecessor."""
        topics = self._groups.get(group_id)
        partitions = topics.get(topic) if topics is not None else None
        if topics is None or partitions is None or partitions.pop(partition, None) is None:
            return
        self.count -= 1
        if not partitions:
            del topics[topic]
            if not topics:
                del self._groups[group_id]

    def expect(self, records: Sequence[Record]) -> None:
        """A commit was decided; each of these is replayed when it is durable."""
        self._on_the_way.append(records)

    def lost(self, records: Sequence[Record]) -> None:
        """The append of these records failed. Nothing is done for records that are no commit."""
        for index, expected in enumerate(self._on_the_way):
            if expected is records:
                del self._on_the_way[index]
                return

    def on_the_way(self) -> Iterator[OffsetCommitted]:
        """Commits that are neither durable nor lost, in their order. Few: those of the last write or two of the log."""
        for records in self._on_the_way:
            for record in records:
                if isinstance(record, OffsetCommitted):
                    yield record

    def get(self, group_id: str, topic: str, partition: int) -> StoredOffset | None:
        partitions = self.of_group(group_id).get(topic)
        return partitions.get(partition) if partitions is not None else None

    def has_offsets(self, group_id: str) -> bool:
        return group_id in self._groups

    def of_group(self, group_id: str) -> Topics:
        """Everything the group has committed, topics and partitions in the order of their first commit."""
        return self._groups.get(group_id, _NO_TOPICS)

    def of_topic(self, topic: str) -> Iterator[tuple[str, Mapping[int, StoredOffset]]]:
        """(group id, partition -> offset) of every group that has committed to the topic."""
        for group_id, topics in self._groups.items():
            partitions = topics.get(topic)
            if partitions is not None:
                yield group_id, partitions

    def __iter__(self) -> Iterator[tuple[str, str, int, StoredOffset]]:
        for group_id, topics in self._groups.items():
            for topic, partitions in topics.items():
                for partition, stored in partitions.items():
                    yield group_id, topic, partition, stored

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OffsetStore) and self._groups == other._groups

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<OffsetStore {self.count} offsets of {len(self._groups)} groups>"
