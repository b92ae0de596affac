"""The words in which the broker tests speak, whatever the client library: each library has an adapter that says them.

An adapter translates and does nothing else: no retries, no checks, and errors come out as the library raises them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


@dataclass(frozen=True, slots=True)
class Sent:
    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()
    timestamp_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Got:
    offset: int
    value: bytes | None
    key: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    timestamp_ms: int


class Sender(ABC):
    """A producer, open until `close`."""

    @abstractmethod
    def send(self, topic: str, partition: int, records: Sequence[Sent]) -> list[int]:
        """Everything is acknowledged when it returns; the offsets that the broker gave."""

    @abstractmethod
    def close(self) -> None: ...


class Reader(ABC):
    """A consumer without a group that reads one partition, from its beginning at first."""

    @abstractmethod
    def read(self, count: int) -> list[Got]:
        """The next `count` records; fails if they do not come."""

    @abstractmethod
    def seek(self, offset: int) -> None: ...

    @abstractmethod
    def seek_to_beginning(self) -> None: ...

    @abstractmethod
    def seek_to_end(self) -> None: ...

    @abstractmethod
    def position(self) -> int: ...

    @abstractmethod
    def offset_at(self, timestamp_ms: int) -> int | None:
        """The first offset with this time or a later one; None: there is none."""

    @abstractmethod
    def watermarks(self) -> tuple[int, int]: ...

    @abstractmethod
    def close(self) -> None: ...


class Client(ABC):
    """One library, talking to one broker. Owns its admin client; senders and readers are closed with it."""

    name: ClassVar[str]
    too_large: ClassVar[str]
    """What its error says when the broker refuses a record for its size."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self._opened: list[Sender | Reader] = []

    def sender(self, *, compression: str = "none", idempotent: bool = False) -> Sender:
        sender = self._make_sender(compression=compression, idempotent=idempotent)
        self._opened.append(sender)
        return sender

    def send(self, topic: str, partition: int, records: Sequence[Sent], *, compression: str = "none") -> list[int]:
        """With a sender of its own that is closed at once: an open one asks for its topics again and again, and that
        creates a topic that was deleted meanwhile."""
        sender = self._make_sender(compression=compression, idempotent=False)
        try:
            return sender.send(topic, partition, records)
        finally:
            sender.close()

    def reader(self, topic: str, partition: int = 0) -> Reader:
        reader = self._make_reader(topic, partition)
        self._opened.append(reader)
        return reader

    def close(self) -> None:
        for each in self._opened:
            each.close()
        self._close_admin()

    @abstractmethod
    def _make_sender(self, *, compression: str, idempotent: bool) -> Sender:
        """The library's own size limits are out of the way: the broker's are tested."""

    @abstractmethod
    def _make_reader(self, topic: str, partition: int) -> Reader: ...

    @abstractmethod
    def _close_admin(self) -> None: ...

    @abstractmethod
    def create_topic(self, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None) -> None: ...

    @abstractmethod
    def grow_topic(self, topic: str, partitions: int) -> None: ...

    @abstractmethod
    def delete_topic(self, topic: str) -> None: ...

    @abstractmethod
    def topics(self) -> dict[str, int]:
        """Partitions by topic, internal topics too."""

    @abstractmethod
    def configs(self, topic: str) -> dict[str, str]: ...

    @abstractmethod
    def set_config(self, topic: str, name: str, value: str) -> None: ...

    @abstractmethod
    def delete_records(self, topic: str, partition: int, before: int) -> int:
        """The low watermark after it."""
