"""The keys of coordinator records: their types, all at once, and the group and topic of offset keys.

An offset's key is group, topic and partition; all but the partition repeats from record to record, so that part is made distinct by
Arrow first and read once for each distinct value. Knows key layouts (spec 5.1); values are `offset_values`' and others' business.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from struct import Struct
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muster.core.hashing import partition_for

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

GROUP_TYPE: Final = 2
NO_TYPE: Final = -32_768
"""For keys that are null or shorter than a type."""
_PARTITION_BYTES: Final = 4
_REMEMBERED_PREFIXES: Final = 262_144
_I16 = Struct(">h")


class KeyProblem(Exception):
    """A key that cannot be read: says what is wrong."""


def binary_parts(array: pa.Array) -> tuple[Numbers, Numbers]:
    """Offsets (one more than rows) and bytes of a binary array, without copying. Nulls have no bytes."""
    _, offsets, content = array.buffers()
    places = np.frombuffer(offsets, dtype=np.int32, count=len(array) + 1, offset=4 * array.offset)
    octets = np.frombuffer(content, dtype=np.uint8) if content is not None else np.empty(0, dtype=np.uint8)
    return places, octets


def key_types(keys: pa.Array) -> Numbers:
    """The record type of each key."""
    places, octets = binary_parts(keys)
    sizes = np.diff(places)
    begin = places[:-1]
    types = np.full(len(keys), NO_TYPE, dtype=np.int32)
    if len(octets):
        high = np.take(octets, begin, mode="clip").astype(np.int32)
        low = np.take(octets, begin + 1, mode="clip").astype(np.int32)
        known = (high << 8 | low).astype(np.uint16).astype(np.int16)
        types = np.where(sizes >= 2, known, types)
    return types


@dataclass(slots=True)
class OffsetKeys:
    """Group, topic and partition of each row; rows whose key is unsound are in `problems` and have nulls."""

    groups: pa.Array
    topics: pa.Array
    partitions: Numbers
    problems: dict[int, str]


def read_offset_keys(keys: pa.Array, log_partition: int | None, partition_count: int | None) -> OffsetKeys:
    """Read keys of types 0 and 1. With a partition count, groups that belong into another log partition are a problem."""
    places, octets = binary_parts(keys)
    ends = places[1:].astype(np.int64)
    sizes = np.diff(places)
    partitions = _partitions(octets, ends)
    prefixes = pc.binary_slice(keys, 0, -_PARTITION_BYTES).dictionary_encode()
    distinct: list[bytes] = prefixes.dictionary.to_pylist()
    which = np.asarray(prefixes.indices)
    groups: list[str | None] = []
    topics: list[str | None] = []
    faults: dict[int, str] = {}
    for index, prefix in enumerate(distinct):
        try:
            group, topic = group_and_topic(prefix)
            refuse_misplaced(group, log_partition, partition_count)
        except KeyProblem as problem:
            faults[index] = str(problem)
            groups.append(None)
            topics.append(None)
        else:
            groups.append(group)
            topics.append(topic)
    problems: dict[int, str] = {}
    for index, reason in faults.items():
        problems.update((row, reason) for row in np.flatnonzero(which == index).tolist())
    for row in np.flatnonzero(sizes < 2 + 2 + 2 + _PARTITION_BYTES).tolist():
        problems[row] = f"an offset key of {int(sizes[row])} bytes is too short"
    indices = prefixes.indices
    return OffsetKeys(
        pa.array(groups, pa.string()).take(indices), pa.array(topics, pa.string()).take(indices), partitions, problems
    )


def _partitions(octets: Numbers, ends: Numbers) -> Numbers:
    number = np.zeros(len(ends), dtype=np.int32)
    if len(octets):
        for back in (4, 3, 2, 1):
            number = number << 8 | np.take(octets, ends - back, mode="clip").astype(np.int32)
    return number


@lru_cache(maxsize=_REMEMBERED_PREFIXES)
def group_and_topic(prefix: bytes) -> tuple[str, str]:
    """What an offset key says before its partition. As Kafka reads strings: bytes that are not UTF-8 become U+FFFD."""
    group, at = _string(prefix, 2, "group id")
    topic, at = _string(prefix, at, "topic")
    if at != len(prefix):
        raise KeyProblem(f"the key of an offset has {len(prefix) - at} bytes too many")
    return group, topic


@lru_cache(maxsize=_REMEMBERED_PREFIXES)
def group_and_member(key: bytes) -> tuple[str, str | None]:
    """The strings of a key of any other type: the group id, and a second one if there is one (a member id)."""
    group, at = _string(key, 2, "group id")
    if at == len(key):
        return group, None
    member, at = _string(key, at, "member id")
    return group, member


def _string(key: bytes, at: int, field: str) -> tuple[str, int]:
    if at + 2 > len(key):
        raise KeyProblem(f"the key ends before its {field}")
    (size,) = _I16.unpack_from(key, at)
    at += 2
    if size < 0 or at + size > len(key):
        raise KeyProblem(f"the {field} in the key needs {size} bytes, {len(key) - at} are left")
    return key[at : at + size].decode("utf-8", "replace"), at + size


def refuse_misplaced(group: str, log_partition: int | None, partition_count: int | None) -> None:
    """Trap 26: after a change of the number of partitions old copies stay behind where nobody looks for them."""
    if partition_count and log_partition is not None:
        home = partition_for(group, partition_count)
        if home != log_partition:
            raise KeyProblem(
                f"misplaced: group {group!r} belongs into partition {home} of {partition_count}, not {log_partition}"
            )
