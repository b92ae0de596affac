"""Where a log partition ends: the offset that its next record will get, from the files alone.

Agrees with `segment_files`: what it calls the end is what a full read arrives at, unfinished batches excluded. Reads the headers of
the last segment, near its end where an index allows it, and the last batch to check it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muster.pipeline.sources.batch_scan import scan_batches
from muster.pipeline.sources.log_directories import LogFolder, SegmentFile, log_folders, segment_files
from muster.pipeline.sources.offset_index import position_before
from muster.pipeline.sources.record_columns import read_headers
from muster.pipeline.sources.segment_bytes import SegmentBytes, SegmentGone
from muster.pipeline.sources.segment_files import CHUNK_BYTES

_ANY_OFFSET: Final = 1 << 62


def log_ends(directories: Sequence[str], topic: str) -> dict[int, int]:
    """The end of every log partition of a topic."""
    return {folder.partition: log_end(folder) for folder in log_folders(directories, topic)}


def log_end(folder: LogFolder, listed: Sequence[SegmentFile] | None = None) -> int:
    """`listed`: its files, where they were listed just now."""
    files = segment_files(folder) if listed is None else listed
    for file in reversed(files):
        try:
            with SegmentBytes(file.path) as content:
                end = _end_of(file, content)
        except SegmentGone:
            continue
        if end is not None:
            return end
        if file.is_last and file.base_offset:
            return file.base_offset  # a segment that was just begun: it is named after the end of the one before
    return files[0].base_offset if files else 0


def _end_of(file: SegmentFile, content: SegmentBytes) -> int | None:
    """Behind the last whole batch of one file; None if it has none."""
    at = position_before(file.path, content, file.base_offset, _ANY_OFFSET)
    want = CHUNK_BYTES
    end: int | None = None
    while True:
        buf = content.read(at, want)
        scan = scan_batches(buf)
        if scan.positions:
            header = read_headers(buf, scan.positions[-1:])[0]
            end = int(header["base_offset"]) + int(header["last_offset_delta"]) + 1
        if len(buf) < want or scan.lost:
            return end
        if scan.end == 0:
            want = max(2 * want, scan.needs)
        else:
            at += scan.end
            want = CHUNK_BYTES
