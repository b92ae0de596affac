"""The runner of clients itself: what a program's lines mean, which outcome is green, which difference is a fault."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conformance.clients.contract import Findings, Status, ToolchainMissing, Verdict, read_findings
from tests.conformance.clients.differences import Difference, Meant, compare, reason_for, refusal_is_meant
from tests.conformance.clients.programs import build_once, need, run_program
from tests.conformance.clients.table import is_green, markdown, reasons, shown, table


def _found(status: Status, **sightings: str) -> Findings:
    return Findings({"f": Verdict(status, "why")}, {("f", what): value for what, value in sightings.items()})


def test_lines_with_marks_are_findings_and_all_others_are_talk() -> None:
    found = read_findings(["hello", "@pass\ta", "@fail\tb\tbroken", "@refused\tc\tnot here", "@saw\ta\tx\t1 2\n"])
    assert found.verdicts == {
        "a": Verdict(Status.PASS),
        "b": Verdict(Status.FAIL, "broken"),
        "c": Verdict(Status.REFUSED, "not here"),
    }
    assert found.sightings == {("a", "x"): "1 2"}
    assert found.talk == ["hello"]


def test_a_feature_that_failed_once_stays_failed() -> None:
    assert read_findings(["@fail\ta\tno", "@pass\ta"]).verdicts["a"].status is Status.FAIL


def test_a_feature_that_the_program_is_silent_about_has_failed(tmp_path: Path) -> None:
    found = run_program([sys.executable, "-c", "print('@pass\\ta'); raise SystemExit(3)"], tmp_path, ["a", "b"])
    assert found.verdicts["a"].status is Status.PASS
    assert found.verdicts["b"] == Verdict(Status.FAIL, "the program ended with 3 before it came to this")


def test_a_program_that_hangs_is_stopped_and_its_feature_has_failed(tmp_path: Path) -> None:
    found = run_program([sys.executable, "-c", "import signal; signal.pause()"], tmp_path, ["a"], seconds=1)
    assert found.verdicts["a"] == Verdict(Status.FAIL, "the program was stopped after 1 s")


def test_a_missing_tool_is_named_with_what_to_install() -> None:
    with pytest.raises(ToolchainMissing, match="`no-such-tool` is not on the path: install the thing"):
        need("no-such-tool", "the thing")


def test_a_build_is_kept_until_an_input_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.conformance.clients.programs.CACHE", tmp_path)
    built: list[Path] = []
    first = build_once("x", ["1"], built.append)
    assert build_once("x", ["1"], built.append) == first
    assert build_once("x", ["2"], built.append) != first
    assert len(built) == 2


def test_a_build_that_failed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.conformance.clients.programs.CACHE", tmp_path)

    def fails(folder: Path) -> None:
        raise ToolchainMissing("no network")

    with pytest.raises(ToolchainMissing):
        build_once("x", ["1"], fails)
    built: list[Path] = []
    build_once("x", ["1"], built.append)
    assert len(built) == 1


def test_what_both_brokers_show_alike_is_no_difference_and_the_rest_is() -> None:
    ours, theirs = _found(Status.PASS, a="1", b="1", c="1"), _found(Status.PASS, a="1", b="2", d="1")
    found = [(each.what, each.muster, each.kafka) for each in compare("go", ours, theirs)]
    assert found == [("b", "1", "2"), ("c", "1", "nothing"), ("d", "nothing", "1")]


def test_what_a_failed_feature_showed_is_not_compared() -> None:
    assert list(compare("go", _found(Status.FAIL, a="1"), _found(Status.PASS, a="2"))) == []


def test_a_listed_difference_has_its_reason_and_only_for_what_it_names() -> None:
    known = (Meant("on purpose", feature="f*", what="a", muster="1"),)
    assert reason_for("go", "feature", "a", "1", known) == "on purpose"
    assert reason_for("go", "feature", "a", "2", known) == ""
    assert reason_for("go", "other", "a", "1", known) == ""


def test_green_is_no_failure_at_muster_and_no_difference_that_is_not_meant() -> None:
    well = {"go": {"Muster": _found(Status.PASS), "Kafka": _found(Status.FAIL)}}
    assert is_green(well, [])
    assert is_green(well, [Difference("go", "f", "a", "1", "2", reason="on purpose")])
    assert not is_green(well, [Difference("go", "f", "a", "1", "2")])
    assert not is_green({"go": {"Muster": _found(Status.FAIL)}}, [])
    assert is_green({"go": {"Muster": _found(Status.NOT_RUN)}}, [])


def test_a_refusal_is_green_only_for_what_is_not_built() -> None:
    assert refusal_is_meant("java", "share consumer (KIP-932)")
    assert not refusal_is_meant("java", "group with range")
    assert not is_green({"java": {"Muster": Findings({"group with range": Verdict(Status.REFUSED)})}}, [])


def test_the_table_has_a_row_per_feature_and_a_column_per_broker() -> None:
    outcomes = {"go": {"Muster": _found(Status.FAIL), "Kafka": _found(Status.PASS)}}
    assert [line.split() for line in table(outcomes, ["Muster", "Kafka"])] == [
        ["client", "feature", "Muster", "Kafka"],
        ["go", "f", "FAIL", "pass"],
    ]
    assert list(markdown(outcomes, ["Muster", "Kafka"]))[1:] == ["|---|---|---|---|", "| go | f | FAIL | pass |"]
    assert list(reasons(outcomes, (Status.FAIL,))) == ["go at Muster: f: FAIL: why"]


def test_faults_are_shown_in_full_and_meant_differences_by_reason() -> None:
    meant = [Difference("go", "f", what, "1", "2", "on purpose") for what in ("a", "b")]
    lines = list(shown([*meant, Difference("go", "f", "c", "1", "2")]))
    assert lines[0] == "differs as meant, 2 times: on purpose (go: f: a, ...)"
    assert lines[1] == "1 differences from Kafka that are not meant"
    assert "Muster: 1" in lines[2]
