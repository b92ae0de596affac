"""Members of the consumer protocol are bounded as classic ones are: how many, in how many groups, and what one may ask for."""

from __future__ import annotations

from typing import Any

import pytest

from muster.server.limits import MOST_REPEATS
from muster.testing.broker import Broker
from muster.wire.errors import GROUP_MAX_SIZE_REACHED, INVALID_REGULAR_EXPRESSION, NONE, POLICY_VIOLATION
from muster.wire.generated.consumer_group_describe import ConsumerGroupDescribeRequest
from muster.wire.generated.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartition,
)
from tests.security.quota_server import AddressedClient
from tests.security.test_quota_holdings import delete, limited, usage
from tests.server.raw_client import RawClient, request_frame

REBALANCE_MS = 60_000


def heartbeat(group: str, member_id: str, epoch: int = 0, **details: Any) -> ConsumerGroupHeartbeatRequest:
    joins: dict[str, Any] = {
        "rebalance_timeout_ms": REBALANCE_MS,
        "subscribed_topic_names": ["t"],
        "topic_partitions": [],
    }
    return ConsumerGroupHeartbeatRequest(group, member_id, epoch, **((joins if epoch == 0 else {}) | details))


def consume(client: RawClient, group: str, member_id: str, epoch: int = 0, **details: Any) -> int:
    error: int = client.ask("ConsumerGroupHeartbeat", 1, heartbeat(group, member_id, epoch, **details)).error_code
    return error


def test_a_group_too_many_is_refused_until_one_is_gone() -> None:
    with limited(groups=2) as (broker, client):
        assert [consume(client, group, "m") for group in "abc"] == [NONE, NONE, POLICY_VIOLATION]
        assert consume(client, "a", "another") == NONE, "more members are no more groups"
        assert consume(client, "b", "m", -1) == NONE
        delete(client, "b")
        broker.clock.advance(seconds=1)
        assert consume(client, "c", "m") == NONE
        assert usage(broker).refused["groups"] == 1


def test_members_count_in_all_groups_and_may_join_again_at_the_limit() -> None:
    with limited(members=2) as (broker, client):
        assert [consume(client, group, "m") for group in "abc"] == [NONE, NONE, GROUP_MAX_SIZE_REACHED]
        assert consume(client, "a", "m") == NONE, "it is a member already"
        assert consume(client, "b", "m", -1) == NONE
        broker.clock.advance(seconds=1)
        assert consume(client, "c", "m") == NONE
        assert usage(broker).refused["members"] == 1


def test_a_static_member_that_comes_back_is_no_new_one() -> None:
    with limited(members=1) as (_, client):
        assert consume(client, "a", "first", instance_id="one") == NONE
        assert consume(client, "a", "first", -2, instance_id="one") == NONE
        assert consume(client, "a", "second", instance_id="one") == NONE
        assert consume(client, "a", "third", instance_id="two") == GROUP_MAX_SIZE_REACHED


def test_members_whose_session_has_ended_make_room() -> None:
    with limited(members=1) as (broker, client):
        assert consume(client, "a", "m") == NONE
        assert consume(client, "b", "m") == GROUP_MAX_SIZE_REACHED
        broker.clock.advance(seconds=46)
        assert consume(client, "b", "m") == NONE


def test_a_group_has_no_more_members_than_it_may() -> None:
    with Broker({"group.consumer.max.size": 2}, topics={"t": 3}) as broker, AddressedClient(broker.port) as client:
        assert [consume(client, "g", member_id) for member_id in "abc"] == [NONE, NONE, GROUP_MAX_SIZE_REACHED]


def test_a_group_that_is_described_very_often_is_not() -> None:
    with Broker(topics={"t": 100}) as broker, AddressedClient(broker.port) as client:
        for member_id in "abc":
            assert consume(client, "g", member_id) == NONE
        few = client.ask("ConsumerGroupDescribe", 1, ConsumerGroupDescribeRequest(["g", "g"]))
        assert [len(group.members) for group in few.groups] == [3, 3]
        with AddressedClient(broker.port) as attacker:
            many = ConsumerGroupDescribeRequest(["g"] * (2 * MOST_REPEATS))
            attacker.send(request_frame("ConsumerGroupDescribe", 1, many))
            assert attacker.is_closed_by_server()
        assert consume(client, "g", "a") == NONE


@pytest.mark.parametrize(
    "greedy",
    [
        heartbeat("g", "m", subscribed_topic_names=[f"topic-{number:040}" for number in range(2_001)]),
        heartbeat("g", "m", 1, topic_partitions=[ConsumerGroupHeartbeatRequestTopicPartition(bytes(16), [0])] * 4_000),
    ],
    ids=["names", "topics that it says it has"],
)
def test_a_heartbeat_with_too_many_entries_closes_its_connection(greedy: ConsumerGroupHeartbeatRequest) -> None:
    with Broker({"muster.request.max.entries": 2_000}) as broker, AddressedClient(broker.port) as client:
        with AddressedClient(broker.port) as attacker:
            attacker.send(request_frame("ConsumerGroupHeartbeat", 1, greedy))
            assert attacker.is_closed_by_server()
        assert consume(client, "g", "m") == NONE


@pytest.mark.parametrize("regex", ["(a{1000}){1000}", "(x+x+)+y" * 20_000])
def test_a_regular_expression_that_would_take_too_much_is_refused_at_once(regex: str) -> None:
    """RE2 has bounds of its own on what an expression may compile to."""
    with Broker(topics={"t": 1}) as broker, AddressedClient(broker.port) as client:
        error = consume(client, "g", "m", subscribed_topic_names=None, subscribed_topic_regex=regex)
        assert error == INVALID_REGULAR_EXPRESSION
        assert consume(client, "g", "m") == NONE
