"""Which of the workers on one machine has which partition: a rule that each of them knows, so that nobody has to be asked.

Pure. The partitions of a topic go round the workers, beginning with one that depends on the topic's name; those of
`__consumer_offsets` and of the journal begin with the first, so that the coordinator of a group writes the group's journal.
"""

from __future__ import annotations

from zlib import crc32

from muster.cluster.plan import COORDINATING, FOLLOWING


def share_of(topic: str, partition: int, workers: int) -> int:
    """The worker's number, from 0. The same for as long as there are so many workers, whoever of them lives."""
    first = 0 if topic == COORDINATING or topic in FOLLOWING else crc32(topic.encode())
    return (first + partition) % workers
