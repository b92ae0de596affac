"""The last request of one API that a connection has learned, and when it tries to learn one.

Consumers send heartbeats and commits over the same connection, so it has a slot for each API whose requests repeat. Learning
costs more than reading a request, and not every client repeats itself: a try that was of no use puts off the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.server.limits import REPEAT_PAUSES, REPEATED_REQUEST_BYTES

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.server.call import Call
    from muster.server.intake.repeated_request import RepeatedRequest


class RepeatSlot:
    __slots__ = ("_last_bytes", "_of_no_use", "_pause_left", "api_key", "learned")

    def __init__(self, api_key: int) -> None:
        self.api_key = api_key
        self.learned: RepeatedRequest | None = None
        self._last_bytes = 0
        """Length of the last request that was read as a whole."""
        self._of_no_use = 0
        """Tries since the last one that was of use."""
        self._pause_left = 0
        """Requests to leave out before the next try."""

    def learn(self, call: Call, request: object, node: Node, frame: bytes, start: int, body: int) -> None:
        """Learn the second request of a length. In the frame its payload begins at `start`, its body at `body`."""
        length = len(frame) - start
        if length != self._last_bytes:
            self._last_bytes = length
            return
        if length > REPEATED_REQUEST_BYTES:
            return
        self._forget()
        if self._pause_left:
            self._pause_left -= 1
            return
        learn = call.route.learn
        assert learn is not None
        learned = learn(call, request, node, frame[start:], body - start)
        if learned is not None and learned.is_valid(call.connection):
            self.learned = learned
        else:
            self._put_off()

    def _forget(self) -> None:
        learned = self.learned
        self.learned = None
        if learned is None:
            return
        if learned.has_served:
            self._of_no_use = self._pause_left = 0
        else:
            self._put_off()

    def _put_off(self) -> None:
        self._pause_left = REPEAT_PAUSES[self._of_no_use]
        self._of_no_use = min(self._of_no_use + 1, len(REPEAT_PAUSES) - 1)
