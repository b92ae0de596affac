"""Who gets which producer id and epoch (spec 14.1, KIP-360)."""

from __future__ import annotations

import pytest

from muster.core.transactions.records import TransactionStored
from muster.core.transactions.requests import InitProducerId
from muster.core.transactions.states import TransactionState
from muster.wire import errors
from tests.core.transactions.transaction_world import (
    FIRST_PRODUCER_ID,
    START_MS,
    TIMEOUT_MS,
    TransactionWorld,
    stored,
)

PID = FIRST_PRODUCER_ID


def given(reply: object) -> tuple[int, int, int]:
    error, producer_id, epoch = (getattr(reply, name) for name in ("error", "producer_id", "producer_epoch"))
    return error, producer_id, epoch


def test_the_first_record_of_a_transactional_id() -> None:
    """Spec 14.2: no partitions, no start; the previous producer id is its own, as Kafka writes it."""
    world = TransactionWorld()
    assert given(world.init().reply) == (errors.NONE, PID, 0)
    assert world.log == [
        TransactionStored("t", PID, 0, TIMEOUT_MS, TransactionState.EMPTY, (), START_MS, previous_producer_id=PID)
    ]


def test_each_new_producer_has_a_higher_epoch_and_fences_the_one_before() -> None:
    world = TransactionWorld()
    world.init()
    assert given(world.init().reply) == (errors.NONE, PID, 1)
    assert world.add(PID, 0).reply.error == errors.PRODUCER_FENCED
    assert world.init(PID, 0).reply.error == errors.PRODUCER_FENCED


def test_a_producer_that_goes_on_may_repeat_its_request() -> None:
    """KIP-360: the answer was lost. The repetition writes a record again (spec 14.2)."""
    world = TransactionWorld()
    world.init()
    assert given(world.init(PID, 0).reply) == (errors.NONE, PID, 1)
    assert given(world.init(PID, 0).reply) == (errors.NONE, PID, 1)
    assert given(world.init(PID, 1).reply) == (errors.NONE, PID, 2)
    assert world.written() == [("Empty", PID, 0), ("Empty", PID, 1), ("Empty", PID, 1), ("Empty", PID, 2)]


def test_the_epoch_before_is_forgotten_when_another_node_takes_over() -> None:
    world = TransactionWorld()
    world.init()
    world.init(PID, 0)
    assert world.restart().init(PID, 0).reply.error == errors.PRODUCER_FENCED


def test_how_a_fenced_producer_is_told_depends_on_what_it_knows() -> None:
    """Spec 14.1: v3 INVALID_PRODUCER_EPOCH; v4-5 PRODUCER_FENCED."""
    world = TransactionWorld(log=[stored(TransactionState.EMPTY)])
    request = InitProducerId("t", TIMEOUT_MS, 7, 1, errors.INVALID_PRODUCER_EPOCH)
    assert given(world.ask(request).reply) == (errors.INVALID_PRODUCER_EPOCH, -1, -1)


def test_the_timeout_is_the_one_that_was_asked_for_last() -> None:
    world = TransactionWorld()
    world.init()
    world.init(timeout_ms=5_000)
    assert world.describe().timeout_ms == 5_000


def test_init_while_ongoing_aborts_and_asks_to_try_again() -> None:
    """Spec 14.1: CONCURRENT_TRANSACTIONS; the abort marker carries epoch+1; afterwards epoch+2."""
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)], keeps_markers=True)
    assert given(world.init().reply) == (errors.CONCURRENT_TRANSACTIONS, -1, -1)
    (marker,) = world.markers
    assert (marker.producer_epoch, marker.commit, marker.transaction_version) == (6, False, 2)
    assert world.init().reply.error == errors.CONCURRENT_TRANSACTIONS
    world.write_markers()
    assert given(world.init().reply) == (errors.NONE, 7, 7)


