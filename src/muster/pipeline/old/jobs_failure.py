"""What Spark raises, as one line for people: the words of the Python error in a worker, without the stacks of two languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_PYTHON_ERROR: Final = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception|Interrupt|Exit)): (.+)$", re.MULTILINE)


class JobError(Exception):
    """A job failed; the lake is as it was before the batch."""


@contextmanager
def clear_errors(what: str) -> Iterator[None]:
    """Failures of Spark inside become `JobError`."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise JobError(f"{what} failed: {short_words(str(error))}") from error


def short_words(text: str) -> str:
    """The innermost Python error, or the first line that says something."""
    found = _PYTHON_ERROR.findall(text)
    if found:
        kind, words = found[-1]
        return str(words) if kind == "SourceError" else f"{kind}: {words}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else "Spark gave no reason"
