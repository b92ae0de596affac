"""Two plays of the same scenario, compared field by field; each difference says where, ours and theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tests.conformance.deviations import ABSENT, DEVIATIONS, TO_MEND, Deviation, first_match
from tests.conformance.stage import Play

_KEYS: Final = ("api_key", "group_id", "member_id", "name", "topic", "partition_index", "partition", "index", "node_id")


@dataclass(frozen=True)
class Difference:
    """`field` is a path such as `groups[a].members[A-<1>].client_host`."""

    title: str
    line: int
    step: str
    api: str
    field: str
    ours: Any
    theirs: Any

    @property
    def accepted(self) -> Deviation | None:
        return first_match(DEVIATIONS, self.title, self.step, self.api, self.field, self.ours)

    @property
    def to_mend(self) -> Deviation | None:
        return first_match(TO_MEND, self.title, self.step, self.api, self.field, self.ours)

    def __str__(self) -> str:
        place = f"{self.title} line {self.line}: {self.step}"
        return f"{place}\n      {self.field or 'answer'}\n        ours   {show(self.ours)}\n        theirs {show(self.theirs)}"


def show(value: Any) -> str:
    text = value if value == ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) < 600 else f"{text[:600]}..."


def compare(ours: Play, theirs: Play) -> list[Difference]:
    return [*_compare_answers(ours, theirs), *_compare_records(ours, theirs)]


def _compare_answers(ours: Play, theirs: Play) -> Iterator[Difference]:
    for index in range(max(len(ours.answers), len(theirs.answers))):
        mine = ours.answers[index] if index < len(ours.answers) else None
        other = theirs.answers[index] if index < len(theirs.answers) else None
        if mine is None or other is None or mine.step != other.step:
            line = mine.line if mine else 0
            step_of = (mine.step if mine else ABSENT, other.step if other else ABSENT)
            yield Difference(ours.title, line, step_of[0], "", "step", *step_of)
            return
        for field, left, right in differences(mine.got, other.got, ""):
            yield Difference(ours.title, mine.line, mine.step, mine.api or other.api, field, left, right)


def _compare_records(ours: Play, theirs: Play) -> Iterator[Difference]:
    mine = [each.as_row() for each in ours.records]
    other = [each.as_row() for each in theirs.records]
    for index in range(max(len(mine), len(other))):
        left = mine[index] if index < len(mine) else ABSENT
        right = other[index] if index < len(other) else ABSENT
        if left != right:
            yield Difference(ours.title, 0, "records of the groups", "log", f"record {index}", left, right)


def differences(ours: Any, theirs: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in [*ours, *(each for each in theirs if each not in ours)]:
            yield from differences(ours.get(name, ABSENT), theirs.get(name, ABSENT), f"{path}.{name}".lstrip("."))
    elif isinstance(ours, list) and isinstance(theirs, list):
        yield from _list_differences(ours, theirs, path)
    elif ours != theirs or type(ours) is not type(theirs):
        yield path, ours, theirs


def _list_differences(ours: list[Any], theirs: list[Any], path: str) -> Iterator[tuple[str, Any, Any]]:
    mine, other = _keyed(ours), _keyed(theirs)
    for key in [*mine, *(each for each in other if each not in mine)]:
        yield from differences(mine.get(key, ABSENT), other.get(key, ABSENT), f"{path}[{key}]")
    if list(mine) != list(other) and sorted(mine) == sorted(other):
        yield f"{path} order", list(mine), list(other)


def _keyed(items: list[Any]) -> dict[str, Any]:
    """By the field that tells elements apart, so that one missing element is one difference; else by position."""
    for name in _KEYS:
        keys = [str(each[name]) for each in items if isinstance(each, dict) and name in each]
        if len(keys) == len(items) and len(set(keys)) == len(keys):
            return dict(zip(keys, items, strict=True))
    return {str(position): each for position, each in enumerate(items)}
