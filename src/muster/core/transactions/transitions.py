"""Every move between the states of a transaction. Read this file first.

Theory. A transactional id owns a producer id and an epoch. A producer with an older epoch is fenced. A transaction ends in two
steps, so that a crash in between loses nothing:

    Prepare*   the decision is durable: from here on it cannot change. Markers go to the partitions, again if one fails.
    Complete*  every partition has its marker. The next transaction may begin.

    Empty ──> Ongoing ──> PrepareCommit ──> CompleteCommit
      │          │                               │
      │          ├──────> PrepareAbort ───> CompleteAbort
      └──────────┘             ^                 │
                               └─────────────────┘  (an abort of nothing, KIP-890)

From `Complete*` the next transaction begins like from `Empty`; an InitProducerId makes it `Empty` again. What Kafka calls
`PrepareEpochFence` is the moment in which it raises the epoch of an open transaction before it aborts it: it is never written, and
here both happen in one record. `Dead` is an id that has expired: a tombstone is written, and no record says so.
"""

from __future__ import annotations

from typing import Final

from muster.core.transactions.states import TransactionState

EMPTY: Final = TransactionState.EMPTY
ONGOING: Final = TransactionState.ONGOING
PREPARE_COMMIT: Final = TransactionState.PREPARE_COMMIT
PREPARE_ABORT: Final = TransactionState.PREPARE_ABORT
COMPLETE_COMMIT: Final = TransactionState.COMPLETE_COMMIT
COMPLETE_ABORT: Final = TransactionState.COMPLETE_ABORT

PREVIOUS_STATES: Final[dict[TransactionState, dict[TransactionState, str]]] = {
    EMPTY: {
        EMPTY: "InitProducerId again",
        COMPLETE_COMMIT: "InitProducerId after a commit",
        COMPLETE_ABORT: "InitProducerId after an abort",
    },
    ONGOING: {
        ONGOING: "more partitions were added",
        EMPTY: "the first partitions were added",
        COMPLETE_COMMIT: "the first partitions after a commit were added",
        COMPLETE_ABORT: "the first partitions after an abort were added",
    },
    PREPARE_COMMIT: {ONGOING: "EndTxn, to commit"},
    PREPARE_ABORT: {
        ONGOING: "EndTxn, to abort; InitProducerId of another producer; or the transaction timed out",
        EMPTY: "EndTxn, to abort, of a producer that does not know whether it has begun (KIP-890)",
        COMPLETE_COMMIT: "the same after a commit",
        COMPLETE_ABORT: "the same after an abort",
    },
    COMPLETE_COMMIT: {PREPARE_COMMIT: "every partition has its marker"},
    COMPLETE_ABORT: {PREPARE_ABORT: "every partition has its marker"},
}
"""For each state those that it can be entered from, and when that happens. A pair that is not here is a bug."""

NOTHING_OPEN: Final = frozenset({EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT})
"""A transaction can begin, and the transactional id can expire."""

PREPARED: Final = {PREPARE_COMMIT: COMPLETE_COMMIT, PREPARE_ABORT: COMPLETE_ABORT}
"""The decision is durable, and the markers are being written; then follows the state on the right."""


def check_transition(before: TransactionState, after: TransactionState) -> None:
    """Broken invariants end the shard (law 5). Not for `replay`: in a compacted log states are missing."""
    assert before in PREVIOUS_STATES.get(after, {}), f"a transaction cannot go from {before} to {after}"
