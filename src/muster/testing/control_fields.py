"""What a request to the controls says, read field by field. A ValueError names the field and what it has to be."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final

from muster.testing.argument_checks import checked_settings
from muster.testing.group_waits import PATIENCE_SECONDS

UNITS_MS: Final = {"ms": 1, "seconds": 1_000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
_MOST_MS: Final = 100 * 366 * 86_400_000
"""A century: the clock is moved from deadline to deadline, and must arrive."""
_LONGEST_WAIT_SECONDS: Final = 3_600.0
_WHOLE: Final = re.compile(r"-?\d{1,18}", re.ASCII)


def fields_of(given: Mapping[str, Any], *known: str) -> Mapping[str, Any]:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not known here; known are {', '.join(known)}")
    return given


def text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be given, as a text")
    return value


def text_or_none(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} must be a text, not {value!r}")
    return value


def number(fields: Mapping[str, Any], name: str) -> float:
    value = fields.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} must be a number, not {value!r}")
    if abs(value) * UNITS_MS.get(name, 1) > _MOST_MS:
        raise ValueError(f"{name} must not be more than a century")
    return value


def whole(fields: Mapping[str, Any], name: str) -> int | None:
    """Of a body, or a text of a query; None if it is not given."""
    value = fields.get(name)
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ValueError(f"{name} must be a whole number, not {value!r}")
    return value


def timeout(query: Mapping[str, Any]) -> float:
    given = query.get("timeout", PATIENCE_SECONDS)
    try:
        seconds = float(given)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LONGEST_WAIT_SECONDS:
        raise ValueError(f"timeout must be 0 to {_LONGEST_WAIT_SECONDS:.0f} seconds, not {given!r}")
    return seconds


def configs(fields: Mapping[str, Any]) -> dict[str, str]:
    try:
        return checked_settings("configs", fields.get("configs"), '{"retention.ms": 1000}')
    except TypeError as error:
        raise ValueError(str(error).replace("a dict of", "an object of")) from None


def record_part(record: object, name: str) -> str | bytes | None:
    """`key` and `value` are texts; `key_base64` and `value_base64` are for bytes."""
    if not isinstance(record, dict):
        raise ValueError('each record must be {"key": ..., "value": ...}')
    encoded = record.get(f"{name}_base64")
    if encoded is not None:
        if not isinstance(encoded, str):
            raise ValueError(f"{name}_base64 must be a text, not {encoded!r}")
        return b64decode(encoded, validate=True)
    given = record.get(name)
    if given is not None and not isinstance(given, str):
        raise ValueError(f"{name} must be a text, not {given!r}; use {name}_base64 for bytes")
    return given
