"""Segment files as a log source, and that as the Spark data source `muster_segments`.

Option `directories`: a path, or a JSON list of data directories, of one broker; `topic` (both logs without it), `cluster`, and
those of `spark_source`. On a cluster every worker must see the directories under the same path.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.sources.bronze_rows import LogPlace, bronze_rows, quarantine_rows
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.header_at import headers_from
from muster.pipeline.sources.log_directories import log_folder, log_folders, segment_files
from muster.pipeline.sources.log_end import log_ends
from muster.pipeline.sources.log_source import LogSource, Stretch, StretchReader, topics_in
from muster.pipeline.sources.look_ahead import reach
from muster.pipeline.sources.record_columns import NO_HEADERS, Numbers
from muster.pipeline.sources.segment_files import PartitionReader

SOURCE_NAME = "segment"


@dataclass(frozen=True)
class SegmentLogs(LogSource):
    """The logs of one topic in the data directories of one broker."""

    directories: tuple[str, ...]
    topic: str = CONSUMER_OFFSETS
    cluster: str = "default"

    def ends(self) -> dict[int, int]:
        return log_ends(self.directories, self.topic)

    def begins(self) -> dict[int, int]:
        files = {folder.partition: segment_files(folder) for folder in log_folders(self.directories, self.topic)}
        return {partition: found[0].base_offset for partition, found in files.items() if found}

    def reach(self, those: Sequence[Stretch], records: int) -> dict[int, int]:
        return {each.partition: reach(each, records, partial(self._headers, each.partition)) for each in those}

    def _headers(self, partition: int, offset: int, size: int) -> Numbers:
        folder = log_folder(self.directories, self.topic, partition)
        return NO_HEADERS if folder is None else headers_from(folder, offset, size)

    def open(self, stretch: Stretch) -> StretchReader:
        folder = log_folder(self.directories, self.topic, stretch.partition)
        if folder is None:
            raise SourceError(
                f"{self.topic}-{stretch.partition} is in none of {', '.join(self.directories)}:"
                " was the topic deleted, or do the workers not see these directories?"
            )
        place = LogPlace(self.cluster, self.topic, folder.partition, SOURCE_NAME)
        return SegmentStretch(PartitionReader(folder, place, stretch.start, stretch.end))


class SegmentStretch(StretchReader):
    def __init__(self, reader: PartitionReader) -> None:
        self._reader = reader

    def bronze(self) -> Iterator[pa.RecordBatch]:
        for records in self._reader.records():
            rows = bronze_rows(self._reader.place, records, self._reader.start, self._reader.end)
            if rows.num_rows:
                yield rows

    def quarantine(self) -> pa.RecordBatch:
        return quarantine_rows(self._reader.problems)


def segment_options(directories: Sequence[str], cluster: str, topic: str | None = None) -> dict[str, str]:
    """For `spark.read.format("muster_segments").options(...)`; without a topic both logs."""
    options = {"directories": json.dumps(list(directories)), "cluster": cluster}
    return options if topic is None else options | {"topic": topic}


def segments_from(options: Mapping[str, str]) -> tuple[SegmentLogs, ...]:
    """The inverse of `segment_options`."""
    given = options.get("directories")
    try:
        directories = json.loads(given) if given else None
    except ValueError:
        directories = [given]
    if not isinstance(directories, list) or not directories or not all(isinstance(each, str) for each in directories):
        raise SourceError('muster_segments needs the option directories: a JSON list such as ["/var/lib/kafka"]')
    return tuple(
        SegmentLogs(tuple(directories), topic, options.get("cluster", "default")) for topic in topics_in(options)
    )
