"""Ctrl-C ends every command with 130 (docs/cli-reference.md), without a traceback, whatever it waits for."""

from __future__ import annotations

import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import PATIENCE_SECONDS, command, environment, terminal


@pytest.mark.parametrize(
    "arguments",
    [
        ("acls", "list"),
        ("acls", "add", "--allow-principal", "User:a", "--topic", "t"),
        ("acls", "remove", "--topic", "t", "--yes"),
        ("users", "list"),
        ("users", "remove", "alice"),
        ("quotas", "list"),
        ("groups", "list"),
        ("groups", "explain", "billing"),
        ("topics", "list"),
        ("consume", "orders"),
    ],
    ids=" ".join,
)
def test_a_command_that_waits_for_a_server_ends_with_130(arguments: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(PATIENCE_SECONDS)
        port = silent.getsockname()[1]
        with subprocess.Popen(
            command(*arguments, "--timeout", str(PATIENCE_SECONDS)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(f"127.0.0.1:{port}"),
        ) as process:
            peer, _ = silent.accept()
            with peer:
                peer.settimeout(PATIENCE_SECONDS)
                assert peer.recv(1), "its first request, which nobody answers"
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_ctrl_c_at_the_question_for_a_password_adds_nobody(tmp_path: Path) -> None:
    with terminal("users", "add", "alice", "--data", str(tmp_path), bootstrap="127.0.0.1:1") as shown:
        shown.until("Password for alice: ")
        shown.type("half\x03")
        assert shown.ended() == 130
    assert shown.shown.endswith("\n"), "the shell's prompt stands on a line of its own"
    assert "Traceback" not in shown.shown
    assert not (tmp_path / "users.json").exists()
