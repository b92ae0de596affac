"""Names for what differs from run to run: member ids, topic ids, times, ports, producer ids and the like.

Two brokers that behave alike give the same tree after this. One `Names` per scenario and broker: ids are numbered in the
order in which they first appear, so that the same id keeps its name. Knows replies, knows no sockets.
"""

from __future__ import annotations

import json
import re
import time
from typing import Any, Final

from muster.wire.batch import decode_records, parse_header

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_MADE_ID: Final = re.compile(r"[0-9A-Za-z_-]{22}")
_DAY_MS: Final = 86_400_000
_UNORDERED: Final = {
    ("JoinGroup", "members"),
    ("DescribeGroups", "groups"),
    ("DescribeGroups", "members"),
    ("ConsumerGroupDescribe", "groups"),
    ("ConsumerGroupDescribe", "members"),
    ("ConsumerGroupDescribe", "subscribed_topic_names"),
    ("ListConfigResources", "config_resources"),
    ("ListGroups", "groups"),
    ("DeleteGroups", "results"),
    ("Metadata", "topics"),
    ("Metadata", "partitions"),
    ("ApiVersions", "api_keys"),
    ("ApiVersions", "supported_features"),
    ("ApiVersions", "finalized_features"),
    ("DescribeConfigs", "configs"),
    ("DescribeConfigs", "synonyms"),
    ("CreateTopics", "configs"),
    ("CreateTopics", "topics"),
    ("DeleteTopics", "responses"),
    ("Produce", "responses"),
    ("ListOffsets", "topics"),
    ("ListOffsets", "partitions"),
    ("DeleteRecords", "topics"),
    ("Produce", "partition_responses"),
    ("DescribeLogDirs", "topics"),
    ("DescribeLogDirs", "partitions"),
    ("ListTransactions", "transaction_states"),
    ("AddPartitionsToTxn", "results_by_topic"),
    ("AddPartitionsToTxn", "results_by_partition"),
    ("AddPartitionsToTxn", "results_by_transaction"),
    ("AddPartitionsToTxn", "topic_results"),
    ("DescribeTransactions", "topics"),
    ("DescribeTransactions", "partitions"),
    ("WriteTxnMarkers", "markers"),
    ("WriteTxnMarkers", "topics"),
    ("WriteTxnMarkers", "partitions"),
}
"""Lists that Kafka answers in no useful order: hash order of ids, shard by shard (spec 1.5, 3.8)."""
_BY_TOPIC_NAME: Final = {("ConsumerGroupHeartbeat", "topic_partitions"), ("ConsumerGroupDescribe", "topic_partitions")}
"""Likewise, of ids that are known by other names when they are compared."""
_ONLY_OF_THE_SCENARIO: Final = {
    ("ListGroups", "groups"): "group_id",
    ("ListConfigResources", "config_resources"): "resource_name",
    ("Metadata", "topics"): "name",
    ("ListTransactions", "transaction_states"): "transactional_id",
}
"""Lists of everything there is: what other scenarios made is left out."""


