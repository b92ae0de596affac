"""A bound on log lines that strangers can cause: so many in a while, then only how many more there were.

For lines about those who are not known yet (TLS and SASL failures); `security.audit` does the same for those who are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

LINES: Final = 100
SECONDS: Final = 60.0


class LogLimit:
    def __init__(self, logger: logging.Logger, what: str, clock: Callable[[], float]) -> None:
        """`what` names, in the plural, what is not told one by one any more."""
        self._logger = logger
        self._what = what
        self._clock = clock
        self._began = clock()
        self._told = 0
        self._silent = 0

    def warning(self, line: str, *arguments: object) -> None:
        now = self._clock()
        if now - self._began >= SECONDS:
            if self._silent:
                self._logger.warning("and %d more %s, not told one by one", self._silent, self._what)
            self._began, self._told, self._silent = now, 0, 0
        if self._told < LINES:
            self._told += 1
            self._logger.warning(line, *arguments)
        else:
            self._silent += 1
