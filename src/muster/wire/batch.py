"""Record batches of magic 2: the unit in which records travel and rest.

Knows the byte layout and the checks that need nothing but the bytes. Does not know topics, files or offsets to come.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class BatchHeader:
    """The 61 bytes before the records. `size` counts the whole batch, header included."""

    base_offset: int
    size: int
    partition_leader_epoch: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int
