"""Random transactions over small segments, with clean stops, crashes, lost files and compaction between them: a reader of
committed records always gets what a plain list of events says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from muster.log.contract import LogConfig
from muster.log.files import FileStore
from muster.topics.broker import Broker
from tests.log.compacting import finish
from tests.topics.bench_broker import NOW_MS, batch, send_durably, started, with_topic
from tests.topics.transactional import committed_offsets, mark, of, stable, write

PRODUCERS = 4


class History:
    """The broker, and beside it what a reader may see."""

    def __init__(self, directory: Path, seed: int, config: LogConfig) -> None:
        self.config = config
        self.chance = random.Random(seed)
        self.directory = directory
        self.broker = self.open()
        self.sequences = dict.fromkeys(range(PRODUCERS), 0)
        self.open_offsets: dict[int, list[int]] = {}
        self.decided: list[int] = []
        """Offsets of plain and of committed records."""

    def open(self) -> Broker:
        broker = started(FileStore(str(self.directory)))
        if broker.topic("t") is None:
            with_topic(broker)
        of(broker).log.config = self.config
        return broker

    def step(self) -> None:
        producer_id = self.chance.randrange(PRODUCERS)
        what = self.chance.random()
        if what < 0.5:
            offset = write(self.broker, producer_id, self.sequences[producer_id])
            self.sequences[producer_id] += 1
            self.open_offsets.setdefault(producer_id, []).append(offset)
        elif what < 0.7:
            self.decided.append(send_durably(self.broker, batch(b"plain")).base_offset)
        elif what < 0.9:
            committed = self.chance.random() < 0.5
            mark(self.broker, producer_id, committed=committed)
            ended = self.open_offsets.pop(producer_id, [])
            self.decided += ended if committed else []
        else:
            self.start_again()

    def start_again(self) -> None:
        if self.chance.random() < 0.5:
            self.broker.keep_producers()
        self.broker.store.close()
        if self.chance.random() < 0.6:
            (self.directory / ".kafka_cleanshutdown").unlink()
        if self.chance.random() < 0.3:
            indexes = sorted((self.directory / "t-0").glob("*.txnindex"))
            if len(indexes) > 1:
                self.chance.choice(indexes[1:]).unlink()
        self.broker = self.open()

    def check(self) -> None:
        log = of(self.broker).log
        first_open = min((offsets[0] for offsets in self.open_offsets.values()), default=log.durable_offset)
        assert stable(self.broker) == first_open
        wanted = sorted(offset for offset in self.decided if offset < first_open)
        assert committed_offsets(self.broker) == wanted
        start = self.chance.randint(0, first_open)
        found = committed_offsets(self.broker, start, 500)
        assert found == [offset for offset in wanted if offset >= start][: len(found)]


@pytest.mark.parametrize("seed", range(12))
def test_readers_of_committed_records_see_what_was_committed(tmp_path: Path, seed: int) -> None:
    history = History(tmp_path, seed, LogConfig(segment_bytes=400))
    for _ in range(60):
        history.step()
        history.check()
    history.broker.store.close()


@pytest.mark.parametrize("seed", range(6))
def test_compaction_changes_nothing_for_readers_of_committed_records(tmp_path: Path, seed: int) -> None:
    """All records have the same key: of what is decided the last one stays, and nothing else comes back."""
    config = LogConfig(
        segment_bytes=400,
        cleanup_compact=True,
        cleanup_delete=False,
        delete_retention_ms=0,
        producer_id_expiration_ms=1,
    )
    history = History(tmp_path, seed, config)
    for step in range(60):
        history.step()
        if step % 10 == 9:
            log = of(history.broker).log
            finish(log.begin_compaction(NOW_MS + step, stable(history.broker)), 100_000)
        decided = sorted(history.decided)
        found = committed_offsets(history.broker)
        first_open = stable(history.broker)
        assert set(found) <= set(decided)
        assert found[-1:] == [offset for offset in decided if offset < first_open][-1:]
    history.broker.store.close()
