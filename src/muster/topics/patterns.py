"""Regular expressions that clients send: Google's RE2, which Kafka uses too, takes time in proportion to the text.

Python's own module would let a client stop the server with a few characters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_MAX_MEMORY_BYTES: Final = 1 << 20


_WORDS: Final = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "no argument for repetition operator": "missing argument to repetition operator",
}
"""What Kafka's RE2 says where ours has other words."""


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
    return lambda name: pattern.fullmatch(name) is not None
