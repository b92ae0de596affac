"""The one exception of the lake, and how the storage's own errors become it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class LakeError(Exception):
    """The lake cannot be used as asked; the text says what is wrong, where, and what to do."""


@contextmanager
def store_errors(doing: str, advice: str) -> Iterator[None]:
    """Errors of the storage and of Delta inside become a LakeError: `doing: the first line of why; advice`."""
    from deltalake.exceptions import DeltaError

    try:
        yield
    except LakeError:
        raise
    except (DeltaError, OSError, ValueError) as error:
        raise LakeError(f"{doing}: {first_line(error)}; {advice}") from error


def first_line(error: BaseException) -> str:
    """What an error says, on one line; delta-rs adds the causes on further lines, of which the last one is the real one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    return text if len(text) <= 300 else text[:300] + " ..."
