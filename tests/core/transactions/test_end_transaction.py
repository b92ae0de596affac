"""Transactions from their first partition to their last marker (spec 14.1, 14.2)."""

from __future__ import annotations

import pytest

from muster.core.transactions.config import COMPLETION_RETRY_MS, TransactionConfig
from muster.core.transactions.outcome import MarkerOrder
from muster.core.transactions.records import TopicPartitions, TransactionStored
from muster.core.transactions.replies import EndTransactionReply
from muster.core.transactions.requests import AddPartitions, EndTransaction
from muster.core.transactions.states import TransactionState
from muster.wire import errors
from tests.core.transactions.transaction_world import (
    FIRST_PRODUCER_ID,
    ORDERS,
    PAYMENTS,
    START_MS,
    TIMEOUT_MS,
    TransactionWorld,
    stored,
)
from tests.values import replaced

PID = FIRST_PRODUCER_ID
BOTH = (("orders", (0, 1)), ("payments", (0,)))
TIMER = ("transaction", "t")


def test_the_records_of_a_transaction_at_the_producers_own_epoch() -> None:
    """Spec 14.2: every record in full, as Kafka 4.3.1 writes them for EndTxn v0-4."""
    world = TransactionWorld(keeps_markers=True)
    world.init()
    world.now_ms += 10
    world.add(PID, 0)
    world.now_ms += 10
    world.add(PID, 0, PAYMENTS)
    world.now_ms += 10
    assert world.end(PID, 0, commit=True).reply == EndTransactionReply(errors.NONE)
    world.now_ms += 10
    assert world.orders == [MarkerOrder("t", PID, 0, True, BOTH, 0)]
    world.write_markers()

    def record(state: TransactionState, topics: tuple[TopicPartitions, ...], after_ms: int) -> TransactionStored:
        return TransactionStored(
            "t", PID, 0, TIMEOUT_MS, state, topics, START_MS + after_ms, START_MS + 10, previous_producer_id=PID
        )

    assert world.log[1:] == [
        record(TransactionState.ONGOING, ORDERS, 10),
        record(TransactionState.ONGOING, BOTH, 20),
        record(TransactionState.PREPARE_COMMIT, BOTH, 30),
        record(TransactionState.COMPLETE_COMMIT, (), 40),
    ]


def test_the_next_transaction_has_its_own_start_and_partitions() -> None:
    world = TransactionWorld(log=[stored(TransactionState.COMPLETE_COMMIT)])
    world.now_ms += 500
    world.add(7, 5, PAYMENTS)
    assert world.describe().start_timestamp_ms == START_MS + 500
    assert world.describe().topics == PAYMENTS


def test_an_end_at_version_2_raises_the_epoch_and_tells_it() -> None:
    """Spec 14.2: the marker carries epoch+1; tag 2 is 2 after protocol 2."""
    world = TransactionWorld()
    world.init()
    world.add(PID, 0, raises_epoch=True)
    assert world.end(PID, 0, commit=True, raises_epoch=True).reply == EndTransactionReply(errors.NONE, PID, 1)
    assert world.markers == [MarkerOrder("t", PID, 1, True, ORDERS, 2)]
    assert world.written() == [
        ("Empty", PID, 0),
        ("Ongoing", PID, 0),
        ("PrepareCommit", PID, 1),
        ("CompleteCommit", PID, 1),
    ]
    assert [record.client_transaction_version for record in world.log if isinstance(record, TransactionStored)] == [
        0,
        2,
        2,
        2,
    ]
    assert world.end(PID, 0, commit=True, raises_epoch=True).reply == EndTransactionReply(errors.NONE, PID, 1)
    assert world.add(PID, 0).reply.error == errors.PRODUCER_FENCED
    assert world.add(PID, 1).reply.error == errors.NONE


def test_the_last_epochs_at_version_2() -> None:
    """Spec 14.1: an EndTxn v5 marker may use 32767, the log then names the next id; the records are those of a real Kafka."""
    world = TransactionWorld(log=[stored(TransactionState.ONGOING, epoch=32766, raises_epoch=True)], keeps_markers=True)
    first = world.end(7, 32766, commit=True, raises_epoch=True)
    assert first.reply == EndTransactionReply(errors.NONE, PID, 0)
    prepared = world.transaction.stored
    assert (prepared.producer_epoch, prepared.next_producer_id) == (32767, PID)
    # The producer goes on with the id it was told, which is not in use before the markers are written.
    assert world.add(PID, 0).reply.error == errors.CONCURRENT_TRANSACTIONS
    assert world.end(PID, 0, commit=False, raises_epoch=True).reply.error == errors.CONCURRENT_TRANSACTIONS
    world.write_markers()
    completed = world.transaction.stored
    assert (completed.producer_id, completed.producer_epoch) == (PID, 0)
    assert (completed.previous_producer_id, completed.next_producer_id) == (7, -1)
    assert world.end(7, 32766, commit=True, raises_epoch=True).reply == first.reply
    assert world.end(7, 32766, commit=False, raises_epoch=True).reply.error == errors.INVALID_TXN_STATE
    world.add(PID, 0)
    assert world.end(7, 32766, commit=True, raises_epoch=True).reply.error == errors.INVALID_PRODUCER_ID_MAPPING


