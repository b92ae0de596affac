"""OffsetFetch v1-10.

v1-7 ask for one group; v1 has no error of its own, a group's error stands on every partition that was asked for. v2+:
null topics ask for all. v5+: leader epochs. v7+: require-stable. v8+: several groups. v9: member id and epoch, which
count for consumer groups (KIP-848). v10+: topics by id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from librt.strings import BytesWriter
from mypy_extensions import i16, i64, mypyc_attr

from muster.core.offsets.partition_offsets import PartitionOffsets
from muster.core.replies import FetchedTopic, FetchReply
from muster.core.requests import OffsetFetch
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_group, authorize_topic
from muster.server.call import Call
from muster.server.limits import MOST_REPEATS, MOST_REPLY_BYTES
from muster.server.parts import Parts
from muster.server.reply_size import Repeats, check_reply_bytes
from muster.wire.errors import (
    GROUP_AUTHORIZATION_FAILED,
    NONE,
    TOPIC_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_ID,
    UNSTABLE_OFFSET_COMMIT,
)
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponseGroupTopic,
    OffsetFetchResponseTopic,
)
from muster.wire.generated.offset_fetch_native import (
    write_response_group_partition,
    write_response_group_partitions,
    write_response_partition,
    write_response_partitions,
)
from muster.wire.i32_array import I32Array, i32_array
from muster.wire.message import LaidOut
from muster.wire.native import as_list
from muster.wire.special_values import NO_TOPIC_ID

_DESCRIBE: Final = Operation.DESCRIBE
_NO_OFFSETS: Final = PartitionOffsets()
_PARTITION_BYTES: Final = 24
_DENIED: Final = FetchReply(GROUP_AUTHORIZATION_FAILED, [])


class RefusedTopic:
    __slots__ = ("error", "name", "partitions", "topic_id")

    def __init__(self, name: str, topic_id: bytes, partitions: I32Array, error: int) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = partitions
        self.error = error


class OffsetFetchQuery:
    """What is asked about one group, after rights and topic ids have been looked at."""

    __slots__ = ("asks_all", "group_id", "is_repeated", "known", "member_epoch", "member_id", "node", "refused")

    def __init__(self, node: Node, group: OffsetFetchRequestGroup) -> None:
        self.node = node
        self.group_id = group.group_id
        self.member_id = group.member_id
        self.member_epoch = group.member_epoch
        self.asks_all = group.topics is None
        self.is_repeated = False
        """The same request has asked for all of this group before."""
        self.known: list[tuple[str, I32Array]] = []
        self.refused: list[RefusedTopic] = []
        """These come after the others in the answer."""

    def request(self, call: Call, require_stable: bool) -> OffsetFetch:
        topics = None if self.asks_all else self.known
        return OffsetFetch(
            self.group_id, topics, require_stable, call.client_id, call.host, self.member_id, self.member_epoch
        )

    def lay_out(self, call: Call, reply: FetchReply) -> OffsetFetchResponse:
        """The answer to a request about this one group."""
        if call.version < 8:
            return _single(call, self, reply)
        return OffsetFetchResponse(groups=[_group(call, self, reply)])


@mypyc_attr(acyclic=True)
class FoundPartitions(LaidOut):
    """The partitions of a topic in an answer, written straight from where their offsets are held: no object for any of them."""

    __match_args__ = ("version", "held", "asked", "error", "unstable")
    __slots__ = __match_args__

    def __init__(
        self,
        version: int,
        held: PartitionOffsets,
        asked: I32Array,
        error: int,
        unstable: frozenset[int] | None = None,
    ) -> None:
        self.version = version
        self.held = held
        self.asked = asked
        self.error = error
        self.unstable = unstable
        """Those whose transaction has not ended; mostly None."""

    def __len__(self) -> int:
        return len(self.asked.numbers)

    def write_to(self, out: BytesWriter) -> None:
        version: i64 = self.version
        error: i16 = self.error
        partitions = self.asked.numbers
        if len(out) + _PARTITION_BYTES * len(partitions) > MOST_REPLY_BYTES:
            check_reply_bytes(len(out) + _PARTITION_BYTES * len(partitions))
        if self.unstable is not None:
            self._write_with_unstable(out, self.unstable)
            return
        offsets, epochs, metadata = self.held.find(partitions)
        if metadata is None and version >= 8:
            write_response_group_partitions(out, version, partitions, offsets, epochs, error)
        elif metadata is None:
            write_response_partitions(out, version, partitions, offsets, epochs, error)
        else:
            for row in range(len(partitions)):
                partition, offset, epoch, text = partitions[row], offsets[row], epochs[row], metadata[row]
                if len(out) > MOST_REPLY_BYTES:
                    check_reply_bytes(len(out))
                if version >= 8:
                    write_response_group_partition(out, version, partition, offset, epoch, text, error)
                else:
                    write_response_partition(out, version, partition, offset, epoch, text, error)

    def _write_with_unstable(self, out: BytesWriter, unstable: frozenset[int]) -> None:
        """The same if some of them must not be shown (T175)."""
        version: i64 = self.version
        write = write_response_group_partition if version >= 8 else write_response_partition
        partitions = self.asked.numbers
        offsets, epochs, metadata = self.held.find(partitions)
        for row in range(len(partitions)):
            partition = partitions[row]
            if len(out) > MOST_REPLY_BYTES:
                check_reply_bytes(len(out))
            if partition in unstable:
                write(out, version, partition, -1, -1, "", UNSTABLE_OFFSET_COMMIT)
            else:
                text = "" if metadata is None else metadata[row]
                write(out, version, partition, offsets[row], epochs[row], text, NONE)


class Asked:
    """What a request has asked for already, of one group: Kafka answers what is listed again, and each offset may have
    kilobytes of metadata. Deviates: not without end (`Repeats`)."""

    __slots__ = ("_first", "_more", "is_whole", "repeats")

    def __init__(self, repeats: Repeats) -> None:
        self.repeats = repeats
        self.is_whole = False
        """All topics were asked for."""
        self._first: dict[object, I32Array] = {}
        self._more: dict[object, set[int]] = {}
        """Of topics that were listed more than once; few requests have any."""

    def count(self, topic: object, indexes: I32Array) -> None:
        """TooMuchAsked if too much of all was asked before."""
        repeated = indexes.repeats()
        if repeated:
            self.repeats.add(repeated)
        first = self._first.get(topic)
        if first is None:
            self._first[topic] = indexes
            return
        known = self._more.get(topic)
        if known is None:
            known = self._more[topic] = set(first.listed())
        new = [index for index in indexes.listed() if index not in known]
        known.update(new)
        self.repeats.add(1 + len(indexes) - len(new))


class Questions:
    """A request about several groups (v8+)."""

    __slots__ = ("call", "questions", "repeats")

    def __init__(self, call: Call) -> None:
        self.call = call
        self.questions: list[OffsetFetchQuery] = []
        self.repeats = Repeats()

    def lay_out(self, replies: list[FetchReply]) -> OffsetFetchResponse:
        for question, reply in zip(self.questions, replies, strict=True):
            if question.is_repeated:
                for found in reply.topics:
                    self.repeats.add(1 + len(found.partitions()))
        pairs = zip(self.questions, replies, strict=True)
        return OffsetFetchResponse(groups=[_group(self.call, question, reply) for question, reply in pairs])


def handle(call: Call, request: OffsetFetchRequest, node: Node) -> None:
    asked = as_list(request.groups) if call.version >= 8 else [_as_group(request)]
    if len(asked) != 1:
        _ask_apart(call, node, asked, request.require_stable)
        return
    group = asked[0]
    if authorize_group(call, node, _DESCRIBE, group.group_id):
        question = _question(call, node, group)
        call.respond = question.lay_out
        node.coordinator.submit(question.request(call, request.require_stable), call)
    else:
        call.reply(_unsorted(node, group).lay_out(call, _DENIED))


def _ask_apart(call: Call, node: Node, asked: Sequence[OffsetFetchRequestGroup], require_stable: bool) -> None:
    questions = Questions(call)
    parts: Parts[FetchReply] = Parts(call, questions.lay_out)
    seen: dict[str, Asked] = {}
    for group in asked:
        before = seen.get(group.group_id)
        if before is None:
            before = seen[group.group_id] = Asked(questions.repeats)
        else:
            questions.repeats.add()
        if not authorize_group(call, node, _DESCRIBE, group.group_id):
            questions.questions.append(_unsorted(node, group))
            parts.settled(_DENIED)
            continue
        question = _question(call, node, group, before)
        question.is_repeated = group.topics is None and before.is_whole
        before.is_whole = before.is_whole or group.topics is None
        questions.questions.append(question)
        node.coordinator.submit(question.request(call, require_stable), parts.ticket())
    parts.seal()


def _as_group(request: OffsetFetchRequest) -> OffsetFetchRequestGroup:
    topics = None
    if request.topics is not None:
        topics = [
            OffsetFetchRequestGroupTopic(name=topic.name, partition_indexes=topic.partition_indexes)
            for topic in request.topics
        ]
    return OffsetFetchRequestGroup(group_id=request.group_id, topics=topics)


def _unsorted(node: Node, group: OffsetFetchRequestGroup) -> OffsetFetchQuery:
    """Of a group that may not be seen: nothing is looked up for it."""
    question = OffsetFetchQuery(node, group)
    question.known = [(entry.name, i32_array(entry.partition_indexes)) for entry in group.topics or ()]
    return question


def _question(call: Call, node: Node, group: OffsetFetchRequestGroup, before: Asked | None = None) -> OffsetFetchQuery:
    question = OffsetFetchQuery(node, group)
    topics = as_list(group.topics or ())
    if before is None and _lists_much(topics):
        before = Asked(Repeats())
    for entry in topics:
        name, indexes = entry.name, i32_array(entry.partition_indexes)
        if before is not None:
            before.count(entry.topic_id if call.version >= 10 else name, indexes)
        if call.version >= 10:
            topic = node.broker.catalog.by_id(entry.topic_id)
            if topic is None:
                question.refused.append(RefusedTopic("", entry.topic_id, indexes, UNKNOWN_TOPIC_ID))
                continue
            name = topic.name
        if authorize_topic(call, node, _DESCRIBE, name):
            question.known.append((name, indexes))
        else:
            question.refused.append(RefusedTopic(name, entry.topic_id, indexes, TOPIC_AUTHORIZATION_FAILED))
    return question


def _lists_much(topics: list[OffsetFetchRequestGroupTopic]) -> bool:
    """Whether it could repeat more than is allowed; what most requests list is too little for that."""
    count = 0
    for entry in topics:
        count += 1 + len(entry.partition_indexes)
    return count > MOST_REPEATS


def _group(call: Call, question: OffsetFetchQuery, reply: FetchReply) -> OffsetFetchResponseGroup:
    topics: list[OffsetFetchResponseGroupTopic] = []
    if reply.error == NONE:
        for found in reply.topics:
            topic_id = _shown_id(call, question, found.topic)
            if topic_id is not None:
                topics.append(OffsetFetchResponseGroupTopic(found.topic, topic_id, _found(call.version, found)))
        for refused in question.refused:
            partitions = _refused(call.version, refused.partitions, refused.error)
            topics.append(OffsetFetchResponseGroupTopic(refused.name, refused.topic_id, partitions))
    return OffsetFetchResponseGroup(question.group_id, topics, reply.error)


def _single(call: Call, question: OffsetFetchQuery, reply: FetchReply) -> OffsetFetchResponse:
    version = call.version
    topics: list[OffsetFetchResponseTopic] = []
    if reply.error == NONE:
        for found in reply.topics:
            if _shown_id(call, question, found.topic) is not None:
                topics.append(OffsetFetchResponseTopic(found.topic, _found(version, found)))
        for refused in question.refused:
            partitions = _refused(version, refused.partitions, refused.error)
            topics.append(OffsetFetchResponseTopic(refused.name, partitions))
    elif version == 1:
        # Whatever was found out about single topics, the group's error stands on all of them (T180).
        for name, indexes in question.known:
            topics.append(OffsetFetchResponseTopic(name, _refused(version, indexes, reply.error)))
        for refused in question.refused:
            partitions = _refused(version, refused.partitions, reply.error)
            topics.append(OffsetFetchResponseTopic(refused.name, partitions))
    return OffsetFetchResponse(topics=topics, error_code=reply.error)


def _shown_id(call: Call, question: OffsetFetchQuery, name: str) -> bytes | None:
    """The id that the answer shows for a topic; None leaves the topic out."""
    node = question.node
    if question.asks_all and not authorize_topic(call, node, _DESCRIBE, name, quietly=True):
        return None
    if call.version < 10:
        return NO_TOPIC_ID
    topic = node.broker.catalog.get(name)
    return None if topic is None else topic.topic_id


def _found(version: int, found: FetchedTopic) -> Any:
    return FoundPartitions(version, found.held, found.partitions(), NONE, found.unstable)


def _refused(version: int, partitions: I32Array, error: int) -> Any:
    return FoundPartitions(version, _NO_OFFSETS, partitions, error)
