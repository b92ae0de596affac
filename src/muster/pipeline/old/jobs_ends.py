"""Samples of how far the users' topics go, added to the lake before gold is made.

The manifest keeps the last end of each partition, so that a history that is read from a directory goes on where it was.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from muster.pipeline.old.jobs_files import BatchFiles
from muster.pipeline.old.jobs_sources import RunSource
from muster.pipeline.old.lake import LakeWriter, appended

TABLE: Final = "b_leo_sample"
_PREFIX: Final = "end of "
"""Before the topic's name, in the manifest's offsets: what was sampled is not what was read of the coordinator's logs."""


def add_end_offsets(writer: LakeWriter, source: RunSource, now_ms: int, only_changes: bool = False) -> int:
    """How many samples were added. With `only_changes` none are, if every partition ends where it did."""
    known = known_ends(writer, source.cluster)
    samples = source.end_offsets(known, now_ms).combine_chunks()
    last = _last_of_each(samples)
    if not last or (only_changes and all(known.get((topic, partition)) == end for topic, partition, end in last)):
        return 0
    writer.directory(TABLE)
    files = BatchFiles(writer.root, writer.manifest.next_batch, "end-offsets")
    for batch in samples.to_batches():
        files.add(TABLE, batch)
    manifest = appended(writer, files.close())
    reached = [(_PREFIX + topic, partition, end) for topic, partition, end in last]
    writer.publish(manifest.with_offsets(source.cluster, reached))
    return int(samples.num_rows)


def known_ends(writer: LakeWriter, cluster: str) -> dict[tuple[str, int], int]:
    return {
        (topic.removeprefix(_PREFIX), partition): end
        for topic, ends in writer.manifest.next_offsets.get(cluster, {}).items()
        if topic.startswith(_PREFIX)
        for partition, end in ends.items()
    }


def _last_of_each(samples: pa.Table) -> list[tuple[str, int, int]]:
    """The last row of each partition: rows are in the order of time."""
    last = samples.group_by(["topic", "partition"], use_threads=False).aggregate([("leo", "last")])
    columns = (last[name].to_pylist() for name in ("topic", "partition", "leo_last"))
    return list(zip(*columns, strict=True))
