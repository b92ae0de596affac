"""Regular expressions of ListTransactions, compiled by Python and held to what RE2/J, which Kafka uses, understands.

RE2 has no look-around, no back references, no conditions, and no atomic groups or possessive quantifiers. Python would accept them,
so they are found in the text first.
"""

from __future__ import annotations

import re
from typing import Final

_ESCAPED_OR_CLASS = re.compile(r"\\(?P<escaped>.)|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_NOT_IN_RE2: Final = re.compile(r"\(\?(?:[=!>#(]|<[=!]|P=|P>)|[*+?}]\+")


class BadPattern(ValueError):
    """The operator's fault: not a regular expression, or one that Kafka would not take."""


def compile_pattern(text: str) -> re.Pattern[str]:
    for found in _ESCAPED_OR_CLASS.finditer(text):
        escaped = found.group("escaped")
        if escaped is not None and escaped in "123456789":
            raise BadPattern(f"{text!r} has a back reference")
    if _NOT_IN_RE2.search(_ESCAPED_OR_CLASS.sub("_", text)):
        raise BadPattern(f"{text!r} has a group or a quantifier that RE2 does not know")
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(f"{text!r}: {error}") from error
