"""Every checker of transactions catches what it is there for: a hand-made history, and a fault put into the server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from muster.core.contract import Ticket
from muster.core.records import EndTransactionMarker
from muster.core.transactions import add_partitions, shard
from muster.core.transactions.init_producer import init_producer_id
from muster.core.transactions.outcome_builder import TransactionOutcomeBuilder
from muster.core.transactions.replies import InitProducerIdReply
from muster.core.transactions.requests import AddPartitions, InitProducerId
from muster.core.transactions.transaction import Transaction
from muster.runtime.coordinator import Coordinator
from muster.runtime.group_commit import GroupCommit
from muster.runtime.marker_writer import MarkerWriter
from muster.runtime.tickets import Redeemable
from muster.sim.checkers import CHECKERS, violations
from muster.sim.faults import FAULTS_WITH_TRANSACTIONS
from muster.sim.history import History
from muster.sim.run import kinds_of_faults, shrink, simulate
from muster.sim.transactions.checkers import TRANSACTION_CHECKERS
from muster.sim.transactions.history import Attempt, CopyRead, Fenced, TransactionHistory, Written
from muster.topics.broker import Broker
from muster.topics.producers import ProducerLedger
from muster.topics.topic import Partition
from muster.wire import errors
from tests.forms import interpreted_only

CHECKERS_WITH_TRANSACTIONS = (*CHECKERS, *TRANSACTION_CHECKERS)
SEEDS = 40
"""How many seeds a mutation may hide from."""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


COPIES = [CopyRead(0, 0, 0, 0), CopyRead(1, 0, 0, 0)]
"""Of the transaction with number 0, which copied the input 0."""


def good(**changes: Any) -> TransactionHistory:
    """A transaction that was committed and read."""
    return replace(
        TransactionHistory(
            attempts={0: Attempt(0, "t", 0, 1, commit_asked=True, told=True)},
            read={"r": list(COPIES)},
            offsets_read=[("t", 1)],
            fenced=[Fenced(7, 2, {"copies-0": 4})],
            committed=list(COPIES),
            committed_offsets=[("t", 1)],
            written=[Written("copies-0", 3, 7, 1), Written("copies-0", 4, 7, 2), Written("copies-0", 5, 8, 1)],
        ),
        **changes,
    )


BAD: dict[str, list[TransactionHistory]] = {
    "a_transaction_is_read_whole_or_not_at_all": [
        good(read={"r": COPIES[:1]}, committed=COPIES[:1]),
        good(read={"r": [*COPIES, COPIES[0]]}),
    ],
    "records_and_offsets_agree": [
        good(committed_offsets=[], offsets_read=[]),
        good(committed_offsets=[("t", 1), ("t", 2)]),
        good(offsets_read=[("t", 2)]),
        good(
            attempts={0: Attempt(0, "t", 0, 1, commit_asked=True), 1: Attempt(1, "t", 0, 2, commit_asked=True)},
            read={},
            committed=[CopyRead(0, 0, 0, 0), CopyRead(1, 0, 1, 0)],
            committed_offsets=[("t", 1), ("t", 2)],
        ),
    ],
    "what_was_read_is_committed": [
        good(
            read={"r": [*COPIES, CopyRead(1, 5, 1, 1), CopyRead(2, 5, 1, 1)]},
            attempts=good().attempts | {1: Attempt(1, "t", 1, 2)},
        ),
        good(read={"r": []}),
    ],
    "ends_that_were_acknowledged_stay": [
        good(attempts=good().attempts | {1: Attempt(1, "t", 1, 2, commit_asked=True, told=True)}),
        good(attempts={0: Attempt(0, "t", 0, 1, told=False)}),
        good(attempts={0: Attempt(0, "t", 0, 1)}),
    ],
    "nothing_is_written_after_being_fenced": [good(written=[Written("copies-0", 4, 7, 1)])],
    "nothing_stays_undecided": [good(unstable=["copies-0"])],
    "producers_get_on_when_faults_end": [good(silent=["t"])],
    "every_answer_is_one_that_clients_expect": [good(surprises=["Produce was answered UNKNOWN_SERVER_ERROR"])],
}


def test_there_are_histories_for_every_checker_of_transactions() -> None:
    assert list(BAD) == [checker.__name__ for checker in TRANSACTION_CHECKERS]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_history_is_found_by_its_checker_and_no_other(name: str) -> None:
    for bad in BAD[name]:
        found = violations(History(transactions=bad), CHECKERS_WITH_TRANSACTIONS)
        assert {each.split(":")[0] for each in found} == {name}


def test_a_good_history_is_left_alone() -> None:
    """Also with a transaction that was aborted, one whose end nobody knows, and a fence that others do not feel."""
    attempts = good().attempts | {1: Attempt(1, "t", 1, 2, told=False), 2: Attempt(2, "t", 1, 3, commit_asked=True)}
    assert violations(History(transactions=good(attempts=attempts)), CHECKERS_WITH_TRANSACTIONS) == []


# -- faults put into the server


def abort_in_one_partition(patch: pytest.MonkeyPatch) -> None:
    """The marker of partition 1 says the opposite."""
    append = Broker.append_marker

    def turned_round(self: Broker, topic: str, index: int, *rest: Any, commit: bool, **more: Any) -> Any:
        return append(self, topic, index, *rest, commit=commit and index != 1, **more)

    patch.setattr(Broker, "append_marker", turned_round)


def forget_offsets_of_transactions(patch: pytest.MonkeyPatch) -> None:
    """Pending offsets are aborted, whatever became of the transaction."""
    end = Coordinator.end_transaction

    def forgetful(
        self: Coordinator, partition: int, marker: EndTransactionMarker, ticket: Redeemable, raises_epoch: bool
    ) -> None:
        aborted = EndTransactionMarker(marker.producer_id, marker.producer_epoch, False, marker.coordinator_epoch)
        end(self, partition, aborted, ticket, raises_epoch)

    patch.setattr(Coordinator, "end_transaction", forgetful)


def show_undecided_records(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Partition, "last_stable_offset", property(lambda self: self.log.durable_offset))


def answer_before_durable(patch: pytest.MonkeyPatch) -> None:
    """What is appended counts as durable at once, and is written some time later."""

    def hasty(self: GroupCommit, log: Any, end_offset: int, callback: Callable[[None], None]) -> None:
        self._loop.call_later(3, self._begin)
        self._loop.call_soon(callback, None)

    patch.setattr(GroupCommit, "when_durable", hasty)


def ignore_epochs(patch: pytest.MonkeyPatch) -> None:
    """Neither the coordinator nor the partitions compare the epoch of a producer."""
    refusal = add_partitions._refusal

    def generous(transaction: Transaction, request: AddPartitions) -> int:
        error = refusal(transaction, request)
        return errors.NONE if error in (errors.PRODUCER_FENCED, errors.INVALID_PRODUCER_EPOCH) else error

    patch.setattr(add_partitions, "_refusal", generous)
    patch.setattr(ProducerLedger, "_check_epoch", lambda *_: None)
    patch.setattr(ProducerLedger, "_check_sequence", lambda *_: None)


def forget_timeouts(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(shard, "on_transaction_timer", lambda transaction, builder: None)


def lose_markers(patch: pytest.MonkeyPatch) -> None:
    """Every fifth order of markers is forgotten."""
    write, orders = MarkerWriter.write, count(1)

    def forgetful(self: MarkerWriter, *order: Any) -> None:
        if next(orders) % 5:
            write(self, *order)

    patch.setattr(MarkerWriter, "write", forgetful)


def never_initialise_twice(patch: pytest.MonkeyPatch) -> None:
    def stubborn(
        transactions: dict[str, Transaction],
        request: InitProducerId,
        ticket: Ticket,
        builder: TransactionOutcomeBuilder,
    ) -> None:
        if request.transactional_id in transactions:
            builder.reply(ticket, InitProducerIdReply(errors.CONCURRENT_TRANSACTIONS))
        else:
            init_producer_id(transactions, request, ticket, builder)

    patch.setattr(shard, "init_producer_id", stubborn)


def forget_batches(patch: pytest.MonkeyPatch) -> None:
    """A batch that is sent again is not known as such."""
    patch.setattr(ProducerLedger, "find_duplicate", lambda self, header: None)


MUTATIONS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], ...]] = {
    "a_transaction_is_read_whole_or_not_at_all": (abort_in_one_partition,),
    "records_and_offsets_agree": (forget_offsets_of_transactions,),
    "what_was_read_is_committed": (show_undecided_records,),
    "ends_that_were_acknowledged_stay": (answer_before_durable,),
    "nothing_is_written_after_being_fenced": (ignore_epochs,),
    "nothing_stays_undecided": (forget_timeouts, lose_markers),
    "producers_get_on_when_faults_end": (never_initialise_twice,),
    "every_answer_is_one_that_clients_expect": (forget_batches,),
}


def test_there_is_a_mutation_for_every_checker() -> None:
    assert list(MUTATIONS) == [checker.__name__ for checker in TRANSACTION_CHECKERS]


@interpreted_only
@pytest.mark.parametrize(
    ("name", "mutate"),
    [(name, mutate) for name, mutations in MUTATIONS.items() for mutate in mutations],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_fault_in_the_server_is_found(
    name: str, mutate: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch)
    for seed in range(SEEDS):
        if any(found.startswith(name) for found in simulate(seed, transactions=True).violations):
            return
    pytest.fail(f"{mutate.__name__} went unnoticed in {SEEDS} seeds")


@interpreted_only
def test_shrinking_leaves_the_faults_that_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of those that are left can be left out."""
    answer_before_durable(monkeypatch)
    seed = next(seed for seed in range(SEEDS) if simulate(seed, transactions=True).violations)
    needed = shrink(seed, transactions=True)
    assert simulate(seed, needed, transactions=True).violations
    assert not any(simulate(seed, needed - {fault}, transactions=True).violations for fault in needed)
    assert len(needed) < len(FAULTS_WITH_TRANSACTIONS) == len(kinds_of_faults(transactions=True))
