"""DeleteRecords: move the start of a log up (KIP-107)."""

from __future__ import annotations

from typing import Final

from muster.log.contract import StorageError
from muster.topics.refusal import TopicError
from muster.topics.topic import Partition
from muster.wire.errors import (
    INVALID_TOPIC_EXCEPTION,
    KAFKA_STORAGE_ERROR,
    NONE,
    OFFSET_OUT_OF_RANGE,
    POLICY_VIOLATION,
)

HIGH_WATERMARK: Final = -1


def delete_records(partition: Partition, before_offset: int) -> int:
    """Drop what lies before the offset. Returns the new start of the log; TopicError if it may not be."""
    topic, log = partition.topic, partition.log
    if topic.internal:
        raise TopicError(INVALID_TOPIC_EXCEPTION, f"Cannot delete records of internal topic {topic.name}")
    if not topic.settings.log.cleanup_delete:
        raise TopicError(
            POLICY_VIOLATION, f"Records of partition {partition} can not be deleted due to the configured policy"
        )
    if partition.refusal != NONE:
        raise TopicError(partition.refusal, f"{partition} is led by another node, or offline")
    offset = partition.high_watermark if before_offset == HIGH_WATERMARK else before_offset
    if not 0 <= offset <= partition.high_watermark:
        raise TopicError(OFFSET_OUT_OF_RANGE, f"The offset {offset} for partition {partition} is not valid")
    if offset > log.start_offset:
        try:
            log.delete_before(offset)
        except StorageError as error:
            raise TopicError(KAFKA_STORAGE_ERROR, str(error)) from error
    return log.start_offset
