"""Groups of real clients on a real `muster serve`, with a script of what happens to them, and the data directory that is left.

One group a library. Every step ends in a stable group, so that each rebalance has one cause and its author is known: what the
journal must say of it and what can be read from the log alone is written beside the step. `history_of` makes the directory once a
test run, for the pipeline's tests and for whoever explains rebalances from the same journal.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from tests.interop.broker_process import QUICK_GROUPS, BrokerProcess
from tests.interop.fleet import Fleet, Running
from tests.interop.stage import PARTITIONS, Stage, staged

LIBRARIES = ("confluent-kafka", "aiokafka")
SESSION_MS = 60_000
"""Of those who stay: nothing but the script may end a session."""
SHORT_SESSION_MS = 5_000
"""Of those who are to lose theirs: long enough for a process that a busy machine keeps waiting."""
SHORT_POLL_MS = 6_000
"""No less than the session: librdkafka insists."""
GROWN_TO = PARTITIONS + 2
_WORK_EVERY_SECONDS = 0.3
STATIC = "stella"
"""The static member's instance id; the others are dynamic."""


@dataclass(frozen=True, slots=True)
class Rebalance:
    """What the script did, who did it (the name that the member id begins with), and how it must be told."""

    step: str
    author: str
    cause: str
    from_log: str
    """The cause that the log of `__consumer_offsets` alone shows. From there a member that reads nothing looks like a dead one."""
    members_after: int


EXPECTED: tuple[Rebalance, ...] = (
    Rebalance("anna is the first", "anna", "first_member", "first_member", 1),
    Rebalance("boris joins", "boris", "new_member", "new_member", 2),
    Rebalance("the static member joins", STATIC, "new_member", "new_member", 3),
    # The static member's process is killed and comes back within its session: no rebalance.
    Rebalance("boris leaves", "boris", "member_left", "left_or_expired", 2),
    Rebalance("kurt joins, to be killed", "kurt", "new_member", "new_member", 3),
    Rebalance("kurt is killed", "kurt", "session_expired", "session_expired", 2),
    Rebalance("frida joins, to be frozen", "frida", "new_member", "new_member", 3),
    Rebalance("frida's process stands still", "frida", "session_expired", "session_expired", 2),
    Rebalance("stan joins, to stop polling", "stan", "new_member", "new_member", 3),
    Rebalance("stan does not poll in time and his client leaves", "stan", "member_left", "session_expired", 2),
    Rebalance("stan polls again and joins anew", "stan", "new_member", "new_member", 3),
    Rebalance("the topic grows and the leader sees it", "anna", "partitions_grew", "partitions_grew", 3),
)


@dataclass(frozen=True, slots=True)
class RealHistory:
    data: str
    """The data directory; its server has ended."""
    groups: dict[str, str]
    """Library to group."""


def history_of(factory: pytest.TempPathFactory) -> RealHistory:
    """Made by the first who asks, in whichever process of a test run; the others wait for it."""
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    home = shared / "real-history"
    home.mkdir(exist_ok=True)
    done = home / "history.json"
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            done.write_text(json.dumps(asdict(make_history(home))))
    return RealHistory(**json.loads(done.read_text()))


def make_history(home: Path) -> RealHistory:
    """About 30 seconds: the libraries' groups live side by side. The server ends first: nobody's end is part of the script."""
    groups = {library: f"orders-by-{library}" for library in LIBRARIES}
    server = BrokerProcess(home, {**QUICK_GROUPS, "offsets.topic.num.partitions": "3"})
    with ExitStack() as ending, server:
        scripts = []
        for library, group in groups.items():
            stage = ending.enter_context(staged(server, home, group))
            scripts.append(_Script(stage, ending.enter_context(stage.fleet()), library))
        with ThreadPoolExecutor(len(scripts)) as pool:
            list(pool.map(_Script.play, scripts))
    return RealHistory(str(home / "data"), groups)


class _Script:
    """The steps of `EXPECTED`, with what has to be seen before the next one."""

    def __init__(self, stage: Stage, fleet: Fleet, library: str) -> None:
        self._stage = stage
        self._fleet = fleet
        self._library = library

    def play(self) -> None:
        self.membership()
        self.deaths()
        self.stall()
        self.growth()

    def _add(self, name: str, *, session_ms: int = SESSION_MS, max_poll_ms: int = 60_000, static: bool = False) -> None:
        self._fleet.add(
            name,
            self._library,
            client=name,
            session_ms=session_ms,
            max_poll_ms=max_poll_ms,
            instance=STATIC if static else None,
            metadata_ms=1_000,
        )
        self._stage.await_stable(self._fleet)

    def _lost(self, name: str, away: Callable[[], None]) -> Running:
        """A member falls silent while there is work; the others go on, and share its partitions in the end."""
        silent = self._fleet.members.pop(name)
        away()
        produced_at = 0.0

        def shared() -> bool:
            nonlocal produced_at
            if time.monotonic() - produced_at > _WORK_EVERY_SECONDS:
                self._stage.produce(1)
                produced_at = time.monotonic()
            return self._fleet.shares(PARTITIONS)

        self._fleet.watch_until("the others to share the partitions", shared)
        return silent

    def membership(self) -> None:
        self._stage.produce(5)
        self._add("anna")
        self._add("boris")
        self._add(STATIC, static=True)
        self._stage.await_all_read(self._fleet)
        before = self._fleet.members[STATIC].generation
        self._fleet.kill(STATIC)
        self._add(STATIC, static=True)
        assert self._fleet.members[STATIC].generation == before
        self._stage.produce(5)
        self._stage.await_all_read(self._fleet)
        self._fleet.leave("boris")
        self._stage.await_stable(self._fleet)

    def deaths(self) -> None:
        self._add("kurt", session_ms=SHORT_SESSION_MS)
        kurt = self._fleet.members["kurt"]
        self._lost("kurt", kurt.kill)
        self._add("frida", session_ms=SHORT_SESSION_MS)
        frida = self._fleet.members["frida"]
        self._lost("frida", frida.freeze).kill()

    def stall(self) -> None:
        self._add("stan", session_ms=SHORT_SESSION_MS, max_poll_ms=SHORT_POLL_MS)
        stan = self._fleet.members["stan"]
        self._lost("stan", lambda: stan.wish("stall"))
        stan.owned = []
        self._fleet.members["stan"] = stan
        stan.wish("resume")
        self._stage.await_stable(self._fleet)

    def growth(self) -> None:
        self._stage.client.grow_topic(self._stage.topic, GROWN_TO)
        self._fleet.watch_until("the new partitions to be shared", lambda: self._fleet.shares(GROWN_TO))
        self._stage.ends |= dict.fromkeys(range(PARTITIONS, GROWN_TO), 0)
        self._stage.produce(5)
        self._stage.await_all_read(self._fleet)
