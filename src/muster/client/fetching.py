"""Reading records of one partition, without a group. Called through `admin` and by tools that follow a topic.

Control batches (transaction markers) are never shown. With `read_committed` records of aborted transactions are left out and
reading stops at the first open transaction, as in Kafka's consumers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import ClientError, raise_for
from muster.wire.batch import HEADER_SIZE, BatchHeader, Record, check_crc, decode_records, parse_header
from muster.wire.errors import INVALID_RECORD, WireError
from muster.wire.generated.fetch import (
    FetchRequest,
    FetchRequestPartition,
    FetchRequestTopic,
    FetchResponse,
    FetchResponseAbortedTransaction,
    FetchResponsePartition,
)
from muster.wire.special_values import ABORT_MARKER

DEFAULT_BYTES: Final = 1 << 20
_MOST_BYTES: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Fetched:
    """`next_offset` is where to read on: it moves even if all that was found may not be shown."""

    records: list[Record]
    next_offset: int
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int


async def fetch_records(
    cluster: Cluster,
    topic: str,
    partition: int,
    offset: int,
    *,
    max_bytes: int = DEFAULT_BYTES,
    max_wait_ms: int = 500,
    read_committed: bool = False,
    lane: str = "fetch",
) -> Fetched:
    """What is there from `offset` on; waits up to `max_wait_ms` if there is nothing. OFFSET_OUT_OF_RANGE is raised."""

    async def attempt() -> Fetched:
        leader = await cluster.leader(topic, partition)
        connection = await cluster.connection_to(leader, lane)
        wanted = FetchRequestPartition(partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes)
        request = FetchRequest(
            max_wait_ms=max_wait_ms,
            min_bytes=1,
            max_bytes=max_bytes,
            isolation_level=int(read_committed),
            topics=[FetchRequestTopic(topic, partitions=[wanted])],
        )
        patience = cluster.request_timeout_seconds + max_wait_ms / 1000
        reply: FetchResponse = await connection.call("Fetch", request, timeout_seconds=patience)
        return _fetched(reply, topic, partition, offset, read_committed)

    return await cluster.persist(attempt)


async def read_records(
    cluster: Cluster,
    topic: str,
    partition: int,
    start: int,
    end: int | None = None,
    *,
    read_committed: bool = False,
) -> AsyncIterator[Record]:
    """The records from `start` up to before `end`; without an end, forever as they come."""
    offset, max_bytes = start, DEFAULT_BYTES
    while end is None or offset < end:
        fetched = await fetch_records(
            cluster, topic, partition, offset, max_bytes=max_bytes, read_committed=read_committed
        )
        for record in fetched.records:
            if end is None or record.offset < end:
                yield record
        if fetched.next_offset > offset:
            offset, max_bytes = fetched.next_offset, DEFAULT_BYTES
        elif offset < fetched.last_stable_offset or (not read_committed and offset < fetched.high_watermark):
            max_bytes = min(_MOST_BYTES, max_bytes * 2)  # a batch that did not fit into an old broker's answer
        elif end is not None:
            return  # the log was cut behind our back, or a transaction is open: its end is before the one asked for


def _fetched(reply: FetchResponse, topic: str, partition: int, offset: int, read_committed: bool) -> Fetched:
    asked = f"fetch {topic}-{partition} at offset {offset}"
    raise_for(reply.error_code, asked)
    ((found,),) = ((each for each in response.partitions) for response in reply.responses)
    return partition_fetched(found, asked, offset, read_committed)


def partition_fetched(found: FetchResponsePartition, asked: str, offset: int, read_committed: bool) -> Fetched:
    """What one partition's part of a reply has to show. ClientError if it is an error, or cannot be read."""
    raise_for(found.error_code, asked)
    aborted = _Aborted(found.aborted_transactions or ()) if read_committed else _Aborted(())
    try:
        records, next_offset = _visible(bytes(found.records or b""), offset, aborted)
    except WireError as error:  # a damaged batch, an unknown codec, a format older than magic 2
        raise ClientError(INVALID_RECORD, asked, str(error), "Skip it with another offset, or repair the log") from None
    return Fetched(records, next_offset, found.high_watermark, found.last_stable_offset, found.log_start_offset)


def _visible(raw: bytes, offset: int, aborted: _Aborted) -> tuple[list[Record], int]:
    records: list[Record] = []
    next_offset = offset
    for position, header in _whole_batches(raw):
        check_crc(raw, header, position)
        next_offset = max(next_offset, header.next_offset)
        hidden = header.is_transactional and aborted.hides(header.producer_id, header.base_offset)
        if header.is_control:
            marker = decode_records(raw, header, position)
            if marker and marker[0].key is not None and marker[0].key[2:4] == ABORT_MARKER.to_bytes(2, "big"):
                aborted.ended(header.producer_id)
        elif not hidden:
            records += (each for each in decode_records(raw, header, position) if each.offset >= offset)
    return records, next_offset


def _whole_batches(raw: bytes) -> Iterator[tuple[int, BatchHeader]]:
    """Brokers cut the last batch off where the answer is full."""
    position = 0
    while len(raw) - position >= HEADER_SIZE:
        header = parse_header(raw, position)
        if position + header.size > len(raw):
            return
        yield position, header
        position += header.size


class _Aborted:
    """Which producers' transactional batches are to be left out, offset by offset."""

    def __init__(self, transactions: Iterable[FetchResponseAbortedTransaction]) -> None:
        self._coming = sorted(((each.first_offset, each.producer_id) for each in transactions), reverse=True)
        self._open: set[int] = set()

    def hides(self, producer_id: int, base_offset: int) -> bool:
        while self._coming and self._coming[-1][0] <= base_offset:
            self._open.add(self._coming.pop()[1])
        return producer_id in self._open

    def ended(self, producer_id: int) -> None:
        self._open.discard(producer_id)
