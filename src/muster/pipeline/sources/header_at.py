"""Finds headers of batches by offset in the segment files of a log partition: of one, or of some in a row. Decodes no record."""

from __future__ import annotations

import numpy as np

from muster.pipeline.sources.batch_scan import scan_batches
from muster.pipeline.sources.log_directories import LogFolder, SegmentFile, segment_files
from muster.pipeline.sources.offset_index import position_before
from muster.pipeline.sources.record_columns import NO_HEADERS, Numbers, read_headers
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


def headers_from(folder: LogFolder, offset: int, size: int) -> Numbers:
    """Of the batches from an offset on, about `size` bytes of one segment; none if there are none, or one is larger."""
    files = segment_files(folder)
    for index, file in enumerate(files):
        if index + 1 < len(files) and files[index + 1].base_offset <= offset:
            continue
        try:
            found = _headers_in(file, offset, size)
        except SegmentGone:
            break  # retention or compaction took it just now
        if found is None or len(found):
            return NO_HEADERS if found is None else found
    return NO_HEADERS


def _headers_in(file: SegmentFile, offset: int, size: int) -> Numbers | None:
    """None: there is a batch that is larger."""
    with SegmentBytes(file.path) as content:
        at = position_before(file.path, content, file.base_offset, offset)
        while True:
            buf = content.read(at, size)
            scan = scan_batches(buf)
            headers = read_headers(buf, scan.positions)
            ours = np.flatnonzero(headers["base_offset"] + headers["last_offset_delta"] >= offset)
            if len(ours) and ours[0] == 0:
                return headers
            if len(ours):
                at += scan.positions[int(ours[0])]  # all of the bytes are to be those that were asked for
                continue
            if len(buf) < size or scan.lost:
                return NO_HEADERS
            if not scan.end:
                return None
            at += scan.end


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
