"""A real streaming query over a real server, killed twice: its group is never ahead of its checkpoint, nor far behind it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from muster.cli.main import main
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.tracking.story import fill, tell_story
from tests.pipeline.tracking.tracked_run import GROUP


def test_group_of_a_killed_query_is_never_ahead_of_its_checkpoint_and_at_most_one_micro_batch_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"muster.data": str(tmp_path / "data"), "listeners": "127.0.0.1:0"}
    with RunningServer(Settings.of(settings)) as server:
        fill(server.address, 120)
        figures = tell_story(server.address, tmp_path)
        assert figures["failures"] == 0
        assert figures["last_error"] is None
        assert_shown(server.address, capsys)


def assert_shown(bootstrap: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By the commands that people ask, in words and as JSON."""
    assert main(["groups", "describe", GROUP, "--bootstrap", bootstrap]) == 0
    assert "A tracked streaming query of Spark: query " in capsys.readouterr().out
    described = as_json(capsys, "groups", "describe", GROUP, "--bootstrap", bootstrap)
    assert (described["state"], described["member_count"], described["lag"]) == ("Empty", 0, 0)
    explained = as_json(capsys, "groups", "explain", GROUP, "--bootstrap", bootstrap)
    assert explained["tracked_query"] == described["tracked_query"]
    assert explained["tracked_query"]["duration_ms"] > 0
    assert main(["groups", "explain", GROUP, "--bootstrap", bootstrap]) == 0
    said = capsys.readouterr().out
    assert f"run {explained['tracked_query']['run_id']}" in said
    assert "which took" in said


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found
