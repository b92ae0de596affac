"""What a run reads from, put together: the two logs of one cluster, from data directories or from a running broker.

The pipeline knows sources only by this. Picklable. What is asked here by the driver is cheap: the ends of the logs, for progress.
Records, and the ends of the users' topics, are read by Spark tasks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from muster.client.security import PLAINTEXT, Security
from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_source import LOG_TOPICS, LogSource
from muster.pipeline.sources.positions import Positions
from muster.pipeline.sources.stable_ends import KnownEnd

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from muster.pipeline.sources.record_times import RecordPlace

OWN: Final = "own"
CONNECTOR: Final = "connector"

UNNAMED: Final = "unnamed"
"""The cluster of a directory whose broker left no id."""

_MOST_RECORD_TASKS: Final = 4
"""Tasks that fetch records of the users' topics side by side at most: brokers have other work too."""

KnownEnds = Mapping[tuple[str, int], KnownEnd]
"""By topic and partition: where a topic ended when it was last looked at."""

AskKnownEnds = Callable[[], KnownEnds]
"""Looked up only by sources that make use of it: the lake has a row for each topic partition."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """How a stream is cut into micro-batches."""

    offsets_per_partition: int = 500_000
    """Records of one log partition that a micro-batch takes at most, by our own readers."""
    offsets_in_all: int = 500_000
    """Offsets of all log partitions together that a micro-batch takes at most, by Spark's connector: it knows no limit of each."""
    tick_seconds: float | None = None
    """A micro-batch is made at least so often, without rows if nothing was written. None: only when there is something to read."""
    starts: Positions | None = None
    """Where a stream without a checkpoint begins; logs that are not named, at their beginning."""


class RunSource(Protocol):
    """`is_live`: now is the wall clock's now. A directory may be a copy of last week's."""

    @property
    def cluster(self) -> str: ...

    @property
    def is_live(self) -> bool: ...

    @property
    def reader(self) -> str:
        """What shapes the offsets in a checkpoint: one that was written with `own` cannot be gone on with by `connector`."""
        ...

    def stream(self, spark: SparkSession, settings: StreamSettings) -> DataFrame:
        """Rows of `log` as they are written, both topics; each log partition in one Spark partition, in its order."""
        ...

    def ends(self) -> Positions:
        """Where the logs end now. Topics that do not exist have no partitions."""
        ...

    def begins(self) -> Positions:
        """Where they begin now, as far as retention and DeleteRecords have gone."""
        ...

    def journal_partitions(self) -> set[int]:
        """The log partitions of the journal that there are."""
        ...

    def sample_ends(self, spark: SparkSession, known: AskKnownEnds, now_ms: int) -> DataFrame:
        """`b_leo_sample` rows up to now, by tasks; what lies before the `known` ends need not come again.

        Each evaluation asks anew: write the frame once.
        """
        ...

    def record_times(self, spark: SparkSession, places: Sequence[RecordPlace]) -> DataFrame:
        """`b_leo_sample` rows of the batches that hold these records, by tasks; what cannot be read is left out."""
        ...


@dataclass(frozen=True, slots=True)
class DirectorySource:
    """The data directories of one broker, Muster's or Kafka's, running or not. Only read."""

    directories: tuple[str, ...]
    cluster: str
    is_live: bool = False
    reader: ClassVar[str] = OWN
    """The positions of `muster_segments` are those of `muster_broker`."""

    def logs(self) -> tuple[LogSource, ...]:
        from muster.pipeline.sources.segments import SegmentLogs

        return tuple(SegmentLogs(self.directories, topic, self.cluster) for topic in LOG_TOPICS)

    def stream(self, spark: SparkSession, settings: StreamSettings) -> DataFrame:
        from muster.pipeline.sources.segments import segment_options

        return _own_stream(spark, "muster_segments", segment_options(self.directories, self.cluster), settings)

    def ends(self) -> Positions:
        return {log.topic: log.ends() for log in self.logs()}

    def begins(self) -> Positions:
        return {log.topic: log.begins() for log in self.logs()}

    def journal_partitions(self) -> set[int]:
        from muster.pipeline.sources.log_directories import log_folders

        return {folder.partition for folder in log_folders(self.directories, GROUP_JOURNAL)}

    def sample_ends(self, spark: SparkSession, known: AskKnownEnds, now_ms: int) -> DataFrame:
        from muster.pipeline.sources.ends_by_tasks import DirectoryEnds, ends_frame

        return ends_frame(spark, DirectoryEnds.found(self.directories, self.cluster, known(), now_ms))

    def record_times(self, spark: SparkSession, places: Sequence[RecordPlace]) -> DataFrame:
        from muster.pipeline.sources.ends_by_tasks import ends_frame
        from muster.pipeline.sources.record_times import DirectoryRecords

        return ends_frame(spark, DirectoryRecords(self.directories, self.cluster, tuple(places)))


