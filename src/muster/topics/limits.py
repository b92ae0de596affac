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

PRODUCER_ID_BLOCK: Final = 1_000
"""Producer ids reserved with one durable write; a crash skips what is left of the block."""
