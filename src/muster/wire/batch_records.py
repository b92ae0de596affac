"""The records inside a magic-2 batch: decoded, or walked and judged without building an object for each.

Knows the layout of one record (varints, key, value, headers). Does not know topics and does not decide which error code
a producer gets. Callers import it through `muster.wire.batch`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from muster.wire.batch_header import HEADER_SIZE, NO_TIMESTAMP, BatchHeader, parse_header
from muster.wire.compression import (
    MAX_DECOMPRESSED_BYTES,
    NONE,
    CompressionError,
    UnknownCompression,
    UnpacksTooLarge,
    decompress,
)
from muster.wire.errors import CorruptBatch
from muster.wire.value import Value
from muster.wire.varint import read_zigzag

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]

LEAST_RECORD_BYTES: Final = 7
"""Length, attributes, two deltas, two lengths, header count: one byte each."""
MOST_NAMED_RECORDS: Final = 100
"""Records of a batch that are named as faulty, one by one; a batch may have a million."""
STEPS_BETWEEN_PAUSES: Final = 2048
"""Records, or headers of a record, that are walked over before the caller may do something else; must be a power of two."""
Pause: TypeAlias = Callable[[], None]


class UnpackedTooLarge(CorruptBatch):
    """The records unpack to more than the caller allows."""


class Record(NamedTuple):
    """One record as readers see it: absolute offset and timestamp."""

    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


class RecordsVerdict(Value):
    """What a walk over a producer's batch found out, for the checks that depend on the topic."""

    __match_args__ = (
        "min_timestamp",
        "max_timestamp",
        "max_timestamp_delta",
        "null_keys",
        "null_key_count",
        "records_bytes",
        "untimely",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        min_timestamp: int,
        max_timestamp: int,
        max_timestamp_delta: int,
        null_keys: tuple[int, ...],
        null_key_count: int,
        records_bytes: int,
        untimely: tuple[tuple[int, int], ...] = (),
    ) -> None:
        self.min_timestamp = min_timestamp
        self.max_timestamp = max_timestamp
        self.max_timestamp_delta = max_timestamp_delta
        """Offset delta of the first record that carries `max_timestamp`."""
        self.null_keys = null_keys
        """Indexes of the first records without a key, MOST_NAMED_RECORDS of them: a compacted topic refuses them."""
        self.null_key_count = null_key_count
        self.records_bytes = records_bytes
        """Size of the records when unpacked."""
        self.untimely = untimely
        """(index, timestamp) of the first records outside of the allowed time, as many."""


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
    except UnpacksTooLarge as error:
        raise UnpackedTooLarge(str(error), pos + HEADER_SIZE) from None
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
        length, pos = read_zigzag(data, pos)
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
            delta, pos = read_zigzag(data, pos + 1)
            timestamp = base_timestamp + delta
        offset, pos = read_zigzag(data, pos)
        byte = data[pos]
        if byte < 0x80:
            size = (byte >> 1) ^ -(byte & 1)
            pos += 1
        else:
            size, pos = read_zigzag(data, pos)
        key = None
        if size >= 0:
            key = data[pos : pos + size]
            pos += size
        byte = data[pos]
        if byte < 0x80:
            size = (byte >> 1) ^ -(byte & 1)
            pos += 1
        else:
            size, pos = read_zigzag(data, pos)
        value = None
        if size >= 0:
            value = data[pos : pos + size]
            pos += size
        headers: Headers = ()
        if data[pos]:
            count, pos = read_zigzag(data, pos)
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
        size, pos = read_zigzag(data, pos)
        if size < 0 or pos + size > end:
            raise CorruptBatch(f"header key of {size} bytes does not fit into the record", pos)
        try:
            name = data[pos : pos + size].decode()
        except UnicodeDecodeError:
            raise CorruptBatch("header key is not UTF-8", pos) from None
        pos += size
        size, pos = read_zigzag(data, pos)
        if size < 0:
            headers.append((name, None))
        else:
            headers.append((name, data[pos : pos + size]))
            pos += size
    return tuple(headers), pos


