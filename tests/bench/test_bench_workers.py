"""What `python -m bench.workers` says of its rounds: what a request costs with one worker and with several, whether it grows."""

from __future__ import annotations

import pytest

from bench.worker_loads import FLAT_OUT, LOADS, cost_table, growth, speed_table
from bench.worker_stage import Together
from bench.workers import Bench, page_lines

BEAT = LOADS[0]


def seen(cpu_us: float, a_second: float = 5_000.0, p99_us: float = 2_500.0, missed: int = 0) -> Together:
    return Together(cpu_us, a_second, 100.0, p99_us, missed)


@pytest.mark.parametrize(
    ("one_worker", "four_workers", "says"),
    [
        ([10.0, 10.0, 10.0], [9.0, 9.5, 11.0], "0.95 (0.90 to 1.10) | does not grow"),
        ([10.0, 10.0, 10.0], [9.0, 10.4, 11.0], "1.04 (0.90 to 1.10) | within the spread"),
        ([10.0, 10.0, 10.0], [11.0, 12.0, 13.0], "1.20 (1.10 to 1.30) | grows by 20%"),
        ([10.0], [12.0], "1.20 | one round cannot say"),
        ([10.0], [9.0], "0.90 | does not grow"),
    ],
)
def test_a_cost_grows_if_it_did_in_every_round(one_worker: list[float], four_workers: list[float], says: str) -> None:
    assert growth(one_worker, four_workers) == says


def test_each_round_is_compared_with_itself() -> None:
    assert growth([10.0, 20.0], [10.0, 20.0]) == "1.00 (1.00 to 1.00) | does not grow"


def test_costs_are_medians_beside_the_ratio_and_what_an_idle_worker_uses() -> None:
    rounds = {
        ("files", 1, FLAT_OUT): [seen(9.0), seen(11.0), seen(50.0)],
        ("files", 4, FLAT_OUT): [seen(18.0), seen(11.0), seen(25.0)],
    }
    assert cost_table(rounds, {("files", 1): [0.1], ("files", 4): [0.3, 0.5, 0.4]}) == [
        "| store | load of each worker | 1 worker | 4 workers | 4 : 1 | |",
        "|---|---|---:|---:|---:|---|",
        "| files | commit of 10 as fast as they can | 11.0 µs | 18.0 µs | 1.00 (0.50 to 2.00) | does not grow |",
        "| files | none: what a worker uses all the same | 0.10 ms/s | 0.40 ms/s | | |",
    ]


def test_latencies_are_shown_for_every_load_and_commits_a_second_where_nothing_holds_them_back() -> None:
    rounds = {
        ("postgres", 1, BEAT): [seen(9.0)],
        ("postgres", 2, BEAT): [seen(9.0, p99_us=400.0)],
        ("postgres", 1, FLAT_OUT): [seen(9.0, 20_000.0)],
        ("postgres", 2, FLAT_OUT): [seen(9.0, 35_000.0)],
    }
    assert speed_table(rounds)[2:] == [
        "| postgres | heartbeat, 1,500/s | p99 | 2.5 ms | 0.4 ms |",
        "| postgres | commit of 10 as fast as they can | p99 | 2.5 ms | 2.5 ms |",
        "| postgres | commit of 10 as fast as they can | commits/s of all | 20,000 | 35,000 |",
    ]


def test_requests_that_were_not_sent_in_time_are_said() -> None:
    bench = Bench(1.0, is_pinned=False)
    bench.rounds["files", 1, BEAT] = [seen(9.0, missed=3)]
    lines = page_lines(bench, 1, "nothing tied to a core", "Quiet.")
    assert lines[-1] == "3 requests were not sent in time: the machine did not keep up with the rate."
