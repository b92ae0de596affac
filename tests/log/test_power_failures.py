"""Commits of several logs, failing disks, rolls and deletions, then the power goes: nothing acknowledged is missing.

Random scripts over `PowerFailingDisk`; the seed is the test's parameter.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from muster.log.contract import LogConfig, PartitionLog, StorageError
from muster.log.files import FileStore
from muster.log.repair import cut, find_damage
from tests.log.batches import all_records, stage
from tests.log.power_failure import PowerFailingDisk

LOGS = 4
CONFIG = LogConfig(segment_bytes=2_000, index_interval_bytes=200)


class Script:
    """One directory, what was acknowledged in it, and what may be in it besides."""

    def __init__(self, directory: Path, seed: int) -> None:
        self.random = Random(seed)
        self.directory = directory
        self.acknowledged: dict[int, list[tuple[int, str]]] = {partition: [] for partition in range(LOGS)}
        self.topic_ids = {partition: bytes([partition] * 16) for partition in range(LOGS)}
        self.sent = self.repairs = 0
        self.start()

    def start(self) -> None:
        self.disk = PowerFailingDisk()
        self.store = FileStore(
            str(self.directory), disk=self.disk, journal_bytes=self.random.choice([600, 5_000, 400_000])
        )
        try:
            self.logs = {partition: self.open(partition) for partition in range(LOGS)}
        except StorageError as refused:
            # A hole in a commit that was never acknowledged looks like damage. Cutting there must lose nothing.
            if "so this is not a torn tail" not in str(refused):
                raise
            self.crash(power=False)
            for damage in find_damage(str(self.directory)):
                cut(str(self.directory), damage)
            self.repairs += 1
            self.start()

    def open(self, partition: int) -> PartitionLog:
        return self.store.open("t", partition, self.topic_ids[partition], CONFIG)

    def commit(self) -> None:
        staged: dict[PartitionLog, list[tuple[int, str]]] = {}
        for log in self.random.sample(list(self.logs.values()), self.random.randint(1, LOGS)):
            for _ in range(self.random.randint(1, 3)):
                self.sent += 1
                value = f"{self.sent}-" + "x" * self.random.randint(0, 60)
                staged.setdefault(log, []).append((stage(log, value), value))
        if self.random.random() < 0.2:
            self.disk.arm(self.random.randint(1, 12), for_good=self.random.random() < 0.5)
        pending = self.store.begin_commit()
        assert pending is not None
        pending.run()
        for log, failure in pending.finish():
            if failure is None:
                self.acknowledged[log.partition] += staged[log]
        self.disk.disarm()

    def make_again(self, partition: int) -> None:
        self.store.delete("t", partition)
        self.topic_ids[partition] = self.random.randbytes(16)
        self.acknowledged[partition] = []
        self.logs[partition] = self.open(partition)

    def crash(self, *, power: bool) -> None:
        self.store._journal.abandon()
        self.store._side_by_side.close()
        self.store._access.readers.close()
        self.store._access.writers.close()
        self.store._release_directory()
        if power:
            self.disk.lose_power(self.random)

    def check(self) -> None:
        for partition, log in self.logs.items():
            found = all_records(log)
            expected = self.acknowledged[partition]
            assert found[: len(expected)] == expected
            # What is there besides was sent and not acknowledged, and stands from here on.
            self.acknowledged[partition] = found


@pytest.mark.parametrize("seed", range(60))
def test_whatever_the_power_failure_takes_nothing_acknowledged_is_missing(tmp_path: Path, seed: int) -> None:
    script = Script(tmp_path, seed)
    random = script.random
    for _ in range(4):
        for _ in range(random.randint(1, 12)):
            script.commit()
            if random.random() < 0.1:
                script.make_again(random.randrange(LOGS))
        if random.random() < 0.2:
            script.store.close()
        else:
            script.crash(power=random.random() < 0.8)
        script.start()
        script.check()
    script.store.close()
    assert not list(tmp_path.glob("muster.sync.*"))
