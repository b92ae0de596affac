"""Generated from tools/codecs/schemas/describe_log_dirs.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, null_field, overrun, read_i32s, read_length, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_h = Struct(">h").pack
pack_hB = Struct(">hB").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ihB = Struct(">ihB").pack
pack_ii = Struct(">ii").pack
pack_iqqt = Struct(">iqq?").pack
pack_iqqtx = Struct(">iqq?x").pack
pack_qqx = Struct(">qqx").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iqqt = Struct(">iqq?").unpack_from
unpack_iqqtB = Struct(">iqq?B").unpack_from
unpack_qqB = Struct(">qqB").unpack_from


class DescribeLogDirsRequestTopic(Message):
    __match_args__ = ("topic", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic: str = "",
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.partitions = partitions


class DescribeLogDirsRequest(Message):
    __match_args__ = ("topics",)
    __slots__ = __match_args__

    def __init__(
        self,
        topics: Sequence[DescribeLogDirsRequestTopic] | None = (),
    ) -> None:
        self.topics = topics


class DescribeLogDirsResponsePartition(Message):
    __match_args__ = ("partition_index", "partition_size", "offset_lag", "is_future_key")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        partition_size: int = 0,
        offset_lag: int = 0,
        is_future_key: bool = False,
    ) -> None:
        self.partition_index = partition_index
        self.partition_size = partition_size
        self.offset_lag = offset_lag
        self.is_future_key = is_future_key


class DescribeLogDirsResponseTopic(Message):
    __match_args__ = ("name", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        name: str = "",
        partitions: Sequence[DescribeLogDirsResponsePartition] = (),
    ) -> None:
        self.name = name
        self.partitions = partitions


class DescribeLogDirsResponseResult(Message):
    __match_args__ = ("error_code", "log_dir", "topics", "total_bytes", "usable_bytes")
    __slots__ = __match_args__

    def __init__(
        self,
        error_code: int = 0,
        log_dir: str = "",
        topics: Sequence[DescribeLogDirsResponseTopic] = (),
        total_bytes: int = -1,
        usable_bytes: int = -1,
    ) -> None:
        self.error_code = error_code
        self.log_dir = log_dir
        self.topics = topics
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes


class DescribeLogDirsResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "results")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results: Sequence[DescribeLogDirsResponseResult] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results = results


def decode_request_v1(buf: bytes, pos: int) -> DescribeLogDirsRequest:
    try:
        (n,) = unpack_i(buf, pos)
        pos += 4
        topics_0: Sequence[DescribeLogDirsRequestTopic] | None = None
        if n >= 0:
            if n > len(buf) - pos:
                raise overrun("DescribeLogDirs request v1", buf, pos)
            if n > 50000:
                raise too_many("DescribeLogDirs request v1", n)
            topics_0_items: list[DescribeLogDirsRequestTopic] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeLogDirs request v1", "Topic")
                end = pos + n
                topic_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeLogDirs request v1", "Partitions")
                if n * 4 > len(buf) - pos:
                    raise overrun("DescribeLogDirs request v1", buf, pos)
                partitions_1 = read_i32s(buf, pos, n)
                pos += n * 4
                made_1 = new(DescribeLogDirsRequestTopic)
                made_1.topic = topic_1
                made_1.partitions = partitions_1
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        made_0 = new(DescribeLogDirsRequest)
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeLogDirs request v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeLogDirs request v1", buf, pos)
    return made_0


# versions 2-4
def decode_request_v2(buf: bytes, pos: int) -> DescribeLogDirsRequest:
    try:
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        topics_0: Sequence[DescribeLogDirsRequestTopic] | None = None
        if n > 0:
            n -= 1
            if n > len(buf) - pos:
                raise overrun("DescribeLogDirs request v2-4", buf, pos)
            if n > 50000:
                raise too_many("DescribeLogDirs request v2-4", n)
            topics_0_items: list[DescribeLogDirsRequestTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeLogDirs request v2-4", "Topic")
                end = pos + n - 1
                topic_1 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeLogDirs request v2-4", "Partitions")
                n -= 1
                if n * 4 > len(buf) - pos:
                    raise overrun("DescribeLogDirs request v2-4", buf, pos)
                partitions_1 = read_i32s(buf, pos, n)
                pos += n * 4
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_1 = new(DescribeLogDirsRequestTopic)
                made_1.topic = topic_1
                made_1.partitions = partitions_1
                topics_0_items.append(made_1)
            topics_0 = topics_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeLogDirsRequest)
        made_0.topics = topics_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeLogDirs request v2-4", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeLogDirs request v2-4", buf, pos)
    return made_0


def encode_request_v1(message: DescribeLogDirsRequest) -> bytes:
    try:
        out = bytearray()
        value_1 = message.topics
        if value_1 is None:
            out += pack_i(-1)
        else:
            items_2 = value_1
            out += pack_i(len(items_2))
            for item_2 in items_2:
                raw = item_2.topic.encode()
                out += pack_h(len(raw))
                out += raw
                items_3 = item_2.partitions
                out += pack_i(len(items_3))
                out += i32s(items_3)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeLogDirs request v1", message, error) from error


# versions 2-4
def encode_request_v2(message: DescribeLogDirsRequest) -> bytes:
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
                raw = item_2.topic.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_3 = item_2.partitions
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += i32s(items_3)
                out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeLogDirs request v2-4", message, error) from error


def decode_response_v1(buf: bytes, pos: int) -> DescribeLogDirsResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("DescribeLogDirs response v1", "Results")
        if n * 8 > len(buf) - pos:
            raise overrun("DescribeLogDirs response v1", buf, pos)
        results_0_items: list[DescribeLogDirsResponseResult] = []
        for _ in range(n):
            error_code_1, n = unpack_hh(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeLogDirs response v1", "LogDir")
            end = pos + n
            log_dir_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("DescribeLogDirs response v1", "Topics")
            if n * 6 > len(buf) - pos:
                raise overrun("DescribeLogDirs response v1", buf, pos)
            topics_1_items: list[DescribeLogDirsResponseTopic] = []
            for _ in range(n):
                (n,) = unpack_h(buf, pos)
                pos += 2
                if n < 0:
                    raise null_field("DescribeLogDirs response v1", "Name")
                end = pos + n
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                (n,) = unpack_i(buf, pos)
                pos += 4
                if n < 0:
                    raise null_field("DescribeLogDirs response v1", "Partitions")
                if n * 21 > len(buf) - pos:
                    raise overrun("DescribeLogDirs response v1", buf, pos)
                partitions_2_items: list[DescribeLogDirsResponsePartition] = []
                for _ in range(n):
                    partition_index_3, partition_size_3, offset_lag_3, is_future_key_3 = unpack_iqqt(buf, pos)
                    pos += 21
                    made_3 = new(DescribeLogDirsResponsePartition)
                    made_3.partition_index = partition_index_3
                    made_3.partition_size = partition_size_3
                    made_3.offset_lag = offset_lag_3
                    made_3.is_future_key = is_future_key_3
                    partitions_2_items.append(made_3)
                partitions_2 = partitions_2_items
                made_2 = new(DescribeLogDirsResponseTopic)
                made_2.name = name_2
                made_2.partitions = partitions_2
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            made_1 = new(DescribeLogDirsResponseResult)
            made_1.error_code = error_code_1
            made_1.log_dir = log_dir_1
            made_1.topics = topics_1
            made_1.total_bytes = -1
            made_1.usable_bytes = -1
            results_0_items.append(made_1)
        results_0 = results_0_items
        made_0 = new(DescribeLogDirsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = 0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeLogDirs response v1", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeLogDirs response v1", buf, pos)
    return made_0


def decode_response_v2(buf: bytes, pos: int) -> DescribeLogDirsResponse:
    try:
        throttle_time_ms_0, n = unpack_iB(buf, pos)
        pos += 5
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v2", "Results")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("DescribeLogDirs response v2", buf, pos)
        results_0_items: list[DescribeLogDirsResponseResult] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v2", "LogDir")
            end = pos + n - 1
            log_dir_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v2", "Topics")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("DescribeLogDirs response v2", buf, pos)
            topics_1_items: list[DescribeLogDirsResponseTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v2", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v2", "Partitions")
                n -= 1
                if n * 22 > len(buf) - pos:
                    raise overrun("DescribeLogDirs response v2", buf, pos)
                partitions_2_items: list[DescribeLogDirsResponsePartition] = []
                for _ in range(n):
                    partition_index_3, partition_size_3, offset_lag_3, is_future_key_3, tags = unpack_iqqtB(buf, pos)
                    pos += 22
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = new(DescribeLogDirsResponsePartition)
                    made_3.partition_index = partition_index_3
                    made_3.partition_size = partition_size_3
                    made_3.offset_lag = offset_lag_3
                    made_3.is_future_key = is_future_key_3
                    partitions_2_items.append(made_3)
                partitions_2 = partitions_2_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DescribeLogDirsResponseTopic)
                made_2.name = name_2
                made_2.partitions = partitions_2
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeLogDirsResponseResult)
            made_1.error_code = error_code_1
            made_1.log_dir = log_dir_1
            made_1.topics = topics_1
            made_1.total_bytes = -1
            made_1.usable_bytes = -1
            results_0_items.append(made_1)
        results_0 = results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeLogDirsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = 0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeLogDirs response v2", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeLogDirs response v2", buf, pos)
    return made_0


def decode_response_v3(buf: bytes, pos: int) -> DescribeLogDirsResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v3", "Results")
        n -= 1
        if n * 5 > len(buf) - pos:
            raise overrun("DescribeLogDirs response v3", buf, pos)
        results_0_items: list[DescribeLogDirsResponseResult] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v3", "LogDir")
            end = pos + n - 1
            log_dir_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v3", "Topics")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("DescribeLogDirs response v3", buf, pos)
            topics_1_items: list[DescribeLogDirsResponseTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v3", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v3", "Partitions")
                n -= 1
                if n * 22 > len(buf) - pos:
                    raise overrun("DescribeLogDirs response v3", buf, pos)
                partitions_2_items: list[DescribeLogDirsResponsePartition] = []
                for _ in range(n):
                    partition_index_3, partition_size_3, offset_lag_3, is_future_key_3, tags = unpack_iqqtB(buf, pos)
                    pos += 22
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = new(DescribeLogDirsResponsePartition)
                    made_3.partition_index = partition_index_3
                    made_3.partition_size = partition_size_3
                    made_3.offset_lag = offset_lag_3
                    made_3.is_future_key = is_future_key_3
                    partitions_2_items.append(made_3)
                partitions_2 = partitions_2_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DescribeLogDirsResponseTopic)
                made_2.name = name_2
                made_2.partitions = partitions_2
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeLogDirsResponseResult)
            made_1.error_code = error_code_1
            made_1.log_dir = log_dir_1
            made_1.topics = topics_1
            made_1.total_bytes = -1
            made_1.usable_bytes = -1
            results_0_items.append(made_1)
        results_0 = results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeLogDirsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeLogDirs response v3", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeLogDirs response v3", buf, pos)
    return made_0


def decode_response_v4(buf: bytes, pos: int) -> DescribeLogDirsResponse:
    try:
        throttle_time_ms_0, error_code_0, n = unpack_ihB(buf, pos)
        pos += 7
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v4", "Results")
        n -= 1
        if n * 21 > len(buf) - pos:
            raise overrun("DescribeLogDirs response v4", buf, pos)
        results_0_items: list[DescribeLogDirsResponseResult] = []
        for _ in range(n):
            error_code_1, n = unpack_hB(buf, pos)
            pos += 3
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v4", "LogDir")
            end = pos + n - 1
            log_dir_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v4", "Topics")
            n -= 1
            if n * 3 > len(buf) - pos:
                raise overrun("DescribeLogDirs response v4", buf, pos)
            topics_1_items: list[DescribeLogDirsResponseTopic] = []
            for _ in range(n):
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v4", "Name")
                end = pos + n - 1
                name_2 = buf[pos:end].decode("utf-8", "replace")
                pos = end
                n = buf[pos]
                pos += 1
                if not 0 < n < 128:
                    n, pos = read_length(buf, pos - 1, "DescribeLogDirs response v4", "Partitions")
                n -= 1
                if n * 22 > len(buf) - pos:
                    raise overrun("DescribeLogDirs response v4", buf, pos)
                partitions_2_items: list[DescribeLogDirsResponsePartition] = []
                for _ in range(n):
                    partition_index_3, partition_size_3, offset_lag_3, is_future_key_3, tags = unpack_iqqtB(buf, pos)
                    pos += 22
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_3 = new(DescribeLogDirsResponsePartition)
                    made_3.partition_index = partition_index_3
                    made_3.partition_size = partition_size_3
                    made_3.offset_lag = offset_lag_3
                    made_3.is_future_key = is_future_key_3
                    partitions_2_items.append(made_3)
                partitions_2 = partitions_2_items
                tags = buf[pos]
                pos += 1
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(DescribeLogDirsResponseTopic)
                made_2.name = name_2
                made_2.partitions = partitions_2
                topics_1_items.append(made_2)
            topics_1 = topics_1_items
            total_bytes_1, usable_bytes_1, tags = unpack_qqB(buf, pos)
            pos += 17
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(DescribeLogDirsResponseResult)
            made_1.error_code = error_code_1
            made_1.log_dir = log_dir_1
            made_1.topics = topics_1
            made_1.total_bytes = total_bytes_1
            made_1.usable_bytes = usable_bytes_1
            results_0_items.append(made_1)
        results_0 = results_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(DescribeLogDirsResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.results = results_0
    except (IndexError, StructError) as error:
        raise overrun("DescribeLogDirs response v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("DescribeLogDirs response v4", buf, pos)
    return made_0


def encode_response_v1(message: DescribeLogDirsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.log_dir.encode()
            out += pack_hh(item_1.error_code, len(raw))
            out += raw
            items_2 = item_1.topics
            out += pack_i(len(items_2))
            for item_2 in items_2:
                raw = item_2.name.encode()
                out += pack_h(len(raw))
                out += raw
                items_3 = item_2.partitions
                out += pack_i(len(items_3))
                out += b"".join([pack_iqqt(item_3.partition_index, item_3.partition_size, item_3.offset_lag, item_3.is_future_key) for item_3 in items_3])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeLogDirs response v1", message, error) from error


def encode_response_v2(message: DescribeLogDirsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results
        n = len(items_1) + 1
        if n < 128:
            out += pack_iB(message.throttle_time_ms, n)
        else:
            out += pack_i(message.throttle_time_ms)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.log_dir.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_hB(item_1.error_code, n)
            else:
                out += pack_h(item_1.error_code)
                out += uvarint(n)
            out += raw
            items_2 = item_1.topics
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.name.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_3 = item_2.partitions
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += b"".join([pack_iqqtx(item_3.partition_index, item_3.partition_size, item_3.offset_lag, item_3.is_future_key) for item_3 in items_3])
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeLogDirs response v2", message, error) from error


def encode_response_v3(message: DescribeLogDirsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.log_dir.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_hB(item_1.error_code, n)
            else:
                out += pack_h(item_1.error_code)
                out += uvarint(n)
            out += raw
            items_2 = item_1.topics
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.name.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_3 = item_2.partitions
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += b"".join([pack_iqqtx(item_3.partition_index, item_3.partition_size, item_3.offset_lag, item_3.is_future_key) for item_3 in items_3])
                out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeLogDirs response v3", message, error) from error


def encode_response_v4(message: DescribeLogDirsResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.results
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihB(message.throttle_time_ms, message.error_code, n)
        else:
            out += pack_ih(message.throttle_time_ms, message.error_code)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.log_dir.encode()
            n = len(raw) + 1
            if n < 128:
                out += pack_hB(item_1.error_code, n)
            else:
                out += pack_h(item_1.error_code)
                out += uvarint(n)
            out += raw
            items_2 = item_1.topics
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                raw = item_2.name.encode()
                n = len(raw) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += raw
                items_3 = item_2.partitions
                n = len(items_3) + 1
                if n < 128:
                    out.append(n)
                else:
                    out += uvarint(n)
                out += b"".join([pack_iqqtx(item_3.partition_index, item_3.partition_size, item_3.offset_lag, item_3.is_future_key) for item_3 in items_3])
                out += b"\0"
            out += pack_qqx(item_1.total_bytes, item_1.usable_bytes)
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("DescribeLogDirs response v4", message, error) from error


REQUEST_DECODERS = {
    1: decode_request_v1,
    2: decode_request_v2,
    3: decode_request_v2,
    4: decode_request_v2,
}
REQUEST_ENCODERS = {
    1: encode_request_v1,
    2: encode_request_v2,
    3: encode_request_v2,
    4: encode_request_v2,
}
RESPONSE_DECODERS = {
    1: decode_response_v1,
    2: decode_response_v2,
    3: decode_response_v3,
    4: decode_response_v4,
}
RESPONSE_ENCODERS = {
    1: encode_response_v1,
    2: encode_response_v2,
    3: encode_response_v3,
    4: encode_response_v4,
}
