"""Why Spark did not start, found in what its Java said before it ended. Pure: a text goes in, a line for people comes out."""

from __future__ import annotations

import re
from typing import Final

_NOT_TO_BE_HAD: Final = re.compile(r"(?:unresolved dependency|download failed): ([^\s\],]+)")
_LAST_WORDS: Final = re.compile(r"^(?:Exception in thread \"main\" (?:[\w.$]+: )?|Error: )(.+)$", re.MULTILINE)
_CONNECTOR: Final = "spark-sql-kafka-0-10"


def words_of_failure(said: str) -> str | None:
    """None if Java said nothing that helps."""
    missing = [_coordinates(text) for text in dict.fromkeys(_NOT_TO_BE_HAD.findall(said))]
    if missing:
        return f"Maven packages could not be fetched: {', '.join(missing)}. {_advice(said)}"
    last = _LAST_WORDS.findall(said)
    return str(last[-1]).strip() if last else None


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
