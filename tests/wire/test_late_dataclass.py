"""A late dataclass does what the standard one does: both are made of the same class body and compared."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from muster.wire import late_dataclass

# mypy is told that ours is the standard one; here both are needed, each with its own classes.
_late: Any = vars(late_dataclass)["dataclass"]


def _classes(decorator: Any) -> tuple[type[Any], type[Any], type[Any]]:
    @decorator(slots=True, frozen=True)
    class Place:
        """Where."""

        row: int
        name: str = "nowhere"
        tags: list[str] = field(default_factory=list)

        @property
        def label(self) -> str:
            return f"{self.name} {self.row}"

    @decorator(slots=True)
    class Count:
        value: int

    @decorator(slots=True, eq=False)
    class Node:
        name: str
        parent: Node | None = None

    return Place, Count, Node


Place, Count, Node = _classes(_late)
StandardPlace, StandardCount, StandardNode = _classes(dataclasses.dataclass)

BOTH = pytest.mark.parametrize(
    ("place", "count", "node"),
    [(Place, Count, Node), (StandardPlace, StandardCount, StandardNode)],
    ids=["late", "standard"],
)


@_late(slots=True, frozen=True)
class Pickled:
    name: str
    size: int = 3


@BOTH
def test_fields_come_by_position_by_name_and_by_default(place: Any, count: Any, node: Any) -> None:
    assert place(1).name == "nowhere"
    assert place(1, "here").name == "here"
    assert place(row=1, tags=["x"]).tags == ["x"]
    assert place(7, "seat").label == "seat 7"
    assert count(3).value == 3


@BOTH
def test_each_object_has_a_default_list_of_its_own(place: Any, count: Any, node: Any) -> None:
    place(1).tags.append("x")
    assert place(1).tags == []


@BOTH
def test_wrong_arguments_are_refused_by_the_name_of_the_class(place: Any, count: Any, node: Any) -> None:
    with pytest.raises(TypeError, match=r"Place\.__init__\(\) missing 1 required positional argument: 'row'"):
        place()
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'colour'"):
        place(1, colour="red")


@BOTH
def test_equal_fields_make_equal_objects_of_the_same_class_only(place: Any, count: Any, node: Any) -> None:
    assert place(1, tags=["x"]) == place(1, tags=["x"])
    assert place(1) != place(2)
    assert count(1) != place(1)
    assert node("a") != node("a")


@BOTH
def test_only_frozen_ones_and_those_without_equality_can_be_keys(place: Any, count: Any, node: Any) -> None:
    assert {place(1, "a", ()): 1}[place(1, "a", ())] == 1
    assert len({node("a"), node("a")}) == 2
    with pytest.raises(TypeError, match="unhashable type: 'Count'"):
        hash(count(1))


@BOTH
def test_a_frozen_one_cannot_be_changed_and_another_one_can(place: Any, count: Any, node: Any) -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'row'"):
        place(1).row = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'row'"):
        del place(1).row
    counted = count(1)
    counted.value += 1
    assert counted.value == 2


@BOTH
def test_it_prints_with_the_names_of_its_fields_also_when_it_holds_itself(place: Any, count: Any, node: Any) -> None:
    assert repr(count(1)) == "_classes.<locals>.Count(value=1)"
    loop = node("a")
    loop.parent = loop
    assert repr(loop) == "_classes.<locals>.Node(name='a', parent=...)"


@BOTH
def test_it_has_slots_and_nothing_beside_them(place: Any, count: Any, node: Any) -> None:
    assert place.__slots__ == place.__match_args__ == ("row", "name", "tags")
    assert not hasattr(place(1), "__dict__")
    with pytest.raises(AttributeError):
        count(1).other = 1
    assert place.__doc__ == "Where."


@BOTH
def test_the_functions_of_dataclasses_take_it(place: Any, count: Any, node: Any) -> None:
    assert [each.name for each in dataclasses.fields(place)] == ["row", "name", "tags"]
    assert dataclasses.replace(place(1, "a"), row=2) == place(2, "a")
    assert dataclasses.asdict(place(1, "a", ["x"])) == {"row": 1, "name": "a", "tags": ["x"]}
    assert dataclasses.is_dataclass(count)
    assert dataclasses.replace(place(1), row=3).tags == []


@BOTH
def test_patterns_match_it_by_position(place: Any, count: Any, node: Any) -> None:
    match place(5, "a"):
        case place(row, "a"):
            assert row == 5
        case other:
            pytest.fail(f"not matched: {other}")


def test_the_signature_is_that_of_the_fields() -> None:
    Count(1)
    assert list(inspect.signature(Count).parameters) == ["value"]


def test_copies_and_pickles_are_equal_to_what_they_were_made_of() -> None:
    pickled: Any = Pickled
    first = pickled("a", 4)
    assert copy.copy(first) == copy.deepcopy(first) == pickle.loads(pickle.dumps(first)) == first


def test_init_is_written_when_the_first_object_is_made() -> None:
    late, _, _ = _classes(_late)
    before = vars(late)["__init__"]
    late(1)
    after = vars(late)["__init__"]
    assert not inspect.isfunction(before)
    assert inspect.isfunction(after)
    late(2)
    assert vars(late)["__init__"] is after
