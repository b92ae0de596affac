"""Law: histories of real clients come out with the right cause, author and confidence; with the journal, and from the log alone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from muster.explain.causes import CONFIDENCE as INFERRED_CONFIDENCE
from muster.pipeline.lake.reader import Lake
from muster.pipeline.query import ask
from muster.pipeline.table_query import TableQuery
from tests.pipeline.real_histories import EXPECTED, LIBRARIES, STATIC, RealHistory, history_of
from tests.pipeline.stream.lakes import LakeRun, source_of

JOURNAL, LOG_ALONE = "with the journal", "from the log alone"
CONFIDENCE = {**INFERRED_CONFIDENCE, "session_expired": 0.6}
"""Of what is inferred from the log; the last one from its commits."""


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> RealHistory:
    return history_of(tmp_path_factory)


@pytest.fixture(scope="module")
def lake(spark: Any, history: RealHistory, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Both ways in one lake: the copy without a journal counts as another cluster."""
    home = tmp_path_factory.mktemp("causes")
    bare = home / "bare"
    shutil.copytree(history.data, bare, ignore=shutil.ignore_patterns("__group_journal-*"))
    for data, cluster in ((Path(history.data), JOURNAL), (bare, LOG_ALONE)):
        lake = LakeRun(spark, home / "lake", source_of(data, cluster)).run()
    return lake


def rows(lake: Lake, table: str, cluster: str, group: str, order: str) -> list[dict[str, Any]]:
    asked = TableQuery(table, equal={"cluster": cluster, "group_id": group}, order=((order, False),))
    found: list[dict[str, Any]] = ask(lake, asked).rows.to_pylist()
    return found


def name_in(member_id: str | None) -> str | None:
    """Coordinators begin a member id with the client id, or with the instance id of a static member."""
    return None if member_id is None else member_id.partition("-")[0]


@pytest.mark.parametrize("library", LIBRARIES)
def test_journal_tells_cause_and_author_of_every_rebalance_of_real_clients(
    lake: Lake, history: RealHistory, library: str
) -> None:
    told = rows(lake, "g_rebalance", JOURNAL, history.groups[library], "generation")
    assert [(row["cause"], name_in(row["trigger_member"]), row["members_after"]) for row in told] == [
        (each.cause, each.author, each.members_after) for each in EXPECTED
    ]
    assert [row["generation"] for row in told] == list(range(1, len(EXPECTED) + 1))
    assert {row["source"] for row in told} == {"journal"}
    # A coordinator sees only that the leader joined again; that there are more partitions is read from the assignment.
    assert [row["confidence"] for row in told] == [0.9 if each.cause == "partitions_grew" else 1.0 for each in EXPECTED]
    assert all(row["started_ms"] <= row["ended_ms"] for row in told)


@pytest.mark.parametrize("library", LIBRARIES)
def test_log_alone_tells_what_it_can_with_less_confidence(lake: Lake, history: RealHistory, library: str) -> None:
    told = rows(lake, "g_rebalance", LOG_ALONE, history.groups[library], "generation")
    # Nobody's act is behind a topic that grew: the log does not say who saw it first.
    authors = [None if each.from_log == "partitions_grew" else each.author for each in EXPECTED]
    assert [(row["cause"], name_in(row["trigger_member"])) for row in told] == [
        (each.from_log, author) for each, author in zip(EXPECTED, authors, strict=True)
    ]
    assert [row["confidence"] for row in told] == [CONFIDENCE[each.from_log] for each in EXPECTED]
    assert {row["source"] for row in told} == {"log"}
    assert {row["started_ms"] for row in told} == {None}


@pytest.mark.parametrize("cluster", [JOURNAL, LOG_ALONE])
@pytest.mark.parametrize("library", LIBRARIES)
def test_restart_of_a_static_member_is_seen_and_is_no_rebalance(
    lake: Lake, history: RealHistory, library: str, cluster: str
) -> None:
    """KIP-345; trap 32."""
    members = rows(lake, "g_member", cluster, history.groups[library], "first_seen_ms")
    (stella,) = [row for row in members if row["identity"] == STATIC]
    assert (stella["n_restarts"], stella["is_static"]) == (1, True)
    days = rows(lake, "g_member_churn", cluster, history.groups[library], "dt")  # two around midnight
    assert sum(day["static_restarts"] for day in days) == 1
    assert sum(day["rebalances"] for day in days) == len(EXPECTED)
