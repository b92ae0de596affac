"""From one store to another, from where an earlier attempt was interrupted, and then everything is compared.

Knows neither files nor databases: `contract` says what both sides offer. Says how far it is to whoever wants to show it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from muster.log.contract import StorageError
from muster.topics.catalog_document import DOCUMENT as TOPICS
from muster.topics.catalog_document import decode_catalog
from muster.topics.copying.contract import Readable, StoredBatch, StoredPartition, Writable

_APPEND_BYTES: Final = 4 * 1024 * 1024


@dataclass(slots=True, frozen=True)
class Counted:
    """What a partition holds, in numbers that differ if anything does."""

    partition: str
    start_offset: int
    end_offset: int
    batches: int
    records: int
    size: int
    sha256: str


@dataclass(slots=True, frozen=True)
class Progress:
    step: str
    partition: str
    done_bytes: int
    all_bytes: int


def copy_store(source: Readable, target: Writable, show: Callable[[Progress], None]) -> list[Counted]:
    """StorageError if a side refuses, or if the two differ in the end. What was done until then stays, for the next attempt."""
    target.begin(source.cluster_id)
    partitions = source.partitions()
    documents = source.documents()
    _copy_batches(source, target, partitions, show)
    target.finish(source.cluster_id, partitions, documents)
    copied = target.reading()
    try:
        counted = _compare(source, copied, partitions, show)
        _compare_documents(source, copied)
    finally:
        copied.close()
    return counted


def _copy_batches(
    source: Readable, target: Writable, partitions: Sequence[StoredPartition], show: Callable[[Progress], None]
) -> None:
    total, before = sum(each.size for each in partitions), 0
    for partition in partitions:
        at = max(target.end_of(partition), partition.start_offset)
        done = before
        for some in _in_pieces(source.batches(partition, at)):
            target.append(partition, some)
            done += sum(len(batch.content) for batch in some)
            show(Progress("copying", str(partition), done, total))
        before += partition.size


def _in_pieces(batches: Iterator[StoredBatch]) -> Iterator[list[StoredBatch]]:
    some: list[StoredBatch] = []
    size = 0
    for batch in batches:
        some.append(batch)
        size += len(batch.content)
        if size >= _APPEND_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _compare(
    source: Readable, copied: Readable, partitions: Sequence[StoredPartition], show: Callable[[Progress], None]
) -> list[Counted]:
    total, done = sum(each.size for each in partitions), 0
    there = {str(each): each for each in copied.partitions()}
    counted = []
    for partition in partitions:
        expected = _count(source, partition)
        found = _count(copied, there[str(partition)]) if str(partition) in there else None
        if found != expected:
            raise StorageError(
                f"{partition} differs: {expected} here, {found or 'nothing'} there. Was one of the stores used meanwhile?"
                " Empty the copy and begin anew"
            )
        counted.append(expected)
        done += partition.size
        show(Progress("comparing", str(partition), done, total))
    return counted


def _count(side: Readable, partition: StoredPartition) -> Counted:
    batches = records = size = 0
    digest = hashlib.sha256()
    for batch in side.batches(partition, partition.start_offset):
        batches += 1
        records += batch.records
        size += len(batch.content)
        digest.update(batch.content)
    return Counted(
        str(partition), partition.start_offset, partition.end_offset, batches, records, size, digest.hexdigest()
    )


def _compare_documents(source: Readable, copied: Readable) -> None:
    """The epochs of topics are those of the store that holds them; all else is the same."""
    expected, found = dict(source.documents()), dict(copied.documents())
    for side in (expected, found):
        topics = decode_catalog(side.pop(TOPICS, None)).topics
        side["topics"] = repr([(each.name, each.topic_id, each.partitions, each.configs) for each in topics]).encode()
    different = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if different:
        raise StorageError(f"the document {different[0]} differs: empty the copy and begin anew")
