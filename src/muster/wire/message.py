"""What all generated message classes share: how they print and when they are equal.

Fields are what the class names in `__match_args__`; they are its slots too. All of it is for people and tests, codecs never
come here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar, Final

from librt.strings import BytesWriter
from mypy_extensions import mypyc_attr

from muster.wire.errors import EncodeError, TextTooLong
from muster.wire.value import Value

_LONGEST_TEXT: Final = 32_767
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


@mypyc_attr(acyclic=True)
class LaidOut(Value):
    """Items of an array in a response that write themselves: stands where a list of structs would stand.

    For arrays that `LAID_OUT` names (tools/codecs/dialects/native_items.py); encoders of both dialects take it, and say how
    many there are by `len`. A handler that has no object for each item writes them with the API's own functions, which are
    those that the encoder uses too: at once, into `RawItems`, or in a class of its own when the encoder comes to them.

    The numbers' parameters are `i16`, `i32` and `i64` as in the schema: from an `i64` local say `i32(number)`. Items have to be
    written for the version that the response is encoded for. Works interpreted as well.
    """

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    def write_to(self, out: BytesWriter) -> None:
        """May be called more than once: a response may have to be encoded again."""
        raise NotImplementedError


@mypyc_attr(acyclic=True)
class RawItems(LaidOut):
    """Items already laid out as bytes:

    out = BytesWriter()
    for partition, error in found:
        write_response_partition(out, call.version, partition, error)  # of generated.offset_commit_native
    OffsetCommitResponseTopic(name, topic_id, raw_items(len(found), out.getvalue()))
    """

    __match_args__ = ("count", "octets")
    __slots__ = __match_args__

    def __init__(self, count: int, octets: bytes) -> None:
        self.count = count
        self.octets = octets

    def __len__(self) -> int:
        return self.count

    def write_to(self, out: BytesWriter) -> None:
        out.write(self.octets)


def raw_items(count: int, octets: bytes) -> Any:
    """A `RawItems`, typed so that it may stand in a field which says that it holds a sequence of structs."""
    return RawItems(count, octets)


def wrote_itself(items: object, out: BytesWriter) -> bool:
    """What encoders do first with an array that may be `LaidOut`; False, and nothing written, if it holds objects."""
    if isinstance(items, LaidOut):
        items.write_to(out)
        return True
    return False


def octets_of(items: object) -> bytes | None:
    """`wrote_itself` for encoders that have no `BytesWriter`."""
    if not isinstance(items, LaidOut):
        return None
    out = BytesWriter()
    items.write_to(out)
    return out.getvalue()


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def encode_failure(where: str, message: Message, error: Exception) -> EncodeError:
    """Why a message could not be written. Slow and only for bugs, so it looks for the culprits by itself."""
    long = ", ".join(islice(_long_texts(message, ""), 3))
    if long:
        return TextTooLong(f"{where} cannot be written: the text in {long} has more than {_LONGEST_TEXT} bytes")
    nulls = ", ".join(_none_fields(message, "")) or "none"
    return EncodeError(f"{where} cannot be written: {error}; fields that are None: {nulls}")


def _long_texts(message: Message, path: str) -> Iterator[str]:
    for name, value in message.fields():
        place = f"{path}{name}"
        if isinstance(value, str):
            if len(value.encode(errors="replace")) > _LONGEST_TEXT:
                yield place
        elif isinstance(value, Message):
            yield from _long_texts(value, f"{place}.")
        elif isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, Message):
                    yield from _long_texts(item, f"{place}.")
                elif isinstance(item, str) and len(item.encode(errors="replace")) > _LONGEST_TEXT:
                    yield place


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
