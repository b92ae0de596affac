"""The class-data archive: what Java needs to start Spark in half the time, made once per installation and Java.

The first session of an installation writes it when it ends (`-XX:ArchiveClassesAtExit`), the later ones map it
(`-XX:SharedArchiveFile`). Without one, or with one that Java refuses, everything works, only slower. Knows no Spark API.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from muster.pipeline.java import Java
from muster.pipeline.session_cache import cache_directory, is_writable

_WORK = "streams"
"""What the session that makes the archive does; an archive made by other work lacks the classes of this."""


class ClassArchive:
    """One archive file; `java_options` before the session, `keep` after its Java has ended."""

    def __init__(self, java: Java, spark_version: str, spark_home: Path, directory: Path | None = None) -> None:
        described = f"{_WORK}\n{java.home}\n{java.banner}\n{spark_version}\n{spark_home}"
        name = hashlib.sha256(described.encode()).hexdigest()[:16]
        self.path = (directory or cache_directory()) / f"spark-{spark_version}-java{java.version}-{name}.jsa"
        self._in_the_making = self.path.with_suffix(f".{os.getpid()}.tmp")
        self._makes_one = False

    @property
    def exists(self) -> bool:
        return self.path.is_file()

    def java_options(self) -> list[str]:
        """Quiet on purpose: Java warns of an archive that does not fit and goes on without it, which concerns nobody."""
        if self.exists:
            return ["-Xshare:auto", "-Xlog:disable", f"-XX:SharedArchiveFile={self.path}"]
        if not is_writable(self.path.parent):
            return []  # sessions start slower, nothing else
        self._makes_one = True
        return ["-Xlog:disable", f"-XX:ArchiveClassesAtExit={self._in_the_making}"]

    def keep(self) -> bool:
        """Give the archive that the ended Java wrote its name; True if there is one now that was not there."""
        if not self._makes_one or not self._in_the_making.is_file():
            return False
        self._in_the_making.replace(self.path)
        return True
