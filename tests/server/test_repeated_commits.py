"""A commit like the one before means, and is answered, what the same bytes would be on a new connection."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from struct import pack
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muster.core.requests import OffsetCommit
from muster.security.resources import Operation, ResourceType
from muster.server.limits import REPEATED_REQUEST_BYTES
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.server.lone_connection import IDS, PARTITIONS, ROUTES, LoneConnection, LoneNode
from tests.server.raw_client import request_frame

VERSIONS = range(2, 11)
HEARTBEAT = ROUTES.find(12 << 16 | 4)
TINY, LARGE = st.integers(-2, 3), st.integers(2**40, 2**63 - 1)
ANY_OFFSET = st.one_of(TINY, LARGE, st.integers(-(2**63), -1))
PLAIN = st.text("abcö組", max_size=5)
ODD = st.text("\0\0\0\x01\x02a", max_size=30)
"""May look like partitions and offsets."""


def topic_of(name: str, *rows: tuple[int, int], **fields: Any) -> OffsetCommitRequestTopic:
    rows_of = [OffsetCommitRequestPartition(partition, offset, **fields) for partition, offset in rows]
    return OffsetCommitRequestTopic(name, IDS.get(name, b"\x99" * 16), rows_of)


def commit_of(*topics: OffsetCommitRequestTopic, group: str = "g") -> OffsetCommitRequest:
    return OffsetCommitRequest(group, 3, "member", None, -1, topics)


ORDINARY = commit_of(topic_of("orders", (0, 5), (2, 6)), topic_of("returns", (7, 8)))


def rows_of(request: OffsetCommitRequest) -> list[OffsetCommitRequestPartition]:
    return [row for topic in request.topics for row in topic.partitions]


def with_offsets(request: OffsetCommitRequest, offsets: Sequence[int]) -> OffsetCommitRequest:
    left = iter(offsets)
    return OffsetCommitRequest(
        request.group_id,
        request.generation_id_or_member_epoch,
        request.member_id,
        request.group_instance_id,
        request.retention_time_ms,
        [
            OffsetCommitRequestTopic(
                topic.name,
                topic.topic_id,
                [
                    OffsetCommitRequestPartition(
                        row.partition_index, next(left), row.committed_leader_epoch, row.committed_metadata
                    )
                    for row in topic.partitions
                ],
            )
            for topic in request.topics
        ],
    )


def requests(version: int, texts: st.SearchStrategy[str], offsets: st.SearchStrategy[int]) -> st.SearchStrategy[Any]:
    """Commits that this version can say, of partitions that exist; topics and partitions may come twice."""

    def topic(name: str) -> st.SearchStrategy[OffsetCommitRequestTopic]:
        row = st.builds(
            OffsetCommitRequestPartition,
            st.integers(0, PARTITIONS[name] - 1),
            offsets,
            st.integers(-1, 2**31 - 1) if version >= 6 else st.just(-1),
            st.none() | texts,
        )
        rows = st.lists(row, min_size=1, max_size=4)
        return st.builds(
            OffsetCommitRequestTopic,
            st.just(name if version < 10 else ""),
            st.just(IDS[name] if version >= 10 else bytes(16)),
            rows,
        )

    return st.builds(
        OffsetCommitRequest,
        texts,
        st.integers(-1, 9),
        texts,
        st.none() | texts if version >= 7 else st.none(),
        st.integers(-1, 60_000) if version <= 4 else st.just(-1),
        st.lists(st.sampled_from(list(PARTITIONS)).flatmap(topic), min_size=1, max_size=3),
    )


def verdict_by_offset(commit: OffsetCommit) -> list[int]:
    """None for most; and some that depend on what was committed, so that a wrong offset would give a wrong answer."""
    offsets = [offset for topic in commit.topics for _, offset, *_ in topic.rows()]
    return [22] * len(offsets) if max(offsets) % 5 == 0 else [12 if offset % 7 == 0 else 0 for offset in offsets]


def check_that_a_new_connection_would_say_the_same(
    version: int, request: OffsetCommitRequest, others: list[list[int]], client_id: str | None
) -> LoneConnection:
    """Send commits of one shape over one connection, and each of them over a new one too."""
    node = LoneNode()
    node.coordinator.verdict = verdict_by_offset
    one = LoneConnection(node)
    for number, offsets in enumerate([[row.committed_offset for row in rows_of(request)], *others]):
        frame = request_frame("OffsetCommit", version, with_offsets(request, offsets), number, client_id)
        answers = one.take(frame), LoneConnection(node).take(frame)
        assert answers[0] == answers[1] != b""
        commits = node.coordinator.commits
        assert commits[-2] == commits[-1]
        assert [row[1] for topic in commits[-1].topics for row in topic.rows()] == offsets
        assert node.coordinator.clients[-2:] == [client_id, client_id]
    return one


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=12)
@given(st.data())
def test_commits_that_differ_in_their_offsets_mean_what_they_say(version: int, data: st.DataObject) -> None:
    request = data.draw(requests(version, PLAIN, LARGE))
    count = len(rows_of(request))
    others = data.draw(st.lists(st.lists(ANY_OFFSET, min_size=count, max_size=count), min_size=1, max_size=2))
    first = [row.committed_offset for row in rows_of(request)]
    client_id = data.draw(st.none() | PLAIN)
    one = check_that_a_new_connection_would_say_the_same(version, request, [first, *others], client_id)
    assert one.serves_repeats


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=12)
@given(st.data())
def test_commits_that_look_like_offsets_everywhere_mean_what_they_say(version: int, data: st.DataObject) -> None:
    """Whether they are learned depends on where an offset is found first; that they are served does not."""
    request = data.draw(requests(version, ODD, TINY))
    count = len(rows_of(request))
    others = data.draw(st.lists(st.lists(TINY, min_size=count, max_size=count), min_size=3, max_size=4))
    check_that_a_new_connection_would_say_the_same(version, request, others, "raw")


def test_a_length_that_looks_like_an_offset_is_served_and_not_learned() -> None:
    """The metadata before it end with ten zeros, then comes the length of its topic's name, which is 6: partition 0, offset 6.
    With another number in that place the request could not even be read."""
    request = commit_of(topic_of("returns", (0, 5), committed_metadata="\0" * 10), topic_of("orders", (0, 6)))
    one = check_that_a_new_connection_would_say_the_same(5, request, [[5, 6]] * 4, "raw")
    assert not one.has_learned
    assert not one.is_closed


def test_a_commit_of_many_partitions_is_learned() -> None:
    request = commit_of(topic_of("returns", *((number, number * 1000) for number in range(200))))
    others = [[number * 1001 for number in range(200)]] * 3
    assert check_that_a_new_connection_would_say_the_same(9, request, others, "raw").serves_repeats


# ---- what is not learned


def served(node: LoneNode, request: OffsetCommitRequest, times: int = 4, version: int = 9) -> LoneConnection:
    """A connection over which this came some times, and each time got the same answer."""
    one = LoneConnection(node)
    answers = {one.take(request_frame("OffsetCommit", version, request)) for _ in range(times)}
    assert len(answers) == 1
    return one


def test_an_ordinary_commit_is_known_when_it_comes_for_the_third_time() -> None:
    node = LoneNode()
    assert not served(node, ORDINARY, 1).has_learned
    assert served(node, ORDINARY, 2).has_learned
    assert not served(node, ORDINARY, 2).serves_repeats
    assert served(node, ORDINARY, 3).serves_repeats


@pytest.mark.parametrize(
    "request_",
    [
        commit_of(),
        commit_of(topic_of("orders")),
        commit_of(topic_of("orders", (0, 5)), topic_of("returns")),
        commit_of(topic_of("orders", (0, 5)), topic_of("nothing")),
        commit_of(topic_of("orders", (0, 5)), topic_of("nothing", (0, 5))),
        commit_of(topic_of("orders", (0, 5), (3, 5))),
        commit_of(topic_of("orders", (0, 5), (-1, 5))),
    ],
    ids=["nothing", "no partition", "an empty topic", "empty and unknown", "unknown topic", "unknown", "negative"],
)
@pytest.mark.parametrize("version", [9, 10])
def test_a_commit_is_not_learned_if_something_of_it_is_empty_or_unknown(
    request_: OffsetCommitRequest, version: int
) -> None:
    assert not served(LoneNode(), request_, version=version).has_learned


def test_a_commit_that_is_too_large_is_not_kept() -> None:
    large = commit_of(topic_of("orders", (0, 5), committed_metadata="x" * REPEATED_REQUEST_BYTES))
    assert not served(LoneNode(), large).has_learned


def test_with_limits_for_principals_every_commit_is_counted() -> None:
    node = LoneNode()
    counted: list[str] = []

    def why_no_commit(_principal: str, group_id: str, *_: object, makes_group: bool) -> int:
        counted.append(group_id)
        return 0

    node.principal_usage = SimpleNamespace(seen=lambda *_: None, why_no_commit=why_no_commit)
    assert not served(node, ORDINARY).has_learned
    assert counted == ["g"] * 4


class Denies:
    def __init__(self) -> None:
        self.denied: set[tuple[ResourceType, str]] = set()
        self.asked: list[tuple[str, str, Operation]] = []

    def allows(self, principal: str, host: str, operation: Operation, kind: ResourceType, name: str) -> bool:
        self.asked.append((principal, name, operation))
        return (kind, name) not in self.denied


@pytest.mark.parametrize("denied", [(ResourceType.GROUP, "g"), (ResourceType.TOPIC, "returns")])
def test_a_commit_that_is_denied_is_not_learned_and_told_to_the_audit_each_time(
    denied: tuple[ResourceType, str],
) -> None:
    node = LoneNode()
    node.authorizer = Denies()
    node.authorizer.denied.add(denied)
    assert not served(node, ORDINARY).has_learned
    assert node.audited == [denied[1]] * 4


@pytest.mark.parametrize("denied", [(ResourceType.GROUP, "g"), (ResourceType.TOPIC, "returns")])
def test_a_right_that_is_taken_away_counts_from_the_next_commit_on(denied: tuple[ResourceType, str]) -> None:
    node = LoneNode()
    node.authorizer = Denies()
    one = served(node, ORDINARY)
    assert one.serves_repeats
    frame = request_frame("OffsetCommit", 9, ORDINARY)
    accepted = one.take(frame)
    node.authorizer.denied.add(denied)
    refused = LoneConnection(node).take(frame)
    node.audited.clear()
    assert one.take(frame) == refused != accepted
    assert node.audited == [denied[1]]
    node.authorizer.denied.clear()
    assert one.take(frame) == accepted


def test_every_commit_asks_for_the_rights_of_who_is_there_now() -> None:
    node = LoneNode()
    node.authorizer = Denies()
    one = served(node, ORDINARY)
    node.authorizer.asked.clear()
    one.connection.principal = "User:alice"
    one.take(request_frame("OffsetCommit", 9, ORDINARY))
    read = Operation.READ
    assert node.authorizer.asked == [("User:alice", name, read) for name in ("g", "orders", "returns")]


# ---- what comes in between


def test_a_topic_that_has_gone_is_noticed_by_the_next_commit() -> None:
    node = LoneNode()
    one = served(node, ORDINARY)
    catalog = node.broker.catalog
    gone = catalog.get("returns")
    assert gone is not None
    catalog.remove([gone])
    frame = request_frame("OffsetCommit", 9, ORDINARY)
    assert one.take(frame) == LoneConnection(node).take(frame)
    assert [topic.topic for topic in node.coordinator.commits[-1].topics] == ["orders"]


def test_after_a_change_of_topics_that_does_not_concern_it_a_commit_is_learned_anew() -> None:
    node = LoneNode()
    one = served(node, ORDINARY)
    node.broker.catalog.changes += 1
    frame = request_frame("OffsetCommit", 9, ORDINARY)
    assert len({one.take(frame) for _ in range(2)}) == 1
    assert one.serves_repeats


def test_each_commit_counts_with_the_client_id_that_it_came_with() -> None:
    """Also if a request of another kind came under another name in between: quotas and the audit go by it."""
    node = LoneNode()
    one = served(node, ORDINARY)
    for name in ("other", None, "raw", "other", "other", "other", None, None, None, "raw"):
        one.connection._intake._read_header(
            request_frame("Heartbeat", 4, HeartbeatRequest("g"), 1, name), 12, HEARTBEAT
        )
        for asked in ("raw", "raw", "raw", None, name, name):
            one.take(request_frame("OffsetCommit", 9, ORDINARY, 1, asked))
            assert node.coordinator.clients[-1] == asked


def test_a_client_without_a_name_is_known_again_too() -> None:
    node = LoneNode()
    one = LoneConnection(node)
    for _ in range(3):
        one.take(request_frame("OffsetCommit", 9, ORDINARY, 1, None))
        one.connection._intake._read_header(
            request_frame("Heartbeat", 4, HeartbeatRequest("g"), 1, None), 12, HEARTBEAT
        )
    assert one.serves_repeats


def test_another_version_of_the_same_bytes_is_read_anew() -> None:
    """Versions 5 and 4 differ in a field; 8 and 9 in every length; 9 and 10 in how a topic is named."""
    node = LoneNode()
    one = LoneConnection(node)
    for version in (9, 9, 9, 8, 9, 10, 10, 10, 9, 5, 5, 4, 5):
        frame = request_frame("OffsetCommit", version, ORDINARY)
        assert one.take(frame) == LoneConnection(node).take(frame) != b""
        assert node.coordinator.commits[-2] == node.coordinator.commits[-1]


def test_fields_that_we_do_not_know_are_part_of_what_is_remembered() -> None:
    """A tagged field at the end of the request: 9, the number of its bytes, the bytes."""
    node = LoneNode()
    one = LoneConnection(node)
    plain = request_frame("OffsetCommit", 9, ORDINARY)[4:]
    for content in (b"abc", b"abc", b"abc", b"abd", b"abc"):
        payload = plain[:-1] + b"\x01\x09\x03" + content
        frame = pack(">i", len(payload)) + payload
        assert one.take(frame) == LoneConnection(node).take(frame) != b""
        assert node.coordinator.commits[-2] == node.coordinator.commits[-1]
    assert one.has_learned


def test_frames_in_pieces_and_frames_together_are_known_again() -> None:
    node = LoneNode()
    one = served(node, ORDINARY)
    frames = [
        request_frame("OffsetCommit", 9, with_offsets(ORDINARY, [number, number + 1, number + 2]), number)
        for number in range(6)
    ]
    together = b"".join(frames)
    expected = b"".join(LoneConnection(node).take(frame) for frame in frames)
    plainly = node.coordinator.commits[-6:]
    for pieces in ([together], [together[at : at + 1] for at in range(len(together))], [together[:50], together[50:]]):
        del node.coordinator.commits[:]
        assert b"".join(one.take(piece) for piece in pieces) == expected
        assert node.coordinator.commits == plainly
    assert one.serves_repeats


@pytest.mark.parametrize("fault", [RuntimeError("broken"), AssertionError("broken")])
def test_a_fault_while_a_known_commit_is_served_ends_its_connection(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    node = LoneNode()
    one, other = served(node, ORDINARY), served(node, ORDINARY)

    def broken(_: OffsetCommit) -> list[int]:
        raise fault

    node.coordinator.verdict = broken
    assert one.take(request_frame("OffsetCommit", 9, ORDINARY)) == b""
    assert one.is_closed
    assert not other.is_closed
    assert "serving Call(OffsetCommit v9" in caplog.text


def test_what_was_learned_does_not_keep_a_connection_alive() -> None:
    node = LoneNode()
    one = LoneConnection(node)
    connection = one.connection
    before = sys.getrefcount(connection)
    for _ in range(5):
        one.take(request_frame("OffsetCommit", 9, ORDINARY))
    assert one.serves_repeats
    assert sys.getrefcount(connection) == before
    connection.connection_lost(None)
    assert not one.has_learned
