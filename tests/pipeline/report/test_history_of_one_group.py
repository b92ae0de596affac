"""The plots of one group for the console: of the right cluster, and with the figures of the time that is looked at."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.report.one_group import group_history
from tests.pipeline.report.lake_of import write_lake
from tests.pipeline.report.plot_reading import marks_of
from tests.pipeline.report.sample_lag import CLUSTER, END, HOUR, MINUTE
from tests.pipeline.report.sample_lake import sample_tables

GROUP = "payments-settlement"
UNTOLD = "fraud-scoring"


def _renamed(table: pa.Table, cluster: str) -> pa.Table:
    """The same rows, of another cluster."""
    names = pa.array([cluster] * table.num_rows, table.schema.field("cluster").type)
    return table.set_column(table.schema.get_field_index("cluster"), table.schema.field("cluster"), names)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_lake(tmp_path_factory.mktemp("one") / "lake", sample_tables()))


@pytest.fixture(scope="module")
def lake_of_two(tmp_path_factory: pytest.TempPathFactory) -> str:
    tables = {
        name: pa.concat_tables([table, _renamed(table, "us-1")]) if "cluster" in table.column_names else table
        for name, table in sample_tables().items()
    }
    return str(write_lake(tmp_path_factory.mktemp("two") / "lake", tables))


def test_a_namesake_in_another_cluster_is_not_shown(lake_of_two: str) -> None:
    shown = group_history(lake_of_two, GROUP, CLUSTER)
    assert shown.count('class="group-name"') == 1
    assert "us-1" not in shown


def test_a_group_that_only_another_cluster_has_is_refused_and_the_others_are_named(lake: str) -> None:
    with pytest.raises(LakeError, match=f"of that name in {CLUSTER}.*--lake-cluster"):
        group_history(lake, GROUP, "somewhere-else")


def test_a_group_that_no_cluster_has_has_no_plots(lake: str) -> None:
    assert group_history(lake, "nobody", CLUSTER) == ""


def test_the_sentences_of_a_time_that_is_over_have_the_figures_of_then(lake: str) -> None:
    """Partition 3 stopped at minute 1,151 of the day; two hours before that nobody was far behind."""
    then = END - 7 * HOUR
    rows = sample_tables()["g_lag_history"]
    rows = rows.filter(pc.and_(pc.equal(rows["group_id"], GROUP), pc.equal(rows["minute_ms"], then - MINUTE)))
    shown = group_history(lake, GROUP, CLUSTER, then - HOUR, then)
    behind = sum(rows["lag"].to_pylist())
    assert f"At 2025-11-15 05:00:00 UTC: {behind:,} records behind" in shown
    row = max(rows.to_pylist(), key=lambda each: int(each["time_lag_est_ms"]))
    assert f"payments-{row['partition']}: committed {row['committed']:,} of {row['end']:,}" in shown
    assert "last commit" not in shown, "the history does not have it"
    assert "Partitions of each member" not in shown, "that is only known of now"


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The group has a row of history an hour, at the full hour, as one that is silent; of another one no history is left."""
    tables = sample_tables()
    history = tables["g_lag_history"]
    is_kept = pc.or_(
        pc.not_equal(history["group_id"], GROUP),
        pc.equal(pc.multiply(pc.divide(history["minute_ms"], HOUR), HOUR), history["minute_ms"]),
    )
    tables["g_lag_history"] = history.filter(pc.and_(is_kept, pc.not_equal(history["group_id"], UNTOLD)))
    return str(write_lake(tmp_path_factory.mktemp("silent") / "lake", tables))


def test_a_past_span_between_two_rows_of_a_silent_group_has_the_figures_of_the_row_before(silent: str) -> None:
    then = END - 7 * HOUR
    rows = sample_tables()["g_lag_history"]
    rows = rows.filter(pc.and_(pc.equal(rows["group_id"], GROUP), pc.equal(rows["minute_ms"], then)))
    shown = group_history(silent, GROUP, CLUSTER, then + 10 * MINUTE, then + 20 * MINUTE)
    assert f"At 2025-11-15 05:20:00 UTC: {sum(rows['lag'].to_pylist()):,} records behind" in shown
    assert "No committed offset" not in shown
    assert "No history of lag" not in shown
    row = max(rows.to_pylist(), key=lambda each: int(each["time_lag_est_ms"]))
    assert f"payments-{row['partition']}: committed {row['committed']:,} of {row['end']:,}" in shown
    assert "05:01" not in shown.partition("Hour by hour")[0], "the plot is of the span alone"


def test_a_partition_whose_end_was_not_known_then_is_grey_and_in_no_sum(tmp_path: Path) -> None:
    """Partition 3 has no row of the hours before that moment, though even a silent one has one an hour."""
    tables, then = sample_tables(), END - 7 * HOUR
    history = tables["g_lag_history"]
    is_lost = pc.and_(pc.equal(history["partition"], 3), pc.greater(history["minute_ms"], then - 3 * HOUR))
    tables["g_lag_history"] = history.filter(pc.invert(pc.and_(pc.equal(history["group_id"], GROUP), is_lost)))
    shown = group_history(str(write_lake(tmp_path / "lake", tables)), GROUP, CLUSTER, then - 6 * HOUR, then)
    assert re.search(r"At 2025-11-15 05:00:00 UTC: at least [\d,]+ records behind, at least 2 s at worst", shown)
    hours = {mark["data-tip"].split(":")[0]: mark for mark in marks_of(shown) if mark["class"].startswith("hour-")}
    assert hours["02"]["class"] == "hour-fine"
    assert [hours[hour]["class"] for hour in ("03", "04")] == ["hour-unknown"] * 2
    assert "05" not in hours, "it begins as the span ends"
    assert "lag not known, 1 of 6 partitions" in hours["04"]["data-tip"]


def test_rebalances_of_weeks_ago_are_in_the_history_of_then(tmp_path: Path) -> None:
    """The report has those of two weeks; here somebody asks for an older time."""
    tables = sample_tables()
    later = tables["g_lag"].schema.get_field_index("at_ms")
    tables["g_lag"] = tables["g_lag"].set_column(later, "at_ms", pc.add(tables["g_lag"]["at_ms"], 20 * 24 * HOUR))
    lake = str(write_lake(tmp_path / "lake", tables))
    assert re.search(
        r"At 2025-11-15 12:00:00 UTC: .* [1-9]\d* rebalances? in this time",
        group_history(lake, UNTOLD, CLUSTER, END - 24 * HOUR, END),
    )


def test_a_group_of_which_only_the_tables_of_now_know_has_nothing_in_a_past_span(silent: str) -> None:
    """It is a group of this lake all the same."""
    start = END - 7 * HOUR
    shown = group_history(silent, UNTOLD, CLUSTER, start, start + 10 * MINUTE)
    for said in ("No committed offset of this group", "No history of lag of this group", "No rebalance of this group"):
        assert f"{said} in this time." in shown
    assert "in the lake" not in shown


def test_the_sentences_of_a_time_up_to_now_have_the_figures_of_now(lake: str) -> None:
    lag = sample_tables()["g_lag"]
    worst = max(lag.filter(pc.equal(lag["group_id"], GROUP)).to_pylist(), key=lambda row: int(row["lag"]))
    for to_ms in (None, END):
        shown = group_history(lake, GROUP, CLUSTER, END - HOUR, to_ms)
        assert re.search(rf"payments-{worst['partition']}: committed {worst['committed']:,} of .* last commit", shown)
        assert "Partitions of each member" in shown
