"""A model reader of committed records: fetches, leaves out what was aborted as clients do, and now and then asks for a group's
committed offset."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from muster.sim.client import RETRY_MS, SimClient
from muster.sim.transactions.history import NO_OFFSET, OUTPUT, OUTPUT_PARTITIONS
from muster.sim.transactions.requests import TRY_AGAIN, fetch_offset, fetched_offset
from muster.wire.batch import decode_marker, decode_records, iterate_batches
from muster.wire.errors import NONE, name_of
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from muster.wire.special_values import READ_COMMITTED

if TYPE_CHECKING:
    from muster.sim.transactions.witness import TransactionWitness

PAUSE_MS = 700
MAX_WAIT_MS = 500


class SimReader(SimClient):
    versions = {"Fetch": 11, "OffsetFetch": 9}  # noqa: RUF012

    def __init__(self, seen: TransactionWitness, name: str, random: Random) -> None:
        super().__init__(seen.world, name, random)
        self._seen = seen
        self._positions = dict.fromkeys(range(OUTPUT_PARTITIONS), 0)

    def start(self) -> None:
        self.is_alive = True
        self._fetch()

    def _start_again(self) -> None:
        self._fetch()

    def _fetch(self) -> None:
        wanted = list(self._positions)
        first = self._random.choice(wanted)
        partitions = [
            FetchRequestPartition(
                partition,
                fetch_offset=self._positions[partition],
                partition_max_bytes=self._random.choice((300, 100_000)),
            )
            for partition in self._together(wanted[first:] + wanted[:first])
        ]
        topics = [FetchRequestTopic(OUTPUT, partitions=partitions)]
        request = FetchRequest(max_wait_ms=MAX_WAIT_MS, min_bytes=1, isolation_level=READ_COMMITTED, topics=topics)
        self._ask("Fetch", request, self._fetched)

    def _fetched(self, response: Any) -> None:
        for topic in response.responses:
            for partition in topic.partitions:
                if partition.error_code == NONE:
                    self._read(partition)
                elif partition.error_code in TRY_AGAIN:
                    self._look_again()
                else:
                    self._seen.note_surprise(self, f"Fetch was answered {name_of(partition.error_code)}")
        self._plan(PAUSE_MS, self._ask_offset if self._random.random() < 0.5 else self._fetch)

    def _read(self, partition: Any) -> None:
        """As clients do: a transaction in the list is left out from its first offset to its ABORT marker."""
        index, content = partition.partition_index, partition.records or b""
        starts = sorted((each.first_offset, each.producer_id) for each in partition.aborted_transactions or ())
        aborted: set[int] = set()
        for position, header in iterate_batches(content):
            while starts and starts[0][0] <= header.last_offset:
                aborted.add(starts.pop(0)[1])
            records = decode_records(content, header, position)
            if header.is_control:
                marker = decode_marker(records[0].key, records[0].value)
                if marker is not None and not marker.committed:
                    aborted.discard(header.producer_id)
            elif header.producer_id not in aborted:
                for record in records:
                    if record.offset >= self._positions[index]:
                        self._seen.note_read(self.name, index, record)
            self._positions[index] = max(self._positions[index], header.next_offset)

    def _ask_offset(self) -> None:
        transactional_id = self._random.choice(self._seen.transactional_ids)
        require_stable = self._random.random() < 0.5

        def fetched(response: Any) -> None:
            error, offset = fetched_offset(response)
            if error == NONE and offset != NO_OFFSET:
                self._seen.note_offset(transactional_id, offset)
            elif error in TRY_AGAIN:
                self._look_again()
            elif error != NONE:
                self._seen.note_surprise(self, f"OffsetFetch was answered {name_of(error)}")
            self._plan(RETRY_MS, self._fetch)

        self._ask("OffsetFetch", fetch_offset(transactional_id, require_stable=require_stable), fetched)
