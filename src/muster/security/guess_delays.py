"""How long a password is kept waiting before it is checked, after others were wrong.

Counts failures of each address, and of each user at each address: somebody who guesses waits longer and longer, and gets no
further by dropping the connection, because the wait comes before the check, nor by opening more of them, because passwords of
one user at one address wait one behind the other. A user who comes from another address does not wait: nobody can lock him out
by guessing. Pure: the clock is given. Asked by the server's `sasl_session`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

FREE_OF_USER: Final = 3
"""Failures of one user at one address that nobody waits for: people mistype."""
FREE_OF_ADDRESS: Final = 30
"""Failures of one address, whoever was claimed. Many programs may share one, and one of them a wrong password."""
FIRST_SECONDS: Final = 0.1
LONGEST_SECONDS: Final = 5.0
"""Short enough for clients to wait for it: a user who shares his address with somebody who guesses still comes in."""
LONGEST_QUEUE_SECONDS: Final = 20.0
"""A password that would wait longer, behind others of the same user and address, is refused without a look at it."""
HALF_LIFE_SECONDS: Final = 60.0
"""In so long half of the failures are forgotten."""
MOST_KEPT: Final = 10_000
"""Of each kind; the one that failed longest ago is forgotten first."""
_FORGOTTEN: Final = 0.5


class _Failures:
    """By key: how many, and when that was counted."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._counted: dict[Hashable, tuple[float, float]] = {}

    def of(self, key: Hashable) -> float:
        found = self._counted.get(key)
        if found is None:
            return 0.0
        count, at = found
        return count * float(0.5 ** ((self._clock() - at) / HALF_LIFE_SECONDS))

    def add(self, key: Hashable) -> None:
        count = self.of(key) + 1
        self._counted.pop(key, None)  # the newest are last
        self._counted[key] = count, self._clock()
        if len(self._counted) > MOST_KEPT:
            del self._counted[next(iter(self._counted))]

    def forget(self, key: Hashable) -> None:
        self._counted.pop(key, None)


class GuessDelays:
    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock`: seconds that only move forward."""
        self._clock = clock
        self._of_user = _Failures(clock)
        self._of_address = _Failures(clock)
        self._queue_ends: dict[tuple[str, str], float] = {}
        """By address and user: when the last password that waits is checked."""

    def take_place(self, address: str, user: str) -> float | None:
        """In how many seconds a password that has just come is checked; None: too many wait, it is not checked at all."""
        delay = self.seconds(address, user)
        if not delay:
            return 0.0
        now = self._clock()
        wait = max(self._queue_ends.pop((address, user), now) - now, 0.0) + delay
        if wait > LONGEST_QUEUE_SECONDS:
            self._queue_ends[address, user] = now + wait - delay
            return None
        self._queue_ends[address, user] = now + wait
        if len(self._queue_ends) > MOST_KEPT:
            del self._queue_ends[next(iter(self._queue_ends))]
        return wait

    def seconds(self, address: str, user: str) -> float:
        """How long a password of this user from this address waits if no other is waiting."""
        doublings = max(
            self._of_user.of((address, user)) - FREE_OF_USER,
            # Slower: ten failures of an address count as one of a user.
            (self._of_address.of(address) - FREE_OF_ADDRESS) / 10,
        )
        if doublings <= -_FORGOTTEN:
            return 0.0
        return float(min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(doublings, 10.0)))

    def failed(self, address: str, user: str) -> None:
        self._of_user.add((address, user))
        self._of_address.add(address)

    def succeeded(self, address: str, user: str) -> None:
        """The address is not forgiven: it may be trying the passwords of others, with one account of its own."""
        self._of_user.forget((address, user))
