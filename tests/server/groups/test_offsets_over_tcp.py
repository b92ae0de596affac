"""OffsetCommit and OffsetFetch over TCP (spec 11.11, 11.12)."""

from __future__ import annotations

from typing import Any

import pytest

from muster.wire.apis import request_encoder
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchRequestTopic,
)
from muster.wire.header import encode_request_header
from tests.server.groups.group_client import GroupClient, Waiting, commit_request
from tests.server.groups.group_server import GroupServer
from tests.server.groups.log_faults import SlowLog, commits_in_a_thread, refusing_log
from tests.server.raw_client import frame

COMMIT_VERSIONS = range(2, 11)


def commit_topics(server: GroupServer, group: str, *topics: tuple[str, list[int]], **fields: Any) -> Any:
    """One commit with these topics and partitions as they are, empty lists and repeats included."""
    asked = [
        OffsetCommitRequestTopic(name, partitions=[OffsetCommitRequestPartition(i, 5) for i in indexes])
        for name, indexes in topics
    ]
    reply = server.client().call("OffsetCommit", 9, OffsetCommitRequest(group_id=group, topics=asked, **fields))
    return [(topic.name, [(p.partition_index, p.error_code) for p in topic.partitions]) for topic in reply.topics]


def fetched(reply: Any) -> list[tuple[str, list[tuple[int, int, int, str, int]]]]:
    (group,) = reply.groups
    return [
        (
            topic.name,
            [
                (p.partition_index, p.committed_offset, p.committed_leader_epoch, p.metadata, p.error_code)
                for p in topic.partitions
            ],
        )
        for topic in group.topics
    ]


# ---- OffsetCommit


def test_a_commit_without_generation_makes_a_simple_group(server: GroupServer) -> None:
    """T152, T167: the empty id is a group like any other here."""
    client = server.client()
    for group in ("g", ""):
        assert client.commit(group, ("orders", 0, 5)) == [0]
        assert client.committed(group) == 5
    assert [(g.group_id, g.protocol_type, g.group_state) for g in client.groups().groups] == [
        (group, "", "Empty") for group in sorted(("g", ""), key=server.partition_of)
    ]


@pytest.mark.parametrize("version", COMMIT_VERSIONS)
def test_a_generation_of_an_unknown_group_is_illegal_or_since_version_9_not_found(
    server: GroupServer, version: int
) -> None:
    """T153."""
    ids = {"orders": server.topic_id("orders")}
    client = server.client()
    code = client.commit("g", ("orders", 0, 5), generation=3, topic_ids=ids, version=version)
    assert code == [69 if version >= 9 else 22]
    assert list(client.groups().groups) == []


def test_a_commit_without_ids_to_a_group_with_members_is_refused(server: GroupServer) -> None:
    """T154."""
    server.form("g")
    assert server.client().commit("g", ("orders", 0, 5)) == [25]


def test_an_empty_group_takes_commits_without_generation_whatever_ids_they_carry(server: GroupServer) -> None:
    """T155, T156: with a generation it does not."""
    (member,) = server.form("g")
    client = server.client()
    client.leave("g", member.member_id)
    assert client.commit("g", ("orders", 0, 5), member_id="anybody", instance="anything") == [0]
    assert client.committed("g") == 5
    assert client.commit("g", ("orders", 0, 6), generation=member.generation, member_id=member.member_id) == [25]


def test_while_completing_a_members_commit_is_told_to_rejoin(server: GroupServer) -> None:
    """T157: after member and generation have been looked at."""
    (member,) = server.gather("g")
    client = server.client()
    assert client.commit("g", ("orders", 0, 5), generation=1, member_id=member.member_id) == [27]
    assert client.commit("g", ("orders", 0, 5), generation=2, member_id=member.member_id) == [22]
    assert client.commit("g", ("orders", 0, 5), generation=1, member_id="nobody") == [25]


def test_while_gathering_a_members_commit_is_accepted(server: GroupServer) -> None:
    """T158: it finishes its work before it joins again."""
    leader, follower = server.form("g", 2)
    leader.rejoin()
    server.settle()
    client = server.client()
    assert client.state("g") == "PreparingRebalance"
    assert client.commit("g", ("orders", 0, 5), generation=1, member_id=follower.member_id) == [0]
    assert client.committed("g") == 5


