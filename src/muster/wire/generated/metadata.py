"""Generated from tools/codecs/schemas/metadata.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, null_field, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_u = Struct(">16s").pack
pack_ut = Struct(">16s?").pack
pack_utB = Struct(">16s?B").pack
pack_uB = Struct(">16sB").pack
pack_ux = Struct(">16sx").pack
pack_t = Struct(">?").pack
pack_ttt = Struct(">???").pack
pack_tttx = Struct(">???x").pack
pack_ttx = Struct(">??x").pack
pack_tB = Struct(">?B").pack
pack_ti = Struct(">?i").pack
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hh = Struct(">hh").pack
pack_hiii = Struct(">hiii").pack
pack_hiiiB = Struct(">hiiiB").pack
pack_hiiii = Struct(">hiiii").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ii = Struct(">ii").pack
pack_ix = Struct(">ix").pack
unpack_utB = Struct(">16s?B").unpack_from
unpack_uB = Struct(">16sB").unpack_from
unpack_ttt = Struct(">???").unpack_from
unpack_tttB = Struct(">???B").unpack_from
unpack_ttB = Struct(">??B").unpack_from
unpack_tB = Struct(">?B").unpack_from
unpack_ti = Struct(">?i").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_hiii = Struct(">hiii").unpack_from
unpack_hiiiB = Struct(">hiiiB").unpack_from
unpack_hiiii = Struct(">hiiii").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ii = Struct(">ii").unpack_from
NO_UUID: Final = bytes(16)


class MetadataRequestTopic(Message):
    __match_args__ = ("topic_id", "name")
    __slots__ = __match_args__

    def __init__(
        self,
        topic_id: bytes = NO_UUID,
        name: str | None = "",
    ) -> None:
        self.topic_id = topic_id
        self.name = name


class MetadataRequest(Message):
    __match_args__ = ("topics", "allow_auto_topic_creation", "include_cluster_authorized_operations", "include_topic_authorized_operations")
    __slots__ = __match_args__

    def __init__(
        self,
        topics: Sequence[MetadataRequestTopic] | None = (),
        allow_auto_topic_creation: bool = True,
        include_cluster_authorized_operations: bool = False,
        include_topic_authorized_operations: bool = False,
    ) -> None:
        self.topics = topics
        self.allow_auto_topic_creation = allow_auto_topic_creation
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.include_topic_authorized_operations = include_topic_authorized_operations


class MetadataResponseBroker(Message):
    __match_args__ = ("node_id", "host", "port", "rack")
    __slots__ = __match_args__

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack


class MetadataResponsePartition(Message):
    __match_args__ = ("error_code", "partition_index", "leader_id", "leader_epoch", "replica_nodes", "isr_nodes", "offline_replicas")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: Sequence[int] = (),
        isr_nodes: Sequence[int] = (),
        offline_replicas: Sequence[int] = (),
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = replica_nodes
        self.isr_nodes = isr_nodes
        self.offline_replicas = offline_replicas


class MetadataResponseTopic(Message):
    __match_args__ = ("error_code", "name", "topic_id", "is_internal", "partitions", "topic_authorized_operations")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: bytes = NO_UUID,
        is_internal: bool = False,
        partitions: Sequence[MetadataResponsePartition] = (),
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = partitions
        self.topic_authorized_operations = topic_authorized_operations


class MetadataResponse(Message):
    __match_args__ = ("throttle_time_ms", "brokers", "cluster_id", "controller_id", "topics", "cluster_authorized_operations", "error_code")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        brokers: Sequence[MetadataResponseBroker] = (),
        cluster_id: str | None = None,
        controller_id: int = -1,
        topics: Sequence[MetadataResponseTopic] = (),
        cluster_authorized_operations: int = -2147483648,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.brokers = brokers
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.topics = topics
        self.cluster_authorized_operations = cluster_authorized_operations
        self.error_code = error_code


def decode_request_v0(buf: bytes, pos: int) -> MetadataRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Metadata request v0", "Topics")
        if n * 2 > len(buf) - pos:
            raise overrun("Metadata request v0", buf, pos)
        if n > 50000:
            raise too_many("Metadata request v0", n)
        topics_0_items: list[MetadataRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Metadata request v0", "Name")
            end = pos + n
            name_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            made_1 = new(MetadataRequestTopic)
            made_1.topic_id = NO_UUID
            made_1.name = name_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(MetadataRequest)
        made_0.topics = topics_0
        made_0.allow_auto_topic_creation = True
        made_0.include_cluster_authorized_operations = False
        made_0.include_topic_authorized_operations = False
    except (IndexError, StructError) as error:
        raise overrun("Metadata request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata request v0", buf, pos)
    return made_0


# versions 1-3
def decode_request_v1(buf: bytes, pos: int) -> MetadataRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        topics_0: Sequence[MetadataRequestTopic] | None = None
        if n >= 0:
            if n > len(buf) - pos:
                raise overrun("Metadata request v1-3", buf, pos)
            if n > 50000:
                raise too_many("Metadata request v1-3", n)
            topics_0_items: list[MetadataRequestTopic] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("Metadata request v1-3", "Name")
                end = pos + n
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                made_1 = new(MetadataRequestTopic)
                made_1.topic_id = NO_UUID
                made_1.name = name_1
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        made_0 = new(MetadataRequest)
        made_0.topics = topics_0
        made_0.allow_auto_topic_creation = True
        made_0.include_cluster_authorized_operations = False
        made_0.include_topic_authorized_operations = False
    except (IndexError, StructError) as error:
        raise overrun("Metadata request v1-3", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata request v1-3", buf, pos)
    return made_0


# versions 4-7
def decode_request_v4(buf: bytes, pos: int) -> MetadataRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        topics_0: Sequence[MetadataRequestTopic] | None = None
        if n >= 0:
            if n > len(buf) - pos:
                raise overrun("Metadata request v4-7", buf, pos)
            if n > 50000:
                raise too_many("Metadata request v4-7", n)
            topics_0_items: list[MetadataRequestTopic] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("Metadata request v4-7", "Name")
                end = pos + n
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                made_1 = new(MetadataRequestTopic)
                made_1.topic_id = NO_UUID
                made_1.name = name_1
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        allow_auto_topic_creation_0 = buf[pos] != 0
        pos += 1
        made_0 = new(MetadataRequest)
        made_0.topics = topics_0
        made_0.allow_auto_topic_creation = allow_auto_topic_creation_0
        made_0.include_cluster_authorized_operations = False
        made_0.include_topic_authorized_operations = False
    except (IndexError, StructError) as error:
        raise overrun("Metadata request v4-7", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata request v4-7", buf, pos)
    return made_0


def decode_request_v8(buf: bytes, pos: int) -> MetadataRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        topics_0: Sequence[MetadataRequestTopic] | None = None
        if n >= 0:
            if n > len(buf) - pos:
                raise overrun("Metadata request v8", buf, pos)
            if n > 50000:
                raise too_many("Metadata request v8", n)
            topics_0_items: list[MetadataRequestTopic] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("Metadata request v8", "Name")
                end = pos + n
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                made_1 = new(MetadataRequestTopic)
                made_1.topic_id = NO_UUID
                made_1.name = name_1
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        allow_auto_topic_creation_0, include_cluster_authorized_operations_0, include_topic_authorized_operations_0 = unpack_ttt(buf, pos)
        pos += 3
        made_0 = new(MetadataRequest)
        made_0.topics = topics_0
        made_0.allow_auto_topic_creation = allow_auto_topic_creation_0
        made_0.include_cluster_authorized_operations = include_cluster_authorized_operations_0
        made_0.include_topic_authorized_operations = include_topic_authorized_operations_0
    except (IndexError, StructError) as error:
        raise overrun("Metadata request v8", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata request v8", buf, pos)
    return made_0


def decode_request_v9(buf: bytes, pos: int) -> MetadataRequest:
    try:
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        topics_0: Sequence[MetadataRequestTopic] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("Metadata request v9", buf, pos)
            if n > 50000:
                raise too_many("Metadata request v9", n)
            topics_0_items: list[MetadataRequestTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata request v9", "Name")
                end = pos + n - 1
                name_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = new(MetadataRequestTopic)
                made_1.topic_id = NO_UUID
                made_1.name = name_1
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        allow_auto_topic_creation_0, include_cluster_authorized_operations_0, include_topic_authorized_operations_0, tags = unpack_tttB(buf, pos)
        pos += 4
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(MetadataRequest)
        made_0.topics = topics_0
        made_0.allow_auto_topic_creation = allow_auto_topic_creation_0
        made_0.include_cluster_authorized_operations = include_cluster_authorized_operations_0
        made_0.include_topic_authorized_operations = include_topic_authorized_operations_0
    except (IndexError, StructError) as error:
        raise overrun("Metadata request v9", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata request v9", buf, pos)
    return made_0


def decode_request_v10(buf: bytes, pos: int) -> MetadataRequest:
    try:
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        topics_0: Sequence[MetadataRequestTopic] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("Metadata request v10", buf, pos)
            if n > 50000:
                raise too_many("Metadata request v10", n)
            topics_0_items: list[MetadataRequestTopic] = []
            for _ in range(n):
                topic_id_1, n = unpack_uB(buf, pos)
                pos += 17
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                name_1: str | None = None
                if n > 0:
                    end = pos + n - 1
                    name_1 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = new(MetadataRequestTopic)
                made_1.topic_id = topic_id_1
                made_1.name = name_1
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        allow_auto_topic_creation_0, include_cluster_authorized_operations_0, include_topic_authorized_operations_0, tags = unpack_tttB(buf, pos)
        pos += 4
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(MetadataRequest)
        made_0.topics = topics_0
        made_0.allow_auto_topic_creation = allow_auto_topic_creation_0
        made_0.include_cluster_authorized_operations = include_cluster_authorized_operations_0
        made_0.include_topic_authorized_operations = include_topic_authorized_operations_0
    except (IndexError, StructError) as error:
        raise overrun("Metadata request v10", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata request v10", buf, pos)
    return made_0


# versions 11-13
def decode_request_v11(buf: bytes, pos: int) -> MetadataRequest:
    try:
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        topics_0: Sequence[MetadataRequestTopic] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("Metadata request v11-13", buf, pos)
            if n > 50000:
                raise too_many("Metadata request v11-13", n)
            topics_0_items: list[MetadataRequestTopic] = []
            for _ in range(n):
                topic_id_1, n = unpack_uB(buf, pos)
                pos += 17
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                name_1: str | None = None
                if n > 0:
                    end = pos + n - 1
                    name_1 = buf[pos:end].decode("utf-8", "replace")
                    pos = end
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = new(MetadataRequestTopic)
                made_1.topic_id = topic_id_1
                made_1.name = name_1
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        allow_auto_topic_creation_0, include_topic_authorized_operations_0, tags = unpack_ttB(buf, pos)
        pos += 3
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(MetadataRequest)
        made_0.topics = topics_0
        made_0.allow_auto_topic_creation = allow_auto_topic_creation_0
        made_0.include_cluster_authorized_operations = False
        made_0.include_topic_authorized_operations = include_topic_authorized_operations_0
    except (IndexError, StructError) as error:
        raise overrun("Metadata request v11-13", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata request v11-13", buf, pos)
    return made_0


def encode_request_v0(message: MetadataRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.topics
        if value_1 is None:
            raise TypeError("Topics may not be null")
        items_2 = value_1
        out += pack_i(len(items_2))
        for item_2 in items_2:
            value_3 = item_2.name
            if value_3 is None:
                raise TypeError("Name may not be null")
            raw = value_3.encode()
            out += pack_h(len(raw))
            out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata request v0", message, error) from error


# versions 1-3
def encode_request_v1(message: MetadataRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.topics
        if value_1 is None:
            out += pack_i(-1)
        else:
            items_2 = value_1
            out += pack_i(len(items_2))
            for item_2 in items_2:
                value_3 = item_2.name
                if value_3 is None:
                    raise TypeError("Name may not be null")
                raw = value_3.encode()
                out += pack_h(len(raw))
                out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata request v1-3", message, error) from error


# versions 4-7
def encode_request_v4(message: MetadataRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.topics
        if value_1 is None:
            out += pack_i(-1)
        else:
            items_2 = value_1
            out += pack_i(len(items_2))
            for item_2 in items_2:
                value_3 = item_2.name
                if value_3 is None:
                    raise TypeError("Name may not be null")
                raw = value_3.encode()
                out += pack_h(len(raw))
                out += raw
        out += pack_t(message.allow_auto_topic_creation)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata request v4-7", message, error) from error


def encode_request_v8(message: MetadataRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.topics
        if value_1 is None:
            out += pack_i(-1)
        else:
            items_2 = value_1
            out += pack_i(len(items_2))
            for item_2 in items_2:
                value_3 = item_2.name
                if value_3 is None:
                    raise TypeError("Name may not be null")
                raw = value_3.encode()
                out += pack_h(len(raw))
                out += raw
        out += pack_ttt(message.allow_auto_topic_creation, message.include_cluster_authorized_operations, message.include_topic_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata request v8", message, error) from error


def encode_request_v9(message: MetadataRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.topics
        if value_1 is None:
            out += b"\0"
        else:
            items_2 = value_1
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                value_3 = item_2.name
                if value_3 is None:
                    raise TypeError("Name may not be null")
                raw = value_3.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                out += b"\0"
        out += pack_tttx(message.allow_auto_topic_creation, message.include_cluster_authorized_operations, message.include_topic_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata request v9", message, error) from error


def encode_request_v10(message: MetadataRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.topics
        if value_1 is None:
            out += b"\0"
        else:
            items_2 = value_1
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                value_3 = item_2.name
                if value_3 is None:
                    out += pack_ux(item_2.topic_id)
                else:
                    raw = value_3.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_uB(item_2.topic_id, n)
                    else:
                        out += pack_u(item_2.topic_id)
                        out += uvarint(n)
                    out += raw
                out += b"\0"
        out += pack_tttx(message.allow_auto_topic_creation, message.include_cluster_authorized_operations, message.include_topic_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata request v10", message, error) from error


# versions 11-13
def encode_request_v11(message: MetadataRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.topics
        if value_1 is None:
            out += b"\0"
        else:
            items_2 = value_1
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                value_3 = item_2.name
                if value_3 is None:
                    out += pack_ux(item_2.topic_id)
                else:
                    raw = value_3.encode()
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_uB(item_2.topic_id, n)
                    else:
                        out += pack_u(item_2.topic_id)
                        out += uvarint(n)
                    out += raw
                out += b"\0"
        out += pack_ttx(message.allow_auto_topic_creation, message.include_topic_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata request v11-13", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> MetadataResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Metadata response v0", "Brokers")
        if n * 10 > len(buf) - pos:
            raise overrun("Metadata response v0", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_ih(buf, pos)
            pos += 6
            if n < 0:
                raise null_field("Metadata response v0", "Host")
            end = pos + n
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (port_1,) = unpack_i(buf, pos)
            pos += 4
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = None
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Metadata response v0", "Topics")
        if n * 8 > len(buf) - pos:
            raise overrun("Metadata response v0", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Metadata response v0", "Name")
            end = pos + n
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Metadata response v0", "Partitions")
            if n * 18 > len(buf) - pos:
                raise overrun("Metadata response v0", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, n = unpack_hiii(buf, pos)
                pos += 14
                if n < 0:
                    raise null_field("Metadata response v0", "ReplicaNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v0", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v0", "IsrNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v0", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = -1
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = ()
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = NO_UUID
            made_2.is_internal = False
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = -2147483648
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = 0
        made_0.brokers = brokers_0
        made_0.cluster_id = None
        made_0.controller_id = -1
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = -2147483648
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v0", buf, pos)
    return made_0


def decode_response_v1(buf: bytes, pos: int) -> MetadataResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Metadata response v1", "Brokers")
        if n * 12 > len(buf) - pos:
            raise overrun("Metadata response v1", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_ih(buf, pos)
            pos += 6
            if n < 0:
                raise null_field("Metadata response v1", "Host")
            end = pos + n
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_ih(buf, pos)
            pos += 6
            rack_1: str | None = None
            if n >= 0:
                end = pos + n
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        controller_id_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v1", "Topics")
        if n * 9 > len(buf) - pos:
            raise overrun("Metadata response v1", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Metadata response v1", "Name")
            end = pos + n
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            is_internal_2, n = unpack_ti(buf, pos)
            pos += 5
            if n < 0:
                raise null_field("Metadata response v1", "Partitions")
            if n * 18 > len(buf) - pos:
                raise overrun("Metadata response v1", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, n = unpack_hiii(buf, pos)
                pos += 14
                if n < 0:
                    raise null_field("Metadata response v1", "ReplicaNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v1", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v1", "IsrNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v1", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = -1
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = ()
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = NO_UUID
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = -2147483648
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = 0
        made_0.brokers = brokers_0
        made_0.cluster_id = None
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = -2147483648
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v1", buf, pos)
    return made_0


def decode_response_v2(buf: bytes, pos: int) -> MetadataResponse:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Metadata response v2", "Brokers")
        if n * 12 > len(buf) - pos:
            raise overrun("Metadata response v2", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_ih(buf, pos)
            pos += 6
            if n < 0:
                raise null_field("Metadata response v2", "Host")
            end = pos + n
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_ih(buf, pos)
            pos += 6
            rack_1: str | None = None
            if n >= 0:
                end = pos + n
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        (n,) = unpack_h(buf, pos)
        pos += 2
        cluster_id_0: str | None = None
        if n >= 0:
            end = pos + n
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v2", "Topics")
        if n * 9 > len(buf) - pos:
            raise overrun("Metadata response v2", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Metadata response v2", "Name")
            end = pos + n
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            is_internal_2, n = unpack_ti(buf, pos)
            pos += 5
            if n < 0:
                raise null_field("Metadata response v2", "Partitions")
            if n * 18 > len(buf) - pos:
                raise overrun("Metadata response v2", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, n = unpack_hiii(buf, pos)
                pos += 14
                if n < 0:
                    raise null_field("Metadata response v2", "ReplicaNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v2", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v2", "IsrNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v2", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = -1
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = ()
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = NO_UUID
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = -2147483648
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = 0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = -2147483648
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v2", buf, pos)
    return made_0


# versions 3-4
def decode_response_v3(buf: bytes, pos: int) -> MetadataResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v3-4", "Brokers")
        if n * 12 > len(buf) - pos:
            raise overrun("Metadata response v3-4", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_ih(buf, pos)
            pos += 6
            if n < 0:
                raise null_field("Metadata response v3-4", "Host")
            end = pos + n
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_ih(buf, pos)
            pos += 6
            rack_1: str | None = None
            if n >= 0:
                end = pos + n
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        (n,) = unpack_h(buf, pos)
        pos += 2
        cluster_id_0: str | None = None
        if n >= 0:
            end = pos + n
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v3-4", "Topics")
        if n * 9 > len(buf) - pos:
            raise overrun("Metadata response v3-4", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Metadata response v3-4", "Name")
            end = pos + n
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            is_internal_2, n = unpack_ti(buf, pos)
            pos += 5
            if n < 0:
                raise null_field("Metadata response v3-4", "Partitions")
            if n * 18 > len(buf) - pos:
                raise overrun("Metadata response v3-4", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, n = unpack_hiii(buf, pos)
                pos += 14
                if n < 0:
                    raise null_field("Metadata response v3-4", "ReplicaNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v3-4", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v3-4", "IsrNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v3-4", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = -1
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = ()
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = NO_UUID
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = -2147483648
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = -2147483648
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v3-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v3-4", buf, pos)
    return made_0


# versions 5-6
def decode_response_v5(buf: bytes, pos: int) -> MetadataResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v5-6", "Brokers")
        if n * 12 > len(buf) - pos:
            raise overrun("Metadata response v5-6", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_ih(buf, pos)
            pos += 6
            if n < 0:
                raise null_field("Metadata response v5-6", "Host")
            end = pos + n
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_ih(buf, pos)
            pos += 6
            rack_1: str | None = None
            if n >= 0:
                end = pos + n
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        (n,) = unpack_h(buf, pos)
        pos += 2
        cluster_id_0: str | None = None
        if n >= 0:
            end = pos + n
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v5-6", "Topics")
        if n * 9 > len(buf) - pos:
            raise overrun("Metadata response v5-6", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Metadata response v5-6", "Name")
            end = pos + n
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            is_internal_2, n = unpack_ti(buf, pos)
            pos += 5
            if n < 0:
                raise null_field("Metadata response v5-6", "Partitions")
            if n * 22 > len(buf) - pos:
                raise overrun("Metadata response v5-6", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, n = unpack_hiii(buf, pos)
                pos += 14
                if n < 0:
                    raise null_field("Metadata response v5-6", "ReplicaNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v5-6", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v5-6", "IsrNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v5-6", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v5-6", "OfflineReplicas")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v5-6", buf, pos)
                offline_replicas_3 = read_i32s(buf, pos, n)
                pos += n * 4
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = -1
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = offline_replicas_3
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = NO_UUID
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = -2147483648
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = -2147483648
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v5-6", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v5-6", buf, pos)
    return made_0


def decode_response_v7(buf: bytes, pos: int) -> MetadataResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v7", "Brokers")
        if n * 12 > len(buf) - pos:
            raise overrun("Metadata response v7", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_ih(buf, pos)
            pos += 6
            if n < 0:
                raise null_field("Metadata response v7", "Host")
            end = pos + n
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_ih(buf, pos)
            pos += 6
            rack_1: str | None = None
            if n >= 0:
                end = pos + n
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        (n,) = unpack_h(buf, pos)
        pos += 2
        cluster_id_0: str | None = None
        if n >= 0:
            end = pos + n
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v7", "Topics")
        if n * 9 > len(buf) - pos:
            raise overrun("Metadata response v7", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Metadata response v7", "Name")
            end = pos + n
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            is_internal_2, n = unpack_ti(buf, pos)
            pos += 5
            if n < 0:
                raise null_field("Metadata response v7", "Partitions")
            if n * 26 > len(buf) - pos:
                raise overrun("Metadata response v7", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, leader_epoch_3, n = unpack_hiiii(buf, pos)
                pos += 18
                if n < 0:
                    raise null_field("Metadata response v7", "ReplicaNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v7", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v7", "IsrNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v7", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v7", "OfflineReplicas")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v7", buf, pos)
                offline_replicas_3 = read_i32s(buf, pos, n)
                pos += n * 4
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = leader_epoch_3
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = offline_replicas_3
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = NO_UUID
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = -2147483648
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = -2147483648
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v7", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v7", buf, pos)
    return made_0


def decode_response_v8(buf: bytes, pos: int) -> MetadataResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v8", "Brokers")
        if n * 12 > len(buf) - pos:
            raise overrun("Metadata response v8", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_ih(buf, pos)
            pos += 6
            if n < 0:
                raise null_field("Metadata response v8", "Host")
            end = pos + n
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_ih(buf, pos)
            pos += 6
            rack_1: str | None = None
            if n >= 0:
                end = pos + n
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        (n,) = unpack_h(buf, pos)
        pos += 2
        cluster_id_0: str | None = None
        if n >= 0:
            end = pos + n
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Metadata response v8", "Topics")
        if n * 13 > len(buf) - pos:
            raise overrun("Metadata response v8", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Metadata response v8", "Name")
            end = pos + n
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            is_internal_2, n = unpack_ti(buf, pos)
            pos += 5
            if n < 0:
                raise null_field("Metadata response v8", "Partitions")
            if n * 26 > len(buf) - pos:
                raise overrun("Metadata response v8", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, leader_epoch_3, n = unpack_hiiii(buf, pos)
                pos += 18
                if n < 0:
                    raise null_field("Metadata response v8", "ReplicaNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v8", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v8", "IsrNodes")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v8", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("Metadata response v8", "OfflineReplicas")
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v8", buf, pos)
                offline_replicas_3 = read_i32s(buf, pos, n)
                pos += n * 4
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = leader_epoch_3
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = offline_replicas_3
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            (topic_authorized_operations_2,) = unpack_i(buf, pos)
            pos += 4
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = NO_UUID
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = topic_authorized_operations_2
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        (cluster_authorized_operations_0,) = unpack_i(buf, pos)
        pos += 4
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = cluster_authorized_operations_0
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v8", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v8", buf, pos)
    return made_0


def decode_response_v9(buf: bytes, pos: int) -> MetadataResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v9", "Brokers")
        n -= 1
        if n * 11 > len(buf) - pos:
            raise overrun("Metadata response v9", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_iB(buf, pos)
            pos += 5
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v9", "Host")
            end = pos + n - 1
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            rack_1: str | None = None
            if n > 0:
                end = pos + n - 1
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        cluster_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v9", "Topics")
        n -= 1
        if n * 10 > len(buf) - pos:
            raise overrun("Metadata response v9", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hB(buf, pos)
            pos += 3
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v9", "Name")
            end = pos + n - 1
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            is_internal_2, n = unpack_tB(buf, pos)
            pos += 2
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v9", "Partitions")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("Metadata response v9", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, leader_epoch_3, n = unpack_hiiiB(buf, pos)
                pos += 15
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v9", "ReplicaNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v9", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v9", "IsrNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v9", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v9", "OfflineReplicas")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v9", buf, pos)
                offline_replicas_3 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = leader_epoch_3
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = offline_replicas_3
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            topic_authorized_operations_2, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = NO_UUID
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = topic_authorized_operations_2
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        cluster_authorized_operations_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = cluster_authorized_operations_0
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v9", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v9", buf, pos)
    return made_0


def decode_response_v10(buf: bytes, pos: int) -> MetadataResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v10", "Brokers")
        n -= 1
        if n * 11 > len(buf) - pos:
            raise overrun("Metadata response v10", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_iB(buf, pos)
            pos += 5
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v10", "Host")
            end = pos + n - 1
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            rack_1: str | None = None
            if n > 0:
                end = pos + n - 1
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        cluster_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v10", "Topics")
        n -= 1
        if n * 26 > len(buf) - pos:
            raise overrun("Metadata response v10", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hB(buf, pos)
            pos += 3
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v10", "Name")
            end = pos + n - 1
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            topic_id_2, is_internal_2, n = unpack_utB(buf, pos)
            pos += 18
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v10", "Partitions")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("Metadata response v10", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, leader_epoch_3, n = unpack_hiiiB(buf, pos)
                pos += 15
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v10", "ReplicaNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v10", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v10", "IsrNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v10", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v10", "OfflineReplicas")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v10", buf, pos)
                offline_replicas_3 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = leader_epoch_3
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = offline_replicas_3
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            topic_authorized_operations_2, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = topic_id_2
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = topic_authorized_operations_2
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        cluster_authorized_operations_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = cluster_authorized_operations_0
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v10", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v10", buf, pos)
    return made_0


def decode_response_v11(buf: bytes, pos: int) -> MetadataResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v11", "Brokers")
        n -= 1
        if n * 11 > len(buf) - pos:
            raise overrun("Metadata response v11", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_iB(buf, pos)
            pos += 5
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v11", "Host")
            end = pos + n - 1
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            rack_1: str | None = None
            if n > 0:
                end = pos + n - 1
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        cluster_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v11", "Topics")
        n -= 1
        if n * 26 > len(buf) - pos:
            raise overrun("Metadata response v11", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hB(buf, pos)
            pos += 3
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v11", "Name")
            end = pos + n - 1
            name_2 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            topic_id_2, is_internal_2, n = unpack_utB(buf, pos)
            pos += 18
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v11", "Partitions")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("Metadata response v11", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, leader_epoch_3, n = unpack_hiiiB(buf, pos)
                pos += 15
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v11", "ReplicaNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v11", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v11", "IsrNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v11", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v11", "OfflineReplicas")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v11", buf, pos)
                offline_replicas_3 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = leader_epoch_3
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = offline_replicas_3
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            topic_authorized_operations_2, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = topic_id_2
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = topic_authorized_operations_2
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = -2147483648
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v11", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v11", buf, pos)
    return made_0


def decode_response_v12(buf: bytes, pos: int) -> MetadataResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v12", "Brokers")
        n -= 1
        if n * 11 > len(buf) - pos:
            raise overrun("Metadata response v12", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_iB(buf, pos)
            pos += 5
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v12", "Host")
            end = pos + n - 1
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            rack_1: str | None = None
            if n > 0:
                end = pos + n - 1
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        cluster_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v12", "Topics")
        n -= 1
        if n * 26 > len(buf) - pos:
            raise overrun("Metadata response v12", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            name_2: str | None = None
            if n > 0:
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            topic_id_2, is_internal_2, n = unpack_utB(buf, pos)
            pos += 18
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v12", "Partitions")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("Metadata response v12", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, leader_epoch_3, n = unpack_hiiiB(buf, pos)
                pos += 15
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v12", "ReplicaNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v12", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v12", "IsrNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v12", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v12", "OfflineReplicas")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v12", buf, pos)
                offline_replicas_3 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = leader_epoch_3
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = offline_replicas_3
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            topic_authorized_operations_2, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = topic_id_2
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = topic_authorized_operations_2
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = -2147483648
        made_0.error_code = 0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v12", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v12", buf, pos)
    return made_0


def decode_response_v13(buf: bytes, pos: int) -> MetadataResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v13", "Brokers")
        n -= 1
        if n * 11 > len(buf) - pos:
            raise overrun("Metadata response v13", buf, pos)
        brokers_0_items: list[MetadataResponseBroker] = []
        for _ in range(n):
            node_id_1, n = unpack_iB(buf, pos)
            pos += 5
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v13", "Host")
            end = pos + n - 1
            host_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            port_1, n = unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            rack_1: str | None = None
            if n > 0:
                end = pos + n - 1
                rack_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(MetadataResponseBroker)
            made_1.node_id = node_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        cluster_id_0: str | None = None
        if n > 0:
            end = pos + n - 1
            cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        controller_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Metadata response v13", "Topics")
        n -= 1
        if n * 26 > len(buf) - pos:
            raise overrun("Metadata response v13", buf, pos)
        topics_0_items: list[MetadataResponseTopic] = []
        for _ in range(n):
            error_code_2, n = unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            name_2: str | None = None
            if n > 0:
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
            topic_id_2, is_internal_2, n = unpack_utB(buf, pos)
            pos += 18
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Metadata response v13", "Partitions")
            n -= 1
            if n * 18 > len(buf) - pos:
                raise overrun("Metadata response v13", buf, pos)
            partitions_2_items: list[MetadataResponsePartition] = []
            for _ in range(n):
                error_code_3, partition_index_3, leader_id_3, leader_epoch_3, n = unpack_hiiiB(buf, pos)
                pos += 15
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v13", "ReplicaNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v13", buf, pos)
                replica_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v13", "IsrNodes")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v13", buf, pos)
                isr_nodes_3 = read_i32s(buf, pos, n)
                pos += n * 4
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "Metadata response v13", "OfflineReplicas")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("Metadata response v13", buf, pos)
                offline_replicas_3 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_3 = new(MetadataResponsePartition)
                made_3.error_code = error_code_3
                made_3.partition_index = partition_index_3
                made_3.leader_id = leader_id_3
                made_3.leader_epoch = leader_epoch_3
                made_3.replica_nodes = replica_nodes_3
                made_3.isr_nodes = isr_nodes_3
                made_3.offline_replicas = offline_replicas_3
                partitions_2_items.append(made_3)
            partitions_2 = partitions_2_items
            topic_authorized_operations_2, tags = unpack_iB(buf, pos)
            pos += 5
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_2 = new(MetadataResponseTopic)
            made_2.error_code = error_code_2
            made_2.name = name_2
            made_2.topic_id = topic_id_2
            made_2.is_internal = is_internal_2
            made_2.partitions = partitions_2
            made_2.topic_authorized_operations = topic_authorized_operations_2
            topics_0_items.append(made_2)
        topics_0 = topics_0_items
        error_code_0, tags = unpack_hB(buf, pos)
        pos += 3
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(MetadataResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.brokers = brokers_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.topics = topics_0
        made_0.cluster_authorized_operations = -2147483648
        made_0.error_code = error_code_0
    except (IndexError, StructError) as error:
        raise overrun("Metadata response v13", buf, pos) from error
    if pos > len(buf):
        raise overrun("Metadata response v13", buf, pos)
    return made_0


def encode_response_v0(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.host.encode()
            out += pack_ih(item_1.node_id, len(raw))
            out += raw
            out += pack_i(item_1.port)
        items_2 = message.topics
        out += pack_i(len(items_2))
        for item_2 in items_2:
            value_3 = item_2.name
            if value_3 is None:
                raise TypeError("Name may not be null")
            raw = value_3.encode()
            out += pack_hh(item_2.error_code, len(raw))
            out += raw
            items_4 = item_2.partitions
            out += pack_i(len(items_4))
            for item_4 in items_4:
                items_5 = item_4.replica_nodes
                out += pack_hiii(item_4.error_code, item_4.partition_index, item_4.leader_id, len(items_5))
                out += i32s(items_5)
                items_6 = item_4.isr_nodes
                out += pack_i(len(items_6))
                out += i32s(items_6)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v0", message, error) from error


def encode_response_v1(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.host.encode()
            out += pack_ih(item_1.node_id, len(raw))
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ih(item_1.port, -1)
            else:
                raw = value_2.encode()
                out += pack_ih(item_1.port, len(raw))
                out += raw
        items_3 = message.topics
        out += pack_ii(message.controller_id, len(items_3))
        for item_3 in items_3:
            value_4 = item_3.name
            if value_4 is None:
                raise TypeError("Name may not be null")
            raw = value_4.encode()
            out += pack_hh(item_3.error_code, len(raw))
            out += raw
            items_5 = item_3.partitions
            out += pack_ti(item_3.is_internal, len(items_5))
            for item_5 in items_5:
                items_6 = item_5.replica_nodes
                out += pack_hiii(item_5.error_code, item_5.partition_index, item_5.leader_id, len(items_6))
                out += i32s(items_6)
                items_7 = item_5.isr_nodes
                out += pack_i(len(items_7))
                out += i32s(items_7)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v1", message, error) from error


def encode_response_v2(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        out += pack_i(len(items_1))
        for item_1 in items_1:
            raw = item_1.host.encode()
            out += pack_ih(item_1.node_id, len(raw))
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ih(item_1.port, -1)
            else:
                raw = value_2.encode()
                out += pack_ih(item_1.port, len(raw))
                out += raw
        value_3 = message.cluster_id
        if value_3 is None:
            out += pack_h(-1)
        else:
            raw = value_3.encode()
            out += pack_h(len(raw))
            out += raw
        items_4 = message.topics
        out += pack_ii(message.controller_id, len(items_4))
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                raise TypeError("Name may not be null")
            raw = value_5.encode()
            out += pack_hh(item_4.error_code, len(raw))
            out += raw
            items_6 = item_4.partitions
            out += pack_ti(item_4.is_internal, len(items_6))
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                out += pack_hiii(item_6.error_code, item_6.partition_index, item_6.leader_id, len(items_7))
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                out += pack_i(len(items_8))
                out += i32s(items_8)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v2", message, error) from error


# versions 3-4
def encode_response_v3(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.host.encode()
            out += pack_ih(item_1.node_id, len(raw))
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ih(item_1.port, -1)
            else:
                raw = value_2.encode()
                out += pack_ih(item_1.port, len(raw))
                out += raw
        value_3 = message.cluster_id
        if value_3 is None:
            out += pack_h(-1)
        else:
            raw = value_3.encode()
            out += pack_h(len(raw))
            out += raw
        items_4 = message.topics
        out += pack_ii(message.controller_id, len(items_4))
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                raise TypeError("Name may not be null")
            raw = value_5.encode()
            out += pack_hh(item_4.error_code, len(raw))
            out += raw
            items_6 = item_4.partitions
            out += pack_ti(item_4.is_internal, len(items_6))
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                out += pack_hiii(item_6.error_code, item_6.partition_index, item_6.leader_id, len(items_7))
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                out += pack_i(len(items_8))
                out += i32s(items_8)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v3-4", message, error) from error


# versions 5-6
def encode_response_v5(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.host.encode()
            out += pack_ih(item_1.node_id, len(raw))
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ih(item_1.port, -1)
            else:
                raw = value_2.encode()
                out += pack_ih(item_1.port, len(raw))
                out += raw
        value_3 = message.cluster_id
        if value_3 is None:
            out += pack_h(-1)
        else:
            raw = value_3.encode()
            out += pack_h(len(raw))
            out += raw
        items_4 = message.topics
        out += pack_ii(message.controller_id, len(items_4))
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                raise TypeError("Name may not be null")
            raw = value_5.encode()
            out += pack_hh(item_4.error_code, len(raw))
            out += raw
            items_6 = item_4.partitions
            out += pack_ti(item_4.is_internal, len(items_6))
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                out += pack_hiii(item_6.error_code, item_6.partition_index, item_6.leader_id, len(items_7))
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                out += pack_i(len(items_8))
                out += i32s(items_8)
                items_9 = item_6.offline_replicas
                out += pack_i(len(items_9))
                out += i32s(items_9)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v5-6", message, error) from error


def encode_response_v7(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.host.encode()
            out += pack_ih(item_1.node_id, len(raw))
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ih(item_1.port, -1)
            else:
                raw = value_2.encode()
                out += pack_ih(item_1.port, len(raw))
                out += raw
        value_3 = message.cluster_id
        if value_3 is None:
            out += pack_h(-1)
        else:
            raw = value_3.encode()
            out += pack_h(len(raw))
            out += raw
        items_4 = message.topics
        out += pack_ii(message.controller_id, len(items_4))
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                raise TypeError("Name may not be null")
            raw = value_5.encode()
            out += pack_hh(item_4.error_code, len(raw))
            out += raw
            items_6 = item_4.partitions
            out += pack_ti(item_4.is_internal, len(items_6))
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                out += pack_hiiii(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch, len(items_7))
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                out += pack_i(len(items_8))
                out += i32s(items_8)
                items_9 = item_6.offline_replicas
                out += pack_i(len(items_9))
                out += i32s(items_9)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v7", message, error) from error


def encode_response_v8(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.host.encode()
            out += pack_ih(item_1.node_id, len(raw))
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ih(item_1.port, -1)
            else:
                raw = value_2.encode()
                out += pack_ih(item_1.port, len(raw))
                out += raw
        value_3 = message.cluster_id
        if value_3 is None:
            out += pack_h(-1)
        else:
            raw = value_3.encode()
            out += pack_h(len(raw))
            out += raw
        items_4 = message.topics
        out += pack_ii(message.controller_id, len(items_4))
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                raise TypeError("Name may not be null")
            raw = value_5.encode()
            out += pack_hh(item_4.error_code, len(raw))
            out += raw
            items_6 = item_4.partitions
            out += pack_ti(item_4.is_internal, len(items_6))
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                out += pack_hiiii(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch, len(items_7))
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                out += pack_i(len(items_8))
                out += i32s(items_8)
                items_9 = item_6.offline_replicas
                out += pack_i(len(items_9))
                out += i32s(items_9)
            out += pack_i(item_4.topic_authorized_operations)
        out += pack_i(message.cluster_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v8", message, error) from error


def encode_response_v9(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.host.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(item_1.node_id, n)
            else:
                out += pack_i(item_1.node_id)
                out += uvarint(n)
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ix(item_1.port)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_1.port, n)
                else:
                    out += pack_i(item_1.port)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        value_3 = message.cluster_id
        if value_3 is None:
            out += b"\0"
        else:
            raw = value_3.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_4 = message.topics
        n = len(items_4) + 1
        if n < 128:
            out += pack_iB(message.controller_id, n)
        else:
            out += pack_i(message.controller_id)
            out += uvarint(n)
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                raise TypeError("Name may not be null")
            raw = value_5.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_hB(item_4.error_code, n)
            else:
                out += pack_h(item_4.error_code)
                out += uvarint(n)
            out += raw
            items_6 = item_4.partitions
            n = len(items_6) + 1
            if n < 128:
                out += pack_tB(item_4.is_internal, n)
            else:
                out += pack_t(item_4.is_internal)
                out += uvarint(n)
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                n = len(items_7) + 1
                if n < 128:
                    out += pack_hiiiB(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch, n)
                else:
                    out += pack_hiii(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch)
                    out += uvarint(n)
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                n = len(items_8) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_8)
                items_9 = item_6.offline_replicas
                n = len(items_9) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_9)
                out += b"\0"
            out += pack_ix(item_4.topic_authorized_operations)
        out += pack_ix(message.cluster_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v9", message, error) from error


def encode_response_v10(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.host.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(item_1.node_id, n)
            else:
                out += pack_i(item_1.node_id)
                out += uvarint(n)
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ix(item_1.port)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_1.port, n)
                else:
                    out += pack_i(item_1.port)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        value_3 = message.cluster_id
        if value_3 is None:
            out += b"\0"
        else:
            raw = value_3.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_4 = message.topics
        n = len(items_4) + 1
        if n < 128:
            out += pack_iB(message.controller_id, n)
        else:
            out += pack_i(message.controller_id)
            out += uvarint(n)
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                raise TypeError("Name may not be null")
            raw = value_5.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_hB(item_4.error_code, n)
            else:
                out += pack_h(item_4.error_code)
                out += uvarint(n)
            out += raw
            items_6 = item_4.partitions
            n = len(items_6) + 1
            if n < 128:
                out += pack_utB(item_4.topic_id, item_4.is_internal, n)
            else:
                out += pack_ut(item_4.topic_id, item_4.is_internal)
                out += uvarint(n)
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                n = len(items_7) + 1
                if n < 128:
                    out += pack_hiiiB(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch, n)
                else:
                    out += pack_hiii(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch)
                    out += uvarint(n)
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                n = len(items_8) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_8)
                items_9 = item_6.offline_replicas
                n = len(items_9) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_9)
                out += b"\0"
            out += pack_ix(item_4.topic_authorized_operations)
        out += pack_ix(message.cluster_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v10", message, error) from error


def encode_response_v11(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.host.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(item_1.node_id, n)
            else:
                out += pack_i(item_1.node_id)
                out += uvarint(n)
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ix(item_1.port)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_1.port, n)
                else:
                    out += pack_i(item_1.port)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        value_3 = message.cluster_id
        if value_3 is None:
            out += b"\0"
        else:
            raw = value_3.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_4 = message.topics
        n = len(items_4) + 1
        if n < 128:
            out += pack_iB(message.controller_id, n)
        else:
            out += pack_i(message.controller_id)
            out += uvarint(n)
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                raise TypeError("Name may not be null")
            raw = value_5.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_hB(item_4.error_code, n)
            else:
                out += pack_h(item_4.error_code)
                out += uvarint(n)
            out += raw
            items_6 = item_4.partitions
            n = len(items_6) + 1
            if n < 128:
                out += pack_utB(item_4.topic_id, item_4.is_internal, n)
            else:
                out += pack_ut(item_4.topic_id, item_4.is_internal)
                out += uvarint(n)
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                n = len(items_7) + 1
                if n < 128:
                    out += pack_hiiiB(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch, n)
                else:
                    out += pack_hiii(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch)
                    out += uvarint(n)
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                n = len(items_8) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_8)
                items_9 = item_6.offline_replicas
                n = len(items_9) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_9)
                out += b"\0"
            out += pack_ix(item_4.topic_authorized_operations)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v11", message, error) from error


def encode_response_v12(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.host.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(item_1.node_id, n)
            else:
                out += pack_i(item_1.node_id)
                out += uvarint(n)
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ix(item_1.port)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_1.port, n)
                else:
                    out += pack_i(item_1.port)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        value_3 = message.cluster_id
        if value_3 is None:
            out += b"\0"
        else:
            raw = value_3.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_4 = message.topics
        n = len(items_4) + 1
        if n < 128:
            out += pack_iB(message.controller_id, n)
        else:
            out += pack_i(message.controller_id)
            out += uvarint(n)
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                out += pack_hx(item_4.error_code)
            else:
                raw = value_5.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_hB(item_4.error_code, n)
                else:
                    out += pack_h(item_4.error_code)
                    out += uvarint(n)
                out += raw
            items_6 = item_4.partitions
            n = len(items_6) + 1
            if n < 128:
                out += pack_utB(item_4.topic_id, item_4.is_internal, n)
            else:
                out += pack_ut(item_4.topic_id, item_4.is_internal)
                out += uvarint(n)
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                n = len(items_7) + 1
                if n < 128:
                    out += pack_hiiiB(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch, n)
                else:
                    out += pack_hiii(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch)
                    out += uvarint(n)
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                n = len(items_8) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_8)
                items_9 = item_6.offline_replicas
                n = len(items_9) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_9)
                out += b"\0"
            out += pack_ix(item_4.topic_authorized_operations)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v12", message, error) from error


def encode_response_v13(message: MetadataResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.brokers
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.host.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(item_1.node_id, n)
            else:
                out += pack_i(item_1.node_id)
                out += uvarint(n)
            out += raw
            value_2 = item_1.rack
            if value_2 is None:
                out += pack_ix(item_1.port)
            else:
                raw = value_2.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_1.port, n)
                else:
                    out += pack_i(item_1.port)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        value_3 = message.cluster_id
        if value_3 is None:
            out += b"\0"
        else:
            raw = value_3.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
        items_4 = message.topics
        n = len(items_4) + 1
        if n < 128:
            out += pack_iB(message.controller_id, n)
        else:
            out += pack_i(message.controller_id)
            out += uvarint(n)
        for item_4 in items_4:
            value_5 = item_4.name
            if value_5 is None:
                out += pack_hx(item_4.error_code)
            else:
                raw = value_5.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_hB(item_4.error_code, n)
                else:
                    out += pack_h(item_4.error_code)
                    out += uvarint(n)
                out += raw
            items_6 = item_4.partitions
            n = len(items_6) + 1
            if n < 128:
                out += pack_utB(item_4.topic_id, item_4.is_internal, n)
            else:
                out += pack_ut(item_4.topic_id, item_4.is_internal)
                out += uvarint(n)
            for item_6 in items_6:
                items_7 = item_6.replica_nodes
                n = len(items_7) + 1
                if n < 128:
                    out += pack_hiiiB(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch, n)
                else:
                    out += pack_hiii(item_6.error_code, item_6.partition_index, item_6.leader_id, item_6.leader_epoch)
                    out += uvarint(n)
                out += i32s(items_7)
                items_8 = item_6.isr_nodes
                n = len(items_8) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_8)
                items_9 = item_6.offline_replicas
                n = len(items_9) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_9)
                out += b"\0"
            out += pack_ix(item_4.topic_authorized_operations)
        out += pack_hx(message.error_code)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Metadata response v13", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
    2: decode_request_v1,
    3: decode_request_v1,
    4: decode_request_v4,
    5: decode_request_v4,
    6: decode_request_v4,
    7: decode_request_v4,
    8: decode_request_v8,
    9: decode_request_v9,
    10: decode_request_v10,
    11: decode_request_v11,
    12: decode_request_v11,
    13: decode_request_v11,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v1,
    2: encode_request_v1,
    3: encode_request_v1,
    4: encode_request_v4,
    5: encode_request_v4,
    6: encode_request_v4,
    7: encode_request_v4,
    8: encode_request_v8,
    9: encode_request_v9,
    10: encode_request_v10,
    11: encode_request_v11,
    12: encode_request_v11,
    13: encode_request_v11,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
    2: decode_response_v2,
    3: decode_response_v3,
    4: decode_response_v3,
    5: decode_response_v5,
    6: decode_response_v5,
    7: decode_response_v7,
    8: decode_response_v8,
    9: decode_response_v9,
    10: decode_response_v10,
    11: decode_response_v11,
    12: decode_response_v12,
    13: decode_response_v13,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v2,
    3: encode_response_v3,
    4: encode_response_v3,
    5: encode_response_v5,
    6: encode_response_v5,
    7: encode_response_v7,
    8: encode_response_v8,
    9: encode_response_v9,
    10: encode_response_v10,
    11: encode_response_v11,
    12: encode_response_v12,
    13: encode_response_v13,
}
