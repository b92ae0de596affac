"""How far consumers of committed records can read, out of the batches of a partition: against the rule told record by record."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from muster.pipeline.sources.stable_ends import KnownEnd, StableEnd
from tests.pipeline.sources.segment_ends import segment_end_offsets
from tests.pipeline.sources.written_log import ABORT, COMMIT, WrittenLog, pairs

PRODUCERS = (1, 2, 3)


class Expected:
    """Every record with its fate: what is readable is what a consumer of committed records is given in the end."""

    def __init__(self) -> None:
        self.fates: list[str] = []
        self.open: dict[int, list[int]] = {}

    def data(self, producer: int | None, count: int) -> None:
        for _ in range(count):
            if producer is not None:
                self.open.setdefault(producer, []).append(len(self.fates))
            self.fates.append("readable" if producer is None else "open")

    def marker(self, producer: int, fate: str) -> None:
        for offset in self.open.pop(producer, []):
            self.fates[offset] = fate
        self.fates.append("marker")

    def stable(self) -> StableEnd:
        lso = self.fates.index("open") if "open" in self.fates else len(self.fates)
        return StableEnd(lso, max((at + 1 for at in range(lso) if self.fates[at] == "readable"), default=0))


def grow(log: WrittenLog, expected: Expected, random: Random) -> None:
    producer, count = random.choice(PRODUCERS), random.randint(1, 4)
    chance = random.random()
    if chance < 0.3:
        log.append(*pairs(count))
        expected.data(None, count)
    elif chance < 0.7:
        log.append(*pairs(count), producer=producer, transactional=True)
        expected.data(producer, count)
    else:
        committed = chance < 0.85
        log.end_transaction(producer, COMMIT if committed else ABORT)
        expected.marker(producer, "readable" if committed else "aborted")
    if random.random() < 0.1:
        log.roll()


@pytest.mark.parametrize("seed", range(25))
def test_random_transactions_read_in_any_cut(tmp_path: Path, seed: int) -> None:
    """Each look begins where the last stable offset was; that is enough to know the next one."""
    random, expected, log = Random(seed), Expected(), WrittenLog(tmp_path, "orders")
    known = KnownEnd(0)
    for look in range(12):
        for _ in range(random.randint(1, 8)):
            grow(log, expected, random)
        row = segment_end_offsets([str(tmp_path)], known={("orders", 0): known}, read_at_ms=10 + look).to_pylist()[-1]
        known = KnownEnd(row["leo"], row["lso"], row["readable_end"])
        assert known == (log.end, *expected.stable())


def test_samples_of_earlier_ends_do_not_know_the_last_stable_offset(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path, "orders")
    log.append(*pairs(2), at_ms=1_000)
    log.append(*pairs(2), at_ms=2_000, producer=1, transactional=True)
    rows = segment_end_offsets([str(tmp_path)], read_at_ms=9_000).to_pylist()
    assert [(row["leo"], row["lso"], row["readable_end"]) for row in rows] == [(2, None, None), (4, 2, 2), (4, 2, 2)]


def test_end_that_is_known_without_its_last_stable_offset_is_looked_at_again(tmp_path: Path) -> None:
    """A lake of an earlier muster knows where topics end, but not what is open in them."""
    log = WrittenLog(tmp_path, "orders")
    log.append(*pairs(2), producer=1, transactional=True)
    log.append(*pairs(2))
    known = {("orders", 0): KnownEnd(4)}
    (row,) = segment_end_offsets([str(tmp_path)], known=known, read_at_ms=9_000).to_pylist()
    assert (row["leo"], row["lso"], row["readable_end"]) == (4, 0, 0)


def test_topic_without_records_is_stable_to_its_end(tmp_path: Path) -> None:
    WrittenLog(tmp_path, "orders")
    (row,) = segment_end_offsets([str(tmp_path)], read_at_ms=9_000).to_pylist()
    assert (row["leo"], row["lso"], row["readable_end"]) == (0, 0, 0)
