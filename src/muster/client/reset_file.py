"""Plans of new offsets as CSV, as kafka-consumer-groups exports and reads them.

`topic,partition,offset` where one group is meant, `group,topic,partition,offset` where several are. No heading.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TextIO

from muster.client.partitions import TopicPartition
from muster.client.reset_plan import Move

_MOST_PARTITION: Final = (1 << 31) - 1
_MOST_OFFSET: Final = (1 << 63) - 1
"""Requests have room for no more."""
_MOST_DIGITS: Final = 20
"""More are not read as a number."""
_SHOWN: Final = 200
"""Characters of a line that cannot be used."""


class UnusablePlan(Exception):
    """A line of a plan cannot be used; says which, and why."""


def parse_plan(lines: Iterable[str], where: str, groups: Sequence[str]) -> dict[str, dict[TopicPartition, int]]:
    """Group -> partition -> offset. `where` is what the plan is called in UnusablePlan."""
    plan: dict[str, dict[TopicPartition, int]] = {}
    for number, fields in enumerate(_rows(lines, where), start=1):
        if not fields:
            continue
        if len(fields) == 3 and len(groups) == 1:
            fields = [groups[0], *fields]
        if len(fields) != 4:
            wanted = "topic,partition,offset" if len(groups) == 1 else "group,topic,partition,offset"
            raise UnusablePlan(f"{where}, line {number}: write {wanted}, not {','.join(fields)[:_SHOWN]!r}")
        group, topic, partition, offset = (each.strip() for each in fields)
        if group not in groups:
            raise UnusablePlan(f"{where}, line {number}: it is about group {group}, which was not named")
        if not topic or not partition.isdecimal() or not offset.isdecimal():
            raise UnusablePlan(f"{where}, line {number}: partition and offset must be numbers, 0 or more")
        if _is_beyond(partition, _MOST_PARTITION) or _is_beyond(offset, _MOST_OFFSET):
            most = f"a partition is at most {_MOST_PARTITION}, an offset at most {_MOST_OFFSET}"
            raise UnusablePlan(f"{where}, line {number}: {most}")
        plan.setdefault(group, {})[TopicPartition(topic, int(partition))] = int(offset)
    if not plan:
        raise UnusablePlan(f"{where}: there is nothing in it")
    return plan


def _is_beyond(digits: str, most: int) -> bool:
    return len(digits) > _MOST_DIGITS or int(digits) > most


def _rows(lines: Iterable[str], where: str) -> Iterator[list[str]]:
    rows = csv.reader(lines)
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise UnusablePlan(f"{where}, line {rows.line_num}: {error}") from None


def write_plan(moves: Iterable[Move], out: TextIO, *, with_group: bool) -> None:
    writer = csv.writer(out, lineterminator="\n")
    for move in moves:
        row = [move.place.topic, move.place.partition, move.new]
        writer.writerow([move.group, *row] if with_group else row)
    out.flush()
