"""How large a reply may become, and how many entries a request may list: both are known before anything is built for them.

A few bytes can ask for the same large thing a thousand times. Handlers look for it once, repeat it as often as Kafka does as long
as that is little (`Repeats`), and count here what they are about to lay out. Too much closes the connection with a line that says
why: the client asks for less at a time.
"""

from __future__ import annotations

from typing import Final

from muster.server.limits import MOST_REPEATS, MOST_REPLY_BYTES, REPEATED_BYTES
from muster.wire.errors import WireError
from muster.wire.message import Message

_ASK_LESS: Final = "ask for less at a time"


class TooMuchAsked(WireError):
    """The client's fault, though every byte of its request makes sense."""


def check_reply_bytes(size: int) -> None:
    """Of what was laid out, and of what is about to be."""
    if size > MOST_REPLY_BYTES:
        raise TooMuchAsked(f"the reply would have more than {MOST_REPLY_BYTES} bytes: {_ASK_LESS}")


class Repeats:
    """What one reply says again because its request asked again."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MOST_REPEATS

    def add(self, things: int = 1) -> None:
        """So many more offsets, settings or names, none of them larger than REPEATED_BYTES."""
        self._left -= things
        if self._left < 0:
            raise TooMuchAsked(f"the request lists the same again, and more than {MOST_REPEATS} times in all")

    def add_bytes(self, size: int) -> None:
        self.add(1 + size // REPEATED_BYTES)


def check_entries(request: object, most: int) -> None:
    """Of all arrays of structs and texts in a request together. Arrays of numbers are cheap and do not count."""
    if isinstance(request, Message) and _count(request, most) < 0:
        raise TooMuchAsked(
            f"the request lists more than {most} entries: {_ASK_LESS}, or raise muster.request.max.entries on the server"
        )


def _count(message: Message, left: int) -> int:
    """What is left after the entries of this message; negative as soon as there are too many."""
    for _, value in message.fields():
        if isinstance(value, (list, tuple)) and value:
            left -= len(value)
            if left < 0:
                return left
            if isinstance(value[0], Message):
                for item in value:
                    left = _count(item, left)
                    if left < 0:
                        return left
    return left