def test_metadata_are_measured_in_utf16_units(server: GroupServer) -> None:
    """T159, T160: one entry that is too long does not harm the others."""
    partitions = [
        OffsetCommitRequestPartition(0, 1, -1, "x" * 4097),
        OffsetCommitRequestPartition(1, 2, -1, "組" * 4096),
        OffsetCommitRequestPartition(2, 3, -1, "\U0001f600" * 2049),
    ]
    client = server.client()
    request = OffsetCommitRequest(group_id="g", topics=[OffsetCommitRequestTopic("orders", partitions=partitions)])
    (topic,) = client.call("OffsetCommit", 9, request).topics
    assert [(p.partition_index, p.error_code) for p in topic.partitions] == [(0, 12), (1, 0), (2, 12)]
    assert [offset for _, offset, *_ in fetched(client.fetch_offsets("g", [("orders", [0, 1, 2])]))[0][1]] == [
        -1,
        2,
        -1,
    ]


def test_null_metadata_are_fetched_as_empty_text(server: GroupServer) -> None:
    """T161."""
    client = server.client()
    assert client.commit("g", ("orders", 0, 5), metadata=None) == [0]
    assert fetched(client.fetch_offsets("g", None)) == [("orders", [(0, 5, -1, "", 0)])]


def test_unknown_partitions_are_left_out_and_the_rest_is_stored(server: GroupServer) -> None:
    """Spec 4.1 step 3, 4.1 step 8: refused ones first, merged by topic; negative numbers are unknown too."""
    answered = commit_topics(server, "g", ("orders", [0, 3, 1, -1]), ("nothing", [0]), ("returns", []))
    assert answered == [("orders", [(3, 3), (-1, 3), (0, 0), (1, 0)]), ("nothing", [(0, 3)])]
    assert server.client().committed("g", "orders", 1) == 5


def test_an_answer_without_refusals_mirrors_the_request(server: GroupServer) -> None:
    """Spec 4.1: repeated topics and partitions included; the last entry for a partition wins."""
    asked = [("orders", [0, 0]), ("returns", [1]), ("orders", [0])]
    answered = commit_topics(server, "g", *asked)
    assert answered == [(name, [(index, 0) for index in indexes]) for name, indexes in asked]


@pytest.mark.parametrize("topics", [[("nothing", [0])], [("orders", [7])]])
def test_only_unknown_partitions_are_answered_without_a_look_at_the_group(
    server: GroupServer, topics: list[tuple[str, list[int]]]
) -> None:
    """T163."""
    answered = commit_topics(server, "g", *topics, generation_id_or_member_epoch=99, member_id="nobody")
    assert answered == [(name, [(index, 3) for index in indexes]) for name, indexes in topics]
    assert server.client().state("g") == "Dead"


@pytest.mark.parametrize("topics", [[], [("orders", [])], [("nothing", [])]])
def test_a_commit_of_nothing_gets_an_empty_answer_and_makes_no_group(
    server: GroupServer, topics: list[tuple[str, list[int]]]
) -> None:
    """T163."""
    assert commit_topics(server, "g", *topics) == []
    assert list(server.client().groups().groups) == []


def test_topics_by_id_are_known_unknown_or_zero(server: GroupServer) -> None:
    """T163a."""
    ids = {"orders": server.topic_id("orders"), "nothing": b"\1" * 16, "zero": bytes(16)}
    client = server.client()
    request = commit_request("g", *((name, 0, 5) for name in ids), topic_ids=ids)
    reply = client.call("OffsetCommit", 10, request)
    answered = {topic.topic_id: [p.error_code for p in topic.partitions] for topic in reply.topics}
    assert answered == {ids["orders"]: [0], ids["nothing"]: [100], ids["zero"]: [100]}
    assert client.committed("g", version=9) == 5


def test_if_everything_is_too_large_the_group_is_made_without_a_record(server: GroupServer) -> None:
    """T163b: shown as Empty after another write of its shard at the latest; a failover forgets it."""
    other = next(name for name in map(str, range(99)) if server.partition_of(name) == server.partition_of("g"))
    client = server.client()
    assert client.commit("g", ("orders", 0, 1), ("orders", 1, 1), metadata="x" * 5000) == [12, 12]
    assert client.commit(other, ("orders", 0, 1)) == [0]
    assert client.state("g") == "Empty"
    assert fetched(client.fetch_offsets("g", None)) == []
    server.lose("g")
    server.take_over("g")
    assert client.state("g") == "Dead"


def test_internal_topics_may_be_committed_to(server: GroupServer) -> None:
    """Spec 4.1 step 3."""
    client = server.client()
    assert client.commit("g", ("__consumer_offsets", 0, 5)) == [0]
    assert client.committed("g", "__consumer_offsets") == 5


