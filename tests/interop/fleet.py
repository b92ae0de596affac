"""The members of a group, each a process, and everything they said: tests start, stall and kill them, then judge.

Knows processes and lines, no client library. The judgement is in `reading_rules.py`.
"""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.interop.member import MemberSettings
from tests.interop.reading_rules import Said
from tests.interop.waiting import PATIENCE_SECONDS, eventually

ROOT = Path(__file__).parents[2]
_SHOWN_OF_A_LOG = 20_000
"""Characters, where what was waited for did not come."""


class Running:
    """One member's process."""

    def __init__(self, name: str, settings: MemberSettings, said: queue.Queue[Said], log: Path) -> None:
        self.name = name
        self.settings = settings
        self.owned: list[int] = []
        self.generation = -1
        self._log = log
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.interop.member", settings.to_json()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=ROOT,
            )
        self._listener = threading.Thread(target=self._listen, args=(said,), daemon=True)
        self._listener.start()

    def _listen(self, said: queue.Queue[Said]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said.put(Said(self.name, json.loads(line)))

    def wish(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()
        self.end()

    def freeze(self) -> None:
        """SIGSTOP: its connections stay open and nothing comes over them any more, heartbeats included."""
        self._process.send_signal(signal.SIGSTOP)

    def end(self) -> int:
        """Wait for its end and for its last line."""
        code = self._process.wait(PATIENCE_SECONDS)
        self._listener.join(PATIENCE_SECONDS)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        return code

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def errors(self) -> str:
        return self._log.read_text()


class Fleet:
    """The members of one group on one topic."""

    def __init__(self, home: Path, *, bootstrap: str, group: str, topic: str) -> None:
        self.history: list[Said] = []
        self.members: dict[str, Running] = {}
        self._home = home
        self._where: dict[str, Any] = {"bootstrap": bootstrap, "group": group, "topic": topic}
        self._said: queue.Queue[Said] = queue.Queue()

    def add(self, name: str, library: str, **settings: Any) -> Running:
        """Names may come again after their member has gone."""
        wanted = MemberSettings(library=library, **self._where, **settings)
        log = self._home / f"{self._where['group']}.{name}.{len(self.history)}.log"
        self.members[name] = Running(name, wanted, self._said, log)
        return self.members[name]

    def leave(self, name: str) -> None:
        """The member closes its consumer; returns when its process has ended well."""
        member = self.members.pop(name)
        member.wish("leave")
        code = member.end()
        self._take_in_all()
        assert code == 0, f"{name} ended with {code}: {member.errors}"

    def kill(self, name: str) -> None:
        """SIGKILL: no goodbye, and nothing more from it."""
        self.members.pop(name).kill()
        self._take_in_all()
        self.history.append(Said(name, {"event": "killed", "at_ns": time.monotonic_ns()}))

    def watch_until(self, what: str, holds: Callable[[], bool]) -> None:
        """Take in what the members say until it holds."""

        def look() -> str:
            with suppress(queue.Empty):
                self._take_in(self._said.get(timeout=1))
            return "yes" if holds() else self._state()

        if holds():
            return
        try:
            eventually(what, look, lambda seen: seen == "yes")
        except AssertionError as error:
            for member in self.members.values():
                error.add_note(f"the end of the log of {member.name}:\n{member.errors[-_SHOWN_OF_A_LOG:]}")
            raise

    def _take_in_all(self) -> None:
        while not self._said.empty():
            self._take_in(self._said.get())

    def _take_in(self, said: Said) -> None:
        self.history.append(said)
        member = self.members.get(said.member)
        if member is not None and said.event == "owns":
            member.owned = said.details["partitions"]
            member.generation = said.details["generation"]

    def _state(self) -> str:
        last = {name: f"{each.owned} in generation {each.generation}" for name, each in self.members.items()}
        gone = [f"{name} has ended: {each.errors}" for name, each in self.members.items() if not each.alive]
        reads = Counter(partition for partition, _ in self._read())
        return f"{last}, records read by partition: {dict(sorted(reads.items()))}; {gone or 'all run'}"

    # ---- what tests wait for

    def shares(self, partitions: int) -> bool:
        """Everyone owns something, together everything, in one generation. A member of the consumer protocol says its epoch only
        when its partitions change, so that theirs may differ."""
        owned = [partition for member in self.members.values() for partition in member.owned]
        generations = {member.generation for member in self.members.values()}
        return (
            sorted(owned) == list(range(partitions))
            and all(member.owned for member in self.members.values())
            and (len(generations) == 1 or any(each.settings.protocol == "consumer" for each in self.members.values()))
        )

    def count_read(self) -> int:
        """Different records."""
        return len(self._read())

    def _read(self) -> set[tuple[int, int]]:
        return {(said.details["partition"], said.details["offset"]) for said in self.said("read")}

    def said(self, event: str, member: str | None = None) -> list[Said]:
        return [each for each in self.history if each.event == event and member in (None, each.member)]

    # ---- the end

    def __enter__(self) -> Fleet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Whoever is left is killed: a test that wants a goodbye says so."""
        for member in self.members.values():
            member.kill()
