"""When the records at some offsets were appended, asked by Spark tasks: rows of `b_leo_sample`, two for each batch that holds one.

For the records that groups have yet to read and that were there before the first sample of their topic's end. Only the header of
the batch is looked at. What cannot be read is left out, not guessed: no right to read the topic, a reader that is over its quota, a
record that retention took, a batch without a time. `ends.record_times` says what the rows mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import pyarrow as pa

from muster.client.security import PLAINTEXT, Security
from muster.pipeline.ends.schema import BATCH_BEGIN, BATCH_END
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.batch_scan import scan_batches
from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.bronze_rows import date_text
from muster.pipeline.sources.header_at import header_at
from muster.pipeline.sources.log_directories import log_folder, topic_id_of
from muster.pipeline.sources.record_columns import Numbers, read_headers
from muster.topics.names import id_text
from muster.wire.special_values import READ_UNCOMMITTED

MOST_RECORDS: Final = 2_000
"""Records that are looked for in a round, so that a round has an end."""
_A_CHUNK: Final = 500
_A_REQUEST: Final = 50
"""Partitions of one Fetch."""
_BYTES: Final = 16 << 10
"""Of each partition. A batch that does not fit is not sent, and is asked for by itself."""
_MOST_ALONE: Final = 100
"""Large batches of a chunk that are fetched."""
MOST_BYTES: Final = 64 << 20
"""What brokers send in a round, shared by the chunks. The last answer of a chunk may be one batch more, however large (KIP-74)."""


class RecordPlace(NamedTuple):
    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class BrokerRecords:
    """Places by leader, for `ends_frame`."""

    bootstrap: str
    cluster: str
    security: Security
    brokers: Mapping[int, tuple[str, int]]
    topic_ids: Mapping[str, str]
    chunks: tuple[tuple[int, tuple[RecordPlace, ...]], ...]

    @classmethod
    def found(
        cls, bootstrap: str, cluster: str, places: Sequence[RecordPlace], security: Security = PLAINTEXT
    ) -> BrokerRecords:
        """Asks once who leads these partitions."""
        with BrokerClient(bootstrap, security) as client:
            view = client.metadata(sorted({place.topic for place in places}))
        leaders = {(part.topic, part.partition): part.leader for part in view.partitions}
        by_leader: dict[int, list[RecordPlace]] = {}
        for place in places:
            if (leader := leaders.get(place[:2])) is not None:
                by_leader.setdefault(leader, []).append(place)
        chunks = tuple(
            (leader, tuple(led[begin : begin + _A_CHUNK]))
            for leader, led in sorted(by_leader.items())
            for begin in range(0, len(led), _A_CHUNK)
        )
        ids = {part.topic: id_text(part.topic_id) for part in view.partitions if any(part.topic_id)}
        return cls(bootstrap, cluster, security, view.brokers, ids, chunks)

    def __len__(self) -> int:
        return len(self.chunks)

    def rows(self, number: int) -> Iterator[pa.RecordBatch]:
        leader, places = self.chunks[number]
        with BrokerClient(self.bootstrap, self.security, brokers=self.brokers) as client:
            found = list(_Asking(client, leader, MOST_BYTES // len(self.chunks)).headers(places))
        yield _rows(self.cluster, [(place, self.topic_ids.get(place.topic), header) for place, header in found])


@dataclass(frozen=True, slots=True)
class DirectoryRecords:
    """Places in data directories, for `ends_frame`."""

    directories: tuple[str, ...]
    cluster: str
    places: tuple[RecordPlace, ...]

    def __len__(self) -> int:
        return 1

    def rows(self, number: int) -> Iterator[pa.RecordBatch]:
        assert number == 0
        found: list[tuple[RecordPlace, str | None, Numbers]] = []
        for place in self.places:
            folder = log_folder(self.directories, place.topic, place.partition)
            header = header_at(folder, place.offset) if folder is not None else None
            if folder is not None and header is not None:
                found.append((place, topic_id_of(folder), header))
        yield _rows(self.cluster, found)


@dataclass(slots=True)
class _Asking:
    """The questions of one chunk, until its bytes are spent or the reader is over its quota."""

    client: BrokerClient
    leader: int
    bytes_left: int

    def headers(self, places: Sequence[RecordPlace]) -> Iterator[tuple[RecordPlace, Numbers]]:
        """A few bytes of many partitions at once; then, one by one, the batches that were too large for that."""
        found: set[RecordPlace] = set()
        for together in _requests(places):
            if self.bytes_left <= 0:
                return
            headers = self._asked(together)
            found.update(headers)
            yield from headers.items()
        missing = [place for place in places if place not in found]
        for place in missing[:_MOST_ALONE]:
            if self.bytes_left <= 0:
                return
            yield from self._asked([place]).items()

    def _asked(self, places: Sequence[RecordPlace]) -> dict[RecordPlace, Numbers]:
        """Of the first partition a broker sends at least one batch (KIP-74). A reader that is over its quota asks no more."""
        offsets = {place[:2]: place.offset for place in places}
        answers = self.client.fetch_together(self.leader, offsets, _BYTES, READ_UNCOMMITTED)
        if not answers:
            self.bytes_left = 0
        found = {}
        for place in places:
            answer = answers.get(place[:2])
            records = bytes(answer.records or b"") if answer is not None else b""
            self.bytes_left -= len(records)
            header = _header_in(records, place.offset)
            if header is not None:
                found[place] = header
        return found


def _requests(places: Sequence[RecordPlace]) -> Iterator[list[RecordPlace]]:
    """A Fetch names a partition once: places of the same one go into different requests."""
    waiting = list(places)
    while waiting:
        chosen: dict[tuple[str, int], RecordPlace] = {}
        for place in waiting:
            if len(chosen) < _A_REQUEST:
                chosen.setdefault(place[:2], place)
        yield list(chosen.values())
        taken = set(chosen.values())
        waiting = [place for place in waiting if place not in taken]


def _header_in(buf: bytes, offset: int) -> Numbers | None:
    """Of the first batch that reaches behind the offset."""
    headers = read_headers(buf, scan_batches(buf).positions)
    reaching = headers[headers["base_offset"] + headers["last_offset_delta"] >= offset]
    return reaching[0] if len(reaching) else None


def _rows(cluster: str, found: Sequence[tuple[RecordPlace, str | None, Numbers]]) -> pa.RecordBatch:
    rows: list[dict[str, Any]] = []
    for place, topic_id, header in found:
        at_ms, base = int(header["max_timestamp"]), int(header["base_offset"])
        if at_ms <= 0:
            continue
        # Compaction may have taken the record itself: then the batch behind it is what there is to read first.
        begin, end = min(base, place.offset), base + int(header["last_offset_delta"]) + 1
        rows += [
            {
                "cluster": cluster,
                "topic": place.topic,
                "partition": place.partition,
                "topic_id": topic_id,
                "leo": leo,
                "begin_ms": at_ms,
                "end_ms": at_ms,
                "sampler": sampler,
                "dt": date_text(at_ms),
            }
            for leo, sampler in ((begin, BATCH_BEGIN), (end, BATCH_END))
        ]
    return pa.RecordBatch.from_pylist(rows, schema=TABLES["b_leo_sample"])
