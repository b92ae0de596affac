"""What the handlers of the transaction APIs share: the words of each version, and whether a batch belongs to a transaction.

The first batch of a transaction in a partition is appended only after the transaction coordinator has said that the partition is
part of the transaction (KIP-890); since Produce version 12 it becomes part of it by that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from muster.core.transactions.records import TopicPartitions
from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.requests import AddPartitions
from muster.log.contract import NOBODY, StorageError
from muster.runtime.node import Node
from muster.runtime.tickets import Redeemable
from muster.server.settings import settings_of
from muster.topics.produce import ProduceResult, begin_verification, needs_verification
from muster.topics.refusal import TopicError
from muster.wire.batch import NO_PRODUCER_ID, TRANSACTIONAL_BIT, BatchHeader, parse_header
from muster.wire.errors import (
    CONCURRENT_TRANSACTIONS,
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    INVALID_PRODUCER_EPOCH,
    INVALID_PRODUCER_ID_MAPPING,
    INVALID_TXN_STATE,
    NETWORK_EXCEPTION,
    NONE,
    NOT_COORDINATOR,
    NOT_ENOUGH_REPLICAS,
    PRODUCER_FENCED,
    TRANSACTION_ABORTABLE,
    WireError,
)
from muster.wire.value import Value

JOINS_BY_ITSELF_SINCE: Final = 12
"""Of Produce."""
KNOWS_ABORTABLE_SINCE: Final = 11
"""Of Produce."""
_ATTRIBUTES_LOW_AT: Final = 22
"""In a batch: the lower byte of its attributes."""
_TRY_AGAIN: Final = (
    CONCURRENT_TRANSACTIONS,
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    NETWORK_EXCEPTION,
    NOT_COORDINATOR,
)
"""Producers know none of these as an answer to Produce: they hear NOT_ENOUGH_REPLICAS instead, after which they try again."""
_NOT_ADDED: Final = ProduceResult(INVALID_TXN_STATE, "Partition was not added to the transaction", tells_message=True)
_TWO_PRODUCERS: Final = ProduceResult(
    INVALID_PRODUCER_ID_MAPPING, "Transactional records contained more than one producer ID", tells_message=True
)
FENCED_SINCE: Final = 2
"""Of AddPartitionsToTxn, AddOffsetsToTxn and EndTxn: the version that knows PRODUCER_FENCED."""


def fenced_error(version: int) -> int:
    return PRODUCER_FENCED if version >= FENCED_SINCE else INVALID_PRODUCER_EPOCH


def offsets_partition(node: Node, group_id: str) -> TopicPartitions:
    """Where the offsets of a group are written."""
    return (CONSUMER_OFFSETS, (node.coordinator.partition_of(group_id),))


def ask_whether_in_transaction(node: Node, request: AddPartitions, then: Callable[[AddPartitionsReply], None]) -> None:
    """Ask the transaction coordinator, on whichever node it is, on behalf of a partition: `then` is called now or later."""
    if node.cluster is not None:
        coordinator_id = node.coordinator_id(TRANSACTION_STATE, request.transactional_id)
        if coordinator_id == NOBODY:
            then(AddPartitionsReply(COORDINATOR_NOT_AVAILABLE))
            return
        if coordinator_id != node.node_id:
            node.remote_questions.ask(coordinator_id, request, then)
            return
    node.transactions.submit(request, _Question(then))


def is_verification_wanted(node: Node) -> bool:
    """Whether producers of the first protocol are checked. Those of the second one join a transaction by being checked."""
    return settings_of(node).boolean("transaction.partition.verification.enable")


def is_transactional(records: bytes | None) -> bool:
    """Whether a batch says so; nothing else of it is looked at."""
    return (
        records is not None
        and len(records) > _ATTRIBUTES_LOW_AT
        and bool(records[_ATTRIBUTES_LOW_AT] & TRANSACTIONAL_BIT)
    )


class Verification:
    """What the transaction coordinator says of the partitions of one Produce request."""

    __slots__ = (
        "_asked",
        "_began_ms",
        "_node",
        "_refused",
        "_then",
        "_transactional_id",
        "_unknown",
        "_verified",
        "_version",
    )

    def __init__(self, node: Node, transactional_id: str, version: int) -> None:
        self._node = node
        self._transactional_id = transactional_id
        self._version = version
        self._asked: AddPartitions | None = None
        self._began_ms = 0
        """When it was asked first."""
        self._unknown: list[tuple[str, int]] = []
        """The partitions that are asked about."""
        self._then: Callable[[], None] | None = None
        self._verified: dict[tuple[str, int], tuple[int, int]] = {}
        """Of partitions that are verified, or asked about: producer id, and where the log ended when it was asked."""
        self._refused: dict[tuple[str, int], ProduceResult] = {}

    def has_verified(self, name: str, index: int) -> bool:
        """No longer if the transaction has ended there while the batch was judged: a batch behind its marker would begin another
        one, of which no coordinator knows (KIP-890)."""
        found = self._verified.get((name, index))
        if found is None:
            return False
        try:
            producer_id, asked_at = found
            return not self._node.broker.partition(name, index).ledger().has_marker_since(producer_id, asked_at)
        except (TopicError, StorageError):
            return False  # the append finds out, and says so

    def refusal(self, name: str, index: int) -> ProduceResult | None:
        return self._refused.get((name, index))

    def ask(self, batches: list[tuple[str, int, bytes | None]], then: Callable[[], None]) -> None:
        """`then` is called when all is known, now or later."""
        headers: list[tuple[str, int, BatchHeader]] = []
        for name, index, records in batches:
            header = _header(records) if is_transactional(records) else None
            if (
                header is not None and header.producer_id != NO_PRODUCER_ID
            ):  # else in no transaction, and taken as it is
                headers.append((name, index, header))
        if _are_of_two_producers(headers):
            self._refused = {(name, index): _TWO_PRODUCERS for name, index, _ in batches}
            then()
            return
        self._unknown = [
            (name, index) for name, index, header in headers if self._needs_verification(name, index, header)
        ]
        if not self._unknown:
            then()
            return
        first = headers[0][2]
        self._asked = AddPartitions(
            self._transactional_id,
            first.producer_id,
            first.producer_epoch,
            tuple([(name, (index,)) for name, index in self._unknown]),
            verify_only=not self._joins,
            raises_epoch=self._joins,
            fenced_error=INVALID_PRODUCER_EPOCH,
        )
        if not self._asks:
            self._note_asked()
            then()
            return
        self._then = then
        self._began_ms = self._node.clock.ticks_ms()
        self._ask()

    def _ask(self) -> None:
        assert self._asked is not None
        self._note_asked()
        ask_whether_in_transaction(self._node, self._asked, self._answered)

    def _answered(self, reply: AddPartitionsReply) -> None:
        codes = reply.listed(len(self._unknown))
        # The markers of the transaction before are being written: clients would wait much longer before they try again.
        is_too_early = self._joins and CONCURRENT_TRANSACTIONS in codes
        if is_too_early and self._node.verification_retries.try_again(self._began_ms, self._ask):
            return
        for at, place in enumerate(self._unknown):
            code = codes[at]
            if code == NONE and place in self._verified and not self.has_verified(place[0], place[1]):
                # A marker came while another node was asked. It may have ended the transaction before this one, or this one: the
                # producer has it asked again.
                code = NOT_ENOUGH_REPLICAS
            if code != NONE:
                self._verified.pop(place, None)
                self._refused[place] = self._result(code)
        then, self._then = self._then, None  # no circle is left of it
        assert then is not None, "a verification was answered twice"
        then()

    def _note_asked(self) -> None:
        assert self._asked is not None
        for place in self._unknown:
            try:
                end_offset = self._node.broker.partition(place[0], place[1]).log.end_offset
            except (TopicError, StorageError):
                continue  # the append finds out, and says so
            self._verified[place] = self._asked.producer_id, end_offset

    @property
    def _joins(self) -> bool:
        return self._version >= JOINS_BY_ITSELF_SINCE

    @property
    def _asks(self) -> bool:
        """Whether the coordinator is asked at all; if not, no batch is remembered as one that is asked for either."""
        return self._joins or is_verification_wanted(self._node)

    def _needs_verification(self, name: str, index: int, header: BatchHeader) -> bool:
        try:
            partition = self._node.broker.partition(name, index)
        except (TopicError, StorageError):
            return False  # the append finds out, and says so
        try:
            if not self._asks:
                return needs_verification(partition, header)
            return begin_verification(partition, header, must_begin_at_zero=self._joins)
        except TopicError as refused:
            self._refused[name, index] = ProduceResult(refused.code, refused.message)
        except StorageError:
            pass  # likewise
        return False

    def _result(self, error: int) -> ProduceResult:
        """What this version of Produce is told."""
        if error == TRANSACTION_ABORTABLE and self._version < KNOWS_ABORTABLE_SINCE:
            return _NOT_ADDED
        if error == CONCURRENT_TRANSACTIONS and self._joins:
            return ProduceResult(error)
        return ProduceResult(NOT_ENOUGH_REPLICAS if error in _TRY_AGAIN else error)


def _are_of_two_producers(headers: list[tuple[str, int, BatchHeader]]) -> bool:
    for _, _, header in headers:
        first = headers[0][2]
        if header.producer_id != first.producer_id or header.producer_epoch != first.producer_epoch:
            return True
    return False


def _header(records: bytes | None) -> BatchHeader | None:
    try:
        return parse_header(records or b"")
    except WireError:
        return None  # the append finds out, and says so


class _Question(Redeemable):
    __slots__ = ("_then",)

    def __init__(self, then: Callable[[AddPartitionsReply], None]) -> None:
        super().__init__()
        self._then = then

    @property
    def is_abandoned(self) -> bool:
        return False

    def redeem(self, reply: Value) -> None:
        assert isinstance(reply, AddPartitionsReply), f"a question about partitions is answered with {reply!r}"
        self.answered = True
        self._then(reply)
