"""Generated from tools/codecs/schemas/consumer_group_heartbeat.api by `make generate`; changes belong there."""

from __future__ import annotations

from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartition,
    ConsumerGroupHeartbeatResponse,
)
from librt.strings import BytesWriter, read_i32_be, write_i16_be, write_i32_be
from mypy_extensions import i64

from muster.wire.message import Message, encode_failure
from muster.wire.native import as_list, begun, finished, read_compact_count, read_compact_str, read_i32s, read_nullable_compact_count, read_nullable_compact_str, read_uuid, skip_tags, write_i32s, write_nullable_compact_str, write_uuid, write_uvarint
from muster.wire.primitives import overrun, too_many


def decode_request_v0(buf: bytes, pos: int) -> ConsumerGroupHeartbeatRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "ConsumerGroupHeartbeat request v0", "GroupId")
        member_id_0, at = read_compact_str(buf, at, "ConsumerGroupHeartbeat request v0", "MemberId")
        member_epoch_0 = read_i32_be(buf, at)
        at += 4
        instance_id_0, at = read_nullable_compact_str(buf, at)
        rack_id_0, at = read_nullable_compact_str(buf, at)
        rebalance_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        subscribed_topic_names_0_count, at = read_nullable_compact_count(buf, at, 1)
        subscribed_topic_names_0: list[str] | None = None
        if subscribed_topic_names_0_count >= 0:
            if subscribed_topic_names_0_count > 50000:
                raise too_many("ConsumerGroupHeartbeat request v0", subscribed_topic_names_0_count)
            subscribed_topic_names_0_items: list[str] = []
            for _ in range(subscribed_topic_names_0_count):
                subscribed_topic_names_0_items_item, at = read_compact_str(buf, at, "ConsumerGroupHeartbeat request v0", "SubscribedTopicNames")
                subscribed_topic_names_0_items.append(subscribed_topic_names_0_items_item)
            subscribed_topic_names_0 = subscribed_topic_names_0_items
        server_assignor_0, at = read_nullable_compact_str(buf, at)
        topic_partitions_0_count, at = read_nullable_compact_count(buf, at, 1)
        topic_partitions_0: list[ConsumerGroupHeartbeatRequestTopicPartition] | None = None
        if topic_partitions_0_count >= 0:
            if topic_partitions_0_count > 50000:
                raise too_many("ConsumerGroupHeartbeat request v0", topic_partitions_0_count)
            topic_partitions_0_items: list[ConsumerGroupHeartbeatRequestTopicPartition] = []
            for _ in range(topic_partitions_0_count):
                topic_id_1 = read_uuid(buf, at)
                at += 16
                partitions_1_count, at = read_compact_count(buf, at, 4, "ConsumerGroupHeartbeat request v0", "Partitions")
                partitions_1 = read_i32s(buf, at, partitions_1_count)
                at += partitions_1_count * 4
                if buf[at] == 0:
                    at += 1
                else:
                    at = skip_tags(buf, at)
                topic_partitions_0_items.append(ConsumerGroupHeartbeatRequestTopicPartition(topic_id_1, partitions_1))
            topic_partitions_0 = topic_partitions_0_items
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return ConsumerGroupHeartbeatRequest(group_id_0, member_id_0, member_epoch_0, instance_id_0, rack_id_0, rebalance_timeout_ms_0, subscribed_topic_names_0, None, server_assignor_0, topic_partitions_0)
    except IndexError as error:
        raise overrun("ConsumerGroupHeartbeat request v0", buf, at) from error


