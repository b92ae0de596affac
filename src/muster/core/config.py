"""The settings that decisions depend on. Kafka's names and defaults; the server reads them from the operator (spec 8)."""

from __future__ import annotations

from dataclasses import dataclass

NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000
"""Not configurable in Kafka either: how long a member that was never in a generation may stay parked (spec 3.5)."""


@dataclass(slots=True, frozen=True)
class GroupConfig:
    min_session_timeout_ms: int = 6_000
    max_session_timeout_ms: int = 1_800_000
    initial_rebalance_delay_ms: int = 3_000
    max_size: int = 2_147_483_647
    offset_metadata_max_bytes: int = 4_096
    offsets_retention_ms: int = 10_080 * 60_000
    offsets_retention_check_interval_ms: int = 600_000
