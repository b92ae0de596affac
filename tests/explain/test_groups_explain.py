"""`muster groups explain` and `watch` as a person runs them: on a data directory of real clients, and on a live server."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.testing import Broker
from tests.explain.scene import aiokafka_member
from tests.movable_clock import MovableClock
from tests.pipeline.real_histories import EXPECTED, LIBRARIES, SHORT_SESSION_MS, STATIC, RealHistory, history_of
from tests.server.groups.group_server import GroupServer
from tests.server.groups.test_consumer_groups_over_tcp import NO_PAUSE, Consumer

REFINED = {"stan polls again and joins anew": "member_returned"}
"""Where explain looks further back than the pipeline."""


def muster(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "muster", "groups", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def explained(*arguments: str) -> dict[str, Any]:
    answer = muster("explain", *arguments, "--json")
    assert (answer.returncode, answer.stderr) == (0, "")
    told: dict[str, Any] = json.loads(answer.stdout)
    return told


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> RealHistory:
    return history_of(tmp_path_factory)


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    """With a group that boris joined and left."""

    async def story(running: Broker) -> None:
        group = running.group("g")
        async with aiokafka_member(running, "anna"):
            await group.wait_async("Stable", members=1)
            async with aiokafka_member(running, "boris"):
                await group.wait_async("Stable", members=2)
            await group.wait_async("Stable", members=1)
        await group.wait_async("Empty")

    with Broker(topics={"orders": 4}) as running:
        asyncio.run(asyncio.wait_for(story(running), 60))
        yield running


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_rebalance_of_real_clients_is_explained_from_the_data_directory(
    history: RealHistory, library: str
) -> None:
    """A join, a goodbye, a kill, a frozen process, a stall, a topic that grew, on a real server."""
    told = explained(history.groups[library], "--from", history.data)
    rebalances = [each for each in told["rebalances"] if each["result"] == "stable"][: len(EXPECTED)]
    causes = [each["cause"] for each in rebalances]
    authors = [each["by"]["instance"] or each["by"]["client"] for each in rebalances]
    assert causes == [REFINED.get(step.step, step.cause) for step in EXPECTED]
    assert authors == [step.author for step in EXPECTED]
    assert [each["members"] for each in rebalances] == [step.members_after for step in EXPECTED]
    restarts = [each for each in told["without_rebalance"] if each["kind"] == "static_restart"]
    assert [each["by"]["instance"] for each in restarts] == [STATIC]
    kill = rebalances[[step.step for step in EXPECTED].index("kurt is killed")]
    assert kill["figures"] == {"session_timeout_ms": SHORT_SESSION_MS}
    assert max(gap["ms"] for gap in kill["unowned"]) >= SHORT_SESSION_MS


@pytest.mark.parametrize("library", LIBRARIES)
def test_without_the_journal_the_same_history_is_inferred(history: RealHistory, library: str, tmp_path: Path) -> None:
    """What the pipeline reads from the same log; a silence shows only in commits, which explain does not weigh."""
    bare = tmp_path / "bare"
    shutil.copytree(history.data, bare, ignore=shutil.ignore_patterns("__group_journal-*"))
    told = explained(history.groups[library], "--from", str(bare))
    rebalances = [each for each in told["rebalances"] if each["result"] == "stable"][: len(EXPECTED)]
    wanted = ["left_or_expired" if step.from_log == "session_expired" else step.from_log for step in EXPECTED]
    assert [each["cause"] for each in rebalances] == wanted
    assert told["inferred"] is True
    assert {each["kind"] for each in told["without_rebalance"]} == {"static_restart"}


def test_running_server_is_asked_through_the_protocol(broker: Broker) -> None:
    answer = muster("explain", "g", "--bootstrap", broker.bootstrap_servers)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith("Group g: 4 rebalances between ")
    assert "why       boris on 127.0.0.1 joined." in answer.stdout
    assert "why       boris on 127.0.0.1 left." in answer.stdout
    assert "Nobody was left: the group is empty." in answer.stdout
    assert "\x1b" not in answer.stdout  # plain where nobody looks


def test_after_a_restart_it_still_says_how_the_group_stands(tmp_path: Path) -> None:
    """The journal ends with the stop, and a load writes no event: the coordinator is asked."""
    files = {"muster.storage": "files", "muster.data": str(tmp_path / "data")}
    clock = MovableClock()
    with GroupServer(files, clock=clock) as server:
        server.form("g", 2)
        before = now_line(server)
    with GroupServer(files, clock=clock) as server:
        assert now_line(server) == before
    assert before == "Stable, generation 1: client-0, client-1"


def test_after_a_restart_it_still_says_how_a_consumer_group_stands(tmp_path: Path) -> None:
    files = {"muster.storage": "files", "muster.data": str(tmp_path / "data"), **NO_PAUSE}
    clock = MovableClock()
    with GroupServer(files, clock=clock) as server:
        one, two = Consumer(server, "m1"), Consumer(server, "m2")
        for member in (one, two):
            member.join("orders")
        for _ in range(2):
            one.obey(), two.obey()
        before = now_line(server)
    with GroupServer(files, clock=clock) as server:
        assert now_line(server) == before
    assert before == "Stable, epoch 3: client-m1, client-m2"


def now_line(server: GroupServer) -> str:
    answer = muster("explain", "g", "--bootstrap", f"127.0.0.1:{server.port}")
    assert (answer.returncode, answer.stderr) == (0, "")
    (line,) = [line for line in answer.stdout.splitlines() if line.strip().startswith("now ")]
    return line.strip().removeprefix("now").strip()


def test_one_rebalance_or_the_last_or_a_period_can_be_asked_for(broker: Broker) -> None:
    server = ("--bootstrap", broker.bootstrap_servers)
    assert [each["generation"] for each in explained("g", "--rebalance", "2", *server)["rebalances"]] == [2]
    assert [each["generation"] for each in explained("g", "--last", "2", *server)["rebalances"]] == [3, 4]
    assert len(explained("g", "--since", "1h", *server)["rebalances"]) == 4
    assert explained("g", "--since", "2999-01-01", *server)["rebalances"] == []


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nobody",), 1, "nothing is known of group nobody"),
        (("gg",), 1, "groups that only commit offsets never rebalance; did you mean g?"),
        (("g", "--rebalance", "99"), 1, "no rebalance led to generation 99: known are 1 to 4"),
        (("g", "--since", "yesterday"), 2, "--since yesterday: give a span like"),
        (("g", "--last", "0"), 2, "--last must be 1 or more"),
    ],
)
def test_what_cannot_be_explained_is_said_with_what_to_do(
    broker: Broker, arguments: tuple[str, ...], code: int, words: str
) -> None:
    answer = muster("explain", *arguments, "--bootstrap", broker.bootstrap_servers)
    assert (answer.returncode, answer.stdout) == (code, "")
    assert answer.stderr.startswith("muster groups explain: ")
    assert words in answer.stderr


def test_server_that_is_not_there_is_said_in_one_line() -> None:
    answer = muster("explain", "g", "--bootstrap", "127.0.0.1:1")
    assert answer.returncode == 1
    assert "Check that the server runs" in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_directory_that_is_no_data_directory_is_said(tmp_path: Path) -> None:
    answer = muster("explain", "g", "--from", str(tmp_path))
    assert answer.returncode == 2
    assert "name a server's data directory" in answer.stderr


def test_log_that_a_server_is_still_writing_is_read_as_far_as_it_goes(history: RealHistory, tmp_path: Path) -> None:
    """A batch that is half written is no damage."""
    data = tmp_path / "data"
    shutil.copytree(history.data, data)
    whole = explained(history.groups["aiokafka"], "--from", str(data))
    for segment in data.glob("__group_journal-*/*.log"):
        if segment.stat().st_size:
            segment.write_bytes(segment.read_bytes() + segment.read_bytes()[:40])
    answer = muster("explain", history.groups["aiokafka"], "--from", str(data), "--json")
    assert answer.returncode == 0
    assert json.loads(answer.stdout)["rebalances"] == whole["rebalances"]
    assert "a running server may be writing it" in answer.stderr


@pytest.mark.parametrize("kept", ["journal", "offsets"])
def test_a_misspelt_group_of_a_data_directory_gets_the_nearest_name(
    history: RealHistory, tmp_path: Path, kept: str
) -> None:
    """From the journal, and where there is none, as in Kafka's directories, from the offsets log."""
    data = tmp_path / "data"
    others = shutil.ignore_patterns("__group_journal-*" if kept == "offsets" else "__consumer_offsets-*")
    shutil.copytree(history.data, data, ignore=others)
    group = history.groups["aiokafka"]
    answer = muster("explain", group[:-1], "--from", str(data))
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr.endswith(f"; did you mean {group}?\n")


