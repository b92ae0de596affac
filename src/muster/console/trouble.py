"""What went wrong while a page was being kept up to date, as a sentence for that page. What nobody foresaw is logged too."""

from __future__ import annotations

import logging

from muster.client.failure import ClientError

_log = logging.getLogger(__name__)


def log_and_describe(failure: Exception, doing: str, next_step: str = "It will be tried again.") -> str:
    """A sentence about it. `doing` begins one: what was being done. An error of the console's own is logged with its traceback."""
    if isinstance(failure, ClientError):
        return str(failure)
    _log.error("%s failed. %s", doing, next_step, exc_info=failure)
    return f"{doing} failed in the console itself ({type(failure).__name__}), and its log has more. {next_step}"