@dataclass(frozen=True, slots=True)
class BrokerSource:
    """A running broker, Muster or Kafka, read by our own client or by Spark's connector."""

    bootstrap: str
    cluster: str
    is_live: bool = True
    security: Security = PLAINTEXT
    by_connector: bool = False

    @property
    def reader(self) -> str:
        return CONNECTOR if self.by_connector else OWN

    def logs(self) -> tuple[LogSource, ...]:
        from muster.pipeline.sources.broker import BrokerLogs
        from muster.pipeline.sources.connector_logs import ConnectorLogs

        kind = ConnectorLogs if self.by_connector else BrokerLogs
        return tuple(kind(self.bootstrap, topic, self.cluster, self.security) for topic in LOG_TOPICS)

    def stream(self, spark: SparkSession, settings: StreamSettings) -> DataFrame:
        from muster.pipeline.sources.broker import broker_options
        from muster.pipeline.sources.broker_security import client_properties
        from muster.pipeline.sources.connector_stream import connector_stream

        if self.by_connector:
            return connector_stream(
                spark,
                self.bootstrap,
                cluster=self.cluster,
                security=self.security,
                offsets_in_all=settings.offsets_in_all,
                tick_seconds=settings.tick_seconds,
                starts=settings.starts,
            )
        properties = client_properties(self.security)
        options = broker_options(self.bootstrap, self.cluster, properties=properties)
        return _own_stream(spark, "muster_broker", options, settings)

    def ends(self) -> Positions:
        return {log.topic: log.ends() for log in self.logs()}

    def begins(self) -> Positions:
        return {log.topic: log.begins() for log in self.logs()}

    def journal_partitions(self) -> set[int]:
        from muster.pipeline.sources.broker_client import BrokerClient

        with BrokerClient(self.bootstrap, self.security) as client:
            view = client.metadata([GROUP_JOURNAL])
        return {part.partition for part in view.partitions} | {partition for _, partition in view.leaderless}

    def sample_ends(self, spark: SparkSession, known: AskKnownEnds, now_ms: int) -> DataFrame:
        from muster.pipeline.sources.ends_by_tasks import BrokerEnds, ends_frame

        return ends_frame(spark, BrokerEnds.found(self.bootstrap, self.cluster, self.security))

    def record_times(self, spark: SparkSession, places: Sequence[RecordPlace]) -> DataFrame:
        from muster.pipeline.sources.ends_by_tasks import ends_frame
        from muster.pipeline.sources.record_times import BrokerRecords

        work = BrokerRecords.found(self.bootstrap, self.cluster, places, self.security)
        return ends_frame(spark, work, most_tasks=_MOST_RECORD_TASKS)


def _own_stream(spark: SparkSession, name: str, options: dict[str, str], settings: StreamSettings) -> DataFrame:
    from muster.pipeline.sources.spark_source import (
        MAX_OFFSETS_PER_PARTITION,
        START_OFFSETS,
        TICK_EVERY_SECONDS,
        offsets_text,
    )
    from muster.pipeline.sources.spark_sources import register

    register(spark)
    options[MAX_OFFSETS_PER_PARTITION] = str(settings.offsets_per_partition)
    if settings.tick_seconds is not None:
        options[TICK_EVERY_SECONDS] = str(settings.tick_seconds)
    if settings.starts is not None:
        options[START_OFFSETS] = offsets_text(settings.starts)
    return spark.readStream.format(name).options(**options).load()


def broker_source(
    bootstrap: str, cluster: str | None, security: Security = PLAINTEXT, by_connector: bool = False
) -> BrokerSource:
    """Asks the broker for the cluster's id, which also shows at once whether it can be reached."""
    from muster.pipeline.sources.broker_client import BrokerClient

    with BrokerClient(bootstrap, security) as client:
        found = client.metadata([]).cluster_id
    return BrokerSource(bootstrap, cluster or found or UNNAMED, security=security, by_connector=by_connector)


def directory_source(directories: tuple[str, ...], cluster: str | None, is_live: bool = False) -> DirectorySource:
    """`is_live`: its broker runs and writes to it. Refuses directories without a coordinator's log: most likely a wrong path."""
    from muster.pipeline.sources.log_directories import log_folders

    absolute = tuple(str(Path(directory).resolve()) for directory in directories)
    if not log_folders(absolute, CONSUMER_OFFSETS):
        raise SourceError(
            f"no {CONSUMER_OFFSETS}-N folder in {', '.join(directories)}: name the data directory of a broker "
            "(`muster serve --data`, Kafka's log.dirs)"
        )
    return DirectorySource(absolute, cluster or cluster_in(absolute), is_live)


def cluster_in(directories: tuple[str, ...]) -> str:
    """The cluster id that the broker wrote into its `meta.properties`, as Kafka and Muster do."""
    for directory in directories:
        try:
            text = Path(directory, "meta.properties").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found = re.search(r"^cluster\.id=(.+)$", text, re.MULTILINE)
        if found:
            return found[1].strip()
    return UNNAMED
