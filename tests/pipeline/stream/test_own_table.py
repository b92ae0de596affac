"""The worked example of docs/write-your-own-table.md, on the lake of a real Kafka's log."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from muster.pipeline import open_lake
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


def test_example_sums_up_the_rebalances_of_each_group(spark: Any, whole: Lake, example: ModuleType) -> None:
    lake = open_lake(spark, str(whole.location))
    table = example.costly_rebalances(lake.table("g_rebalance"), lake.table("g_lag"))
    found = {row["group_id"]: row["rebalances"] for row in table.collect()}
    counted: dict[str, int] = {}
    for group in whole.arrow("g_rebalance")["group_id"].to_pylist():
        counted[group] = counted.get(group, 0) + 1
    assert found == counted
    assert table.columns == ["cluster", "group_id", "rebalances", "paused_ms", "worst_cause", "lag"]


def test_page_shows_the_example_as_it_is() -> None:
    page = (ROOT / "docs" / "write-your-own-table.md").read_text()
    source = EXAMPLE.read_text()
    start = source.index("def costly_rebalances(")
    assert source[start : source.index("\n\n\ndef main")] in page
