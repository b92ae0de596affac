"""The second pass of a compaction: what is left of each batch. Kafka's rules (its log cleaner, KIP-534), fed in order.

- Of the records of one key only the last stays. A record without a key goes.
- A tombstone stays until its delete horizon: the time of the first compaction that saw it plus `delete.retention.ms`, so that a
  reader that began at the start of the log within that time hears of the deletion.
- Records of aborted transactions go, those of undecided ones stay as they are. A marker stays as long as its transaction had
  a batch when the log was last compacted, and then for `delete.retention.ms` like a tombstone.
- The last batch of a producer stays, if only its header, until the producer is forgotten.

Pure; `compaction_round` reads and writes.
"""

from __future__ import annotations

from muster.log.compacted_batch import RecordPlace, delete_horizon, emptied, rebuilt, record_places
from muster.log.compaction_scan import CompactionScan, Fate, marker_type
from muster.log.contract import LogConfig
from muster.wire.batch import BatchHeader


class CompactionFilter:
    def __init__(self, scan: CompactionScan, config: LogConfig, now_ms: int) -> None:
        self._scan = scan
        self._now_ms = now_ms
        self._horizon_ms = now_ms + config.delete_retention_ms
        self._producers_since_ms = now_ms - config.producer_id_expiration_ms
        self._producers_seen: set[int] = set()
        """Producers with a transactional batch since their last marker."""
        self.records_dropped = 0
        self.keyless_records = 0

    def left_of(self, header: BatchHeader, batch: bytes, *, keep_offsets: bool) -> bytes | None:
        """The batch as it shall be; None if nothing is left. `keep_offsets`: its header at least must stay."""
        if header.base_offset >= self._scan.end_offset:
            return batch
        if header.is_control:
            return self._left_of_marker(header, batch, keep_offsets or self._is_producers_last(header))
        fate = Fate.COMMITTED
        if header.is_transactional:
            self._producers_seen.add(header.producer_id)
            fate = self._scan.fate_of(header)
        if fate is Fate.UNDECIDED:
            return batch
        payload, places = record_places(batch, header)
        kept = [] if fate is Fate.ABORTED else self._kept(header, places)
        self.records_dropped += len(places) - len(kept)
        if kept:
            return self._with_kept(header, batch, payload, places, kept)
        if keep_offsets or self._is_producers_last(header):
            return emptied(header) if places else batch
        return None

    def _kept(self, header: BatchHeader, places: list[RecordPlace]) -> list[RecordPlace]:
        base, last_offsets = header.base_offset, self._scan.last_offsets
        horizon = delete_horizon(header)
        tombstones_go = horizon is not None and horizon <= self._now_ms
        kept: list[RecordPlace] = []
        for place in places:
            if place.key is None:
                self.keyless_records += 1
            elif base + place.offset_delta >= last_offsets.get(place.key, -1) and (
                place.has_value or not tombstones_go
            ):
                kept.append(place)
        return kept

    def _with_kept(
        self, header: BatchHeader, batch: bytes, payload: bytes, places: list[RecordPlace], kept: list[RecordPlace]
    ) -> bytes:
        new_horizon = None
        if delete_horizon(header) is None and not all(place.has_value for place in kept):
            new_horizon = self._horizon_ms
        if new_horizon is None and len(kept) == len(places):
            return batch
        return rebuilt(header, payload, kept, new_horizon)

    def _left_of_marker(self, header: BatchHeader, batch: bytes, must_stay: bool) -> bytes | None:
        payload, places = record_places(batch, header)
        if not places or any(marker_type(place.key) is None for place in places):
            return batch if must_stay or places else None
        if header.producer_id in self._producers_seen:
            self._producers_seen.discard(header.producer_id)
            return batch
        horizon = delete_horizon(header)
        if horizon is None:
            return rebuilt(header, payload, places, self._horizon_ms)
        if horizon > self._now_ms or must_stay:
            return batch
        self.records_dropped += len(places)
        return None

    def _is_producers_last(self, header: BatchHeader) -> bool:
        last = self._scan.last_batches.get(header.producer_id)
        return (
            last is not None
            and last.last_offset == header.last_offset
            and last.max_timestamp > self._producers_since_ms
        )
