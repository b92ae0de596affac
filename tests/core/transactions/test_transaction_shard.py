"""Loading, unloading, expiry, and what operators see (spec 14.1)."""

from __future__ import annotations

import pytest

from muster.core.records import UnknownRecord
from muster.core.transactions import expiry
from muster.core.transactions.config import TransactionConfig
from muster.core.transactions.outcome import MarkerOrder
from muster.core.transactions.records import TransactionErased, TransactionRecord
from muster.core.transactions.refusal import after_failed_append, mapped_append_error, refused
from muster.core.transactions.replies import (
    AddPartitionsReply,
    DescribeTransactionReply,
    EndTransactionReply,
    InitProducerIdReply,
    ListedTransaction,
    ListTransactionsReply,
    TransactionReply,
)
from muster.core.transactions.requests import (
    AddPartitions,
    DescribeTransaction,
    EndTransaction,
    InitProducerId,
    ListTransactions,
    TransactionRequest,
)
from muster.core.transactions.states import TransactionState
from muster.wire import errors
from tests.core.transactions.transaction_world import ORDERS, START_MS, TIMEOUT_MS, TransactionWorld, stored
from tests.forms import interpreted_only

EMPTY, ONGOING, COMPLETE = TransactionState.EMPTY, TransactionState.ONGOING, TransactionState.COMPLETE_COMMIT
CONFIG = TransactionConfig(transactional_id_expiration_ms=50_000, remove_expired_interval_ms=10_000)

# -- ownership


@pytest.mark.parametrize("commit", [False, True])
def test_a_decided_transaction_asks_for_its_markers_again_when_it_is_loaded(commit: bool) -> None:
    state = TransactionState.PREPARE_COMMIT if commit else TransactionState.PREPARE_ABORT
    world = TransactionWorld(log=[stored(state, raises_epoch=True)], keeps_markers=True)
    assert world.orders == [MarkerOrder("t", 7, 5, commit, ORDERS, 2)]
    world.write_markers()
    assert world.state() == (TransactionState.COMPLETE_COMMIT if commit else TransactionState.COMPLETE_ABORT)


def test_decided_transactions_without_partitions_are_completed_when_they_are_loaded() -> None:
    names = ("a", "b", "c")
    world = TransactionWorld(
        log=[stored(TransactionState.PREPARE_ABORT, topics=(), raises_epoch=True, name=name) for name in names]
    )
    world.advance(0)
    assert [world.shard.transactions[name].state for name in names] == [TransactionState.COMPLETE_ABORT] * 3


def test_the_timeout_of_a_loaded_transaction_counts_from_its_start() -> None:
    world = TransactionWorld(log=[stored(ONGOING)])
    assert world.timers["transaction", "t"] == START_MS + TIMEOUT_MS


def test_a_loaded_log_ends_as_its_last_records_say() -> None:
    log: list[TransactionRecord] = [stored(EMPTY), stored(ONGOING), UnknownRecord(9)]
    log += [stored(EMPTY, name="gone"), TransactionErased("gone")]
    world = TransactionWorld(log=log)
    assert list(world.shard.transactions) == ["t"]
    assert world.state() == ONGOING
    assert world.shard.unknown_records == 1


def test_unloading_leaves_no_timer() -> None:
    world = TransactionWorld(log=[stored(ONGOING), stored(EMPTY, name="other")])
    world.apply(world.shard.on_unload(world.now_ms))
    assert world.timers == {}


# -- expiry


@pytest.mark.parametrize("state", [EMPTY, COMPLETE, TransactionState.COMPLETE_ABORT])
def test_an_unused_transactional_id_expires(state: TransactionState) -> None:
    """`transactional.id.expiration.ms`, checked at intervals; an age of exactly that much is enough."""
    world = TransactionWorld(CONFIG, [stored(state)])
    world.advance(49_999)
    assert "t" in world.shard.transactions
    world.advance(1)
    assert world.shard.transactions == {}
    assert world.log[1:] == [TransactionErased("t")]
    assert world.timers == {expiry.EXPIRE_TIMER: START_MS + 60_000}


def test_an_open_transaction_does_not_expire() -> None:
    world = TransactionWorld(
        CONFIG, [stored(ONGOING), stored(TransactionState.PREPARE_COMMIT, name="u")], keeps_markers=True
    )
    world.advance(55_000)
    assert len(world.log) == 2


def test_an_id_that_is_being_used_does_not_expire() -> None:
    """Its record is on the way to the log: a tombstone behind it would forget what the client is about to hear."""
    world = TransactionWorld(CONFIG, [stored(COMPLETE)])
    world.hold()
    world.advance(49_999)
    call = world.init()
    world.advance(1)
    world.release()
    assert call.reply.error == errors.NONE
    assert list(world.shard.transactions) == ["t"]


def test_a_tombstone_that_cannot_be_stored_is_tried_at_the_next_check() -> None:
    world = TransactionWorld(CONFIG, [stored(COMPLETE)])
    world.hold()
    world.advance(50_000)
    world.release(errors.NOT_ENOUGH_REPLICAS)
    assert "t" in world.shard.transactions
    world.advance(10_000)
    assert world.shard.transactions == {}


@interpreted_only
def test_many_ids_expire_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiry, "MAX_TOMBSTONES", 2)
    world = TransactionWorld(CONFIG, [stored(COMPLETE, name=str(number)) for number in range(5)])
    world.hold()
    world.advance(50_000)
    assert [len(outcome.records) for outcome in world.in_flight] == [2, 2, 1]
    world.release()
    assert world.shard.transactions == {}


