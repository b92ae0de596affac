"""The catalog as consumer groups see it: which topics there are, with ids and partition counts, and what an expression matches."""

from __future__ import annotations

from collections.abc import Callable

from muster.core.consumer.topics import BadRegex, TopicView
from muster.topics.catalog import Catalog
from muster.topics.patterns import BadPattern, whole_match


class CatalogTopics(TopicView):
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def version(self) -> int:
        return self._catalog.changes + self._catalog.enlargements

    def newest(self) -> int:
        return self._catalog.additions

    def find(self, name: str) -> tuple[bytes, int] | None:
        topic = self._catalog.get(name)
        return None if topic is None else (topic.topic_id, len(topic.partitions))

    def name_of(self, topic_id: bytes) -> str | None:
        topic = self._catalog.by_id(topic_id)
        return None if topic is None else topic.name

    def names(self) -> list[str]:
        return [topic.name for topic in self._catalog.topics()]

    def matcher(self, regex: str) -> Callable[[str], bool]:
        try:
            return whole_match(regex)
        except BadPattern as error:
            raise BadRegex(f"SubscribedTopicRegex {error}") from error
