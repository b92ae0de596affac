"""What a run reads from, put together: the logs of one cluster, from data directories or from a running broker.

Knows `muster.pipeline.sources`; jobs know only this. Picklable, for it travels to the workers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from muster.client.security import PLAINTEXT, Security
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_source import JOURNAL_TOPIC, OFFSETS_TOPIC, LogSource

UNNAMED: Final = "unnamed"
"""The cluster of a directory whose broker left no id."""


class RunSource(Protocol):
    """`is_live`: now is the wall clock's now. A directory may be a copy of last week's."""

    @property
    def cluster(self) -> str: ...

    @property
    def is_live(self) -> bool: ...

    def logs(self) -> tuple[LogSource, ...]:
        """The logs of the coordinator and of the journal."""
        ...

    def end_offsets(self, known: dict[tuple[str, int], int], now_ms: int) -> pa.Table:
        """`b_leo_sample` rows up to now: how far the users' topics go. What lies before the `known` ends need not come again."""
        ...


@dataclass(frozen=True, slots=True)
class DirectorySource:
    """The data directories of one broker, Muster's or Kafka's, running or not. Only read."""

    directories: tuple[str, ...]
    cluster: str
    is_live: bool = False

    def logs(self) -> tuple[LogSource, ...]:
        from muster.pipeline.sources.segments import SegmentLogs

        return tuple(SegmentLogs(self.directories, topic, self.cluster) for topic in (OFFSETS_TOPIC, JOURNAL_TOPIC))

    def end_offsets(self, known: dict[tuple[str, int], int], now_ms: int) -> pa.Table:
        """The history of every end, exactly, from where it is known. A log that has become shorter was made anew: all of it."""
        samples = self._history(known, None, now_ms)
        anew = _shorter(samples, known)
        if not anew:
            return samples
        topics = sorted({topic for topic, _ in anew})
        others = {place: end for place, end in known.items() if place not in anew}
        kept = samples.filter(pc.invert(pc.is_in(samples["topic"], pa.array(topics, pa.string()))))
        return pa.concat_tables([kept, self._history(others, topics, now_ms)])

    def _history(self, known: dict[tuple[str, int], int], topics: list[str] | None, now_ms: int) -> pa.Table:
        from muster.pipeline.sources.segment_end_offsets import segment_end_offsets

        return segment_end_offsets(
            self.directories, cluster=self.cluster, topics=topics, starts=known, read_at_ms=now_ms
        )


@dataclass(frozen=True, slots=True)
class BrokerSource:
    """A running broker, Muster or Kafka, read by our own client or by Spark's connector."""

    bootstrap: str
    cluster: str
    is_live: bool = True
    security: Security = PLAINTEXT
    by_connector: bool = False

    def logs(self) -> tuple[LogSource, ...]:
        from muster.pipeline.sources.broker import BrokerLogs
        from muster.pipeline.sources.connector_logs import ConnectorLogs

        kind = ConnectorLogs if self.by_connector else BrokerLogs
        topics = (OFFSETS_TOPIC, JOURNAL_TOPIC)
        return tuple(kind(self.bootstrap, topic, self.cluster, self.security) for topic in topics)

    def end_offsets(self, known: dict[tuple[str, int], int], now_ms: int) -> pa.Table:
        from muster.pipeline.sources.end_offsets import sample_end_offsets

        return sample_end_offsets(self.bootstrap, cluster=self.cluster, security=self.security)


def broker_source(
    bootstrap: str, cluster: str | None, security: Security = PLAINTEXT, by_connector: bool = False
) -> BrokerSource:
    """Asks the broker for the cluster's id, which also shows at once whether it can be reached."""
    from muster.pipeline.sources.broker_client import BrokerClient

    with BrokerClient(bootstrap, security) as client:
        found = client.metadata([]).cluster_id
    return BrokerSource(bootstrap, cluster or found or UNNAMED, security=security, by_connector=by_connector)


def _shorter(samples: pa.Table, known: dict[tuple[str, int], int]) -> set[tuple[str, int]]:
    places = zip(
        samples["topic"].to_pylist(), samples["partition"].to_pylist(), samples["leo"].to_pylist(), strict=True
    )
    return {(topic, partition) for topic, partition, leo in places if leo < known.get((topic, partition), 0)}


def directory_source(directories: tuple[str, ...], cluster: str | None, is_live: bool = False) -> DirectorySource:
    """`is_live`: its broker runs and writes to it. Refuses directories without a coordinator's log: most likely a wrong path."""
    from muster.pipeline.sources.log_directories import log_folders

    absolute = tuple(str(Path(directory).resolve()) for directory in directories)
    if not log_folders(absolute, OFFSETS_TOPIC):
        raise SourceError(
            f"no {OFFSETS_TOPIC}-N folder in {', '.join(directories)}: name the data directory of a broker "
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
