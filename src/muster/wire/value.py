"""What plain values share: they print and compare by their fields, like a dataclass.

A dataclass compiled with mypyc still makes its objects through interpreted code: 166 ns for four fields, a class with an
`__init__` of its own 33. So what is made for every request is written out; the rest are dataclasses.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Value:
    """Base of a class that names its fields in `__match_args__`, in the order of its `__init__`."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({fields_text(self)})"

    def replaced(self, **changes: object) -> Self:
        """A copy in which these fields are different."""
        return type(self)(**(self.as_dict() | changes))

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).__match_args__}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return equal_fields(self, other)

    __hash__ = None  # type: ignore[assignment]


def fields_text(value: Any) -> str:
    """For the `repr` of a class that names its fields in `__match_args__`, also of one that cannot have `Value` as its base."""
    return ", ".join(f"{name}={getattr(value, name)!r}" for name in type(value).__match_args__)


def equal_fields(one: Any, other: Any) -> bool:
    """Of two values of one class."""
    return all(getattr(one, name) == getattr(other, name) for name in type(one).__match_args__)