def test_the_committed_offset_may_go_down(server: GroupServer) -> None:
    """T164; and any number is stored."""
    client = server.client()
    for offset in (200, 100, -1, -2, 2**63 - 1):
        assert client.commit("g", ("orders", 0, offset)) == [0]
        assert client.committed("g") == offset


def test_leader_epochs_are_kept_since_version_6_and_shown_since_version_5(server: GroupServer) -> None:
    """T166."""
    client = server.client()
    assert client.commit("g", ("orders", 0, 5), leader_epoch=7, version=6) == [0]
    for version in range(1, 8):
        (topic,) = client.old_fetch_offsets("g", [("orders", [0])], version=version).topics
        assert topic.partitions[0].committed_leader_epoch == (7 if version >= 5 else -1)
    assert client.commit("g", ("orders", 0, 6), leader_epoch=7, version=5) == [0]
    assert fetched(client.fetch_offsets("g", None)) == [("orders", [(0, 6, -1, "", 0)])]


def test_a_commit_that_cannot_be_stored_changes_nothing(server: GroupServer) -> None:
    """T168; entries that were refused by themselves keep their code, unknown groups stay unknown."""
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    with refusing_log(server):
        assert client.commit("g", ("orders", 0, 6), ("nothing", 0, 6)) == [3, 16]
        assert client.commit("new", ("orders", 0, 6)) == [16]
    assert client.committed("g") == 5
    assert client.state("new") == "Dead"


def test_a_slow_log_times_the_commit_out_and_may_still_take_it() -> None:
    """T027: nothing is undone; and nobody sees it before it is durable."""
    with GroupServer(prepare=commits_in_a_thread) as server:
        client, other = server.client(), server.client()
        with SlowLog(server) as log:
            waiting = client.begin("OffsetCommit", 9, commit_request("g", ("orders", 0, 5)))
            log.wait_for_a_write()
            assert other.committed("g") == -1
            server.run(server.clock.advance, 4_999)
            assert server.has_in_work(waiting)
            server.run(server.clock.advance, 1)
            assert [p.error_code for t in waiting.answer().topics for p in t.partitions] == [15]
        assert other.committed("g") == 5


# ---- OffsetFetch


def test_an_unknown_group_has_committed_nothing(server: GroupServer) -> None:
    """T171."""
    client = server.client()
    assert fetched(client.fetch_offsets("nobody", [("orders", [1, 0])])) == [
        ("orders", [(1, -1, -1, "", 0), (0, -1, -1, "", 0)])
    ]
    reply = client.fetch_offsets("nobody", None)
    assert (reply.groups[0].error_code, fetched(reply)) == (0, [])


def test_null_topics_in_version_1_cannot_be_read(server: GroupServer) -> None:
    """T172: from version 2 on they mean all."""
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    body = request_encoder(9, 1)(OffsetFetchRequest("g", [OffsetFetchRequestTopic("orders", [0])]))[:3] + b"\xff" * 4
    client.send(frame(encode_request_header(9, 1, 1, "raw") + body))
    assert client.is_closed_by_server()
    reply = server.client().old_fetch_offsets("g", None, version=2)
    assert [(topic.name, len(topic.partitions)) for topic in reply.topics] == [("orders", 1)]


def test_a_fetch_mirrors_what_it_asks_for(server: GroupServer) -> None:
    """T177a: an empty list is not all, a topic without partitions stays, repeats are repeated, unknown topics are fine."""
    client = server.client()
    client.commit("g", ("orders", 0, 5), ("returns", 1, 6))
    assert fetched(client.fetch_offsets("g", [])) == []
    asked: list[tuple[str, list[int]]] = [("returns", []), ("orders", [0, 9, 0]), ("nothing", [1]), ("orders", [0])]
    found, none = (0, 5, -1, "", 0), (9, -1, -1, "", 0)
    assert fetched(client.fetch_offsets("g", asked)) == [
        ("returns", []),
        ("orders", [found, none, found]),
        ("nothing", [(1, -1, -1, "", 0)]),
        ("orders", [found]),
    ]


