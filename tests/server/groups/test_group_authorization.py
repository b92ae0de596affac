"""Who may do what with groups (spec 9), with rules from a file as an operator writes them, asked over TCP.

Everybody is User:ANONYMOUS on a plain listener, so the rules go by address: 127.0.0.9 may do everything
with groups and topics, 127.0.0.8 see the cluster, 127.0.0.1 what is written below, and nobody else anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.topics.creation import NewTopic
from muster.wire.generated.delete_groups import DeleteGroupsRequest
from muster.wire.generated.describe_groups import DescribeGroupsRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from muster.wire.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
)
from tests.server.groups.group_client import GroupClient, commit_request
from tests.server.groups.group_server import OPERATOR, GroupServer

OVERSEER = "127.0.0.8"

RULES = f"""
[[allow]]
principal = "User:*"
host = "{OPERATOR}"
operation = "ALL"
resource = "group"
name = "*"

[[allow]]
principal = "User:*"
host = "{OPERATOR}"
operation = "ALL"
resource = "topic"
name = "*"

[[allow]]
principal = "User:*"
host = "{OVERSEER}"
operation = "DESCRIBE"
resource = "cluster"

[[allow]]
principal = "User:ANONYMOUS"
host = "127.0.0.1"
operation = "ALL"
resource = "group"
name = "full"

[[allow]]
principal = "User:ANONYMOUS"
host = "127.0.0.1"
operation = "READ"
resource = "group"
name = "read"

[[allow]]
principal = "User:ANONYMOUS"
host = "127.0.0.1"
operation = "DESCRIBE"
resource = "group"
name = "seen"

[[allow]]
principal = "User:ANONYMOUS"
host = "127.0.0.1"
operation = "DELETE"
resource = "group"
name = "mortal"

[[allow]]
principal = "User:ANONYMOUS"
operation = "READ"
resource = "topic"
name = "orders"

[[allow]]
principal = "User:ANONYMOUS"
operation = "DESCRIBE"
resource = "topic"
name = "returns"

