"""The numbers that the coordinator tells about itself (spec 10), in the text that Prometheus reads."""

from __future__ import annotations

import re

from muster.runtime.metrics import MAX_LABELLED_GROUPS, Metric, coordinator_metrics, exposition
from tests.runtime.test_consumer_turns import group_of
from tests.runtime.test_coordinator import stable_group
from tests.runtime.world import World, commit, join

SAMPLE = re.compile(r'^(\w+)(?:\{(\w+)="((?:[^"\\]|\\.)*)"\})? (-?[\d.]+)$')


def samples(world: World) -> dict[tuple[str, str], float]:
    text = "".join(exposition(coordinator_metrics(world.coordinator)))
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = SAMPLE.match(line)
            assert match, f"not a sample: {line!r}"
            found[match.group(1), match.group(3) or ""] = float(match.group(4))
    return found


def test_an_idle_coordinator_has_shards_and_no_groups() -> None:
    found = samples(World(partitions=3).start())
    assert found["muster_num_partitions", "active"] == 3
    assert found["muster_num_groups", ""] == 0
    assert found["muster_groups", "Stable"] == 0


def test_groups_offsets_and_rebalances_are_counted() -> None:
    world = World().start()
    stable_group(world, members=2)
    world.ask(commit(5, group="simple"))
    found = samples(world)
    assert found["muster_num_groups", ""] == 2
    assert (found["muster_groups", "Stable"], found["muster_groups", "Empty"]) == (1, 1)
    assert found["muster_num_members", ""] == 2
    assert (found["muster_num_offsets", ""], found["muster_offset_commits_total", ""]) == (1, 1)
    assert (found["muster_started_rebalances_total", ""], found["muster_completed_rebalances_total", ""]) == (1, 1)
    assert (found["muster_group_members", "g"], found["muster_group_generation", "g"]) == (2, 1)


def test_waiting_requests_and_flushes_are_counted() -> None:
    world = World(initial_rebalance_delay_ms=3_000).start()
    world.ask(join())
    world.send(commit(1, group="other"))
    world.advance_in_flight(40)
    world.settle()
    found = samples(world)
    assert found["muster_parked_requests", ""] == 1
    assert found["muster_event_purgatory_time_ms_max", ""] == 40
    assert found["muster_batch_flush_time_ms_count", ""] > 0


def test_expired_members_are_counted() -> None:
    world = World().start()
    stable_group(world)
    world.advance(10_000)
    assert samples(world)["muster_expired_members_total", ""] == 1


def test_groups_of_the_consumer_protocol_have_the_same_figures() -> None:
    """KIP-848: the generation is the group epoch."""
    world = group_of("a", "b")  # the second one's partitions are still with the first
    found = samples(world)
    assert (found["muster_group_members", "g"], found["muster_group_generation", "g"]) == (2, 3)
    assert found["muster_group_stable", "g"] == 0
    assert ("muster_group_parked_joins", "g") not in found
    assert found["muster_hidden_groups", ""] == 0
    assert samples(group_of("alone"))["muster_group_stable", "g"] == 1


def test_per_group_figures_are_bounded() -> None:
    world = World().start()
    for number in range(MAX_LABELLED_GROUPS + 10):
        world.send(commit(1, group=f"g{number}"))
    world.settle()
    found = samples(world)
    assert found["muster_num_groups", ""] == MAX_LABELLED_GROUPS + 10
    assert found["muster_hidden_groups", ""] == 10
    assert sum(name == "muster_group_members" for name, _ in found) == MAX_LABELLED_GROUPS


def test_labels_are_escaped() -> None:
    text = "".join(exposition([Metric("m", "gauge", "about", (({"group": 'a"b\\c\nd'}, 1.0),))]))
    assert text == '# HELP m about\n# TYPE m gauge\nm{group="a\\"b\\\\c\\nd"} 1\n'
