"""The coordinator's numbers, scraped over HTTP from a running server and read as Prometheus reads them."""

from __future__ import annotations

import logging
import platform
import re
import time
from collections.abc import Iterator
from urllib.request import urlopen

import pytest

from muster import __version__
from muster.runtime.metrics import MAX_LABELLED_GROUPS
from muster.wire.generated.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tests.server.broker.whole_server import batch, produce
from tests.server.groups.group_server import GroupServer
from tests.server.raw_client import PATIENCE_SECONDS

_SAMPLE = re.compile(r"([a-z_]+)(?:\{(.*)\})? (-?[0-9.]+)")
_LABEL = re.compile(r'([a-z_]+)="((?:\\.|[^"\\])*)"')


@pytest.fixture
def server() -> Iterator[GroupServer]:
    with GroupServer({"muster.metrics.listen": "127.0.0.1:0"}) as running:
        yield running


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), text)


def scrape(server: GroupServer) -> dict[tuple[str, str], float]:
    """(name, values of the labels) -> number. Reads the format strictly: every sample belongs to a HELP and a TYPE."""
    server.settle()
    with urlopen(f"http://{server.metrics_address}/metrics", timeout=PATIENCE_SECONDS) as reply:
        assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        page = reply.read().decode()
    assert page.endswith("\n")
    numbers: dict[tuple[str, str], float] = {}
    name = kind = ""
    seen: set[str] = set()
    for line in page.splitlines():
        if line.startswith("# HELP "):
            name, _, meaning = line.removeprefix("# HELP ").partition(" ")
            assert meaning
            assert name not in seen, "a metric stands in one place"
            seen.add(name)
        elif line.startswith("# TYPE "):
            named, kind = line.removeprefix("# TYPE ").split()
            assert named == name
            assert kind in ("gauge", "counter")
        else:
            found = _SAMPLE.fullmatch(line)
            assert found is not None, line
            assert found[1] == name
            assert name.endswith(("_total", "_count", "_sum")) == (kind == "counter")
            labels = _LABEL.findall(found[2] or "")
            where = (name, " ".join(unescaped(value) for _, value in labels))
            assert where not in numbers, "Prometheus refuses a page that has a sample twice"
            numbers[where] = float(found[3])
    return numbers


def test_an_idle_coordinator_has_only_its_partitions(server: GroupServer) -> None:
    numbers = scrape(server)
    assert numbers["muster_num_groups", ""] == 0
    assert numbers["muster_num_partitions", "active"] == 4
    assert numbers["muster_num_partitions", "failed"] == numbers["muster_num_partitions", "loading"] == 0


def test_groups_members_offsets_and_rebalances_are_counted(server: GroupServer) -> None:
    one, two = server.form("stable", 2, session_ms=6_000)
    server.form("waiting", 2)[0].rejoin()
    client = server.client()
    client.commit("simple", ("orders", 0, 1), ("orders", 1, 2))
    numbers = scrape(server)
    states = {state: number for (name, state), number in numbers.items() if name == "muster_groups"}
    assert states == {
        "Stable": 1,
        "PreparingRebalance": 1,
        "CompletingRebalance": 0,
        "Empty": 1,
        "Dead": 0,
    }
    expected = {
        "muster_num_groups": 3,
        "muster_num_members": 4,
        "muster_num_offsets": 2,
        "muster_offset_commits_total": 2,
        "muster_started_rebalances_total": 3,
        "muster_completed_rebalances_total": 2,
        "muster_expired_members_total": 0,
    }
    assert {name: numbers[name, ""] for name in expected} == expected
    assert numbers["muster_group_members", "stable"] == 2
    assert numbers["muster_group_stable", "stable"] == 1
    assert numbers["muster_group_parked_joins", "waiting"] == 1
    assert numbers["muster_group_generation", "waiting"] == 1

    server.pass_time(6_000)
    assert {one.beat(), two.beat()} == {25}
    assert scrape(server)["muster_expired_members_total", ""] == 2


def test_a_partition_that_moved_away_is_not_counted(server: GroupServer) -> None:
    server.lose("g")
    assert scrape(server)["muster_num_partitions", "active"] == 3


def test_group_names_are_escaped(server: GroupServer) -> None:
    name = 'a "quoted" \\ name\nin two lines {x="y"} 1'
    server.client().commit(name, ("orders", 0, 1))
    assert scrape(server)["muster_group_members", name] == 0


def test_a_partition_whose_end_is_not_known_is_counted_and_is_no_lag_of_zero(server: GroupServer) -> None:
    """In a cluster another node may lead it, and the group's coordinator does not know where it ends."""

    def give_away() -> None:
        topic = server.node.broker.topic("orders")
        assert topic is not None
        topic.partitions[1].is_led_here = False

    server.client().commit("g", ("orders", 0, 0), ("orders", 1, 0))
    server.run(give_away)
    numbers = scrape(server)
    assert [labels for name, labels in numbers if name == "muster_group_lag"] == ["g orders 0"]
    assert numbers["muster_group_unknown_lag", "g"] == 1