def test_init_while_ongoing_by_the_producer_itself() -> None:
    """Spec 14.1: with its own expected epoch it gets epoch+1 afterwards."""
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)])
    assert world.init(7, 5).reply.error == errors.CONCURRENT_TRANSACTIONS
    assert given(world.init(7, 5).reply) == (errors.NONE, 7, 6)
    assert world.written()[1:] == [("PrepareAbort", 7, 6), ("CompleteAbort", 7, 6), ("Empty", 7, 6)]


def test_the_abort_that_init_decided_could_not_be_stored() -> None:
    """Nothing has changed, and the next attempt raises the epoch to the same one."""
    world = TransactionWorld(log=[stored(TransactionState.ONGOING)])
    world.hold()
    call = world.init()
    assert call.waiting
    world.release(errors.NOT_ENOUGH_REPLICAS)
    assert call.reply.error == errors.COORDINATOR_NOT_AVAILABLE
    assert world.written() == [("Ongoing", 7, 5)]
    world.init()
    assert world.written()[1:] == [("PrepareAbort", 7, 6), ("CompleteAbort", 7, 6)]


# -- the last epochs


def test_32766_is_the_last_epoch_then_follows_a_new_producer_id() -> None:
    """Spec 14.1: epochs exhausted. The record names the producer id before (spec 14.2)."""
    world = TransactionWorld(log=[stored(TransactionState.EMPTY, epoch=32765)])
    assert given(world.init().reply) == (errors.NONE, 7, 32766)
    assert given(world.init().reply) == (errors.NONE, PID, 0)
    assert world.transaction.stored.previous_producer_id == 7


def test_a_producer_that_goes_on_gets_a_new_id_when_its_epochs_are_exhausted_and_may_repeat_that() -> None:
    world = TransactionWorld(log=[stored(TransactionState.COMPLETE_COMMIT, epoch=32766)])
    assert given(world.init(7, 32766).reply) == (errors.NONE, PID, 0)
    assert given(world.init(7, 32766).reply) == (errors.NONE, PID, 0)
    assert world.init(7, 32765).reply.error == errors.PRODUCER_FENCED


def test_the_answer_with_the_last_epoch_may_be_asked_for_again() -> None:
    """Deviates: 4.3.1 has UNKNOWN_SERVER_ERROR for it."""
    world = TransactionWorld(log=[stored(TransactionState.EMPTY, epoch=32765)])
    assert given(world.init(7, 32765).reply) == (errors.NONE, 7, 32766)
    assert given(world.init(7, 32765).reply) == (errors.NONE, 7, 32766)
    assert world.init(7, 32764).reply.error == errors.PRODUCER_FENCED


def test_a_transaction_at_the_last_epoch_is_aborted_with_32767_and_a_new_id_follows() -> None:
    """Spec 14.1: 32767 is only ever in a marker; the record that decides names the next id."""
    world = TransactionWorld(log=[stored(TransactionState.ONGOING, epoch=32766)])
    assert world.init().reply.error == errors.CONCURRENT_TRANSACTIONS
    assert world.markers[0].producer_epoch == 32767
    assert world.written()[1:] == [("PrepareAbort", 7, 32767), ("CompleteAbort", PID, 0)]
    assert given(world.init(7, 32766).reply) == (errors.NONE, PID, 0)


def test_a_log_of_an_older_kafka_with_epoch_32767() -> None:
    world = TransactionWorld(log=[stored(TransactionState.COMPLETE_ABORT, epoch=32767)])
    assert given(world.init().reply) == (errors.NONE, PID, 0)


@pytest.mark.parametrize("log", [[], [stored(TransactionState.EMPTY, epoch=32766)]])
def test_no_producer_id_can_be_had(log: list[TransactionStored]) -> None:
    world = TransactionWorld(log=log)
    world.has_producer_ids = False
    assert world.init().reply.error == errors.COORDINATOR_LOAD_IN_PROGRESS
    world.has_producer_ids = True
    assert given(world.init().reply) == (errors.NONE, PID, 0)
