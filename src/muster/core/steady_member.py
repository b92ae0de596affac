"""A member of either protocol whose heartbeats are all the same between two changes of its group, and so are their answers.

What the two protocols have in common for the runtime's `SessionToken`. Each of them says since when a member is steady
(`classic/heartbeat.py`, `consumer/steady.py`) and what ends it.
"""

from __future__ import annotations

from muster.core.contract import TimerKey
from muster.core.time_units import FOR_EVER_MS


class SteadyMember:
    """The member as it was when its last heartbeat was answered."""

    __slots__ = ("session_key", "session_timeout_ms", "until_ms")

    def __init__(self, session_key: TimerKey, session_timeout_ms: int) -> None:
        self.session_key = session_key
        self.session_timeout_ms = session_timeout_ms
        """A heartbeat gives the timer `session_key` a deadline so far away."""
        self.until_ms: int = FOR_EVER_MS
        """From then on a heartbeat has something to do, though nothing else has happened."""

    def holds(self) -> bool:
        """True if the same heartbeat again gets the same answer, moves the session's deadline and changes nothing else."""
        raise NotImplementedError
