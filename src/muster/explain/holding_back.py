"""Which members hold a consumer group back now: what a cluster's description shows, and since when if a journal tells.

A member holds the others back while it has partitions that the target gives to somebody else, and itself while it has not reached
the target epoch. A description alone (any Kafka) shows both, and no times. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from muster.client.groups import GroupDescription, GroupMember
from muster.client.partitions import TopicPartition, by_topic
from muster.explain.facts import History
from muster.explain.words import duration, listed, moment, partitions, plain


@dataclass(frozen=True, slots=True)
class Holding:
    member_id: str
    name: str
    host: str
    epoch: int | None
    keeps: tuple[TopicPartition, ...]
    """Has them, and shall not. Empty: it has only not reached the target epoch."""
    waiting: tuple[str, ...] = ()
    """Names of those who shall have what it keeps."""
    since_ms: int | None = None
    """When it was told to give them up. None: not known, or it was not told yet."""
    until_ms: int | None = None
    """When its rebalance timeout is over, and it is expelled."""

    def to_json(self) -> dict[str, object]:
        return {
            "member_id": self.member_id,
            "name": self.name,
            "host": self.host,
            "epoch": self.epoch,
            "keeps": by_topic(self.keeps),
            "waiting": list(self.waiting),
            "since_ms": self.since_ms,
            "until_ms": self.until_ms,
        }


def holding_back(group: GroupDescription, history: History | None = None) -> list[Holding]:
    """Those who keep partitions of others first, the longest first. Nobody in a group that is not on its way."""
    if group.target_epoch is None or group.state not in ("Reconciling", "Assigning"):
        return []
    last = history.rebalances[-1] if history is not None and history.rebalances else None
    pending = {each.who.member_id: each for each in last.pending} if last is not None else {}
    shall = {place: member for member in group.members for place in member.target}
    found: list[Holding] = []
    for member in group.members:
        keeps = tuple(sorted(set(member.assignment) - set(member.target)))
        if not keeps and (member.epoch == group.target_epoch or group.state == "Assigning"):
            continue
        waiting = dict.fromkeys(_name(shall[place]) for place in keeps if place in shall)
        told = pending.get(member.member_id)
        until_ms = None
        if told is not None and told.rebalance_timeout_ms is not None:
            until_ms = told.began_ms + told.rebalance_timeout_ms
        since_ms = None if told is None else told.began_ms
        host = member.host.removeprefix("/")
        found.append(
            Holding(member.member_id, _name(member), host, member.epoch, keeps, tuple(waiting), since_ms, until_ms)
        )
    return sorted(found, key=lambda each: (not each.keeps, each.since_ms or float("inf"), each.member_id))


def tell_holding(each: Holding, now_ms: int) -> str:
    who = f"{plain(each.name)} on {plain(each.host)}" if each.host else plain(each.name)
    if not each.keeps:
        return f"{who} is at epoch {each.epoch} and has not heard of the target yet"
    for_whom = f" for {listed([plain(name) for name in each.waiting])}" if each.waiting else ""
    text = f"{who} has not given up {partitions(each.keeps)}{for_whom}"
    if each.since_ms is not None:
        text += f", since {moment(each.since_ms)[:-4]} UTC ({duration(max(now_ms - each.since_ms, 0))})"
    if each.until_ms is not None:
        left_ms = each.until_ms - now_ms
        text += f"; {duration(left_ms)} until it is expelled" if left_ms > 0 else "; its rebalance timeout is over"
    return text


def _name(member: GroupMember) -> str:
    return member.instance_id or member.client_id or member.member_id
