"""What one principal may make the server hold: groups, members, offsets, transactional ids, joins; refused, and counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from muster.runtime.principal_usage import PrincipalUsage
from muster.server.limit_metrics import holding_metrics
from muster.testing.broker import Broker
from muster.wire.errors import (
    COORDINATOR_LOAD_IN_PROGRESS,
    GROUP_MAX_SIZE_REACHED,
    MEMBER_ID_REQUIRED,
    NONE,
    POLICY_VIOLATION,
    UNKNOWN_MEMBER_ID,
)
from muster.wire.generated.delete_groups import DeleteGroupsRequest
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.init_producer_id import InitProducerIdRequest
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.interop.waiting import eventually
from tests.security.quota_server import AddressedClient, connection_of, until
from tests.security.raw_sasl import RawSaslClient
from tests.security.secure_server import SecureServer
from tests.server.raw_client import RawClient, request_frame

SESSION_MS = 30_000


def join_request(group: str, member_id: str = "", instance_id: str | None = None) -> JoinGroupRequest:
    return JoinGroupRequest(
        group, SESSION_MS, SESSION_MS, member_id, instance_id, "consumer", [JoinGroupRequestProtocol("range", b"")]
    )


def ask_for_id(client: RawClient, group: str) -> tuple[int, str]:
    reply = client.ask("JoinGroup", 5, join_request(group))
    return reply.error_code, reply.member_id


def join(client: RawClient, group: str) -> str:
    """A member of a group where nobody else is waited for."""
    error, member_id = ask_for_id(client, group)
    assert error == MEMBER_ID_REQUIRED
    reply = client.ask("JoinGroup", 5, join_request(group, member_id))
    assert reply.error_code == NONE
    return member_id


def commit(client: RawClient, group: str, *partitions: int, topic: str = "t") -> set[int]:
    wanted = [OffsetCommitRequestPartition(each, 5, committed_metadata="") for each in partitions]
    reply = client.ask(
        "OffsetCommit", 8, OffsetCommitRequest(group, topics=[OffsetCommitRequestTopic(topic, partitions=wanted)])
    )
    return {each.error_code for each in reply.topics[0].partitions}


def leave(client: RawClient, group: str, member_id: str) -> None:
    reply = client.ask("LeaveGroup", 4, LeaveGroupRequest(group, members=[LeaveGroupRequestMember(member_id)]))
    assert (reply.error_code, reply.members[0].error_code) == (NONE, NONE)


def delete(client: RawClient, group: str) -> None:
    assert client.ask("DeleteGroups", 2, DeleteGroupsRequest([group])).results[0].error_code == NONE


@contextmanager
def limited(**most: int) -> Iterator[tuple[Broker, AddressedClient]]:
    settings = {f"muster.max.{what.replace('_', '.')}.per.principal": count for what, count in most.items()}
    with Broker(settings, topics={"t": 10, "u": 10}, frozen=True) as broker, AddressedClient(broker.port) as client:
        yield broker, client


def usage(broker: Broker) -> PrincipalUsage:
    found = broker.kit.node.principal_usage
    assert found is not None
    return found


def test_without_limits_nothing_is_counted() -> None:
    with Broker() as broker:
        assert broker.kit.node.principal_usage is None


def test_a_group_too_many_is_refused_until_one_is_gone() -> None:
    with limited(groups=2) as (broker, client):
        join(client, "a")
        assert commit(client, "b", 0) == {NONE}
        assert ask_for_id(client, "c") == (POLICY_VIOLATION, "")
        assert commit(client, "c", 0) == {POLICY_VIOLATION}
        assert commit(client, "b", 1) == {NONE}
        assert ask_for_id(client, "a")[0] == MEMBER_ID_REQUIRED  # more members are no more groups
        delete(client, "b")
        broker.clock.advance(seconds=1)
        join(client, "c")
        assert usage(broker).refused["groups"] == 2


def test_being_refused_does_not_count_everything_anew_each_time() -> None:
    """Otherwise a refusal would cost more than what it refuses."""
    with limited(groups=1) as (broker, client):
        join(client, "a")
        assert commit(client, "b", 0) == {POLICY_VIOLATION}
        broker.clock.advance(ms=500)
        mine = usage(broker)._of_principals["User:ANONYMOUS"]
        counted_ms = mine.counted_ms
        assert commit(client, "b", 0) == {POLICY_VIOLATION}
        assert mine.counted_ms == counted_ms


def test_handed_out_ids_count_as_members_and_expire_with_their_session() -> None:
    """KIP-394: an id costs memory before anybody is a member by it."""
    with limited(members=3) as (broker, client):
        assert [ask_for_id(client, f"g{number}")[0] for number in range(3)] == [MEMBER_ID_REQUIRED] * 3
        assert ask_for_id(client, "g3") == (GROUP_MAX_SIZE_REACHED, "")
        broker.clock.advance(ms=SESSION_MS + 1_000)
        assert ask_for_id(client, "g3")[0] == MEMBER_ID_REQUIRED


def test_members_count_in_all_groups_and_may_rejoin_at_the_limit() -> None:
    with limited(members=2) as (broker, client):
        first, second = join(client, "a"), join(client, "b")
        assert ask_for_id(client, "c") == (GROUP_MAX_SIZE_REACHED, "")
        assert client.ask("JoinGroup", 5, join_request("a", first)).error_code == NONE
        leave(client, "b", second)
        broker.clock.advance(seconds=1)
        join(client, "c")


def test_a_static_member_that_comes_back_is_no_new_one() -> None:
    with limited(members=1) as (_, client):
        assert client.ask("JoinGroup", 5, join_request("a", instance_id="one")).error_code == NONE
        assert client.ask("JoinGroup", 5, join_request("a", instance_id="one")).error_code == NONE
        assert client.ask("JoinGroup", 5, join_request("a", instance_id="two")).error_code == GROUP_MAX_SIZE_REACHED


def test_offsets_count_by_partition_over_all_groups() -> None:
    with limited(offsets=5) as (broker, client):
        assert commit(client, "a", 0, 1, 2) == {NONE}
        assert commit(client, "a", 0, 1, 2) == {NONE}  # nothing new
        assert commit(client, "b", 0, 1) == {NONE}
        assert commit(client, "b", 2, 3) == {POLICY_VIOLATION}
        assert commit(client, "a", 0, topic="u") == {POLICY_VIOLATION}
        delete(client, "a")
        broker.clock.advance(seconds=1)
        assert commit(client, "b", 2, 3, 4) == {NONE}
        assert usage(broker).refused["offsets"] == 2


def test_joins_that_wait_are_limited_and_the_client_comes_again() -> None:
    """The third one is told what every client takes as: come again in a moment."""
    with limited(parked_joins=2) as (broker, client), ExitStack() as more:
        join(client, "a")  # the others wait until this one comes again
        ids = [ask_for_id(client, "a")[1] for _ in range(3)]
        waiting = [more.enter_context(AddressedClient(broker.port)) for _ in range(2)]
        for one, member_id in zip(waiting, ids, strict=False):
            one.send(request_frame("JoinGroup", 5, join_request("a", member_id)))
        until(broker, lambda: holdings_parked(broker) == 2)
        assert client.ask("JoinGroup", 5, join_request("a", ids[2])).error_code == COORDINATOR_LOAD_IN_PROGRESS
        waiting[0].close()
        until(broker, lambda: holdings_parked(broker) == 1)
        client.send(request_frame("JoinGroup", 5, join_request("a", ids[2])))
        until(broker, lambda: connection_of(broker, client).call)


def holdings_parked(broker: Broker) -> int:
    parked = usage(broker)._of_principals["User:ANONYMOUS"].parked
    return sum(not ticket.answered and not ticket.is_abandoned for ticket in parked)


def test_after_a_restart_what_is_seen_again_counts_again(tmp_path: Path) -> None:
    """Kafka's records do not say who made a group. Whoever is seen with it first owns it."""
    settings: dict[str, Any] = {"muster.storage": "files", "muster.data": str(tmp_path)}
    limits = {"muster.max.groups.per.principal": 2, "muster.max.offsets.per.principal": 4}
    with Broker(settings, topics={"t": 10}) as broker, AddressedClient(broker.port) as client:
        assert [commit(client, name, 0, 1) for name in ("a", "b", "c")] == [{NONE}] * 3
    with Broker({**settings, **limits}) as broker, AddressedClient(broker.port) as client:
        until(broker, lambda: broker.kit.node.coordinator.shard_of("a") is not None)
        assert commit(client, "a", 0) == {NONE}
        assert commit(client, "b", 0) == {NONE}
        assert commit(client, "new", 0) == {POLICY_VIOLATION}
        assert commit(client, "b", 2) == {POLICY_VIOLATION}  # four offsets are known again
        assert commit(client, "c", 0) == {NONE}  # it is there: nothing is added


