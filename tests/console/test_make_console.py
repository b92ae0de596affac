"""`make console`: a server, busy groups and the console, whose address it prints; Ctrl-C ends all of it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.interop.waiting import eventually

ROOT = Path(__file__).parents[2]
END_SECONDS = 60


def _page(address: str) -> str:
    with urllib.request.urlopen(address, timeout=END_SECONDS) as answer:
        text: str = answer.read().decode()
        return text


def _is_open(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=END_SECONDS).close()
    except ConnectionRefusedError:
        return False
    return True


def test_the_printed_address_shows_busy_groups_and_ctrl_c_ends_everything(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "demo.console", "127.0.0.1:0"]
    with (
        (tmp_path / "log").open("w+", encoding="utf-8") as log,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True) as demo,
    ):
        try:
            assert demo.stdout is not None
            server = re.fullmatch(r"server on (\S+)\n", demo.stdout.readline())
            console = re.match(r"open (http://(\S+)) ", demo.stdout.readline())
            assert server is not None
            assert console is not None
            eventually("busy groups", lambda: _page(console[1]), lambda page: "billing" in page and "Stable" in page)
            demo.send_signal(signal.SIGINT)
            demo.wait(timeout=END_SECONDS)
        finally:
            demo.kill()
        log.seek(0)
        assert "Traceback" not in log.read()
    assert demo.returncode == 0
    assert not _is_open(server[1])
    assert not _is_open(console[2])
