"""How many connections are served at a time: in all, through each listener, of each user who has shown who he is.

Counts those who are served, not those who still have to show who they are (`newcomers`). Asked by the listener.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from muster.server.settings import Settings

ALL: Final = "max.connections"
PER_USER: Final = "muster.max.connections.per.user"


class ConnectionLimits:
    def __init__(self, settings: Settings, listeners: tuple[str, ...]) -> None:
        self._most = settings.integer(ALL)
        self._most_through = {
            name: settings.for_listener(name).integer(ALL)
            for name in listeners
            if settings.for_listener(name).is_own(ALL)
        }
        self._most_of_user = settings.integer(PER_USER)
        self._taken: dict[object, tuple[str, str | None]] = {}
        """By connection: its listener, and its principal if that is known."""
        self._through: Counter[str] = Counter()
        self._of_user: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._taken)

    def enter(self, connection: object, listener: str, principal: str | None) -> str | None:
        """None if there was room and it is taken; else which limit is in the way. Deviates: Kafka leaves connections over
        max.connections unaccepted; here they are accepted and closed."""
        if len(self._taken) >= self._most:
            return f"{ALL} = {self._most}"
        most = self._most_through.get(listener)
        if most is not None and self._through[listener] >= most:
            return f"{ALL} = {most} of listener {listener}"
        if principal is not None and self._of_user[principal] >= self._most_of_user:
            return f"{PER_USER} = {self._most_of_user}"
        self._taken[connection] = (listener, principal)
        self._through[listener] += 1
        if principal is not None:
            self._of_user[principal] += 1
        return None

    def leave(self, connection: object) -> None:
        """Harmless if it has none."""
        taken = self._taken.pop(connection, None)
        if taken is None:
            return
        listener, principal = taken
        self._through[listener] -= 1
        if principal is not None:
            self._of_user[principal] -= 1
            if not self._of_user[principal]:
                del self._of_user[principal]
