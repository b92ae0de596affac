"""Java's hash codes and the order of its hash maps.

They decide which coordinator partition a group lives in, how tied protocol votes end, and in which order the server-side assignors
visit members, topics and partitions. Knows nothing of groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

Key = TypeVar("Key", str, bytes, int)

_MASK_32 = 0xFFFFFFFF
_MIN_INT = -0x80000000
_SMALLEST_TABLE = 16
_REMEMBERED_GROUPS = 65_536
"""Every request asks for its group's partition; hashing a name of 30 characters anew would cost 3 µs each time."""


def java_hash(text: str) -> int:
    """`String.hashCode`: over UTF-16 code units, so that one character outside the BMP counts as two (T003)."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = 0
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (low | high << 8)) & _MASK_32
    return value - 0x100000000 if value > 0x7FFFFFFF else value


@lru_cache(maxsize=_REMEMBERED_GROUPS)
def partition_for(group_id: str, partitions: int) -> int:
    """The partition of `__consumer_offsets` that holds a group. Kafka's `abs` makes 0 of the smallest int (T002)."""
    value = java_hash(group_id)
    return 0 if value == _MIN_INT else abs(value) % partitions


def uuid_hash(uuid: bytes) -> int:
    """The hash code of Kafka's Uuid: the four words of its 16 bytes, xor."""
    value = 0
    for at in range(0, 16, 4):
        value ^= int.from_bytes(uuid[at : at + 4], "big")
    return value


def in_hash_order(names: Iterable[str]) -> list[str]:
    """The names as a Java hash map iterates them (spec 3.8): by bucket, and inside one as they were put in."""
    return _by_bucket(list(dict.fromkeys(names)), java_hash)


def uuids_in_hash_order(uuids: Iterable[bytes]) -> list[bytes]:
    """The same for a map whose keys are Uuids, which were put in in ascending order."""
    return _by_bucket(sorted(uuids), uuid_hash)


def copied_uuids_in_hash_order(uuids: Iterable[bytes]) -> list[bytes]:
    """The same for a HashSet that was made from another collection: its table may be larger."""
    ascending = sorted(uuids)
    return _by_bucket(ascending, uuid_hash, _copied_table(len(ascending)))


def copied_numbers_in_hash_order(numbers: Iterable[int]) -> list[int]:
    """The same for Integers."""
    ascending = sorted(numbers)
    return _by_bucket(ascending, int, _copied_table(len(ascending)))


def _by_bucket(keys: list[Key], hash_code: Callable[[Key], int], table: int = _SMALLEST_TABLE) -> list[Key]:
    """`table` is the number of buckets before anything was put in; it doubles when three quarters are exceeded."""
    while len(keys) * 4 > table * 3:
        table *= 2
    return sorted(keys, key=lambda key: _spread(hash_code(key)) % table)


def _copied_table(count: int) -> int:
    """Room for the elements and one more: 12 elements get 32 buckets, where filling one by one ends with 16."""
    wanted = max(int(count / 0.75) + 1, _SMALLEST_TABLE)
    return 1 << (wanted - 1).bit_length()


def _spread(value: int) -> int:
    unsigned = value & _MASK_32
    return unsigned ^ (unsigned >> 16)
