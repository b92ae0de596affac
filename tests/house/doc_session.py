"""Runs the blocks of one page as a reader would: in one directory, one after the other, on a port of the page's own.

Shell blocks end at the first command that fails. What a `console` block shows is compared with what its commands print, with times,
spans, ids and ports masked. Blocks that ask for a terminal of their own stay running until the page ends.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final

from tests.house.doc_blocks import ROOT, Block
from tests.ports import free_port

SERVER: Final = "127.0.0.1:9092"
ADDRESSES: Final = (SERVER, "127.0.0.1:9093", "127.0.0.1:9094", "127.0.0.1:9404")
"""What pages say; while they are run each is another port, so that no other server is met."""
_PATIENCE_SECONDS: Final = 600
"""Spark has to start on a machine that has other things to do. Not waited out unless a page fails."""

_MASKS: Final = (
    (re.compile(r"[\w.-]*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?"), "TIME"),
    (re.compile(r"\d[\d,.]* (ms|s|min|h)\b( \d+ (ms|s|min|h)\b)*|\d+\.\d+s\b"), "SPAN"),
    (re.compile(r"127\.0\.0\.1:\d+"), "ADDRESS"),
    (re.compile(r"[ \t]+"), " "),
)


def masked(text: str) -> str:
    for pattern, word in _MASKS:
        text = pattern.sub(word, text)
    return "\n".join(line.strip() for line in text.strip().splitlines())


class BlockFailed(AssertionError):
    """Names the page and the line."""


class Session:
    def __init__(self, directory: Path, variables: Mapping[str, str] | None = None) -> None:
        """`variables`: what a reader would have set before."""
        self._directory = directory
        self._instead = {address: f"127.0.0.1:{free_port()}" for address in ADDRESSES}
        self._staying: list[tuple[subprocess.Popen[str], threading.Thread]] = []
        self._environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}",
            "PYTHONPATH": str(ROOT),
            "MUSTER_BOOTSTRAP": self._instead[SERVER],
            "MUSTER_LISTENERS": self._instead[SERVER],
            "COLUMNS": "120",
            **(variables or {}),
        }

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for process, listener in reversed(self._staying):
            _end(process, listener)

    def run(self, block: Block) -> None:
        text = block.text
        for address, instead in self._instead.items():
            text = text.replace(address, instead)
        if block.mark == "file":
            (self._directory / block.word).write_text(text, encoding="utf-8")
        elif block.mark == "own terminal":
            self._stay(block, text)
        elif block.language == "console":
            self._run_console(block, text)
        elif block.language == "bash":
            self._run_shell(block, text)
        elif "def test_" in text:
            (self._directory / "test_of_the_page.py").write_text(text, encoding="utf-8")
            self._run_shell(block, "python -m pytest -q -p no:cacheprovider test_of_the_page.py")
        else:
            self._run_python(block, text)

    def _run_python(self, block: Block, text: str) -> None:
        """In this process, with names of its own. Tracebacks speak of the page's lines."""
        before = Path.cwd()
        os.chdir(self._directory)
        try:
            exec(compile("\n" * (block.line - 1) + text, block.page, "exec"), {"__name__": "__main__"})
        except Exception as error:
            raise BlockFailed(f"{block}: {''.join(traceback.format_exception(error))}") from None
        finally:
            os.chdir(before)

    def _run_shell(self, block: Block, text: str) -> str:
        """What it prints, to either of its outputs."""
        shell = ["bash", "-euo", "pipefail", "-c", text]
        done = subprocess.run(
            shell,
            cwd=self._directory,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_PATIENCE_SECONDS,
        )
        if done.returncode != 0:
            raise BlockFailed(f"{block}: exit code {done.returncode}\n{text}\n{done.stdout}")
        return done.stdout

    def _run_console(self, block: Block, text: str) -> None:
        """`$ command` and what it prints; a line of `...` stands for any lines."""
        _, *parts = re.split(r"^\$ ", text, flags=re.M)
        for part in parts:
            command, _, shown = part.replace("\\\n", " ").partition("\n")
            printed, expected = masked(self._run_shell(block, command)), masked(shown)
            pattern = ".*".join(re.escape(piece) for piece in re.split(r"^\.\.\.$", expected, flags=re.M))
            if not re.fullmatch(pattern, printed, flags=re.S):
                raise BlockFailed(f"{block}: $ {command}\nprints\n{printed}\n\nthe page shows\n{expected}")

    def _stay(self, block: Block, text: str) -> None:
        """Ready when it has printed a line, as a server does when it listens."""
        complaints = self._directory / f"stderr-of-line-{block.line}"
        with complaints.open("w") as stderr:
            process = subprocess.Popen(
                ["bash", "-c", text],
                cwd=self._directory,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                start_new_session=True,
            )
        assert process.stdout
        listener = threading.Thread(target=process.stdout.read, daemon=True)  # nobody may block on a full pipe
        self._staying.append((process, listener))
        if not process.stdout.readline():
            said = complaints.read_text(encoding="utf-8")
            raise BlockFailed(f"{block}: ended with {process.wait()} before it printed a line\n{said}")
        listener.start()


def _end(process: subprocess.Popen[str], listener: threading.Thread) -> None:
    """And what it started: it has a session of its own."""
    for ending in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, ending)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=60)
            break
    if listener.is_alive():
        listener.join(60)
    assert process.stdout
    process.stdout.close()
