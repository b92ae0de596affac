"""What `make bench` prints of its samples, and what `make bench-growth` calls too fast."""

from __future__ import annotations

import pytest

from bench.figures import FETCH, HEARTBEAT
from bench.generator import Load
from bench.growth import Growth, exponent
from bench.page import CLUSTER_PAGE, page_with
from bench.stages import Sample
from bench.store import table as store_table
from bench.table import not_met, table
from bench.worker_stage import Together

BEAT = Load(1_000, 1.0, 0.005, 0.1, 200.0, 900.0)


def samples(*values: float) -> list[Sample]:
    return [Sample(HEARTBEAT, value, BEAT) for value in values]


def test_the_table_shows_medians_their_ratio_and_the_verdict() -> None:
    row = table(samples(5.0, 4.5, 90.0), samples(20.0, 20.0, 1.0))[2]
    assert row == "| heartbeat | µs CPU | 5.0 | 0.20 / 0.90 | 20.0 | 0.20 / 0.90 | 0.25 | 8 | 4 | floor met |"


@pytest.mark.parametrize(("muster", "words"), [(4.0, "target met"), (8.0, "floor met"), (8.1, "NOT MET")])
def test_a_verdict_compares_with_floor_and_target(muster: float, words: str) -> None:
    assert HEARTBEAT.verdict(muster, None) == words


def test_limits_that_are_shares_of_kafka_need_kafka() -> None:
    assert FETCH.verdict(10.0, None) == "needs Kafka to say"
    assert FETCH.verdict(10.0, 50.0) == "target met"
    assert FETCH.verdict(10.0, 19.0) == "NOT MET"


def test_figures_below_their_floor_are_named() -> None:
    assert not_met(samples(9.0), []) == ["heartbeat"]
    assert not_met(samples(3.0), []) == []


BEGIN, END = "<!-- written by make bench -->", "<!-- end of make bench -->"


def test_the_table_replaces_the_one_that_the_page_had() -> None:
    page = f"# Performance\n\n{BEGIN}\nold\n{END}\n\n## Profiles\n"
    assert page_with("make bench", ["new"], page) == f"# Performance\n\n{BEGIN}\n\nnew\n\n{END}\n\n## Profiles\n"


def test_a_page_without_the_marks_gets_the_table_at_its_end() -> None:
    assert page_with("make bench", ["new"], "# Performance\n") == f"# Performance\n\n{BEGIN}\n\nnew\n\n{END}\n"


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_is_the_power_that_made_the_values(power: float) -> None:
    sizes = (10, 100, 1_000)
    assert exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power)


def test_what_grows_faster_than_it_may_is_named() -> None:
    growth = Growth("groups", (10, 100, 1_000), lambda _muster, _size: {})
    growth.costs.update(
        {"listing": [1.0, 10.0, 100.0], "sorting": [1.0, 10.0, 1_000.0], "one heartbeat": [5.0, 5.0, 9.0]}
    )
    assert growth.too_fast() == ["sorting with groups", "one heartbeat with groups"]


def test_commits_on_a_store_are_shown_by_members() -> None:
    lines = store_table({("postgres", 16): [Together(58.4, 2_422.0, 4_400.0, 32_500.0, 0)]}, 1, "Quiet.")
    assert lines[-1] == "| postgres | 16 | 2,422 | 4.4 ms | 32.5 ms | 58 µs |"


def test_the_page_of_the_cluster_has_a_place_for_both_tables() -> None:
    page = CLUSTER_PAGE.read_text()
    for command in ("python -m bench.store", "python -m bench.workers"):
        assert page.index(f"<!-- written by {command} -->") < page.index(f"<!-- end of {command} -->")
