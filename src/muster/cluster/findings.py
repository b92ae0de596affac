"""What a check of a cluster finds, and asking the database for one value."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import psycopg

    Database: TypeAlias = psycopg.Connection[Any]


class Level(StrEnum):
    OK = "OK"
    WARN = "WARN"
    FAIL = "FAIL"


@dataclass(slots=True, frozen=True)
class Finding:
    check: str
    level: Level
    found: str
    advice: str = ""


def ask(connection: Database, statement: str, *values: object) -> Any:
    row = connection.execute(statement, values or None).fetchone()
    assert row is not None, statement
    return row[0]


def setting(connection: Database, name: str) -> str:
    return str(ask(connection, "SELECT current_setting(%s)", name))
