"""The records inside a magic-2 batch: decoded, or walked and judged without building an object for each.

Knows the layout of one record (varints, key, value, headers). Does not know topics and does not decide which error code
a producer gets. Callers import it through `muster.wire.batch`.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from muster.wire.batch_header import HEADER_SIZE, BatchHeader, CorruptBatch, parse_header
from muster.wire.compression import MAX_DECOMPRESSED_BYTES, NONE, CompressionError, UnknownCompression, decompress
from muster.wire.value import Value

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]

_MAX_VARINT_SHIFT: Final = 63
_LEAST_RECORD_BYTES: Final = 7
"""Length, attributes, two deltas, two lengths, header count: one byte each."""


class Record(NamedTuple):
    """One record as readers see it: absolute offset and timestamp."""

    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


class RecordsVerdict(Value):
    """What a walk over a producer's batch found out, for the checks that depend on the topic."""

    __match_args__ = ("min_timestamp", "max_timestamp", "max_timestamp_delta", "null_keys", "records_bytes")
    __slots__ = __match_args__

    def __init__(
        self,
        min_timestamp: int,
        max_timestamp: int,
        max_timestamp_delta: int,
        null_keys: tuple[int, ...],
        records_bytes: int,
    ) -> None:
        self.min_timestamp = min_timestamp
        self.max_timestamp = max_timestamp
        self.max_timestamp_delta = max_timestamp_delta
        """Offset delta of the first record that carries `max_timestamp`."""
        self.null_keys = null_keys
        """Indexes of the records without a key: a compacted topic refuses them."""
        self.records_bytes = records_bytes
        """Size of the records when unpacked."""


def records_payload(buf: bytes, header: BatchHeader, pos: int = 0, limit: int = MAX_DECOMPRESSED_BYTES) -> bytes:
    """The records' bytes, unpacked if the batch is compressed."""
    end = pos + header.size
    if end > len(buf):
        raise CorruptBatch(f"batch of {header.size} bytes is cut off after {len(buf) - pos}", pos)
    payload = buf[pos + HEADER_SIZE : end]
    if header.compression == NONE:
        return payload
    try:
        return decompress(header.compression, payload, limit)
    except UnknownCompression:
        raise
    except CompressionError as error:
        raise CorruptBatch(str(error), pos + HEADER_SIZE) from None


def decode_records(buf: bytes, header: BatchHeader | None = None, pos: int = 0) -> list[Record]:
    """Every record of the batch at `pos`. The checksum is the caller's to check (`check_crc`)."""
    if header is None:
        header = parse_header(buf, pos)
    payload = records_payload(buf, header, pos)
    try:
        return _decode(payload, header)
    except IndexError:
        raise CorruptBatch("the records end in the middle of a record", len(payload)) from None


def _decode(data: bytes, header: BatchHeader) -> list[Record]:
    base_offset = header.base_offset
    base_timestamp = header.base_timestamp
    append_time = header.max_timestamp if header.is_log_append_time else None
    total = len(data)
    new = tuple.__new__
    records: list[Record] = []
    pos = 0
    for _ in range(header.record_count):
        start = pos
        length, pos = _varint(data, pos)
        end = pos + length
        if length < 0 or end > total:
            raise CorruptBatch(f"record length {length} does not fit into the records", start)
        # pos + 1: the record's attributes are unused in magic 2. One-byte varints, the usual ones, are read on the spot:
        # loading a coordinator's log spends most of its time here.
        byte = data[pos + 1]
        if byte < 0x80:
            timestamp = base_timestamp + ((byte >> 1) ^ -(byte & 1))
            pos += 2
        else:
            delta, pos = _varint(data, pos + 1)
            timestamp = base_timestamp + delta
        offset, pos = _varint(data, pos)
        byte = data[pos]
        if byte < 0x80:
            size = (byte >> 1) ^ -(byte & 1)
            pos += 1
        else:
            size, pos = _varint(data, pos)
        key = None
        if size >= 0:
            key = data[pos : pos + size]
            pos += size
        byte = data[pos]
        if byte < 0x80:
            size = (byte >> 1) ^ -(byte & 1)
            pos += 1
        else:
            size, pos = _varint(data, pos)
        value = None
        if size >= 0:
            value = data[pos : pos + size]
            pos += size
        headers: Headers = ()
        if data[pos]:
            count, pos = _varint(data, pos)
            headers, pos = _decode_headers(data, pos, count, end)
        else:
            pos += 1
        if pos != end:
            raise CorruptBatch(f"record should end at {end}, its fields end at {pos}", start)
        if append_time is not None:
            timestamp = append_time
        records.append(new(Record, (base_offset + offset, timestamp, key, value, headers)))
    if pos != total:
        raise CorruptBatch(f"{total - pos} bytes follow the last of {header.record_count} records", pos)
    return records


