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
    from kafka.net.transport import KafkaSSLTransport
    from kafka.structs import OffsetAndMetadata

# kafka-python drops the sockets of connections that failed: whichever test runs when one is collected would be blamed.
_connect = KafkaNetSocket.sock_connect
_shake_hands = KafkaSSLTransport.handshake


async def _connect_or_close(self: Any, net: Any, unconnected: socket, *where: Any, **options: Any) -> Any:
    try:
        return await _connect(self, net, unconnected, *where, **options)
    except BaseException:
        unconnected.close()
        raise


async def _shake_hands_or_close(self: Any) -> None:
    try:
        await _shake_hands(self)
    except BaseException:
        self._close()
        raise


KafkaNetSocket.sock_connect = _connect_or_close
KafkaSSLTransport.handshake = _shake_hands_or_close

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