def test_a_repeated_end_at_version_2_after_an_end_at_the_own_epoch() -> None:
    """Spec 14.1: NONE and the current epoch, also if the end was v4's."""
    world = TransactionWorld(log=[stored(TransactionState.COMPLETE_COMMIT)])
    assert world.end(7, 4, commit=True, raises_epoch=True).reply == EndTransactionReply(errors.NONE, 7, 5)


def test_an_abort_of_nothing_at_version_2_begins_and_ends() -> None:
    """Spec 14.1: EndTxn v5 with nothing open: NONE and a bump, PrepareAbort and CompleteAbort in the log. No markers."""
    world = TransactionWorld(log=[stored(TransactionState.EMPTY)])
    world.now_ms += 100
    assert world.end(7, 5, commit=False, raises_epoch=True).reply == EndTransactionReply(errors.NONE, 7, 6)
    assert world.written()[1:] == [("PrepareAbort", 7, 6), ("CompleteAbort", 7, 6)]
    assert world.transaction.stored.start_timestamp_ms == START_MS + 100
    assert world.markers == []


def test_a_transaction_without_partitions_ends_without_markers() -> None:
    """Spec 14.1: AddPartitionsToTxn without topics begins a transaction."""
    world = TransactionWorld(log=[stored(TransactionState.EMPTY)])
    world.add(7, 5, ())
    world.end(7, 5, commit=True)
    assert world.written()[1:] == [("Ongoing", 7, 5), ("PrepareCommit", 7, 5), ("CompleteCommit", 7, 5)]


def test_the_answer_comes_when_the_decision_is_durable_and_the_markers_after_it() -> None:
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)], keeps_markers=True)
    world.hold()
    call = world.end(7, 5, commit=True)
    assert call.waiting
    assert not world.orders
    world.settle()
    assert call.reply.error == errors.NONE
    assert world.orders
    assert world.state() == TransactionState.PREPARE_COMMIT


def test_markers_are_reported_bit_by_bit() -> None:
    world = TransactionWorld(log=[stored(TransactionState.PREPARE_COMMIT, topics=BOTH)], keeps_markers=True)
    (order,) = world.orders
    world.report(order, (("orders", (1,)),))
    assert world.describe().topics == (("orders", (0,)), ("payments", (0,)))
    world.report(order, (("orders", (1, 0)),))
    assert world.state() == TransactionState.PREPARE_COMMIT
    world.report(order, PAYMENTS)
    assert world.state() == TransactionState.COMPLETE_COMMIT
    world.report(order, BOTH)
    assert len(world.log) == 2


@pytest.mark.parametrize(
    "change", [{"producer_epoch": 4}, {"producer_id": 8}, {"commit": False}, {"transactional_id": "unknown"}]
)
def test_markers_of_another_transaction_are_ignored(change: dict[str, object]) -> None:
    world = TransactionWorld(log=[stored(TransactionState.PREPARE_COMMIT)], keeps_markers=True)
    (order,) = world.orders
    world.report(replaced(order, **change), order.topics)
    assert world.state() == TransactionState.PREPARE_COMMIT
    assert world.transaction.unmarked == ORDERS


def test_verification_answers_for_each_partition() -> None:
    """Spec 14.1: `verify_only` of a partition that was not added is TRANSACTION_ABORTABLE."""
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)])
    asked = (("payments", (0,)), ("orders", (0, 7, 1)))
    reply = world.add(7, 5, asked, verify_only=True).reply
    assert reply.listed(4) == [errors.TRANSACTION_ABORTABLE, errors.NONE, errors.TRANSACTION_ABORTABLE, errors.NONE]


def test_how_a_wrong_epoch_is_told_depends_on_what_the_client_knows() -> None:
    """Spec 14.1: v0-1 INVALID_PRODUCER_EPOCH; v2+ PRODUCER_FENCED."""
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)])
    old = errors.INVALID_PRODUCER_EPOCH
    requests = (
        AddPartitions("t", 7, 4, ORDERS, fenced_error=old),
        AddPartitions("t", 7, 4, ORDERS, verify_only=True, fenced_error=old),
        EndTransaction("t", 7, 6, True, False, old),
        EndTransaction("t", 7, 6, True, True, old),
    )
    assert [world.ask(request).reply.error for request in requests] == [old] * 4  # type: ignore[attr-defined]


