"""Kafka's small text files: per-partition offsets at the top, leader epochs and the topic's id beside each log.

Knows the text forms only. A damaged file is a StorageError that says what to do; a missing one is the callers' matter.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Final

from muster.log.contract import StorageError
from muster.wire.special_values import TOPIC_ID_BYTES

RECOVERY_POINTS: Final = "recovery-point-offset-checkpoint"
START_OFFSETS: Final = "log-start-offset-checkpoint"
CLEAN_OFFSETS: Final = "cleaner-offset-checkpoint"
LEADER_EPOCHS: Final = "leader-epoch-checkpoint"
PARTITION_METADATA: Final = "partition.metadata"
_VERSION: Final = "0"


def format_offsets(offsets: Mapping[tuple[str, int], int]) -> bytes:
    lines = [_VERSION, str(len(offsets))]
    lines += [f"{topic} {partition} {offset}" for (topic, partition), offset in sorted(offsets.items())]
    return ("\n".join(lines) + "\n").encode()


def parse_offsets(content: bytes, path: str) -> dict[tuple[str, int], int]:
    offsets: dict[tuple[str, int], int] = {}
    for number, fields in _entries(content, path, 3):
        try:
            offsets[fields[0], int(fields[1])] = int(fields[2])
        except ValueError:
            raise _damaged(path, f"line {number} is not 'topic partition offset'") from None
    return offsets


def format_epochs(epochs: Sequence[tuple[int, int]]) -> bytes:
    lines = [_VERSION, str(len(epochs))]
    lines += [f"{epoch} {start}" for epoch, start in epochs]
    return ("\n".join(lines) + "\n").encode()


def parse_epochs(content: bytes, path: str) -> list[tuple[int, int]]:
    epochs: list[tuple[int, int]] = []
    for number, fields in _entries(content, path, 2):
        try:
            epochs.append((int(fields[0]), int(fields[1])))
        except ValueError:
            raise _damaged(path, f"line {number} is not 'epoch start-offset'") from None
    return epochs


def _entries(content: bytes, path: str, width: int) -> list[tuple[int, list[str]]]:
    if not content:
        return []  # as Kafka makes them, before there is anything to say
    try:
        lines = content.decode().splitlines()
        version, count = lines[0], int(lines[1])
    except (UnicodeDecodeError, IndexError, ValueError):
        raise _damaged(path, "it does not begin with a version and a count") from None
    if version != _VERSION:
        raise _damaged(path, f"its version is {version!r}, {_VERSION!r} is known")
    body = [(number, line.split(" ")) for number, line in enumerate(lines[2:], 3) if line]
    if len(body) != count:
        raise _damaged(path, f"it announces {count} entries and has {len(body)}")
    for number, fields in body:
        if len(fields) != width:
            raise _damaged(path, f"line {number} has {len(fields)} fields instead of {width}")
    return body


def _damaged(path: str, problem: str) -> StorageError:
    return StorageError(
        f"{path}: {problem}. Restore it, or remove it: it is made anew (a start offset that DeleteRecords"
        " had moved falls back to the first record that is still there)"
    )


def format_partition_metadata(topic_id: bytes) -> bytes:
    text = base64.urlsafe_b64encode(topic_id).decode().rstrip("=")
    return f"version: 0\ntopic_id: {text}\n".encode()


def parse_partition_metadata(content: bytes, path: str) -> bytes:
    try:
        fields = dict(line.split(": ", 1) for line in content.decode().splitlines() if line)
        text = fields["topic_id"]
        topic_id = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (UnicodeDecodeError, ValueError, KeyError):
        topic_id = b""
    if len(topic_id) != TOPIC_ID_BYTES:
        raise StorageError(
            f"{path}: has no readable topic_id. Write 'version: 0' and 'topic_id: <the topic's id>' on two lines,"
            " or remove the file: it is written anew when the partition is opened"
        )
    return topic_id
