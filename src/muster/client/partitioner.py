"""Which partition a record goes to: by its key, as Java's producer does it, else in turn. Pure."""

from __future__ import annotations

from typing import Final

_MASK: Final = 0xFFFFFFFF
_SEED: Final = 0x9747B28C
_MULTIPLIER: Final = 0x5BD1E995


def partition_of(key: bytes, partitions: int) -> int:
    """The sign bit is cut off, not negated, as Kafka does it."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2(content: bytes) -> int:
    """The 32-bit MurmurHash2 with Kafka's seed, unsigned."""
    size = len(content)
    value = (_SEED ^ size) & _MASK
    whole = size - size % 4
    for at in range(0, whole, 4):
        word = int.from_bytes(content[at : at + 4], "little")
        word = word * _MULTIPLIER & _MASK
        word ^= word >> 24
        word = word * _MULTIPLIER & _MASK
        value = (value * _MULTIPLIER & _MASK) ^ word
    if size % 4:
        value ^= int.from_bytes(content[whole:], "little")
        value = value * _MULTIPLIER & _MASK
    value ^= value >> 13
    value = value * _MULTIPLIER & _MASK
    return value ^ value >> 15
