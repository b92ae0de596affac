"""Generated from tools/codecs/schemas/describe_cluster.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import overrun, read_length, skip_tagged
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_tbtx = Struct(">?b?x").pack
pack_tbx = Struct(">?bx").pack
pack_tx = Struct(">?x").pack
pack_b = Struct(">b").pack
pack_bB = Struct(">bB").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ihx = Struct(">ihx").pack
pack_ix = Struct(">ix").pack
unpack_tB = Struct(">?B").unpack_from
unpack_tbtB = Struct(">?b?B").unpack_from
unpack_tbB = Struct(">?bB").unpack_from
unpack_bB = Struct(">bB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from


class DescribeClusterRequest(Message):
    __match_args__ = ("include_cluster_authorized_operations", "endpoint_type", "include_fenced_brokers")
    __slots__ = __match_args__

    def __init__(
        self,
        include_cluster_authorized_operations: bool = False,
        endpoint_type: int = 1,
        include_fenced_brokers: bool = False,
    ) -> None:
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.endpoint_type = endpoint_type
        self.include_fenced_brokers = include_fenced_brokers


class DescribeClusterResponseBroker(Message):
    __match_args__ = ("broker_id", "host", "port", "rack", "is_fenced")
    __slots__ = __match_args__

    def __init__(
        self,
        broker_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
        is_fenced: bool = False,
    ) -> None:
        self.broker_id = broker_id
        self.host = host
        self.port = port
        self.rack = rack
        self.is_fenced = is_fenced


class DescribeClusterResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "error_message", "endpoint_type", "cluster_id", "controller_id", "brokers", "cluster_authorized_operations")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        endpoint_type: int = 1,
        cluster_id: str = "",
        controller_id: int = -1,
        brokers: Sequence[DescribeClusterResponseBroker] = (),
        cluster_authorized_operations: int = -2147483648,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.endpoint_type = endpoint_type
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.brokers = brokers
        self.cluster_authorized_operations = cluster_authorized_operations


def decode_request_v0(buf: bytes, pos: int) -> DescribeClusterRequest:
    try:
        include_cluster_authorized_operations_0, tags = unpack_tB(buf, pos)
        pos += 2
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeClusterRequest)
        made_0.include_cluster_authorized_operations = include_cluster_authorized_operations_0
        made_0.endpoint_type = 1
        made_0.include_fenced_brokers = False
    except (IndexError, StructError) as error:
        raise overrun("DescribeCluster request v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeCluster request v0", buf, pos)
    return made_0


def decode_request_v1(buf: bytes, pos: int) -> DescribeClusterRequest:
    try:
        include_cluster_authorized_operations_0, endpoint_type_0, tags = unpack_tbB(buf, pos)
        pos += 3
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeClusterRequest)
        made_0.include_cluster_authorized_operations = include_cluster_authorized_operations_0
        made_0.endpoint_type = endpoint_type_0
        made_0.include_fenced_brokers = False
    except (IndexError, StructError) as error:
        raise overrun("DescribeCluster request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeCluster request v1", buf, pos)
    return made_0


def decode_request_v2(buf: bytes, pos: int) -> DescribeClusterRequest:
    try:
        include_cluster_authorized_operations_0, endpoint_type_0, include_fenced_brokers_0, tags = unpack_tbtB(buf, pos)
        pos += 4
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeClusterRequest)
        made_0.include_cluster_authorized_operations = include_cluster_authorized_operations_0
        made_0.endpoint_type = endpoint_type_0
        made_0.include_fenced_brokers = include_fenced_brokers_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeCluster request v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeCluster request v2", buf, pos)
    return made_0


def encode_request_v0(message: DescribeClusterRequest) -> bytes:
    try:
        return pack_tx(message.include_cluster_authorized_operations)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeCluster request v0", message, error) from error


def encode_request_v1(message: DescribeClusterRequest) -> bytes:
    try:
        return pack_tbx(message.include_cluster_authorized_operations, message.endpoint_type)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeCluster request v1", message, error) from error


def encode_request_v2(message: DescribeClusterRequest) -> bytes:
    try:
        return pack_tbtx(message.include_cluster_authorized_operations, message.endpoint_type, message.include_fenced_brokers)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeCluster request v2", message, error) from error


def decode_response_v0(buf: bytes, pos: int) -> DescribeClusterResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        error_message_0: str | None = None
        if n > 0:
            end = pos + n - 1
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeCluster response v0", "ClusterId")
        end = pos + n - 1
        cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        controller_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeCluster response v0", "Brokers")
        n -= 1
        if n * 11 > len(buf) - pos:
            raise overrun("DescribeCluster response v0", buf, pos)
        brokers_0_items: list[DescribeClusterResponseBroker] = []
        for _ in range(n):
            broker_id_1, n = unpack_iB(buf, pos)
            pos += 5
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeCluster response v0", "Host")
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
            made_1 = new(DescribeClusterResponseBroker)
            made_1.broker_id = broker_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            made_1.is_fenced = False
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        cluster_authorized_operations_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeClusterResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.endpoint_type = 1
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.brokers = brokers_0
        made_0.cluster_authorized_operations = cluster_authorized_operations_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeCluster response v0", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeCluster response v0", buf, pos)
    return made_0


def decode_response_v1(buf: bytes, pos: int) -> DescribeClusterResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        error_message_0: str | None = None
        if n > 0:
            end = pos + n - 1
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        endpoint_type_0, n = unpack_bB(buf, pos)
        pos += 2
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeCluster response v1", "ClusterId")
        end = pos + n - 1
        cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        controller_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeCluster response v1", "Brokers")
        n -= 1
        if n * 11 > len(buf) - pos:
            raise overrun("DescribeCluster response v1", buf, pos)
        brokers_0_items: list[DescribeClusterResponseBroker] = []
        for _ in range(n):
            broker_id_1, n = unpack_iB(buf, pos)
            pos += 5
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeCluster response v1", "Host")
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
            made_1 = new(DescribeClusterResponseBroker)
            made_1.broker_id = broker_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            made_1.is_fenced = False
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        cluster_authorized_operations_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeClusterResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.endpoint_type = endpoint_type_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.brokers = brokers_0
        made_0.cluster_authorized_operations = cluster_authorized_operations_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeCluster response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeCluster response v1", buf, pos)
    return made_0


def decode_response_v2(buf: bytes, pos: int) -> DescribeClusterResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        error_message_0: str | None = None
        if n > 0:
            end = pos + n - 1
            error_message_0 = buf[pos:end].decode("utf-8", "replace")
            pos = end
        endpoint_type_0, n = unpack_bB(buf, pos)
        pos += 2
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeCluster response v2", "ClusterId")
        end = pos + n - 1
        cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        controller_id_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeCluster response v2", "Brokers")
        n -= 1
        if n * 12 > len(buf) - pos:
            raise overrun("DescribeCluster response v2", buf, pos)
        brokers_0_items: list[DescribeClusterResponseBroker] = []
        for _ in range(n):
            broker_id_1, n = unpack_iB(buf, pos)
            pos += 5
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeCluster response v2", "Host")
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
            is_fenced_1, tags = unpack_tB(buf, pos)
            pos += 2
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeClusterResponseBroker)
            made_1.broker_id = broker_id_1
            made_1.host = host_1
            made_1.port = port_1
            made_1.rack = rack_1
            made_1.is_fenced = is_fenced_1
            brokers_0_items.append(made_1)
        brokers_0 = brokers_0_items
        cluster_authorized_operations_0, tags = unpack_iB(buf, pos)
        pos += 5
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeClusterResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.error_message = error_message_0
        made_0.endpoint_type = endpoint_type_0
        made_0.cluster_id = cluster_id_0
        made_0.controller_id = controller_id_0
        made_0.brokers = brokers_0
        made_0.cluster_authorized_operations = cluster_authorized_operations_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeCluster response v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeCluster response v2", buf, pos)
    return made_0


def encode_response_v0(message: DescribeClusterResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_ihx(message.throttle_time_ms, message.error_code)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_ihB(message.throttle_time_ms, message.error_code, n)
            else:
                out += pack_ih(message.throttle_time_ms, message.error_code)
                out += uvarint(n)
            out += raw
        raw = message.cluster_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        items_2 = message.brokers
        n = len(items_2) + 1
        if n < 128:
            out += pack_iB(message.controller_id, n)
        else:
            out += pack_i(message.controller_id)
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.host.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(item_2.broker_id, n)
            else:
                out += pack_i(item_2.broker_id)
                out += uvarint(n)
            out += raw
            value_3 = item_2.rack
            if value_3 is None:
                out += pack_ix(item_2.port)
            else:
                raw = value_3.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_2.port, n)
                else:
                    out += pack_i(item_2.port)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        out += pack_ix(message.cluster_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeCluster response v0", message, error) from error


def encode_response_v1(message: DescribeClusterResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_ihx(message.throttle_time_ms, message.error_code)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_ihB(message.throttle_time_ms, message.error_code, n)
            else:
                out += pack_ih(message.throttle_time_ms, message.error_code)
                out += uvarint(n)
            out += raw
        raw = message.cluster_id.encode()
        n = len(raw) + 1
        if n < 128:
            out += pack_bB(message.endpoint_type, n)
        else:
            out += pack_b(message.endpoint_type)
            out += uvarint(n)
        out += raw
        items_2 = message.brokers
        n = len(items_2) + 1
        if n < 128:
            out += pack_iB(message.controller_id, n)
        else:
            out += pack_i(message.controller_id)
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.host.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(item_2.broker_id, n)
            else:
                out += pack_i(item_2.broker_id)
                out += uvarint(n)
            out += raw
            value_3 = item_2.rack
            if value_3 is None:
                out += pack_ix(item_2.port)
            else:
                raw = value_3.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_2.port, n)
                else:
                    out += pack_i(item_2.port)
                    out += uvarint(n)
                out += raw
            out += b"\0"
        out += pack_ix(message.cluster_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeCluster response v1", message, error) from error


def encode_response_v2(message: DescribeClusterResponse) -> bytes:
    try:
        out = bytearray()
        value_1 = message.error_message
        if value_1 is None:
            out += pack_ihx(message.throttle_time_ms, message.error_code)
        else:
            raw = value_1.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_ihB(message.throttle_time_ms, message.error_code, n)
            else:
                out += pack_ih(message.throttle_time_ms, message.error_code)
                out += uvarint(n)
            out += raw
        raw = message.cluster_id.encode()
        n = len(raw) + 1
        if n < 128:
            out += pack_bB(message.endpoint_type, n)
        else:
            out += pack_b(message.endpoint_type)
            out += uvarint(n)
        out += raw
        items_2 = message.brokers
        n = len(items_2) + 1
        if n < 128:
            out += pack_iB(message.controller_id, n)
        else:
            out += pack_i(message.controller_id)
            out += uvarint(n)
        for item_2 in items_2:
            raw = item_2.host.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_iB(item_2.broker_id, n)
            else:
                out += pack_i(item_2.broker_id)
                out += uvarint(n)
            out += raw
            value_3 = item_2.rack
            if value_3 is None:
                out += pack_ix(item_2.port)
            else:
                raw = value_3.encode()
                n = len(raw) + 1
                if n < 128:
                    out += pack_iB(item_2.port, n)
                else:
                    out += pack_i(item_2.port)
                    out += uvarint(n)
                out += raw
            out += pack_tx(item_2.is_fenced)
        out += pack_ix(message.cluster_authorized_operations)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeCluster response v2", message, error) from error


REQUEST_DECODERS = {
    0: decode_request_v0,
    1: decode_request_v1,
    2: decode_request_v2,
}
REQUEST_ENCODERS = {
    0: encode_request_v0,
    1: encode_request_v1,
    2: encode_request_v2,
}
RESPONSE_DECODERS = {
    0: decode_response_v0,
    1: decode_response_v1,
    2: decode_response_v2,
}
RESPONSE_ENCODERS = {
    0: encode_response_v0,
    1: encode_response_v1,
    2: encode_response_v2,
}
