"""Where a record stands in the database and who sent it, for the failure of a test that found it twice: read, not judged."""

from __future__ import annotations

import psycopg

from muster.wire.batch import HEADER_SIZE, parse_header

_BATCH = f"""
SELECT substring(content FOR {HEADER_SIZE}), appended_at_ms
FROM muster.batches JOIN muster.partitions ON partitions.id = partition_id
WHERE topic = %s AND partition = %s AND base_offset <= %s AND next_offset > %s
"""


def describe_batch(database_url: str, topic: str, partition: int, offset: int) -> str:
    with psycopg.connect(database_url) as connection:
        row = connection.execute(_BATCH, (topic, partition, offset, offset)).fetchone()
    place = f"offset {offset} of {topic}-{partition}"
    if row is None:
        return f"{place}: not in the database"
    header = parse_header(bytes(row[0]))
    return (
        f"{place}: producer {header.producer_id} epoch {header.producer_epoch}, sequences {header.base_sequence} to "
        f"{header.last_sequence}, leader epoch {header.partition_leader_epoch}, appended at {row[1]}"
    )