class Names:
    def __init__(self, group: str, topic: str, shared_topics: dict[str, bytes]) -> None:
        self.group = group
        self.topic = topic
        self.transactional_id = f"{group}.txn"
        self.topic_ids = dict(shared_topics)
        self._former_ids: dict[bytes, str] = {}
        """Of topics that were deleted and made again."""
        self.made_ids: list[str] = []
        """Member ids that the broker made as Kafka writes a UUID, in 22 characters."""
        self._numbers: dict[tuple[str, str], int] = {}

    def number(self, kind: str, value: str) -> int:
        return self._numbers.setdefault((kind, value), 1 + sum(known == kind for known, _ in self._numbers))

    def knows(self, kind: str, value: str) -> bool:
        return (kind, value) in self._numbers

    def text(self, text: str) -> str:
        """Ids made of a name and a UUID keep the name: `A-<1>` was made for client A."""
        for made in self.made_ids:
            text = text.replace(made, f"<{self.number('uuid', made)}>")
        return _UUID.sub(lambda found: f"<{self.number('uuid', found[0])}>", text)

    def tree(self, api: str, field: str, value: Any) -> Any:
        if isinstance(value, dict):
            self._learn_topic(value)
            self._learn_member(value)
            return {name: self.tree(api, name, each) for name, each in value.items()}
        if isinstance(value, list):
            named = [self.tree(api, field, each) for each in self._in_order(api, field, value)]
            return sorted(named, key=json.dumps) if (api, field) in _BY_TOPIC_NAME else named
        if isinstance(value, str):
            return self._text_field(field, value)
        if isinstance(value, bytes):
            return self._bytes_field(field, value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._number_field(api, field, value)
        return value

    def _learn_topic(self, tree: dict[str, Any]) -> None:
        name = tree.get("name") or tree.get("topic")
        topic_id = tree.get("topic_id")
        if isinstance(name, str) and isinstance(topic_id, bytes) and any(topic_id):
            if self.topic_ids.get(name, topic_id) != topic_id:
                self._former_ids[self.topic_ids[name]] = name
            self.topic_ids[name] = topic_id

    def _learn_member(self, tree: dict[str, Any]) -> None:
        member_id = tree.get("member_id")
        if isinstance(member_id, str) and _MADE_ID.fullmatch(member_id) and member_id not in self.made_ids:
            self.made_ids.append(member_id)

    def _in_order(self, api: str, field: str, items: list[Any]) -> list[Any]:
        key = _ONLY_OF_THE_SCENARIO.get((api, field))
        if key:
            items = [each for each in items if self._is_of_the_scenario(each.get(key))]
        if (api, field) in _UNORDERED:
            items = sorted(items, key=self._order)
        return items

    def _order(self, item: Any) -> tuple[int, str]:
        """Producers in the order in which they got their ids, everything else by what it says."""
        producer_id = item.get("producer_id", 0) if isinstance(item, dict) else 0
        text = _UUID.sub("", json.dumps(item, default=repr))
        for made in self.made_ids:
            text = text.replace(made, "")
        return producer_id, text

    def _is_of_the_scenario(self, name: str | None) -> bool:
        own = (self.group, self.topic, self.transactional_id)
        return name is None or any(name == each or name.startswith(f"{each}-") for each in own)

    def _text_field(self, field: str, value: str) -> str:
        if field == "cluster_id":
            return "<cluster id>"
        if field == "log_dir":
            return "<log dir>"
        return self.text(value)

    def _bytes_field(self, field: str, value: bytes) -> Any:
        if field == "records":
            return self._batches(value)
        if field.endswith("topic_id") or field == "replica_directory_id":
            return self.topic_name(value)
        return readable(value)

    def topic_name(self, topic_id: bytes) -> str:
        if not any(topic_id):
            return "<no topic id>"
        for name, known in self.topic_ids.items():
            if known == topic_id:
                return f"<id of {name}>"
        former = self._former_ids.get(topic_id)
        return f"<former id of {former}>" if former else f"<topic id {topic_id.hex()}>"

    def _batches(self, raw: bytes) -> list[dict[str, Any]]:
        """A limit in bytes may cut the last batch: clients drop such a piece, so its size is all that is noted."""
        found = []
        position = 0
        while position < len(raw):
            whole = position + 12 <= len(raw) and position + 12 + _batch_length(raw, position) <= len(raw)
            if not whole:
                found.append({"bytes_of_a_cut_batch": len(raw) - position})
                break
            header = parse_header(raw, position)
            found.append(self._batch(raw, position, header))
            position += header.size
        return found

    def _batch(self, raw: bytes, position: int, header: Any) -> dict[str, Any]:
        records = decode_records(raw, header, position)
        return {
            "base_offset": header.base_offset,
            "attributes": header.attributes,
            "last_offset_delta": header.last_offset_delta,
            "partition_leader_epoch": header.partition_leader_epoch,
            "producer": self._number_field("", "producer_id", header.producer_id),
            "producer_epoch": header.producer_epoch,
            "base_sequence": header.base_sequence,
            "max_timestamp": self._time(header.max_timestamp),
            "records": [
                [each.offset, self._time(each.timestamp_ms), readable(each.key), readable(each.value)]
                for each in records
            ],
        }

    def _number_field(self, api: str, field: str, value: int) -> Any:
        if field == "port" and value > 0:
            return "<port>"
        if field == "producer_id" and value >= 0:
            return f"<producer {self.number('producer', str(value))}>"
        if field in ("total_bytes", "usable_bytes") and value > 0:
            return "<bytes>"
        if field == "finalized_features_epoch" and value >= 0:
            return "<epoch>"
        if field == "session_id" and value > 0:
            return f"<session {self.number('session', str(value))}>"
        return self._time(value)

    def _time(self, value: int) -> Any:
        return "<now>" if abs(value - time.time() * 1000) < _DAY_MS else value


def _batch_length(raw: bytes, position: int) -> int:
    return int.from_bytes(raw[position + 8 : position + 12], "big")


def readable(value: bytes | None) -> str | None:
    """Bytes for people: as text where they are printable."""
    if value is None:
        return None
    text = value.decode("latin-1")
    return text if text.isascii() and text.isprintable() and not text.startswith("0x") else f"0x{value.hex()}"
