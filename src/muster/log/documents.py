"""The small documents of a log store, as their keepers see them: read, understood, written over.

A store that several nodes share lets a node write only over what it has read. What it has read and could not understand (another
release wrote it, a backup was cut off) does not count: the node would lose what the others made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Documents(Protocol):
    """The part of a log store that is needed here."""

    def read_document(self, name: str) -> bytes | None: ...

    def forget_document(self, name: str) -> None: ...

    def write_document(self, name: str, content: bytes) -> None: ...


def read_and_decode(documents: Documents, name: str, decode: Callable[[bytes | None], T]) -> T:
    """What `decode` raises leaves the document as if it had not been read: it is read again when somebody looks, and nothing is
    written over it."""
    content = documents.read_document(name)
    is_understood = False
    try:
        decoded = decode(content)
        is_understood = True
    finally:
        if not is_understood:
            documents.forget_document(name)
    return decoded
