"""Where topics ended at every moment, out of a data directory: rows of `b_leo_sample`, one for each batch that counts.

A batch says when it was written (its newest timestamp, which is the append time where the topic stores that) and how far the log
reached behind it. So begin and end of such a sample are the same moment. Times never go back along a log here: with producers'
clocks a late timestamp must not make the end appear to shrink. The last stable offset is that of the whole log, so only samples
of its end have it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from muster.log.checkpoints import START_OFFSETS, parse_offsets
from muster.log.contract import StorageError
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.bronze_rows import LogPlace, dates_of
from muster.pipeline.sources.log_directories import LogFolder, SegmentFile, log_folders, segment_files, topic_id_of
from muster.pipeline.sources.log_end import log_end
from muster.pipeline.sources.record_columns import HEADER, Numbers, is_control
from muster.pipeline.sources.segment_files import PartitionReader
from muster.pipeline.sources.stable_ends import KnownEnd, StableEnd, is_commit, stable_end

SAMPLER: Final = "segment"
_INTERNAL_PREFIX: Final = "__"
_ROWS: Final = TABLES["b_leo_sample"]
_NOTHING: Final = KnownEnd(0)


def topic_folders(directories: Sequence[str], topics: Sequence[str] | None = None) -> list[LogFolder]:
    """The folders of these topics, or of all but internal ones."""
    return [
        folder
        for folder in log_folders(directories)
        if (folder.topic in topics if topics is not None else not folder.topic.startswith(_INTERNAL_PREFIX))
    ]


def folder_end_offsets(
    folders: Iterable[LogFolder],
    *,
    cluster: str = "default",
    known: Mapping[tuple[str, int], KnownEnd] | None = None,
    resolution_ms: int = 1,
    read_at_ms: int | None = None,
) -> pa.Table:
    """The history of every partition's end.

    `known`: only what was appended from these ends on, by (topic, partition). A log that ends before its known end was made anew:
    all of it is new. Within `resolution_ms` only the last sample is kept, which brackets stay true under. With `read_at_ms`, for
    a directory that is in use, the end as it is now is added.
    """
    checkpoints = _Checkpoints()
    histories: list[_History] = []
    for folder in folders:
        start = (known or {}).get((folder.topic, folder.partition), _NOTHING)
        found = _history(folder, start, resolution_ms, read_at_ms, checkpoints)
        if start.leo and found.ends[-1] < start.leo:
            found = _history(folder, _NOTHING, resolution_ms, read_at_ms, checkpoints)
        histories.append(found)
    return _table(histories, cluster) if histories else _ROWS.empty_table()


class _History(NamedTuple):
    """One partition. Numbers until the end: a table of each of a hundred thousand would cost more than reading them."""

    folder: LogFolder
    ends: Numbers
    times: Numbers
    epochs: Numbers
    log_start: int
    stable: StableEnd
    """Of the last end."""


def _history(
    folder: LogFolder, known: KnownEnd, resolution_ms: int, read_at_ms: int | None, checkpoints: _Checkpoints
) -> _History:
    files = segment_files(folder)
    log_start = checkpoints.log_start(folder, files)
    start, stable = known.leo, known.stable
    end = log_end(folder, files)  # before reading: what is appended meanwhile is read, or is no part of it
    if start and stable and read_at_ms is not None and end == start:  # nothing new: a third of the work
        unknown_epoch = np.array([-1], dtype=np.int32)
        return _History(folder, np.array([start]), np.array([read_at_ms]), unknown_epoch, log_start, stable)
    found, commits = _batches(folder, min(start, stable.lso) if stable else 0)
    ends: Numbers = found["base_offset"].astype(np.int64) + found["last_offset_delta"] + 1
    end = max(end, int(ends[-1])) if len(ends) else end
    stable = stable_end(found, commits, stable or StableEnd(log_start, log_start), end)
    found, ends = found[ends > start], ends[ends > start]
    times: Numbers = np.maximum.accumulate(found["max_timestamp"].astype(np.int64))
    epochs: Numbers = found["leader_epoch"].astype(np.int32)
    if len(ends):
        keep = _last_of_each(times // max(1, resolution_ms))
        ends, times, epochs = ends[keep], times[keep], epochs[keep]
    if read_at_ms is not None or not len(ends):
        now_ms = read_at_ms if read_at_ms is not None else _written_ms(folder)
        ends = np.append(ends, end)
        times = np.append(times, max(now_ms, int(times[-1]) if len(times) else 0))
        epochs = np.append(epochs, epochs[-1] if len(epochs) else -1).astype(np.int32)
    return _History(folder, ends, times, epochs, log_start, stable)


def _batches(folder: LogFolder, start: int) -> tuple[Numbers, list[bool]]:
    """The headers of all batches from an offset on, and of each control batch whether it is a COMMIT marker."""
    reader = PartitionReader(folder, LogPlace("", folder.topic, folder.partition, SAMPLER), start)
    headers, commits = [np.empty(0, dtype=HEADER)], []
    for chunk in reader.chunks():
        headers.append(chunk.headers)
        commits += [is_commit(chunk.buf, chunk.positions[row]) for row in np.flatnonzero(is_control(chunk.headers))]
    return np.concatenate(headers), commits


def _last_of_each(moments: Numbers) -> Numbers:
    """The last index of every run of equal moments."""
    keep: Numbers = np.append(np.flatnonzero(np.diff(moments)), len(moments) - 1)
    return keep


def _table(histories: list[_History], cluster: str) -> pa.Table:
    counts = [len(each.ends) for each in histories]
    which = pa.array(np.repeat(np.arange(len(histories)), counts))
    ends, times, epochs = (np.concatenate([each[column] for each in histories]) for column in (1, 2, 3))
    log_starts, lasts, stable, readable = (
        np.repeat(np.array(values, dtype=np.int64), counts)
        for values in zip(*((each.log_start, each.ends[-1], *each.stable) for each in histories), strict=True)
    )
    earlier = ends != lasts
    columns = [
        pa.repeat(cluster, len(ends)),
        pa.array([each.folder.topic for each in histories], pa.string()).take(which),
        pa.array([each.folder.partition for each in histories], pa.int32()).take(which),
        pa.array([topic_id_of(each.folder) for each in histories], pa.string()).take(which),
        pa.array(ends),
        pa.array(stable, mask=earlier),
        pa.array(readable, mask=earlier),
        pa.array(log_starts),
        pa.array(times),
        pa.array(ends - 1, mask=ends <= log_starts),
        pa.array(epochs, mask=epochs < 0),
        pa.array(times),
        pa.array(times),
        pa.repeat(SAMPLER, len(ends)),
        dates_of(times),
    ]
    return pa.Table.from_arrays(columns, schema=_ROWS)


class _Checkpoints:
    """Where logs begin since DeleteRecords moved it into a segment: one file for all logs of a directory, read once."""

    def __init__(self) -> None:
        self._known: dict[str, dict[tuple[str, int], int]] = {}

    def log_start(self, folder: LogFolder, files: Sequence[SegmentFile]) -> int:
        """The first offset that consumers can still have."""
        first = files[0].base_offset if files else 0
        directory = os.path.dirname(folder.path)
        if directory not in self._known:
            self._known[directory] = _read_checkpoint(os.path.join(directory, START_OFFSETS))
        return max(first, self._known[directory].get((folder.topic, folder.partition), 0))


def _read_checkpoint(path: str) -> dict[tuple[str, int], int]:
    try:
        with open(path, "rb") as file:
            return dict(parse_offsets(file.read(), path))
    except (OSError, StorageError):
        return {}


def _written_ms(folder: LogFolder) -> int:
    """When a log without batches was last touched."""
    files = segment_files(folder)
    try:
        return int(os.path.getmtime(files[-1].path if files else folder.path) * 1000)
    except OSError:
        return 0