def test_limits_go_by_principal(tmp_path: Path) -> None:
    with (
        SecureServer(tmp_path, {"muster.max.groups.per.principal": "1"}) as server,
        RawSaslClient(server.port("SASL_PLAINTEXT")) as alice,
        RawSaslClient(server.port("SASL_PLAINTEXT")) as bob,
    ):
        server.running.run(server.running.node.create_offsets_topic_soon)
        alice.plain("alice")
        bob.plain("bob")
        until(server.running, lambda: server.running.node.coordinator.shard_of("a") is not None)
        join(alice, "a")
        join(bob, "b")
        assert ask_for_id(alice, "c") == (POLICY_VIOLATION, "")
        # Bob may join Alice's group if the rules let him: that makes no group of his.
        assert ask_for_id(bob, "a")[0] == MEMBER_ID_REQUIRED


@pytest.mark.parametrize("most", [{"groups": 0}, {"members": 0}])
def test_zero_lets_nobody_make_any(most: dict[str, int]) -> None:
    with limited(**most) as (_, client):
        assert ask_for_id(client, "a")[0] in (POLICY_VIOLATION, GROUP_MAX_SIZE_REACHED)
        assert client.ask("Heartbeat", 4, HeartbeatRequest("a", 1, "m")).error_code == UNKNOWN_MEMBER_ID


