"""History from a lake: the report's plots of one group, for any span, in a real browser."""

from __future__ import annotations

from pathlib import Path

from muster.testing import Broker
from tests.browser import Browser
from tests.console.console_process import ConsoleProcess
from tests.console.looking import shows
from tests.pipeline.report.lake_of import write_lake
from tests.pipeline.report.sample_lag import CLUSTER, END
from tests.pipeline.report.sample_lake import sample_tables


def test_the_plots_of_a_group_are_drawn_for_its_last_day_and_for_any_span(
    broker: Broker, browser: Browser, tmp_path: Path
) -> None:
    tables = sample_tables()
    lake = write_lake(tmp_path / "lake", tables)
    group = str(tables["g_rebalance"]["group_id"][0].as_py())
    with ConsoleProcess(broker.bootstrap_servers, "--lake", str(lake), "--lake-cluster", CLUSTER) as console:
        browser.visit(f"{console.address}/history?group={group}")
        shows(browser, ".plots", group, "Who owned")
        assert browser.value("document.querySelectorAll('.plots svg').length") > 3
        assert browser.complaints() == []
        browser.visit(f"{console.address}/history?group={group}&from={END - 7_200_000}&to={END - 3_600_000}")
        shows(browser, ".plots", group)
        browser.visit(f"{console.address}/history?group=nobody")
        shows(browser, "main", "The lake has nothing of this group in that time")
        answer = console.ask("/history?group=x&from=yesterday")
        assert "from must be a UTC time" in answer.text


def test_a_group_of_another_cluster_is_not_taken_for_the_one_of_this_cluster(broker: Broker, tmp_path: Path) -> None:
    lake = write_lake(tmp_path / "lake", sample_tables())
    with ConsoleProcess(broker.bootstrap_servers, "--lake", str(lake)) as console:
        text = console.ask("/history?group=fraud-scoring").text
        assert f"of that name in {CLUSTER}" in text
        assert "--lake-cluster" in text
        assert "<svg" not in text


def test_a_lake_that_is_not_there_is_told_on_the_page(broker: Broker, tmp_path: Path) -> None:
    with ConsoleProcess(broker.bootstrap_servers, "--lake", str(tmp_path / "none")) as console:
        assert "no lake at" in console.ask("/history?group=g").text


def test_without_a_lake_there_is_no_history(console: ConsoleProcess) -> None:
    assert console.ask("/history").status == 404
    assert "History" not in console.ask("/").text
