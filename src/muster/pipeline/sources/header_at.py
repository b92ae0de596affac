"""Finds the header of the batch that holds an offset in the segment files of a log partition; reads headers only."""

from __future__ import annotations

from muster.pipeline.sources.log_directories import LogFolder, SegmentFile, segment_files
from muster.pipeline.sources.offset_index import position_before
from muster.pipeline.sources.record_columns import Numbers, read_headers
from muster.pipeline.sources.segment_bytes import SegmentBytes, SegmentGone
from muster.wire.batch import HEADER_SIZE
from muster.wire.batch_header import LENGTH_END, MAGIC


def header_at(folder: LogFolder, offset: int) -> Numbers | None:
    """Of the first batch that reaches behind the offset; None where there is none, or none that can be read."""
    files = segment_files(folder)
    for index, file in enumerate(files):
        if index + 1 < len(files) and files[index + 1].base_offset <= offset:
            continue
        try:
            found = _header_in(file, offset)
        except SegmentGone:
            return None  # retention took it just now
        if found is not None:
            return found
    return None


def _header_in(file: SegmentFile, offset: int) -> Numbers | None:
    with SegmentBytes(file.path) as content:
        at = position_before(file.path, content, file.base_offset, offset)
        while len(start := content.read(at, HEADER_SIZE)) == HEADER_SIZE:
            header: Numbers = read_headers(start, [0])[0]
            if header["magic"] != MAGIC or header["length"] <= 0:
                return None
            if header["base_offset"] + header["last_offset_delta"] >= offset:
                return header
            at += LENGTH_END + int(header["length"])
    return None
