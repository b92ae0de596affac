"""What the operator decides about topics. Not compiled: the compiler knows no dataclass that is written later."""

from __future__ import annotations

from muster.wire.late_dataclass import dataclass


@dataclass(slots=True, frozen=True)
class BrokerConfig:
    """Names and defaults are Kafka's."""

    node_id: int = 1
    cluster_id: str = ""
    num_partitions: int = 1
    default_replication_factor: int = 1
    auto_create_topics: bool = True
    delete_topic_enable: bool = True
    fetch_max_bytes: int = 57_671_680
    producer_id_expiration_ms: int = 86_400_000
    internal_topics_writable: bool = False
