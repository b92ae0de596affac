"""Stands between every request and its handler, and lets the faults of the book happen to it.

A request that no fault meets goes through untouched. Errors come from the handlers themselves, given a node that refuses, so that
they are laid out for every API version. A dropped reply closes the connection, which is how a client notices a lost one.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from muster.runtime.clock import Clock
from muster.server.call import Call
from muster.server.routes import Handler, HandlerTable
from muster.testing.faults import Fault, FaultBook
from muster.testing.held_revocations import HeldRevocations
from muster.testing.refusals import overwrite_errors, refusing
from muster.wire.apis import APIS

_OVERWRITTEN = frozenset({"FindCoordinator", "Fetch", "ListOffsets", "Metadata"})
"""They change nothing, so an error can be written over their answer."""

SawRequest = Callable[[str, Call, Any], None]
Answered = Callable[[str], None]


class Interception:
    """Makes the handler table of a broker under test. `clock` is set before the first request comes."""

    def __init__(self, book: FaultBook, saw: SawRequest, answered: Answered) -> None:
        self._book = book
        self._saw = saw
        self._answered = answered
        self._revocations = HeldRevocations(book)
        self.clock: Clock | None = None

    def around(self, handlers: HandlerTable) -> HandlerTable:
        return {key: self._intercepting(APIS[key].name, entry) for key, entry in handlers.items()}

    def _intercepting(self, api: str, entry: str | Handler) -> Handler:
        resolved: list[Handler] = []

        def handle(call: Call, message: Any, node: Any) -> None:
            if not resolved:
                resolved.append(import_module(entry).handle if isinstance(entry, str) else entry)
            self._saw(api, call, message)
            if api == "ConsumerGroupHeartbeat":
                message = self._revocations.pass_on(message)
            member_id = getattr(message, "member_id", None)
            delay_ms, ending = self._book.take(api, groups_of(message), transactional_ids_of(message), member_id)
            arguments = (resolved[0], api, call, message, node, ending)
            if not delay_ms:
                self._go_on(*arguments)
                return
            assert self.clock is not None
            self.clock.wake_at(self.clock.now_ms() + delay_ms, lambda: call.resume(lambda: self._go_on(*arguments)))

        return handle

    def _go_on(self, handle: Handler, api: str, call: Call, message: Any, node: Any, ending: Fault | None) -> None:
        if ending is None:
            handle(WatchedCall(call, lambda: self._answered(api)), message, node)
        elif ending.kind == "drop_request":
            call.connection.close()
        elif ending.kind == "drop_reply":
            handle(DroppedCall(call, lambda: self._answered(api)), message, node)
        elif api in _OVERWRITTEN:
            handle(OverwrittenCall(call, ending), message, node)
        else:
            handle(call, message, refusing(node, ending))


class WatchedCall(Call):
    """A request whose answer the kit wants to hear of."""

    __slots__ = ("_then",)

    def __init__(self, original: Call, then: Callable[[], None]) -> None:
        super().__init__(original.connection, original.route, original.correlation_id, original.client_id)
        self._then = then
        # The connection keeps the original, and through this also keeps the one that the runtime will redeem.
        original.abandon = self._abandoned

    def reply(self, response: object) -> None:
        super().reply(response)
        self._then()

    def _abandoned(self) -> None:
        if self.abandon is not None:
            self.abandon()


class DroppedCall(WatchedCall):
    """Done, but the client never hears of it: its connection ends instead."""

    __slots__ = ()

    def reply(self, response: object) -> None:
        assert not self.answered, f"{self!r} is answered twice"
        self.answered = True
        self.abandon = None
        self.connection.close()
        self._then()


class OverwrittenCall(WatchedCall):
    __slots__ = ("_fault",)

    def __init__(self, original: Call, fault: Fault) -> None:
        super().__init__(original, lambda: None)
        self._fault = fault

    def reply(self, response: object) -> None:
        super().reply(overwrite_errors(response, self._fault.error))


def groups_of(message: Any) -> tuple[str, ...]:
    """The groups that a request names, whatever its API and version."""
    group_id = getattr(message, "group_id", None)
    if group_id:
        return (group_id,)
    names = [
        *(getattr(message, "coordinator_keys", None) or ()),
        *(getattr(message, "groups_names", None) or ()),
        *(getattr(each, "group_id", each) for each in getattr(message, "groups", None) or ()),
    ]
    key = getattr(message, "key", None)
    return tuple([key, *names] if isinstance(key, str) and key else names)


def transactional_ids_of(message: Any) -> tuple[str, ...]:
    """The transactional ids that a request names."""
    name = getattr(message, "transactional_id", None)
    if name:
        return (name,)
    return tuple(each.transactional_id for each in getattr(message, "transactions", None) or ())