[[deny]]
principal = "User:*"
host = "127.0.0.1"
operation = "DESCRIBE"
resource = "group"
name = "read"
"""


@pytest.fixture
def rules(tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "rules.toml"
    path.write_text(RULES)
    return {"muster.rules": str(path)}


@pytest.fixture
def server(rules: dict[str, str]) -> Iterator[GroupServer]:
    with GroupServer(rules) as running:
        running.run(running.node.broker.create_topics, [NewTopic("secret", 1)])
        yield running


@pytest.fixture
def client(server: GroupServer) -> GroupClient:
    return server.client()


@pytest.fixture
def operator(server: GroupServer) -> GroupClient:
    return server.client(source=OPERATOR)


@pytest.fixture
def overseer(server: GroupServer) -> GroupClient:
    return server.client(source=OVERSEER)


def nothing_was_made(operator: GroupClient) -> bool:
    return list(operator.groups().groups) == []


# ---- FindCoordinator


def test_of_two_keys_the_one_that_may_be_described_is_found(client: GroupClient) -> None:
    """T007: in the order of the request, with the no-node triple and without a text."""
    request = FindCoordinatorRequest("", 0, ["full", "hidden", "seen", "mortal"])
    entries = client.call("FindCoordinator", 4, request).coordinators
    assert [(e.key, e.error_code) for e in entries] == [("full", 0), ("hidden", 30), ("seen", 0), ("mortal", 0)]
    assert (entries[1].node_id, entries[1].host, entries[1].port, entries[1].error_message) == (-1, "", -1, "")


@pytest.mark.parametrize("version", range(4))
def test_a_key_that_may_not_be_described_has_the_default_text_in_old_versions(
    client: GroupClient, version: int
) -> None:
    """Spec 9."""
    reply = client.call("FindCoordinator", version, FindCoordinatorRequest("hidden"))
    assert (reply.error_code, reply.node_id, reply.host, reply.port) == (30, -1, "", -1)
    assert reply.error_message == ("Group authorization failed." if version else "")


def test_a_refused_search_does_not_make_the_offsets_topic(rules: dict[str, str]) -> None:
    with GroupServer(rules, with_coordinator=False) as server:
        reply = server.client().call("FindCoordinator", 3, FindCoordinatorRequest("hidden"))
        assert reply.error_code == 30
        server.settle()
        assert server.node.broker.topic(CONSUMER_OFFSETS) is None


def test_transactional_ids_are_asked_about_by_themselves(client: GroupClient) -> None:
    reply = client.call("FindCoordinator", 3, FindCoordinatorRequest("tx", 1))
    assert (reply.error_code, reply.error_message) == (53, "Transactional Id authorization failed.")


# ---- membership

NOT_READABLE = ["hidden", "seen", "mortal", ""]


@pytest.mark.parametrize("group", NOT_READABLE)
@pytest.mark.parametrize("version", range(10))
def test_join_needs_read_and_that_is_asked_before_anything_else(
    client: GroupClient, operator: GroupClient, group: str, version: int
) -> None:
    """Spec 9: member id "", before timeouts, protocols and the group id are looked at; no group is made."""
    reply = client.join(group, "me", version=version, session_ms=1, protocols=()).answer()
    assert (reply.error_code, reply.member_id, reply.generation_id, reply.leader) == (30, "", -1, "")
    assert reply.protocol_name == (None if version >= 7 else "")
    assert nothing_was_made(operator)


@pytest.mark.parametrize("group", NOT_READABLE)
@pytest.mark.parametrize("version", range(6))
def test_sync_needs_read(client: GroupClient, group: str, version: int) -> None:
    """T095: a missing protocol is told first."""
    reply = client.sync(group, 1, "me", version=version).answer()
    assert (reply.error_code, reply.assignment, reply.protocol_type) == (30, b"", None)
    if version >= 5:
        assert client.sync(group, 1, "me", protocol=(None, None)).answer().error_code == 23


@pytest.mark.parametrize("version", range(5))
def test_heartbeat_needs_read(client: GroupClient, version: int) -> None:
    for group, error in [("full", 25), ("read", 25), *((name, 30) for name in NOT_READABLE)]:
        assert client.call("Heartbeat", version, HeartbeatRequest(group, 1, "me")).error_code == error


@pytest.mark.parametrize("version", range(6))
def test_leave_needs_read_and_says_so_at_the_top(client: GroupClient, operator: GroupClient, version: int) -> None:
    for group in NOT_READABLE:
        request = LeaveGroupRequest(group, "me", [LeaveGroupRequestMember("me")])
        reply = client.call("LeaveGroup", version, request)
        assert (reply.error_code, list(reply.members)) == (30, [])


def test_read_is_enough_to_be_a_member(server: GroupServer, client: GroupClient) -> None:
    """Although describing the group is denied."""
    (seat,) = server.form("read")
    assert seat.beat() == 0
    assert client.commit("read", ("orders", 0, 5), **seat.ids) == [0]
    assert client.fetch_offsets("read", None).groups[0].error_code == 30
    assert client.describe("read").error_code == 30
    assert client.leave("read", seat.member_id).members[0].error_code == 0


# ---- OffsetCommit


@pytest.mark.parametrize("version", range(2, 11))
@pytest.mark.parametrize("group", NOT_READABLE)
def test_a_commit_needs_read_on_the_group_whatever_the_topics_are(
    server: GroupServer, client: GroupClient, operator: GroupClient, group: str, version: int
) -> None:
    """On every partition, also of topics that do not exist; nothing is made."""
    request = commit_request(group, ("orders", 0, 5), ("nothing", 1, 5), ("orders", 9, 5))
    reply = client.call("OffsetCommit", version, request)
    answered = [(p.partition_index, p.error_code) for topic in reply.topics for p in topic.partitions]
    assert answered == [(0, 30), (1, 30), (9, 30)]
    assert nothing_was_made(operator)


def test_a_commit_answers_forbidden_unknown_and_valid_partitions_in_one_response(client: GroupClient) -> None:
    """T162: READ on topics counts, DESCRIBE is not enough; of a topic that may not be seen nothing is told."""
    reply = client.call(
        "OffsetCommit",
        9,
        commit_request(
            "full", ("orders", 0, 5), ("returns", 0, 5), ("secret", 0, 5), ("nothing", 0, 5), ("orders", 9, 5)
        ),
    )
    by_topic = {topic.name: [(p.partition_index, p.error_code) for p in topic.partitions] for topic in reply.topics}
    assert by_topic == {
        "returns": [(0, 29)],
        "secret": [(0, 29)],
        "nothing": [(0, 29)],
        "orders": [(9, 3), (0, 0)],
    }
    assert client.committed("full") == 5


def test_a_commit_of_forbidden_topics_only_makes_no_group(client: GroupClient, operator: GroupClient) -> None:
    assert client.commit("full", ("secret", 0, 5)) == [29]
    assert nothing_was_made(operator)


def test_a_commit_by_id_of_a_forbidden_topic_says_so(server: GroupServer, client: GroupClient) -> None:
    """Spec 9: an unknown id is still an unknown id."""
    ids = {name: server.topic_id(name) for name in ("orders", "returns", "secret")} | {"nothing": b"\1" * 16}
    request = commit_request("full", *((name, 0, 5) for name in ids), topic_ids=ids)
    reply = client.call("OffsetCommit", 10, request)
    answered = {topic.topic_id: topic.partitions[0].error_code for topic in reply.topics}
    assert answered == {ids["orders"]: 0, ids["returns"]: 29, ids["secret"]: 29, ids["nothing"]: 100}


# ---- OffsetFetch


@pytest.fixture
def committed(operator: GroupClient) -> None:
    for group in ("full", "seen", "hidden"):
        assert operator.commit(group, ("secret", 0, 1), ("orders", 0, 2), ("returns", 0, 3)) == [0, 0, 0]


def fetched(group: Any) -> list[tuple[str, int, int]]:
    return [(t.name, p.committed_offset, p.error_code) for t in group.topics for p in t.partitions]


@pytest.mark.usefixtures("committed")
def test_of_two_groups_the_one_that_may_be_described_is_fetched(client: GroupClient) -> None:
    """T173."""
    asked = [OffsetFetchRequestGroup(group, topics=None) for group in ("hidden", "seen", "mortal")]
    for version in (8, 9):
        groups = client.call("OffsetFetch", version, OffsetFetchRequest(groups=asked)).groups
        assert [(g.group_id, g.error_code) for g in groups] == [("hidden", 30), ("seen", 0), ("mortal", 0)]
        assert fetched(groups[0]) == []


@pytest.mark.usefixtures("committed")
def test_topics_that_may_not_be_described_are_refused_by_name_and_left_out_of_all(client: GroupClient) -> None:
    """T174: refused ones come last."""
    asked = [("secret", [0, 1]), ("orders", [0]), ("nothing", [0]), ("returns", [0])]
    (group,) = client.fetch_offsets("seen", asked).groups
    assert group.error_code == 0
    assert fetched(group) == [
        ("orders", 2, 0),
        ("returns", 3, 0),
        ("secret", -1, 29),
        ("secret", -1, 29),
        ("nothing", -1, 29),
    ]
    (group,) = client.fetch_offsets("seen", None).groups
    assert sorted(fetched(group)) == [("orders", 2, 0), ("returns", 3, 0)]


@pytest.mark.usefixtures("committed")
def test_a_fetch_by_id_of_a_forbidden_topic_says_so(server: GroupServer, client: GroupClient) -> None:
    """Spec 9."""
    ids = [server.topic_id("secret"), server.topic_id("orders")]
    asked = [OffsetFetchRequestGroupTopic(topic_id=each, partition_indexes=[0]) for each in ids]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("full", topics=asked)])
    (group,) = client.call("OffsetFetch", 10, request).groups
    assert [(t.topic_id, t.partitions[0].committed_offset, t.partitions[0].error_code) for t in group.topics] == [
        (ids[1], 2, 0),
        (ids[0], -1, 29),
    ]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("full", topics=None)])
    (group,) = client.call("OffsetFetch", 10, request).groups
    assert {t.topic_id for t in group.topics} == {ids[1], server.topic_id("returns")}


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize("version", range(1, 8))
def test_a_group_that_may_not_be_described_says_so_at_the_top_or_on_every_partition(
    client: GroupClient, version: int
) -> None:
    """T180: v1 has no other place, and nothing is told about the topics, not even that they are forbidden."""
    reply = client.old_fetch_offsets("hidden", [("secret", [0]), ("orders", [0, 1])], version=version)
    if version == 1:
        assert [(t.name, [(p.partition_index, p.error_code) for p in t.partitions]) for t in reply.topics] == [
            ("secret", [(0, 30)]),
            ("orders", [(0, 30), (1, 30)]),
        ]
    else:
        assert (reply.error_code, list(reply.topics)) == (30, [])


def test_in_version_1_a_shard_that_is_elsewhere_is_told_on_forbidden_topics_too(
    server: GroupServer, client: GroupClient
) -> None:
    """T180."""
    server.lose("seen")
    reply = client.old_fetch_offsets("seen", [("secret", [0]), ("orders", [0])], version=1)
    assert sorted((t.name, p.error_code) for t in reply.topics for p in t.partitions) == [
        ("orders", 16),
        ("secret", 16),
    ]


# ---- the rest


def test_offset_delete_needs_delete_on_the_group_and_read_on_the_topics(
    server: GroupServer, client: GroupClient, operator: GroupClient
) -> None:
    for group in ("mortal", "hidden", "read"):
        operator.commit(group, ("orders", 0, 1), ("returns", 0, 2))
    topics = [
        OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(0)]) for name in ("returns", "orders", "secret")
    ]
    for group in ("hidden", "read", "seen"):
        reply = client.call("OffsetDelete", 0, OffsetDeleteRequest(group, topics))
        assert (reply.error_code, list(reply.topics)) == (30, [])
    reply = client.call("OffsetDelete", 0, OffsetDeleteRequest("mortal", topics))
    assert reply.error_code == 0
    assert {t.name: t.partitions[0].error_code for t in reply.topics} == {"returns": 29, "orders": 0, "secret": 29}
    assert operator.committed("mortal", "orders") == -1
    assert operator.committed("mortal", "returns") == 2
    assert operator.committed("hidden", "orders") == 1


@pytest.mark.parametrize("version", range(7))
def test_describe_answers_each_group_by_itself_with_what_may_be_done(
    client: GroupClient, operator: GroupClient, version: int
) -> None:
    """Spec 9: all operations are 3400, READ alone 264, DESCRIBE alone 256."""
    for group in ("full", "hidden", "seen"):
        operator.commit(group, ("orders", 0, 1))
    request = DescribeGroupsRequest(["hidden", "full", "seen"], version >= 3)
    entries = {entry.group_id: entry for entry in client.call("DescribeGroups", version, request).groups}
    hidden = entries["hidden"]
    assert (hidden.error_code, hidden.error_message, hidden.group_state) == (30, None, "")
    assert (hidden.protocol_type, hidden.protocol_data, list(hidden.members)) == ("", "", [])
    assert [entries[name].group_state for name in ("full", "seen")] == ["Empty", "Empty"]
    shown = {name: entry.authorized_operations for name, entry in entries.items()}
    not_shown = -2147483648
    assert shown == {
        "hidden": not_shown,
        "full": 3400 if version >= 3 else not_shown,
        "seen": 256 if version >= 3 else not_shown,
    }


def test_read_implies_describe_and_shows_both(rules: dict[str, str]) -> None:
    """Spec 9: 264, once nobody denies describing."""
    path = Path(rules["muster.rules"])
    path.write_text(RULES[: RULES.index("[[deny]]")])
    with GroupServer(rules) as server:
        client = server.client()
        client.commit("read", ("orders", 0, 1))
        assert client.describe("read", operations=True).authorized_operations == 264


@pytest.mark.parametrize("version", range(6))
def test_list_shows_what_may_be_described_without_an_error(
    client: GroupClient, operator: GroupClient, overseer: GroupClient, version: int
) -> None:
    """T142: DESCRIBE on the cluster shows all, also to somebody who may describe none of them."""
    names = ["full", "hidden", "mortal", "read", "seen"]
    for group in names:
        operator.commit(group, ("orders", 0, 1))
    listed = client.groups(version=version)
    assert listed.error_code == 0
    assert sorted(group.group_id for group in listed.groups) == ["full", "mortal", "seen"]
    assert sorted(group.group_id for group in operator.groups(version=version).groups) == names
    assert sorted(group.group_id for group in overseer.groups(version=version).groups) == names
    assert overseer.describe("full").error_code == 30


@pytest.mark.parametrize("version", range(3))
def test_delete_answers_each_group_by_itself(client: GroupClient, operator: GroupClient, version: int) -> None:
    for group in ("full", "hidden", "mortal", "seen"):
        operator.commit(group, ("orders", 0, 1))
    asked = ["hidden", "mortal", "seen", "full", "hidden", "read"]
    reply = client.call("DeleteGroups", version, DeleteGroupsRequest(asked))
    results = {each.group_id: each.error_code for each in reply.results}
    assert results == {"hidden": 30, "mortal": 0, "seen": 30, "full": 0, "read": 30}
    assert sorted(group.group_id for group in operator.groups().groups) == ["hidden", "seen"]


def test_an_address_without_rules_may_do_nothing(server: GroupServer) -> None:
    stranger = server.client(source="127.0.0.7")
    assert stranger.join("full").answer().error_code == 30
    assert stranger.describe("full").error_code == 30
    assert list(stranger.groups().groups) == []
