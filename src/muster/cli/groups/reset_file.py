"""Plans of new offsets as CSV, as kafka-consumer-groups exports and reads them.

`topic,partition,offset` where one group is meant, `group,topic,partition,offset` where several are. No heading.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.cli.groups.reset_plan import Move
    from muster.client.partitions import TopicPartition


def read_plan(path: str, groups: Sequence[str]) -> dict[str, dict[TopicPartition, int]]:
    """Group -> partition -> offset. UsageError names the line that cannot be used."""
    if path == "-":
        return _parsed(sys.stdin, "standard input", groups)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return _parsed(file, path, groups)
    except OSError as error:
        raise UsageError(f"--from-file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--from-file {path}: not UTF-8 text") from None


def _parsed(lines: Iterable[str], path: str, groups: Sequence[str]) -> dict[str, dict[TopicPartition, int]]:
    from muster.client.partitions import TopicPartition

    plan: dict[str, dict[TopicPartition, int]] = {}
    for number, fields in enumerate(csv.reader(lines), start=1):
        where = f"--from-file {path}, line {number}"
        if not fields:
            continue
        if len(fields) == 3 and len(groups) == 1:
            fields = [groups[0], *fields]
        if len(fields) != 4:
            wanted = "topic,partition,offset" if len(groups) == 1 else "group,topic,partition,offset"
            raise UsageError(f"{where}: write {wanted}, not {','.join(fields)!r}")
        group, topic, partition, offset = (field.strip() for field in fields)
        if group not in groups:
            raise UsageError(f"{where}: it is about group {group}, which was not named")
        if not topic or not partition.isdecimal() or not offset.isdecimal():
            raise UsageError(f"{where}: partition and offset must be numbers, 0 or more")
        plan.setdefault(group, {})[TopicPartition(topic, int(partition))] = int(offset)
    if not plan:
        raise UsageError(f"--from-file {path}: there is nothing in it")
    return plan


def write_plan(moves: Sequence[Move], out: TextIO, *, with_group: bool) -> None:
    writer = csv.writer(out, lineterminator="\n")
    for move in moves:
        row = [move.place.topic, move.place.partition, move.new]
        writer.writerow([move.group, *row] if with_group else row)
    out.flush()
