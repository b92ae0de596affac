"""Deleting topics, by name or by id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from muster.log.contract import PartitionLog, StorageError
from muster.topics.catalog import Catalog
from muster.topics.refusal import TopicError
from muster.topics.topic import Topic
from muster.wire.errors import (
    INVALID_REQUEST,
    INVALID_TOPIC_EXCEPTION,
    KAFKA_STORAGE_ERROR,
    NONE,
    TOPIC_DELETION_DISABLED,
    UNKNOWN_TOPIC_ID,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.late_dataclass import dataclass
from muster.wire.special_values import NO_TOPIC_ID


@dataclass(slots=True, frozen=True)
class DeletedTopic:
    """The answer for one reference. On success both name and id are known."""

    name: str | None
    topic_id: bytes
    error_code: int = NONE
    message: str | None = None
    logs: tuple[PartitionLog, ...] = ()
    """The logs that went with it: whoever waits for one of them has to be told."""


def delete_topics(
    catalog: Catalog, references: Sequence[tuple[str | None, bytes]], *, enabled: bool = True
) -> list[DeletedTopic]:
    """`references`: (name, zero id) or (None, id). One answer for each, in the order of the request."""
    times = Counter(_resolve_for_count(catalog, name, topic_id) for name, topic_id in references)
    going: list[Topic] = []
    answers: list[DeletedTopic] = []
    for name, topic_id in references:
        try:
            topic = _deletable(catalog, name, topic_id, enabled=enabled)
            if times[topic.topic_id] > 1:
                raise TopicError(INVALID_REQUEST, "Duplicate topic: it is named more than once in this request.")
        except TopicError as refused:
            answers.append(DeletedTopic(name, topic_id, refused.code, refused.message))
        else:
            going.append(topic)
            logs = tuple(partition.log for partition in topic.partitions)
            answers.append(DeletedTopic(topic.name, topic.topic_id, logs=logs))
    if going:
        try:
            catalog.remove(going)
        except StorageError as error:
            return [
                answer
                if answer.error_code
                else DeletedTopic(answer.name, answer.topic_id, KAFKA_STORAGE_ERROR, str(error))
                for answer in answers
            ]
    return answers


def _resolve_for_count(catalog: Catalog, name: str | None, topic_id: bytes) -> bytes:
    topic = catalog.get(name) if name is not None else None
    return topic.topic_id if topic is not None else topic_id


def _deletable(catalog: Catalog, name: str | None, topic_id: bytes, *, enabled: bool) -> Topic:
    if not enabled:
        raise TopicError(TOPIC_DELETION_DISABLED, "Topic deletion is disabled (delete.topic.enable=false).")
    if name is not None and topic_id != NO_TOPIC_ID:
        raise TopicError(INVALID_REQUEST, "You may not specify both topic name and topic id.")
    if name is None and topic_id == NO_TOPIC_ID:
        raise TopicError(INVALID_REQUEST, "Neither topic name nor id were specified.")
    topic = catalog.get(name) if name is not None else catalog.by_id(topic_id)
    if topic is None:
        if name is None:
            raise TopicError(UNKNOWN_TOPIC_ID, "This server does not host this topic ID.")
        raise TopicError(UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition.")
    if topic.internal:
        # Deviates: Kafka deletes its internal topics on request, and with them the committed offsets of all groups.
        raise TopicError(INVALID_TOPIC_EXCEPTION, f"The internal topic {topic.name} cannot be deleted.")
    return topic
