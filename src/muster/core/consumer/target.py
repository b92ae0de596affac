"""The target assignment: who votes for which assignor, what it is given, and what has changed (spec 7.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from muster.core.assignors.member_spec import MemberSpec
from muster.core.assignors.server_side import SERVER_ASSIGNORS
from muster.core.consumer.group import topics_of
from muster.core.consumer.records import RegexStored, Subscription, Target
from muster.core.consumer.topics import TopicView

Subscriptions: TypeAlias = Mapping[str, Subscription]
"""By member id, in the order of joining."""

_HASH_PRIME = 2**63 - 25
"""The largest prime below 2**63."""


def preferred_assignor(subscriptions: Subscriptions, supported: tuple[str, ...]) -> str:
    """The one with the most votes; of equals the default one, then the first by name (T227).

    Deviates: in Kafka a tie ends in hash order (spec 13.4).
    """
    votes: dict[str, int] = {}
    for subscription in subscriptions.values():
        assignor = subscription.server_assignor
        if assignor is not None and assignor in supported:
            votes[assignor] = votes.get(assignor, 0) + 1
    default = supported[0]
    return min(votes, key=lambda name: (-votes[name], name != default, name), default=default)


def compute_target(
    subscriptions: Subscriptions,
    resolved: Mapping[str, RegexStored],
    targets: Mapping[str, Target],
    supported: tuple[str, ...],
    topics: TopicView,
) -> dict[str, Target]:
    """What each of these members shall have. Topics that do not exist count for nothing. `targets` are those before."""
    counts: dict[bytes, int] = {}
    ids: dict[str, bytes] = {}
    specs: list[MemberSpec] = []
    for member_id, subscription in subscriptions.items():
        wanted: list[bytes] = []
        for name in topics_of(subscription, resolved):
            topic_id = ids.get(name)
            if topic_id is None:
                found = topics.find(name)
                if found is None:
                    continue
                topic_id, count = found
                ids[name] = topic_id
                counts[topic_id] = count
            wanted.append(topic_id)
        target = targets.get(member_id, {})
        specs.append(MemberSpec(member_id, subscription.instance_id, subscription.rack_id, frozenset(wanted), target))
    return SERVER_ASSIGNORS[preferred_assignor(subscriptions, supported)](specs, counts)


def metadata_hash(subscriptions: Subscriptions, resolved: Mapping[str, RegexStored], topics: TopicView) -> int:
    """A number that changes with the ids, names and partition counts of the subscribed topics; 0 if none of them exists.

    Nobody but the coordinator that wrote it makes anything of it (spec 5.4), so it need not be Kafka's.
    """
    names: set[str] = set()
    for subscription in subscriptions.values():
        names.update(topics_of(subscription, resolved))
    parts: list[bytes] = []
    for name in sorted(names):
        found = topics.find(name)
        if found is not None:
            topic_id, count = found
            octets = name.encode("utf-8", "replace")
            parts += (topic_id, count.to_bytes(4, "big"), len(octets).to_bytes(2, "big"), octets)
    return int.from_bytes(b"".join(parts), "big") % _HASH_PRIME + 1 if parts else 0
