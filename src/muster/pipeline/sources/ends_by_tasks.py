"""Samples of where topics end, taken by Spark tasks: bounded pieces of work instead of one long question by the driver.

The driver finds out once which partitions there are (Metadata, or the names of folders); tasks ask for their ends, a few thousand
partitions at a time. A frame asks anew each time that it is evaluated: write it once. Runs on every kind of master, Connect
included. Times are those of the worker's clock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa

from muster.client.security import PLAINTEXT, Security
from muster.pipeline.arrow_map import map_arrow
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.broker_client import BrokerClient, TopicPartition
from muster.pipeline.sources.end_offsets import by_leader, sample_of_leader, wall_clock_ms
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_directories import LogFolder
from muster.pipeline.sources.segment_end_offsets import folder_end_offsets, topic_folders
from muster.pipeline.sources.stable_ends import KnownEnd

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARTITIONS_A_CHUNK: Final = 2_000
"""Partitions that are asked for at once, of one leader."""
MOST_TASKS: Final = 16
"""Tasks that ask side by side at most, however large the cluster is: brokers have other work too."""
_TABLE: Final = "b_leo_sample"
_NUMBER: Final = pa.schema([pa.field("id", pa.int64())])


class EndsWork(Protocol):
    """What tasks are to do: numbered pieces of it."""

    def __len__(self) -> int: ...

    def rows(self, number: int) -> Iterator[pa.RecordBatch]: ...


@dataclass(frozen=True, slots=True)
class BrokerEnds:
    """Partitions by leader. Nobody but leaders is asked."""

    bootstrap: str
    cluster: str
    security: Security
    brokers: Mapping[int, tuple[str, int]]
    chunks: tuple[tuple[int, tuple[TopicPartition, ...]], ...]
    clock: Callable[[], int] = wall_clock_ms

    @classmethod
    def found(
        cls, bootstrap: str, cluster: str, security: Security = PLAINTEXT, a_chunk: int = PARTITIONS_A_CHUNK
    ) -> BrokerEnds:
        """What Metadata says, asked once. Leaders take turns, so that tasks side by side ask different ones."""
        with BrokerClient(bootstrap, security) as client:
            view = client.metadata()
        queues = [
            [(leader, tuple(chunk)) for chunk in _chunks(partitions, a_chunk)]
            for leader, partitions in sorted(by_leader(view).items())
        ]
        in_turn = [chunk for turn in zip_longest(*queues) for chunk in turn if chunk is not None]
        return cls(bootstrap, cluster, security, view.brokers, tuple(in_turn))

    def __len__(self) -> int:
        return len(self.chunks)

    def rows(self, number: int) -> Iterator[pa.RecordBatch]:
        leader, partitions = self.chunks[number]
        with BrokerClient(self.bootstrap, self.security, brokers=self.brokers) as client:
            sampled = sample_of_leader(client, leader, partitions, self.cluster, self.clock)
        yield pa.RecordBatch.from_pylist(sampled, schema=TABLES[_TABLE])


@dataclass(frozen=True, slots=True)
class DirectoryEnds:
    """Folders of topics, with what is known of their ends already. `read_at_ms`: the moment that their ends now get."""

    cluster: str
    read_at_ms: int | None
    chunks: tuple[tuple[tuple[LogFolder, KnownEnd], ...], ...]

    @classmethod
    def found(
        cls,
        directories: Sequence[str],
        cluster: str,
        known: Mapping[tuple[str, int], KnownEnd],
        read_at_ms: int | None = None,
        a_chunk: int = PARTITIONS_A_CHUNK,
    ) -> DirectoryEnds:
        folders = [(each, known.get((each.topic, each.partition), KnownEnd(0))) for each in topic_folders(directories)]
        return cls(cluster, read_at_ms, tuple(tuple(chunk) for chunk in _chunks(folders, a_chunk)))

    def __len__(self) -> int:
        return len(self.chunks)

    def rows(self, number: int) -> Iterator[pa.RecordBatch]:
        chunk = self.chunks[number]
        there = [(folder, known) for folder, known in chunk if os.path.isdir(folder.path)]
        if not there:
            places = sorted({os.path.dirname(folder.path) for folder, _ in chunk})
            raise SourceError(
                f"{', '.join(places)}: nothing of {chunk[0][0].topic}-{chunk[0][0].partition} and {len(chunk) - 1} other"
                " partitions is there: do the workers not see these directories?"
            )
        found = folder_end_offsets(
            [folder for folder, _ in there],
            cluster=self.cluster,
            known={(folder.topic, folder.partition): known for folder, known in there},
            read_at_ms=self.read_at_ms,
        )
        yield from found.combine_chunks().to_batches()


def ends_frame(spark: SparkSession, work: EndsWork, most_tasks: int = MOST_TASKS) -> DataFrame:
    """`b_leo_sample` rows of all pieces of work."""
    tasks = max(1, min(len(work), most_tasks))
    numbers = spark.range(0, len(work), 1, tasks)
    return map_arrow(numbers, _Work(work), _NUMBER, TABLES[_TABLE])


@dataclass(frozen=True, slots=True)
class _Work:
    """Runs in a Python worker, for the numbers that it is given."""

    work: EndsWork

    def __call__(self, numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                yield from self.work.rows(number)


def _chunks(those: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for begin in range(0, len(those), size):
        yield those[begin : begin + size]
