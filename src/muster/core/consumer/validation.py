"""What is wrong with a ConsumerGroupHeartbeat whatever its group is: checks and messages of spec 7.3 and 15.1, in their order."""

from __future__ import annotations

from muster.core.config import GroupConfig
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import JOIN_EPOCH, LEFT_EPOCH, STATIC_LEFT_EPOCH
from muster.wire import errors


def invalid_heartbeat(request: ConsumerHeartbeat, config: GroupConfig) -> ConsumerHeartbeatReply | None:
    problem = _problem(request)
    if problem is not None:
        return ConsumerHeartbeatReply(errors.INVALID_REQUEST, problem)
    assignor = request.server_assignor
    if assignor is not None and assignor not in config.consumer_assignors:
        supported = ", ".join(config.consumer_assignors)
        message = f"ServerAssignor {assignor} is not supported. Supported assignors: {supported}."
        return ConsumerHeartbeatReply(errors.UNSUPPORTED_ASSIGNOR, message)
    return None


def _problem(request: ConsumerHeartbeat) -> str | None:
    needs_id = request.makes_own_id or request.member_epoch > JOIN_EPOCH or request.member_epoch == LEFT_EPOCH
    for field, text, is_needed in (
        ("MemberId", request.member_id, needs_id),
        ("GroupId", request.group_id, True),
        ("InstanceId", request.instance_id, request.instance_id is not None),
        ("RackId", request.rack_id, request.rack_id is not None),
    ):
        if is_needed and (text is None or not text.strip()):
            return f"{field} can't be empty."
    if request.member_epoch == JOIN_EPOCH:
        return _problem_of_join(request)
    if request.member_epoch == STATIC_LEFT_EPOCH and request.instance_id is None:
        return "InstanceId can't be null."
    return "MemberEpoch is invalid." if request.member_epoch < STATIC_LEFT_EPOCH else None


def _problem_of_join(request: ConsumerHeartbeat) -> str | None:
    if request.rebalance_timeout_ms == -1:
        return "RebalanceTimeoutMs must be provided in first request."
    if request.owned is None or request.owned:
        return "TopicPartitions must be empty when (re-)joining."
    if request.topic_names is None and request.topic_regex is None:
        return "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining."
    return None
