"""Why Spark did not start, found in what its Java said before it ended. Pure: a text goes in, a line for people comes out."""

from __future__ import annotations

import re
from typing import Final

_NOT_TO_BE_HAD: Final = re.compile(r"(?:unresolved dependency|download failed): ([^\s\],]+)")
_LAST_WORDS: Final = re.compile(r"^(?:Exception in thread \"main\" (?:[\w.$]+: )?|Error: )(.+)$", re.MULTILINE)
_UNRESPONSIVE: Final = "All masters are unresponsive"
_JAVA_CAUSE: Final = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+)$", re.MULTILINE)
_JAVA_ERROR: Final = re.compile(r"^: (?:[\w.$]+: )?(.+)$", re.MULTILINE)
_CONNECTOR: Final = "spark-sql-kafka-0-10"


def words_of_failure(said: str, error: str = "") -> str:
    """`said`: on its standard error; `error`: what Python was told, with Java's stack in it."""
    missing = [_coordinates(text) for text in dict.fromkeys(_NOT_TO_BE_HAD.findall(said))]
    if missing:
        return f"Maven packages could not be fetched: {', '.join(missing)}. {_advice(said)}"
    if _UNRESPONSIVE in said:
        return "no Spark master answers there"
    for pattern, text in ((_LAST_WORDS, said), (_JAVA_CAUSE, error), (_JAVA_ERROR, error)):
        found = pattern.findall(text)
        if found:
            return str(found[-1 if pattern is _LAST_WORDS else 0]).strip()
    return error.strip().partition("\n")[0] or "it gave no reason"


def _coordinates(text: str) -> str:
    """Ivy writes `group#name;version!file`."""
    return text.partition("!")[0].replace("#", ":").replace(";", ":").rstrip(":")


def _advice(said: str) -> str:
    if _CONNECTOR not in said:
        return "Check the names given with --packages and the way to the repository"
    return (
        "Name a version of Spark's Kafka connector that your repository has (--packages"
        " org.apache.spark:spark-sql-kafka-0-10_2.13:VERSION), give its jars (--conf spark.jars=A.jar,B.jar), or use --reader own"
    )
