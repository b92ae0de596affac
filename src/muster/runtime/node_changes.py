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


class NodeChanges:
    def __init__(self, catalog: Catalog, follow_again: Callable[[], None]) -> None:
        """`follow_again`: has the seat in the cluster look at its last view once more."""
        self._catalog = catalog
        self._follow_again = follow_again
        self._followed = 0
        """Additions and enlargements of the catalog of which the seat in the cluster has heard."""
        self.apart: ChangesApart | None = None
        """Where changes are made in a database."""

    def in_turns(self, work: Callable[[], T], then: Callable[[Callable[[], T]], None]) -> None:
        """Do something that changes what the store holds, or takes over what others changed: now, or in turns with a thread where
        the store is a database. `then` is called, in the loop, with what gives the result or raises what went wrong."""
        if self.apart is None:
            then(work)
        else:
            self.apart.run(work, then)

    def request(self, call: Answerable, work: Callable[[], object]) -> None:
        """Work a request out that changes something, and answer it."""
        if self.apart is None:
            call.reply(work())
        else:
            change = _Change(self, call, work)
            self.apart.run(change.work, change.reply)

    def before(self, call: Answerable, work: Callable[[], None], step: Callable[[], None]) -> None:
        """Have something changed before a request goes on with `step`."""

        def go_on(outcome: Callable[[], None]) -> None:
            outcome()
            step()

        self.in_turns(work, lambda outcome: call.resume(lambda: go_on(outcome)))

    def follow_new_topics(self) -> None:
        """Their leaders may have been named before this node knew the topics."""
        known = self._catalog.additions + self._catalog.enlargements
        if self.apart is not None and known != self._followed:
            self._followed = known
            self._follow_again()


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
