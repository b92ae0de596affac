"""Hands out producer ids, each once in the life of the data directory."""

from __future__ import annotations

from typing import Final

from muster.log.contract import DocumentChanged, LogStore, StorageError
from muster.log.documents import read_and_decode
from muster.topics.limits import PRODUCER_ID_BLOCK
from muster.topics.refusal import TopicError
from muster.wire.errors import KAFKA_STORAGE_ERROR

DOCUMENT: Final = "producer-ids.json"


class ProducerIds:
    """A durable counter: ids are taken from blocks, and only the end of the block is on disk."""

    def __init__(self, store: LogStore) -> None:
        self._store = store
        self._next = self._reserved = _read_reserved(store)

    @property
    def is_used_up(self) -> bool:
        """Whether the store has to be asked before the next one can be given out."""
        return self._next == self._reserved

    def refill(self) -> None:
        """Have some ready. TopicError if the store cannot say which."""
        if self.is_used_up:
            self._reserve(self._next)

    def new_id(self) -> int:
        """One that nobody has had before. TopicError if the store cannot say so."""
        self.refill()
        producer_id = self._next
        self._next += 1
        return producer_id

    def skip_past(self, producer_id: int) -> None:
        """Never hand out this id or a lower one: it stands in a log that another broker wrote."""
        if producer_id >= self._next:
            self._reserve(producer_id + 1)

    def _reserve(self, first: int) -> None:
        try:
            while not self._try_reserve(first + PRODUCER_ID_BLOCK):
                # Another node took this block: the next one begins where that ends.
                first = _read_reserved(self._store)
        except StorageError as error:
            raise TopicError(KAFKA_STORAGE_ERROR, str(error)) from error
        self._next, self._reserved = first, first + PRODUCER_ID_BLOCK

    def _try_reserve(self, end: int) -> bool:
        import json

        try:
            self._store.write_document(DOCUMENT, json.dumps({"version": 1, "reserved": end}).encode())
        except DocumentChanged:
            return False
        return True


def _read_reserved(store: LogStore) -> int:
    return read_and_decode(store, DOCUMENT, _decode_reserved)


def _decode_reserved(content: bytes | None) -> int:
    if content is None:
        return 0
    import json

    try:
        document = json.loads(content)
        reserved = document["reserved"]
    except (ValueError, KeyError, TypeError):
        reserved = None
    if not isinstance(reserved, int) or reserved < 0:
        raise StorageError(
            f"{DOCUMENT} cannot be read: expected an object with a number 'reserved', found {content[:80]!r}. "
            "Restore it from a backup; deleting it lets producer ids be handed out twice."
        )
    return reserved
