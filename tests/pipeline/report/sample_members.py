"""Members, generations and rebalances of invented groups, from a script of who came and went when.

Each step makes one generation: partitions are dealt out in order, and everything else (moves, members, balance) follows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.pipeline.report.sample_lag import CLUSTER, END, MINUTE

Row = dict[str, Any]
Partition = tuple[str, int]


@dataclass(frozen=True)
class Step:
    """A rebalance that ended at this time with these members."""

    at_ms: int
    members: tuple[str, ...]
    cause: str
    trigger: str | None = None
    join_ms: int | None = 900
    sync_ms: int = 60
    pause_ms: int = 4_000
    reason: str | None = None


@dataclass
class Story:
    group: str
    topic: str
    partitions: int
    steps: list[Step]
    static: bool = False
    uneven: bool = False
    episodes: list[Row] = field(default_factory=list)

    def dealt(self, members: tuple[str, ...]) -> dict[Partition, str]:
        if not members:
            return {}
        if self.uneven:
            # Range over many small topics: the first member gets nearly all, the last one nothing.
            cut = max(self.partitions * 3 // 4, 1)
            return {
                (self.topic, p): members[0] if p < cut else members[1 + p % max(len(members) - 2, 1)]
                for p in range(self.partitions)
            }
        each = -(-self.partitions // len(members))
        return {(self.topic, p): members[min(p // each, len(members) - 1)] for p in range(self.partitions)}


def tables(story: Story) -> dict[str, list[Row]]:
    """Rows of g_rebalance, g_member, g_assignment_balance, s_assignment and s_group_generation."""
    made: dict[str, list[Row]] = {
        "g_rebalance": [],
        "g_rebalance_episode": [{"cluster": CLUSTER, "group_id": story.group, **episode} for episode in story.episodes],
        "g_assignment_balance": [],
        "s_assignment": [],
        "s_group_generation": [],
    }
    before: dict[Partition, str] = {}
    previous: tuple[str, ...] = ()
    for number, step in enumerate(story.steps):
        owners = story.dealt(step.members)
        made["g_rebalance"].append(_rebalance(story, number, step, previous, before, owners))
        made["s_group_generation"].append(_generation(story, number, step))
        made["s_assignment"] += [_assigned(story, number, step, *place, owner) for place, owner in owners.items()]
        if step.members:
            made["g_assignment_balance"].append(_balance(story, number, step, owners))
        before, previous = owners, step.members
    made["g_member"] = _members(story, before)
    return made


def _rebalance(
    story: Story,
    number: int,
    step: Step,
    previous: tuple[str, ...],
    before: dict[Partition, str],
    owners: dict[Partition, str],
) -> Row:
    moved = sum(1 for place, owner in owners.items() if before.get(place, owner) != owner)
    journal = step.join_ms is not None
    return {
        "cluster": CLUSTER,
        "group_id": story.group,
        "group_life": 0,
        "generation": number + 1,
        "episode": number,
        "log_offset": 1000 + number,
        "started_ms": step.at_ms - (step.join_ms or 0) - step.sync_ms if journal else None,
        "ended_ms": step.at_ms,
        "join_phase_ms": step.join_ms,
        "sync_phase_ms": step.sync_ms,
        "cause": step.cause,
        "trigger_member": step.trigger,
        "client_reason": step.reason,
        "waited_for": step.members[-1] if journal and step.members else None,
        "waited_ms": step.join_ms,
        "source": "journal" if journal else "log",
        "confidence": 1.0 if journal else 0.7,
        "members_before": len(previous),
        "members_after": len(step.members),
        "joined": sorted(set(step.members) - set(previous)),
        "gone": sorted(set(previous) - set(step.members)),
        "partitions_moved": moved,
        "excess_moves": moved // 3,
        "stickiness": 1 - moved / max(len(owners), 1),
        "aborted_generations": 0,
        "pause_p50_ms": step.pause_ms // 2,
        "pause_max_ms": step.pause_ms,
        "protocol": "range",
        "faithful": True,
    }


def _generation(story: Story, number: int, step: Step) -> Row:
    return {
        "cluster": CLUSTER,
        "log_partition": 7,
        "log_offset": 1000 + number,
        "record_ms": step.at_ms,
        "group_id": story.group,
        "generation": number + 1,
        "n_members": len(step.members),
        "kind": "rebalance" if step.members else "empty",
    }


def _assigned(story: Story, number: int, step: Step, topic: str, partition: int, owner: str) -> Row:
    return {
        "cluster": CLUSTER,
        "log_partition": 7,
        "log_offset": 1000 + number,
        "record_ms": step.at_ms,
        "group_id": story.group,
        "generation": number + 1,
        "member_id": owner,
        "identity": owner,
        "topic": topic,
        "partition": partition,
    }


def _balance(story: Story, number: int, step: Step, owners: dict[Partition, str]) -> Row:
    held = [sum(1 for owner in owners.values() if owner == member) for member in step.members]
    mean = sum(held) / len(held)
    return {
        "cluster": CLUSTER,
        "group_id": story.group,
        "generation": number + 1,
        "at_ms": step.at_ms,
        "n_members": len(held),
        "n_partitions": sum(held),
        "n_idle_members": held.count(0),
        "max_over_mean": max(held) / mean if mean else None,
        "spread": max(held) - min(held),
        "cv": (sum((h - mean) ** 2 for h in held) / len(held)) ** 0.5 / mean,
        "gini": sum((2 * i - len(held) - 1) * h for i, h in enumerate(sorted(held), 1)) / (len(held) * sum(held)),
        "effective_members": sum(held) ** 2 / max(sum(h * h for h in held), 1),
    }


def _members(story: Story, owners: dict[Partition, str]) -> list[Row]:
    seen: dict[str, list[Step]] = {}
    for step in story.steps:
        for member in step.members:
            seen.setdefault(member, []).append(step)
    present = set(story.steps[-1].members) if story.steps else set()
    return [_member(story, member, steps, member in present, owners) for member, steps in seen.items()]


def _member(story: Story, member: str, steps: list[Step], here: bool, owners: dict[Partition, str]) -> Row:
    gone = next((s for s in story.steps if s.at_ms > steps[-1].at_ms), None)
    restarts = sum(
        1 for step in story.steps if step.trigger == member and step.cause in ("static_member_returned", "restart")
    )
    return {
        "cluster": CLUSTER,
        "group_id": story.group,
        "identity": member,
        "member_id": f"{member}-0b7c",
        "client_id": f"{story.group}-client",
        "client_host": f"10.0.3.{sum(map(ord, member)) % 200 + 10}",
        "is_static": story.static,
        "first_seen_ms": steps[0].at_ms,
        "last_seen_ms": END if here else gone.at_ms if gone else steps[-1].at_ms + MINUTE,
        "is_present": here,
        "n_generations": len(steps),
        "n_restarts": restarts,
        "n_partitions": sum(1 for owner in owners.values() if owner == member),
        "left_because": None if here or gone is None else gone.cause,
    }
