"""The document in which the catalog survives a restart: `topics.json` beside the logs.

Knows the layout, nothing else. Ids are written as Kafka's tools print them, so that people can compare.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any, Final

from muster.log.contract import StorageError
from muster.topics.names import id_from_text, id_text
from muster.wire.late_dataclass import dataclass

DOCUMENT: Final = "topics.json"
VERSION: Final = 1


@dataclass(slots=True)
class StoredTopic:
    name: str
    topic_id: bytes
    partitions: int
    configs: dict[str, str] = field(default_factory=dict)
    leader_epochs: dict[int, int] = field(default_factory=dict)
    """Only of partitions whose epoch is not 0: another broker wrote to them."""


@dataclass(slots=True)
class StoredCatalog:
    topics: list[StoredTopic] = field(default_factory=list)
    deleting: list[str] = field(default_factory=list)
    """Names of topics whose logs were being removed: found after a crash, they go instead of being adopted."""


def encode_catalog(topics: Iterable[StoredTopic], deleting: Iterable[str]) -> bytes:
    import json

    document = {
        "version": VERSION,
        "topics": [_topic_object(topic) for topic in topics],
        "deleting": list(deleting),
    }
    return json.dumps(document, indent=1).encode()


def _topic_object(topic: StoredTopic) -> dict[str, object]:
    content: dict[str, object] = {
        "name": topic.name,
        "id": id_text(topic.topic_id),
        "partitions": topic.partitions,
        "configs": topic.configs,
    }
    if topic.leader_epochs:
        content["leader_epochs"] = {str(index): epoch for index, epoch in topic.leader_epochs.items()}
    return content


def decode_catalog(content: bytes | None) -> StoredCatalog:
    """What was stored; an empty catalog if nothing was. A document that cannot be read is a StorageError."""
    if content is None:
        return StoredCatalog()
    import json

    try:
        document = json.loads(content)
        version = document["version"]
        if version != VERSION:
            raise StorageError(
                f"{DOCUMENT} has version {version}, this server reads version {VERSION}: "
                "it was written by another release, start that one or restore the file from a backup"
            )
        return StoredCatalog(
            [_stored_topic(entry) for entry in document["topics"]],
            [str(name) for name in document.get("deleting", ())],
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(
            f"{DOCUMENT} cannot be read: {type(error).__name__} {error}. Restore it from a backup, or delete it: "
            "topics are then found again by their directories, without their settings"
        ) from error


def _stored_topic(entry: dict[str, Any]) -> StoredTopic:
    partitions = entry["partitions"]
    if not isinstance(partitions, int) or partitions < 1:
        raise ValueError(f"topic {entry['name']!r} has {partitions!r} partitions")
    return StoredTopic(
        str(entry["name"]),
        id_from_text(entry["id"]),
        partitions,
        {str(name): str(value) for name, value in entry["configs"].items()},
        {int(index): int(epoch) for index, epoch in entry.get("leader_epochs", {}).items()},
    )
