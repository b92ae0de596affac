"""`muster lag` and its siblings over a lake: tables, JSON lines, CSV, filters, coverage, refusals. No Java is started."""

from __future__ import annotations

import csv
import io
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from muster.cli.main import COMMANDS as ALL
from muster.cli.main import main
from tests.cli.command import command, piped, terminal
from tests.pipeline.lake.delta_lakes import gold_lake

AT = 1_800_000_000_000
HOUR = 3_600_000


def _lag(group: str, topic: str, partition: int, committed: int | None, end: int, **more: Any) -> dict[str, Any]:
    lag = None if committed is None else end - committed
    row = {"cluster": "east", "group_id": group, "topic": topic, "partition": partition, "at_ms": AT, "end": end}
    return {
        **row,
        "committed": committed,
        "lag": lag,
        "lag_raw": lag,
        "method": "bracket",
        "provisional": False,
        **more,
    }


GOLD: dict[str, list[dict[str, Any]]] = {
    "g_lag": [
        _lag("billing", "orders", 0, 10, 110, time_lag_lo_ms=60_000, time_lag_hi_ms=90_000, time_lag_est_ms=75_000),
        _lag("billing", "orders", 1, 110, 110, time_lag_lo_ms=0, time_lag_hi_ms=0, time_lag_est_ms=0),
        _lag("audit", "clicks", 0, 0, 7, time_lag_lo_ms=HOUR, time_lag_hi_ms=None, time_lag_est_ms=HOUR),
        _lag("", "clicks", 1, None, 7, method="no_position"),
    ],
    "g_group_lag": [{"cluster": "east", "group_id": "billing", "n_partitions": 2, "lag_sum": 100, "lag_max": 100}],
    "g_status": [
        {
            "cluster": "east",
            "group_id": "billing",
            "topic": "orders",
            "partition": 0,
            "status": "STALLED",
            "evidence": "x",
        },
        {"cluster": "east", "group_id": "billing", "topic": "orders", "partition": 1, "status": "OK"},
    ],
    "g_rebalance": [
        {"cluster": "east", "group_id": "billing", "generation": 3, "ended_ms": AT - HOUR, "cause": "new_member"},
        {"cluster": "east", "group_id": "billing", "generation": 4, "ended_ms": AT - 60_000, "cause": "member_left"},
    ],
    "g_rebalance_pause": [
        {
            "cluster": "east",
            "group_id": "billing",
            "generation": 4,
            "ended_ms": AT,
            "topic": "orders",
            "partition": partition,
            "owner": "m-1",
            "pause_ms": 100 * partition,
        }
        for partition in (1, 2)
    ],
    "g_rebalance_episode": [
        {
            "cluster": "east",
            "group_id": "billing",
            "kind": "storm",
            "started_ms": AT,
            "ended_ms": AT + 5,
            "causes": ["a"],
        }
    ],
    "g_member": [
        {"cluster": "east", "group_id": "billing", "identity": "m1", "is_present": True},
        {"cluster": "east", "group_id": "billing", "identity": "m2", "is_present": False, "left_because": "expired"},
    ],
    "g_member_churn": [{"cluster": "east", "group_id": "billing", "dt": "2026-11-15", "joins": 4}],
    "g_assignment_balance": [{"cluster": "east", "group_id": "billing", "generation": 4, "max_over_mean": 2.5}],
    "g_expiry": [
        {
            "cluster": "east",
            "group_id": "old",
            "topic": "t",
            "partition": 0,
            "expires_ms": AT + HOUR,
            "reason": "empty",
        },
        {"cluster": "east", "group_id": "old", "topic": "t", "partition": 1, "expires_ms": AT + 72 * HOUR},
        {"cluster": "east", "group_id": "billing", "topic": "t", "partition": 0, "expires_ms": None},
    ],
    "g_abandoned": [{"cluster": "east", "group_id": "console-consumer-1", "score": 0.9, "evidence": "no members"}],
    "g_hot_committers": [
        {"cluster": "east", "group_id": "busy", "hour_ms": AT, "commits": 90_000, "useless_share": 0.25}
    ],
    "g_data_quality": [
        {
            "cluster": "east",
            "log_topic": "__consumer_offsets",
            "log_partition": 0,
            "records": 5000,
            "gaps": 2,
            "quarantined": 0,
        }
    ],
}

COMMANDS = ("lag", "status", "rebalances", "members", "balance", "expiring", "abandoned", "committers", "doctor")


def test_every_question_is_asked_here() -> None:
    asked = {name for name, (module, _) in ALL.items() if module.startswith("muster.cli.lake.")} - {
        "pipeline",
        "whatif",
    }
    assert asked == {*COMMANDS}


