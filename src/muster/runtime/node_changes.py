"""How a node changes what its store holds: at once, or in turns with a thread where the store is a database (`changes_apart`).

Handlers of requests that change something call `request`, everybody else `in_turns`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from muster.topics.catalog import Catalog

if TYPE_CHECKING:
    from muster.runtime.changes_apart import ChangesApart

T = TypeVar("T")


class Answerable(Protocol):
    """The part of a call that is needed here."""

    @property
    def is_abandoned(self) -> bool: ...

    def reply(self, response: object) -> None: ...

    def resume(self, step: Callable[[], None]) -> None: ...


class Seat(Protocol):
    """The part of a seat in the cluster that is needed here."""

    def follow_again(self) -> None:
        """Look at the last view once more."""
        ...

    def look_again(self) -> None:
        """Get another view."""
        ...

    def announce_again(self, topic_ids: frozenset[bytes]) -> None:
        """Get another view in a while: these could not be announced. Empty: all are."""
        ...


class NodeChanges:
    def __init__(self, catalog: Catalog, seat: Callable[[], Seat | None]) -> None:
        """`seat`: gives the node's seat in the cluster, if it has one."""
        self._catalog = catalog
        self._seat = seat
        self._followed = 0
        """Additions and enlargements of the catalog of which the seat in the cluster has heard."""
        self.apart: ChangesApart | None = None
        """Where changes are made in a database."""

    def in_turns(self, work: Callable[[], T], then: Callable[[Callable[[], T]], None]) -> None:
        """Do something that changes what the store holds, or takes over what others changed: now, or in turns with a thread where
        the store is a database. `then` is called, in the loop, with what gives the result or raises what went wrong."""

        def ended(outcome: Callable[[], T]) -> None:
            try:
                then(outcome)
            finally:
                self._catch_up()

        if self.apart is None:
            ended(work)
        else:
            self.apart.run(work, ended)

    def request(self, call: Answerable, work: Callable[[], object]) -> None:
        """Work a request out that changes something, and answer it."""
        if self.apart is None:
            self.in_turns(work, lambda outcome: call.reply(outcome()))
        else:
            change = _Change(self, call, work)
            self.in_turns(change.work, change.reply)

    def before(self, call: Answerable, work: Callable[[], None], step: Callable[[], None]) -> None:
        """Have something changed before a request goes on with `step`."""

        def go_on(outcome: Callable[[], None]) -> None:
            outcome()
            step()

        self.in_turns(work, lambda outcome: call.resume(lambda: go_on(outcome)))

    def _catch_up(self) -> None:
        """The catalog waits for a refresh, which comes with a view, and nothing else that changes may bring one."""
        seat = self._seat()
        if seat is None:
            return
        seat.announce_again(self._catalog.unannounced)
        if self._catalog.is_behind:
            seat.look_again()

    def follow_new_topics(self) -> None:
        """Their leaders may have been named before this node knew the topics."""
        known, seat = self._catalog.additions + self._catalog.enlargements, self._seat()
        if self.apart is not None and known != self._followed:
            self._followed = known
            if seat is not None:
                seat.follow_again()


class _Change:
    """A request that changes something, in turns with the loop."""

    __slots__ = ("_call", "_changes", "_is_begun", "_work")

    def __init__(self, changes: NodeChanges, call: Answerable, work: Callable[[], object]) -> None:
        self._changes = changes
        self._call = call
        self._work = work
        self._is_begun = False

    def work(self) -> object:
        if self._call.is_abandoned:
            return None  # while it waited for others
        self._is_begun = True
        return self._work()

    def reply(self, outcome: Callable[[], object]) -> None:
        if self._is_begun:
            self._changes.follow_new_topics()
            self._call.resume(lambda: self._reply(outcome))

    def _reply(self, outcome: Callable[[], object]) -> None:
        self._call.reply(outcome())
