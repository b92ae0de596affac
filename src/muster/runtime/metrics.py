"""What the coordinator can say about itself in numbers (spec 10), gathered when somebody asks and at no other time.

Names are Kafka's metric names in the form Prometheus wants: lower case, underscores, `muster_` first. Per-group
figures carry the group as a label and are bounded (`MAX_LABELLED_GROUPS`): a scrape must not grow without limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal
from zlib import crc32

from muster.core.classic.group import Group
from muster.core.classic.states import GroupState
from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.states import ConsumerGroupState
from muster.core.shard import Shard
from muster.runtime.coordinator import Coordinator
from muster.runtime.coordinator_shards import ShardState
from muster.runtime.group_runner import GroupRunner
from muster.runtime.timings import Timing

MAX_LABELLED_GROUPS = 1_000
SAMPLES_A_PIECE = 100
MAX_LABEL_CHARS = 300
"""A topic or client id that is longer is cut. Kafka allows 249 for topics, and whatever fits into a request for groups."""


@dataclass(slots=True, frozen=True)
class Metric:
    name: str
    kind: Literal["gauge", "counter"]
    meaning: str
    samples: tuple[tuple[Mapping[str, str], float], ...]


def coordinator_metrics(coordinator: Coordinator) -> Iterator[Metric | None]:
    """None between metrics: others may be served, and may change what is counted."""
    shards = coordinator.shards()
    yield from _groups(shards)
    yield from _work(shards)
    yield labelled(
        "num_partitions",
        "gauge",
        "Partitions of __consumer_offsets on this node, by the state of their shard.",
        {
            state.value: sum(place.state is state for place in coordinator.places.values())
            for state in (ShardState.LOADING, ShardState.ACTIVE, ShardState.FAILED)
        },
        label="state",
    )
    load_times = [place.load_ms for place in coordinator.places.values()]
    yield plain("partition_load_time_max_ms", "gauge", "The longest load of a shard.", max(load_times, default=0))
    average = sum(load_times) / len(load_times) if load_times else 0
    yield plain("partition_load_time_avg_ms", "gauge", "The mean load of a shard.", average)
    yield from _waiting([place.runner for place in coordinator.places.values() if place.runner is not None])
    yield from _timing("batch_flush_time_ms", "Making durable what was staged in a tick.", [coordinator.commit.flushes])
    yield from _per_group(shards)


def _groups(shards: list[Shard]) -> Iterator[Metric | None]:
    by_state: Counter[GroupState] = Counter()
    by_epoch_state: Counter[ConsumerGroupState] = Counter()
    members = 0
    for number, group in enumerate(list(_groups_of_both_protocols(shards)), start=1):
        members += len(group.members)
        if isinstance(group, ConsumerGroup):
            by_epoch_state[group.state()] += 1
        else:
            by_state[group.state] += 1
        if not number % SAMPLES_A_PIECE:
            yield None
    yield plain("num_groups", "gauge", "Groups held by this node.", _number_of_groups(shards))
    yield labelled(
        "groups",
        "gauge",
        "Classic groups by state.",
        {state.value: by_state[state] for state in GroupState},
        label="state",
    )
    yield labelled(
        "consumer_groups",
        "gauge",
        "Groups of the consumer protocol by state.",
        {state.value: by_epoch_state[state] for state in ConsumerGroupState},
        label="state",
    )
    yield plain("num_members", "gauge", "Members of all groups.", members)
    yield plain("num_offsets", "gauge", "Committed offsets in memory.", sum(shard.offsets.count for shard in shards))
    pending = sum(shard.offsets.pending.count() for shard in shards)
    yield plain("pending_offsets", "gauge", "Offsets of transactions that have not ended.", pending)


def _work(shards: list[Shard]) -> Iterator[Metric]:
    for name, meaning in (
        ("offset_commits", "Offsets written by commits."),
        ("offset_expirations", "Offsets that expired."),
        ("offset_deletions", "Offsets removed by OffsetDelete."),
        ("unstable_offset_fetches", "OffsetFetch requests that were refused because a transaction had not ended."),
        ("started_rebalances", "Rebalances of classic groups that began."),
        ("completed_rebalances", "Rebalances of classic groups that ended with a stable group."),
        ("expired_members", "Members that were dropped because they were silent for too long."),
    ):
        total = sum(getattr(shard.counters, name) for shard in shards)
        yield plain(f"{name}_total", "counter", meaning, total)


def _waiting(runners: list[GroupRunner]) -> Iterator[Metric]:
    queued, parked, timers = (sum(getattr(each, name) for each in runners) for name in ("queued", "parked", "timers"))
    yield plain("event_queue_size", "gauge", "Events that wait for records of their group.", queued)
    yield plain("parked_requests", "gauge", "Requests without an answer yet.", parked)
    yield plain("timers", "gauge", "Deadlines that are set.", timers)
    waits = [runner.waits for runner in runners]
    yield from _timing("event_purgatory_time_ms", "From the append of records to having them durable.", waits)


def _timing(name: str, meaning: str, timings: list[Timing]) -> Iterator[Metric]:
    yield plain(f"{name}_count", "counter", f"{meaning} How often.", sum(timing.count for timing in timings))
    yield plain(f"{name}_sum", "counter", f"{meaning} Summed up.", sum(timing.sum_ms for timing in timings))
    longest = max((timing.max_ms for timing in timings), default=0)
    yield plain(f"{name}_max", "gauge", f"{meaning} The longest since the start.", longest)


def _per_group(shards: list[Shard]) -> Iterator[Metric]:
    groups = list(islice(_groups_of_both_protocols(shards), MAX_LABELLED_GROUPS))
    hidden = f"Groups that the figures below leave out: they are shown for {MAX_LABELLED_GROUPS} groups."
    yield plain("hidden_groups", "gauge", hidden, _number_of_groups(shards) - len(groups))
    yield _of_groups("group_members", "Members of a group.", {group.group_id: len(group.members) for group in groups})
    generations = {
        group.group_id: group.epoch if isinstance(group, ConsumerGroup) else group.generation for group in groups
    }
    yield _of_groups("group_generation", "The generation of a classic group, the epoch of another.", generations)
    yield _of_groups(
        "group_stable", "1 if the group is Stable.", {group.group_id: _is_stable(group) for group in groups}
    )
    parked = {group.group_id: group.awaiting_joins for group in groups if not isinstance(group, ConsumerGroup)}
    yield _of_groups("group_parked_joins", "JoinGroup requests of a classic group that wait.", parked)


def _groups_of_both_protocols(shards: list[Shard]) -> Iterator[Group | ConsumerGroup]:
    for shard in shards:
        yield from shard.groups.values()
        yield from shard.consumer_groups.values()


def _number_of_groups(shards: list[Shard]) -> int:
    return sum(len(shard.groups) + len(shard.consumer_groups) for shard in shards)


def _is_stable(group: Group | ConsumerGroup) -> bool:
    if isinstance(group, ConsumerGroup):
        return group.state() is ConsumerGroupState.STABLE
    return group.state is GroupState.STABLE


def _of_groups(name: str, meaning: str, values: Mapping[str, int]) -> Metric:
    return labelled(name, "gauge", meaning, values, label="group")


def plain(name: str, kind: Literal["gauge", "counter"], meaning: str, value: float) -> Metric:
    return Metric(f"muster_{name}", kind, meaning, (({}, float(value)),))


def labelled(
    name: str, kind: Literal["gauge", "counter"], meaning: str, values: Mapping[str, int], *, label: str
) -> Metric:
    return Metric(f"muster_{name}", kind, meaning, tuple(({label: key}, float(n)) for key, n in values.items()))


def exposition(metrics: Iterable[Metric | None]) -> Iterator[str]:
    """The text format that Prometheus scrapes, version 0.0.4, in pieces of a fraction of a millisecond: between two of them others
    may be served. None is such a place too."""
    for metric in metrics:
        if metric is None:
            yield ""
            continue
        yield f"# HELP {metric.name} {metric.meaning}\n# TYPE {metric.name} {metric.kind}\n"
        for begin in range(0, len(metric.samples), SAMPLES_A_PIECE):
            lines: list[str] = []
            for labels, value in metric.samples[begin : begin + SAMPLES_A_PIECE]:
                text = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
                number = int(value) if float(value).is_integer() else value
                lines.append(f"{metric.name}{{{text}}} {number}\n" if text else f"{metric.name} {number}\n")
            yield "".join(lines)


def _escaped(label: str) -> str:
    """Clients choose these names: control characters, which could drive a terminal, are shown as text, and none is too long."""
    if len(label) > MAX_LABEL_CHARS:
        # Names that begin alike must not become one: Prometheus refuses a page that has a sample twice.
        label = f"{label[: MAX_LABEL_CHARS - 20]}...{crc32(label.encode(errors='replace')):08x}.{len(label)}"
    if not label.isprintable():
        label = "".join(each if each.isprintable() or each == "\n" else _as_code(each) for each in label)
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _as_code(character: str) -> str:
    return f"\\u{ord(character):04x}"
