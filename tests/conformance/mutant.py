"""Muster with one deliberate fault: `python -m tests.conformance.mutant FAULT serve ...`.

Proves that the comparison sees faults (test_mutations). Each one is small and of the kind that a hurried change makes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from muster.cli.main import main
from muster.core.classic import heartbeat, rebalance
from muster.core.transactions import end_transaction
from muster.core.transactions.replies import EndTransactionReply
from muster.log.group_value import encode_group_value
from muster.runtime.runner import ShardRunner
from muster.topics.verifications import Verifications
from muster.wire import errors
from tests.values import replaced


def _put(module: str, name: str, value: object) -> None:
    """In place of what the module has under this name."""
    setattr(import_module(module), name, value)


def _wrong_error_code() -> None:
    """A fenced process is told that it is unknown."""
    _put("muster.wire.errors", "FENCED_INSTANCE_ID", errors.UNKNOWN_MEMBER_ID)


def _heartbeat_hides_the_rebalance() -> None:
    _put("muster.core.classic.heartbeat", "_REJOIN", heartbeat._ALIVE)


def _leader_kept_too_long() -> None:
    """Whoever led goes on leading although it did not join."""
    _put("muster.core.classic.rebalance", "elect_joined_leader", lambda group: True)


def _handed_out_ids_do_not_count() -> None:
    """The join phase does not wait for ids that were handed out."""
    _put("muster.core.classic.rebalance", "complete_if_all_joined", _complete_without_them)


def _complete_without_them(group: Any, turn: Any) -> None:
    if group.state == "PreparingRebalance" and group.window is None and group.awaiting_joins == len(group.members):
        rebalance.complete(group, turn, "all_joined")


def _tie_by_arrival() -> None:
    _put("muster.core.classic.election", "in_hash_order", list)


def _reply_before_the_store() -> None:
    append: Any = ShardRunner._append

    def answer_first(self: ShardRunner, outcome: Any, *rest: Any) -> None:
        self._release(outcome.replies)
        append(self, replaced(outcome, replies=()), *rest)

    ShardRunner._append = answer_first  # type: ignore[method-assign, assignment]


def _metadata_counted_in_bytes() -> None:
    _put("muster.core.offsets.commit", "utf16_length", lambda text: len(text.encode()))


def _generation_not_stored() -> None:
    """The bytes 2 to 6 behind the protocol type are the generation (spec 5.3)."""

    def without_generation(group: Any) -> bytes:
        value = encode_group_value(group)
        at = 4 + int.from_bytes(value[2:4], "big")
        return value[:at] + bytes(4) + value[at + 4 :]

    _put("muster.log.record_codec", "encode_group_value", without_generation)


def _transaction_ends_at_its_own_epoch() -> None:
    """In the newer protocol, where the epoch tells late batches from those of the next transaction."""

    def end_as_before(transaction: Any, request: Any, builder: Any) -> EndTransactionReply:
        return EndTransactionReply(end_transaction._end(transaction, request, builder))

    _put("muster.core.transactions.end_transaction", "_end_with_raised_epoch", end_as_before)


def _aborted_transactions_not_told() -> None:
    _put("muster.server.handlers.fetch", "_aborted", lambda read: [])


def _first_batch_by_arrival() -> None:
    """The first batch of a transaction does not wait for one that belongs before it."""
    _put("muster.topics.producers", "Verifications", _NoVerifications)


class _NoVerifications(Verifications):
    def check(self, header: Any, is_known: bool) -> None:
        pass


def _transaction_version_not_stored() -> None:
    """As a tag that nobody reads: no answer shows it, the record does."""
    _put("muster.log.transaction_value", "_CLIENT_VERSION_TAG", 9)


FAULTS: Final[dict[str, tuple[Callable[[], None], str]]] = {
    "wrong-error-code": (_wrong_error_code, "static_members-T084"),
    "heartbeat-hides-the-rebalance": (_heartbeat_hides_the_rebalance, "heartbeat-T113"),
    "leader-kept-too-long": (_leader_kept_too_long, "static_members-T072"),
    "handed-out-ids-do-not-count": (_handed_out_ids_do_not_count, "join-T041"),
    "tie-by-arrival": (_tie_by_arrival, "join-T076"),
    "reply-before-the-store": (_reply_before_the_store, "offset_commit-13.14"),
    "metadata-counted-in-bytes": (_metadata_counted_in_bytes, "offset_commit-T160"),
    "generation-not-stored": (_generation_not_stored, "leave-T124"),
    "transaction-ends-at-its-own-epoch": (_transaction_ends_at_its_own_epoch, "txn_races-X6"),
    "aborted-transactions-not-told": (_aborted_transactions_not_told, "txn_read-R2"),
    "first-batch-by-arrival": (_first_batch_by_arrival, "txn_produce-P6d"),
    "transaction-version-not-stored": (_transaction_version_not_stored, "txn_partitions-A15"),
}
"""fault -> (how it is put in, the scenario that must see it)"""

if __name__ == "__main__":
    FAULTS[sys.argv[1]][0]()
    sys.exit(main(sys.argv[2:]))
