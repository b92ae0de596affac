"""One writer at a time. A local lake is locked by the operating system, a remote one by a claim that its writer keeps renewing.

The operating system takes a lock back when its holder dies; a claim that was not renewed for two minutes does not hold any more.
A writer that slept so long finds its round overtaken (`rounds.publish_round`): it is refused, and nothing is lost.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from muster.pipeline.lake.delta import open_table
from muster.pipeline.lake.errors import LakeError, store_errors
from muster.pipeline.lake.files import REACHABLE
from muster.pipeline.lake.location import Location

if TYPE_CHECKING:
    from deltalake import DeltaTable

LOCK_FILE: Final = ".lock"
WRITER: Final = "writer"
"""A Delta table without rows; the claim is a property of it, so that renewing it writes no file but a line of the table's log."""
STALE_MS: Final = 120_000
RENEW_SECONDS: Final = 30.0
_PROPERTY: Final = "muster.writer"
_SETTINGS: Final = {"delta.logRetentionDuration": "interval 1 hours", "delta.checkpointInterval": "20"}
"""delta-rs may clean this log by itself, unlike those of other tables: nobody opens any version of it but the newest."""


def wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


@contextmanager
def only_writer(location: Location, clock: Callable[[], int] = wall_clock_ms) -> Iterator[Callable[[], None]]:
    """Be the writer of a lake, or say who is. The lake's directory must be there.

    Gives a check that we still are: for a writer that goes on after the store was away.
    """
    if location.local is not None:
        with _file_lock(location.local):
            yield lambda: None
    else:
        claim = RemoteClaim(location, clock)
        claim.take()
        with _renewed(claim):
            yield claim.check


@contextmanager
def _file_lock(root: Path) -> Iterator[None]:
    with (root / LOCK_FILE).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise _taken(root, lock.read().strip() or "another run") from None
        lock.truncate(0)
        lock.write(_myself())
        lock.flush()
        yield


@contextmanager
def _renewed(claim: RemoteClaim) -> Iterator[None]:
    """Renew the claim beside the work, and give it back at the end."""
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(RENEW_SECONDS):
            with suppress(LakeError):  # the store may be away for a moment; two minutes of it are too long
                claim.renew()

    thread = threading.Thread(target=renew, name="muster-lake-claim", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        with suppress(LakeError):
            claim.release()


class RemoteClaim:
    """A claim on a remote lake: who writes, and when that was last said."""

    def __init__(self, location: Location, clock: Callable[[], int] = wall_clock_ms) -> None:
        self._location = location
        self._clock = clock
        self._id = str(uuid.uuid4())

    def take(self) -> None:
        """LakeError: somebody else writes, or began to at the same moment."""
        delta = self._opened()
        held = _claim_in(delta)
        age_ms = self._clock() - held.get("at_ms", 0)
        if held and held["id"] != self._id and age_ms < STALE_MS:
            who = (
                f"{held['who']} (seen {max(0, age_ms) // 1000} s ago; one that has died is forgotten after two minutes)"
            )
            raise _taken(self._location, who)
        self._write(delta, {"id": self._id, "who": _myself(), "at_ms": self._clock()})

    def check(self) -> None:
        """LakeError: somebody else has taken it."""
        held = _claim_in(self._opened())
        if held.get("id") != self._id:
            raise _taken(self._location, held.get("who", "another run that began when our claim had expired"))

    def renew(self) -> None:
        delta = self._opened()
        if _claim_in(delta).get("id") == self._id:
            self._write(delta, {"id": self._id, "who": _myself(), "at_ms": self._clock()})

    def release(self) -> None:
        delta = self._opened()
        if _claim_in(delta).get("id") == self._id:
            self._write(delta, {})

    def _opened(self) -> DeltaTable:
        import pyarrow as pa
        from deltalake import DeltaTable, Schema

        with store_errors(f"{self._location} cannot be claimed for writing", REACHABLE):
            delta = open_table(self._location, WRITER)
            if delta is not None:
                return delta
            return DeltaTable.create(
                self._location.delta_table_url(WRITER),
                Schema.from_arrow(pa.schema([("note", pa.string())])),
                mode="ignore",
                name=WRITER,
                configuration=_SETTINGS,
                storage_options=self._location.options,
            )

    def _write(self, delta: DeltaTable, claim: dict[str, Any]) -> None:
        from deltalake.exceptions import CommitFailedError
        from deltalake.transaction import CommitProperties

        try:
            with store_errors(f"{self._location} cannot be claimed for writing", REACHABLE):
                delta.alter.set_table_properties(
                    {_PROPERTY: json.dumps(claim)},
                    raise_if_not_exists=False,
                    # Without retries: whoever wrote a claim since we looked was quicker.
                    commit_properties=CommitProperties(max_commit_retries=0),
                )
        except LakeError as error:
            if isinstance(error.__cause__, CommitFailedError):
                raise _taken(self._location, "another run that began at the same moment") from None
            raise


def _claim_in(delta: DeltaTable) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(delta.metadata().configuration.get(_PROPERTY) or "{}")
    return found


def _taken(where: object, who: str) -> LakeError:
    return LakeError(f"{where} is being written to by {who}: wait for it, stop it, or write to another lake")


def _myself() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"
