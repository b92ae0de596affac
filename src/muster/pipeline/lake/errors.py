"""The one exception of the lake, and how the storage's own errors become it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")
_S3_MESSAGE: Final = re.compile(r"<Message>(.*?)</Message>", re.DOTALL)
_LONG: Final = 300


class LakeError(Exception):
    """The lake cannot be used as asked; the text says what is wrong, where, and what to do."""


@contextmanager
def store_errors(doing: str, advice: str) -> Iterator[None]:
    """Errors of the storage and of Delta inside become a LakeError: `doing: why; advice`."""
    from deltalake.exceptions import DeltaError

    try:
        yield
    except LakeError:
        raise
    except (DeltaError, OSError, ValueError) as error:
        raise LakeError(f"{doing}: {reason(error)}; {advice}") from error


def reason(error: BaseException) -> str:
    """Why, on one line. delta-rs prints a chain of causes, one a line, of which the last one tells most; S3 answers in XML."""
    text = _ESCAPES.sub("", str(error))
    answered = _S3_MESSAGE.search(text)
    if answered:
        return answered[1]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [line.removeprefix("↳").strip() for line in lines if line.startswith("↳")]
    found = causes[-1] if causes else lines[0] if lines else type(error).__name__
    return found if len(found) <= _LONG else found[:_LONG] + " ..."
