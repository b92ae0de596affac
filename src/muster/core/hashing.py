"""Java's string hash: it decides which coordinator partition a group lives in and how tied protocol votes end.

Knows nothing of groups. Called by the routing of requests to shards and by the election of a protocol.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

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


def in_hash_order(names: Iterable[str]) -> list[str]:
    """The names as a Java hash map iterates them (spec 3.8): by bucket, and inside one as they were put in."""
    distinct = list(dict.fromkeys(names))
    table = _SMALLEST_TABLE
    while len(distinct) * 4 > table * 3:
        table *= 2
    return sorted(distinct, key=lambda name: _spread(java_hash(name)) % table)


def _spread(value: int) -> int:
    unsigned = value & _MASK_32
    return unsigned ^ (unsigned >> 16)
