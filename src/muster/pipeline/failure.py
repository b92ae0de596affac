"""What Spark raises, as one line for people: the words of the Python error in a worker, without the stacks of two languages."""

from __future__ import annotations

import re
from typing import Final

_PYTHON_ERROR: Final = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception|Interrupt|Exit)): (.+)$", re.MULTILINE)


class JobError(Exception):
    """A job failed; readers of the lake see what was published before."""


def short_words(text: str) -> str:
    """The innermost Python error, or the first line that says something."""
    found = _PYTHON_ERROR.findall(text)
    if found:
        kind, words = found[-1]
        return str(words) if kind == "SourceError" else f"{kind}: {words}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else "Spark gave no reason"
