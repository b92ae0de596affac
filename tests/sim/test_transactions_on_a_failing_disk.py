"""Transactions on a server whose disk fails: the same script with the 1st, 2nd, 3rd ... disk operation failing, until none fails.

The simulated server keeps its logs in real files here. Whichever operation fails, once or from then on until the server is
killed, every rule of transactions holds, also after one more start on the same files.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from muster.log.files import FileStore
from muster.sim.checkers import CHECKERS, violations
from muster.sim.transactions.checkers import TRANSACTION_CHECKERS
from muster.sim.transactions.requests import NEW_PROTOCOL, OLD_PROTOCOL
from muster.sim.world import World
from tests.log.failing_disk import QuickFailingDisk

TRANSACTIONS = 2
"""That are over before the disk is whole again."""
LONGEST_FAULT_MS = 3_000
ENDS_MS = 40_000
"""Long after the timeout of whatever was left open."""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


class FilesWorld(World):
    def __init__(self, directory: Path, disk: QuickFailingDisk) -> None:
        self._directory = directory
        self._disk = disk
        super().__init__(1, transactions=True)

    def start_server(self) -> None:
        self.store = cast(Any, FileStore(str(self._directory), disk=self._disk))
        super().start_server()

    def _lose_what_was_not_synced(self) -> None:
        """The process is killed: files stay as they are."""
        store = cast(FileStore, cast(Any, self.store))
        store._journal.abandon()
        store._side_by_side.close()
        store._access.readers.close()
        store._access.writers.close()
        store._release_directory()

    @property
    def ended(self) -> int:
        return sum(attempt.told is not None for attempt in self.history.transactions.attempts.values())


def run(directory: Path, disk: QuickFailingDisk, protocol: dict[str, int], fail_at: int, *, for_good: bool) -> World:
    """One producer and one reader; the disk fails until some transactions are over, or for long."""
    world = FilesWorld(directory, disk)
    seen = world.transactions
    assert seen is not None
    producer = seen.producers[0]
    disk.arm(fail_at, for_good=for_good)
    seen.reader.start()
    producer.start()
    producer.versions = protocol
    while world.ended < TRANSACTIONS and world.scheduler.now_ms < LONGEST_FAULT_MS:
        world.scheduler.run_until(world.scheduler.now_ms + 20)
    disk.disarm()
    if for_good:
        world.crash(100)
    world.scheduler.run_until(world.scheduler.now_ms + 5_000)
    producer.vanish()
    world.scheduler.run_until(ENDS_MS)
    world.crash(100)
    world.scheduler.run_until(ENDS_MS + 5_000)
    world.look_at_the_end()
    world.history.transactions.silent.remove("t1")  # nobody has it here
    return world


@pytest.mark.parametrize("protocol", [OLD_PROTOCOL, NEW_PROTOCOL], ids=["old", "new"])
@pytest.mark.parametrize("for_good", [False, True], ids=["once", "until it is killed"])
def test_whichever_disk_operation_fails_transactions_stay_whole(
    tmp_path: Path, protocol: dict[str, int], for_good: bool
) -> None:
    fail_at = 0
    clean_run = False
    while not clean_run:
        fail_at += 1
        disk = QuickFailingDisk()
        world = run(tmp_path / str(fail_at), disk, protocol, fail_at, for_good=for_good)
        assert violations(world.history, (*CHECKERS, *TRANSACTION_CHECKERS)) == [], (
            f"operation {fail_at} failed: {disk.failed}"
        )
        clean_run = not disk.failed
    assert fail_at > 50, "the script should have had more operations that can fail"
