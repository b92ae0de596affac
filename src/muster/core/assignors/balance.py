"""Spreads partitions over members as evenly as subscriptions allow, moving as little as possible from who had it.

Two ways: where all members want the same topics, by quota; else by moving partitions along chains of members, from one with
many to one with few, until no chain helps. Both are what `sticky` and `cooperative-sticky` share.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence

from muster.core.assignors.contract import (
    Assignments,
    PartitionCounts,
    Subscriber,
    TopicPartition,
    java_order,
    member_order,
)


def balanced(
    counts: PartitionCounts, members: Sequence[Subscriber], prior: Mapping[TopicPartition, str]
) -> Assignments:
    """Every partition that somebody wants has one member. Loads differ by more than one only where no move could help."""
    in_order = sorted(members, key=member_order)
    wants = {member.member_id: frozenset(member.topics) for member in in_order}
    topics = sorted((topic for topic in frozenset().union(*wants.values()) if topic in counts), key=java_order)
    existing = frozenset(topics)
    held: Assignments = {member.member_id: [] for member in in_order}
    for place in sorted(prior):
        held[prior[place]].append(place)
    free = [
        place
        for topic in topics
        for number in range(counts[topic])
        if (place := TopicPartition(topic, number)) not in prior
    ]
    if len({wanted & existing for wanted in wants.values()}) <= 1:
        return _by_quota(held, free)
    return _by_chains(held, free, wants, prior)


def _by_quota(held: Assignments, free: list[TopicPartition]) -> Assignments:
    """Those that hold the most are the first to be allowed one more than the others: the fewest moves."""
    if not held:
        return {}
    least, more = divmod(len(free) + sum(map(len, held.values())), len(held))
    by_holdings = sorted(held, key=lambda member_id: -len(held[member_id]))
    quota = {member_id: least + (index < more) for index, member_id in enumerate(by_holdings)}
    given = {member_id: places[: quota[member_id]] for member_id, places in held.items()}
    pool = deque(sorted([*free, *(place for m, places in held.items() for place in places[quota[m] :])]))
    hungry = deque(member_id for member_id in held if len(given[member_id]) < quota[member_id])
    while pool:  # one each in turn, so that every member gets something of every topic
        member_id = hungry.popleft()
        given[member_id].append(pool.popleft())
        if len(given[member_id]) < quota[member_id]:
            hungry.append(member_id)
    return given


def _by_chains(
    held: Assignments,
    free: list[TopicPartition],
    wants: Mapping[str, frozenset[str]],
    prior: Mapping[TopicPartition, str],
) -> Assignments:
    """What nobody had is spread first and evened out by itself: what somebody had moves only where that is not enough.

    So the second rebalance of a cooperative move ends it: the first one's goal can be reached without moving anything else,
    hence nothing else moves.
    """
    wanting: dict[str, list[str]] = {}
    for member_id, topics in wants.items():
        for topic in topics:
            wanting.setdefault(topic, []).append(member_id)
    load = {member_id: len(places) for member_id, places in held.items()}
    fresh: Assignments = {member_id: [] for member_id in held}
    for place in sorted(free, key=lambda each: (len(wanting[each.topic]), each)):  # the least wanted first
        taker = min(wanting[place.topic], key=load.__getitem__)
        fresh[taker].append(place)
        load[taker] += 1
    _even_out(fresh, load, wanting, prior)
    given = {member_id: [*places, *fresh[member_id]] for member_id, places in held.items()}
    _even_out(given, load, wanting, prior)
    return given


def _even_out(
    movable: Assignments,
    load: dict[str, int],
    wanting: Mapping[str, list[str]],
    prior: Mapping[TopicPartition, str],
) -> None:
    """Move what is movable, from the fullest member on, until no chain helps."""
    unsettled = dict(load)  # in the order of members: of several with the same load it is the first one's turn
    while unsettled:
        heavy = max(unsettled, key=load.__getitem__)
        chain, reached = _chain(heavy, movable, load, wanting, unsettled)
        for giver, taker, topic in chain:
            movable[taker].append(_take(movable[giver], topic, giver, taker, prior))
        if chain:
            load[heavy] -= 1
            load[chain[0][1]] += 1
        else:
            # Nobody within its reach has two less than it, nor then two less than any of them, which have no more than it.
            # No later move can change that: it would have to end within their reach, where nobody has few enough.
            for member_id in reached:
                del unsettled[member_id]


def _chain(
    heavy: str,
    movable: Assignments,
    load: Mapping[str, int],
    wanting: Mapping[str, list[str]],
    unsettled: Container[str],
) -> tuple[list[tuple[str, str, str]], Iterable[str]]:
    """The shortest way to a member with at least two less, as (giver, taker, topic), last step first; and who was reached."""
    few = load[heavy] - 2
    came: dict[str, tuple[str, str]] = {heavy: ("", "")}
    queue = deque([heavy])
    seen_topics: set[str] = set()
    while queue:
        giver = queue.popleft()
        for topic in sorted({place.topic for place in movable[giver]} - seen_topics):
            seen_topics.add(topic)
            for taker in wanting[topic]:
                if taker in came or taker not in unsettled:
                    continue
                came[taker] = (giver, topic)
                if load[taker] <= few:
                    return _steps(taker, came), came
                queue.append(taker)
    return [], came


def _steps(end: str, came: Mapping[str, tuple[str, str]]) -> list[tuple[str, str, str]]:
    steps: list[tuple[str, str, str]] = []
    while came[end][0]:
        giver, topic = came[end]
        steps.append((giver, end, topic))
        end = giver
    return steps


def _take(
    places: list[TopicPartition], topic: str, giver: str, taker: str, prior: Mapping[TopicPartition, str]
) -> TopicPartition:
    """One of the topic: rather one that the taker had, or that the giver did not have."""
    chosen = min(
        (place for place in places if place.topic == topic),
        key=lambda place: (prior.get(place) != taker, prior.get(place) == giver, place),
    )
    places.remove(chosen)
    return chosen
