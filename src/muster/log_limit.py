"""A bound on log lines that strangers can cause: so many in a while, then only how many more there were.

For lines that clients can cause again and again: TLS and SASL failures, bytes that are no request, faults while serving one.
How many more there were is told with the next line, or by `tell_what_is_over`, which the listener's sweep calls: after a flood
there may be none for days. `security.audit` has bounds of its own for denials.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final
from weakref import ref

LINES: Final = 100
SECONDS: Final = 60.0
TRACEBACKS: Final = 10
"""Of the lines, those that may have one."""


_all: list[ref[LogLimit]] = []
"""A list, for servers in several threads of one process, as in tests, may add to it and go through it."""


class LogLimit:
    def __init__(self, logger: logging.Logger, what: str, clock: Callable[[], float]) -> None:
        """`what` names, in the plural, what is not told one by one any more."""
        self._logger = logger
        self._what = what
        self._clock = clock
        self._began = clock()
        self._told = 0
        self._silent = 0
        self._level = logging.INFO
        """The highest of those that were silent."""
        _all.append(ref(self, _all.remove))

    def info(self, line: str, *arguments: object) -> None:
        if self._logger.isEnabledFor(logging.INFO) and self._may_tell(logging.INFO):
            self._logger.info(line, *arguments)

    def warning(self, line: str, *arguments: object) -> None:
        if self._may_tell(logging.WARNING):
            self._logger.warning(line, *arguments)

    def error(self, line: str, *arguments: object, exc_info: BaseException | None = None) -> None:
        """With the traceback of `exc_info`, if there is one: of the first few only, since each takes a page."""
        if self._may_tell(logging.ERROR):
            is_told_whole = self._told <= TRACEBACKS or exc_info is None
            if is_told_whole:
                self._logger.error(line, *arguments, exc_info=exc_info)
            else:
                self._logger.error(f"{line}: %s: %s", *arguments, type(exc_info).__name__, exc_info)

    def tell_if_over(self) -> None:
        """If the interval is over: how many lines it left out. The next one begins."""
        now = self._clock()
        if now - self._began < SECONDS:
            return
        if self._silent:
            self._logger.log(self._level, "and %d more %s, not told one by one", self._silent, self._what)
        self._began, self._told, self._silent, self._level = now, 0, 0, logging.INFO

    def _may_tell(self, level: int) -> bool:
        self.tell_if_over()
        if self._told >= LINES:
            self._silent += 1
            self._level = max(self._level, level)
            return False
        self._told += 1
        return True


def tell_what_is_over() -> None:
    """Of all limits of this process. Called every so often."""
    for each in tuple(_all):
        limit = each()
        if limit is not None:
            limit.tell_if_over()