# ---- transactional ids


def init(client: RawClient, transactional_id: str | None) -> int:
    """Until the coordinator is there, which the first request makes."""
    client.ask("FindCoordinator", 4, FindCoordinatorRequest("", 1, [transactional_id or "any"]))
    error: int = client.ask("InitProducerId", 4, InitProducerIdRequest(transactional_id, 60_000)).error_code
    return error


def test_a_principal_has_so_many_transactional_ids_and_each_as_often_as_it_likes() -> None:
    with limited(transactional_ids=2) as (broker, client):
        eventually("a coordinator", lambda: init(client, "a") == NONE)
        assert [init(client, name) for name in ("b", "a", "b", "c")] == [NONE, NONE, NONE, POLICY_VIOLATION]
        assert init(client, None) == NONE
        assert sorted(view.transactional_id for view in broker.transactions()) == ["a", "b"]
        page = broker.run(lambda: list(holding_metrics(broker.kit.node)))
        assert ({"limit": "transactional_ids"}, 1.0) in page[0].samples


def test_transactional_ids_that_have_expired_make_room() -> None:
    with limited(transactional_ids=1) as (broker, client):
        eventually("a coordinator", lambda: init(client, "a") == NONE)
        assert init(client, "b") == POLICY_VIOLATION
        broker.clock.advance(days=8)
        assert broker.transactions() == []
        assert init(client, "b") == NONE
