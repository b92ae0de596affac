"""The settings that decisions depend on. Kafka's names and defaults; the server reads them from the operator (spec 8)."""

from __future__ import annotations

from muster.wire.value import Value

NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000
"""Not configurable in Kafka either: how long a member that was never in a generation may stay parked (spec 3.5)."""


class GroupConfig(Value):
    __match_args__ = (
        "min_session_timeout_ms",
        "max_session_timeout_ms",
        "initial_rebalance_delay_ms",
        "max_size",
        "offset_metadata_max_bytes",
        "offsets_retention_ms",
        "offsets_retention_check_interval_ms",
        "consumer_session_timeout_ms",
        "consumer_heartbeat_interval_ms",
        "consumer_max_size",
        "consumer_assignors",
        "consumer_assignment_interval_ms",
        "consumer_migration_policy",
        "consumer_regex_refresh_interval_ms",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        min_session_timeout_ms: int = 6_000,
        max_session_timeout_ms: int = 1_800_000,
        initial_rebalance_delay_ms: int = 3_000,
        max_size: int = 2_147_483_647,
        offset_metadata_max_bytes: int = 4_096,
        offsets_retention_ms: int = 10_080 * 60_000,
        offsets_retention_check_interval_ms: int = 600_000,
        consumer_session_timeout_ms: int = 45_000,
        consumer_heartbeat_interval_ms: int = 5_000,
        consumer_max_size: int = 2_147_483_647,
        consumer_assignors: tuple[str, ...] = ("uniform", "range"),
        consumer_assignment_interval_ms: int = 1_000,
        consumer_migration_policy: str = "bidirectional",
        consumer_regex_refresh_interval_ms: int = 600_000,
    ) -> None:
        self.min_session_timeout_ms = min_session_timeout_ms
        self.max_session_timeout_ms = max_session_timeout_ms
        self.initial_rebalance_delay_ms = initial_rebalance_delay_ms
        self.max_size = max_size
        self.offset_metadata_max_bytes = offset_metadata_max_bytes
        self.offsets_retention_ms = offsets_retention_ms
        self.offsets_retention_check_interval_ms = offsets_retention_check_interval_ms
        self.consumer_session_timeout_ms = consumer_session_timeout_ms
        self.consumer_heartbeat_interval_ms = consumer_heartbeat_interval_ms
        self.consumer_max_size = consumer_max_size
        self.consumer_assignors = consumer_assignors
        """The first one is the default."""
        self.consumer_assignment_interval_ms = consumer_assignment_interval_ms
        """A target assignment is computed again at the earliest so long after the last one."""
        self.consumer_migration_policy = consumer_migration_policy
        """`bidirectional`, `upgrade`, `downgrade` or `disabled` (spec 7.8)."""
        self.consumer_regex_refresh_interval_ms = consumer_regex_refresh_interval_ms
        """Regular expressions are resolved anew after so long at the latest: what a client may see can have changed."""
