"""Record batches of magic 2: the unit in which records travel and rest.

Knows the byte layout and the checks that need nothing but the bytes. Does not know topics, files or offsets to come.
This is the front door: `batch_header` reads and patches headers, `batch_records` looks inside, `batch_encode` writes,
`batch_open` writes one that grows, `batch_markers` those that end transactions.
"""

from __future__ import annotations

from muster.wire.batch_encode import encode_batch, encode_pairs, recompressed, resealed
from muster.wire.batch_header import (
    COMPRESSION_MASK,
    CONTROL_BIT,
    DELETE_HORIZON_BIT,
    HEADER_SIZE,
    LOG_APPEND_TIME_BIT,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    TRANSACTIONAL_BIT,
    BatchHeader,
    OldMessageFormat,
    check_crc,
    iterate_batches,
    parse_header,
    whole_header,
    with_max_timestamp,
    with_offset_and_epoch,
)
from muster.wire.batch_markers import EndMarker, control_type, decode_marker, encode_marker_batch
from muster.wire.batch_open import OpenBatch
from muster.wire.batch_records import (
    LEAST_RECORD_BYTES,
    Headers,
    Record,
    RecordsVerdict,
    UnpackedTooLarge,
    check_records,
    decode_records,
    records_payload,
)
from muster.wire.compression import UnknownCompression
from muster.wire.errors import CorruptBatch

__all__ = [
    "COMPRESSION_MASK",
    "CONTROL_BIT",
    "DELETE_HORIZON_BIT",
    "HEADER_SIZE",
    "LEAST_RECORD_BYTES",
    "LOG_APPEND_TIME_BIT",
    "NO_PRODUCER_ID",
    "NO_TIMESTAMP",
    "TRANSACTIONAL_BIT",
    "BatchHeader",
    "CorruptBatch",
    "EndMarker",
    "Headers",
    "OldMessageFormat",
    "OpenBatch",
    "Record",
    "RecordsVerdict",
    "UnknownCompression",
    "UnpackedTooLarge",
    "check_crc",
    "check_records",
    "control_type",
    "decode_marker",
    "decode_records",
    "encode_batch",
    "encode_marker_batch",
    "encode_pairs",
    "iterate_batches",
    "parse_header",
    "recompressed",
    "records_payload",
    "resealed",
    "whole_header",
    "with_max_timestamp",
    "with_offset_and_epoch",
]