def check_records(
    buf: bytes,
    header: BatchHeader | None = None,
    pos: int = 0,
    *,
    limit: int = MAX_DECOMPRESSED_BYTES,
    pause: Pause | None = None,
    earliest: int | None = None,
    latest: int | None = None,
) -> RecordsVerdict:
    """Walk over a producer's batch: lengths fit, offset deltas are 0 to n-1, the count is right. Raises CorruptBatch.

    Kafka's broker checks the same before it gives out offsets. The checksum is apart (`check_crc`). `limit`: what the records
    may unpack to. `pause` is called now and then, and may raise: compiled code lets no other thread run by itself. Records
    outside of `earliest` to `latest` are named in the verdict, if both are given.
    """
    if header is None:
        header = parse_header(buf, pos)
    count = header.record_count
    if count == 0:
        raise CorruptBatch("a producer's batch holds no records", pos + 57)
    if header.last_offset_delta != count - 1:
        raise CorruptBatch(f"{count} records cannot have the last offset delta {header.last_offset_delta}", pos + 23)
    # Before anything is unpacked or walked over, and once more when the size of what was unpacked is known.
    room = header.size - HEADER_SIZE if header.compression == NONE else limit
    if count * LEAST_RECORD_BYTES > room:
        raise CorruptBatch(f"{count} records do not fit into {room} bytes", pos + 57)
    payload = records_payload(buf, header, pos, limit)
    if count * LEAST_RECORD_BYTES > len(payload):
        raise CorruptBatch(f"{count} records do not fit into {len(payload)} bytes", pos + 57)
    try:
        verdict = _walk(payload, header, pause)
        if earliest is None or latest is None or header.is_log_append_time:
            return verdict
        if verdict.min_timestamp < earliest or verdict.max_timestamp > latest:
            verdict.untimely = _find_untimely(payload, header, earliest, latest, pause)
        return verdict
    except IndexError:
        raise CorruptBatch("the records end in the middle of a record", len(payload)) from None


def _walk(data: bytes, header: BatchHeader, pause: Pause | None) -> RecordsVerdict:
    total = len(data)
    null_keys: list[int] = []
    null_key_count = 0
    low = high = high_at = 0
    pos = 0
    for index in range(header.record_count):
        if pause is not None and index & (STEPS_BETWEEN_PAUSES - 1) == STEPS_BETWEEN_PAUSES - 1:
            pause()
        start = pos
        length, pos = read_zigzag(data, pos)
        end = pos + length
        if length < 0 or end > total:
            raise CorruptBatch(f"record {index}: length {length} does not fit into the records", start)
        timestamp_delta, pos = read_zigzag(data, pos + 1)
        offset_delta, pos = read_zigzag(data, pos)
        if offset_delta != index:
            raise CorruptBatch(f"record {index} has the offset delta {offset_delta}", start)
        if index == 0:
            low = high = timestamp_delta
        elif timestamp_delta > high:
            high, high_at = timestamp_delta, index
        elif timestamp_delta < low:
            low = timestamp_delta
        size, pos = read_zigzag(data, pos)
        if size < 0:
            if null_key_count < MOST_NAMED_RECORDS:
                null_keys.append(index)
            null_key_count += 1
        else:
            pos += size
        size, pos = read_zigzag(data, pos)
        if size > 0:
            pos += size
        count, pos = read_zigzag(data, pos)
        if count:
            pos = _walk_headers(data, pos, count, end, pause)
        if pos != end:
            raise CorruptBatch(f"record {index} should end at {end}, its fields end at {pos}", start)
    if pos != total:
        raise CorruptBatch(f"{total - pos} bytes follow the last of {header.record_count} records", pos)
    base = header.base_timestamp
    if header.is_log_append_time:
        low, high, high_at, base = header.max_timestamp, header.max_timestamp, 0, 0
    return RecordsVerdict(base + low, base + high, high_at, tuple(null_keys), null_key_count, total)


def _find_untimely(
    data: bytes, header: BatchHeader, earliest: int, latest: int, pause: Pause | None
) -> tuple[tuple[int, int], ...]:
    """Over records that were walked over before, so their lengths are known to be right."""
    found: list[tuple[int, int]] = []
    base = header.base_timestamp
    pos = 0
    for index in range(header.record_count):
        if pause is not None and index & (STEPS_BETWEEN_PAUSES - 1) == STEPS_BETWEEN_PAUSES - 1:
            pause()
        length, pos = read_zigzag(data, pos)
        timestamp = base + read_zigzag(data, pos + 1)[0]
        pos += length
        if timestamp != NO_TIMESTAMP and not earliest <= timestamp <= latest:
            found.append((index, timestamp))
            if len(found) == MOST_NAMED_RECORDS:
                break
    return tuple(found)


def _walk_headers(data: bytes, pos: int, count: int, end: int, pause: Pause | None) -> int:
    """Where they end. In steps: one record may have millions of them."""
    if count < 0 or count > end - pos:
        raise CorruptBatch(f"{count} headers do not fit into the record", pos)
    left = count
    while left > STEPS_BETWEEN_PAUSES:
        pos = _decode_headers(data, pos, STEPS_BETWEEN_PAUSES, end)[1]
        left -= STEPS_BETWEEN_PAUSES
        if pause is not None:
            pause()
    return _decode_headers(data, pos, left, end)[1]