def _decode_headers(data: bytes, pos: int, count: int, end: int) -> tuple[Headers, int]:
    if count < 0 or count > end - pos:
        raise CorruptBatch(f"{count} headers do not fit into the record", pos)
    headers: list[tuple[str, bytes | None]] = []
    for _ in range(count):
        size, pos = _varint(data, pos)
        if size < 0 or pos + size > end:
            raise CorruptBatch(f"header key of {size} bytes does not fit into the record", pos)
        try:
            name = data[pos : pos + size].decode()
        except UnicodeDecodeError:
            raise CorruptBatch("header key is not UTF-8", pos) from None
        pos += size
        size, pos = _varint(data, pos)
        if size < 0:
            headers.append((name, None))
        else:
            headers.append((name, data[pos : pos + size]))
            pos += size
    return tuple(headers), pos


def check_records(buf: bytes, header: BatchHeader | None = None, pos: int = 0) -> RecordsVerdict:
    """Walk over a producer's batch: lengths fit, offset deltas are 0 to n-1, the count is right. Raises CorruptBatch.

    Kafka's broker checks the same before it gives out offsets. The checksum is apart (`check_crc`).
    """
    if header is None:
        header = parse_header(buf, pos)
    if header.record_count == 0:
        raise CorruptBatch("a producer's batch holds no records", pos + 57)
    if header.last_offset_delta != header.record_count - 1:
        raise CorruptBatch(
            f"{header.record_count} records cannot have the last offset delta {header.last_offset_delta}", pos + 23
        )
    payload = records_payload(buf, header, pos)
    if header.record_count * _LEAST_RECORD_BYTES > len(payload):
        raise CorruptBatch(f"{header.record_count} records do not fit into {len(payload)} bytes", pos + 57)
    try:
        return _walk(payload, header)
    except IndexError:
        raise CorruptBatch("the records end in the middle of a record", len(payload)) from None


def _walk(data: bytes, header: BatchHeader) -> RecordsVerdict:
    total = len(data)
    null_keys: list[int] = []
    low = high = high_at = 0
    pos = 0
    for index in range(header.record_count):
        start = pos
        length, pos = _varint(data, pos)
        end = pos + length
        if length < 0 or end > total:
            raise CorruptBatch(f"record {index}: length {length} does not fit into the records", start)
        timestamp_delta, pos = _varint(data, pos + 1)
        offset_delta, pos = _varint(data, pos)
        if offset_delta != index:
            raise CorruptBatch(f"record {index} has the offset delta {offset_delta}", start)
        if index == 0:
            low = high = timestamp_delta
        elif timestamp_delta > high:
            high, high_at = timestamp_delta, index
        elif timestamp_delta < low:
            low = timestamp_delta
        size, pos = _varint(data, pos)
        if size < 0:
            null_keys.append(index)
        else:
            pos += size
        size, pos = _varint(data, pos)
        if size > 0:
            pos += size
        count, pos = _varint(data, pos)
        if count:
            pos = _walk_headers(data, pos, count, end)
        if pos != end:
            raise CorruptBatch(f"record {index} should end at {end}, its fields end at {pos}", start)
    if pos != total:
        raise CorruptBatch(f"{total - pos} bytes follow the last of {header.record_count} records", pos)
    base = header.base_timestamp
    if header.is_log_append_time:
        return RecordsVerdict(header.max_timestamp, header.max_timestamp, 0, tuple(null_keys), total)
    return RecordsVerdict(base + low, base + high, high_at, tuple(null_keys), total)


def _walk_headers(data: bytes, pos: int, count: int, end: int) -> int:
    return _decode_headers(data, pos, count, end)[1]


def _varint(data: bytes, pos: int) -> tuple[int, int]:
    """A zigzag varint and the position after it. IndexError at the end of the bytes is the callers' to explain."""
    byte = data[pos]
    pos += 1
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), pos
    raw = byte & 0x7F
    shift = 7
    while True:
        byte = data[pos]
        pos += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (raw >> 1) ^ -(raw & 1), pos
        shift += 7
        if shift > _MAX_VARINT_SHIFT:
            raise CorruptBatch("a varint goes on for more than ten bytes", pos)
