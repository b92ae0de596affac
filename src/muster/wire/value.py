"""What plain values share: they print and compare by their fields, like a dataclass.

A dataclass compiled with mypyc still makes its objects through interpreted code: 166 ns for four fields, a class with an
`__init__` of its own 33. So what is made for every request is written out; the rest are dataclasses. A class whose objects can
never lead back to themselves says `acyclic`: the garbage collector then has nothing to do with them.
"""

from __future__ import annotations

from typing import Any, ClassVar

from mypy_extensions import mypyc_attr


@mypyc_attr(acyclic=True, allow_interpreted_subclasses=True)
class Value:
    """Base of a class that names its fields in `__match_args__`, in the order of its `__init__`."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__match_args__)
        return f"{type(self).__name__}({fields})"

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).__match_args__}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self).__match_args__)

    __hash__ = None  # type: ignore[assignment]
