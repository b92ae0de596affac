"""A run that a test waits for at a point and then kills or interrupts, with its Java, as a terminal or a machine's end would."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[3]
PATIENCE_SECONDS = 180


class HaltedRun:
    """In a process group of its own, as a command of a shell is. `flags` are those of `muster pipeline run`."""

    def __init__(
        self, directory: Path, point: str, flags: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        pipe = directory / f"halt-{point}"
        os.mkfifo(pipe)
        self._pipe = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.said: list[str] = []
        self._heard = threading.Condition()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.pipeline.stream.halting_run", point, str(pipe), *flags],
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> HaltedRun:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            self.kill()
        os.close(self._pipe)

    def await_halt(self) -> int:
        """The process that stands still."""
        ended = os.pidfd_open(self._process.pid)
        try:
            ready, _, _ = select.select([self._pipe, ended], [], [], PATIENCE_SECONDS)
        finally:
            os.close(ended)
        assert self._pipe in ready, f"it did not come to the point: {self.said}"
        return int(os.read(self._pipe, 32))

    def interrupt(self) -> None:
        """Ctrl-C in a terminal: every process of the group gets it."""
        os.killpg(self._process.pid, signal.SIGINT)

    def kill(self) -> None:
        """With its Java, and whatever else is in the group."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self.wait()

    def await_words(self, words: str) -> None:
        """Until it has said them."""
        with self._heard:
            assert self._heard.wait_for(lambda: any(words in line for line in self.said), PATIENCE_SECONDS), self.said

    def wait(self) -> int:
        """Its exit code. All that it said is in `said` then."""
        code = self._process.wait(PATIENCE_SECONDS)
        self._listener.join(PATIENCE_SECONDS)
        return code

    def _listen(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            for line in stream:
                with self._heard:
                    self.said.append(line)
                    self._heard.notify_all()
