"""What consumer groups need to know of topics: a read-only view that the runtime gives to the core."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from mypy_extensions import mypyc_attr


class BadRegex(ValueError):
    """Not a regular expression that RE2 knows. Says what is wrong with it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class TopicView:
    """A base class rather than a trait: whoever implements it is not compiled."""

    @abstractmethod
    def version(self) -> int:
        """Grows whenever a topic comes, goes or gets more partitions."""

    def newest(self) -> int:
        """Grows whenever a topic comes. A regular expression is resolved anew for those; what is gone matches nothing anyhow."""
        return self.version()

    @abstractmethod
    def find(self, name: str) -> tuple[bytes, int] | None:
        """Id and number of partitions; None if there is no such topic."""

    @abstractmethod
    def name_of(self, topic_id: bytes) -> str | None: ...

    @abstractmethod
    def names(self) -> list[str]:
        """Every topic, internal ones too, sorted."""

    @abstractmethod
    def matcher(self, regex: str) -> Callable[[str], bool]:
        """Whether a whole name matches. BadRegex if it is none."""


class NoTopics(TopicView):
    """For shards that no server stands behind."""

    def version(self) -> int:
        return 0

    def find(self, name: str) -> tuple[bytes, int] | None:
        return None

    def name_of(self, topic_id: bytes) -> str | None:
        return None

    def names(self) -> list[str]:
        return []

    def matcher(self, regex: str) -> Callable[[str], bool]:
        raise BadRegex(f"{regex}: there is nothing to match")