def test_watching_a_group_that_is_not_there_says_so_once_with_the_nearest_name(broker: Broker) -> None:
    at = ("--bootstrap", broker.bootstrap_servers, "--every", "0.01")
    answer = muster("watch", "gg", "g", *at, "--times", "2")
    assert answer.stderr == "muster groups watch: there is no group gg now; did you mean g?\n"
    assert answer.stdout.startswith("gg: Dead, 0 members")
    assert muster("watch", "g", *at, "--times", "1").stderr == ""
    alone = muster("watch", "nothing-like-it", *at, "--times", "1")
    assert alone.stderr == "muster groups watch: there is no group nothing-like-it now\n"


def test_watch_tells_lines_when_piped_and_only_what_changed(broker: Broker) -> None:
    answer = muster("watch", "g", "--bootstrap", broker.bootstrap_servers, "--times", "3", "--every", "0.01")
    (line,) = answer.stdout.splitlines()
    assert line.startswith("g: Empty, 0 members, generation 4")
    assert line.endswith("anna on 127.0.0.1 left.")
    (told,) = muster("watch", "--json", "--bootstrap", broker.bootstrap_servers, "--times", "1").stdout.splitlines()
    assert json.loads(told)["rebalances"] == 4


def in_a_terminal(*arguments: str, stop_after: bytes | None = None) -> tuple[int, bytes]:
    """Exit code and what the terminal saw. `stop_after`: press Ctrl-C when this was seen."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["COLUMNS"], os.environ["TERM"] = "140", "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-m", "muster", "groups", *arguments])
    seen = b""
    while True:
        try:
            chunk = os.read(terminal, 65_536)
        except OSError:  # Linux's way to say that the other side is gone
            break
        if not chunk:
            break
        seen += chunk
        if stop_after is not None and stop_after in seen:
            os.kill(process, signal.SIGINT)
            stop_after = None
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), seen


def test_explain_has_colours_in_a_terminal(broker: Broker) -> None:
    code, seen = in_a_terminal("explain", "g", "--bootstrap", broker.bootstrap_servers)
    assert code == 0
    assert b"\x1b[1mGroup g: 4 rebalances" in seen
    assert b"boris on 127.0.0.1 joined." in seen


def test_watch_is_live_in_a_terminal_and_ends_cleanly_with_ctrl_c(broker: Broker) -> None:
    code, seen = in_a_terminal("watch", "--bootstrap", broker.bootstrap_servers, "--every", "60", stop_after=b"left.")
    assert code == 130
    assert b"Empty" in seen
    assert b"Traceback" not in seen
    assert b"\x1b[?25h" in seen  # the cursor is back
