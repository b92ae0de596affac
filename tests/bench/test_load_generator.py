"""The load generator against a real Muster: every workload is answered, and what it reports is what was done."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from bench.contenders import Muster, Running, running
from bench.generator import GeneratorFailed, drive, driving
from bench.stages import fresh_directory, seconds_of_loading

pytestmark = pytest.mark.skipif(
    not (shutil.which("gcc") or shutil.which("cc")), reason="the load generator needs a C compiler"
)
BRIEFLY = {"warm": 0.01, "seconds": 0.1}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with fresh_directory() as data, running(Muster(), data, one_core=False) as started:
        yield started


@pytest.mark.parametrize(
    ("workload", "options"),
    [
        ("heartbeat", {"connections": 4, "group_size": 2}),
        ("heartbeat", {"connections": 4, "group_size": 2, "members": 8, "rate": 500}),
        ("commit", {"connections": 4, "group_size": 2, "partitions": 3}),
        ("fetch", {"connections": 2, "group_size": 2, "partitions": 100}),
        ("describe", {"connections": 20, "group_size": 20, "active": 2}),
        ("list", {"connections": 2, "group_size": 2}),
    ],
)
def test_a_load_is_answered_without_errors_and_measured(
    server: Running, workload: str, options: dict[str, int]
) -> None:
    """The generator ends with an error at the first reply that is not what a joined member must get."""
    (load,) = drive(workload, server.port, server.pid, **options, **BRIEFLY)
    assert load.requests > 0 < load.server_cpu_seconds
    assert 0 < load.p50_us <= load.p99_us


def test_a_newcomer_rebalances_the_whole_group_each_round(server: Running) -> None:
    loads = drive("rebalance", server.port, server.pid, group_size=5, rounds=2, warm_rounds=1)
    assert [load.requests for load in loads] == [7, 8]


def test_members_stay_while_their_connections_are_held(server: Running) -> None:
    with driving("join", server.port, server.pid, members=12, group_size=3, connections=6, hold=1) as (joined,):
        assert joined.requests == 12
        (load,) = drive("list", server.port, server.pid, connections=1, group_size=1, **BRIEFLY)
        assert load.requests > 0


def test_a_server_that_is_not_there_is_an_error_that_says_so() -> None:
    with pytest.raises(GeneratorFailed, match="Connection refused"):
        drive("heartbeat", 1, 1)


def test_a_workload_that_is_not_there_is_an_error_that_names_it(server: Running) -> None:
    with pytest.raises(GeneratorFailed, match="no workload juggle"):
        drive("juggle", server.port, server.pid)


def test_filled_offsets_are_all_loaded_by_the_next_start() -> None:
    with fresh_directory() as data:
        with running(Muster(), data, one_core=False) as first:
            (filled,) = drive("fill", first.port, first.pid, groups=12, partitions=5, connections=4)
        with running(Muster(log_level="info"), data, one_core=False) as second:
            assert seconds_of_loading(second.log, 60) >= 0
    assert filled.requests == 12
