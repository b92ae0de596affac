"""Regular expressions that clients send: Google's RE2, which Kafka uses too, takes time in proportion to the text.

Python's own module would let a client stop the server with a few characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_MAX_MEMORY_BYTES: Final = 1 << 20


_WORDS: Final = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid perl operator": "invalid named capture",
    "trailing \\": "trailing backslash at end of expression",
    "no argument for repetition operator": "missing argument to repetition operator",
}
"""What Kafka's RE2 says where ours has other words."""


_ESCAPED: Final = re.compile(r"\\Q.*?(?:\\E|$)|\\.", re.DOTALL)
_CLASS: Final = re.compile(r"\[\^?\]?(?:\[:\^?[a-z]+:\]|[^\]])*\]")
_GROUP: Final = re.compile(r"\(\?P?<(\w+)>")


class BadPattern(ValueError):
    """Not a regular expression that RE2 knows."""


def whole_match(text: str) -> Callable[[str], bool]:
    """Whether a text matches the expression from its beginning to its end."""
    import re2  # late: few servers are ever asked

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY_BYTES
    try:
        pattern = re2.compile(text, options)
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        problem = said.split(":", 1)[0]
        raise BadPattern(f"`{text}` is not a valid regular expression: {_WORDS.get(problem, problem)}.") from error
    if _has_a_group_twice(text):
        raise BadPattern(f"`{text}` is not a valid regular expression: duplicate capture group name.")
    return lambda name: pattern.fullmatch(name) is not None


def _has_a_group_twice(text: str) -> bool:
    """Our RE2 takes the last of them. The expression is known to be good, so `(?P<` that is not escaped begins a group, unless it
    stands in a class of characters."""
    names = _GROUP.findall(_CLASS.sub("", _ESCAPED.sub("", text)))
    return len(names) != len(set(names))
