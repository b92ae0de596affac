"""kafka-python's names. Imported from here, because its import itself warns on newer Pythons."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # kafka-python reads its schemas with importlib.resources.read_text, deprecated from Python 3.11 to 3.12.
    warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
    from kafka import ConsumerRebalanceListener, KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition, errors
    from kafka.admin import ConfigResource, ConfigResourceType, MemberToRemove, NewPartitions, NewTopic, OffsetSpec
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
    from kafka.coordinator.assignors.range import RangePartitionAssignor
    from kafka.structs import OffsetAndMetadata

__all__ = [
    "ConfigResource",
    "ConfigResourceType",
    "ConsumerRebalanceListener",
    "CooperativeStickyAssignor",
    "KafkaAdminClient",
    "KafkaConsumer",
    "KafkaProducer",
    "MemberToRemove",
    "NewPartitions",
    "NewTopic",
    "OffsetAndMetadata",
    "OffsetSpec",
    "RangePartitionAssignor",
    "TopicPartition",
    "errors",
]