@pytest.mark.parametrize("version", range(1, 11))
def test_offsets_with_and_without_texts_are_shown_side_by_side(server: GroupServer, version: int) -> None:
    """In any order, again and again, and beside partitions that cannot be: epochs since version 5, the rest always."""
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    client.commit("g", ("orders", 1, 2**40), leader_epoch=4)
    epoch = 4 if version >= 5 else -1
    asked = [1, 0, 0, 2, -1, -(2**31), 2**31 - 1]
    rows = [(1, 2**40, epoch, "", 0), (0, 5, -1, "", 0), (0, 5, -1, "", 0), (2, -1, -1, "", 0)]
    rows += [(partition, -1, -1, "", 0) for partition in asked[4:]]
    assert rows_of(server, client, asked, version) == rows
    client.commit("g", ("orders", 2, 8), metadata="text")
    rows[3] = (2, 8, -1, "text", 0)
    assert rows_of(server, client, asked, version) == rows
    assert rows_of(server, client, [], version) == []


def rows_of(
    server: GroupServer, client: GroupClient, asked: list[int], version: int
) -> list[tuple[int, int, int, str, int]]:
    if version < 8:
        (topic,) = client.old_fetch_offsets("g", [("orders", asked)], version=version).topics
    else:
        entry = OffsetFetchRequestGroupTopic("orders", server.topic_id("orders"), asked)
        group = OffsetFetchRequestGroup("g", topics=[entry])
        (topic,) = client.call("OffsetFetch", version, OffsetFetchRequest(groups=[group])).groups[0].topics
    return [
        (p.partition_index, p.committed_offset, p.committed_leader_epoch, p.metadata, p.error_code)
        for p in topic.partitions
    ]


def test_unknown_topic_ids_come_after_the_known_ones(server: GroupServer) -> None:
    """T177b; all mode answers with the ids of the topics."""
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    known, unknown = server.topic_id("orders"), b"\1" * 16
    asked = [
        OffsetFetchRequestGroupTopic(topic_id=topic_id, partition_indexes=indexes)
        for topic_id, indexes in [(unknown, [0, 1]), (known, [0]), (bytes(16), [2])]
    ]
    reply = client.call("OffsetFetch", 10, OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=asked)]))
    (group,) = reply.groups
    assert group.error_code == 0
    assert [(t.topic_id, [(p.committed_offset, p.error_code) for p in t.partitions]) for t in group.topics] == [
        (known, [(5, 0)]),
        (unknown, [(-1, 100), (-1, 100)]),
        (bytes(16), [(-1, 100)]),
    ]
    reply = client.call("OffsetFetch", 10, OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=None)]))
    assert [topic.topic_id for topic in reply.groups[0].topics] == [known]


def test_a_stable_fetch_waits_for_the_commits_before_it() -> None:
    """Spec 4.4, require-stable: it answers with the new value; a plain one shows the old value meanwhile."""
    with GroupServer(prepare=commits_in_a_thread) as server:
        client, writer, reader = server.client(), server.client(), server.client()
        client.commit("g", ("orders", 0, 5))
        with SlowLog(server) as log:
            commit = writer.begin("OffsetCommit", 9, commit_request("g", ("orders", 0, 6)))
            log.wait_for_a_write()
            group = OffsetFetchRequestGroup("g", topics=None)
            stable: Waiting = reader.begin("OffsetFetch", 9, OffsetFetchRequest(groups=[group], require_stable=True))
            assert client.committed("g") == 5
            assert server.has_in_work(stable)
            log.release()
            assert [p.error_code for t in commit.answer().topics for p in t.partitions] == [0]
            assert fetched(stable.answer()) == [("orders", [(0, 6, -1, "", 0)])]


def test_classic_groups_ignore_the_member_epoch_of_a_fetch(server: GroupServer) -> None:
    """Spec 4.4: member id and epoch of version 9 are for the new protocol."""
    client = server.client()
    client.commit("g", ("orders", 0, 5))
    group = OffsetFetchRequestGroup("g", "nobody", 17, None)
    reply = client.call("OffsetFetch", 9, OffsetFetchRequest(groups=[group]))
    assert (reply.groups[0].error_code, len(reply.groups[0].topics)) == (0, 1)


def test_the_offsets_of_a_deleted_topic_are_gone(server: GroupServer) -> None:
    """T179; the group stays until the next look for expired ones."""
    from muster.wire.generated.delete_topics import DeleteTopicsRequest

    client = server.client()
    client.commit("g", ("orders", 0, 5))
    assert client.call("DeleteTopics", 4, DeleteTopicsRequest(topic_names=["orders"])).responses[0].error_code == 0
    server.settle()
    assert client.committed("g") == -1
    assert client.state("g") == "Empty"
