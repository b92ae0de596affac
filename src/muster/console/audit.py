"""The console's own log of changes (`muster.console.audit`): who, from where, what, and what became of it, a line each."""

from __future__ import annotations

import logging

from starlette.requests import Request

from muster.client.failure import ClientError
from muster.client.reset_outcome import NO_ANSWER
from muster.console.sessions import Session

_log = logging.getLogger(__name__)


def write_audit_line(request: Request, session: Session, what: str, failure: Exception | None = None) -> None:
    """`failure`: why it was not done; or why nobody knows, if no answer came or the console itself failed."""
    where = request.client.host if request.client is not None else "?"
    _log.info("%r at %s: %s%s", session.user, where, what, _outcome(failure))


def _outcome(failure: Exception | None) -> str:
    if failure is None:
        return ""
    if isinstance(failure, ClientError):
        return f": {'not known' if failure.code in NO_ANSWER else 'refused'}: {failure.name}"
    return f": not known: {type(failure).__name__}"
