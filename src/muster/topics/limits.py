"""Everything has a limit: those of the topics room, in one place."""

from __future__ import annotations

from typing import Final

MAX_TOPIC_NAME_LENGTH: Final = 249
"""Kafka's: a directory name of 255 less the dash and a five-digit partition."""

MAX_PARTITIONS_PER_REQUEST: Final = 10_000
"""Kafka's controller refuses to make more at once."""

MAX_PARTITIONS: Final = 100_000
"""Logs on this node; each costs memory and a directory."""

MAX_PRODUCERS_PER_PARTITION: Final = 50_000
"""Idempotent producers remembered; past it the one that wrote longest ago is forgotten."""

MAX_REFUSED_PRODUCERS: Final = 10_000
"""Producers whose refused batches are remembered on this node; past it the oldest are forgotten."""

PRODUCER_ID_BLOCK: Final = 1_000
"""Producer ids reserved with one durable write; a crash skips what is left of the block."""

UNPACKED_TIMES_PACKED: Final = 32
"""A packed batch may unpack to so many times max.message.bytes: 32 MiB with the default. Kafka has no such limit."""

LEAST_UNPACKED_LIMIT_BYTES: Final = 16 * 1024 * 1024
"""But always to this much, however small max.message.bytes is."""

RECORDS_IN_LOOP: Final = 20_000
"""Records of one Produce request that are checked between two events of the loop, some milliseconds; more are checked in a
thread."""

BYTES_IN_LOOP: Final = 2 * 1024 * 1024
"""The same in bytes, packed and unpacked."""

SLICES_IN_LOOP: Final = 4
"""The same in pauses, for records with very many headers."""
