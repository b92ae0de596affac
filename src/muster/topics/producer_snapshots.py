"""What is known of producers and their open transactions, kept beside the logs now and then: `producers.json`.

A start that had to read it out of the logs would read a day of batch headers in each partition that a producer writes
to. A snapshot says up to which offset it knows the log; only what came later is read. It is a shortcut, never the truth:
one that is missing, damaged or of another life of the topic is left alone, and the log is read as if there were none.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from muster.log.contract import LogStore
from muster.topics.catalog import Catalog
from muster.topics.producers import KeptBatch, ProducerEntry, ProducerLedger
from muster.topics.topic import Partition

DOCUMENT: Final = "producers.json"
FORMAT: Final = 2
"""1 knew nothing of transactions."""

_log = logging.getLogger(__name__)


def keep(store: LogStore, catalog: Catalog) -> None:
    """Write what is known. A ledger that is ahead of what is durable is left out this time; its older snapshot stays."""
    import json

    kept = []
    for partition in catalog.partitions():
        ledger = partition.producers
        if ledger is not None and ledger.next_offset <= partition.log.durable_offset:
            partition.producer_base = ledger.copy()
        base = partition.producer_base
        if base is not None and (len(base) or partition.log.has_transactions):
            kept.append(_encode(partition, base))
    before = store.read_document(DOCUMENT)
    content = json.dumps({"format": FORMAT, "partitions": kept}, separators=(",", ":")).encode()
    if content != before and (kept or before is not None):
        store.write_document(DOCUMENT, content)


def give_back(store: LogStore, catalog: Catalog) -> None:
    """Hand the snapshots to their partitions."""
    content = store.read_document(DOCUMENT)
    if content is None:
        return
    import json

    try:
        document = json.loads(content)
        if document["format"] != FORMAT:
            raise ValueError(f"format {document['format']} is not known")
        for entry in document["partitions"]:
            topic = catalog.by_id(bytes.fromhex(entry["topic_id"]))
            partition = topic.partition(entry["partition"]) if topic is not None else None
            if partition is not None:
                partition.producer_base = _decode(str(partition), entry)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        _log.warning("%s cannot be used (%r): producers are read out of the logs instead", DOCUMENT, error)


def _encode(partition: Partition, ledger: ProducerLedger) -> dict[str, Any]:
    return {
        "topic_id": partition.topic.topic_id.hex(),
        "partition": partition.index,
        "next_offset": ledger.next_offset,
        "producers": [
            [
                producer_id,
                entry.epoch,
                entry.seen_ms,
                [_row(kept) for kept in entry.batches],
                entry.coordinator_epoch,
                entry.last_timestamp_ms,
            ]
            for producer_id, entry in ledger.entries()
        ],
        "open_transactions": ledger.open_transactions(),
    }


def _row(kept: KeptBatch) -> list[int]:
    return [kept.first_sequence, kept.last_sequence, kept.base_offset, kept.last_offset, kept.timestamp_ms]


def _decode(partition: str, entry: dict[str, Any]) -> ProducerLedger:
    ledger = ProducerLedger(partition, int(entry["next_offset"]))
    for producer_id, epoch, seen_ms, rows, coordinator_epoch, timestamp_ms in entry["producers"]:
        batches = [KeptBatch(*(int(number) for number in row)) for row in rows]
        kept = ProducerEntry(int(epoch), int(seen_ms), batches, int(coordinator_epoch), int(timestamp_ms))
        ledger.restore(int(producer_id), kept)
    ledger.restore_open((int(producer_id), int(offset)) for producer_id, offset in entry["open_transactions"])
    return ledger
