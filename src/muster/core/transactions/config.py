"""The settings that decisions about transactions depend on. Kafka's names and defaults; the server reads them from the operator."""

from __future__ import annotations

from typing import Final

from muster.wire.value import Value

TRANSACTION_VERSION: Final = 2
"""The feature level `transaction.version` that this coordinator works at (KIP-890). What it ends by itself ends at this level."""

COMPLETION_RETRY_MS: Final = 1_000
"""Not configurable: how long after a failed append the record that completes a transaction is tried again."""


class TransactionConfig(Value):
    __match_args__ = (
        "max_timeout_ms",
        "transactional_id_expiration_ms",
        "abort_timed_out_interval_ms",
        "remove_expired_interval_ms",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        max_timeout_ms: int = 900_000,
        transactional_id_expiration_ms: int = 604_800_000,
        abort_timed_out_interval_ms: int = 10_000,
        remove_expired_interval_ms: int = 3_600_000,
    ) -> None:
        self.max_timeout_ms = max_timeout_ms
        """`transaction.max.timeout.ms`."""
        self.transactional_id_expiration_ms = transactional_id_expiration_ms
        """`transactional.id.expiration.ms`."""
        self.abort_timed_out_interval_ms = abort_timed_out_interval_ms
        """`transaction.abort.timed.out.transaction.cleanup.interval.ms`. Kafka looks for timed out transactions that often;
        here each has a timer of its own, and this is how soon an abort that could not be stored is tried again."""
        self.remove_expired_interval_ms = remove_expired_interval_ms
        """`transaction.remove.expired.transaction.cleanup.interval.ms`."""
