"""A log read in any number of passes gives what one pass gives, whatever happened to its files; indexes are hints only."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from struct import pack

import pytest

from muster.pipeline.sources import segment_files
from muster.pipeline.sources.log_end import log_end
from muster.pipeline.sources.log_source import Stretch
from muster.pipeline.sources.offset_index import position_before
from muster.pipeline.sources.segment_bytes import SegmentBytes
from muster.pipeline.sources.segments import SegmentLogs
from tests.pipeline.sources.written_log import TOPIC, WrittenLog, pairs, read_all, reader_of


def random_log(directory: Path, chance: random.Random) -> WrittenLog:
    """Segments with holes, compression and damage; the last batch is sound."""
    log = WrittenLog(directory)
    for _ in range(30):
        log.append(*pairs(chance.randint(1, 5)), compression=chance.choice([0, 0, 4]))
        if chance.random() < 0.2:
            log.skip(chance.randint(1, 5))
        if chance.random() < 0.15:
            log.roll()
    for index in chance.sample(range(1, 29), 3):
        log.damage(index, chance.randint(61, 64), b"\xaa\x55")
    log.append(*pairs(2))
    return log


@pytest.mark.parametrize("seed", range(8))
def test_passes_at_any_cuts_give_every_row_once(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    log = random_log(tmp_path, chance)
    logs = SegmentLogs((str(tmp_path),))
    end = logs.ends()[0]
    assert end == log.end
    whole = logs.open(Stretch(0, 0, end))
    rows = [row for batch in whole.bronze() for row in batch.to_pylist()]
    assert rows
    monkeypatch.setattr(segment_files, "CHUNK_BYTES", 150)
    cuts = [0, *sorted(chance.sample(range(1, end), 5)), end]
    found = []
    where = []
    for start, stop in pairwise(cuts):
        reader = logs.open(Stretch(0, start, stop))
        found += [row for batch in reader.bronze() for row in batch.to_pylist()]
        where += reader.quarantine().column("where").to_pylist()
    assert found == rows
    assert where == whole.quarantine().column("where").to_pylist()
    assert len(where) == 3


@pytest.mark.parametrize("seed", range(4))
def test_pass_that_follows_a_growing_log_goes_on_where_it_was(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    log = WrittenLog(tmp_path)
    position = 0
    seen: list[int] = []
    for _ in range(20):
        for _ in range(chance.randint(0, 3)):
            log.append(*pairs(chance.randint(1, 4)))
            if chance.random() < 0.3:
                log.roll()
        reader = reader_of(log.folder, position)
        seen += [row[0] for row in read_all(reader)]
        assert reader.next_offset == log_end(log.folder) == log.end
        position = reader.next_offset
    assert seen == list(range(log.end))


def index_of(log: WrittenLog, *entries: tuple[int, int]) -> None:
    log.file.with_suffix(".index").write_bytes(b"".join(pack(">ii", *entry) for entry in entries))


def test_index_lets_reading_begin_near_the_offset(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    for _ in range(10):
        log.append(*pairs(3))
    third, seventh = log.batches[2][1], log.batches[6][1]
    index_of(log, (8, third), (20, seventh), (0, 0), (0, 0))
    with SegmentBytes(str(log.file)) as content:
        found = [position_before(str(log.file), content, 0, offset) for offset in (0, 7, 8, 19, 20, 99)]
    assert found == [
        0,
        0,
        third,
        third,
        seventh,
        seventh,
    ]
    log.damage(0, 62, b"\xff")  # in front of where the index lets reading begin: nobody sees it
    reader = reader_of(log.folder, 21)
    assert [row[0] for row in read_all(reader)] == list(range(21, 30))
    assert reader.problems == []


@pytest.mark.parametrize("entry", [(8, 5), (8, 100_000), (8, -1), (-7, 0)])
def test_index_that_is_wrong_is_not_believed(tmp_path: Path, entry: tuple[int, int]) -> None:
    log = WrittenLog(tmp_path)
    for _ in range(10):
        log.append(*pairs(3))
    index_of(log, entry)
    assert [row[0] for row in read_all(reader_of(log.folder, 21))] == list(range(21, 30))
    assert log_end(log.folder) == 30


def test_segments_merged_by_compaction_while_they_are_read_are_looked_for_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kafka's cleaner puts one file in the place of several: the name of a later one is gone when its turn comes."""
    log = WrittenLog(tmp_path)
    for _ in range(4):
        log.append(*pairs(2))
        log.roll()
    log.append(*pairs(2))
    monkeypatch.setattr(segment_files, "CHUNK_BYTES", 100)
    reader = reader_of(log.folder)
    records = reader.records()
    seen = next(records).offsets.tolist()
    files = sorted(log.path.glob("*.log"))
    merged = b"".join(file.read_bytes() for file in files[1:3])
    files[2].unlink()
    (log.path / "new").write_bytes(merged)
    (log.path / "new").rename(files[1])
    files[3].unlink()  # and retention takes the one behind
    for found in records:
        seen += found.offsets.tolist()
    assert seen == [0, 1, 2, 3, 4, 5, 8, 9]
    assert (reader.next_offset, reader.problems) == (10, [])


def test_stretch_of_a_partition_that_is_gone_says_so(tmp_path: Path) -> None:
    from muster.pipeline.sources.failure import SourceError

    WrittenLog(tmp_path)
    with pytest.raises(SourceError, match=f"{TOPIC}-7 is in none of"):
        SegmentLogs((str(tmp_path),)).open(Stretch(7, 0, 1))
