"""What the generator asks of a dialect, and the writer of indented lines that dialects share.

A dialect writes function bodies for one message in one version. The generator decides which versions share a body, names
the functions and makes the classes, so a second dialect brings nothing but bodies and what they import.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from tools.codecs.schema import Api, Message

MOST_ITEMS: Final = 50_000
"""Structs or texts in one array of a request; responses may have any number."""
WHERE: Final = "@WHERE@"
"""Stands in a body for the text that names message and versions: bodies of several versions have to stay equal."""


class Dialect(Protocol):
    """One is made for each generated module; it remembers what the bodies it wrote need."""

    def decode_body(self, api: Api, message: Message, version: int) -> list[str]:
        """Lines of a function of `buf: bytes, pos: int` that returns the message or raises WireError."""

    def encode_body(self, api: Api, message: Message, version: int) -> list[str]:
        """Lines of a function of `message` that returns the body's bytes or raises EncodeError."""

    def item_functions(self) -> list[list[str]]:
        """Functions that the encoders written so far call for items of arrays, and that handlers may call too."""

    def imports(self) -> list[str]:
        """Import lines that all bodies written so far need."""

    def constants(self) -> list[str]:
        """Assignments that all bodies written so far need."""


class CodeWriter:
    """Collects lines at the current depth of indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def line(self, text: str) -> None:
        self.lines.append(("    " * self.depth + text).rstrip())

    @contextmanager
    def block(self, opening: str) -> Iterator[None]:
        """`with code.block("if x:"):` what is written inside stands one deeper."""
        self.line(opening)
        self.depth += 1
        yield
        self.depth -= 1
