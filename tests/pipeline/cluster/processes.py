"""A server of the tests as a process: started, heard until it says that it is ready, ended with the test."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_PATIENCE_SECONDS = 180


@contextmanager
def server(
    command: Sequence[str], ready: re.Pattern[str], log: Path, environment: Mapping[str, str]
) -> Iterator[re.Match[str]]:
    """What its line of readiness said. It is ended by the end of its standard input and by SIGTERM, whichever it heeds."""
    log.parent.mkdir(parents=True, exist_ok=True)
    running = subprocess.Popen(
        list(command),
        env=dict(environment),
        cwd=log.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert running.stdout is not None
    assert running.stdin is not None
    listener = _Listener(running.stdout, ready, log)
    try:
        yield listener.match()
    finally:
        running.stdin.close()
        running.terminate()
        try:
            running.wait(30)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
        listener.join()
        running.stdout.close()


class _Listener(threading.Thread):
    """Takes in all that the server says, so that it never waits for a reader, and hears when it is ready."""

    def __init__(self, said: IO[str], ready: re.Pattern[str], log: Path) -> None:
        super().__init__(daemon=True)
        self._said = said
        self._ready = ready
        self._log = log
        self._found: re.Match[str] | None = None
        self._heard = threading.Event()
        self.start()

    def run(self) -> None:
        with self._log.open("w") as kept:
            for line in self._said:
                kept.write(line)
                kept.flush()
                found = self._ready.search(line)
                if found:
                    self._found = found
                    self._heard.set()
        self._heard.set()

    def match(self) -> re.Match[str]:
        assert self._heard.wait(_PATIENCE_SECONDS), f"not ready in {_PATIENCE_SECONDS} s; see {self._log}"
        assert self._found, f"it ended without being ready: {self._log.read_text()[-2000:]}"
        return self._found