def decode_request_v1(buf: bytes, pos: int) -> ConsumerGroupHeartbeatRequest:
    at: i64 = pos
    try:
        group_id_0, at = read_compact_str(buf, at, "ConsumerGroupHeartbeat request v1", "GroupId")
        member_id_0, at = read_compact_str(buf, at, "ConsumerGroupHeartbeat request v1", "MemberId")
        member_epoch_0 = read_i32_be(buf, at)
        at += 4
        instance_id_0, at = read_nullable_compact_str(buf, at)
        rack_id_0, at = read_nullable_compact_str(buf, at)
        rebalance_timeout_ms_0 = read_i32_be(buf, at)
        at += 4
        subscribed_topic_names_0_count, at = read_nullable_compact_count(buf, at, 1)
        subscribed_topic_names_0: list[str] | None = None
        if subscribed_topic_names_0_count >= 0:
            if subscribed_topic_names_0_count > 50000:
                raise too_many("ConsumerGroupHeartbeat request v1", subscribed_topic_names_0_count)
            subscribed_topic_names_0_items: list[str] = []
            for _ in range(subscribed_topic_names_0_count):
                subscribed_topic_names_0_items_item, at = read_compact_str(buf, at, "ConsumerGroupHeartbeat request v1", "SubscribedTopicNames")
                subscribed_topic_names_0_items.append(subscribed_topic_names_0_items_item)
            subscribed_topic_names_0 = subscribed_topic_names_0_items
        subscribed_topic_regex_0, at = read_nullable_compact_str(buf, at)
        server_assignor_0, at = read_nullable_compact_str(buf, at)
        topic_partitions_0_count, at = read_nullable_compact_count(buf, at, 1)
        topic_partitions_0: list[ConsumerGroupHeartbeatRequestTopicPartition] | None = None
        if topic_partitions_0_count >= 0:
            if topic_partitions_0_count > 50000:
                raise too_many("ConsumerGroupHeartbeat request v1", topic_partitions_0_count)
            topic_partitions_0_items: list[ConsumerGroupHeartbeatRequestTopicPartition] = []
            for _ in range(topic_partitions_0_count):
                topic_id_1 = read_uuid(buf, at)
                at += 16
                partitions_1_count, at = read_compact_count(buf, at, 4, "ConsumerGroupHeartbeat request v1", "Partitions")
                partitions_1 = read_i32s(buf, at, partitions_1_count)
                at += partitions_1_count * 4
                if buf[at] == 0:
                    at += 1
                else:
                    at = skip_tags(buf, at)
                topic_partitions_0_items.append(ConsumerGroupHeartbeatRequestTopicPartition(topic_id_1, partitions_1))
            topic_partitions_0 = topic_partitions_0_items
        if buf[at] == 0:
            at += 1
        else:
            at = skip_tags(buf, at)
        return ConsumerGroupHeartbeatRequest(group_id_0, member_id_0, member_epoch_0, instance_id_0, rack_id_0, rebalance_timeout_ms_0, subscribed_topic_names_0, subscribed_topic_regex_0, server_assignor_0, topic_partitions_0)
    except IndexError as error:
        raise overrun("ConsumerGroupHeartbeat request v1", buf, at) from error


# versions 0-1
def encode_response_v0(message: ConsumerGroupHeartbeatResponse) -> bytes:
    try:
        out = begun()
        write_i32_be(out, message.throttle_time_ms)
        write_i16_be(out, message.error_code)
        write_nullable_compact_str(out, message.error_message)
        write_nullable_compact_str(out, message.member_id)
        write_i32_be(out, message.member_epoch)
        write_i32_be(out, message.heartbeat_interval_ms)
        value_1 = message.assignment
        if value_1 is None:
            out.append(255)
        else:
            out.append(1)
            inner_2 = value_1
            items_3 = as_list(inner_2.topic_partitions)
            write_uvarint(out, len(items_3) + 1)
            for item_3 in items_3:
                write_uuid(out, item_3.topic_id)
                items_4 = item_3.partitions
                write_uvarint(out, len(items_4) + 1)
                write_i32s(out, items_4)
                out.append(0)
            out.append(0)
        out.append(0)
        return finished(out)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise encode_failure("ConsumerGroupHeartbeat response v0-1", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v0,
}
