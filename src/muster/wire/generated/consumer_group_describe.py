"""Generated from tools/codecs/schemas/consumer_group_describe.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_u = Struct(">16s").pack
pack_uB = Struct(">16sB").pack
pack_tx = Struct(">?x").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ii = Struct(">ii").pack
pack_iiB = Struct(">iiB").pack
pack_ix = Struct(">ix").pack
pack_xB = Struct(">xB").pack
pack_xbx = Struct(">xbx").pack
unpack_uB = Struct(">16sB").unpack_from
unpack_tB = Struct(">?B").unpack_from
unpack_bB = Struct(">bB").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
NO_UUID: Final = bytes(16)


class ConsumerGroupDescribeRequest(Message):
    __match_args__ = ("group_ids", "include_authorized_operations")
    __slots__ = __match_args__

    def __init__(
        self,
        group_ids: Sequence[str] = (),
        include_authorized_operations: bool = False,
    ) -> None:
        self.group_ids = group_ids
        self.include_authorized_operations = include_authorized_operations


class ConsumerGroupDescribeResponseTopicPartition(Message):
    __match_args__ = ("topic_id", "topic_name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic_id: bytes = NO_UUID,
        topic_name: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = partitions


class ConsumerGroupDescribeResponseAssignment(Message):
    __match_args__ = ("topic_partitions",)
    __slots__ = __match_args__

    def __init__(
        self,
        topic_partitions: Sequence[ConsumerGroupDescribeResponseTopicPartition] = (),
    ) -> None:
        self.topic_partitions = topic_partitions


class ConsumerGroupDescribeResponseMember(Message):
    __match_args__ = ("member_id", "instance_id", "rack_id", "member_epoch", "client_id", "client_host", "subscribed_topic_names", "subscribed_topic_regex", "assignment", "target_assignment", "member_type")
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str = "",
        instance_id: str | None = None,
        rack_id: str | None = None,
        member_epoch: int = 0,
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: Sequence[str] = (),
        subscribed_topic_regex: str | None = None,
        assignment: ConsumerGroupDescribeResponseAssignment | None = None,
        target_assignment: ConsumerGroupDescribeResponseAssignment | None = None,
        member_type: int = -1,
    ) -> None:
        self.member_id = member_id
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.member_epoch = member_epoch
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.assignment = ConsumerGroupDescribeResponseAssignment() if assignment is None else assignment
        self.target_assignment = ConsumerGroupDescribeResponseAssignment() if target_assignment is None else target_assignment
        self.member_type = member_type


class ConsumerGroupDescribeResponseGroup(Message):
    __match_args__ = ("error_code", "error_message", "group_id", "group_state", "group_epoch", "assignment_epoch", "assignor_name", "members", "authorized_operations")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        assignor_name: str = "",
        members: Sequence[ConsumerGroupDescribeResponseMember] = (),
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.assignor_name = assignor_name
        self.members = members
        self.authorized_operations = authorized_operations


class ConsumerGroupDescribeResponse(Message):
    __match_args__ = ("throttle_time_ms", "groups")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: Sequence[ConsumerGroupDescribeResponseGroup] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = groups


# versions 0-1
def decode_request_v0(buf: bytes, pos: int) -> ConsumerGroupDescribeRequest:
    try:
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe request v0-1", "GroupIds")
        n -= 1
        if n > len(buf) - pos:
            raise overrun("ConsumerGroupDescribe request v0-1", buf, pos)
        if n > 50000:
            raise too_many("ConsumerGroupDescribe request v0-1", n)
        group_ids_0_items: list[str] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe request v0-1", "GroupIds")
            end = pos + n - 1
            group_ids_0_item = buf[pos:end].decode("utf-8", "replace")
            pos = end
            group_ids_0_items.append(group_ids_0_item)
        group_ids_0 = group_ids_0_items
        include_authorized_operations_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ConsumerGroupDescribeRequest)
        made_0.group_ids = group_ids_0
        made_0.include_authorized_operations = include_authorized_operations_0
    except (IndexError, StructError) as error:
        raise overrun("ConsumerGroupDescribe request v0-1", buf, pos) from error
    if pos > len(buf):
        raise overrun("ConsumerGroupDescribe request v0-1", buf, pos)
    return made_0


# versions 0-1
def encode_request_v0(message: ConsumerGroupDescribeRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.group_ids
        n = len(items_1) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        out += pack_tx(message.include_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ConsumerGroupDescribe request v0-1", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> ConsumerGroupDescribeResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "Groups")
        n -= 1
        if n * 20 > len(buf) - pos:
            raise overrun("ConsumerGroupDescribe response v0", buf, pos)
        groups_0_items: list[ConsumerGroupDescribeResponseGroup] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            error_message_1: str | None = None
            if n > 0:
                end = pos + n - 1
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "GroupState")
            end = pos + n - 1
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            group_epoch_1, assignment_epoch_1, n = unpack_iiB(buf, pos)
            pos += 9
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "AssignorName")
            end = pos + n - 1
            assignor_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "Members")
            n -= 1
            if n * 16 > len(buf) - pos:
                raise overrun("ConsumerGroupDescribe response v0", buf, pos)
            members_1_items: list[ConsumerGroupDescribeResponseMember] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "MemberId")
                end = pos + n - 1
                member_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                instance_id_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    instance_id_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                rack_id_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    rack_id_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                member_epoch_2, n = unpack_iB(buf, pos)
                pos += 5
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "ClientId")
                end = pos + n - 1
                client_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "ClientHost")
                end = pos + n - 1
                client_host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "SubscribedTopicNames")
                n -= 1
                if n > len(buf) - pos:
                    raise overrun("ConsumerGroupDescribe response v0", buf, pos)
                subscribed_topic_names_2_items: list[str] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "SubscribedTopicNames")
                    end = pos + n - 1
                    subscribed_topic_names_2_item = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    subscribed_topic_names_2_items.append(subscribed_topic_names_2_item)
                subscribed_topic_names_2 = subscribed_topic_names_2_items
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                subscribed_topic_regex_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    subscribed_topic_regex_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "TopicPartitions")
                n -= 1
                if n * 19 > len(buf) - pos:
                    raise overrun("ConsumerGroupDescribe response v0", buf, pos)
                topic_partitions_3_items: list[ConsumerGroupDescribeResponseTopicPartition] = []
                for _ in range(n):
                    topic_id_4, n = unpack_uB(buf, pos)
                    pos += 17
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "TopicName")
                    end = pos + n - 1
                    topic_name_4 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "Partitions")
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("ConsumerGroupDescribe response v0", buf, pos)
                    partitions_4 = read_i32s(buf, pos, n)
                    pos += n * 4
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_4 = new(ConsumerGroupDescribeResponseTopicPartition)
                    made_4.topic_id = topic_id_4
                    made_4.topic_name = topic_name_4
                    made_4.partitions = partitions_4
                    topic_partitions_3_items.append(made_4)
                topic_partitions_3 = topic_partitions_3_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_3 = new(ConsumerGroupDescribeResponseAssignment)
                made_3.topic_partitions = topic_partitions_3
                assignment_2 = made_3
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "TopicPartitions")
                n -= 1
                if n * 19 > len(buf) - pos:
                    raise overrun("ConsumerGroupDescribe response v0", buf, pos)
                topic_partitions_5_items: list[ConsumerGroupDescribeResponseTopicPartition] = []
                for _ in range(n):
                    topic_id_6, n = unpack_uB(buf, pos)
                    pos += 17
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "TopicName")
                    end = pos + n - 1
                    topic_name_6 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v0", "Partitions")
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("ConsumerGroupDescribe response v0", buf, pos)
                    partitions_6 = read_i32s(buf, pos, n)
                    pos += n * 4
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_6 = new(ConsumerGroupDescribeResponseTopicPartition)
                    made_6.topic_id = topic_id_6
                    made_6.topic_name = topic_name_6
                    made_6.partitions = partitions_6
                    topic_partitions_5_items.append(made_6)
                topic_partitions_5 = topic_partitions_5_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_5 = new(ConsumerGroupDescribeResponseAssignment)
                made_5.topic_partitions = topic_partitions_5
                target_assignment_2 = made_5
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(ConsumerGroupDescribeResponseMember)
                made_2.member_id = member_id_2
                made_2.instance_id = instance_id_2
                made_2.rack_id = rack_id_2
                made_2.member_epoch = member_epoch_2
                made_2.client_id = client_id_2
                made_2.client_host = client_host_2
                made_2.subscribed_topic_names = subscribed_topic_names_2
                made_2.subscribed_topic_regex = subscribed_topic_regex_2
                made_2.assignment = assignment_2
                made_2.target_assignment = target_assignment_2
                made_2.member_type = -1
                members_1_items.append(made_2)
            members_1 = members_1_items
            authorized_operations_1, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(ConsumerGroupDescribeResponseGroup)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.group_id = group_id_1
            made_1.group_state = group_state_1
            made_1.group_epoch = group_epoch_1
            made_1.assignment_epoch = assignment_epoch_1
            made_1.assignor_name = assignor_name_1
            made_1.members = members_1
            made_1.authorized_operations = authorized_operations_1
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ConsumerGroupDescribeResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.groups = groups_0
    except (IndexError, StructError) as error:
        raise overrun("ConsumerGroupDescribe response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("ConsumerGroupDescribe response v0", buf, pos)
    return made_0


def decode_response_v1(buf: bytes, pos: int) -> ConsumerGroupDescribeResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "Groups")
        n -= 1
        if n * 20 > len(buf) - pos:
            raise overrun("ConsumerGroupDescribe response v1", buf, pos)
        groups_0_items: list[ConsumerGroupDescribeResponseGroup] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            error_message_1: str | None = None
            if n > 0:
                end = pos + n - 1
                error_message_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "GroupId")
            end = pos + n - 1
            group_id_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "GroupState")
            end = pos + n - 1
            group_state_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            group_epoch_1, assignment_epoch_1, n = unpack_iiB(buf, pos)
            pos += 9
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "AssignorName")
            end = pos + n - 1
            assignor_name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "Members")
            n -= 1
            if n * 17 > len(buf) - pos:
                raise overrun("ConsumerGroupDescribe response v1", buf, pos)
            members_1_items: list[ConsumerGroupDescribeResponseMember] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "MemberId")
                end = pos + n - 1
                member_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                instance_id_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    instance_id_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                rack_id_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    rack_id_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                member_epoch_2, n = unpack_iB(buf, pos)
                pos += 5
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "ClientId")
                end = pos + n - 1
                client_id_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "ClientHost")
                end = pos + n - 1
                client_host_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "SubscribedTopicNames")
                n -= 1
                if n > len(buf) - pos:
                    raise overrun("ConsumerGroupDescribe response v1", buf, pos)
                subscribed_topic_names_2_items: list[str] = []
                for _ in range(n):
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "SubscribedTopicNames")
                    end = pos + n - 1
                    subscribed_topic_names_2_item = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    subscribed_topic_names_2_items.append(subscribed_topic_names_2_item)
                subscribed_topic_names_2 = subscribed_topic_names_2_items
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                subscribed_topic_regex_2: str | None = None
                if n > 0:
                    end = pos + n - 1
                    subscribed_topic_regex_2 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "TopicPartitions")
                n -= 1
                if n * 19 > len(buf) - pos:
                    raise overrun("ConsumerGroupDescribe response v1", buf, pos)
                topic_partitions_3_items: list[ConsumerGroupDescribeResponseTopicPartition] = []
                for _ in range(n):
                    topic_id_4, n = unpack_uB(buf, pos)
                    pos += 17
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "TopicName")
                    end = pos + n - 1
                    topic_name_4 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "Partitions")
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("ConsumerGroupDescribe response v1", buf, pos)
                    partitions_4 = read_i32s(buf, pos, n)
                    pos += n * 4
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_4 = new(ConsumerGroupDescribeResponseTopicPartition)
                    made_4.topic_id = topic_id_4
                    made_4.topic_name = topic_name_4
                    made_4.partitions = partitions_4
                    topic_partitions_3_items.append(made_4)
                topic_partitions_3 = topic_partitions_3_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_3 = new(ConsumerGroupDescribeResponseAssignment)
                made_3.topic_partitions = topic_partitions_3
                assignment_2 = made_3
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "TopicPartitions")
                n -= 1
                if n * 19 > len(buf) - pos:
                    raise overrun("ConsumerGroupDescribe response v1", buf, pos)
                topic_partitions_5_items: list[ConsumerGroupDescribeResponseTopicPartition] = []
                for _ in range(n):
                    topic_id_6, n = unpack_uB(buf, pos)
                    pos += 17
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "TopicName")
                    end = pos + n - 1
                    topic_name_6 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "ConsumerGroupDescribe response v1", "Partitions")
                    n -= 1
                    if n * 4 > len(buf) - pos:
                        raise overrun("ConsumerGroupDescribe response v1", buf, pos)
                    partitions_6 = read_i32s(buf, pos, n)
                    pos += n * 4
                    tags = buf[pos]
                    pos += 1
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_6 = new(ConsumerGroupDescribeResponseTopicPartition)
                    made_6.topic_id = topic_id_6
                    made_6.topic_name = topic_name_6
                    made_6.partitions = partitions_6
                    topic_partitions_5_items.append(made_6)
                topic_partitions_5 = topic_partitions_5_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_5 = new(ConsumerGroupDescribeResponseAssignment)
                made_5.topic_partitions = topic_partitions_5
                target_assignment_2 = made_5
                member_type_2, tags = unpack_bB(buf, pos)
                pos += 2
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(ConsumerGroupDescribeResponseMember)
                made_2.member_id = member_id_2
                made_2.instance_id = instance_id_2
                made_2.rack_id = rack_id_2
                made_2.member_epoch = member_epoch_2
                made_2.client_id = client_id_2
                made_2.client_host = client_host_2
                made_2.subscribed_topic_names = subscribed_topic_names_2
                made_2.subscribed_topic_regex = subscribed_topic_regex_2
                made_2.assignment = assignment_2
                made_2.target_assignment = target_assignment_2
                made_2.member_type = member_type_2
                members_1_items.append(made_2)
            members_1 = members_1_items
            authorized_operations_1, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(ConsumerGroupDescribeResponseGroup)
            made_1.error_code = error_code_1
            made_1.error_message = error_message_1
            made_1.group_id = group_id_1
            made_1.group_state = group_state_1
            made_1.group_epoch = group_epoch_1
            made_1.assignment_epoch = assignment_epoch_1
            made_1.assignor_name = assignor_name_1
            made_1.members = members_1
            made_1.authorized_operations = authorized_operations_1
            groups_0_items.append(made_1)
        groups_0 = groups_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(ConsumerGroupDescribeResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.groups = groups_0
    except (IndexError, StructError) as error:
        raise overrun("ConsumerGroupDescribe response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("ConsumerGroupDescribe response v1", buf, pos)
    return made_0


def encode_response_v0(message: ConsumerGroupDescribeResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hx(item_1.error_code)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_hB(item_1.error_code, n)
                else:
                    out += pack_h(item_1.error_code)
                    out += uvarint(n)
                out += raw
            raw = item_1.group_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_1.group_state.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_1.assignor_name.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iiB(item_1.group_epoch, item_1.assignment_epoch, n)
            else:
                out += pack_ii(item_1.group_epoch, item_1.assignment_epoch)
                out += uvarint(n)
            out += raw
            items_3 = item_1.members
            n = len(items_3) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_3 in items_3:
                raw = item_3.member_id.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                value_4 = item_3.instance_id
                if value_4 is None:
                    out += b"\0"
                else:
                    raw = value_4.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                value_5 = item_3.rack_id
                if value_5 is None:
                    out += b"\0"
                else:
                    raw = value_5.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                raw = item_3.client_id.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_3.member_epoch, n)
                else:
                    out += pack_i(item_3.member_epoch)
                    out += uvarint(n)
                out += raw
                raw = item_3.client_host.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_6 = item_3.subscribed_topic_names
                n = len(items_6) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                for item_6 in items_6:
                    raw = item_6.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                value_7 = item_3.subscribed_topic_regex
                if value_7 is None:
                    out += b"\0"
                else:
                    raw = value_7.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                inner_8 = item_3.assignment
                items_9 = inner_8.topic_partitions
                n = len(items_9) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                for item_9 in items_9:
                    raw = item_9.topic_name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_uB(item_9.topic_id, n)
                    else:
                        out += pack_u(item_9.topic_id)
                        out += uvarint(n)
                    out += raw
                    items_10 = item_9.partitions
                    n = len(items_10) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += i32s(items_10)
                    out += b"\0"
                inner_11 = item_3.target_assignment
                items_12 = inner_11.topic_partitions
                n = len(items_12) + 1
                if n < 128:
                    out += pack_xB(n)
                else:
                    out += b"\0"
                    out += uvarint(n)
                for item_12 in items_12:
                    raw = item_12.topic_name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_uB(item_12.topic_id, n)
                    else:
                        out += pack_u(item_12.topic_id)
                        out += uvarint(n)
                    out += raw
                    items_13 = item_12.partitions
                    n = len(items_13) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += i32s(items_13)
                    out += b"\0"
                out += b"\0\0"
            out += pack_ix(item_1.authorized_operations)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ConsumerGroupDescribe response v0", message, error) from error


def encode_response_v1(message: ConsumerGroupDescribeResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.groups
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            value_2 = item_1.error_message
            if value_2 is None:
                out += pack_hx(item_1.error_code)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_hB(item_1.error_code, n)
                else:
                    out += pack_h(item_1.error_code)
                    out += uvarint(n)
                out += raw
            raw = item_1.group_id.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_1.group_state.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            raw = item_1.assignor_name.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iiB(item_1.group_epoch, item_1.assignment_epoch, n)
            else:
                out += pack_ii(item_1.group_epoch, item_1.assignment_epoch)
                out += uvarint(n)
            out += raw
            items_3 = item_1.members
            n = len(items_3) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_3 in items_3:
                raw = item_3.member_id.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                value_4 = item_3.instance_id
                if value_4 is None:
                    out += b"\0"
                else:
                    raw = value_4.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                value_5 = item_3.rack_id
                if value_5 is None:
                    out += b"\0"
                else:
                    raw = value_5.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                raw = item_3.client_id.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_3.member_epoch, n)
                else:
                    out += pack_i(item_3.member_epoch)
                    out += uvarint(n)
                out += raw
                raw = item_3.client_host.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_6 = item_3.subscribed_topic_names
                n = len(items_6) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                for item_6 in items_6:
                    raw = item_6.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                value_7 = item_3.subscribed_topic_regex
                if value_7 is None:
                    out += b"\0"
                else:
                    raw = value_7.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += raw
                inner_8 = item_3.assignment
                items_9 = inner_8.topic_partitions
                n = len(items_9) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                for item_9 in items_9:
                    raw = item_9.topic_name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_uB(item_9.topic_id, n)
                    else:
                        out += pack_u(item_9.topic_id)
                        out += uvarint(n)
                    out += raw
                    items_10 = item_9.partitions
                    n = len(items_10) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += i32s(items_10)
                    out += b"\0"
                inner_11 = item_3.target_assignment
                items_12 = inner_11.topic_partitions
                n = len(items_12) + 1
                if n < 128:
                    out += pack_xB(n)
                else:
                    out += b"\0"
                    out += uvarint(n)
                for item_12 in items_12:
                    raw = item_12.topic_name.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_uB(item_12.topic_id, n)
                    else:
                        out += pack_u(item_12.topic_id)
                        out += uvarint(n)
                    out += raw
                    items_13 = item_12.partitions
                    n = len(items_13) + 1
                    if n < 128:
                        out.append(n)
                    else:
                        out += uvarint(n)
                    out += i32s(items_13)
                    out += b"\0"
                out += pack_xbx(item_3.member_type)
            out += pack_ix(item_1.authorized_operations)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("ConsumerGroupDescribe response v1", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v0,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v0,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
}
