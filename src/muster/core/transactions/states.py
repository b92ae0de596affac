"""The states of a transaction.

Known to the records of `__transaction_state`, in which a state is a number (`muster.log.transaction_value`), and to clients, who
see these words.
"""

from __future__ import annotations

from enum import StrEnum


class TransactionState(StrEnum):
    """The values are the words that DescribeTransactions and ListTransactions show, and by which the latter filters."""

    EMPTY = "Empty"
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    COMPLETE_ABORT = "CompleteAbort"
    DEAD = "Dead"
    PREPARE_EPOCH_FENCE = "PrepareEpochFence"

    __hash__ = str.__hash__
    """An enum's own is interpreted, and a transaction looks its state up in tables a dozen times."""
