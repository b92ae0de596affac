"""Numbers of Kafka's protocol that stand for something else, spelled once: special times, isolation, markers, "there is none"."""

from __future__ import annotations

from typing import Final

LATEST: Final = -1
EARLIEST: Final = -2
MAX_TIMESTAMP: Final = -3
EARLIEST_LOCAL: Final = -4
LATEST_TIERED: Final = -5
"""Down to here: what ListOffsets takes in place of a time."""
MAX_TIMESTAMP_SINCE: Final = 7
"""KIP-734: ListOffsets answers for the largest timestamp since this version."""

READ_UNCOMMITTED: Final = 0
READ_COMMITTED: Final = 1
"""Isolation: `LATEST` is then the last stable offset, before which every transaction is decided."""
ABORT_MARKER: Final = 0
COMMIT_MARKER: Final = 1
"""The type of a control record, in its key: how the transaction ended."""

MATCH_EXACT: Final = 0
MATCH_DEFAULT: Final = 1
MATCH_ANY_NAME: Final = 2
"""How DescribeClientQuotas compares the name of an entity."""

NO_GENERATION: Final = -1
NO_EXPIRY: Final = -1
"""Of a committed offset: it has no expire timestamp of its own."""
NO_SEQUENCE: Final = -1

TOPIC_ID_BYTES: Final = 16
NO_TOPIC_ID: Final = bytes(16)
