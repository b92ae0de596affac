"""Subscriptions by regular expression: when they are resolved, and what follows (spec 15.1).

A heartbeat never waits for it: it sets a timer that is due at once, and the members get the topics with a later heartbeat.
"""

from __future__ import annotations

from typing import Final

from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.consumer.group import NEVER_MS, ConsumerGroup
from muster.core.consumer.notes import changed_topics, note, note_epoch
from muster.core.consumer.records import EpochStored, RegexStored, Subscription
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.target import metadata_hash
from muster.core.consumer.topics import BadRegex, TopicView
from muster.core.offsets.view import ShardView

SHORTEST_INTERVAL_MS: Final = 10_000
"""The regular expressions of a group are not resolved more often than this. Not configurable in Kafka either."""


def refresh_soon_if_due(
    shard: ShardView,
    group: ConsumerGroup,
    subscription: Subscription,
    request: ConsumerHeartbeat,
    builder: OutcomeBuilder,
) -> None:
    """Have the regular expressions of the group resolved if one was never looked at, a topic has come, or it was long ago."""
    used = {
        member.subscription.topic_regex for member in group.members.values() if member.member_id != request.member_id
    }
    used.add(subscription.topic_regex)
    used -= {None, ""}
    if not used:
        return
    before_ms = group.resolved_ms()
    if NEVER_MS != before_ms <= builder.now_ms:  # not before the clock was set back
        age_ms = builder.now_ms - before_ms
        if age_ms <= SHORTEST_INTERVAL_MS:
            return
        is_complete = used == group.resolved.keys() and group.regex_version == shard.topics.newest()
        if is_complete and age_ms <= builder.config.consumer_regex_refresh_interval_ms:
            return
    shard.regex_filters[group.group_id] = request.sees_topic
    builder.set_timer(group.regex_key, builder.now_ms)


def on_regex_timer(shard: ShardView, group: ConsumerGroup, builder: OutcomeBuilder) -> None:
    sees_topic = shard.regex_filters.pop(group.group_id, None)
    names = [name for name in shard.topics.names() if sees_topic is None or sees_topic(name)]
    version = shard.topics.newest()
    subscriptions = {member_id: member.subscription for member_id, member in group.members.items()}
    used = dict.fromkeys([each.topic_regex for each in subscriptions.values() if each.topic_regex])
    resolved: dict[str, RegexStored] = {}
    is_changed = False
    for regex in used:
        found = RegexStored(group.group_id, regex, _matches(shard.topics, regex, names), version, builder.now_ms)
        before = group.resolved.get(regex)
        resolved[regex] = found
        builder.records.append(found)
        is_changed = is_changed or found.topics != (() if before is None else before.topics)
        if before is None or before.topics != found.topics:
            _note_resolved(group, found, before, builder)
    digest = metadata_hash(subscriptions, resolved, shard.topics)
    if is_changed or digest != group.metadata_hash:
        builder.records.append(EpochStored(group.group_id, group.epoch + 1, digest))
        note_epoch(builder, group, group.epoch + 1, "regex_resolved" if is_changed else "topics_changed")


def _note_resolved(
    group: ConsumerGroup, found: RegexStored, before: RegexStored | None, builder: OutcomeBuilder
) -> None:
    """One that matches nothing is told of too: its members get nothing, and nothing else says why."""
    detail = changed_topics(() if before is None else before.topics, found.topics)
    detail["regex"], detail["matches"] = found.regex, len(found.topics)
    note(
        builder,
        group,
        "regex_resolved",
        "topics_changed" if before is not None else "subscription_changed",
        detail=detail,
    )


def _matches(topics: TopicView, regex: str, names: list[str]) -> tuple[str, ...]:
    try:
        matcher = topics.matcher(regex)
    except BadRegex:
        return ()  # it came from a log: joins with such a one are refused
    return tuple(name for name in names if matcher(name))
