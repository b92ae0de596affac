"""The plots of one group for the console: of the right cluster, and with the figures of the time that is looked at."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.report.one_group import group_history
from tests.pipeline.report.lake_of import write_lake
from tests.pipeline.report.sample_lag import CLUSTER, END, HOUR, MINUTE
from tests.pipeline.report.sample_lake import sample_tables

GROUP = "payments-settlement"


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


def test_the_sentences_of_a_time_up_to_now_have_the_figures_of_now(lake: str) -> None:
    lag = sample_tables()["g_lag"]
    worst = max(lag.filter(pc.equal(lag["group_id"], GROUP)).to_pylist(), key=lambda row: int(row["lag"]))
    for to_ms in (None, END):
        shown = group_history(lake, GROUP, CLUSTER, END - HOUR, to_ms)
        assert re.search(rf"payments-{worst['partition']}: committed {worst['committed']:,} of .* last commit", shown)
        assert "Partitions of each member" in shown
