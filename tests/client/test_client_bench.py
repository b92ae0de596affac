"""`muster bench groups` against a broker in this process: its figures are those of real members, and it cleans up."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from muster.cli import bench
from muster.cli.exit_codes import DONE, FAILED, USAGE
from muster.testing import Broker
from tests.cli.plain_pipes import assert_plain
from tests.client.members import QUICK_CONSUMERS


def run_bench(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    return bench.run(parser.parse_args(["groups", *arguments]))


def test_members_join_live_commit_and_leave_nothing_behind(capsys: pytest.CaptureFixture[str]) -> None:
    with Broker() as broker:
        load = ("--members", "30", "--groups", "3", "--seconds", "2", "--churn", "0.1")
        pace = ("--heartbeat-interval-ms", "50", "--commit-interval-ms", "100", "--assignor", "cooperative-sticky")
        assert run_bench("--bootstrap", broker.bootstrap_servers, *load, *pace, "--json") == DONE
        (line,) = capsys.readouterr().out.splitlines()  # "For programs" in docs/cli.md: an object a line
        figures = json.loads(line)
        assert (figures["members"], figures["groups"], figures["ended"]) == (30, 3, {})
        assert figures["joining_rebalances"] >= 30
        for what in ("heartbeats", "commits", "newcomers"):
            assert figures[what]["count"] > 0
            assert 0 < figures[what]["p50_ms"] <= figures[what]["p99_ms"] <= figures[what]["max_ms"]
        assert broker.groups() == []


def test_members_of_consumer_groups_do_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """KIP-848. The broker says how often they beat."""
    with Broker(QUICK_CONSUMERS) as broker:
        load = ("--members", "30", "--groups", "3", "--seconds", "2", "--churn", "0.1", "--commit-interval-ms", "100")
        flags = ("--bootstrap", broker.bootstrap_servers, "--protocol", "consumer", *load, "--json")
        assert run_bench(*flags) == DONE
        figures = json.loads(capsys.readouterr().out)
        assert (figures["protocol"], figures["assignor"], figures["ended"]) == ("consumer", "uniform", {})
        for what in ("heartbeats", "commits", "newcomers"):
            assert figures[what]["count"] > 0
        assert broker.groups() == []


def test_people_get_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with Broker() as broker:
        assert run_bench("--bootstrap", broker.bootstrap_servers, "--members", "2", "--seconds", "0.1") == DONE
        said = capsys.readouterr().out
        assert_plain(said)
        assert "2 members in 1 group, classic protocol, assignor range" in said
        assert "this program used" in said


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_members_leave_when_it_is_told_to_stop(sent: signal.Signals, code: int) -> None:
    """No members that everybody waits for until their sessions end, no groups, no topic."""
    with Broker() as broker:
        flags = ("--bootstrap", broker.bootstrap_servers, "--members", "3", "--seconds", "600")
        command = [sys.executable, "-m", "muster", "bench", "groups", *flags]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as program:
            try:
                while not broker.groups():  # its name is drawn by lot
                    with suppress(subprocess.TimeoutExpired):
                        pytest.fail(f"it ended by itself, with exit code {program.wait(0.02)}")
                broker.group(broker.groups()[0].group_id).wait("Stable", members=3)
                program.send_signal(sent)
                _, said = program.communicate(timeout=30)
            finally:
                program.kill()
        assert said == "\nstopped: the members have left\n"
        assert program.returncode == code
        assert broker.groups() == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--members", "0"), "--members must be more than 0"),
        (("--members", "2", "--groups", "3"), "--groups 3 is more than --members 2"),
        (("--assignor", "best"), "no assignor 'best'"),
        (("--protocol", "consumer", "--heartbeat-interval-ms", "9"), "group.consumer.heartbeat.interval.ms"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_done(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], complaint: str
) -> None:
    assert run_bench("--bootstrap", "127.0.0.1:1", *arguments) == USAGE
    assert complaint in capsys.readouterr().err


def test_more_members_than_files_may_be_open_are_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda kind: (100, 200))
    assert run_bench("--bootstrap", "127.0.0.1:1", "--members", "1000") == USAGE
    assert "1000 members need 1064 open files, and only 200 are allowed" in capsys.readouterr().err


def test_a_server_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_bench("--bootstrap", "127.0.0.1:1", "--members", "2") == FAILED
    assert "connect to 127.0.0.1:1: NETWORK_EXCEPTION" in capsys.readouterr().err
