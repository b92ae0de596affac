"""The topics of a recorded group as the core sees them: names and partition counts that never change."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from muster.core.consumer.topics import BadRegex, TopicView


class ReplayedTopics(TopicView):
    def __init__(self, counts: Mapping[str, int]) -> None:
        ids = {name: number.to_bytes(16, "big") for number, name in enumerate(sorted(counts), 1)}
        self._found = {name: (ids[name], count) for name, count in counts.items()}
        self._names = {topic_id: name for name, topic_id in ids.items()}

    def version(self) -> int:
        return 1

    def find(self, name: str) -> tuple[bytes, int] | None:
        return self._found.get(name)

    def name_of(self, topic_id: bytes) -> str | None:
        return self._names.get(topic_id)

    def names(self) -> list[str]:
        return sorted(self._found)

    def matcher(self, regex: str) -> Callable[[str], bool]:
        raise BadRegex(f"{regex}: recorded members subscribe by name")
