"""The header of a record batch: fields, checks, patches."""

from __future__ import annotations

import struct

import pytest

from muster.wire.batch import (
    HEADER_SIZE,
    BatchHeader,
    CorruptBatch,
    Record,
    check_crc,
    decode_records,
    encode_batch,
    iterate_batches,
    parse_header,
    with_max_timestamp,
    with_offset_and_epoch,
)

RECORDS = [Record(0, 100, b"a", b"1"), Record(1, 130, b"b", b"2"), Record(2, 110, b"c", b"3")]
BATCH = encode_batch(RECORDS, producer_id=77, producer_epoch=3, base_sequence=9, leader_epoch=4, transactional=True)


def test_every_field_is_read_where_kafka_puts_it() -> None:
    header = parse_header(BATCH)
    assert header == BatchHeader(
        base_offset=0,
        size=len(BATCH),
        partition_leader_epoch=4,
        crc=struct.unpack_from(">I", BATCH, 17)[0],
        attributes=0x10,
        last_offset_delta=2,
        base_timestamp=100,
        max_timestamp=130,
        producer_id=77,
        producer_epoch=3,
        base_sequence=9,
        record_count=3,
    )
    assert (header.last_offset, header.next_offset, header.last_sequence) == (2, 3, 11)
    assert (header.is_transactional, header.is_control, header.is_log_append_time) == (True, False, False)


def test_golden_bytes_of_one_small_batch() -> None:
    """Laid out by hand from the protocol's description, so that writer and reader cannot agree on a mistake."""
    checked = bytes.fromhex(
        "0000 00000000 00000000000003e8 00000000000003e8 ffffffffffffffff ffff ffffffff 00000001"
        " 10 00 00 00 02 6b 02 76 00"
    )
    expected = (
        bytes.fromhex("0000000000000005 0000003a 00000001 02") + struct.pack(">I", slow_crc32c(checked)) + checked
    )
    assert encode_batch([Record(5, 1_000, b"k", b"v")], leader_epoch=1) == expected


def slow_crc32c(content: bytes) -> int:
    """Castagnoli's polynomial, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_the_checksum_is_castagnolis() -> None:
    """RFC 3720, appendix B.4: the check value of 32 zero bytes, and of the usual nine digits."""
    assert slow_crc32c(bytes(32)) == 0x8A9136AA
    assert slow_crc32c(b"123456789") == 0xE3069283


def test_sequences_wrap_after_the_largest() -> None:
    batch = encode_batch(RECORDS, producer_id=1, producer_epoch=0, base_sequence=2**31 - 1)
    assert parse_header(batch).last_sequence == 1
    assert parse_header(encode_batch(RECORDS)).last_sequence == -1


def test_a_header_can_be_read_before_its_records_are_there() -> None:
    assert parse_header(BATCH[:HEADER_SIZE]).size == len(BATCH)


@pytest.mark.parametrize("size", range(HEADER_SIZE))
def test_a_header_cut_off_anywhere_is_corrupt(size: int) -> None:
    with pytest.raises(CorruptBatch, match=f"only {size} are left"):
        parse_header(BATCH[:size])


@pytest.mark.parametrize(
    ("position", "content", "problem"),
    [
        (16, b"\x03", "unknown message format 3"),
        (16, b"\xff", "unknown message format -1"),
        (8, struct.pack(">i", 48), "batch length 48"),
        (8, struct.pack(">i", -1), "batch length -1"),
        (23, struct.pack(">i", -2), "last offset delta -2"),
        (57, struct.pack(">i", -1), "record count -1"),
    ],
)
def test_a_header_that_cannot_be_is_corrupt_and_says_where(position: int, content: bytes, problem: str) -> None:
    damaged = BATCH[:position] + content + BATCH[position + len(content) :]
    with pytest.raises(CorruptBatch, match=problem) as caught:
        parse_header(b"?" * 7 + damaged, 7)
    assert caught.value.position == 7 + position


def test_batches_behind_each_other_are_found_with_their_positions() -> None:
    second = encode_batch([Record(3, 1, None, b"x")])
    found = [(position, header.base_offset) for position, header in iterate_batches(BATCH + second)]
    assert found == [(0, 0), (len(BATCH), 3)]
    assert list(iterate_batches(b"")) == []


@pytest.mark.parametrize("missing", [1, 10, 40])
def test_a_cut_off_batch_is_corrupt(missing: int) -> None:
    with pytest.raises(CorruptBatch):
        list(iterate_batches(BATCH + BATCH[:-missing]))
    with pytest.raises(CorruptBatch):
        check_crc(BATCH[:-missing], parse_header(BATCH))


def test_the_checksum_notices_every_flipped_bit_it_covers() -> None:
    for position in range(21, len(BATCH)):
        damaged = bytearray(BATCH)
        damaged[position] ^= 0x10
        with pytest.raises(CorruptBatch, match=r"checksum|negative"):
            check_crc(bytes(damaged), parse_header(bytes(damaged)))


def test_offset_and_epoch_can_be_patched_without_touching_the_checksum() -> None:
    moved = with_offset_and_epoch(BATCH, 1_000_000_000_000, 12)
    header = parse_header(moved)
    check_crc(moved, header)
    assert (header.base_offset, header.partition_leader_epoch) == (1_000_000_000_000, 12)
    assert [record.offset for record in decode_records(moved)] == [10**12, 10**12 + 1, 10**12 + 2]


@pytest.mark.parametrize("size", [1, 65_000, 65_536, 200_000])
def test_a_batch_of_any_size_is_patched_in_offset_and_epoch_alone(size: int) -> None:
    batch = encode_batch([Record(0, 1_000, None, b"x" * size)])
    patched = with_offset_and_epoch(batch, 7, 3)
    assert patched == struct.pack(">q", 7) + batch[8:12] + struct.pack(">i", 3) + batch[16:]


def test_log_append_time_is_every_records_time_and_has_a_new_checksum() -> None:
    stamped = with_max_timestamp(BATCH, 9_999, log_append_time=True)
    header = parse_header(stamped)
    check_crc(stamped, header)
    assert header.is_log_append_time
    assert header.is_transactional
    assert {record.timestamp_ms for record in decode_records(stamped)} == {9_999}
    back = with_max_timestamp(stamped, 130, log_append_time=False)
    assert back == BATCH