# -- timeouts


def test_a_transaction_that_is_open_for_too_long_is_aborted_with_a_raised_epoch() -> None:
    """Spec 14.2: the epoch is bumped once; a KIP-360 InitProducerId with the old epoch succeeds afterwards."""
    world = TransactionWorld()
    world.init()
    world.add(PID, 0)
    world.advance(TIMEOUT_MS - 1)
    assert world.state() == TransactionState.ONGOING
    world.advance(1)
    assert world.written()[2:] == [("PrepareAbort", PID, 1), ("CompleteAbort", PID, 1)]
    assert world.markers == [MarkerOrder("t", PID, 1, False, ORDERS, 2)]
    assert world.transaction.stored.client_transaction_version == 2
    assert world.end(PID, 0, commit=True).reply.error == errors.PRODUCER_FENCED
    assert world.end(PID, 0, commit=False, raises_epoch=True).reply == EndTransactionReply(errors.NONE, PID, 1)
    reply = world.init(PID, 0).reply
    assert (reply.error, reply.producer_id, reply.producer_epoch) == (errors.NONE, PID, 1)


def test_adding_partitions_does_not_prolong_a_transaction() -> None:
    """Spec 14.2."""
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)])
    world.advance(TIMEOUT_MS - 1)
    world.add(7, 5, PAYMENTS)
    world.advance(1)
    assert world.state() == TransactionState.COMPLETE_ABORT


def test_a_transaction_that_was_ended_does_not_time_out() -> None:
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)], keeps_markers=True)
    world.end(7, 5, commit=True)
    assert TIMER not in world.timers


def test_a_timeout_that_cannot_be_stored_is_tried_again() -> None:
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)])
    world.hold()
    world.advance(TIMEOUT_MS)
    world.release(errors.NOT_ENOUGH_REPLICAS)
    assert world.timers[TIMER] == world.now_ms + TransactionConfig().abort_timed_out_interval_ms
    world.advance(TransactionConfig().abort_timed_out_interval_ms)
    assert world.written()[1:] == [("PrepareAbort", 7, 6), ("CompleteAbort", 7, 6)]


def test_a_timeout_at_the_last_epoch_waits_for_a_producer_id() -> None:
    world = TransactionWorld(log=[stored(TransactionState.ONGOING, epoch=32766)])
    world.has_producer_ids = False
    world.advance(TIMEOUT_MS)
    assert world.state() == TransactionState.ONGOING
    world.has_producer_ids = True
    world.advance(TransactionConfig().abort_timed_out_interval_ms)
    assert world.written()[1:] == [("PrepareAbort", 7, 32767), ("CompleteAbort", PID, 0)]


# -- appends that fail, or take long


@pytest.mark.parametrize("raises_epoch", [False, True])
def test_an_end_that_cannot_be_stored_has_not_happened(raises_epoch: bool) -> None:
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)])
    world.hold()
    call = world.end(7, 5, commit=True, raises_epoch=raises_epoch)
    world.release(errors.KAFKA_STORAGE_ERROR)
    assert call.reply == EndTransactionReply(errors.NOT_COORDINATOR)
    assert world.state() == TransactionState.ONGOING
    assert not world.markers
    assert world.timers[TIMER] == START_MS + TIMEOUT_MS
    assert world.end(7, 5, commit=False, raises_epoch=raises_epoch).reply.error == errors.NONE


def test_a_completion_that_cannot_be_stored_is_tried_again() -> None:
    world = TransactionWorld(log=[stored(TransactionState.PREPARE_COMMIT)], keeps_markers=True)
    world.hold()
    world.write_markers()
    world.release(errors.REQUEST_TIMED_OUT)
    assert world.state() == TransactionState.PREPARE_COMMIT
    world.advance(COMPLETION_RETRY_MS)
    assert world.state() == TransactionState.COMPLETE_COMMIT


def test_slow_storage_an_end_that_nobody_waits_for_still_counts() -> None:
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)], keeps_markers=True)
    world.hold()
    call = world.end(7, 5, commit=True)
    world.overdue()
    assert call.reply == EndTransactionReply(errors.COORDINATOR_NOT_AVAILABLE)
    world.settle()
    assert world.state() == TransactionState.PREPARE_COMMIT
    assert world.orders


def test_partitions_that_cannot_be_stored_are_not_in_the_transaction() -> None:
    world = TransactionWorld(log=[stored(TransactionState.EMPTY)])
    world.hold()
    call = world.add(7, 5)
    world.release(errors.MESSAGE_TOO_LARGE)
    assert call.reply.error == errors.UNKNOWN_SERVER_ERROR
    assert world.state() == TransactionState.EMPTY
    assert TIMER not in world.timers
