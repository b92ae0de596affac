"""Subscriptions by regular expression: when they are resolved, and what follows (spec 15.1).

A heartbeat never waits for it: it sets a timer that is due at once, and the members get the topics with a later heartbeat.
"""

from __future__ import annotations

from typing import Final

from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.consumer.group import NEVER_MS, ConsumerGroup
from muster.core.consumer.records import EpochStored, RegexErased, RegexStored, Subscription
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.target import metadata_hash
from muster.core.consumer.topics import BadRegex, TopicView
from muster.core.offsets.view import ShardView

REFRESH_INTERVAL_MS: Final = 10_000
"""New topics are looked for at most so often. Not configurable in Kafka either."""


def refresh_soon_if_due(
    shard: ShardView,
    group: ConsumerGroup,
    subscription: Subscription,
    request: ConsumerHeartbeat,
    builder: OutcomeBuilder,
) -> None:
    """Have the regular expressions of the group resolved if topics have come or gone since, or one was never looked at."""
    regex = subscription.topic_regex
    is_new = bool(regex) and regex not in group.resolved
    if not is_new:
        if not group.resolved or group.regex_version == shard.topics.version():
            return
        if group.refreshed_ms != NEVER_MS and builder.now_ms - group.refreshed_ms < REFRESH_INTERVAL_MS:
            return
    shard.regex_filters[group.group_id] = request.sees_topic
    builder.set_timer(group.regex_key, builder.now_ms)


def on_regex_timer(shard: ShardView, group: ConsumerGroup, builder: OutcomeBuilder) -> None:
    sees_topic = shard.regex_filters.pop(group.group_id, None)
    names = [name for name in shard.topics.names() if sees_topic is None or sees_topic(name)]
    version = shard.topics.version()
    group.refreshed_ms = builder.now_ms
    subscriptions = {member_id: member.subscription for member_id, member in group.members.items()}
    used = dict.fromkeys(each.topic_regex for each in subscriptions.values() if each.topic_regex)
    resolved: dict[str, RegexStored] = {}
    is_changed = False
    for regex in used:
        found = RegexStored(group.group_id, regex, _matches(shard.topics, regex, names), version, builder.now_ms)
        before = group.resolved.get(regex)
        resolved[regex] = found
        if before is None or before.topics != found.topics:
            builder.records.append(found)
            is_changed = is_changed or found.topics != (() if before is None else before.topics)
    for regex in group.resolved:
        if regex not in used:
            builder.records.append(RegexErased(group.group_id, regex))
    if is_changed:
        digest = metadata_hash(subscriptions, resolved, shard.topics)
        builder.records.append(EpochStored(group.group_id, group.epoch + 1, digest))
    if not builder.records:
        group.regex_version = version  # else it is found out again, when what was found is durable


def _matches(topics: TopicView, regex: str, names: list[str]) -> tuple[str, ...]:
    try:
        matcher = topics.matcher(regex)
    except BadRegex:
        return ()  # it came from a log: joins with such a one are refused
    return tuple(name for name in names if matcher(name))
