"""How this room says no: an error code of Kafka's and a sentence for the person who asked."""

from __future__ import annotations

from muster.wire.errors import name_of


class TopicError(Exception):
    """A refusal that becomes data in a reply. `message` may be None where Kafka sends none either."""

    def __init__(self, code: int, message: str | None = None) -> None:
        super().__init__(f"{name_of(code)}: {message}" if message else name_of(code))
        self.code = code
        self.message = message
