"""The transactional clients of a world, what they tell, and what the logs and shards say of transactions at the end."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.core.records import OffsetCommitted
from muster.core.shard import Shard
from muster.core.transactions.shard import TransactionShard
from muster.core.transactions.transitions import NOTHING_OPEN
from muster.log.contract import PartitionLog
from muster.log.record_codec import decode_record
from muster.runtime.transactions_load import TransactionsLoad
from muster.sim.client import SimClient
from muster.sim.transactions.history import OUTPUT, Attempt, CopyRead, Fenced, Written
from muster.sim.transactions.producer import SimProducer
from muster.sim.transactions.reader import SimReader
from muster.sim.transactions.requests import group_of
from muster.wire.batch import NO_PRODUCER_ID, BatchHeader, Record, decode_marker, decode_records, iterate_batches

if TYPE_CHECKING:
    from muster.sim.witness import Witness

TRANSACTIONAL_IDS = ("t0", "t1")
TWINS = 2
"""Producers that share a transactional id, and fence each other."""
GET_ON_MS = 25_000
"""After the faults: then producers end wherever they are, and what they leave open times out."""


class TransactionWitness:
    transactional_ids = TRANSACTIONAL_IDS

    def __init__(
        self, world: Witness, producer: type[SimProducer] = SimProducer, reader: type[SimReader] = SimReader
    ) -> None:
        """`producer` and `reader`: how they find whom to ask."""
        self.world = world
        self._seen = world.history.transactions
        self._group_ids = {group_of(each): each for each in TRANSACTIONAL_IDS}
        self.producers = [
            producer(self, each, f"{each}-{twin}", Random(world.random.random()))
            for twin in range(TWINS)
            for each in TRANSACTIONAL_IDS
        ]
        self.reader = reader(self, "reader", Random(world.random.random()))
        self._healed_ms = 0

    def start(self) -> None:
        self.reader.start()
        for producer in self.producers[: len(TRANSACTIONAL_IDS)]:
            producer.start()

    def heal(self) -> None:
        """One producer of each transactional id goes on alone for a while, then nobody."""
        self._healed_ms = self.world.scheduler.now_ms
        for producer in self.producers[len(TRANSACTIONAL_IDS) :]:
            producer.vanish()
        for producer in self.producers[: len(TRANSACTIONAL_IDS)]:
            if not producer.is_alive:
                producer.start()
            self.world.scheduler.after(GET_ON_MS, producer.vanish)

    # -- what clients tell

    def new_attempt(self, transactional_id: str, first_input: int, next_input: int) -> Attempt:
        number = len(self._seen.attempts)
        attempt = Attempt(number, transactional_id, first_input, next_input, self.world.scheduler.now_ms)
        self._seen.attempts[number] = attempt
        return attempt

    def note_fenced(self, producer: tuple[int, int]) -> None:
        self._seen.fenced.append(Fenced(*producer, {str(name): end for name, end in self.world.log_ends()}))

    def note_read(self, reader: str, partition: int, record: Record) -> None:
        self._seen.read.setdefault(reader, []).append(_copy(partition, record))

    def note_offset(self, transactional_id: str, offset: int) -> None:
        self._seen.offsets_read.append((transactional_id, offset))

    def note_surprise(self, client: SimClient, what: str) -> None:
        self._seen.surprises.append(f"{client.name} at {self.world.scheduler.now_ms} ms: {what}")

    # -- the end of a run

    def look_at_progress(self) -> None:
        for transactional_id in TRANSACTIONAL_IDS:
            got_on = any(
                each.told and each.transactional_id == transactional_id and each.began_ms > self._healed_ms
                for each in self._seen.attempts.values()
            )
            if not got_on:
                self._seen.silent.append(transactional_id)

    def look_at_output(self, index: int, content: bytes, end: int, stable: int) -> None:
        """One partition of the topic that is written to."""
        name = f"{OUTPUT}-{index}"
        if stable != end:
            self._seen.unstable.append(f"{name}: the last stable offset is {stable}, the end is {end}")
        for _, record in self._committed(name, content):
            self._seen.committed.append(_copy(index, record))

    def look_at_offsets(self, index: int, content: bytes, shard: Shard) -> None:
        """One partition of `__consumer_offsets`."""
        name = f"{CONSUMER_OFFSETS}-{index}"
        for _, record in self._committed(name, content):
            decoded = decode_record(record.key, record.value)
            if isinstance(decoded, OffsetCommitted):
                self._seen.committed_offsets.append((self._group_ids[decoded.group_id], decoded.offset))
        if len(shard.offsets.pending):
            self._seen.unstable.append(f"{name}: offsets are pending: {shard.offsets.pending!r}")

    def look_at_coordinator(self, shard: TransactionShard, log: PartitionLog) -> None:
        """One partition of `__transaction_state`."""
        for transaction in shard.transactions.values():
            if transaction.state not in NOTHING_OPEN:
                self._seen.unstable.append(repr(transaction))
        replayed = TransactionsLoad(TransactionShard(shard.config, lambda: None), log, 1 << 20)
        while not replayed.step():
            pass
        live_facts = {name: each.stored for name, each in shard.transactions.items()}
        facts = {name: each.stored for name, each in replayed.shard.transactions.items()}
        if facts != live_facts:
            self.world.history.replay_differences.append(f"{log!r}: {live_facts} live, {facts} replayed")

    def _committed(self, name: str, content: bytes) -> Iterator[tuple[BatchHeader, Record]]:
        """The records with a COMMIT marker behind them, in the order of the markers: read from the log alone."""
        undecided: dict[int, list[tuple[BatchHeader, Record]]] = {}
        for position, header in iterate_batches(content):
            if header.producer_id == NO_PRODUCER_ID:
                continue
            records = decode_records(content, header, position)
            if not header.is_control:
                self._seen.written.append(Written(name, header.base_offset, header.producer_id, header.producer_epoch))
                undecided.setdefault(header.producer_id, []).extend((header, each) for each in records)
                continue
            marker = decode_marker(records[0].key, records[0].value)
            decided = undecided.pop(header.producer_id, [])
            if marker is not None and marker.committed:
                yield from decided


def _copy(partition: int, record: Record) -> CopyRead:
    assert record.key is not None
    assert record.value is not None
    return CopyRead(partition, record.offset, int(record.value), int(record.key))
