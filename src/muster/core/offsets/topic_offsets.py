"""What one commit says about the partitions of one topic: numbers side by side instead of an object for each.

The handler fills it, the decision takes it as it is into a record, the log writes it record by record and the store keeps what
it says; so a commit of a hundred partitions is a hundred rows here and nothing else. Never changed once it is filled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from muster.wire.value import Value

COLUMNS: Final = 3
"""Of a row: partition, offset, leader epoch or -1."""


@mypyc_attr(acyclic=True)
class TopicOffsets(Value):
    """Rows in request order; a partition may come twice, then its last row counts."""

    __match_args__ = ("topic", "topic_id", "numbers", "metadata")
    __slots__ = __match_args__

    def __init__(
        self, topic: str, topic_id: bytes | None, numbers: vec[i64], metadata: list[str | None] | None = None
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.numbers = numbers
        """Partition, offset and leader epoch of the first row, then of the second, and so on."""
        self.metadata = metadata
        """A text for each row, or None if all of them are empty, as they usually are."""

    def __len__(self) -> int:
        return len(self.numbers) // COLUMNS

    def partition(self, row: i64) -> i64:
        return self.numbers[row * COLUMNS]

    def offset(self, row: i64) -> i64:
        return self.numbers[row * COLUMNS + 1]

    def leader_epoch(self, row: i64) -> i64:
        return self.numbers[row * COLUMNS + 2]

    def metadata_of(self, row: i64) -> str:
        metadata = self.metadata
        return "" if metadata is None else metadata[row] or ""

    def rows(self) -> Iterator[tuple[int, int, int, str]]:
        """(partition, offset, leader epoch, metadata) of each. For those who are in no hurry."""
        for row in range(len(self)):
            yield self.partition(row), self.offset(row), self.leader_epoch(row), self.metadata_of(row)


def topic_offsets(topic: str, topic_id: bytes | None, rows: Sequence[tuple[int, int, int, str | None]]) -> TopicOffsets:
    """From (partition, offset, leader epoch, metadata) of each row."""
    numbers = vec[i64](capacity=COLUMNS * len(rows))
    for partition, offset, leader_epoch, _ in rows:
        numbers = append(numbers, partition)
        numbers = append(numbers, offset)
        numbers = append(numbers, leader_epoch)
    texts = [metadata for *_, metadata in rows]
    return TopicOffsets(topic, topic_id, numbers, texts if any(texts) else None)
