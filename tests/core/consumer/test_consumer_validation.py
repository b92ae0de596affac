"""Heartbeats that are refused before a group is looked at: every message, and in which order the checks are (spec 7.3, 15.1)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muster.core.config import GroupConfig
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.refusal import invalid_before_routing
from muster.wire import errors
from tests.core.consumer.consumer_world import by_id
from tests.values import replaced

JOIN = ConsumerHeartbeat("g", "m", 0, None, None, 60_000, ("t",), None, None, {}, "c", "/h", True)
BEAT = ConsumerHeartbeat("g", "m", 5, None, None, -1, None, None, None, None, "c", "/h", True)
NO_TIMEOUT = "RebalanceTimeoutMs must be provided in first request."
NOT_EMPTY = "TopicPartitions must be empty when (re-)joining."
NO_TOPICS = "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining."


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (replaced(BEAT, member_id=" ", group_id=""), "MemberId can't be empty."),
        (replaced(JOIN, member_id="", group_id=""), "MemberId can't be empty."),
        (replaced(JOIN, group_id=" ", instance_id=""), "GroupId can't be empty."),
        (replaced(JOIN, instance_id="", rack_id=""), "InstanceId can't be empty."),
        (replaced(JOIN, rack_id="\t", rebalance_timeout_ms=-1), "RackId can't be empty."),
        (replaced(JOIN, rebalance_timeout_ms=-1, owned=None), NO_TIMEOUT),
        (replaced(JOIN, owned=None, topic_names=None), NOT_EMPTY),
        (replaced(JOIN, owned=by_id({"t": [0]})), NOT_EMPTY),
        (replaced(JOIN, topic_names=None, server_assignor="x"), NO_TOPICS),
        (replaced(BEAT, member_epoch=-2), "InstanceId can't be null."),
        (replaced(BEAT, member_epoch=-3, server_assignor="x"), "MemberEpoch is invalid."),
    ],
)
def test_an_invalid_request_is_told_what_is_wrong_with_it(request_: ConsumerHeartbeat, message: str) -> None:
    """T215, T216. Where two things are wrong, the message is about the first of them."""
    assert invalid_before_routing(request_, GroupConfig()) == ConsumerHeartbeatReply(errors.INVALID_REQUEST, message)


def test_an_assignor_that_is_not_configured_is_refused() -> None:
    """T216. Names are compared with their case."""
    refused = invalid_before_routing(replaced(JOIN, server_assignor="Range"), GroupConfig())
    message = "ServerAssignor Range is not supported. Supported assignors: uniform, range."
    assert refused == ConsumerHeartbeatReply(errors.UNSUPPORTED_ASSIGNOR, message)


@pytest.mark.parametrize(
    "change",
    [
        lambda: JOIN,
        lambda: BEAT,
        lambda: replaced(JOIN, topic_names=()),
        lambda: replaced(JOIN, topic_names=None, topic_regex=""),
        lambda: replaced(JOIN, rebalance_timeout_ms=0),
        lambda: replaced(JOIN, rebalance_timeout_ms=-2),
        lambda: replaced(JOIN, server_assignor="range"),
        lambda: replaced(JOIN, member_id="", makes_own_id=False),
        lambda: replaced(BEAT, member_epoch=-2, instance_id="i"),
        lambda: replaced(BEAT, member_epoch=-1),
    ],
)
def test_a_valid_request_goes_on_to_its_group(change: Callable[[], ConsumerHeartbeat]) -> None:
    assert invalid_before_routing(change(), GroupConfig()) is None
