"""Plans of new offsets as CSV, as kafka-consumer-groups exports and reads them.

`topic,partition,offset` where one group is meant, `group,topic,partition,offset` where several are. No heading.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

from muster.client.partitions import TopicPartition
from muster.client.reset_plan import Move


class UnusablePlan(Exception):
    """A line of a plan cannot be used; says which, and why."""


def parse_plan(lines: Iterable[str], where: str, groups: Sequence[str]) -> dict[str, dict[TopicPartition, int]]:
    """Group -> partition -> offset. `where` is what the plan is called in UnusablePlan."""
    plan: dict[str, dict[TopicPartition, int]] = {}
    for number, fields in enumerate(csv.reader(lines), start=1):
        if not fields:
            continue
        if len(fields) == 3 and len(groups) == 1:
            fields = [groups[0], *fields]
        if len(fields) != 4:
            wanted = "topic,partition,offset" if len(groups) == 1 else "group,topic,partition,offset"
            raise UnusablePlan(f"{where}, line {number}: write {wanted}, not {','.join(fields)!r}")
        group, topic, partition, offset = (each.strip() for each in fields)
        if group not in groups:
            raise UnusablePlan(f"{where}, line {number}: it is about group {group}, which was not named")
        if not topic or not partition.isdecimal() or not offset.isdecimal():
            raise UnusablePlan(f"{where}, line {number}: partition and offset must be numbers, 0 or more")
        plan.setdefault(group, {})[TopicPartition(topic, int(partition))] = int(offset)
    if not plan:
        raise UnusablePlan(f"{where}: there is nothing in it")
    return plan


def write_plan(moves: Iterable[Move], out: TextIO, *, with_group: bool) -> None:
    writer = csv.writer(out, lineterminator="\n")
    for move in moves:
        row = [move.place.topic, move.place.partition, move.new]
        writer.writerow([move.group, *row] if with_group else row)
    out.flush()
