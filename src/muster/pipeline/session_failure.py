"""Why Spark did not start, or its first task failed, found in what Java and the workers said.

Pure: a text goes in, a line for people comes out.
"""

from __future__ import annotations

import re
from typing import Final

from muster.pipeline.failure import short_words

_NOT_TO_BE_HAD: Final = re.compile(r"(?:unresolved dependency|download failed): ([^\s\],]+)")
_LAST_WORDS: Final = re.compile(r"^(?:Exception in thread \"main\" (?:[\w.$]+: )?|Error: )(.+)$", re.MULTILINE)
_UNRESPONSIVE: Final = "All masters are unresponsive"
_JAVA_CAUSE: Final = re.compile(r"^Caused by: (?:[\w.$]+: )?(.+)$", re.MULTILINE)
_JAVA_ERROR: Final = re.compile(r"^: (?:[\w.$]+: )?(.+)$", re.MULTILINE)
_PYTHON_VERSIONS: Final = re.compile(r"different version[^0-9]*(\d\.\d+)[^0-9]+(\d\.\d+)", re.IGNORECASE)
_NO_PROGRAM: Final = re.compile(r'Cannot run program "([^"]+)"')
_PYTHON_SAID: Final = re.compile(r"Error from python worker:\s*\n\s*(.+)")
_NO_MODULE: Final = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
_RUNNER: Final = "STREAMING_PYTHON_RUNNER_INITIALIZATION_FAILURE"
"""A Connect server's process for micro-batches did not start."""
_NO_SCHEME: Final = re.compile(r'No FileSystem for scheme "(\w+)"')
_NO_S3A: Final = "S3AFileSystem not found"
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


def words_of_probe_failure(error: str) -> str:
    """The first task on the workers failed; `error` holds the stacks of two languages."""
    versions = _PYTHON_VERSIONS.search(error)
    if versions:
        return (
            f"the workers' Python is {versions[1]}, this one is {versions[2]}, and Spark needs the same minor version on both:"
            " name one that is there with --conf spark.pyspark.python=PATH"
        )
    program = _NO_PROGRAM.search(error)
    if program:
        return f"the workers have no {program[1]}: name one of this version with --conf spark.pyspark.python=PATH"
    missing = _NO_MODULE.search(error)
    if missing:
        lacks = f"the workers' Python lacks {missing[1]}"
        return f"{lacks}: install Muster with its extra `pipeline` there, or send an environment along"
    said = _PYTHON_SAID.search(error)
    if said:
        return f"the workers' Python did not start: {said[1].strip()}"
    if _RUNNER in error:
        return f"the Connect server cannot run our code: {short_words(error)} (has it another version of Muster installed?)"
    return f"a first task failed on the workers: {_innermost(error)}"


def words_of_lake_failure(error: str) -> str:
    """A small file could not be written to the lake."""
    if _NO_SCHEME.search(error) or _NO_S3A in error:
        scheme = "s3a" if _NO_S3A in error else _NO_SCHEME.findall(error)[0]
        package = (
            "; --packages org.apache.hadoop:hadoop-aws:VERSION of Spark's Hadoop has it" if scheme == "s3a" else ""
        )
        return f"Spark has no classes for {scheme}://{package}"
    return _innermost(error)


def _innermost(error: str) -> str:
    """The last cause that Java names, or else the error's first line."""
    causes = _JAVA_CAUSE.findall(error)
    found = causes[-1] if causes else next(iter(_JAVA_ERROR.findall(error)), "")
    return str(found).strip() or error.strip().partition("\n")[0] or "no reason was given"


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
