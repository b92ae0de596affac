"""Data directories of Muster or Kafka: which log partitions are there, in which files, and of which topic id.

Knows names of folders and files, opens none but the small `partition.metadata`. Only reads: the server that owns the directory
may be running.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from muster.pipeline.sources.failure import SourceError

_PARTITION_NAME: Final = re.compile(r"(?P<topic>[A-Za-z0-9._-]{1,249})-(?P<partition>0|[1-9][0-9]{0,9})")
_SEGMENT_NAME: Final = re.compile(r"(?P<base>[0-9]{20})\.log")
_TOPIC_ID: Final = re.compile(r"^topic_id:\s*(\S+)", re.MULTILINE)


@dataclass(slots=True, frozen=True)
class LogFolder:
    """The folder of one log partition."""

    topic: str
    partition: int
    path: str


@dataclass(slots=True, frozen=True)
class SegmentFile:
    path: str
    base_offset: int
    is_last: bool
    """The segment that is written to; only its end may be half written."""


def log_folders(directories: Sequence[str], topic: str | None = None) -> list[LogFolder]:
    """Every log partition (of one topic) in these directories, by topic and number."""
    found: dict[tuple[str, int], LogFolder] = {}
    for directory in directories:
        for folder in _folders_in(directory, topic):
            other = found.setdefault((folder.topic, folder.partition), folder)
            if other is not folder and os.path.realpath(other.path) != os.path.realpath(folder.path):
                raise SourceError(
                    f"{folder.topic}-{folder.partition} is in {os.path.dirname(other.path)} and in {directory}:"
                    " two copies of one log cannot be read as one. Name the directories of one broker"
                )
    return [found[key] for key in sorted(found)]


def log_folder(directories: Sequence[str], topic: str, partition: int) -> LogFolder | None:
    """The folder of one log partition, without a look at a hundred thousand others."""
    name = f"{topic}-{partition}"
    for directory in directories:
        path = os.path.join(directory, name)
        if os.path.isdir(path):
            return LogFolder(topic, partition, path)
    return None


def _folders_in(directory: str, topic: str | None) -> Iterable[LogFolder]:
    try:
        with os.scandir(directory) as entries:
            found = sorted((entry.name, entry) for entry in entries if topic is None or entry.name.startswith(topic))
    except OSError as error:
        raise SourceError(f"{directory}: cannot be read as a data directory: {error.strerror}") from error
    for name, entry in found:
        match = _PARTITION_NAME.fullmatch(name)
        if match and topic in (None, match["topic"]) and entry.is_dir():
            yield LogFolder(match["topic"], int(match["partition"]), entry.path)


def segment_files(folder: LogFolder) -> list[SegmentFile]:
    """The segments in the order of their offsets. What is being deleted or cleaned has another ending and is not seen."""
    try:
        names = os.listdir(folder.path)
    except FileNotFoundError:
        return []  # the topic was deleted since
    except OSError as error:
        raise SourceError(f"{folder.path}: cannot be read: {error.strerror}") from error
    bases = sorted((int(match["base"]), name) for name in names if (match := _SEGMENT_NAME.fullmatch(name)))
    last = len(bases) - 1
    return [
        SegmentFile(os.path.join(folder.path, name), base, index == last) for index, (base, name) in enumerate(bases)
    ]


def topic_id_of(folder: LogFolder) -> str | None:
    """The id as Kafka's tools show it: 22 characters of base64."""
    try:
        with open(os.path.join(folder.path, "partition.metadata"), encoding="utf-8", errors="replace") as file:
            found = _TOPIC_ID.search(file.read(4096))
    except OSError:
        return None
    return found[1] if found else None
