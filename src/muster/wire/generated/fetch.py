"""Generated from tools/codecs/schemas/fetch.api by `make generate`; changes belong there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from struct import Struct, error as StructError

from muster.wire.message import Message, encode_failure
from muster.wire.primitives import i32s, misfit, null_field, overrun, read_i32s, read_length, read_tag, skip_tagged, too_many
from muster.wire.varint import read_uvarint, uvarint

new = Message.__new__
pack_u = Struct(">16s").pack
pack_uB = Struct(">16sB").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ihi = Struct(">ihi").pack
pack_ihiB = Struct(">ihiB").pack
pack_ihii = Struct(">ihii").pack
pack_ihqqi = Struct(">ihqqi").pack
pack_ihqqq = Struct(">ihqqq").pack
pack_ihqqqB = Struct(">ihqqqB").pack
pack_ihqqqi = Struct(">ihqqqi").pack
pack_ihqqqx = Struct(">ihqqqx").pack
pack_ii = Struct(">ii").pack
pack_iiibii = Struct(">iiibii").pack
pack_iiibiiB = Struct(">iiibiiB").pack
pack_iiiibi = Struct(">iiiibi").pack
pack_iiiibii = Struct(">iiiibii").pack
pack_iiiibiiB = Struct(">iiiibiiB").pack
pack_iiiibiii = Struct(">iiiibiii").pack
pack_iiqiqi = Struct(">iiqiqi").pack
pack_iiqiqix = Struct(">iiqiqix").pack
pack_iiqqi = Struct(">iiqqi").pack
pack_iix = Struct(">iix").pack
pack_iqi = Struct(">iqi").pack
pack_iqqi = Struct(">iqqi").pack
pack_iqx = Struct(">iqx").pack
pack_ix = Struct(">ix").pack
pack_qix = Struct(">qix").pack
pack_qq = Struct(">qq").pack
pack_qqx = Struct(">qqx").pack
unpack_u = Struct(">16s").unpack_from
unpack_uB = Struct(">16sB").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihiB = Struct(">ihiB").unpack_from
unpack_ihii = Struct(">ihii").unpack_from
unpack_ihqqi = Struct(">ihqqi").unpack_from
unpack_ihqqqB = Struct(">ihqqqB").unpack_from
unpack_ihqqqi = Struct(">ihqqqi").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_iiibiiB = Struct(">iiibiiB").unpack_from
unpack_iiiibi = Struct(">iiiibi").unpack_from
unpack_iiiibiiB = Struct(">iiiibiiB").unpack_from
unpack_iiiibiii = Struct(">iiiibiii").unpack_from
unpack_iiqiqiB = Struct(">iiqiqiB").unpack_from
unpack_iiqqi = Struct(">iiqqi").unpack_from
unpack_iqB = Struct(">iqB").unpack_from
unpack_iqi = Struct(">iqi").unpack_from
unpack_iqqi = Struct(">iqqi").unpack_from
unpack_qiB = Struct(">qiB").unpack_from
unpack_qq = Struct(">qq").unpack_from
unpack_qqB = Struct(">qqB").unpack_from
NO_UUID: Final = bytes(16)


class FetchRequestReplicaState(Message):
    __match_args__ = ("replica_id", "replica_epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        replica_id: int = -1,
        replica_epoch: int = -1,
    ) -> None:
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch


class FetchRequestPartition(Message):
    __match_args__ = ("partition", "current_leader_epoch", "fetch_offset", "last_fetched_epoch", "log_start_offset", "partition_max_bytes", "replica_directory_id")
    __slots__ = __match_args__

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        fetch_offset: int = 0,
        last_fetched_epoch: int = -1,
        log_start_offset: int = -1,
        partition_max_bytes: int = 0,
        replica_directory_id: bytes = NO_UUID,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.fetch_offset = fetch_offset
        self.last_fetched_epoch = last_fetched_epoch
        self.log_start_offset = log_start_offset
        self.partition_max_bytes = partition_max_bytes
        self.replica_directory_id = replica_directory_id


class FetchRequestTopic(Message):
    __match_args__ = ("topic", "topic_id", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = NO_UUID,
        partitions: Sequence[FetchRequestPartition] = (),
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = partitions


class FetchRequestForgottenTopic(Message):
    __match_args__ = ("topic", "topic_id", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = NO_UUID,
        partitions: Sequence[int] = (),
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = partitions


class FetchRequest(Message):
    __match_args__ = ("cluster_id", "replica_id", "replica_state", "max_wait_ms", "min_bytes", "max_bytes", "isolation_level", "session_id", "session_epoch", "topics", "forgotten_topics_data", "rack_id")
    __slots__ = __match_args__

    def __init__(
        self,
        cluster_id: str | None = None,
        replica_id: int = -1,
        replica_state: FetchRequestReplicaState | None = None,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        isolation_level: int = 0,
        session_id: int = 0,
        session_epoch: int = -1,
        topics: Sequence[FetchRequestTopic] = (),
        forgotten_topics_data: Sequence[FetchRequestForgottenTopic] = (),
        rack_id: str = "",
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.replica_state = replica_state
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation_level = isolation_level
        self.session_id = session_id
        self.session_epoch = session_epoch
        self.topics = topics
        self.forgotten_topics_data = forgotten_topics_data
        self.rack_id = rack_id


class FetchResponseDivergingEpoch(Message):
    __match_args__ = ("epoch", "end_offset")
    __slots__ = __match_args__

    def __init__(
        self,
        epoch: int = -1,
        end_offset: int = -1,
    ) -> None:
        self.epoch = epoch
        self.end_offset = end_offset


class FetchResponseCurrentLeader(Message):
    __match_args__ = ("leader_id", "leader_epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


class FetchResponseSnapshotId(Message):
    __match_args__ = ("end_offset", "epoch")
    __slots__ = __match_args__

    def __init__(
        self,
        end_offset: int = -1,
        epoch: int = -1,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch


class FetchResponseAbortedTransaction(Message):
    __match_args__ = ("producer_id", "first_offset")
    __slots__ = __match_args__

    def __init__(
        self,
        producer_id: int = 0,
        first_offset: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset


class FetchResponsePartition(Message):
    __match_args__ = ("partition_index", "error_code", "high_watermark", "last_stable_offset", "log_start_offset", "diverging_epoch", "current_leader", "snapshot_id", "aborted_transactions", "preferred_read_replica", "records")
    __slots__ = __match_args__

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        high_watermark: int = 0,
        last_stable_offset: int = -1,
        log_start_offset: int = -1,
        diverging_epoch: FetchResponseDivergingEpoch | None = None,
        current_leader: FetchResponseCurrentLeader | None = None,
        snapshot_id: FetchResponseSnapshotId | None = None,
        aborted_transactions: Sequence[FetchResponseAbortedTransaction] | None = (),
        preferred_read_replica: int = -1,
        records: bytes | None = b"",
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.high_watermark = high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_start_offset = log_start_offset
        self.diverging_epoch = diverging_epoch
        self.current_leader = current_leader
        self.snapshot_id = snapshot_id
        self.aborted_transactions = aborted_transactions
        self.preferred_read_replica = preferred_read_replica
        self.records = records


class FetchResponseTopic(Message):
    __match_args__ = ("topic", "topic_id", "partitions")
    __slots__ = __match_args__

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = NO_UUID,
        partitions: Sequence[FetchResponsePartition] = (),
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = partitions


class FetchResponseNodeEndpoint(Message):
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


class FetchResponse(Message):
    __match_args__ = ("throttle_time_ms", "error_code", "session_id", "responses", "node_endpoints")
    __slots__ = __match_args__

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        session_id: int = 0,
        responses: Sequence[FetchResponseTopic] = (),
        node_endpoints: Sequence[FetchResponseNodeEndpoint] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.session_id = session_id
        self.responses = responses
        self.node_endpoints = node_endpoints


def decode_request_v4(buf: bytes, pos: int) -> FetchRequest:
    try:
        replica_id_0, max_wait_ms_0, min_bytes_0, max_bytes_0, isolation_level_0, n = unpack_iiiibi(buf, pos)
        pos += 21
        if n < 0:
            raise null_field("Fetch request v4", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch request v4", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v4", n)
        topics_0_items: list[FetchRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch request v4", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch request v4", "Partitions")
            if n * 16 > len(buf) - pos:
                raise overrun("Fetch request v4", buf, pos)
            if n > 50000:
                raise too_many("Fetch request v4", n)
            partitions_1_items: list[FetchRequestPartition] = []
            for _ in range(n):
                partition_2, fetch_offset_2, partition_max_bytes_2 = unpack_iqi(buf, pos)
                pos += 16
                made_2 = new(FetchRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = -1
                made_2.fetch_offset = fetch_offset_2
                made_2.last_fetched_epoch = -1
                made_2.log_start_offset = -1
                made_2.partition_max_bytes = partition_max_bytes_2
                made_2.replica_directory_id = NO_UUID
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(FetchRequestTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(FetchRequest)
        made_0.cluster_id = None
        made_0.replica_id = replica_id_0
        made_0.replica_state = None
        made_0.max_wait_ms = max_wait_ms_0
        made_0.min_bytes = min_bytes_0
        made_0.max_bytes = max_bytes_0
        made_0.isolation_level = isolation_level_0
        made_0.session_id = 0
        made_0.session_epoch = -1
        made_0.topics = topics_0
        made_0.forgotten_topics_data = ()
        made_0.rack_id = ""
    except (IndexError, StructError) as error:
        raise overrun("Fetch request v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch request v4", buf, pos)
    return made_0


# versions 5-6
def decode_request_v5(buf: bytes, pos: int) -> FetchRequest:
    try:
        replica_id_0, max_wait_ms_0, min_bytes_0, max_bytes_0, isolation_level_0, n = unpack_iiiibi(buf, pos)
        pos += 21
        if n < 0:
            raise null_field("Fetch request v5-6", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch request v5-6", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v5-6", n)
        topics_0_items: list[FetchRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch request v5-6", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch request v5-6", "Partitions")
            if n * 24 > len(buf) - pos:
                raise overrun("Fetch request v5-6", buf, pos)
            if n > 50000:
                raise too_many("Fetch request v5-6", n)
            partitions_1_items: list[FetchRequestPartition] = []
            for _ in range(n):
                partition_2, fetch_offset_2, log_start_offset_2, partition_max_bytes_2 = unpack_iqqi(buf, pos)
                pos += 24
                made_2 = new(FetchRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = -1
                made_2.fetch_offset = fetch_offset_2
                made_2.last_fetched_epoch = -1
                made_2.log_start_offset = log_start_offset_2
                made_2.partition_max_bytes = partition_max_bytes_2
                made_2.replica_directory_id = NO_UUID
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(FetchRequestTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        made_0 = new(FetchRequest)
        made_0.cluster_id = None
        made_0.replica_id = replica_id_0
        made_0.replica_state = None
        made_0.max_wait_ms = max_wait_ms_0
        made_0.min_bytes = min_bytes_0
        made_0.max_bytes = max_bytes_0
        made_0.isolation_level = isolation_level_0
        made_0.session_id = 0
        made_0.session_epoch = -1
        made_0.topics = topics_0
        made_0.forgotten_topics_data = ()
        made_0.rack_id = ""
    except (IndexError, StructError) as error:
        raise overrun("Fetch request v5-6", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch request v5-6", buf, pos)
    return made_0


# versions 7-8
def decode_request_v7(buf: bytes, pos: int) -> FetchRequest:
    try:
        replica_id_0, max_wait_ms_0, min_bytes_0, max_bytes_0, isolation_level_0, session_id_0, session_epoch_0, n = unpack_iiiibiii(buf, pos)
        pos += 29
        if n < 0:
            raise null_field("Fetch request v7-8", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch request v7-8", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v7-8", n)
        topics_0_items: list[FetchRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch request v7-8", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch request v7-8", "Partitions")
            if n * 24 > len(buf) - pos:
                raise overrun("Fetch request v7-8", buf, pos)
            if n > 50000:
                raise too_many("Fetch request v7-8", n)
            partitions_1_items: list[FetchRequestPartition] = []
            for _ in range(n):
                partition_2, fetch_offset_2, log_start_offset_2, partition_max_bytes_2 = unpack_iqqi(buf, pos)
                pos += 24
                made_2 = new(FetchRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = -1
                made_2.fetch_offset = fetch_offset_2
                made_2.last_fetched_epoch = -1
                made_2.log_start_offset = log_start_offset_2
                made_2.partition_max_bytes = partition_max_bytes_2
                made_2.replica_directory_id = NO_UUID
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(FetchRequestTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Fetch request v7-8", "ForgottenTopicsData")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch request v7-8", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v7-8", n)
        forgotten_topics_data_0_items: list[FetchRequestForgottenTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch request v7-8", "Topic")
            end = pos + n
            topic_3 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch request v7-8", "Partitions")
            if n * 4 > len(buf) - pos:
                raise overrun("Fetch request v7-8", buf, pos)
            partitions_3 = read_i32s(buf, pos, n)
            pos += n * 4
            made_3 = new(FetchRequestForgottenTopic)
            made_3.topic = topic_3
            made_3.topic_id = NO_UUID
            made_3.partitions = partitions_3
            forgotten_topics_data_0_items.append(made_3)
        forgotten_topics_data_0 = forgotten_topics_data_0_items
        made_0 = new(FetchRequest)
        made_0.cluster_id = None
        made_0.replica_id = replica_id_0
        made_0.replica_state = None
        made_0.max_wait_ms = max_wait_ms_0
        made_0.min_bytes = min_bytes_0
        made_0.max_bytes = max_bytes_0
        made_0.isolation_level = isolation_level_0
        made_0.session_id = session_id_0
        made_0.session_epoch = session_epoch_0
        made_0.topics = topics_0
        made_0.forgotten_topics_data = forgotten_topics_data_0
        made_0.rack_id = ""
    except (IndexError, StructError) as error:
        raise overrun("Fetch request v7-8", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch request v7-8", buf, pos)
    return made_0


# versions 9-10
def decode_request_v9(buf: bytes, pos: int) -> FetchRequest:
    try:
        replica_id_0, max_wait_ms_0, min_bytes_0, max_bytes_0, isolation_level_0, session_id_0, session_epoch_0, n = unpack_iiiibiii(buf, pos)
        pos += 29
        if n < 0:
            raise null_field("Fetch request v9-10", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch request v9-10", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v9-10", n)
        topics_0_items: list[FetchRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch request v9-10", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch request v9-10", "Partitions")
            if n * 28 > len(buf) - pos:
                raise overrun("Fetch request v9-10", buf, pos)
            if n > 50000:
                raise too_many("Fetch request v9-10", n)
            partitions_1_items: list[FetchRequestPartition] = []
            for _ in range(n):
                partition_2, current_leader_epoch_2, fetch_offset_2, log_start_offset_2, partition_max_bytes_2 = unpack_iiqqi(buf, pos)
                pos += 28
                made_2 = new(FetchRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.fetch_offset = fetch_offset_2
                made_2.last_fetched_epoch = -1
                made_2.log_start_offset = log_start_offset_2
                made_2.partition_max_bytes = partition_max_bytes_2
                made_2.replica_directory_id = NO_UUID
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(FetchRequestTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Fetch request v9-10", "ForgottenTopicsData")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch request v9-10", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v9-10", n)
        forgotten_topics_data_0_items: list[FetchRequestForgottenTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch request v9-10", "Topic")
            end = pos + n
            topic_3 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch request v9-10", "Partitions")
            if n * 4 > len(buf) - pos:
                raise overrun("Fetch request v9-10", buf, pos)
            partitions_3 = read_i32s(buf, pos, n)
            pos += n * 4
            made_3 = new(FetchRequestForgottenTopic)
            made_3.topic = topic_3
            made_3.topic_id = NO_UUID
            made_3.partitions = partitions_3
            forgotten_topics_data_0_items.append(made_3)
        forgotten_topics_data_0 = forgotten_topics_data_0_items
        made_0 = new(FetchRequest)
        made_0.cluster_id = None
        made_0.replica_id = replica_id_0
        made_0.replica_state = None
        made_0.max_wait_ms = max_wait_ms_0
        made_0.min_bytes = min_bytes_0
        made_0.max_bytes = max_bytes_0
        made_0.isolation_level = isolation_level_0
        made_0.session_id = session_id_0
        made_0.session_epoch = session_epoch_0
        made_0.topics = topics_0
        made_0.forgotten_topics_data = forgotten_topics_data_0
        made_0.rack_id = ""
    except (IndexError, StructError) as error:
        raise overrun("Fetch request v9-10", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch request v9-10", buf, pos)
    return made_0


def decode_request_v11(buf: bytes, pos: int) -> FetchRequest:
    try:
        replica_id_0, max_wait_ms_0, min_bytes_0, max_bytes_0, isolation_level_0, session_id_0, session_epoch_0, n = unpack_iiiibiii(buf, pos)
        pos += 29
        if n < 0:
            raise null_field("Fetch request v11", "Topics")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch request v11", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v11", n)
        topics_0_items: list[FetchRequestTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch request v11", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch request v11", "Partitions")
            if n * 28 > len(buf) - pos:
                raise overrun("Fetch request v11", buf, pos)
            if n > 50000:
                raise too_many("Fetch request v11", n)
            partitions_1_items: list[FetchRequestPartition] = []
            for _ in range(n):
                partition_2, current_leader_epoch_2, fetch_offset_2, log_start_offset_2, partition_max_bytes_2 = unpack_iiqqi(buf, pos)
                pos += 28
                made_2 = new(FetchRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.fetch_offset = fetch_offset_2
                made_2.last_fetched_epoch = -1
                made_2.log_start_offset = log_start_offset_2
                made_2.partition_max_bytes = partition_max_bytes_2
                made_2.replica_directory_id = NO_UUID
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(FetchRequestTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        (n,) = unpack_i(buf, pos)
        pos += 4
        if n < 0:
            raise null_field("Fetch request v11", "ForgottenTopicsData")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch request v11", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v11", n)
        forgotten_topics_data_0_items: list[FetchRequestForgottenTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch request v11", "Topic")
            end = pos + n
            topic_3 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch request v11", "Partitions")
            if n * 4 > len(buf) - pos:
                raise overrun("Fetch request v11", buf, pos)
            partitions_3 = read_i32s(buf, pos, n)
            pos += n * 4
            made_3 = new(FetchRequestForgottenTopic)
            made_3.topic = topic_3
            made_3.topic_id = NO_UUID
            made_3.partitions = partitions_3
            forgotten_topics_data_0_items.append(made_3)
        forgotten_topics_data_0 = forgotten_topics_data_0_items
        (n,) = unpack_h(buf, pos)
        pos += 2
        if n < 0:
            raise null_field("Fetch request v11", "RackId")
        end = pos + n
        rack_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        made_0 = new(FetchRequest)
        made_0.cluster_id = None
        made_0.replica_id = replica_id_0
        made_0.replica_state = None
        made_0.max_wait_ms = max_wait_ms_0
        made_0.min_bytes = min_bytes_0
        made_0.max_bytes = max_bytes_0
        made_0.isolation_level = isolation_level_0
        made_0.session_id = session_id_0
        made_0.session_epoch = session_epoch_0
        made_0.topics = topics_0
        made_0.forgotten_topics_data = forgotten_topics_data_0
        made_0.rack_id = rack_id_0
    except (IndexError, StructError) as error:
        raise overrun("Fetch request v11", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch request v11", buf, pos)
    return made_0


def decode_request_v12(buf: bytes, pos: int) -> FetchRequest:
    try:
        replica_id_0, max_wait_ms_0, min_bytes_0, max_bytes_0, isolation_level_0, session_id_0, session_epoch_0, n = unpack_iiiibiiB(buf, pos)
        pos += 26
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v12", "Topics")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("Fetch request v12", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v12", n)
        topics_0_items: list[FetchRequestTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v12", "Topic")
            end = pos + n - 1
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v12", "Partitions")
            n -= 1
            if n * 33 > len(buf) - pos:
                raise overrun("Fetch request v12", buf, pos)
            if n > 50000:
                raise too_many("Fetch request v12", n)
            partitions_1_items: list[FetchRequestPartition] = []
            for _ in range(n):
                partition_2, current_leader_epoch_2, fetch_offset_2, last_fetched_epoch_2, log_start_offset_2, partition_max_bytes_2, tags = unpack_iiqiqiB(buf, pos)
                pos += 33
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(FetchRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.fetch_offset = fetch_offset_2
                made_2.last_fetched_epoch = last_fetched_epoch_2
                made_2.log_start_offset = log_start_offset_2
                made_2.partition_max_bytes = partition_max_bytes_2
                made_2.replica_directory_id = NO_UUID
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(FetchRequestTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v12", "ForgottenTopicsData")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("Fetch request v12", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v12", n)
        forgotten_topics_data_0_items: list[FetchRequestForgottenTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v12", "Topic")
            end = pos + n - 1
            topic_3 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v12", "Partitions")
            n -= 1
            if n * 4 > len(buf) - pos:
                raise overrun("Fetch request v12", buf, pos)
            partitions_3 = read_i32s(buf, pos, n)
            pos += n * 4
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_3 = new(FetchRequestForgottenTopic)
            made_3.topic = topic_3
            made_3.topic_id = NO_UUID
            made_3.partitions = partitions_3
            forgotten_topics_data_0_items.append(made_3)
        forgotten_topics_data_0 = forgotten_topics_data_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v12", "RackId")
        end = pos + n - 1
        rack_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        tags = buf[pos]
        pos += 1
        cluster_id_0: str | None = None
        if tags:
            tags, pos = read_uvarint(buf, pos - 1)
            for _ in range(tags):
                tag, pos, end_4 = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    cluster_id_0 = None
                    if n > 0:
                        end = pos + n - 1
                        cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    if pos != end_4:
                        raise misfit("Fetch request v12", "ClusterId", pos)
                else:
                    pos = end_4
        made_0 = new(FetchRequest)
        made_0.cluster_id = cluster_id_0
        made_0.replica_id = replica_id_0
        made_0.replica_state = None
        made_0.max_wait_ms = max_wait_ms_0
        made_0.min_bytes = min_bytes_0
        made_0.max_bytes = max_bytes_0
        made_0.isolation_level = isolation_level_0
        made_0.session_id = session_id_0
        made_0.session_epoch = session_epoch_0
        made_0.topics = topics_0
        made_0.forgotten_topics_data = forgotten_topics_data_0
        made_0.rack_id = rack_id_0
    except (IndexError, StructError) as error:
        raise overrun("Fetch request v12", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch request v12", buf, pos)
    return made_0


# versions 13-14
def decode_request_v13(buf: bytes, pos: int) -> FetchRequest:
    try:
        replica_id_0, max_wait_ms_0, min_bytes_0, max_bytes_0, isolation_level_0, session_id_0, session_epoch_0, n = unpack_iiiibiiB(buf, pos)
        pos += 26
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v13-14", "Topics")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Fetch request v13-14", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v13-14", n)
        topics_0_items: list[FetchRequestTopic] = []
        for _ in range(n):
            topic_id_1, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v13-14", "Partitions")
            n -= 1
            if n * 33 > len(buf) - pos:
                raise overrun("Fetch request v13-14", buf, pos)
            if n > 50000:
                raise too_many("Fetch request v13-14", n)
            partitions_1_items: list[FetchRequestPartition] = []
            for _ in range(n):
                partition_2, current_leader_epoch_2, fetch_offset_2, last_fetched_epoch_2, log_start_offset_2, partition_max_bytes_2, tags = unpack_iiqiqiB(buf, pos)
                pos += 33
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(FetchRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.fetch_offset = fetch_offset_2
                made_2.last_fetched_epoch = last_fetched_epoch_2
                made_2.log_start_offset = log_start_offset_2
                made_2.partition_max_bytes = partition_max_bytes_2
                made_2.replica_directory_id = NO_UUID
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(FetchRequestTopic)
            made_1.topic = ""
            made_1.topic_id = topic_id_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v13-14", "ForgottenTopicsData")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Fetch request v13-14", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v13-14", n)
        forgotten_topics_data_0_items: list[FetchRequestForgottenTopic] = []
        for _ in range(n):
            topic_id_3, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v13-14", "Partitions")
            n -= 1
            if n * 4 > len(buf) - pos:
                raise overrun("Fetch request v13-14", buf, pos)
            partitions_3 = read_i32s(buf, pos, n)
            pos += n * 4
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_3 = new(FetchRequestForgottenTopic)
            made_3.topic = ""
            made_3.topic_id = topic_id_3
            made_3.partitions = partitions_3
            forgotten_topics_data_0_items.append(made_3)
        forgotten_topics_data_0 = forgotten_topics_data_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v13-14", "RackId")
        end = pos + n - 1
        rack_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        tags = buf[pos]
        pos += 1
        cluster_id_0: str | None = None
        if tags:
            tags, pos = read_uvarint(buf, pos - 1)
            for _ in range(tags):
                tag, pos, end_4 = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    cluster_id_0 = None
                    if n > 0:
                        end = pos + n - 1
                        cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    if pos != end_4:
                        raise misfit("Fetch request v13-14", "ClusterId", pos)
                else:
                    pos = end_4
        made_0 = new(FetchRequest)
        made_0.cluster_id = cluster_id_0
        made_0.replica_id = replica_id_0
        made_0.replica_state = None
        made_0.max_wait_ms = max_wait_ms_0
        made_0.min_bytes = min_bytes_0
        made_0.max_bytes = max_bytes_0
        made_0.isolation_level = isolation_level_0
        made_0.session_id = session_id_0
        made_0.session_epoch = session_epoch_0
        made_0.topics = topics_0
        made_0.forgotten_topics_data = forgotten_topics_data_0
        made_0.rack_id = rack_id_0
    except (IndexError, StructError) as error:
        raise overrun("Fetch request v13-14", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch request v13-14", buf, pos)
    return made_0


# versions 15-16
def decode_request_v15(buf: bytes, pos: int) -> FetchRequest:
    try:
        max_wait_ms_0, min_bytes_0, max_bytes_0, isolation_level_0, session_id_0, session_epoch_0, n = unpack_iiibiiB(buf, pos)
        pos += 22
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v15-16", "Topics")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Fetch request v15-16", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v15-16", n)
        topics_0_items: list[FetchRequestTopic] = []
        for _ in range(n):
            topic_id_1, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v15-16", "Partitions")
            n -= 1
            if n * 33 > len(buf) - pos:
                raise overrun("Fetch request v15-16", buf, pos)
            if n > 50000:
                raise too_many("Fetch request v15-16", n)
            partitions_1_items: list[FetchRequestPartition] = []
            for _ in range(n):
                partition_2, current_leader_epoch_2, fetch_offset_2, last_fetched_epoch_2, log_start_offset_2, partition_max_bytes_2, tags = unpack_iiqiqiB(buf, pos)
                pos += 33
                if tags:
                    pos = skip_tagged(buf, pos - 1)
                made_2 = new(FetchRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.fetch_offset = fetch_offset_2
                made_2.last_fetched_epoch = last_fetched_epoch_2
                made_2.log_start_offset = log_start_offset_2
                made_2.partition_max_bytes = partition_max_bytes_2
                made_2.replica_directory_id = NO_UUID
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(FetchRequestTopic)
            made_1.topic = ""
            made_1.topic_id = topic_id_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v15-16", "ForgottenTopicsData")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Fetch request v15-16", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v15-16", n)
        forgotten_topics_data_0_items: list[FetchRequestForgottenTopic] = []
        for _ in range(n):
            topic_id_3, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v15-16", "Partitions")
            n -= 1
            if n * 4 > len(buf) - pos:
                raise overrun("Fetch request v15-16", buf, pos)
            partitions_3 = read_i32s(buf, pos, n)
            pos += n * 4
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_3 = new(FetchRequestForgottenTopic)
            made_3.topic = ""
            made_3.topic_id = topic_id_3
            made_3.partitions = partitions_3
            forgotten_topics_data_0_items.append(made_3)
        forgotten_topics_data_0 = forgotten_topics_data_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v15-16", "RackId")
        end = pos + n - 1
        rack_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        tags = buf[pos]
        pos += 1
        cluster_id_0: str | None = None
        replica_state_0: FetchRequestReplicaState | None = None
        if tags:
            tags, pos = read_uvarint(buf, pos - 1)
            for _ in range(tags):
                tag, pos, end_4 = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    cluster_id_0 = None
                    if n > 0:
                        end = pos + n - 1
                        cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    if pos != end_4:
                        raise misfit("Fetch request v15-16", "ClusterId", pos)
                elif tag == 1:
                    replica_id_4, replica_epoch_4, tags = unpack_iqB(buf, pos)
                    pos += 13
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_4 = new(FetchRequestReplicaState)
                    made_4.replica_id = replica_id_4
                    made_4.replica_epoch = replica_epoch_4
                    replica_state_0 = made_4
                    if pos != end_4:
                        raise misfit("Fetch request v15-16", "ReplicaState", pos)
                else:
                    pos = end_4
        made_0 = new(FetchRequest)
        made_0.cluster_id = cluster_id_0
        made_0.replica_id = -1
        made_0.replica_state = replica_state_0
        made_0.max_wait_ms = max_wait_ms_0
        made_0.min_bytes = min_bytes_0
        made_0.max_bytes = max_bytes_0
        made_0.isolation_level = isolation_level_0
        made_0.session_id = session_id_0
        made_0.session_epoch = session_epoch_0
        made_0.topics = topics_0
        made_0.forgotten_topics_data = forgotten_topics_data_0
        made_0.rack_id = rack_id_0
    except (IndexError, StructError) as error:
        raise overrun("Fetch request v15-16", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch request v15-16", buf, pos)
    return made_0


def decode_request_v17(buf: bytes, pos: int) -> FetchRequest:
    try:
        max_wait_ms_0, min_bytes_0, max_bytes_0, isolation_level_0, session_id_0, session_epoch_0, n = unpack_iiibiiB(buf, pos)
        pos += 22
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v17", "Topics")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Fetch request v17", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v17", n)
        topics_0_items: list[FetchRequestTopic] = []
        for _ in range(n):
            topic_id_1, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v17", "Partitions")
            n -= 1
            if n * 33 > len(buf) - pos:
                raise overrun("Fetch request v17", buf, pos)
            if n > 50000:
                raise too_many("Fetch request v17", n)
            partitions_1_items: list[FetchRequestPartition] = []
            for _ in range(n):
                partition_2, current_leader_epoch_2, fetch_offset_2, last_fetched_epoch_2, log_start_offset_2, partition_max_bytes_2, tags = unpack_iiqiqiB(buf, pos)
                pos += 33
                replica_directory_id_2: bytes = NO_UUID
                if tags:
                    tags, pos = read_uvarint(buf, pos - 1)
                    for _ in range(tags):
                        tag, pos, end_3 = read_tag(buf, pos)
                        if tag == 0:
                            (replica_directory_id_2,) = unpack_u(buf, pos)
                            pos += 16
                            if pos != end_3:
                                raise misfit("Fetch request v17", "ReplicaDirectoryId", pos)
                        else:
                            pos = end_3
                made_2 = new(FetchRequestPartition)
                made_2.partition = partition_2
                made_2.current_leader_epoch = current_leader_epoch_2
                made_2.fetch_offset = fetch_offset_2
                made_2.last_fetched_epoch = last_fetched_epoch_2
                made_2.log_start_offset = log_start_offset_2
                made_2.partition_max_bytes = partition_max_bytes_2
                made_2.replica_directory_id = replica_directory_id_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(FetchRequestTopic)
            made_1.topic = ""
            made_1.topic_id = topic_id_1
            made_1.partitions = partitions_1
            topics_0_items.append(made_1)
        topics_0 = topics_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v17", "ForgottenTopicsData")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Fetch request v17", buf, pos)
        if n > 50000:
            raise too_many("Fetch request v17", n)
        forgotten_topics_data_0_items: list[FetchRequestForgottenTopic] = []
        for _ in range(n):
            topic_id_3, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch request v17", "Partitions")
            n -= 1
            if n * 4 > len(buf) - pos:
                raise overrun("Fetch request v17", buf, pos)
            partitions_3 = read_i32s(buf, pos, n)
            pos += n * 4
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_3 = new(FetchRequestForgottenTopic)
            made_3.topic = ""
            made_3.topic_id = topic_id_3
            made_3.partitions = partitions_3
            forgotten_topics_data_0_items.append(made_3)
        forgotten_topics_data_0 = forgotten_topics_data_0_items
        n = buf[pos]
        pos += 1
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch request v17", "RackId")
        end = pos + n - 1
        rack_id_0 = buf[pos:end].decode("utf-8", "replace")
        pos = end
        tags = buf[pos]
        pos += 1
        cluster_id_0: str | None = None
        replica_state_0: FetchRequestReplicaState | None = None
        if tags:
            tags, pos = read_uvarint(buf, pos - 1)
            for _ in range(tags):
                tag, pos, end_4 = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if n > 127:
                        n, pos = read_uvarint(buf, pos - 1)
                    cluster_id_0 = None
                    if n > 0:
                        end = pos + n - 1
                        cluster_id_0 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                    if pos != end_4:
                        raise misfit("Fetch request v17", "ClusterId", pos)
                elif tag == 1:
                    replica_id_4, replica_epoch_4, tags = unpack_iqB(buf, pos)
                    pos += 13
                    if tags:
                        pos = skip_tagged(buf, pos - 1)
                    made_4 = new(FetchRequestReplicaState)
                    made_4.replica_id = replica_id_4
                    made_4.replica_epoch = replica_epoch_4
                    replica_state_0 = made_4
                    if pos != end_4:
                        raise misfit("Fetch request v17", "ReplicaState", pos)
                else:
                    pos = end_4
        made_0 = new(FetchRequest)
        made_0.cluster_id = cluster_id_0
        made_0.replica_id = -1
        made_0.replica_state = replica_state_0
        made_0.max_wait_ms = max_wait_ms_0
        made_0.min_bytes = min_bytes_0
        made_0.max_bytes = max_bytes_0
        made_0.isolation_level = isolation_level_0
        made_0.session_id = session_id_0
        made_0.session_epoch = session_epoch_0
        made_0.topics = topics_0
        made_0.forgotten_topics_data = forgotten_topics_data_0
        made_0.rack_id = rack_id_0
    except (IndexError, StructError) as error:
        raise overrun("Fetch request v17", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch request v17", buf, pos)
    return made_0


def encode_request_v4(message: FetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_iiiibi(message.replica_id, message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iqi(item_2.partition, item_2.fetch_offset, item_2.partition_max_bytes) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch request v4", message, error) from error


# versions 5-6
def encode_request_v5(message: FetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_iiiibi(message.replica_id, message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iqqi(item_2.partition, item_2.fetch_offset, item_2.log_start_offset, item_2.partition_max_bytes) for item_2 in items_2])
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch request v5-6", message, error) from error


# versions 7-8
def encode_request_v7(message: FetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_iiiibiii(message.replica_id, message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iqqi(item_2.partition, item_2.fetch_offset, item_2.log_start_offset, item_2.partition_max_bytes) for item_2 in items_2])
        items_3 = message.forgotten_topics_data
        out += pack_i(len(items_3))
        for item_3 in items_3:
            raw = item_3.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_4 = item_3.partitions
            out += pack_i(len(items_4))
            out += i32s(items_4)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch request v7-8", message, error) from error


# versions 9-10
def encode_request_v9(message: FetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_iiiibiii(message.replica_id, message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iiqqi(item_2.partition, item_2.current_leader_epoch, item_2.fetch_offset, item_2.log_start_offset, item_2.partition_max_bytes) for item_2 in items_2])
        items_3 = message.forgotten_topics_data
        out += pack_i(len(items_3))
        for item_3 in items_3:
            raw = item_3.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_4 = item_3.partitions
            out += pack_i(len(items_4))
            out += i32s(items_4)
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch request v9-10", message, error) from error


def encode_request_v11(message: FetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        out += pack_iiiibiii(message.replica_id, message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            out += b"".join([pack_iiqqi(item_2.partition, item_2.current_leader_epoch, item_2.fetch_offset, item_2.log_start_offset, item_2.partition_max_bytes) for item_2 in items_2])
        items_3 = message.forgotten_topics_data
        out += pack_i(len(items_3))
        for item_3 in items_3:
            raw = item_3.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_4 = item_3.partitions
            out += pack_i(len(items_4))
            out += i32s(items_4)
        raw = message.rack_id.encode()
        out += pack_h(len(raw))
        out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch request v11", message, error) from error


def encode_request_v12(message: FetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_iiiibiiB(message.replica_id, message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch, n)
        else:
            out += pack_iiiibii(message.replica_id, message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.topic.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += b"".join([pack_iiqiqix(item_2.partition, item_2.current_leader_epoch, item_2.fetch_offset, item_2.last_fetched_epoch, item_2.log_start_offset, item_2.partition_max_bytes) for item_2 in items_2])
            out += b"\0"
        items_3 = message.forgotten_topics_data
        n = len(items_3) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_3 in items_3:
            raw = item_3.topic.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_4 = item_3.partitions
            n = len(items_4) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += i32s(items_4)
            out += b"\0"
        raw = message.rack_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        if (message.cluster_id is not None):
            count_5 = 0
            section_5 = bytearray()
            if message.cluster_id is not None:
                payload_5 = bytearray()
                raw = message.cluster_id.encode()
                n = len(raw) + 1
                if n < 128:
                    payload_5.append(n)
                else:
                    payload_5 += uvarint(n)
                payload_5 += raw
                count_5 += 1
                section_5 += uvarint(0) + uvarint(len(payload_5)) + payload_5
            out += uvarint(count_5) + section_5
        else:
            out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch request v12", message, error) from error


# versions 13-14
def encode_request_v13(message: FetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_iiiibiiB(message.replica_id, message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch, n)
        else:
            out += pack_iiiibii(message.replica_id, message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch)
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out += pack_uB(item_1.topic_id, n)
            else:
                out += pack_u(item_1.topic_id)
                out += uvarint(n)
            out += b"".join([pack_iiqiqix(item_2.partition, item_2.current_leader_epoch, item_2.fetch_offset, item_2.last_fetched_epoch, item_2.log_start_offset, item_2.partition_max_bytes) for item_2 in items_2])
            out += b"\0"
        items_3 = message.forgotten_topics_data
        n = len(items_3) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_3 in items_3:
            items_4 = item_3.partitions
            n = len(items_4) + 1
            if n < 128:
                out += pack_uB(item_3.topic_id, n)
            else:
                out += pack_u(item_3.topic_id)
                out += uvarint(n)
            out += i32s(items_4)
            out += b"\0"
        raw = message.rack_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        if (message.cluster_id is not None):
            count_5 = 0
            section_5 = bytearray()
            if message.cluster_id is not None:
                payload_5 = bytearray()
                raw = message.cluster_id.encode()
                n = len(raw) + 1
                if n < 128:
                    payload_5.append(n)
                else:
                    payload_5 += uvarint(n)
                payload_5 += raw
                count_5 += 1
                section_5 += uvarint(0) + uvarint(len(payload_5)) + payload_5
            out += uvarint(count_5) + section_5
        else:
            out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch request v13-14", message, error) from error


# versions 15-16
def encode_request_v15(message: FetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_iiibiiB(message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch, n)
        else:
            out += pack_iiibii(message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch)
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out += pack_uB(item_1.topic_id, n)
            else:
                out += pack_u(item_1.topic_id)
                out += uvarint(n)
            out += b"".join([pack_iiqiqix(item_2.partition, item_2.current_leader_epoch, item_2.fetch_offset, item_2.last_fetched_epoch, item_2.log_start_offset, item_2.partition_max_bytes) for item_2 in items_2])
            out += b"\0"
        items_3 = message.forgotten_topics_data
        n = len(items_3) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_3 in items_3:
            items_4 = item_3.partitions
            n = len(items_4) + 1
            if n < 128:
                out += pack_uB(item_3.topic_id, n)
            else:
                out += pack_u(item_3.topic_id)
                out += uvarint(n)
            out += i32s(items_4)
            out += b"\0"
        raw = message.rack_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        if (message.cluster_id is not None) or (message.replica_state is not None and (message.replica_state.replica_id != -1 or message.replica_state.replica_epoch != -1)):
            count_5 = 0
            section_5 = bytearray()
            if message.cluster_id is not None:
                payload_5 = bytearray()
                raw = message.cluster_id.encode()
                n = len(raw) + 1
                if n < 128:
                    payload_5.append(n)
                else:
                    payload_5 += uvarint(n)
                payload_5 += raw
                count_5 += 1
                section_5 += uvarint(0) + uvarint(len(payload_5)) + payload_5
            if message.replica_state is not None and (message.replica_state.replica_id != -1 or message.replica_state.replica_epoch != -1):
                payload_5 = bytearray()
                inner_6 = message.replica_state
                payload_5 += pack_iqx(inner_6.replica_id, inner_6.replica_epoch)
                count_5 += 1
                section_5 += uvarint(1) + uvarint(len(payload_5)) + payload_5
            out += uvarint(count_5) + section_5
        else:
            out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch request v15-16", message, error) from error


def encode_request_v17(message: FetchRequest) -> bytes:
    try:
        out = bytearray()
        items_1 = message.topics
        n = len(items_1) + 1
        if n < 128:
            out += pack_iiibiiB(message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch, n)
        else:
            out += pack_iiibii(message.max_wait_ms, message.min_bytes, message.max_bytes, message.isolation_level, message.session_id, message.session_epoch)
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out += pack_uB(item_1.topic_id, n)
            else:
                out += pack_u(item_1.topic_id)
                out += uvarint(n)
            for item_2 in items_2:
                if (item_2.replica_directory_id != NO_UUID):
                    out += pack_iiqiqi(item_2.partition, item_2.current_leader_epoch, item_2.fetch_offset, item_2.last_fetched_epoch, item_2.log_start_offset, item_2.partition_max_bytes)
                    count_3 = 0
                    section_3 = bytearray()
                    if item_2.replica_directory_id != NO_UUID:
                        payload_3 = bytearray()
                        payload_3 += pack_u(item_2.replica_directory_id)
                        count_3 += 1
                        section_3 += uvarint(0) + uvarint(len(payload_3)) + payload_3
                    out += uvarint(count_3) + section_3
                else:
                    out += pack_iiqiqix(item_2.partition, item_2.current_leader_epoch, item_2.fetch_offset, item_2.last_fetched_epoch, item_2.log_start_offset, item_2.partition_max_bytes)
            out += b"\0"
        items_4 = message.forgotten_topics_data
        n = len(items_4) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        for item_4 in items_4:
            items_5 = item_4.partitions
            n = len(items_5) + 1
            if n < 128:
                out += pack_uB(item_4.topic_id, n)
            else:
                out += pack_u(item_4.topic_id)
                out += uvarint(n)
            out += i32s(items_5)
            out += b"\0"
        raw = message.rack_id.encode()
        n = len(raw) + 1
        if n < 128:
            out.append(n)
        else:
            out += uvarint(n)
        out += raw
        if (message.cluster_id is not None) or (message.replica_state is not None and (message.replica_state.replica_id != -1 or message.replica_state.replica_epoch != -1)):
            count_6 = 0
            section_6 = bytearray()
            if message.cluster_id is not None:
                payload_6 = bytearray()
                raw = message.cluster_id.encode()
                n = len(raw) + 1
                if n < 128:
                    payload_6.append(n)
                else:
                    payload_6 += uvarint(n)
                payload_6 += raw
                count_6 += 1
                section_6 += uvarint(0) + uvarint(len(payload_6)) + payload_6
            if message.replica_state is not None and (message.replica_state.replica_id != -1 or message.replica_state.replica_epoch != -1):
                payload_6 = bytearray()
                inner_7 = message.replica_state
                payload_6 += pack_iqx(inner_7.replica_id, inner_7.replica_epoch)
                count_6 += 1
                section_6 += uvarint(1) + uvarint(len(payload_6)) + payload_6
            out += uvarint(count_6) + section_6
        else:
            out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch request v17", message, error) from error


def decode_response_v4(buf: bytes, pos: int) -> FetchResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Fetch response v4", "Responses")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch response v4", buf, pos)
        responses_0_items: list[FetchResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch response v4", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch response v4", "Partitions")
            if n * 30 > len(buf) - pos:
                raise overrun("Fetch response v4", buf, pos)
            partitions_1_items: list[FetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, high_watermark_2, last_stable_offset_2, n = unpack_ihqqi(buf, pos)
                pos += 26
                aborted_transactions_2: Sequence[FetchResponseAbortedTransaction] | None = None
                if n >= 0:
                    if n > len(buf) - pos:
                        raise overrun("Fetch response v4", buf, pos)
                    aborted_transactions_2_items: list[FetchResponseAbortedTransaction] = []
                    for _ in range(n):
                        producer_id_3, first_offset_3 = unpack_qq(buf, pos)
                        pos += 16
                        made_3 = new(FetchResponseAbortedTransaction)
                        made_3.producer_id = producer_id_3
                        made_3.first_offset = first_offset_3
                        aborted_transactions_2_items.append(made_3)
                    aborted_transactions_2 = aborted_transactions_2_items
                (n,) = unpack_i(buf, pos)
                pos += 4
                records_2: bytes | None = None
                if n >= 0:
                    end = pos + n
                    records_2 = buf[pos:end]
                    pos = end
                made_2 = new(FetchResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.high_watermark = high_watermark_2
                made_2.last_stable_offset = last_stable_offset_2
                made_2.log_start_offset = -1
                made_2.diverging_epoch = None
                made_2.current_leader = None
                made_2.snapshot_id = None
                made_2.aborted_transactions = aborted_transactions_2
                made_2.preferred_read_replica = -1
                made_2.records = records_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(FetchResponseTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        made_0 = new(FetchResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = 0
        made_0.session_id = 0
        made_0.responses = responses_0
        made_0.node_endpoints = ()
    except (IndexError, StructError) as error:
        raise overrun("Fetch response v4", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch response v4", buf, pos)
    return made_0


# versions 5-6
def decode_response_v5(buf: bytes, pos: int) -> FetchResponse:
    try:
        throttle_time_ms_0, n = unpack_ii(buf, pos)
        pos += 8
        if n < 0:
            raise null_field("Fetch response v5-6", "Responses")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch response v5-6", buf, pos)
        responses_0_items: list[FetchResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch response v5-6", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch response v5-6", "Partitions")
            if n * 38 > len(buf) - pos:
                raise overrun("Fetch response v5-6", buf, pos)
            partitions_1_items: list[FetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, high_watermark_2, last_stable_offset_2, log_start_offset_2, n = unpack_ihqqqi(buf, pos)
                pos += 34
                aborted_transactions_2: Sequence[FetchResponseAbortedTransaction] | None = None
                if n >= 0:
                    if n > len(buf) - pos:
                        raise overrun("Fetch response v5-6", buf, pos)
                    aborted_transactions_2_items: list[FetchResponseAbortedTransaction] = []
                    for _ in range(n):
                        producer_id_3, first_offset_3 = unpack_qq(buf, pos)
                        pos += 16
                        made_3 = new(FetchResponseAbortedTransaction)
                        made_3.producer_id = producer_id_3
                        made_3.first_offset = first_offset_3
                        aborted_transactions_2_items.append(made_3)
                    aborted_transactions_2 = aborted_transactions_2_items
                (n,) = unpack_i(buf, pos)
                pos += 4
                records_2: bytes | None = None
                if n >= 0:
                    end = pos + n
                    records_2 = buf[pos:end]
                    pos = end
                made_2 = new(FetchResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.high_watermark = high_watermark_2
                made_2.last_stable_offset = last_stable_offset_2
                made_2.log_start_offset = log_start_offset_2
                made_2.diverging_epoch = None
                made_2.current_leader = None
                made_2.snapshot_id = None
                made_2.aborted_transactions = aborted_transactions_2
                made_2.preferred_read_replica = -1
                made_2.records = records_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(FetchResponseTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        made_0 = new(FetchResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = 0
        made_0.session_id = 0
        made_0.responses = responses_0
        made_0.node_endpoints = ()
    except (IndexError, StructError) as error:
        raise overrun("Fetch response v5-6", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch response v5-6", buf, pos)
    return made_0


# versions 7-10
def decode_response_v7(buf: bytes, pos: int) -> FetchResponse:
    try:
        throttle_time_ms_0, error_code_0, session_id_0, n = unpack_ihii(buf, pos)
        pos += 14
        if n < 0:
            raise null_field("Fetch response v7-10", "Responses")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch response v7-10", buf, pos)
        responses_0_items: list[FetchResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch response v7-10", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch response v7-10", "Partitions")
            if n * 38 > len(buf) - pos:
                raise overrun("Fetch response v7-10", buf, pos)
            partitions_1_items: list[FetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, high_watermark_2, last_stable_offset_2, log_start_offset_2, n = unpack_ihqqqi(buf, pos)
                pos += 34
                aborted_transactions_2: Sequence[FetchResponseAbortedTransaction] | None = None
                if n >= 0:
                    if n > len(buf) - pos:
                        raise overrun("Fetch response v7-10", buf, pos)
                    aborted_transactions_2_items: list[FetchResponseAbortedTransaction] = []
                    for _ in range(n):
                        producer_id_3, first_offset_3 = unpack_qq(buf, pos)
                        pos += 16
                        made_3 = new(FetchResponseAbortedTransaction)
                        made_3.producer_id = producer_id_3
                        made_3.first_offset = first_offset_3
                        aborted_transactions_2_items.append(made_3)
                    aborted_transactions_2 = aborted_transactions_2_items
                (n,) = unpack_i(buf, pos)
                pos += 4
                records_2: bytes | None = None
                if n >= 0:
                    end = pos + n
                    records_2 = buf[pos:end]
                    pos = end
                made_2 = new(FetchResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.high_watermark = high_watermark_2
                made_2.last_stable_offset = last_stable_offset_2
                made_2.log_start_offset = log_start_offset_2
                made_2.diverging_epoch = None
                made_2.current_leader = None
                made_2.snapshot_id = None
                made_2.aborted_transactions = aborted_transactions_2
                made_2.preferred_read_replica = -1
                made_2.records = records_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(FetchResponseTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        made_0 = new(FetchResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.session_id = session_id_0
        made_0.responses = responses_0
        made_0.node_endpoints = ()
    except (IndexError, StructError) as error:
        raise overrun("Fetch response v7-10", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch response v7-10", buf, pos)
    return made_0


def decode_response_v11(buf: bytes, pos: int) -> FetchResponse:
    try:
        throttle_time_ms_0, error_code_0, session_id_0, n = unpack_ihii(buf, pos)
        pos += 14
        if n < 0:
            raise null_field("Fetch response v11", "Responses")
        if n * 6 > len(buf) - pos:
            raise overrun("Fetch response v11", buf, pos)
        responses_0_items: list[FetchResponseTopic] = []
        for _ in range(n):
            (n,) = unpack_h(buf, pos)
            pos += 2
            if n < 0:
                raise null_field("Fetch response v11", "Topic")
            end = pos + n
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            (n,) = unpack_i(buf, pos)
            pos += 4
            if n < 0:
                raise null_field("Fetch response v11", "Partitions")
            if n * 42 > len(buf) - pos:
                raise overrun("Fetch response v11", buf, pos)
            partitions_1_items: list[FetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, high_watermark_2, last_stable_offset_2, log_start_offset_2, n = unpack_ihqqqi(buf, pos)
                pos += 34
                aborted_transactions_2: Sequence[FetchResponseAbortedTransaction] | None = None
                if n >= 0:
                    if n > len(buf) - pos:
                        raise overrun("Fetch response v11", buf, pos)
                    aborted_transactions_2_items: list[FetchResponseAbortedTransaction] = []
                    for _ in range(n):
                        producer_id_3, first_offset_3 = unpack_qq(buf, pos)
                        pos += 16
                        made_3 = new(FetchResponseAbortedTransaction)
                        made_3.producer_id = producer_id_3
                        made_3.first_offset = first_offset_3
                        aborted_transactions_2_items.append(made_3)
                    aborted_transactions_2 = aborted_transactions_2_items
                preferred_read_replica_2, n = unpack_ii(buf, pos)
                pos += 8
                records_2: bytes | None = None
                if n >= 0:
                    end = pos + n
                    records_2 = buf[pos:end]
                    pos = end
                made_2 = new(FetchResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.high_watermark = high_watermark_2
                made_2.last_stable_offset = last_stable_offset_2
                made_2.log_start_offset = log_start_offset_2
                made_2.diverging_epoch = None
                made_2.current_leader = None
                made_2.snapshot_id = None
                made_2.aborted_transactions = aborted_transactions_2
                made_2.preferred_read_replica = preferred_read_replica_2
                made_2.records = records_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            made_1 = new(FetchResponseTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        made_0 = new(FetchResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.session_id = session_id_0
        made_0.responses = responses_0
        made_0.node_endpoints = ()
    except (IndexError, StructError) as error:
        raise overrun("Fetch response v11", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch response v11", buf, pos)
    return made_0


def decode_response_v12(buf: bytes, pos: int) -> FetchResponse:
    try:
        throttle_time_ms_0, error_code_0, session_id_0, n = unpack_ihiB(buf, pos)
        pos += 11
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch response v12", "Responses")
        n -= 1
        if n * 3 > len(buf) - pos:
            raise overrun("Fetch response v12", buf, pos)
        responses_0_items: list[FetchResponseTopic] = []
        for _ in range(n):
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch response v12", "Topic")
            end = pos + n - 1
            topic_1 = buf[pos:end].decode("utf-8", "replace")
            pos = end
            n = buf[pos]
            pos += 1
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch response v12", "Partitions")
            n -= 1
            if n * 37 > len(buf) - pos:
                raise overrun("Fetch response v12", buf, pos)
            partitions_1_items: list[FetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, high_watermark_2, last_stable_offset_2, log_start_offset_2, n = unpack_ihqqqB(buf, pos)
                pos += 31
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                aborted_transactions_2: Sequence[FetchResponseAbortedTransaction] | None = None
                if n > 0:
                    n -= 1
                    if n > len(buf) - pos:
                        raise overrun("Fetch response v12", buf, pos)
                    aborted_transactions_2_items: list[FetchResponseAbortedTransaction] = []
                    for _ in range(n):
                        producer_id_3, first_offset_3, tags = unpack_qqB(buf, pos)
                        pos += 17
                        if tags:
                            pos = skip_tagged(buf, pos - 1)
                        made_3 = new(FetchResponseAbortedTransaction)
                        made_3.producer_id = producer_id_3
                        made_3.first_offset = first_offset_3
                        aborted_transactions_2_items.append(made_3)
                    aborted_transactions_2 = aborted_transactions_2_items
                preferred_read_replica_2, n = unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                records_2: bytes | None = None
                if n > 0:
                    end = pos + n - 1
                    records_2 = buf[pos:end]
                    pos = end
                tags = buf[pos]
                pos += 1
                diverging_epoch_2: FetchResponseDivergingEpoch | None = None
                current_leader_2: FetchResponseCurrentLeader | None = None
                snapshot_id_2: FetchResponseSnapshotId | None = None
                if tags:
                    tags, pos = read_uvarint(buf, pos - 1)
                    for _ in range(tags):
                        tag, pos, end_4 = read_tag(buf, pos)
                        if tag == 0:
                            epoch_4, end_offset_4, tags = unpack_iqB(buf, pos)
                            pos += 13
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_4 = new(FetchResponseDivergingEpoch)
                            made_4.epoch = epoch_4
                            made_4.end_offset = end_offset_4
                            diverging_epoch_2 = made_4
                            if pos != end_4:
                                raise misfit("Fetch response v12", "DivergingEpoch", pos)
                        elif tag == 1:
                            leader_id_5, leader_epoch_5, tags = unpack_iiB(buf, pos)
                            pos += 9
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_5 = new(FetchResponseCurrentLeader)
                            made_5.leader_id = leader_id_5
                            made_5.leader_epoch = leader_epoch_5
                            current_leader_2 = made_5
                            if pos != end_4:
                                raise misfit("Fetch response v12", "CurrentLeader", pos)
                        elif tag == 2:
                            end_offset_6, epoch_6, tags = unpack_qiB(buf, pos)
                            pos += 13
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_6 = new(FetchResponseSnapshotId)
                            made_6.end_offset = end_offset_6
                            made_6.epoch = epoch_6
                            snapshot_id_2 = made_6
                            if pos != end_4:
                                raise misfit("Fetch response v12", "SnapshotId", pos)
                        else:
                            pos = end_4
                made_2 = new(FetchResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.high_watermark = high_watermark_2
                made_2.last_stable_offset = last_stable_offset_2
                made_2.log_start_offset = log_start_offset_2
                made_2.diverging_epoch = diverging_epoch_2
                made_2.current_leader = current_leader_2
                made_2.snapshot_id = snapshot_id_2
                made_2.aborted_transactions = aborted_transactions_2
                made_2.preferred_read_replica = preferred_read_replica_2
                made_2.records = records_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(FetchResponseTopic)
            made_1.topic = topic_1
            made_1.topic_id = NO_UUID
            made_1.partitions = partitions_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(FetchResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.session_id = session_id_0
        made_0.responses = responses_0
        made_0.node_endpoints = ()
    except (IndexError, StructError) as error:
        raise overrun("Fetch response v12", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch response v12", buf, pos)
    return made_0


# versions 13-15
def decode_response_v13(buf: bytes, pos: int) -> FetchResponse:
    try:
        throttle_time_ms_0, error_code_0, session_id_0, n = unpack_ihiB(buf, pos)
        pos += 11
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch response v13-15", "Responses")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Fetch response v13-15", buf, pos)
        responses_0_items: list[FetchResponseTopic] = []
        for _ in range(n):
            topic_id_1, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch response v13-15", "Partitions")
            n -= 1
            if n * 37 > len(buf) - pos:
                raise overrun("Fetch response v13-15", buf, pos)
            partitions_1_items: list[FetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, high_watermark_2, last_stable_offset_2, log_start_offset_2, n = unpack_ihqqqB(buf, pos)
                pos += 31
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                aborted_transactions_2: Sequence[FetchResponseAbortedTransaction] | None = None
                if n > 0:
                    n -= 1
                    if n > len(buf) - pos:
                        raise overrun("Fetch response v13-15", buf, pos)
                    aborted_transactions_2_items: list[FetchResponseAbortedTransaction] = []
                    for _ in range(n):
                        producer_id_3, first_offset_3, tags = unpack_qqB(buf, pos)
                        pos += 17
                        if tags:
                            pos = skip_tagged(buf, pos - 1)
                        made_3 = new(FetchResponseAbortedTransaction)
                        made_3.producer_id = producer_id_3
                        made_3.first_offset = first_offset_3
                        aborted_transactions_2_items.append(made_3)
                    aborted_transactions_2 = aborted_transactions_2_items
                preferred_read_replica_2, n = unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                records_2: bytes | None = None
                if n > 0:
                    end = pos + n - 1
                    records_2 = buf[pos:end]
                    pos = end
                tags = buf[pos]
                pos += 1
                diverging_epoch_2: FetchResponseDivergingEpoch | None = None
                current_leader_2: FetchResponseCurrentLeader | None = None
                snapshot_id_2: FetchResponseSnapshotId | None = None
                if tags:
                    tags, pos = read_uvarint(buf, pos - 1)
                    for _ in range(tags):
                        tag, pos, end_4 = read_tag(buf, pos)
                        if tag == 0:
                            epoch_4, end_offset_4, tags = unpack_iqB(buf, pos)
                            pos += 13
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_4 = new(FetchResponseDivergingEpoch)
                            made_4.epoch = epoch_4
                            made_4.end_offset = end_offset_4
                            diverging_epoch_2 = made_4
                            if pos != end_4:
                                raise misfit("Fetch response v13-15", "DivergingEpoch", pos)
                        elif tag == 1:
                            leader_id_5, leader_epoch_5, tags = unpack_iiB(buf, pos)
                            pos += 9
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_5 = new(FetchResponseCurrentLeader)
                            made_5.leader_id = leader_id_5
                            made_5.leader_epoch = leader_epoch_5
                            current_leader_2 = made_5
                            if pos != end_4:
                                raise misfit("Fetch response v13-15", "CurrentLeader", pos)
                        elif tag == 2:
                            end_offset_6, epoch_6, tags = unpack_qiB(buf, pos)
                            pos += 13
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_6 = new(FetchResponseSnapshotId)
                            made_6.end_offset = end_offset_6
                            made_6.epoch = epoch_6
                            snapshot_id_2 = made_6
                            if pos != end_4:
                                raise misfit("Fetch response v13-15", "SnapshotId", pos)
                        else:
                            pos = end_4
                made_2 = new(FetchResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.high_watermark = high_watermark_2
                made_2.last_stable_offset = last_stable_offset_2
                made_2.log_start_offset = log_start_offset_2
                made_2.diverging_epoch = diverging_epoch_2
                made_2.current_leader = current_leader_2
                made_2.snapshot_id = snapshot_id_2
                made_2.aborted_transactions = aborted_transactions_2
                made_2.preferred_read_replica = preferred_read_replica_2
                made_2.records = records_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(FetchResponseTopic)
            made_1.topic = ""
            made_1.topic_id = topic_id_1
            made_1.partitions = partitions_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        tags = buf[pos]
        pos += 1
        if tags:
            pos = skip_tagged(buf, pos - 1)
        made_0 = new(FetchResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.session_id = session_id_0
        made_0.responses = responses_0
        made_0.node_endpoints = ()
    except (IndexError, StructError) as error:
        raise overrun("Fetch response v13-15", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch response v13-15", buf, pos)
    return made_0


# versions 16-17
def decode_response_v16(buf: bytes, pos: int) -> FetchResponse:
    try:
        throttle_time_ms_0, error_code_0, session_id_0, n = unpack_ihiB(buf, pos)
        pos += 11
        if not 0 < n < 128:
            n, pos = read_length(buf, pos - 1, "Fetch response v16-17", "Responses")
        n -= 1
        if n * 18 > len(buf) - pos:
            raise overrun("Fetch response v16-17", buf, pos)
        responses_0_items: list[FetchResponseTopic] = []
        for _ in range(n):
            topic_id_1, n = unpack_uB(buf, pos)
            pos += 17
            if not 0 < n < 128:
                n, pos = read_length(buf, pos - 1, "Fetch response v16-17", "Partitions")
            n -= 1
            if n * 37 > len(buf) - pos:
                raise overrun("Fetch response v16-17", buf, pos)
            partitions_1_items: list[FetchResponsePartition] = []
            for _ in range(n):
                partition_index_2, error_code_2, high_watermark_2, last_stable_offset_2, log_start_offset_2, n = unpack_ihqqqB(buf, pos)
                pos += 31
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                aborted_transactions_2: Sequence[FetchResponseAbortedTransaction] | None = None
                if n > 0:
                    n -= 1
                    if n > len(buf) - pos:
                        raise overrun("Fetch response v16-17", buf, pos)
                    aborted_transactions_2_items: list[FetchResponseAbortedTransaction] = []
                    for _ in range(n):
                        producer_id_3, first_offset_3, tags = unpack_qqB(buf, pos)
                        pos += 17
                        if tags:
                            pos = skip_tagged(buf, pos - 1)
                        made_3 = new(FetchResponseAbortedTransaction)
                        made_3.producer_id = producer_id_3
                        made_3.first_offset = first_offset_3
                        aborted_transactions_2_items.append(made_3)
                    aborted_transactions_2 = aborted_transactions_2_items
                preferred_read_replica_2, n = unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                records_2: bytes | None = None
                if n > 0:
                    end = pos + n - 1
                    records_2 = buf[pos:end]
                    pos = end
                tags = buf[pos]
                pos += 1
                diverging_epoch_2: FetchResponseDivergingEpoch | None = None
                current_leader_2: FetchResponseCurrentLeader | None = None
                snapshot_id_2: FetchResponseSnapshotId | None = None
                if tags:
                    tags, pos = read_uvarint(buf, pos - 1)
                    for _ in range(tags):
                        tag, pos, end_4 = read_tag(buf, pos)
                        if tag == 0:
                            epoch_4, end_offset_4, tags = unpack_iqB(buf, pos)
                            pos += 13
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_4 = new(FetchResponseDivergingEpoch)
                            made_4.epoch = epoch_4
                            made_4.end_offset = end_offset_4
                            diverging_epoch_2 = made_4
                            if pos != end_4:
                                raise misfit("Fetch response v16-17", "DivergingEpoch", pos)
                        elif tag == 1:
                            leader_id_5, leader_epoch_5, tags = unpack_iiB(buf, pos)
                            pos += 9
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_5 = new(FetchResponseCurrentLeader)
                            made_5.leader_id = leader_id_5
                            made_5.leader_epoch = leader_epoch_5
                            current_leader_2 = made_5
                            if pos != end_4:
                                raise misfit("Fetch response v16-17", "CurrentLeader", pos)
                        elif tag == 2:
                            end_offset_6, epoch_6, tags = unpack_qiB(buf, pos)
                            pos += 13
                            if tags:
                                pos = skip_tagged(buf, pos - 1)
                            made_6 = new(FetchResponseSnapshotId)
                            made_6.end_offset = end_offset_6
                            made_6.epoch = epoch_6
                            snapshot_id_2 = made_6
                            if pos != end_4:
                                raise misfit("Fetch response v16-17", "SnapshotId", pos)
                        else:
                            pos = end_4
                made_2 = new(FetchResponsePartition)
                made_2.partition_index = partition_index_2
                made_2.error_code = error_code_2
                made_2.high_watermark = high_watermark_2
                made_2.last_stable_offset = last_stable_offset_2
                made_2.log_start_offset = log_start_offset_2
                made_2.diverging_epoch = diverging_epoch_2
                made_2.current_leader = current_leader_2
                made_2.snapshot_id = snapshot_id_2
                made_2.aborted_transactions = aborted_transactions_2
                made_2.preferred_read_replica = preferred_read_replica_2
                made_2.records = records_2
                partitions_1_items.append(made_2)
            partitions_1 = partitions_1_items
            tags = buf[pos]
            pos += 1
            if tags:
                pos = skip_tagged(buf, pos - 1)
            made_1 = new(FetchResponseTopic)
            made_1.topic = ""
            made_1.topic_id = topic_id_1
            made_1.partitions = partitions_1
            responses_0_items.append(made_1)
        responses_0 = responses_0_items
        tags = buf[pos]
        pos += 1
        node_endpoints_0: Sequence[FetchResponseNodeEndpoint] = ()
        if tags:
            tags, pos = read_uvarint(buf, pos - 1)
            for _ in range(tags):
                tag, pos, end_7 = read_tag(buf, pos)
                if tag == 0:
                    n = buf[pos]
                    pos += 1
                    if not 0 < n < 128:
                        n, pos = read_length(buf, pos - 1, "Fetch response v16-17", "NodeEndpoints")
                    n -= 1
                    if n * 11 > len(buf) - pos:
                        raise overrun("Fetch response v16-17", buf, pos)
                    node_endpoints_0_items: list[FetchResponseNodeEndpoint] = []
                    for _ in range(n):
                        node_id_7, n = unpack_iB(buf, pos)
                        pos += 5
                        if not 0 < n < 128:
                            n, pos = read_length(buf, pos - 1, "Fetch response v16-17", "Host")
                        end = pos + n - 1
                        host_7 = buf[pos:end].decode("utf-8", "replace")
                        pos = end
                        port_7, n = unpack_iB(buf, pos)
                        pos += 5
                        if n > 127:
                            n, pos = read_uvarint(buf, pos - 1)
                        rack_7: str | None = None
                        if n > 0:
                            end = pos + n - 1
                            rack_7 = buf[pos:end].decode("utf-8", "replace")
                            pos = end
                        tags = buf[pos]
                        pos += 1
                        if tags:
                            pos = skip_tagged(buf, pos - 1)
                        made_7 = new(FetchResponseNodeEndpoint)
                        made_7.node_id = node_id_7
                        made_7.host = host_7
                        made_7.port = port_7
                        made_7.rack = rack_7
                        node_endpoints_0_items.append(made_7)
                    node_endpoints_0 = node_endpoints_0_items
                    if pos != end_7:
                        raise misfit("Fetch response v16-17", "NodeEndpoints", pos)
                else:
                    pos = end_7
        made_0 = new(FetchResponse)
        made_0.throttle_time_ms = throttle_time_ms_0
        made_0.error_code = error_code_0
        made_0.session_id = session_id_0
        made_0.responses = responses_0
        made_0.node_endpoints = node_endpoints_0
    except (IndexError, StructError) as error:
        raise overrun("Fetch response v16-17", buf, pos) from error
    if pos > len(buf):
        raise overrun("Fetch response v16-17", buf, pos)
    return made_0


def encode_response_v4(message: FetchResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            for item_2 in items_2:
                value_3 = item_2.aborted_transactions
                if value_3 is None:
                    out += pack_ihqqi(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, -1)
                else:
                    items_4 = value_3
                    out += pack_ihqqi(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, len(items_4))
                    out += b"".join([pack_qq(item_4.producer_id, item_4.first_offset) for item_4 in items_4])
                value_5 = item_2.records
                if value_5 is None:
                    out += pack_i(-1)
                else:
                    raw = value_5
                    out += pack_i(len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch response v4", message, error) from error


# versions 5-6
def encode_response_v5(message: FetchResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        out += pack_ii(message.throttle_time_ms, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            for item_2 in items_2:
                value_3 = item_2.aborted_transactions
                if value_3 is None:
                    out += pack_ihqqqi(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset, -1)
                else:
                    items_4 = value_3
                    out += pack_ihqqqi(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset, len(items_4))
                    out += b"".join([pack_qq(item_4.producer_id, item_4.first_offset) for item_4 in items_4])
                value_5 = item_2.records
                if value_5 is None:
                    out += pack_i(-1)
                else:
                    raw = value_5
                    out += pack_i(len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch response v5-6", message, error) from error


# versions 7-10
def encode_response_v7(message: FetchResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        out += pack_ihii(message.throttle_time_ms, message.error_code, message.session_id, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            for item_2 in items_2:
                value_3 = item_2.aborted_transactions
                if value_3 is None:
                    out += pack_ihqqqi(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset, -1)
                else:
                    items_4 = value_3
                    out += pack_ihqqqi(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset, len(items_4))
                    out += b"".join([pack_qq(item_4.producer_id, item_4.first_offset) for item_4 in items_4])
                value_5 = item_2.records
                if value_5 is None:
                    out += pack_i(-1)
                else:
                    raw = value_5
                    out += pack_i(len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch response v7-10", message, error) from error


def encode_response_v11(message: FetchResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        out += pack_ihii(message.throttle_time_ms, message.error_code, message.session_id, len(items_1))
        for item_1 in items_1:
            raw = item_1.topic.encode()
            out += pack_h(len(raw))
            out += raw
            items_2 = item_1.partitions
            out += pack_i(len(items_2))
            for item_2 in items_2:
                value_3 = item_2.aborted_transactions
                if value_3 is None:
                    out += pack_ihqqqi(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset, -1)
                else:
                    items_4 = value_3
                    out += pack_ihqqqi(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset, len(items_4))
                    out += b"".join([pack_qq(item_4.producer_id, item_4.first_offset) for item_4 in items_4])
                value_5 = item_2.records
                if value_5 is None:
                    out += pack_ii(item_2.preferred_read_replica, -1)
                else:
                    raw = value_5
                    out += pack_ii(item_2.preferred_read_replica, len(raw))
                    out += raw
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch response v11", message, error) from error


def encode_response_v12(message: FetchResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihiB(message.throttle_time_ms, message.error_code, message.session_id, n)
        else:
            out += pack_ihi(message.throttle_time_ms, message.error_code, message.session_id)
            out += uvarint(n)
        for item_1 in items_1:
            raw = item_1.topic.encode()
            n = len(raw) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            out += raw
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out.append(n)
            else:
                out += uvarint(n)
            for item_2 in items_2:
                value_3 = item_2.aborted_transactions
                if value_3 is None:
                    out += pack_ihqqqx(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset)
                else:
                    items_4 = value_3
                    n = len(items_4) + 1
                    if n < 128:
                        out += pack_ihqqqB(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset, n)
                    else:
                        out += pack_ihqqq(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset)
                        out += uvarint(n)
                    out += b"".join([pack_qqx(item_4.producer_id, item_4.first_offset) for item_4 in items_4])
                value_5 = item_2.records
                if value_5 is None:
                    out += pack_ix(item_2.preferred_read_replica)
                else:
                    raw = value_5
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_iB(item_2.preferred_read_replica, n)
                    else:
                        out += pack_i(item_2.preferred_read_replica)
                        out += uvarint(n)
                    out += raw
                if (item_2.diverging_epoch is not None and (item_2.diverging_epoch.epoch != -1 or item_2.diverging_epoch.end_offset != -1)) or (item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1)) or (item_2.snapshot_id is not None and (item_2.snapshot_id.end_offset != -1 or item_2.snapshot_id.epoch != -1)):
                    count_6 = 0
                    section_6 = bytearray()
                    if item_2.diverging_epoch is not None and (item_2.diverging_epoch.epoch != -1 or item_2.diverging_epoch.end_offset != -1):
                        payload_6 = bytearray()
                        inner_7 = item_2.diverging_epoch
                        payload_6 += pack_iqx(inner_7.epoch, inner_7.end_offset)
                        count_6 += 1
                        section_6 += uvarint(0) + uvarint(len(payload_6)) + payload_6
                    if item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1):
                        payload_6 = bytearray()
                        inner_8 = item_2.current_leader
                        payload_6 += pack_iix(inner_8.leader_id, inner_8.leader_epoch)
                        count_6 += 1
                        section_6 += uvarint(1) + uvarint(len(payload_6)) + payload_6
                    if item_2.snapshot_id is not None and (item_2.snapshot_id.end_offset != -1 or item_2.snapshot_id.epoch != -1):
                        payload_6 = bytearray()
                        inner_9 = item_2.snapshot_id
                        payload_6 += pack_qix(inner_9.end_offset, inner_9.epoch)
                        count_6 += 1
                        section_6 += uvarint(2) + uvarint(len(payload_6)) + payload_6
                    out += uvarint(count_6) + section_6
                else:
                    out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch response v12", message, error) from error


# versions 13-15
def encode_response_v13(message: FetchResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihiB(message.throttle_time_ms, message.error_code, message.session_id, n)
        else:
            out += pack_ihi(message.throttle_time_ms, message.error_code, message.session_id)
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out += pack_uB(item_1.topic_id, n)
            else:
                out += pack_u(item_1.topic_id)
                out += uvarint(n)
            for item_2 in items_2:
                value_3 = item_2.aborted_transactions
                if value_3 is None:
                    out += pack_ihqqqx(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset)
                else:
                    items_4 = value_3
                    n = len(items_4) + 1
                    if n < 128:
                        out += pack_ihqqqB(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset, n)
                    else:
                        out += pack_ihqqq(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset)
                        out += uvarint(n)
                    out += b"".join([pack_qqx(item_4.producer_id, item_4.first_offset) for item_4 in items_4])
                value_5 = item_2.records
                if value_5 is None:
                    out += pack_ix(item_2.preferred_read_replica)
                else:
                    raw = value_5
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_iB(item_2.preferred_read_replica, n)
                    else:
                        out += pack_i(item_2.preferred_read_replica)
                        out += uvarint(n)
                    out += raw
                if (item_2.diverging_epoch is not None and (item_2.diverging_epoch.epoch != -1 or item_2.diverging_epoch.end_offset != -1)) or (item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1)) or (item_2.snapshot_id is not None and (item_2.snapshot_id.end_offset != -1 or item_2.snapshot_id.epoch != -1)):
                    count_6 = 0
                    section_6 = bytearray()
                    if item_2.diverging_epoch is not None and (item_2.diverging_epoch.epoch != -1 or item_2.diverging_epoch.end_offset != -1):
                        payload_6 = bytearray()
                        inner_7 = item_2.diverging_epoch
                        payload_6 += pack_iqx(inner_7.epoch, inner_7.end_offset)
                        count_6 += 1
                        section_6 += uvarint(0) + uvarint(len(payload_6)) + payload_6
                    if item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1):
                        payload_6 = bytearray()
                        inner_8 = item_2.current_leader
                        payload_6 += pack_iix(inner_8.leader_id, inner_8.leader_epoch)
                        count_6 += 1
                        section_6 += uvarint(1) + uvarint(len(payload_6)) + payload_6
                    if item_2.snapshot_id is not None and (item_2.snapshot_id.end_offset != -1 or item_2.snapshot_id.epoch != -1):
                        payload_6 = bytearray()
                        inner_9 = item_2.snapshot_id
                        payload_6 += pack_qix(inner_9.end_offset, inner_9.epoch)
                        count_6 += 1
                        section_6 += uvarint(2) + uvarint(len(payload_6)) + payload_6
                    out += uvarint(count_6) + section_6
                else:
                    out += b"\0"
            out += b"\0"
        out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch response v13-15", message, error) from error


# versions 16-17
def encode_response_v16(message: FetchResponse) -> bytes:
    try:
        out = bytearray()
        items_1 = message.responses
        n = len(items_1) + 1
        if n < 128:
            out += pack_ihiB(message.throttle_time_ms, message.error_code, message.session_id, n)
        else:
            out += pack_ihi(message.throttle_time_ms, message.error_code, message.session_id)
            out += uvarint(n)
        for item_1 in items_1:
            items_2 = item_1.partitions
            n = len(items_2) + 1
            if n < 128:
                out += pack_uB(item_1.topic_id, n)
            else:
                out += pack_u(item_1.topic_id)
                out += uvarint(n)
            for item_2 in items_2:
                value_3 = item_2.aborted_transactions
                if value_3 is None:
                    out += pack_ihqqqx(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset)
                else:
                    items_4 = value_3
                    n = len(items_4) + 1
                    if n < 128:
                        out += pack_ihqqqB(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset, n)
                    else:
                        out += pack_ihqqq(item_2.partition_index, item_2.error_code, item_2.high_watermark, item_2.last_stable_offset, item_2.log_start_offset)
                        out += uvarint(n)
                    out += b"".join([pack_qqx(item_4.producer_id, item_4.first_offset) for item_4 in items_4])
                value_5 = item_2.records
                if value_5 is None:
                    out += pack_ix(item_2.preferred_read_replica)
                else:
                    raw = value_5
                    n = len(raw) + 1
                    if n < 128:
                        out += pack_iB(item_2.preferred_read_replica, n)
                    else:
                        out += pack_i(item_2.preferred_read_replica)
                        out += uvarint(n)
                    out += raw
                if (item_2.diverging_epoch is not None and (item_2.diverging_epoch.epoch != -1 or item_2.diverging_epoch.end_offset != -1)) or (item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1)) or (item_2.snapshot_id is not None and (item_2.snapshot_id.end_offset != -1 or item_2.snapshot_id.epoch != -1)):
                    count_6 = 0
                    section_6 = bytearray()
                    if item_2.diverging_epoch is not None and (item_2.diverging_epoch.epoch != -1 or item_2.diverging_epoch.end_offset != -1):
                        payload_6 = bytearray()
                        inner_7 = item_2.diverging_epoch
                        payload_6 += pack_iqx(inner_7.epoch, inner_7.end_offset)
                        count_6 += 1
                        section_6 += uvarint(0) + uvarint(len(payload_6)) + payload_6
                    if item_2.current_leader is not None and (item_2.current_leader.leader_id != -1 or item_2.current_leader.leader_epoch != -1):
                        payload_6 = bytearray()
                        inner_8 = item_2.current_leader
                        payload_6 += pack_iix(inner_8.leader_id, inner_8.leader_epoch)
                        count_6 += 1
                        section_6 += uvarint(1) + uvarint(len(payload_6)) + payload_6
                    if item_2.snapshot_id is not None and (item_2.snapshot_id.end_offset != -1 or item_2.snapshot_id.epoch != -1):
                        payload_6 = bytearray()
                        inner_9 = item_2.snapshot_id
                        payload_6 += pack_qix(inner_9.end_offset, inner_9.epoch)
                        count_6 += 1
                        section_6 += uvarint(2) + uvarint(len(payload_6)) + payload_6
                    out += uvarint(count_6) + section_6
                else:
                    out += b"\0"
            out += b"\0"
        if (message.node_endpoints):
            count_10 = 0
            section_10 = bytearray()
            if message.node_endpoints:
                payload_10 = bytearray()
                items_11 = message.node_endpoints
                n = len(items_11) + 1
                if n < 128:
                    payload_10.append(n)
                else:
                    payload_10 += uvarint(n)
                for item_11 in items_11:
                    raw = item_11.host.encode()
                    n = len(raw) + 1
                    if n < 128:
                        payload_10 += pack_iB(item_11.node_id, n)
                    else:
                        payload_10 += pack_i(item_11.node_id)
                        payload_10 += uvarint(n)
                    payload_10 += raw
                    value_12 = item_11.rack
                    if value_12 is None:
                        payload_10 += pack_ix(item_11.port)
                    else:
                        raw = value_12.encode()
                        n = len(raw) + 1
                        if n < 128:
                            payload_10 += pack_iB(item_11.port, n)
                        else:
                            payload_10 += pack_i(item_11.port)
                            payload_10 += uvarint(n)
                        payload_10 += raw
                    payload_10 += b"\0"
                count_10 += 1
                section_10 += uvarint(0) + uvarint(len(payload_10)) + payload_10
            out += uvarint(count_10) + section_10
        else:
            out += b"\0"
        return bytes(out)
    except (AttributeError, TypeError, ValueError, StructError) as error:
        raise encode_failure("Fetch response v16-17", message, error) from error


REQUEST_DECODERS = {
    4: decode_request_v4,
    5: decode_request_v5,
    6: decode_request_v5,
    7: decode_request_v7,
    8: decode_request_v7,
    9: decode_request_v9,
    10: decode_request_v9,
    11: decode_request_v11,
    12: decode_request_v12,
    13: decode_request_v13,
    14: decode_request_v13,
    15: decode_request_v15,
    16: decode_request_v15,
    17: decode_request_v17,
}
REQUEST_ENCODERS = {
    4: encode_request_v4,
    5: encode_request_v5,
    6: encode_request_v5,
    7: encode_request_v7,
    8: encode_request_v7,
    9: encode_request_v9,
    10: encode_request_v9,
    11: encode_request_v11,
    12: encode_request_v12,
    13: encode_request_v13,
    14: encode_request_v13,
    15: encode_request_v15,
    16: encode_request_v15,
    17: encode_request_v17,
}
RESPONSE_DECODERS = {
    4: decode_response_v4,
    5: decode_response_v5,
    6: decode_response_v5,
    7: decode_response_v7,
    8: decode_response_v7,
    9: decode_response_v7,
    10: decode_response_v7,
    11: decode_response_v11,
    12: decode_response_v12,
    13: decode_response_v13,
    14: decode_response_v13,
    15: decode_response_v13,
    16: decode_response_v16,
    17: decode_response_v16,
}
RESPONSE_ENCODERS = {
    4: encode_response_v4,
    5: encode_response_v5,
    6: encode_response_v5,
    7: encode_response_v7,
    8: encode_response_v7,
    9: encode_response_v7,
    10: encode_response_v7,
    11: encode_response_v11,
    12: encode_response_v12,
    13: encode_response_v13,
    14: encode_response_v13,
    15: encode_response_v13,
    16: encode_response_v16,
    17: encode_response_v16,
}