def test_an_id_that_expired_begins_anew() -> None:
    world = TransactionWorld(CONFIG, [stored(COMPLETE)])
    world.advance(50_000)
    reply = world.init(7, 5).reply
    assert (reply.error, reply.producer_id, reply.producer_epoch) == (errors.NONE, 1_000, 0)


# -- what operators see


def test_describe() -> None:
    world = TransactionWorld(log=[stored(ONGOING)])
    assert world.describe() == DescribeTransactionReply(errors.NONE, "t", ONGOING, TIMEOUT_MS, START_MS, 7, 5, ORDERS)


def test_describe_of_an_unknown_id_and_of_no_id() -> None:
    """Spec 14.1: TRANSACTIONAL_ID_NOT_FOUND with zeroed fields; INVALID_REQUEST."""
    world = TransactionWorld()
    assert world.describe() == DescribeTransactionReply(errors.TRANSACTIONAL_ID_NOT_FOUND, "t", None, 0, 0, 0, 0, ())
    assert world.describe("").error == errors.INVALID_REQUEST


def names_of(reply: ListTransactionsReply) -> list[str]:
    assert reply.error == errors.NONE
    return [listed.transactional_id for listed in reply.transactions]


def test_list_filters() -> None:
    """Spec 14.1: state names are case-sensitive, unknown ones are listed back; Empty passes every duration; the whole id."""
    log = [stored(EMPTY, name="empty"), stored(ONGOING, name="open"), stored(COMPLETE, name="done")]
    world = TransactionWorld(log=log)
    world.now_ms += 1_000
    assert world.listed().transactions[1] == ListedTransaction("open", 7, ONGOING)
    assert names_of(world.listed()) == ["empty", "open", "done"]
    assert names_of(world.listed(states=("Ongoing", "Empty"))) == ["empty", "open"]
    assert world.listed(states=("ongoing", "Ongoing")).unknown_states == ("ongoing",)
    assert names_of(world.listed(states=("ongoing",))) == []
    assert names_of(world.listed(producer_ids=(8,))) == []
    assert names_of(world.listed(producer_ids=(8, 7))) == ["empty", "open", "done"]
    assert names_of(world.listed(duration_ms=999)) == ["empty", "open", "done"]
    assert names_of(world.listed(duration_ms=1_000)) == ["empty"]
    assert names_of(world.listed(matches=lambda name: name.startswith("o"))) == ["open"]


# -- answers without a transaction


def test_requests_that_are_wrong_whoever_owns_the_id() -> None:
    """Spec 14.1: no transactional id, half of what is expected, and the timeout. Nothing is created."""
    world = TransactionWorld()
    assert world.init(name="").reply.error == errors.INVALID_REQUEST
    assert world.add(7, 5, name="").reply.error == errors.INVALID_REQUEST
    assert world.end(7, 5, commit=True, name="").reply.error == errors.INVALID_REQUEST
    assert world.init(7, -1).reply.error == errors.INVALID_REQUEST
    assert world.init(-1, 5).reply.error == errors.INVALID_REQUEST
    for timeout_ms in (0, -1, 900_001):
        assert world.init(timeout_ms=timeout_ms).reply.error == errors.INVALID_TRANSACTION_TIMEOUT
    assert world.shard.transactions == {}
    assert world.init(timeout_ms=900_000).reply.error == errors.NONE


REFUSED: list[tuple[TransactionRequest, TransactionReply]] = [
    (InitProducerId("t", 1), InitProducerIdReply(15)),
    (AddPartitions("t", 7, 5, ORDERS), AddPartitionsReply(15)),
    (EndTransaction("t", 7, 5, True, True), EndTransactionReply(15)),
    (DescribeTransaction("t"), DescribeTransactionReply(15, "t")),
    (ListTransactions(), ListTransactionsReply(15)),
]


@pytest.mark.parametrize(("request_", "reply"), REFUSED)
def test_a_shard_that_cannot_answer(request_: TransactionRequest, reply: TransactionReply) -> None:
    assert refused(request_, errors.COORDINATOR_NOT_AVAILABLE) == reply


def test_what_moved_elsewhere_is_listed_there() -> None:
    assert refused(ListTransactions(), errors.NOT_COORDINATOR) == ListTransactionsReply(errors.NONE)


@pytest.mark.parametrize(
    ("log_error", "heard"),
    [
        (errors.UNKNOWN_TOPIC_OR_PARTITION, errors.COORDINATOR_NOT_AVAILABLE),
        (errors.NOT_ENOUGH_REPLICAS, errors.COORDINATOR_NOT_AVAILABLE),
        (errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, errors.COORDINATOR_NOT_AVAILABLE),
        (errors.REQUEST_TIMED_OUT, errors.COORDINATOR_NOT_AVAILABLE),
        (errors.NOT_LEADER_OR_FOLLOWER, errors.NOT_COORDINATOR),
        (errors.KAFKA_STORAGE_ERROR, errors.NOT_COORDINATOR),
        (errors.MESSAGE_TOO_LARGE, errors.UNKNOWN_SERVER_ERROR),
        (errors.RECORD_LIST_TOO_LARGE, errors.UNKNOWN_SERVER_ERROR),
        (errors.INVALID_TIMESTAMP, errors.INVALID_TIMESTAMP),
    ],
)
def test_what_a_client_hears_of_an_error_of_the_log(log_error: int, heard: int) -> None:
    assert mapped_append_error(log_error) == heard
    assert after_failed_append(InitProducerIdReply(0, 7, 5), log_error) == InitProducerIdReply(heard)
