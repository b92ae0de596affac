"""What a transactional producer of librdkafka says about itself, kept for the moment in which a test has to explain why it waits.

A client hands its log over while it is polled; whoever wants to read the newest lines polls it first. Their times are those of
being handed over.
"""

from __future__ import annotations

import logging
from collections import deque

MOST_LINES = 100
DEBUG = {"debug": "eos", "log_level": 7}
"""Calls, states and answers of transactions. With `broker` it would say in full what a forgotten broker does, a thousand times a
second, and each of these lines is one more thing that a flush waits for."""


class ClientLog(logging.Handler):
    """The last lines of one client after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: deque[str] = deque(maxlen=MOST_LINES)
        self.logger = logging.Logger("librdkafka", logging.DEBUG)
        self.logger.addHandler(self)
        self.setFormatter(logging.Formatter("%(asctime)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))

    def __str__(self) -> str:
        return "\n".join(self.lines)
