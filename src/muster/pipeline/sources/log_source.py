"""What every source of log records can do, whatever it reads: say how far its logs reach, and read a stretch of one.

The contract between the readers (`segments`, `broker`) and those who use them (`log_tasks`, `stream_reader`).
A source is made of plain values, so that it can travel to a Spark worker. Offsets are log offsets; ends are exclusive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL

LOG_TOPICS: Final = (CONSUMER_OFFSETS, GROUP_JOURNAL)


@dataclass(slots=True, frozen=True)
class Stretch:
    """A part of one log partition: [start, end)."""

    partition: int
    start: int
    end: int


class StretchReader(ABC):
    """One pass over one stretch. Read it to its end before asking for `quarantine`."""

    @abstractmethod
    def bronze(self) -> Iterator[pa.RecordBatch]:
        """`b_log_record` rows in log order."""

    @abstractmethod
    def quarantine(self) -> pa.RecordBatch:
        """`b_quarantine` rows: what the pass could not read."""


class LogSource(ABC):
    """The logs of one topic of one cluster."""

    cluster: str
    topic: str

    @abstractmethod
    def ends(self) -> dict[int, int]:
        """By log partition: the offset that the next record will get."""

    @abstractmethod
    def begins(self) -> dict[int, int]:
        """By log partition: the first offset that retention and DeleteRecords have left."""

    @abstractmethod
    def reach(self, those: Sequence[Stretch], records: int) -> dict[int, int]:
        """By log partition: an offset that has at most so many records between the begin of its stretch and itself.

        As far away as a short look at the log tells (`look_ahead`).
        """

    @abstractmethod
    def open(self, stretch: Stretch) -> StretchReader: ...

    def open_all(self, those: Iterable[Stretch]) -> Iterator[StretchReader]:
        """Several one after the other, each to be read to its end before the next: they may share a connection."""
        for stretch in those:
            yield self.open(stretch)


def partition_count(numbers: Collection[int]) -> int | None:
    """How many partitions a topic has of which these were found, if they are all from 0 on: needed to find misplaced groups.

    A directory of one broker of several that happens to hold just the first few cannot be told from one that holds all.
    """
    return len(numbers) if numbers and sorted(numbers) == list(range(len(numbers))) else None


def topics_in(options: Mapping[str, str]) -> tuple[str, ...]:
    """The topics that a data source is asked for: the one that is named, or both logs."""
    named = options.get("topic")
    return (named,) if named else LOG_TOPICS
