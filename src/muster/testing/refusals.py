"""How each API says an injected error: the core's reply for group requests, a written-over answer for the rest.

`muster.core.refusal.refused` softens some codes as Kafka does when it loads; a test that asks for a code gets that code.
"""

from __future__ import annotations

from typing import Any

from muster.core.refusal import refused
from muster.core.replies import HeartbeatReply, ListReply, Reply, SyncReply
from muster.core.requests import Heartbeat, ListGroups, Request, SyncGroup
from muster.core.shard import Shard
from muster.core.transactions.refusal import refused as transaction_refused
from muster.core.transactions.requests import ListTransactions, TransactionRequest
from muster.runtime.coordinator import Coordinator
from muster.runtime.tickets import Redeemable
from muster.runtime.transaction_coordinator import TransactionCoordinator
from muster.testing.faults import Fault
from muster.topics.produce import ProduceResult
from muster.wire.message import Message


def refusing(node: Any, fault: Fault) -> Any:
    """The node as a handler sees it, with coordinators and a broker that say no."""
    return _Seen(
        node,
        coordinator=_Coordinator(node.coordinator, fault),
        transactions=_TransactionCoordinator(node.transactions, fault),
        broker=_Broker(node.broker, fault),
    )


def refusal_of(request: Request, error: int) -> Reply:
    match request:
        case Heartbeat():
            return HeartbeatReply(error)
        case SyncGroup():
            return SyncReply(error)
        case ListGroups():
            return ListReply(error)
        case _:
            return refused(request, error)


def overwrite_errors(response: Any, error: int) -> Any:
    """A new message with the error in every place that has one, and without records.

    Answers may be shared between requests, so this is never done in place.
    """
    if isinstance(response, list | tuple):
        return [overwrite_errors(each, error) for each in response]
    if not isinstance(response, Message):
        return response
    fields = {name: overwrite_errors(value, error) for name, value in response.fields()}
    if "error_code" in fields:
        fields["error_code"] = error
    if fields.get("records"):
        fields["records"] = b""
    return type(response)(**fields)


class _Seen:
    """Something with a few of its attributes replaced."""

    def __init__(self, original: Any, **replaced: Any) -> None:
        self._original = original
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


class _Coordinator(Coordinator):
    """Compiled handlers take nothing that is no Coordinator; of this one they call the methods below."""

    def __init__(self, original: Coordinator, fault: Fault) -> None:
        self._original = original
        self._fault = fault
        self.active = False  # TxnOffsetCommit then asks no transaction coordinator before it is refused here

    def submit(self, request: Request, ticket: Redeemable) -> None:
        group = None if isinstance(request, ListGroups) else request.group_id
        if self._fault.group is None or self._fault.group == group:
            ticket.redeem(refusal_of(request, self._fault.error))
        else:
            self._original.submit(request, ticket)

    def shard_of(self, group_id: str) -> Shard | None:
        return self._original.shard_of(group_id)

    def list_groups(self, request: ListGroups, ticket_for: object) -> int:
        return self._fault.error


class _TransactionCoordinator(TransactionCoordinator):
    """Of this one handlers call `submit`."""

    def __init__(self, original: TransactionCoordinator, fault: Fault) -> None:
        self._original = original
        self._fault = fault

    def submit(self, request: TransactionRequest, ticket: Redeemable) -> None:
        name = None if isinstance(request, ListTransactions) else request.transactional_id
        if self._fault.transactional_id is None or self._fault.transactional_id == name:
            ticket.redeem(transaction_refused(request, self._fault.error))
        else:
            self._original.submit(request, ticket)


class _Broker(_Seen):
    def __init__(self, original: Any, fault: Fault) -> None:
        super().__init__(original)
        self._fault = fault

    def produce(self, *_: object) -> ProduceResult:
        return ProduceResult(self._fault.error)