@pytest.fixture
def lake(tmp_path: Path) -> str:
    return str(gold_lake(tmp_path / "lake", GOLD, at_ms=AT).location)


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main([*arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_lag_as_json_lines_names_what_scripts_need_worst_first(lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not known comes before what is not behind: a page of the first rows must not leave it out."""
    rows = _json(capsys, "lag", "--lake", lake)
    wanted = ("group", "topic", "partition", "committed", "end", "lag")
    assert [tuple(row[name] for name in wanted) for row in rows] == [
        ("billing", "orders", 0, 10, 110, 100),
        ("audit", "clicks", 0, 0, 7, 7),
        ("", "clicks", 1, None, 7, None),
        ("billing", "orders", 1, 110, 110, 0),
    ]
    late = [row["time_lag_est_ms"] for row in _json(capsys, "lag", "--by", "time", "--lake", lake)]
    assert late == [HOUR, 75_000, None, 0]


def test_lag_for_people_shows_the_bracket_the_empty_name_and_the_coverage(lake: str) -> None:
    with terminal("lag", "--lake", lake, bootstrap="") as screen:
        assert screen.ended() == 0
    assert "1 min to 1 min 30 s" in screen.shown
    assert "at least 1 h" in screen.shown
    assert '""' in screen.shown
    assert "4 partitions" in screen.shown
    assert "coverage: as of 2027-01-15 08:00:00 UTC, from 5,000 log records, 2 holes (compaction)" in screen.shown


def test_at_least_nothing_is_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first unread record lies below the first sample of the ends: it was written just now, or long ago."""
    below = {"time_lag_lo_ms": 0, "time_lag_hi_ms": None, "time_lag_est_ms": None, "method": "left_bound"}
    rows = [
        _lag("below", "orders", 0, 10, 17, **below),
        {**_lag("endless", "orders", 0, 10, 10, method="no_end"), "end": None, "lag": None, "lag_raw": None},
    ]
    sums = [{"cluster": "east", "group_id": "endless", "n_partitions": 1, "n_no_end": 1}]
    root = str(gold_lake(tmp_path / "open", {**GOLD, "g_lag": rows, "g_group_lag": sums}, at_ms=AT).location)
    assert main(["lag", "--lake", root]) == main(["lag", "--groups", "--lake", root]) == 0
    shown = capsys.readouterr().out
    assert "at least" not in shown
    assert [" not known " in line for line in shown.splitlines() if "below" in line] == [True]
    assert [line.count(" not known ") for line in shown.splitlines() if "endless" in line] == [2, 2], "its lag too"


def test_the_longest_time_lag_of_a_group_is_at_least_that_where_another_is_not_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sums: list[dict[str, Any]] = [
        {"group_id": "half", "n_time_open": 1, "lag_sum": 9, "time_lag_max_ms": 2_000},
        {"group_id": "whole", "n_time_open": 0, "lag_sum": 9, "time_lag_max_ms": 2_000},
        {"group_id": "old", "lag_sum": 9, "time_lag_max_ms": 2_000},  # of a lake that does not count them
        {"group_id": "none", "n_time_open": 2, "lag_sum": 9},
        {"group_id": "idle", "n_time_open": 0},
    ]
    rows = [{"cluster": "east", **row} for row in sums]
    root = str(gold_lake(tmp_path / "sums", {**GOLD, "g_group_lag": rows}, at_ms=AT).location)
    assert main(["lag", "--groups", "--lake", root]) == 0
    shown = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    said = {group: " ".join(rest.split()[6:-1]) for group, rest in shown[1:]}
    assert said == {"half": "at least 2 s", "whole": "2 s", "old": "2 s", "none": "not known", "idle": "-"}


@pytest.fixture
def wide_lake(tmp_path: Path) -> str:
    """Sixty partitions of a topic with a long name, read by a group with a longer one."""
    rows = [_lag(f"{'team.' * 30}billing", f"{'orders-' * 20}eu", partition, 0, 1) for partition in range(60)]
    return str(gold_lake(tmp_path / "wide", {**GOLD, "g_lag": rows}, at_ms=AT).location)


def test_a_pipe_gets_every_row_on_a_line_of_its_own_with_whole_names(wide_lake: str) -> None:
    """`muster lag | grep billing`: no frame, nothing folded or cut, nothing but rows below the heading."""
    told = piped("lag", "--lake", wide_lake, bootstrap="").done()
    heading, *lines = told.out.splitlines()
    assert heading.split()[:4] == ["group", "topic", "partition", "committed"]
    assert [line.split()[:3] for line in lines] == [
        [f"{'team.' * 30}billing", f"{'orders-' * 20}eu", str(partition)] for partition in range(60)
    ]
    assert told.err.splitlines()[0] == "60 partitions"
    assert told.err.splitlines()[1].startswith("coverage: ")


def test_a_terminal_gets_fifty_rows_in_its_own_width(wide_lake: str) -> None:
    with terminal("lag", "--lake", wide_lake, bootstrap="") as screen:
        assert screen.ended() == 0
    assert max(map(len, screen.shown.splitlines())) <= 160
    assert "50 partitions, 10 more not shown (--top 0 shows all)" in screen.shown


def test_a_reader_that_has_seen_enough_is_no_failure(wide_lake: str) -> None:
    shell = f"{shlex.join(command('lag', '--lake', wide_lake, '--json'))} | head -1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout.count("\n")) == (0, 1), ran.stderr
    assert "Error" not in ran.stderr


def test_lag_ordered_by_time_begins_with_the_oldest(lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _json(capsys, "lag", "--lake", lake, "--by", "time")[0]["group"] == "audit"


@pytest.mark.parametrize(
    ("flags", "groups"),
    [
        (["--group", "billing"], ["billing", "billing"]),
        (["--group", "bil*"], ["billing", "billing"]),
        (["--group", "bil.*"], []),
        (["--group", ""], [""]),
        (["--topic", "clicks"], ["audit", ""]),
        (["--min-lag", "8"], ["billing"]),
        (["--top", "1"], ["billing"]),
        (["--group", "old"], []),
    ],
)
def test_lag_filters(flags: list[str], groups: list[str], lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert [row["group"] for row in _json(capsys, "lag", "--lake", lake, *flags)] == groups


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--group", "biling"], "the lake has no group biling; did you mean billing?"),
        (["--group", "zz"], "the lake has no group zz; it knows 5 groups"),
        (["--topic", "order"], "the lake has no topic order; did you mean orders?"),
        (["--cluster", "west"], "the lake has no cluster west"),
    ],
)
def test_a_name_that_the_lake_does_not_know_is_no_answer_of_zero_rows(
    flags: list[str], said: str, lake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lag", "--lake", lake, *flags]) == 1
    assert said in capsys.readouterr().err


def test_the_lake_can_be_named_by_a_variable(
    lake: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUSTER_LAKE", lake)
    assert len(_json(capsys, "lag")) == 4


def test_without_a_lake_the_variable_is_named_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MUSTER_LAKE", raising=False)
    with pytest.raises(SystemExit):
        main(["lag"])
    assert capsys.readouterr().err.splitlines()[0] == (
        "muster lag: the following arguments are required: --lake; --lake can also be set as MUSTER_LAKE"
    )


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "1 offset expiring within 48h"),
        (["--within", "30min"], "0 offsets expiring within 30min"),
        (["--all"], "3 offsets\n"),
    ],
)
def test_expiring_says_its_window(flags: list[str], said: str, lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["expiring", "--lake", lake, *flags]) == 0
    assert said in capsys.readouterr().err


def test_doctor_begins_with_the_worst_and_can_be_cut(lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = [row["verdict"] for row in (json.loads(line) for line in _doctor(capsys, lake))]
    assert verdicts == sorted(verdicts, key=["problem", "note", "fine"].index)
    assert len(_doctor(capsys, lake, "--top", "2")) == 2


def _doctor(capsys: pytest.CaptureFixture[str], lake: str, *flags: str) -> list[str]:
    main(["doctor", "--lake", lake, "--json", *flags])
    return capsys.readouterr().out.splitlines()


def test_what_top_leaves_out_is_said(lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lag", "--lake", lake, "--top", "1"]) == 0
    assert "1 partition, 3 more not shown (--top 0 shows all)" in capsys.readouterr().err


def test_csv_has_a_heading_and_every_row_and_the_coverage_goes_to_stderr(
    lake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lag", "--lake", lake, "--csv"]) == 0
    shown = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert [row["group"] for row in rows] == ["billing", "audit", "", "billing"]
    assert rows[0]["lag"] == "100"
    assert shown.err.startswith("4 partitions\ncoverage: ")


@pytest.mark.parametrize(
    ("arguments", "column", "values"),
    [
        (["lag", "--groups"], "lag_sum", [100]),
        (["status", "--trouble"], "status", ["STALLED"]),
        (["status", "--only", "OK"], "status", ["OK"]),
        (["rebalances"], "generation", [4, 3]),
        (["rebalances", "--since", "30min"], "generation", [4]),
        (["rebalances", "--since", "2027-01-15T06:30"], "generation", [4, 3]),
        (["rebalances", "--cause", "new_*"], "generation", [3]),
        (["rebalances", "--episodes"], "causes", [["a"]]),
        (["rebalances", "--pauses"], "partition", [2, 1]),
        (["members"], "identity", ["m1", "m2"]),
        (["members", "--present"], "identity", ["m1"]),
        (["members", "--churn"], "joins", [4]),
        (["balance", "--uneven", "2"], "max_over_mean", [2.5]),
        (["balance", "--uneven", "3"], "max_over_mean", []),
        (["expiring"], "partition", [0]),
        (["expiring", "--within", "7d"], "partition", [0, 1]),
        (["expiring", "--all"], "partition", [0, 1, 0]),
        (["abandoned"], "group", ["console-consumer-1"]),
        (["abandoned", "--min-score", "0.95"], "group", []),
        (["committers"], "commits", [90_000]),
    ],
)
def test_questions(
    arguments: list[str], column: str, values: list[Any], lake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [row[column] for row in _json(capsys, *arguments, "--lake", lake)] == values


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_a_table_without_an_error(name: str, lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--lake", lake]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) > 1
    assert "muster" not in shown.err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_refuses_a_lake_that_is_not_there(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--lake", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.startswith(f"muster {name}: no lake at {tmp_path}/none: make one with")


def test_a_lake_of_another_version_is_refused(lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = pa.table({"schema_version": pa.array([99], pa.int32())})
    write_deltalake(f"{lake}/table=rounds", rows, mode="overwrite", schema_mode="overwrite")
    assert main(["lag", "--lake", lake]) == 2
    assert "has schema version 99" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["rebalances", "--since", "yesterday"], "--since yesterday: give a span like 90s"),
        (["expiring", "--within", "soon"], "--within soon: give a span"),
        (["expiring", "--within", "99999999999999999d"], "--within 99999999999999999d: give a span of at most 365000d"),
        (["rebalances", "--since", "99999999999999999d"], "--since 99999999999999999d: give a span of at most 365000d"),
        (["committers", "--since", "9" * 400 + "d"], "...: give a span of at most 365000d"),
        (["lag", "--top", "-1"], "--top must be 0 or more"),
        (["lag", "--groups", "--topic", "t"], "--topic does not go with --groups"),
        (["rebalances", "--episodes", "--cause", "x"], "--cause does not go with --episodes"),
        (["rebalances", "--pauses", "--cause", "x"], "--cause does not go with --pauses"),
    ],
)
def test_flags_that_make_no_sense_are_refused_with_what_would(
    arguments: list[str], says: str, lake: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--lake", lake]) == 2
    assert says in capsys.readouterr().err


def test_names_cannot_speak_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Trap 17: group ids are arbitrary text."""
    root = gold_lake(tmp_path / "lake", {"g_lag": [_lag("\x1b[31mred\n[bold]", "t", 0, 0, 1)]}).location
    assert main(["lag", "--lake", str(root)]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\\x1b[31mred\\n[bold]" in shown


def test_answers_of_a_log_that_was_not_read_to_its_end_are_called_provisional(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Trap 28."""
    root = gold_lake(tmp_path / "lake", GOLD, provisional=True).location
    assert main(["lag", "--lake", str(root)]) == 0
    assert "provisional" in capsys.readouterr().err


def test_doctor_finds_a_file_that_is_gone(lake: str, capsys: pytest.CaptureFixture[str]) -> None:
    next(Path(lake).glob("table=g_lag/**/*.parquet")).unlink()
    assert main(["doctor", "--lake", lake, "--json"]) == 1
    checks = {row["check"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert checks["files"]["verdict"] == "problem"
    assert "table=g_lag" in checks["files"]["found"]
    assert checks["holes in the log"]["verdict"] == "note"


def test_doctor_says_which_group_waits_for_an_open_transaction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Trap 5."""
    waiting = {"cluster": "east", "topic": "orders", "partition": 0, "pending_offset": 7}
    rows = [{**waiting, "group_id": f"g{number}", "producer_id": number, "since_ms": AT - number} for number in (1, 2)]
    quality = [{**GOLD["g_data_quality"][0], "open_transactions": 2}]
    root = gold_lake(tmp_path / "lake", {"g_data_quality": quality, "s_pending_offset": rows}).location
    assert main(["doctor", "--lake", str(root), "--json"]) == 0
    checks = {row["check"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    expected = "2, 2 offsets pending; group g2 waits for producer 2 since 2027-01-15 07:59:59 UTC"
    assert checks["open transactions"]["found"] == expected


def test_a_question_imports_neither_spark_nor_pandas(lake: str) -> None:
    """Issue 6: under a second and without Java; importing pandas alone takes longer than the answer."""
    program = (
        "import sys; from muster.cli.main import main; code = main(sys.argv[1:]); "
        "bad = [m for m in ('pyspark', 'pandas') if m in sys.modules]; sys.exit(f'{bad}' if bad else code)"
    )
    filters = ("--group", "billing", "--topic", "o*", "--min-lag", "1", "--cluster", "east")
    for flags in ((), filters):
        asked = subprocess.run(
            [sys.executable, "-c", program, "lag", "--lake", lake, *flags], capture_output=True, text=True
        )
        assert asked.returncode == 0, asked.stderr
