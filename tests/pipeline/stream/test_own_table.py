"""The worked example of docs/write-your-own-table.md, on the lake of a real Kafka's log."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from muster.pipeline.lake.reader import Lake

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "own-table" / "costly_rebalances.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("costly_rebalances", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table(spark: Any, whole: Lake, example: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    """What the program has written, in the tests' session instead of one that spark-submit has started."""
    out = tmp_path_factory.mktemp("own") / "costly-rebalances"
    example.main(str(whole.location), str(out))
    return pq.read_table(out)


def test_example_sums_up_the_rebalances_of_each_group(whole: Lake, table: pa.Table) -> None:
    rebalances = whole.arrow("g_rebalance").to_pylist()
    found = {row["group_id"]: (row["rebalances"], row["paused_ms"]) for row in table.to_pylist()}
    for group in {row["group_id"] for row in rebalances}:
        pauses = [row["pause_max_ms"] or 0 for row in rebalances if row["group_id"] == group]
        assert found.pop(group) == (len(pauses), sum(pauses))
    assert found == {}
    assert table.column_names == ["cluster", "group_id", "rebalances", "paused_ms", "worst_cause", "lag"]


def test_example_has_the_lag_as_of_now(whole: Lake, table: pa.Table) -> None:
    lags: dict[str, int] = {}
    for row in whole.arrow("g_lag").to_pylist():
        if row["lag"] is not None:
            lags[row["group_id"]] = lags.get(row["group_id"], 0) + row["lag"]
    found = {row["group_id"]: row["lag"] for row in table.to_pylist()}
    assert found == {group: lags.get(group) for group in found}


def test_page_shows_the_example_as_it_is() -> None:
    page = (ROOT / "docs" / "write-your-own-table.md").read_text()
    source = EXAMPLE.read_text()
    start = source.index("def costly_rebalances(")
    assert source[start : source.index("\n\n\ndef main")] in page
