"""Every state and every request: what is answered, what is written, and where the transaction goes (spec 14.1)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.states import TransactionState
from muster.core.transactions.transitions import PREVIOUS_STATES
from muster.wire.errors import NAMES
from tests.core.transactions.transaction_world import ORDERS, PAYMENTS, Call, TransactionWorld, stored

EMPTY, ONGOING = TransactionState.EMPTY, TransactionState.ONGOING
PREPARE_COMMIT, PREPARE_ABORT = TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT
COMPLETE_COMMIT, COMPLETE_ABORT = TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT
STATES = (EMPTY, ONGOING, PREPARE_COMMIT, PREPARE_ABORT, COMPLETE_COMMIT, COMPLETE_ABORT)

PID, EPOCH = 7, 5
"""What `stored` gives a transactional id."""

REQUESTS: dict[str, Callable[[TransactionWorld], Call]] = {
    "init": lambda w: w.init(),
    "init, goes on": lambda w: w.init(PID, EPOCH),
    "init, repeated": lambda w: w.init(PID, EPOCH - 1),
    "init, old epoch": lambda w: w.init(PID, EPOCH - 2),
    "init, wrong id": lambda w: w.init(PID + 1, EPOCH),
    "add": lambda w: w.add(PID, EPOCH, PAYMENTS),
    "add, version 2": lambda w: w.add(PID, EPOCH, PAYMENTS, raises_epoch=True),
    "add what is there": lambda w: w.add(PID, EPOCH, ORDERS),
    "add nothing": lambda w: w.add(PID, EPOCH, ()),
    "add, old epoch": lambda w: w.add(PID, EPOCH - 1),
    "add, future epoch": lambda w: w.add(PID, EPOCH + 1),
    "add, wrong id": lambda w: w.add(PID + 1, EPOCH),
    "verify what is there": lambda w: w.add(PID, EPOCH, ORDERS, verify_only=True),
    "verify another": lambda w: w.add(PID, EPOCH, PAYMENTS, verify_only=True),
    "verify, old epoch": lambda w: w.add(PID, EPOCH - 1, verify_only=True),
    "verify, wrong id": lambda w: w.add(PID + 1, EPOCH, verify_only=True),
    "commit": lambda w: w.end(PID, EPOCH, commit=True),
    "abort": lambda w: w.end(PID, EPOCH, commit=False),
    "commit, old epoch": lambda w: w.end(PID, EPOCH - 1, commit=True),
    "commit, future epoch": lambda w: w.end(PID, EPOCH + 1, commit=True),
    "commit, wrong id": lambda w: w.end(PID + 1, EPOCH, commit=True),
    "commit 2": lambda w: w.end(PID, EPOCH, commit=True, raises_epoch=True),
    "abort 2": lambda w: w.end(PID, EPOCH, commit=False, raises_epoch=True),
    "commit 2, repeated": lambda w: w.end(PID, EPOCH - 1, commit=True, raises_epoch=True),
    "abort 2, repeated": lambda w: w.end(PID, EPOCH - 1, commit=False, raises_epoch=True),
    "commit 2, old epoch": lambda w: w.end(PID, EPOCH - 2, commit=True, raises_epoch=True),
    "abort 2, future epoch": lambda w: w.end(PID, EPOCH + 1, commit=False, raises_epoch=True),
    "abort 2, wrong id": lambda w: w.end(PID + 1, EPOCH, commit=False, raises_epoch=True),
}

OK, FENCED, BUSY = "NONE", "PRODUCER_FENCED", "CONCURRENT_TRANSACTIONS"
NO_ID, STATE, NOT_IN = "INVALID_PRODUCER_ID_MAPPING", "INVALID_TXN_STATE", "TRANSACTION_ABORTABLE"

Row = tuple[str, str]
"""What is answered, and the records that are written: state and how much is added to the epoch. Empty: none."""

STAYS = ""
BUSY_ROW: tuple[Row, Row] = ((BUSY, STAYS), (BUSY, STAYS))

# request: Empty | Ongoing | PrepareCommit | PrepareAbort | CompleteCommit | CompleteAbort
TABLE: dict[str, tuple[Row, ...]] = {
    "init": ((OK, "Empty+1"), (BUSY, "PrepareAbort+1"), *BUSY_ROW, (OK, "Empty+1"), (OK, "Empty+1")),
    "init, goes on": ((OK, "Empty+1"), (BUSY, "PrepareAbort+1"), *BUSY_ROW, (OK, "Empty+1"), (OK, "Empty+1")),
    "init, repeated": ((OK, "Empty+0"), (BUSY, "PrepareAbort+1"), *BUSY_ROW, (OK, "Empty+0"), (OK, "Empty+0")),
    "init, old epoch": ((FENCED, STAYS), (BUSY, "PrepareAbort+1"), *BUSY_ROW, (FENCED, STAYS), (FENCED, STAYS)),
    "init, wrong id": ((FENCED, STAYS), (FENCED, STAYS), *BUSY_ROW, (FENCED, STAYS), (FENCED, STAYS)),
    "add": ((OK, "Ongoing+0"), (OK, "Ongoing+0"), *BUSY_ROW, (OK, "Ongoing+0"), (OK, "Ongoing+0")),
    "add, version 2": ((OK, "Ongoing+0"), (OK, "Ongoing+0"), *BUSY_ROW, (OK, "Ongoing+0"), (OK, "Ongoing+0")),
    "add what is there": ((OK, "Ongoing+0"), (OK, STAYS), *BUSY_ROW, (OK, "Ongoing+0"), (OK, "Ongoing+0")),
    "add nothing": ((OK, "Ongoing+0"), (OK, STAYS), *BUSY_ROW, (OK, "Ongoing+0"), (OK, "Ongoing+0")),
    "add, old epoch": ((FENCED, STAYS), (FENCED, STAYS), *BUSY_ROW, (FENCED, STAYS), (FENCED, STAYS)),
    "add, future epoch": ((FENCED, STAYS), (FENCED, STAYS), *BUSY_ROW, (FENCED, STAYS), (FENCED, STAYS)),
    "add, wrong id": ((NO_ID, STAYS), (NO_ID, STAYS), *BUSY_ROW, (NO_ID, STAYS), (NO_ID, STAYS)),
    "verify what is there": ((NOT_IN, STAYS), (OK, STAYS), *BUSY_ROW, (NOT_IN, STAYS), (NOT_IN, STAYS)),
    "verify another": ((NOT_IN, STAYS), (NOT_IN, STAYS), *BUSY_ROW, (NOT_IN, STAYS), (NOT_IN, STAYS)),
    "verify, old epoch": ((FENCED, STAYS),) * 6,
    "verify, wrong id": ((NO_ID, STAYS),) * 6,
    "commit": ((STATE, STAYS), (OK, "PrepareCommit+0"), *BUSY_ROW, (OK, STAYS), (STATE, STAYS)),
    "abort": ((STATE, STAYS), (OK, "PrepareAbort+0"), *BUSY_ROW, (STATE, STAYS), (OK, STAYS)),
    "commit, old epoch": ((FENCED, STAYS),) * 6,
    "commit, future epoch": ((FENCED, STAYS),) * 6,
    "commit, wrong id": ((NO_ID, STAYS),) * 6,
    "commit 2": ((STATE, STAYS), (OK, "PrepareCommit+1"), *BUSY_ROW, (STATE, STAYS), (STATE, STAYS)),
    "abort 2": (
        (OK, "PrepareAbort+1 CompleteAbort+1"),
        (OK, "PrepareAbort+1"),
        *BUSY_ROW,
        (OK, "PrepareAbort+1 CompleteAbort+1"),
        (OK, "PrepareAbort+1 CompleteAbort+1"),
    ),
    "commit 2, repeated": ((FENCED, STAYS), (FENCED, STAYS), *BUSY_ROW, (OK, STAYS), (STATE, STAYS)),
    "abort 2, repeated": ((FENCED, STAYS), (FENCED, STAYS), *BUSY_ROW, (STATE, STAYS), (OK, STAYS)),
    "commit 2, old epoch": ((FENCED, STAYS), (FENCED, STAYS), *BUSY_ROW, (FENCED, STAYS), (FENCED, STAYS)),
    "abort 2, future epoch": ((FENCED, STAYS), (FENCED, STAYS), *BUSY_ROW, (FENCED, STAYS), (FENCED, STAYS)),
    "abort 2, wrong id": ((NO_ID, STAYS), (NO_ID, STAYS), *BUSY_ROW, (NO_ID, STAYS), (NO_ID, STAYS)),
}

CASES = [
    pytest.param(state, request, *row, id=f"{state}: {request}")
    for request, rows in TABLE.items()
    for state, row in zip(STATES, rows, strict=True)
]


def world_in(state: TransactionState) -> TransactionWorld:
    """Markers are kept, so that `Prepare*` lasts."""
    world = TransactionWorld(log=[stored(state)], keeps_markers=True)
    world.transaction.last_epoch = EPOCH - 1
    return world


def answered(call: Call) -> str:
    reply = call.reply
    if isinstance(reply, AddPartitionsReply):
        (code,) = set(reply.listed(1))
        return NAMES[code]
    return NAMES[reply.error]


@pytest.mark.parametrize(("state", "request_name", "answer", "records"), CASES)
def test_each_request_in_each_state(state: TransactionState, request_name: str, answer: str, records: str) -> None:
    """Spec 14.1, 14.2; an InitProducerId that is repeated writes a record, a partition that is added again does not."""
    world = world_in(state)
    call = REQUESTS[request_name](world)
    assert answered(call) == answer
    written = [f"{state}+{epoch - EPOCH}" for state, producer_id, epoch in world.written()[1:]]
    assert " ".join(written) == records
    assert world.state() == (written[-1].split("+")[0] if written else state)


@pytest.mark.parametrize("request_name", TABLE)
def test_an_unknown_transactional_id_has_no_producer_id(request_name: str) -> None:
    """Spec 14.1: INVALID_PRODUCER_ID_MAPPING everywhere; InitProducerId makes it, whatever the producer says to have."""
    world = TransactionWorld()
    call = REQUESTS[request_name](world)
    if request_name.startswith("init"):
        assert (call.reply.error, call.reply.producer_id, call.reply.producer_epoch) == (0, 1_000, 0)
        assert world.written() == [("Empty", 1_000, 0)]
    else:
        assert answered(call) == NO_ID
        assert world.shard.transactions == {}


def test_every_move_of_the_table_is_a_legal_one_and_every_legal_one_is_in_the_table() -> None:
    moves = {(ONGOING, ONGOING), (PREPARE_COMMIT, COMPLETE_COMMIT), (PREPARE_ABORT, COMPLETE_ABORT)}
    for rows in TABLE.values():
        for before, (_, records) in zip(STATES, rows, strict=True):
            for word in records.split():
                after = TransactionState(word.split("+")[0])
                moves.add((before, after))
                before = after
    assert moves == {(before, after) for after, befores in PREVIOUS_STATES.items() for before in befores}


@pytest.mark.parametrize("state", [TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE])
def test_a_state_that_nobody_writes_is_answered_and_not_changed(state: TransactionState) -> None:
    world = world_in(state)
    for name in ("init", "add", "commit", "commit 2"):
        assert answered(REQUESTS[name](world)) == "UNKNOWN_SERVER_ERROR"
    assert len(world.log) == 1
