"""Tables made by tasks from files: the same rows as the tables' functions give for everything at once, however work is cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

from muster.pipeline import jobs_tables
from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.old.jobs_bundles import Home, bundles, homes
from muster.pipeline.old.jobs_files import BatchFiles
from muster.pipeline.old.jobs_ingest import rows_table
from muster.pipeline.old.jobs_read import in_log_order
from muster.pipeline.old.jobs_tables import MakeTables
from muster.pipeline.old.lake import Lake
from muster.pipeline.old.manifest import DataFile
from muster.pipeline.schemas import BRONZE, GOLD, SILVER, TABLES
from muster.pipeline.tables.build import GoldSettings, build_gold
from muster.pipeline.tables.silver import finish_silver
from tests.pipeline.jobs.kafka_log import rows_in
from tests.pipeline.lake.lakes import append, bronze


def _sorted(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


def test_published_tables_are_what_the_functions_give_for_everything_at_once(whole: Path) -> None:
    lake = Lake.open(whole)
    rows = {name: _frame(lake, stored) for name, stored in _STORED.items() if lake.paths(stored)}
    silver = finish_silver(rows)
    gold = build_gold({**rows, **silver}, GoldSettings(now_ms=lake.manifest.gold_at_ms))
    for name, frame in {**silver, **gold}.items():
        assert _sorted(rows_in(whole, name)) == _sorted(frame.to_arrow().cast(TABLES[name]).to_pylist()), name


_STORED = {name: name for name in BRONZE} | {name: rows_table(name) for name in ROW_TABLES}


def _frame(lake: Lake, stored: str) -> pl.DataFrame:
    return pl.concat([pl.DataFrame(pl.from_arrow(pq.ParquetFile(path).read())) for path in lake.paths(stored)])


@pytest.mark.parametrize(("bundle_rows", "most_rows"), [(1, 10**9), (10**9, 20), (60, 7)])
def test_cutting_into_bundles_and_shares_cannot_be_seen(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundle_rows: int, most_rows: int
) -> None:
    """A bundle holds whole groups, a share whole keys."""
    monkeypatch.setattr(jobs_tables, "MOST_ROWS", most_rows)
    lake = Lake.open(whole)
    leo, samples = (tuple(file.path for file in lake.manifest.files(name)) for name in ("s_leo", "b_leo_sample"))
    settings = GoldSettings(now_ms=lake.manifest.gold_at_ms)
    found: dict[str, list[dict[str, Any]]] = {}
    for number, bundle in enumerate(bundles(homes(lake.manifest), bundle_rows)):
        files = BatchFiles(tmp_path, 1, f"groups-{number}")
        MakeTables(whole.resolve(), bundle, leo, samples, settings, silver_from_ms=0)(files)
        for table, written in files.close().items():
            found.setdefault(table, []).extend(
                row for file in written for row in pq.ParquetFile(tmp_path / file.path).read().to_pylist()
            )
    for table in {*SILVER, *GOLD} - {"s_leo"}:
        assert _sorted(found.get(table, [])) == _sorted(rows_in(whole, table)), table


def test_large_log_partitions_stay_alone_and_small_ones_go_together() -> None:
    def home(number: int, records: int) -> Home:
        part = f"__consumer_offsets-{number}-c"
        return Home(f"{number}-c", {"b_log_record": [DataFile("f", records, 1, part)]})

    cut = bundles([home(0, 10), home(1, 20), home(2, 900), home(3, 5)], rows=100)
    assert [[each.records for each in bundle] for bundle in cut] == [[10, 20], [900], [5]]


def test_journal_goes_with_the_log_partition_of_its_groups(tmp_path: Path) -> None:
    with Lake.open_or_create(tmp_path).write() as writer:
        for topic in ("__consumer_offsets", "__group_journal"):
            append(writer, {"b_log_record": [bronze(0, 0)]}, part=f"{topic}-7-abc")
        (home,) = homes(writer.manifest)
    assert (home.name, home.records) == ("7-abc", 2)


@pytest.mark.parametrize(
    "batches",
    [
        [[(0, "a"), (1, "a")], [(2, "a"), (3, "b")]],
        [[(0, "b"), (1, "a"), (2, "b")], [(3, "a")]],  # records around midnight lie in the files of two days
    ],
)
def test_rows_come_in_the_order_of_the_log(batches: list[list[tuple[int, str]]], tmp_path: Path) -> None:
    with Lake.open_or_create(tmp_path).write() as writer:
        for rows in batches:
            append(writer, {"b_log_record": [bronze(offset, offset, dt=dt) for offset, dt in rows]})
        paths = [file.path for file in reversed(writer.manifest.files("b_log_record"))]
    for columns in (None, ["log_offset"]):
        found = [batch.column("log_offset").to_pylist() for batch in in_log_order(tmp_path, paths, columns)]
        assert [offset for part in found for offset in part] == [0, 1, 2, 3]
