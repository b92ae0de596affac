"""The exceptions of the lake, and how the storage's own errors become one."""

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


class StoreError(LakeError):
    """The store failed, or a commit to it: the same may succeed a moment later. A place without a lake is not of this kind.

    A commit that met another one is of this kind: so it looks, too, when a commit of our own succeeded and the answer was lost.
    """


class OtherVersionError(LakeError):
    """The lake has a layout that this muster neither reads nor writes. Empty or 0: the lake does not say it."""

    def __init__(self, said: str, version: int, muster_version: str, clusters: tuple[str, ...], records: int) -> None:
        super().__init__(said)
        self.version = version
        self.muster_version = muster_version
        self.clusters = clusters
        self.records = records


@contextmanager
def store_errors(doing: str, advice: str) -> Iterator[None]:
    """Errors of storage and Delta inside become a StoreError: `doing: why; advice`. Values that make no sense: a LakeError."""
    from deltalake.exceptions import DeltaError

    try:
        yield
    except LakeError:
        raise
    except (DeltaError, OSError, ValueError) as error:
        kind = LakeError if isinstance(error, ValueError) else StoreError
        raise kind(f"{doing}: {reason(error)}; {advice}") from error


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
