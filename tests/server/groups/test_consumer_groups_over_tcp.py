"""Consumer groups (KIP-848) over TCP: heartbeats, describe, offsets with member epochs, restarts, settings, rights."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muster.topics.creation import NewTopic
from muster.wire import errors
from muster.wire.consumer_protocol import Assignment, decode_assignment, encode_assignment
from muster.wire.generated.api_versions import ApiVersionsRequest
from muster.wire.generated.consumer_group_describe import ConsumerGroupDescribeRequest
from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartition,
)
from muster.wire.generated.create_partitions import CreatePartitionsRequest, CreatePartitionsRequestTopic
from muster.wire.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequestConfig,
    IncrementalAlterConfigsRequestResource,
)
from muster.wire.generated.list_groups import ListGroupsRequest
from muster.wire.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tests.movable_clock import MovableClock
from tests.server.groups.group_client import GroupClient
from tests.server.groups.group_server import GroupServer
from tests.server.repeats import serves_repeats_if_it_may

NO_PAUSE = {"group.consumer.assignment.interval.ms": "0"}


class Consumer:
    """A raw client of the new protocol that knows what it was told last."""

    def __init__(self, server: GroupServer, member_id: str, group: str = "g") -> None:
        self.client: GroupClient = server.client(f"client-{member_id}")
        self.member_id = member_id
        self.group = group
        self.epoch = 0
        self.has: dict[bytes, list[int]] = {}
        self.code = 0

    def join(self, *topics: str, version: int = 1, **fields: Any) -> Any:
        names = list(topics) if topics else None
        fields = {"rebalance_timeout_ms": 60_000, "subscribed_topic_names": names, "topic_partitions": [], **fields}
        return self._send(version, member_epoch=0, **fields)

    def beat(self, **fields: Any) -> Any:
        return self._send(1, member_epoch=self.epoch, **fields)

    def obey(self) -> Any:
        """A heartbeat that says what it has, which is what it was told."""
        owned = [ConsumerGroupHeartbeatRequestTopicPartition(key, numbers) for key, numbers in self.has.items()]
        return self.beat(topic_partitions=owned)

    def leave(self, epoch: int = -1, **fields: Any) -> Any:
        return self._send(1, member_epoch=epoch, **fields)

    def _send(self, version: int, **fields: Any) -> Any:
        request = ConsumerGroupHeartbeatRequest(self.group, self.member_id, **fields)
        answer = self.client.call("ConsumerGroupHeartbeat", version, request)
        self.code = answer.error_code
        if answer.error_code == 0:
            self.member_id, self.epoch = answer.member_id, answer.member_epoch
            if answer.assignment is not None:
                self.has = {each.topic_id: list(each.partitions) for each in answer.assignment.topic_partitions}
        return answer

    @property
    def partitions(self) -> list[int]:
        return sorted(number for numbers in self.has.values() for number in numbers)


def described(client: GroupClient, *groups: str, version: int = 1, operations: bool = False) -> Any:
    request = ConsumerGroupDescribeRequest(list(groups), operations)
    return client.call("ConsumerGroupDescribe", version, request).groups


def settle_down(consumers: Sequence[Consumer]) -> None:
    for _ in range(4):
        for consumer in consumers:
            consumer.obey()


def test_two_members_share_a_topic_and_one_gets_all_when_the_other_leaves() -> None:
    with GroupServer(NO_PAUSE) as server:
        first, second = Consumer(server, "one"), Consumer(server, "two")
        answer = first.join("orders")
        assert (answer.member_epoch, answer.heartbeat_interval_ms, first.partitions) == (2, 5_000, [0, 1, 2])
        assert second.join("orders").member_epoch == 3
        assert second.has == {}
        settle_down([first, second])
        assert sorted(first.partitions + second.partitions) == [0, 1, 2]
        assert second.leave().member_epoch == -1
        first.obey()
        assert first.partitions == [0, 1, 2]


def test_a_silent_member_loses_its_partitions_when_its_session_ends() -> None:
    short = {"group.consumer.min.session.timeout.ms": "10000", "group.consumer.session.timeout.ms": "10000"}
    with GroupServer({**NO_PAUSE, **short}) as server:
        first, second = Consumer(server, "one"), Consumer(server, "two")
        first.join("orders")
        second.join("orders")
        settle_down([first, second])
        server.clock.advance(6_000)
        first.beat()
        server.clock.advance(6_000)
        server.settle()
        first.obey()
        assert first.partitions == [0, 1, 2]
        second.beat()
        assert second.code == errors.UNKNOWN_MEMBER_ID


def alter(client: GroupClient, group: str, **values: int | None) -> int:
    """Settings of a group, with `_` for a dot; None removes one."""
    changes = [
        IncrementalAlterConfigsRequestConfig(
            name.replace("_", "."), int(value is None), None if value is None else str(value)
        )
        for name, value in values.items()
    ]
    resource = IncrementalAlterConfigsRequestResource(32, group, changes)
    request = IncrementalAlterConfigsRequest([resource])
    (answer,) = client.call("IncrementalAlterConfigs", 1, request).responses
    return int(answer.error_code)


def test_a_group_with_a_session_of_its_own_obeys_it_from_the_next_heartbeat_on() -> None:
    with GroupServer({**NO_PAUSE, "group.consumer.min.session.timeout.ms": "6000"}) as server:
        first, other = Consumer(server, "one"), Consumer(server, "two", group="h")
        first.join("orders")
        other.join("orders")
        for _ in range(3):
            assert first.beat().heartbeat_interval_ms == 5_000
        assert alter(first.client, "g", consumer_session_timeout_ms=10_000, consumer_heartbeat_interval_ms=6_000) == 0
        assert first.beat().heartbeat_interval_ms == 6_000, "also where heartbeats repeat"
        assert other.beat().heartbeat_interval_ms == 5_000
        server.clock.advance(11_000)
        server.settle()
        first.beat()
        assert first.code == errors.UNKNOWN_MEMBER_ID
        other.beat()
        assert other.code == errors.NONE
        assert alter(first.client, "g", consumer_session_timeout_ms=None, consumer_heartbeat_interval_ms=None) == 0
        assert first.join("orders").heartbeat_interval_ms == 5_000


def test_settings_of_groups_are_there_again_after_a_restart(tmp_path: Path) -> None:
    """What was stored under other bounds is moved into those of today."""
    files = {"muster.storage": "files", "muster.data": str(tmp_path / "data"), **NO_PAUSE}
    with GroupServer(files) as server:
        member = Consumer(server, "one")
        assert alter(member.client, "g", consumer_heartbeat_interval_ms=7_000) == 0
    with GroupServer(files) as server:
        member = Consumer(server, "one")
        assert member.join("orders").heartbeat_interval_ms == 7_000
        member.leave()
    later = {"group.consumer.min.heartbeat.interval.ms": "8000", "group.consumer.heartbeat.interval.ms": "9000"}
    with GroupServer({**files, **later}) as server:
        assert Consumer(server, "one").join("orders").heartbeat_interval_ms == 8_000


def test_a_client_of_version_0_gets_its_id_from_the_server() -> None:
    with GroupServer() as server:
        consumer = Consumer(server, "")
        consumer.join("orders", version=0)
        assert len(consumer.member_id) == 22
        assert consumer.partitions == [0, 1, 2]
        refused = Consumer(server, "").join("orders")
        assert (refused.error_code, refused.error_message) == (errors.INVALID_REQUEST, "MemberId can't be empty.")


def test_topics_that_come_or_grow_reach_the_group_without_a_client_asking() -> None:
    with GroupServer(NO_PAUSE) as server:
        consumer = Consumer(server, "one")
        consumer.join("orders", "later")
        assert consumer.partitions == [0, 1, 2]
        server.run(server.node.broker.create_topics, [NewTopic("later", 2)])
        consumer.obey()
        assert consumer.partitions == [0, 0, 1, 1, 2]
        more = CreatePartitionsRequest([CreatePartitionsRequestTopic("later", 3, None)])
        assert consumer.client.call("CreatePartitions", 3, more).results[0].error_code == 0
        consumer.obey()
        assert consumer.partitions == [0, 0, 1, 1, 2, 2]


def test_a_regex_finds_its_topics_in_the_background() -> None:
    with GroupServer(NO_PAUSE) as server:
        consumer = Consumer(server, "one")
        assert consumer.join(subscribed_topic_regex="(orders|ret.*)").member_epoch == 1
        server.pass_time(100)
        consumer.obey()
        assert set(consumer.has) == {server.topic_id("orders"), server.topic_id("returns")}
        bad = Consumer(server, "two").join(subscribed_topic_regex="[")
        assert (bad.error_code, bad.member_id) == (errors.INVALID_REGULAR_EXPRESSION, None)
        assert bad.error_message == "SubscribedTopicRegex `[` is not a valid regular expression: missing closing ]."


def test_a_description_shows_members_with_what_they_have_and_shall_have() -> None:
    with GroupServer(NO_PAUSE) as server:
        first, second = Consumer(server, "one"), Consumer(server, "two")
        first.join("orders", rack_id="r", server_assignor="range")
        second.join("orders")
        (group,) = described(first.client, "g", operations=True)
        assert (group.error_code, group.group_state, group.group_epoch, group.assignment_epoch) == (
            0,
            "Reconciling",
            3,
            3,
        )
        assert (group.assignor_name, group.authorized_operations) == ("range", 3400)
        one, two = group.members
        assert (one.member_id, one.rack_id, one.member_epoch, one.client_id, one.client_host, one.member_type) == (
            "one",
            "r",
            2,
            "client-one",
            "/127.0.0.1",
            1,
        )
        assert (one.subscribed_topic_names, one.subscribed_topic_regex) == (["orders"], "")
        (has,), (shall,) = one.assignment.topic_partitions, one.target_assignment.topic_partitions
        assert (has.topic_id, has.topic_name, list(has.partitions)) == (server.topic_id("orders"), "orders", [0, 1, 2])
        assert list(shall.partitions) == [0, 1]
        assert (two.member_epoch, two.assignment.topic_partitions) == (3, [])


def test_T237_groups_that_are_none_of_the_kind_are_not_found() -> None:
    with GroupServer() as server:
        server.form("classic", 1)
        consumer = Consumer(server, "one")
        consumer.join("orders")
        classic, unknown, empty, again, twice = described(consumer.client, "classic", "nobody", "", "g", "g")
        not_found = errors.GROUP_ID_NOT_FOUND
        assert (classic.error_code, classic.error_message) == (not_found, "Group classic is not a consumer group.")
        assert (unknown.error_code, unknown.error_message) == (not_found, "Group nobody not found.")
        assert (empty.error_code, empty.group_id, empty.error_message) == (errors.INVALID_GROUP_ID, "", None)
        assert again.group_id == twice.group_id == "g"
        shown = consumer.client.describe("g")
        assert (shown.error_code, shown.error_message) == (not_found, "Group g is not a classic group.")
        groups = consumer.client.call("ListGroups", 5, ListGroupsRequest()).groups
        listed = {group.group_id: group.group_type for group in groups}
        assert listed == {"classic": "classic", "g": "consumer"}


def test_commits_and_fetches_are_checked_by_the_member_epoch() -> None:
    with GroupServer(NO_PAUSE) as server:
        consumer = Consumer(server, "one")
        consumer.join("orders")
        client = consumer.client
        stale = errors.STALE_MEMBER_EPOCH
        assert client.commit("g", ("orders", 0, 5), generation=2, member_id="one", version=9) == [0]
        assert client.commit("g", ("orders", 0, 6), generation=1, member_id="one", version=9) == [stale]
        old = client.commit("g", ("orders", 0, 6), generation=2, member_id="one", version=8)
        assert old == [errors.UNSUPPORTED_VERSION]
        for epoch, code in ((2, 0), (1, stale)):
            asked = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", "one", epoch, None)])
            assert client.call("OffsetFetch", 9, asked).groups[0].error_code == code


def test_members_and_offsets_are_there_again_after_a_restart(tmp_path: Path) -> None:
    files = {"muster.storage": "files", "muster.data": str(tmp_path / "data"), **NO_PAUSE}
    clock = MovableClock()
    with GroupServer(files, clock=clock) as server:
        first, second = Consumer(server, "one"), Consumer(server, "two")
        first.join("orders", instance_id="i")
        second.join("orders")
        settle_down([first, second])
        before = described(first.client, "g")
    with GroupServer(files, clock=clock) as server:
        (group,) = described(server.client(), "g")
        assert [group] == before
        assert group.group_state == "Stable"
        first.client, second.client = server.client("client-one"), server.client("client-two")
        assert first.obey().assignment is None
        assert (first.code, first.epoch, second.beat().error_code) == (0, group.group_epoch, 0)


def test_T214_without_the_protocol_heartbeat_and_describe_are_unsupported() -> None:
    with GroupServer({"group.coordinator.rebalance.protocols": "classic"}) as server:
        consumer = Consumer(server, "one")
        assert consumer.join("orders").error_code == errors.UNSUPPORTED_VERSION
        (group,) = described(consumer.client, "g")
        assert (group.error_code, group.group_id) == (errors.UNSUPPORTED_VERSION, "g")


def test_the_feature_group_version_is_finalized_at_1() -> None:
    with GroupServer() as server:
        answer = server.client().call("ApiVersions", 4, ApiVersionsRequest("test", "1"))
        supported = {each.name: (each.min_version, each.max_version) for each in answer.supported_features}
        finalized = {each.name: each.max_version_level for each in answer.finalized_features}
        assert (supported["group.version"], finalized["group.version"]) == ((0, 1), 1)


def test_a_description_with_a_topic_that_may_not_be_seen_is_refused(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        "\n".join(
            f'[[allow]]\nprincipal = "User:*"\nhost = "{host}"\noperation = "ALL"\nresource = "{kind}"\nname = "{name}"\n'
            for host, kind, name in (
                ("127.0.0.9", "group", "*"),
                ("127.0.0.9", "topic", "*"),
                ("127.0.0.1", "group", "*"),
                ("127.0.0.1", "topic", "orders"),
            )
        )
    )
    with GroupServer({"muster.rules": str(rules), **NO_PAUSE}) as server:
        seer = Consumer(server, "one")
        seer.client = server.client(source="127.0.0.9")
        seer.join("orders", "returns")
        blind = Consumer(server, "two", "own")
        (hidden,) = described(blind.client, "g")
        assert (hidden.error_code, hidden.error_message, hidden.members) == (
            errors.TOPIC_AUTHORIZATION_FAILED,
            None,
            [],
        )
        assert blind.join("orders", "returns").error_code == errors.TOPIC_AUTHORIZATION_FAILED
        assert blind.join(subscribed_topic_regex=".*").error_code == 0
        server.pass_time(100)
        blind.obey()
        assert set(blind.has) == {server.topic_id("orders")}


def test_one_principal_may_make_no_more_groups_and_members_than_it_is_allowed() -> None:
    limits = {"muster.max.groups.per.principal": "1", "muster.max.members.per.principal": "2"}
    with GroupServer({**NO_PAUSE, **limits}) as server:
        first, second, third = (Consumer(server, name) for name in ("one", "two", "three"))
        assert Consumer(server, "one", "g").join("orders").error_code == 0
        assert Consumer(server, "one", "h").join("orders").error_code == errors.POLICY_VIOLATION
        assert second.join("orders").error_code == 0
        assert third.join("orders").error_code == errors.GROUP_MAX_SIZE_REACHED
        assert first.join("orders").error_code == 0, "it is a member already"
        second.leave()
        server.pass_time(2_000)
        assert third.join("orders").error_code == 0


def test_T231_a_classic_member_whose_heartbeats_repeat_is_told_that_its_group_has_moved_on() -> None:
    """Its group becomes a consumer group between two heartbeats that are alike: the short way must not answer the second."""
    with GroupServer(NO_PAUSE) as server:
        (seat,) = server.gather("g")
        plan = encode_assignment(Assignment([("orders", [0, 1, 2])]))
        assert seat.sync([(seat.member_id, plan)]).answer().error_code == 0
        assert [seat.beat() for _ in range(4)] == [0] * 4
        newcomer = Consumer(server, "new")
        assert newcomer.join("orders").member_epoch == seat.generation + 1
        assert newcomer.has == {}
        assert seat.beat() == errors.REBALANCE_IN_PROGRESS
        joined = seat.rejoin().answer()
        assert (joined.error_code, joined.leader, joined.members) == (0, "", [])
        seat.generation = joined.generation_id
        mine = decode_assignment(seat.sync().answer().assignment).partitions
        newcomer.obey()
        assert sorted([*newcomer.partitions, *mine[0][1]]) == [0, 1, 2]
        assert [seat.beat() for _ in range(4)] == [0] * 4
        assert seat.client.commit("g", ("orders", mine[0][1][0], 5), **seat.ids) == [0]


def test_T236_the_last_consumer_leaves_a_classic_group_that_rebalances() -> None:
    with GroupServer(NO_PAUSE) as server:
        (seat,) = server.gather("g")
        plan = encode_assignment(Assignment([("orders", [0, 1, 2])]))
        seat.sync([(seat.member_id, plan)]).answer()
        newcomer = Consumer(server, "new")
        newcomer.join("orders")
        newcomer.leave()
        assert described(newcomer.client, "g")[0].error_code == errors.GROUP_ID_NOT_FOUND
        shown = newcomer.client.describe("g")
        assert (shown.error_code, shown.group_state) == (0, "PreparingRebalance")
        joined = seat.rejoin().answer()
        assert (joined.error_code, joined.leader) == (0, seat.member_id)


def test_a_heartbeat_that_repeats_is_answered_the_short_way_until_something_changes() -> None:
    """Decision 0016. What it must not miss: another member, another topic, another subscription, the end of the session."""
    with GroupServer(NO_PAUSE) as server:
        consumer = Consumer(server, "one")
        consumer.join("orders", "later")
        first = consumer.beat()
        assert [consumer.beat() for _ in range(5)] == [first] * 5
        assert server.run(_repeats, server, consumer)
        server.run(server.node.broker.create_topics, [NewTopic("later", 1)])
        assert consumer.beat().member_epoch == first.member_epoch + 1
        assert [consumer.beat().assignment for _ in range(5)] == [None] * 5
        Consumer(server, "two").join("orders", "later")
        assert consumer.beat().assignment is not None
        assert consumer.obey().error_code == 0
        for _ in range(5):
            consumer.beat()
        server.pass_time(44_000)
        consumer.beat()
        server.pass_time(44_000)
        assert consumer.beat().error_code == 0, "the short way moves the deadline too"
        server.pass_time(46_000)
        assert consumer.beat().error_code == errors.UNKNOWN_MEMBER_ID


def _repeats(server: GroupServer, consumer: Consumer) -> bool:
    """Whether a heartbeat of this consumer was answered the short way."""
    connections = server._running.server.listener.connections  # type: ignore[union-attr]
    (connection,) = [each for each in connections if each.address == consumer.client.address]
    return serves_repeats_if_it_may(connection, "ConsumerGroupHeartbeat")
