"""kafka-python's names. Imported from here, because its import itself warns on newer Pythons, and because of its sockets."""

from __future__ import annotations

import warnings
from socket import socket
from typing import Any

with warnings.catch_warnings():
    # kafka-python reads its schemas with importlib.resources.read_text, deprecated from Python 3.11 to 3.12.
    warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
    from kafka import ConsumerRebalanceListener, KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition, errors
    from kafka.admin import ConfigResource, ConfigResourceType, MemberToRemove, NewPartitions, NewTopic, OffsetSpec
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
    from kafka.coordinator.assignors.range import RangePartitionAssignor
    from kafka.net.inet import KafkaNetSocket
    from kafka.structs import OffsetAndMetadata

_connected = KafkaNetSocket.sock_connect


async def _connected_or_closed(self: Any, net: Any, unconnected: socket, *where: Any, **options: Any) -> Any:
    """kafka-python drops the socket of a refused connection: whichever test runs when it is collected would be blamed."""
    try:
        return await _connected(self, net, unconnected, *where, **options)
    except BaseException:
        unconnected.close()
        raise


KafkaNetSocket.sock_connect = _connected_or_closed

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
