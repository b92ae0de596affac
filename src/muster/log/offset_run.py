"""The tight path of loading: committed offsets as Kafka 4.x and Muster write them, read straight out of a batch's bytes.

Loading a coordinator is reading a million of these; one at a time through `record_codec` takes 4 µs each, here 1 µs. Whatever
does not look exactly as usual (long varints, metadata, another version, a tombstone) ends a run, and the caller reads that
record by the common path. Called by the loader only.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from librt.strings import read_i16_be, read_i32_be, read_i64_be
from mypy_extensions import i64

from muster.core.offsets.run import OffsetRun

GroupTopic: TypeAlias = tuple[str, str]
"""Group and topic."""

_VALUE_BYTES: Final = 42
"""Version (2 bytes), offset (8), leader epoch (4), empty metadata (1), commit timestamp (8), and one tagged field: count, number
and size in a byte each, then the topic id (16)."""
_PARTITION_AND_VALUE_BYTES: Final = 47
"""The end of an offset's key, then the value's length and the value."""
_OFFSET_KEYS: Final = (b"\0\1", b"\0\0")


class RunReader:
    """Keeps what repeats from batch to batch, so that a million offsets share their topics' names and ids."""

    __slots__ = ("_topic_ids", "_topics", "run")

    def __init__(self) -> None:
        self._topics: dict[str, str] = {}
        self._topic_ids: dict[bytes, bytes] = {}
        self.run = OffsetRun()
        """What was read last."""

    def read(
        self, data: bytes, pos: i64, end_of_batch: i64, count: i64, base_offset: i64
    ) -> tuple[i64, GroupTopic | None]:
        """Fill `run` with the usual offsets of one group and topic from `pos` on: where they end, and whose they are.

        `count` is how many records are left, before `end_of_batch`. None are read if the first is not usual.
        """
        run = self.run
        run.clear()
        place: GroupTopic | None = None
        run_prefix = run_id = b""
        try:
            for _ in range(count):
                # Each of these is a varint of one byte or, seldom, two. The last bit is the sign: odd means negative.
                length: i64 = data[pos]
                at: i64 = pos + 1
                if length >= 0x80:
                    more: i64 = data[at]
                    length = length & 0x7F | more << 7
                    at += 1
                end: i64 = at + (length >> 1)
                at += 1  # attributes and timestamp delta; neither is needed, but the latter may take two bytes
                if data[at] >= 0x80:
                    at += 1
                    if data[at] >= 0x80:
                        break
                at += 1
                offset_delta: i64 = data[at]
                if offset_delta >= 0x80:
                    at += 1
                    more = data[at]
                    offset_delta = offset_delta & 0x7F | more << 7
                key_length: i64 = data[at + 1]
                key: i64 = at + 2
                if key_length >= 0x80:
                    more = data[key]
                    key_length = key_length & 0x7F | more << 7
                    key += 1
                key_end: i64 = key + (key_length >> 1)
                # A varint of three bytes, headers or any other value make this sum wrong.
                if (
                    key_end - 4 + _PARTITION_AND_VALUE_BYTES + 1 != end
                    or end > end_of_batch
                    or data[end - 1] != 0
                    or (length | offset_delta | key_length) & 1
                ):
                    break
                if not _is_usual(data, key_end):
                    break
                if run.count == 0:
                    run_prefix, run_id = data[key : key_end - 4], data[key_end + 27 : key_end + 43]
                    place = self._place(run_prefix)
                    if place is None:
                        break
                    run.topic_id = self._topic_id(run_id)
                elif data[key : key_end - 4] != run_prefix or data[key_end + 27 : key_end + 43] != run_id:
                    break
                run.add(
                    i64(read_i32_be(data, key_end - 4)),
                    read_i64_be(data, key_end + 3),
                    i64(read_i32_be(data, key_end + 11)),
                    read_i64_be(data, key_end + 16),
                    base_offset + (offset_delta >> 1),
                )
                pos = end
        except IndexError:
            pass  # the batch ends in the middle of a record: the common path says so
        return pos, place

    def _topic_id(self, raw: bytes) -> bytes | None:
        return self._topic_ids.setdefault(raw, raw) if any(raw) else None

    def _place(self, prefix: bytes) -> GroupTopic | None:
        place = _place(prefix)
        if place is None:
            return None
        group_id, topic = place
        return group_id, self._topics.setdefault(topic, topic)


def _is_usual(data: bytes, at: i64) -> bool:
    """Whether the value whose length is at `at` has the usual version, no metadata, and a topic id."""
    return (
        data[at] == 2 * _VALUE_BYTES
        and read_i16_be(data, at + 1) == 4
        and data[at + 15] == 1
        and data[at + 24] == 1
        and data[at + 25] == 0
        and data[at + 26] == 16
    )


def _place(prefix: bytes) -> GroupTopic | None:
    """Group and topic, if these bytes are an offset key without its last four, the partition. None: ask the common path."""
    if prefix[:2] not in _OFFSET_KEYS:
        return None
    group_end = 4 + int.from_bytes(prefix[2:4], "big")
    topic_start = group_end + 2
    if topic_start + int.from_bytes(prefix[group_end:topic_start], "big") != len(prefix):
        return None
    try:
        return prefix[4:group_end].decode(), prefix[topic_start:].decode()
    except UnicodeDecodeError:
        return None
