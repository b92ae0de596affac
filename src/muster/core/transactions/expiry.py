"""Transactional ids that nobody has used for `transactional.id.expiration.ms` are forgotten: each gets a tombstone."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from muster.core.contract import TimerKey
from muster.core.transactions.outcome_builder import TransactionOutcomeBuilder
from muster.core.transactions.transaction import Transaction
from muster.core.transactions.transitions import NOTHING_OPEN

EXPIRE_TIMER: Final[TimerKey] = ("expire",)

MAX_TOMBSTONES: Final = 1_000
"""In one outcome, which is one batch in the log. The rest follows at once."""


def expire_transactional_ids(
    transactions: dict[str, Transaction], in_flight: Container[str], builder: TransactionOutcomeBuilder
) -> None:
    """`in_flight`: ids with a record on its way to the log, by which they may have been used."""
    unused_since_ms = builder.now_ms - builder.config.transactional_id_expiration_ms
    for transactional_id, transaction in transactions.items():
        if (
            transaction.state in NOTHING_OPEN
            and transaction.stored.update_timestamp_ms <= unused_since_ms
            and transactional_id not in in_flight
        ):
            if len(builder.records) == MAX_TOMBSTONES:
                builder.set_timer(EXPIRE_TIMER, builder.now_ms)
                return
            builder.erase(transactional_id)
    builder.set_timer(EXPIRE_TIMER, builder.now_ms + builder.config.remove_expired_interval_ms)
