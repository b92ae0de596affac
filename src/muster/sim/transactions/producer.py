"""A model producer: copies inputs in transactions and commits how far it got in the same transactions, by one of both protocols.

It asks again when an answer was lost, and goes on where it was after a stall, whoever has taken over its transactional id
meanwhile. A fenced one may try some more before it gives up, as a zombie does.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from muster.sim.client import RETRY_MS, SimClient
from muster.sim.transactions.history import Attempt, outputs_of
from muster.sim.transactions.requests import (
    FENCED,
    NEW_PROTOCOL,
    OLD_PROTOCOL,
    TRY_AGAIN,
    add_partitions,
    batch_of,
    commit_offset,
    fetch_offset,
    fetched_offset,
    group_of,
    produce,
    worst_error,
)
from muster.wire.errors import INVALID_TXN_STATE, NONE, TRANSACTION_ABORTABLE, name_of
from muster.wire.generated.add_offsets_to_txn import AddOffsetsToTxnRequest
from muster.wire.generated.end_txn import EndTxnRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.init_producer_id import InitProducerIdRequest

if TYPE_CHECKING:
    from muster.sim.transactions.witness import TransactionWitness

TIMEOUT_MS = 6_000
MOST_INPUTS = 3
MOST_PAUSE_MS = 500
ABORT_SHARE = 0.2
LOST_ANSWER_SHARE = 0.05
"""How often an answer counts as lost, and the same request is sent once more."""
GO_ON_SHARE = 0.2
"""How often a producer of the old protocol has its epoch raised after an abort, as clients do after an error (KIP-360)."""
ZOMBIE_TRIES = 3
GROUP_KEY, TRANSACTION_KEY = 0, 1
"""Types of keys in FindCoordinator."""
ABORTABLE = (INVALID_TXN_STATE, TRANSACTION_ABORTABLE)
"""Said of a transaction that somebody else has ended while the request was on its way."""
NOBODY = (-1, -1)

Step = Callable[[], None]


class SimProducer(SimClient):
    def __init__(self, seen: TransactionWitness, transactional_id: str, name: str, random: Random) -> None:
        super().__init__(seen.world, name, random)
        self._seen = seen
        self.transactional_id = transactional_id
        self.versions = OLD_PROTOCOL
        self._producer = NOBODY
        """Producer id and epoch."""
        self._sequences: dict[int, int] = {}
        self._position = 0
        """The next input."""
        self._attempt: Attempt | None = None
        self._left: list[Step] = []
        """What is to be done in this transaction before its end."""
        self._current: Step = self._find_coordinators
        """What is done again if nobody answers."""
        self._tries_as_zombie = 0
        self._complaint = ""
        """Why this transaction is aborted, if the server has said that it is none."""
        self._has_skipped = False
        """A step of this transaction was refused and left out: it must not be committed."""

    def start(self) -> None:
        self.is_alive = True
        self.versions = self._random.choice((OLD_PROTOCOL, NEW_PROTOCOL))
        self._begin_anew()

    def _start_again(self) -> None:
        self._current()

    def _do(self, step: Step) -> None:
        self._current = step
        step()

    def _soon(self, step: Step) -> None:
        """After a pause, which a broken link shortens."""
        self._current = step
        self._plan(self._random.randint(0, MOST_PAUSE_MS), step)

    def _call(self, api: str, request: Any, then: Callable[[Any], None]) -> None:
        def answered(response: Any) -> None:
            if self._random.random() < LOST_ANSWER_SHARE:
                self._plan(RETRY_MS, self._current)
            else:
                then(response)

        self._ask(api, request, answered)

    # -- becoming a producer

    def _begin_anew(self) -> None:
        self._producer, self._attempt = NOBODY, None
        self._tries_as_zombie = self._random.randint(0, ZOMBIE_TRIES)
        self._do(self._find_coordinators)

    def _find_coordinators(self) -> None:
        self._find(TRANSACTION_KEY, self.transactional_id, self._find_group)

    def _find_group(self) -> None:
        self._find(GROUP_KEY, group_of(self.transactional_id), lambda: self._do(self._init))

    def _find(self, key_type: int, key: str, then: Step) -> None:
        def found(response: Any) -> None:
            if response.coordinators[0].error_code == NONE:
                then()
            else:
                self._plan(RETRY_MS, self._current)

        self._ask("FindCoordinator", FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key]), found)

    def _init(self) -> None:
        """With what it has, if it has something: then its epoch is raised."""
        goes_on = self._producer is not NOBODY

        def initialised(response: Any) -> None:
            if self._failed("InitProducerId", response.error_code):
                return
            self._producer = response.producer_id, response.producer_epoch
            self._sequences = {}
            self._seen.note_fenced(self._producer)
            self._do(self._begin if goes_on else self._fetch_position)

        request = InitProducerIdRequest(self.transactional_id, TIMEOUT_MS, *self._producer)
        self._call("InitProducerId", request, initialised)

    def _fetch_position(self) -> None:
        def fetched(response: Any) -> None:
            error, offset = fetched_offset(response)
            if not self._failed("OffsetFetch", error):
                self._position = max(0, offset)
                self._do(self._begin)

        self._call("OffsetFetch", fetch_offset(self.transactional_id, require_stable=True), fetched)

    # -- one transaction

    def _begin(self) -> None:
        first, end = self._position, self._position + self._random.randint(1, MOST_INPUTS)
        self._attempt = self._seen.new_attempt(self.transactional_id, first, end)
        inputs = list(range(first, end))
        left: list[Step] = []
        if self.versions is OLD_PROTOCOL:
            partitions = sorted({partition for number in inputs for partition in outputs_of(number)})
            left += [lambda: self._add_partitions(partitions), self._add_offsets]
        sends: list[Step] = [self._sending(number) for number in inputs]
        sends.insert(self._random.randint(0, len(sends)), lambda: self._commit_offset(end))
        self._left = left + sends
        self._has_skipped, self._complaint = False, ""
        self._soon(self._next)

    def _next(self) -> None:
        if self._left:
            self._do(self._left.pop(0))
        else:
            commit = self._random.random() >= ABORT_SHARE and not self._has_skipped
            self._soon(lambda: self._end(commit))

    def _add_partitions(self, partitions: list[int]) -> None:
        def added(response: Any) -> None:
            codes = [
                each.partition_error_code for topic in response.results_by_topic for each in topic.results_by_partition
            ]
            if not self._failed("AddPartitionsToTxn", worst_error(codes)):
                self._next()

        request = add_partitions(self.transactional_id, self._producer, partitions)
        self._call("AddPartitionsToTxn", request, added)

    def _add_offsets(self) -> None:
        def added(response: Any) -> None:
            if not self._failed("AddOffsetsToTxn", response.error_code):
                self._next()

        request = AddOffsetsToTxnRequest(self.transactional_id, *self._producer, group_of(self.transactional_id))
        self._call("AddOffsetsToTxn", request, added)

    def _commit_offset(self, offset: int) -> None:
        def committed(response: Any) -> None:
            if not self._failed("TxnOffsetCommit", response.topics[0].partitions[0].error_code):
                self._next()

        self._call("TxnOffsetCommit", commit_offset(self.transactional_id, self._producer, offset), committed)

    def _sending(self, number: int) -> Step:
        """Send an input to its partitions until each has acknowledged it."""
        missing = list(outputs_of(number))

        def send() -> None:
            assert self._attempt is not None
            attempt = self._attempt.number
            batches = {partition: self._batch(partition, attempt, number) for partition in self._together(missing)}
            self._call("Produce", produce(self.transactional_id, batches), sent)

        def sent(response: Any) -> None:
            results = {each.index: each.error_code for each in response.responses[0].partition_responses}
            for partition, error in results.items():
                if error == NONE:
                    missing.remove(partition)
                    self._sequences[partition] = self._sequences.get(partition, 0) + 1
            if not self._failed("Produce", worst_error(list(results.values()))):
                self._soon(send if missing else self._next)

        return send

    def _batch(self, partition: int, attempt: int, number: int) -> bytes:
        sequence = self._sequences.get(partition, 0)
        return batch_of(self._producer, sequence, attempt, number, self._world.both_clocks()[0])

    def _end(self, commit: bool) -> None:
        attempt = self._attempt
        assert attempt is not None
        attempt.commit_asked = attempt.commit_asked or commit

        def ended(response: Any) -> None:
            if commit and response.error_code == INVALID_TXN_STATE and self.versions is NEW_PROTOCOL:
                self._fenced()  # it has timed out: the abort has raised the epoch, which makes this a late repetition
                return
            if self._failed("EndTxn", response.error_code):
                return
            attempt.told = commit
            if self._complaint and self.versions is OLD_PROTOCOL:
                self._seen.note_surprise(self, self._complaint)  # its epoch is the same: nobody had fenced it
            if commit:
                self._position = attempt.next_input
            if self.versions is NEW_PROTOCOL:
                self._producer = response.producer_id, response.producer_epoch
                self._sequences = {}
            goes_on = self.versions is OLD_PROTOCOL and not commit and self._random.random() < GO_ON_SHARE
            self._do(self._init if goes_on else self._begin)

        self._call("EndTxn", EndTxnRequest(self.transactional_id, *self._producer, commit), ended)

    # -- errors

    def _failed(self, api: str, error: int) -> bool:
        """Whether the answer is an error; then something else is planned."""
        if error == NONE:
            return False
        if error in TRY_AGAIN:
            self._look_again()
            self._plan(RETRY_MS, self._current)
        elif error in FENCED:
            self._fenced()
        elif error in ABORTABLE and api in ("Produce", "TxnOffsetCommit"):
            self._complaint = f"{api} was answered {name_of(error)} in an open transaction"
            self._left = []
            self._do(lambda: self._end(commit=False))
        else:
            self._seen.note_surprise(self, f"{api} was answered {name_of(error)}")
            self._plan(RETRY_MS, self._begin_anew)
        return True

    def _fenced(self) -> None:
        """Somebody else has the transactional id, or the transaction has timed out."""
        if self._tries_as_zombie:
            self._tries_as_zombie -= 1
            if self._left and self._random.random() < 0.5:
                self._current = self._left.pop(0)
                self._has_skipped = True
            self._plan(RETRY_MS, self._current)
        else:
            self._plan(self._random.randint(1, 4) * TIMEOUT_MS // 4, self._begin_anew)
