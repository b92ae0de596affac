"""The `muster` command for tests: in this process, as a process of its own with pipes, and in a terminal of its own."""

from __future__ import annotations

import codecs
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from muster.cli.main import main

PATIENCE_SECONDS = 60
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Told(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Of --json."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def table(self) -> list[list[str]]:
        """The words of each line."""
        return [line.split() for line in self.out.splitlines() if line.strip()]

    def done(self) -> Told:
        assert self.code == 0, self
        return self

    def refused(self, code: int) -> str:
        """Why not, in one line, and nothing else."""
        assert (self.code, self.out) == (code, ""), self
        assert len(self.err.splitlines()) == 1, self.err
        return self.err


def muster(*arguments: str, bootstrap: str) -> Told:
    """In this process, its output in a pipe, so to say."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main([*arguments, "--bootstrap", bootstrap])
        except SystemExit as end:  # argparse
            code = int(end.code or 0)
    out.seek(0)
    return Told(code, out.read(), err.getvalue())


def environment(bootstrap: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MUSTER_")}
    return kept | {"MUSTER_BOOTSTRAP": bootstrap, "COLUMNS": "160", "LINES": "40", "TERM": "xterm"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "muster", *arguments]


def piped(*arguments: str, bootstrap: str, stdin: bytes = b"") -> Told:
    """A process of its own, with pipes."""
    ran = subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        env=environment(bootstrap),
        check=False,
    )
    return Told(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


class Terminal:
    """A process on a terminal: what it shows, what is typed."""

    def __init__(self, process: subprocess.Popen[bytes], descriptor: int) -> None:
        self.process = process
        self._descriptor = descriptor
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.raw = ""

    @property
    def shown(self) -> str:
        return _COLOURS.sub("", self.raw).replace("\r\n", "\n")

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def until(self, words: str) -> None:
        """Wait for the terminal to show it."""
        end = time.monotonic() + PATIENCE_SECONDS
        while words not in self.shown:
            assert self._read(end), f"it ended without {words!r}: {self.shown}"

    def ended(self) -> int:
        """Its exit code; everything that it showed is read."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self._read(end):
            pass
        return self.process.wait(PATIENCE_SECONDS)

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self._descriptor], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"nothing more came: {self.shown}"
        try:
            chunk = os.read(self._descriptor, 65536)
        except OSError:  # Linux: the other side is closed
            return False
        self.raw += self._decoder.decode(chunk)
        return bool(chunk)


@contextmanager
def terminal(*arguments: str, bootstrap: str) -> Iterator[Terminal]:
    """The command in a session of its own, so that Ctrl-C and questions for passwords reach it as they reach people's."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(*arguments),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(bootstrap),
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(ours)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
