"""The differences from Apache Kafka that are meant, each with its reason. What is not listed here is a fault.

Patterns are those of `fnmatch` over the title of the play, the API and the path of the field. Read by `compare`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final


@dataclass(frozen=True)
class Deviation:
    reason: str
    title: str = "*"
    api: str = "*"
    field: str = "*"
    step: str = "*"


DEVIATIONS: Final[tuple[Deviation, ...]] = ()


def accepted_by(title: str, step: str, api: str, field: str, ours: Any, theirs: Any) -> Deviation | None:
    for each in DEVIATIONS:
        if (
            fnmatchcase(title, each.title)
            and fnmatchcase(api, each.api)
            and fnmatchcase(_plain(field), _plain(each.field))
            and fnmatchcase(_plain(step), _plain(each.step))
        ):
            return each
    return None


def _plain(text: str) -> str:
    """Square brackets are keys in paths, not sets of characters."""
    return text.replace("[", "<").replace("]", ">")
