"""The logs of a live broker as a log source: the same rows as from its segment files, fetched over TCP.

Batches are fetched raw and uncommitted, so that transactions and their markers are seen as they lie in the log. Works against
Muster and Kafka. As the Spark data source `muster_broker`: options `bootstrap`, `topic` (both logs without it), `cluster`, those of
`spark_source`, and Kafka's client properties for TLS and SASL as `kafka.security.protocol` and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from muster.client.security import PLAINTEXT, Security
from muster.core.internal_topics import CONSUMER_OFFSETS, GROUP_JOURNAL
from muster.pipeline.sources.batch_scan import Scan, scan_batches
from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.broker_security import security_of
from muster.pipeline.sources.bronze_rows import LogPlace, Quarantined, bronze_rows, quarantine_rows
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_source import LogSource, Stretch, StretchReader, topics_in
from muster.pipeline.sources.look_ahead import reach
from muster.pipeline.sources.partition_fetch import PartitionFetch
from muster.pipeline.sources.record_columns import Numbers, Records, read_headers, read_records
from muster.wire.errors import NONE, TOPIC_AUTHORIZATION_FAILED, name_of
from muster.wire.special_values import EARLIEST, LATEST

SOURCE_NAME: Final = "broker"
FETCH_BYTES: Final = 8 << 20
_SHOWN_BYTES: Final = 4096
_MOST_FETCH_BYTES: Final = 1 << 30
_KAFKA: Final = "kafka."


@dataclass(frozen=True)
class BrokerLogs(LogSource):
    """The logs of one topic of a cluster that can be reached under `bootstrap` (HOST:PORT, several with commas)."""

    bootstrap: str
    topic: str = CONSUMER_OFFSETS
    cluster: str = "default"
    security: Security = PLAINTEXT

    def client(self) -> BrokerClient:
        return BrokerClient(self.bootstrap, self.security)

    def ends(self) -> dict[int, int]:
        """Empty if the topic does not exist, as `__consumer_offsets` before the first group."""
        return self.ends_as_seen()

    def ends_as_seen(self, isolation: int = 0) -> dict[int, int]:
        return self._offsets(LATEST, isolation)

    def begins(self) -> dict[int, int]:
        return self._offsets(EARLIEST)

    def _offsets(self, which: int, isolation: int = 0) -> dict[int, int]:
        with self.client() as client:
            view = client.metadata([self.topic])
            refused = view.refused.get(self.topic, NONE)
            # Who may not read a journal gets this answer also at a Kafka, which has none.
            if refused != NONE and (self.topic, refused) != (GROUP_JOURNAL, TOPIC_AUTHORIZATION_FAILED):
                raise SourceError(f"{self.topic}: the broker says nothing of it: {name_of(refused)}")
            if view.leaderless:
                missing = ", ".join(str(partition) for _, partition in view.leaderless)
                raise SourceError(f"{self.topic}: partitions {missing} have no leader now: try again when they have")
            leaders: dict[int, list[tuple[str, int]]] = {}
            for part in view.partitions:
                leaders.setdefault(part.leader, []).append((part.topic, part.partition))
            found: dict[int, int] = {}
            for leader, partitions in leaders.items():
                for (_, number), said in client.list_offsets(leader, partitions, which, isolation).items():
                    if said.error_code != NONE:
                        raise SourceError(f"{self.topic}-{number}: its end cannot be had: {name_of(said.error_code)}")
                    found[number] = said.offset
        return dict(sorted(found.items()))

    def reach(self, those: Sequence[Stretch], records: int) -> dict[int, int]:
        with self.client() as client:
            return {each.partition: reach(each, records, BrokerStretch(self, each, client).headers) for each in those}

    def open(self, stretch: Stretch) -> StretchReader:
        return BrokerStretch(self, stretch)

    def open_all(self, those: Iterable[Stretch]) -> Iterator[StretchReader]:
        with self.client() as client:
            for stretch in those:
                yield BrokerStretch(self, stretch, client)


class BrokerStretch(StretchReader):
    """`client`: one that is open and shared; without it one is made for the pass."""

    def __init__(self, logs: BrokerLogs, stretch: Stretch, client: BrokerClient | None = None) -> None:
        self._logs = logs
        self._client = client
        self._stretch = stretch
        self._place = LogPlace(logs.cluster, logs.topic, stretch.partition, SOURCE_NAME)
        self._problems: list[Quarantined] = []

    def bronze(self) -> Iterator[pa.RecordBatch]:
        with self._logs.client() if self._client is None else nullcontext(self._client) as client:
            for records in self._records(client):
                rows = bronze_rows(self._place, records, self._stretch.start, self._stretch.end)
                if rows.num_rows:
                    yield rows

    def quarantine(self) -> pa.RecordBatch:
        return quarantine_rows(self._problems)

    def headers(self, offset: int, size: int) -> Numbers:
        """Of the whole batches in one answer of so many bytes, for a look ahead."""
        assert self._client is not None
        asked = PartitionFetch(self._client, self._logs.topic, self._stretch.partition, self._stretch.end)
        raw = asked.fetch(offset, size).raw
        return read_headers(raw, scan_batches(raw).positions)

    def _records(self, client: BrokerClient) -> Iterator[Records]:
        asked = PartitionFetch(client, self._logs.topic, self._stretch.partition, self._stretch.end)
        offset, max_bytes = self._stretch.start, FETCH_BYTES
        while offset < self._stretch.end:
            fetched = asked.fetch(offset, max_bytes)
            offset, raw = fetched.offset, fetched.raw
            if fetched.cut_at is not None:
                self._note(offset, b"", _cut(offset, self._stretch.end, fetched.cut_at))
            if not raw:
                return
            scan = scan_batches(raw)
            if scan.lost:
                self._note(
                    offset, raw[scan.end :], "the broker sent bytes that are no record batch; the rest is unread"
                )
            for problem in scan.problems:
                content = raw[problem.position : problem.position + problem.size]
                self._note(problem.base_offset, content, problem.reason)
            if scan.positions:
                records = read_records(raw, scan.positions, read_headers(raw, scan.positions))
                for index, reason in records.broken:
                    self._note(int(records.headers["base_offset"][index]), b"", reason)
                yield records
            behind = _behind(raw, scan, offset)
            if behind > offset:
                offset, max_bytes = behind, FETCH_BYTES
            elif scan.lost:
                return
            elif max_bytes >= _MOST_FETCH_BYTES:
                where = f"{self._logs.topic}-{self._stretch.partition}"
                raise SourceError(f"{where}: {max_bytes:,} bytes from offset {offset} on hold no whole batch of it")
            else:
                max_bytes = min(_MOST_FETCH_BYTES, max(2 * max_bytes, scan.needs))

    def _note(self, offset: int, content: bytes, reason: str) -> None:
        """An answer may begin before the stretch and reach behind it: of several passes the one that has the offset says it."""
        if offset >= 0 and not self._stretch.start <= offset < self._stretch.end:
            return
        where = f"{SOURCE_NAME} {self._logs.bootstrap} {self._logs.topic}-{self._stretch.partition} offset {offset}"
        self._problems.append(Quarantined(self._place, offset, where, reason, None, content[:_SHOWN_BYTES]))


def _cut(offset: int, end: int, cut_at: int) -> str:
    return (
        f"the log ends at {cut_at} and was longer when this was planned: it was cut or replaced;"
        f" offsets {offset} to {end - 1} are unread"
    )


def _behind(raw: bytes, scan: Scan, offset: int) -> int:
    """The offset to go on with: behind the last batch, sound or not."""
    positions = [*scan.positions, *(problem.position for problem in scan.problems)]
    if not positions:
        return offset
    headers = read_headers(raw, [max(positions)])
    return int(headers["base_offset"][0]) + max(0, int(headers["last_offset_delta"][0])) + 1


def broker_options(
    bootstrap: str, cluster: str, topic: str | None = None, properties: Mapping[str, str] | None = None
) -> dict[str, str]:
    """For `spark.read.format("muster_broker").options(...)`; without a topic both logs.

    `properties`: Kafka's client properties that concern security.
    """
    options = {"bootstrap": bootstrap, "cluster": cluster}
    options |= {_KAFKA + name: value for name, value in (properties or {}).items()}
    return options if topic is None else options | {"topic": topic}


def brokers_from(options: Mapping[str, str]) -> tuple[BrokerLogs, ...]:
    """The inverse of `broker_options`."""
    bootstrap = options.get("bootstrap")
    if not bootstrap:
        raise SourceError("muster_broker needs the option bootstrap: HOST:PORT of a broker")
    security = security_of({name[len(_KAFKA) :]: value for name, value in options.items() if name.startswith(_KAFKA)})
    return tuple(
        BrokerLogs(bootstrap, topic, options.get("cluster", "default"), security) for topic in topics_in(options)
    )
