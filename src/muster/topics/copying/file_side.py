"""A data directory as one side of a copy. Read through the store that serves it, which also mends what a crash left; written
as segment files, whose indexes that store then makes anew, as after a crash.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from muster.log.checkpoints import (
    CLEAN_OFFSETS,
    PARTITION_METADATA,
    START_OFFSETS,
    format_offsets,
    format_partition_metadata,
)
from muster.log.contract import LogConfig, StorageError
from muster.log.directory import PRIVATE_DOCUMENTS, DirectoryLock, partition_path, prepare_directory
from muster.log.disk import Disk, replace_file, write_file
from muster.log.files import FileStore
from muster.log.segment import LOG_SUFFIX
from muster.log.segment_batches import checked_batches
from muster.topics.catalog_document import DOCUMENT as TOPICS
from muster.topics.catalog_document import StoredTopic, decode_catalog, encode_catalog
from muster.topics.copying.contract import StoredBatch, StoredPartition
from muster.topics.copying.mark import MARK, check_mark, encode_mark, refuse_half_copy
from muster.topics.producer_snapshots import DOCUMENT as PRODUCERS
from muster.wire.batch import iterate_batches

META: Final = "meta.properties"
_OF_THIS_DIRECTORY: Final = frozenset({MARK, PRODUCERS, "workers.json"})
"""Documents that no other store needs: producers are found in the logs, workers are those of this machine."""
_READ_BYTES: Final = 4 * 1024 * 1024


class DirectoryReading:
    """A `Readable`. The directory belongs to it until `close`; what a crash left torn is cut, as a start of the server would."""

    def __init__(self, directory: str, *, is_target: bool = False) -> None:
        """`is_target`: what was just copied is read again, to be compared."""
        if not os.path.isfile(os.path.join(directory, META)):
            raise StorageError(f"{directory}: is not a data directory of Muster: it has no {META}")
        self.directory = directory
        self._store = FileStore(directory)
        try:
            if not is_target:
                refuse_half_copy(directory, self._store.read_document(MARK))
            self.cluster_id = self._cluster_id()
            self._topics = decode_catalog(self._store.read_document(TOPICS))
            self._check_all_known()
        except BaseException:
            self._store.close()
            raise

    def _cluster_id(self) -> str:
        lines = (self._store.read_document(META) or b"").decode("utf-8", "replace").splitlines()
        fields = dict(line.split("=", 1) for line in lines if "=" in line)
        if not fields.get("cluster.id"):
            raise StorageError(f"{self.directory}/{META}: has no cluster.id: it is damaged or not Kafka's")
        return fields["cluster.id"]

    def _check_all_known(self) -> None:
        known = {*(topic.name for topic in self._topics.topics), *self._topics.deleting}
        strangers = [f"{topic}-{partition}" for topic, partition in self._store.partitions() if topic not in known]
        if strangers:
            raise StorageError(
                f"{self.directory}: {strangers[0]} belongs to no topic of {TOPICS}: start `muster serve` on it once, which"
                " takes such logs over, or move the directory of that partition away"
            )

    def documents(self) -> Mapping[str, bytes]:
        names = sorted(path.name for path in Path(self.directory).glob("*.json") if path.name not in _OF_THIS_DIRECTORY)
        read = {name: self._store.read_document(name) for name in names}
        return {name: content for name, content in read.items() if content is not None}

    def left_out(self) -> Sequence[str]:
        return ()

    def partitions(self) -> Sequence[StoredPartition]:
        return [
            self._partition(topic, index)
            for topic in sorted(self._topics.topics, key=lambda topic: topic.name)
            for index in range(topic.partitions)
        ]

    def _partition(self, topic: StoredTopic, index: int) -> StoredPartition:
        log = self._store.open(topic.name, index, topic.topic_id, LogConfig())
        newest = log.leader_epochs[-1][0] if log.leader_epochs else 0
        return StoredPartition(
            topic.name,
            index,
            topic.topic_id,
            max(newest, topic.leader_epochs.get(index, 0)),
            log.start_offset,
            log.end_offset,
            log.clean_offset,
            log.has_transactions,
            log.size_bytes(),
        )

    def batches(self, partition: StoredPartition, from_offset: int) -> Iterator[StoredBatch]:
        log = self._store.open(partition.topic, partition.partition, partition.topic_id, LogConfig())
        segments = [(base, path.stat().st_mtime_ns // 1_000_000) for base, path in _segment_files(Path(log.directory))]
        at, offset = 0, max(from_offset, log.start_offset)
        while content := log.read(offset, _READ_BYTES):
            for position, header in iterate_batches(content):
                while at + 1 < len(segments) and segments[at + 1][0] <= header.base_offset:
                    at += 1
                base, written_ms = segments[at]
                body = content[position : position + header.size]
                yield StoredBatch(
                    base,
                    header.base_offset,
                    header.next_offset,
                    header.record_count,
                    header.max_timestamp,
                    written_ms,
                    body,
                )
                offset = header.next_offset

    def close(self) -> None:
        self._store.close()


class DirectoryWriting:
    """A `Writable`."""

    def __init__(self, directory: str) -> None:
        self.directory = os.path.abspath(directory)
        self._disk = Disk()
        prepare_directory(self.directory, self._disk)
        self._lock: DirectoryLock | None = DirectoryLock(self.directory, self._disk)

    def begin(self, cluster_id: str) -> None:
        mark = Path(self.directory, MARK)
        if mark.exists():
            check_mark(self.directory, mark.read_bytes(), cluster_id)
            return
        found = sorted(name for name in os.listdir(self.directory) if name not in (".lock", "lost+found"))
        if found:
            raise StorageError(f"{self.directory}: is not empty (it holds {found[0]}): give an empty directory")
        replace_file(self._disk, str(mark), encode_mark(cluster_id))

    def end_of(self, partition: StoredPartition) -> int:
        """The last segment may be torn: its sound batches count, the rest goes."""
        path = self._path(partition)
        if not path.is_dir():
            self._disk.make_directory(str(path))
        write_file(self._disk, str(path / PARTITION_METADATA), format_partition_metadata(partition.topic_id), sync=True)
        segments = _segment_files(path)
        return _mended_end(segments[-1][1], segments[-1][0]) if segments else -1

    def append(self, partition: StoredPartition, batches: Iterable[StoredBatch]) -> None:
        by_segment: dict[int, list[bytes]] = {}
        for batch in batches:
            by_segment.setdefault(batch.segment_base, []).append(batch.content)
        for base, contents in by_segment.items():
            with _segment_path(self._path(partition), base).open("ab") as file:
                file.write(b"".join(contents))
                file.flush()
                os.fsync(file.fileno())

    def finish(self, cluster_id: str, partitions: Sequence[StoredPartition], documents: Mapping[str, bytes]) -> None:
        starts, cleans = {}, {}
        for partition in partitions:
            slot = (partition.topic, partition.partition)
            first = self._end_segments(partition)
            if partition.start_offset > first:
                starts[slot] = partition.start_offset
            if partition.clean_offset:
                cleans[slot] = partition.clean_offset
        self._replace(START_OFFSETS, format_offsets(starts))
        self._replace(CLEAN_OFFSETS, format_offsets(cleans))
        for name, content in documents.items():
            self._replace(name, with_epochs(content, partitions) if name == TOPICS else content)
        self._replace(META, f"cluster.id={cluster_id}\nversion=1\n".encode())

    def _end_segments(self, partition: StoredPartition) -> int:
        """An empty segment where the log ends without a batch: as compaction and retention leave it. Returns the first offset."""
        path = self._path(partition)
        segments = _segment_files(path)
        end = _mended_end(segments[-1][1], segments[-1][0]) if segments else -1
        if end < partition.end_offset:
            base = partition.end_offset if segments else max(partition.start_offset, partition.end_offset)
            _segment_path(path, base).touch()
            segments = segments or [(base, path)]
        return segments[0][0]

    def _replace(self, name: str, content: bytes) -> None:
        replace_file(self._disk, os.path.join(self.directory, name), content, private=name in PRIVATE_DOCUMENTS)

    def reading(self) -> DirectoryReading:
        """Opens every log, which checks each batch and makes the indexes."""
        self._let_go()
        return DirectoryReading(self.directory, is_target=True)

    def release(self, *, is_complete: bool) -> None:
        if is_complete:
            os.unlink(os.path.join(self.directory, MARK))
            self._disk.sync_directory(self.directory)
        self._let_go()

    def _let_go(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    def _path(self, partition: StoredPartition) -> Path:
        return Path(partition_path(self.directory, partition.topic, partition.partition))


def with_epochs(topics: bytes, partitions: Sequence[StoredPartition]) -> bytes:
    """The document of topics with the epochs of now: a single server goes on with the one that it finds there."""
    stored = decode_catalog(topics)
    epochs = {(each.topic, each.partition): each.epoch for each in partitions}
    for topic in stored.topics:
        of_topic = {index: epochs.get((topic.name, index), 0) for index in range(topic.partitions)}
        topic.leader_epochs = {index: epoch for index, epoch in of_topic.items() if epoch > 0}
    return encode_catalog(stored.topics, stored.deleting)


def _segment_path(directory: Path, base: int) -> Path:
    return directory / f"{base:020}{LOG_SUFFIX}"


def _segment_files(directory: Path) -> list[tuple[int, Path]]:
    return sorted((int(path.stem), path) for path in directory.glob(f"*{LOG_SUFFIX}"))


def _mended_end(path: Path, base: int) -> int:
    """The offset after the last sound batch; whatever follows it is cut."""
    position, end = 0, base
    size = path.stat().st_size
    try:
        for header, _ in checked_batches(Disk(), str(path), size):
            position, end = position + header.size, header.next_offset
    except StorageError:
        os.truncate(path, position)
    return end
