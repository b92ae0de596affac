"""A partition that is not found any more while others are: nothing that was known of its end is told as of now."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from muster.pipeline.lake.location import Location
from muster.pipeline.lake.reader import Lake
from muster.pipeline.round import RoundWriter
from muster.pipeline.round_settings import Gold, RoundSettings, wall_clock_ms
from muster.pipeline.sources.run_source import directory_source
from tests.pipeline.stream.lakes import SETTINGS, LakeRun

Place = tuple[str, int]


def by_place(lake: Lake, table: str) -> dict[Place, list[dict[str, Any]]]:
    found: dict[Place, list[dict[str, Any]]] = {}
    for row in lake.arrow(table).to_pylist():
        found.setdefault((row["topic"], row["partition"]), []).append(row)
    return found


def some_place_with_lag_known(lake: Lake) -> Place:
    return min(place for place, rows in by_place(lake, "g_lag").items() if all(row["lag"] is not None for row in rows))


def test_end_that_is_missed_for_two_rounds_is_not_known_until_it_comes_back(
    spark: Any, data: Path, tmp_path: Path
) -> None:
    directory, lake = tmp_path / "data", tmp_path / "lake"
    shutil.copytree(data, directory)
    source = directory_source((str(directory),), "kafka", is_live=True)
    now = 0
    LakeRun(spark, lake, source).run()
    writer = RoundWriter(Location.parse(lake), source, RoundSettings(SETTINGS, clock=lambda: now))
    now = wall_clock_ms()
    writer.make_gold(spark, Gold())
    before = Lake.open(lake)
    topic, partition = gone = some_place_with_lag_known(before)

    def after_a_minute(check: Callable[[Lake], object], gold: Gold | None = None) -> None:
        nonlocal now
        now += 60_000
        assert writer.make_gold(spark, gold or Gold()) is not None
        check(Lake.open(lake))

    def is_known(found: Lake) -> None:
        assert [row["lag"] for row in by_place(found, "g_lag")[gone]] == [
            row["lag"] for row in by_place(before, "g_lag")[gone]
        ]
        assert "NO_DATA" not in {row["status"] for row in by_place(found, "g_status")[gone]}

    def is_not_known(found: Lake) -> None:
        lag, status = by_place(found, "g_lag"), by_place(found, "g_status")
        for row in lag[gone]:
            assert (row["method"], row["end"], row["lag"], row["time_lag_hi_ms"]) == ("no_end", None, None, None)
        for row in status[gone]:
            assert (row["status"], row["burrow_status"]) == ("NO_DATA", None)
            assert "the last end that is known is 2 min old" in row["evidence"]
        others = {place: [row["lag"] for row in rows] for place, rows in lag.items() if place != gone}
        assert others == {
            place: [row["lag"] for row in rows] for place, rows in by_place(before, "g_lag").items() if place != gone
        }
        groups = {row["group_id"]: row for row in found.arrow("g_group_lag").to_pylist()}
        for row in lag[gone]:
            of_group = groups[row["group_id"]]
            assert (of_group["n_no_end"], of_group["time_lag_max_ms"]) != (0, 0)

    moved = directory / f"{topic}-{partition}"
    moved.rename(tmp_path / "elsewhere")
    after_a_minute(is_known)
    after_a_minute(is_not_known, Gold(only_changes=True))
    assert writer.make_gold(spark, Gold(only_changes=True)) is None, "nothing has changed since"
    (tmp_path / "elsewhere").rename(moved)
    after_a_minute(is_known, Gold(only_changes=True))