def test_series_of_offsets_are_bounded() -> None:
    with GroupServer({"muster.metrics.listen": "127.0.0.1:0", "muster.metrics.max.offsets": "2"}) as server:
        client = server.client()
        client.commit("a", ("orders", 0, 1), ("orders", 1, 2))
        assert scrape(server)["muster_group_committed_offset", "a orders 1"] == 2
        client.commit("b", ("orders", 0, 1))
        numbers = scrape(server)
    assert numbers["muster_hidden_offsets", ""] == 3
    of_offsets = ("muster_group_committed_offset", "muster_group_lag", "muster_group_total_lag")
    assert {name for name, _ in numbers}.isdisjoint(of_offsets)


def test_without_room_for_offsets_there_is_no_series_of_them() -> None:
    with GroupServer({"muster.metrics.listen": "127.0.0.1:0", "muster.metrics.max.offsets": "0"}) as server:
        assert scrape(server)["muster_hidden_offsets", ""] == 0
        server.client().commit("a", ("orders", 0, 1))
        numbers = scrape(server)
    assert numbers["muster_hidden_offsets", ""] == 1
    assert numbers["muster_group_members", "a"] == 0
    of_offsets = ("committed_offset", "lag", "total_lag", "unknown_lag", "last_commit_age_seconds")
    assert {name for name, _ in numbers}.isdisjoint(f"muster_group_{each}" for each in of_offsets)


def test_lag_is_what_is_behind_the_committed_offset_and_ages_with_the_clock(server: GroupServer) -> None:
    client = server.client()
    produce(client, "orders", batch(*[b"x"] * 5))
    produce(client, "orders", batch(b"x"), partition=1)
    client.commit("g", ("orders", 0, 2), ("orders", 1, 1))
    server.pass_time(30_000)
    numbers = scrape(server)
    assert {name: numbers[f"muster_group_{name}", "g"] for name in ("total_lag", "unknown_lag")} == {
        "total_lag": 3,
        "unknown_lag": 0,
    }
    assert [numbers["muster_group_lag", f"g orders {partition}"] for partition in (0, 1)] == [3, 0]
    assert [numbers["muster_group_committed_offset", f"g orders {partition}"] for partition in (0, 1)] == [2, 1]
    assert numbers["muster_group_last_commit_age_seconds", "g"] == 30
    client.commit("g", ("orders", 0, 5))
    numbers = scrape(server)
    assert (numbers["muster_group_total_lag", "g"], numbers["muster_group_last_commit_age_seconds", "g"]) == (0, 0)


def test_offsets_that_go_are_counted_by_why(server: GroupServer) -> None:
    client = server.client()
    client.commit("deleted", ("orders", 0, 1), ("orders", 1, 1))
    gone = OffsetDeleteRequestTopic("orders", [OffsetDeleteRequestPartition(0)])
    assert client.call("OffsetDelete", 0, OffsetDeleteRequest("deleted", [gone])).error_code == 0
    numbers = scrape(server)
    assert (numbers["muster_offset_deletions_total", ""], numbers["muster_num_offsets", ""]) == (1, 1)
    server.pass_time(8 * 86_400_000, step_ms=3_600_000)
    numbers = scrape(server)
    assert (numbers["muster_offset_expirations_total", ""], numbers["muster_num_offsets", ""]) == (1, 0)


def test_rebalances_are_counted_by_cause_whether_or_not_they_have_lines(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "muster.rebalances")
    for with_lines in ("true", "false"):
        settings = {"muster.metrics.listen": "127.0.0.1:0", "muster.log.rebalances": with_lines}
        caplog.clear()
        with GroupServer(settings) as server:
            _, two = server.form("g", 2)
            two.client.leave("g", two.member_id)
            numbers = scrape(server)
        causes = {cause: number for (name, cause), number in numbers.items() if name == "muster_rebalances_total"}
        assert causes == {"first_member": 1, "member_left": 1}
        lines = [record.getMessage() for record in caplog.records if record.name == "muster.rebalances"]
        assert bool(lines) == (with_lines == "true"), lines


def test_what_runs_here_has_a_version_and_a_process() -> None:
    before_s = time.time()
    with GroupServer({"muster.metrics.listen": "127.0.0.1:0"}) as server:
        numbers = scrape(server)
        later = scrape(server)
    (build,) = (labels for name, labels in numbers if name == "muster_build_info")
    assert build.startswith(f"{__version__} ")
    assert build.endswith(f" {platform.python_version()}")
    assert numbers["muster_build_info", build] == 1
    assert before_s - 1 <= numbers["process_start_time_seconds", ""] <= time.time()
    assert 0 < numbers["process_open_fds", ""] <= numbers["process_max_fds", ""]
    assert numbers["process_resident_memory_bytes", ""] > 10_000_000
    assert 0 < numbers["process_cpu_seconds_total", ""] <= later["process_cpu_seconds_total", ""]


def test_series_of_groups_are_bounded(server: GroupServer) -> None:
    client = server.client()
    for number in range(MAX_LABELLED_GROUPS + 1):
        client.commit(f"g{number}", ("orders", 0, 1))
    numbers = scrape(server)
    assert numbers["muster_num_groups", ""] == MAX_LABELLED_GROUPS + 1
    assert sum(name == "muster_group_members" for name, _ in numbers) == MAX_LABELLED_GROUPS
