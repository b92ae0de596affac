"""What all generated message classes share: how they print and when they are equal.

Fields are what the class names in `__match_args__`; they are its slots too. All of it is for people and tests, codecs never
come here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from mypy_extensions import mypyc_attr

from muster.wire.errors import EncodeError

SECRET_FIELDS: Final = frozenset({"auth_bytes", "salted_password"})
"""Passwords, proofs and tokens: a message prints without them, wherever it is printed."""


@mypyc_attr(acyclic=True, allow_interpreted_subclasses=True)  # only the hot APIs' classes are compiled, with this one
class Message:
    """Base of every generated request, response and struct."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def fields(self) -> Iterator[tuple[str, object]]:
        for name in type(self).__match_args__:
            yield name, getattr(self, name)

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}=[hidden]" if name in SECRET_FIELDS else f"{name}={value!r}" for name, value in self.fields()
        )
        return f"{type(self).__name__}({inside})"

    def __eq__(self, other: object) -> bool:
        """Equal fields; a list and a tuple of equal elements are the same array."""
        if type(self) is not type(other) or not isinstance(other, Message):
            return NotImplemented
        return all(
            _plain(mine) == _plain(theirs) for (_, mine), (_, theirs) in zip(self.fields(), other.fields(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def encode_failure(where: str, message: Message, error: Exception) -> EncodeError:
    """Why a message could not be written. Slow and only for bugs, so it looks for the culprits by itself."""
    nulls = ", ".join(_none_fields(message, "")) or "none"
    return EncodeError(f"{where} cannot be written: {error}; fields that are None: {nulls}")


def _none_fields(message: Message, path: str) -> Iterator[str]:
    for name, value in message.fields():
        place = f"{path}{name}"
        if value is None:
            yield place
        elif isinstance(value, Message):
            yield from _none_fields(value, f"{place}.")
        elif isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                if item is None:
                    yield f"{place}[{index}]"
                elif isinstance(item, Message):
                    yield from _none_fields(item, f"{place}[{index}].")
