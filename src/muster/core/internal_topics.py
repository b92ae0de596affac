"""Names of the internal topics, spelled once."""

from __future__ import annotations

from typing import Final

CONSUMER_OFFSETS: Final = "__consumer_offsets"
TRANSACTION_STATE: Final = "__transaction_state"
SHARE_GROUP_STATE: Final = "__share_group_state"
GROUP_JOURNAL: Final = "__group_journal"
CLUSTER_METADATA: Final = "__cluster_metadata"
"""Kafka keeps its metadata log in the data directory under this name. It is not a topic."""
