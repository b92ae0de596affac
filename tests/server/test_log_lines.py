"""What a server logs: as text or JSON, by area, a line a rebalance that no client can make many of."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

import muster
from muster.core.journal import JournalEvent
from muster.log_limit import LINES
from muster.runtime.rebalance_watch import RebalanceWatch
from muster.server.log_areas import AREAS, warnings_about
from muster.server.log_lines import JsonLines
from muster.server.settings import Settings
from muster.topics.config_types import ConfigError
from tests.cli.command import PATIENCE_SECONDS, command


def ended(group: str = "billing", **detail: object) -> JournalEvent:
    found: dict[str, object] = {
        "members": 2,
        "started_by": "member_left",
        "join_phase_ms": 40,
        "sync_phase_ms": 1,
        "result": "stable",
        "dropped": [],
        **detail,
    }
    return JournalEvent("rebalance_ended", 0, group, 7, "assignment_stored", detail=found)


def test_a_rebalance_gets_one_line_with_its_cause(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "muster.rebalances")
    watch = RebalanceWatch(lambda: 0.0, with_lines=True)
    watch(JournalEvent("rebalance_started", 0, "billing", 6, "member_left"))
    watch(ended())
    assert caplog.messages == [
        "group 'billing' rebalanced because of member left, generation 7, 2 members, took 41 ms, stable"
    ]
    assert watch.by_cause == {"member_left": 1}
    watch(ended(members=1))
    assert "1 member, took" in caplog.messages[-1]


def test_a_higher_epoch_of_a_consumer_group_gets_one_too(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "muster.rebalances")
    watch = RebalanceWatch(lambda: 0.0, with_lines=True)
    watch(JournalEvent("epoch_raised", 0, "billing", 4, "new_member"))
    assert caplog.messages == ["group 'billing' has epoch 4 because of new member"]
    assert watch.by_cause == {"new_member": 1}


def test_the_lines_can_be_switched_off_and_the_counts_stay(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "muster.rebalances")
    watch = RebalanceWatch(lambda: 0.0, with_lines=False)
    watch(JournalEvent("rebalance_started", 0, "billing", 6, "member_left"))
    watch(ended())
    assert (caplog.messages, watch.by_cause["member_left"]) == ([], 1)


def test_clients_cannot_flood_the_log_nor_break_a_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "muster.rebalances")
    watch = RebalanceWatch(lambda: 0.0, with_lines=True)
    for number in range(LINES + 50):
        watch(ended(f"evil\n\x1b[31m{number}"))
    assert len(caplog.messages) == LINES
    assert all(message.isprintable() for message in caplog.messages)


def test_a_json_line_has_time_level_area_and_message() -> None:
    record = logging.LogRecord("muster.server", logging.WARNING, "f.py", 1, "a %s\nb", ("name",), None)
    record.created = 1_790_000_000.5
    text = JsonLines(node_id=None).format(record)
    assert "\n" not in text
    assert json.loads(text) == {
        "time": "2026-09-21T14:13:20.500+00:00",
        "level": "warning",
        "area": "muster.server",
        "message": "a name\nb",
    }
    assert json.loads(JsonLines(node_id=2).format(record))["node"] == 2


def test_a_server_logs_json_and_leaves_out_what_an_area_may_not_say() -> None:
    flags = ("serve", "--memory", "--listen", "127.0.0.1:0", "--log-format", "json")
    assert "muster.server" in _areas_of_a_run(*flags)
    assert "muster.server" not in _areas_of_a_run(*flags, "--set", "muster.log.levels=muster.server:error")


def _areas_of_a_run(*flags: str) -> set[str]:
    """From its start to a stop; every line of it is JSON."""
    server = subprocess.Popen(command(*flags), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert "listening on" in server.stdout.readline()
    server.terminate()
    _, lines = server.communicate(timeout=PATIENCE_SECONDS)
    return {json.loads(line)["area"] for line in lines.splitlines()}


@pytest.mark.parametrize(
    ("area", "near"),
    [
        ("muster.rebalance", "; did you mean muster.rebalances?"),
        ("muster.runtime.compacton", "; did you mean muster.runtime.compaction?"),
        ("muster.sever.listener", "; did you mean muster.listener?"),
        ("muster.no.such.room", "; there are muster.audit, muster.connection, "),
        ("muster.", "; there are muster.audit, muster.connection, "),
    ],
)
def test_a_level_for_an_area_that_does_not_exist_is_a_warning_with_the_nearest_name(area: str, near: str) -> None:
    (said,) = warnings_about(["muster.audit", area, "muster.runtime", "muster.topics.catalog"])
    assert said.startswith(f"muster.log.levels: nothing logs under {area}{near}")


@pytest.mark.parametrize("area", ["muster.__main__.x", "os.path", "nothing", "", "muster./etc.x", "muster.log_limit.x"])
def test_whatever_is_said_for_an_area_nothing_is_imported(area: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "muster.__main__", raising=False)
    (said,) = warnings_about([area])
    assert f"nothing logs under {area};" in said
    assert "muster.__main__" not in sys.modules


def test_a_server_starts_all_the_same_and_says_it_in_one_line() -> None:
    flags = ("serve", "--memory", "--listen", "127.0.0.1:0", "--set", "muster.log.levels=muster.rebalance:error")
    with subprocess.Popen(command(*flags), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert "listening on" in server.stdout.readline()
        server.terminate()
        _, lines = server.communicate(timeout=PATIENCE_SECONDS)
    (said,) = [line for line in lines.splitlines() if "WARNING" in line]
    assert said.endswith("muster.log.levels: nothing logs under muster.rebalance; did you mean muster.rebalances?")


def test_the_areas_are_those_that_the_server_s_code_names() -> None:
    rooms = ("cluster", "log", "runtime", "security", "server", "testing", "topics")
    source = Path(muster.__file__).parent
    named = {
        area
        for room in rooms
        for path in (source / room).rglob("*.py")
        for area in re.findall(r'getLogger\("(muster\.\w+)"\)', path.read_text(encoding="utf-8"))
    }
    assert named - {f"muster.{room}" for room in rooms} == set(AREAS)
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert all(f"`{area}`" in page for area in AREAS)


@pytest.mark.parametrize("text", ["server:debug", "muster.server", "muster.server:loud"])
def test_levels_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"must be AREA:LEVEL"):
        Settings.of({"muster.log.levels": text})
