"""HTML and SVG made of calls: everything that is not `Html` is escaped, so a name can never become markup.

Knows how to write an element and how to show arbitrary text (group names may hold anything). Knows nothing of tables or plots.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from itertools import takewhile
from typing import Final

from muster.pipeline.report import limits


class Html(str):
    """Text that is already markup."""

    __slots__ = ()


Child = str | None
Attribute = str | int | float | bool | None

_VOID: Final = frozenset({"meta", "input", "br", "hr"})
_SHAPES: Final = frozenset({"rect", "line", "circle", "path"})
_TAIL: Final = 8


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """One element. `class_` is written `class`, `data_tip` is written `data-tip`; None and False leave an attribute out."""
    opened = "<" + name + "".join(_attribute(key, value) for key, value in attributes.items()) + ">"
    if name in _VOID:
        return Html(opened)
    if name in _SHAPES:
        return Html(opened[:-1] + "/>")
    return Html(opened + together(children) + "</" + name + ">")


def together(children: Iterable[Child]) -> Html:
    """The children one after the other; plain text is escaped, None is nothing."""
    return Html("".join(c if isinstance(c, Html) else escape(c) for c in children if c is not None))


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    written = key.rstrip("_").replace("_", "-")
    if value is True:
        return " " + written
    if isinstance(value, float):
        value = number(value)
    return f' {written}="{escape(str(value))}"'


def number(value: float) -> str:
    """A coordinate: a tenth of a pixel is enough, and short numbers keep the page small."""
    return f"{value:.1f}".removesuffix(".0")


def visible(text: str | None, limit: int = limits.NAME_CHARACTERS) -> str:
    """Arbitrary text as one short line: invisible and direction-changing characters are spelled out, nothing is empty."""
    if text is None:
        return "–"
    if text == "":
        return "(empty name)"
    # Cut before, because a name may be megabytes, and after, because what is spelled out takes more room.
    return _cut("".join(c if _shows(c) else _spelled(c) for c in _cut(text, limit)), limit)


def _cut(text: str, limit: int) -> str:
    """A sentence loses its end, a name its middle: members of a group often differ in their last characters only."""
    if len(text) <= limit:
        return text
    tail = "" if " " in text else text[-(limit // 4) :]
    return text[: limit - 1 - len(tail)] + "…" + tail


def _shows(character: str) -> bool:
    # The zero-width joiner is part of many emoji and harmless by itself.
    return character in " \u200d" or unicodedata.category(character) not in (
        "Cc",
        "Cf",
        "Cs",
        "Co",
        "Cn",
        "Zl",
        "Zp",
        "Zs",
    )


def _spelled(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) > 0xFF else f"\\x{ord(character):02x}"


def two_parts(text: str | None, after: str = "", shared_end: int = 0) -> Html:
    """A name for a narrow place: the browser shortens its first part where it must; its end and `after` stay in sight.

    `shared_end`: so many last characters are those of every name beside it, and say nothing here.
    """
    if text and shared_end:
        text, after = text[:-shared_end], "…" + after
    shown = visible(text)
    stem, tail = (shown[:-_TAIL], shown[-_TAIL:]) if len(shown) > 2 * _TAIL else (shown, "")
    if not tail and not after:
        return name(text)
    parts = (tag("span", stem, class_="stem"), tag("span", tail + after, class_="tail"))
    return tag("bdi", *parts, class_="two-parts" if text else "two-parts no-name")


def shared_end(names: Sequence[str]) -> int:
    """How many characters all these names end with, if that is more than a narrow place shows of an end; 0 otherwise."""
    if len(names) < 2:
        return 0
    backwards = [text[::-1] for text in names]
    pairs = zip(min(backwards), max(backwards), strict=False)  # the two that have least in common
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    shared = min(shared, min(map(len, names)) - 2 * _TAIL)
    return shared if shared >= _TAIL else 0


def name(text: str | None, limit: int = limits.NAME_CHARACTERS) -> Html:
    """A name from outside; `bdi` keeps its writing direction to itself."""
    return tag("bdi", visible(text, limit), class_=None if text else "no-name")
