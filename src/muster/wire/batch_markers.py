"""Control records that end a transaction in a partition: COMMIT and ABORT markers, each alone in a batch of its own.

A marker's key is its version and its type, its value its version and the epoch of the transaction coordinator that had it
written; the producer and its epoch are in the batch's header. Versions above 0 begin with the same fields and are read so, as
Kafka does. Other control types (Kafka's metadata log has some) are none of our business and are not refused. Callers import it
through `muster.wire.batch`.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from muster.wire.batch_header import CONTROL_BIT, TRANSACTIONAL_BIT
from muster.wire.batch_open import OpenBatch
from muster.wire.errors import CorruptBatch
from muster.wire.special_values import ABORT_MARKER, COMMIT_MARKER

_VERSION: Final = 0
_KEY = struct.Struct(">hh")
_VALUE = struct.Struct(">hi")
_COMMIT_KEY: Final = _KEY.pack(_VERSION, COMMIT_MARKER)
_ABORT_KEY: Final = _KEY.pack(_VERSION, ABORT_MARKER)
_ATTRIBUTES: Final = TRANSACTIONAL_BIT | CONTROL_BIT
_pack_value: Final = _VALUE.pack


class EndMarker(NamedTuple):
    """How a transaction ended, and in which epoch of its coordinator."""

    committed: bool
    coordinator_epoch: int


def encode_marker_batch(
    marker: EndMarker,
    producer_id: int,
    producer_epoch: int,
    timestamp_ms: int,
    *,
    base_offset: int = 0,
    leader_epoch: int = -1,
) -> bytes:
    """A batch of one marker. It has no sequence: markers are not the producer's own."""
    batch = OpenBatch(base_offset, leader_epoch, producer_id, producer_epoch, -1, _ATTRIBUTES)
    batch.mark(timestamp_ms)
    batch.add(_COMMIT_KEY if marker.committed else _ABORT_KEY, _pack_value(_VERSION, marker.coordinator_epoch))
    batch.keep()
    return batch.seal()


def control_type(key: bytes | None) -> int:
    """The type of a control record, by its key. CorruptBatch if that is none."""
    if key is None or len(key) < _KEY.size:
        raise CorruptBatch(f"the key of a control record needs {_KEY.size} bytes, it has {len(key or b'')}", 0)
    version, number = _KEY.unpack_from(key)
    if version < _VERSION:
        raise CorruptBatch(f"version {version} of a control record's key is negative", 0)
    kind: int = number
    return kind


def decode_marker(key: bytes | None, value: bytes | None) -> EndMarker | None:
    """The marker that a control record is; None for other control types. CorruptBatch if it is neither."""
    kind = control_type(key)
    if kind not in (ABORT_MARKER, COMMIT_MARKER):
        return None
    if value is None or len(value) < _VALUE.size:
        raise CorruptBatch(f"the value of a marker needs {_VALUE.size} bytes, it has {len(value or b'')}", 0)
    version, coordinator_epoch = _VALUE.unpack_from(value)
    if version < _VERSION:
        raise CorruptBatch(f"version {version} of a marker's value is negative", 0)
    return EndMarker(kind == COMMIT_MARKER, coordinator_epoch)
