"""`ClientError`: the one exception of this room, with Kafka's name of what went wrong and what to do about it.

Knows which errors pass by themselves (`is_retriable`), and what a person can do about the others.
"""

from __future__ import annotations

from typing import Final

from muster.wire import errors

_RETRIABLE: Final = frozenset(
    {
        errors.CORRUPT_MESSAGE,
        errors.UNKNOWN_TOPIC_OR_PARTITION,
        errors.LEADER_NOT_AVAILABLE,
        errors.NOT_LEADER_OR_FOLLOWER,
        errors.REQUEST_TIMED_OUT,
        errors.REPLICA_NOT_AVAILABLE,
        errors.NETWORK_EXCEPTION,
        errors.COORDINATOR_LOAD_IN_PROGRESS,
        errors.COORDINATOR_NOT_AVAILABLE,
        errors.NOT_COORDINATOR,
        errors.NOT_ENOUGH_REPLICAS,
        errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        errors.NOT_CONTROLLER,
        errors.KAFKA_STORAGE_ERROR,
        errors.FENCED_LEADER_EPOCH,
        errors.UNKNOWN_LEADER_EPOCH,
        errors.OFFSET_NOT_AVAILABLE,
        errors.UNSTABLE_OFFSET_COMMIT,
    }
)
"""What Kafka's own clients try again; a refusal that names one of these need not last."""

_HINTS: Final = {
    errors.NETWORK_EXCEPTION: "Check that the server runs, that host and port are right, and that security.protocol is"
    " what the listener speaks",
    errors.REQUEST_TIMED_OUT: "The server is reachable but slow: try again, or allow more time",
    errors.COORDINATOR_NOT_AVAILABLE: "The group's coordinator is not there yet: try again in a moment",
    errors.COORDINATOR_LOAD_IN_PROGRESS: "The coordinator is still reading its log: try again in a moment",
    errors.UNKNOWN_TOPIC_OR_PARTITION: "Check the name with `muster topics list`",
    errors.INVALID_GROUP_ID: "Give the group a name that is not empty",
    errors.UNKNOWN_MEMBER_ID: "The member was removed from its group: join again",
    errors.ILLEGAL_GENERATION: "The group has rebalanced since: join again",
    errors.STALE_MEMBER_EPOCH: "The group has changed since: what was read may be read again by others",
    errors.REBALANCE_IN_PROGRESS: "The group is rebalancing: try again when it is stable",
    errors.INVALID_SESSION_TIMEOUT: "Choose one between the broker's group.min.session.timeout.ms and"
    " group.max.session.timeout.ms",
    errors.INCONSISTENT_GROUP_PROTOCOL: "The members of the group have another protocol type or no assignor in common"
    " with this one: choose one that they know",
    errors.GROUP_MAX_SIZE_REACHED: "The group has as many members as group.max.size allows",
    errors.FENCED_INSTANCE_ID: "Another process uses the same group.instance.id: give each its own",
    errors.NON_EMPTY_GROUP: "Stop its members first",
    errors.GROUP_ID_NOT_FOUND: "There is no such group: see `muster groups list`",
    errors.GROUP_SUBSCRIBED_TO_TOPIC: "The group's members still consume the topic: stop them first",
    errors.TRANSACTIONAL_ID_NOT_FOUND: "There is no such transactional id: see `muster transactions list`",
    errors.INVALID_REGULAR_EXPRESSION: "Write the pattern as RE2 does: it has to match the whole transactional id",
    errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "The user lacks a right on the transactional id: ask for an ACL",
    errors.TOPIC_AUTHORIZATION_FAILED: "The user lacks a right on the topic: ask for an ACL",
    errors.GROUP_AUTHORIZATION_FAILED: "The user lacks a right on the group: ask for an ACL",
    errors.CLUSTER_AUTHORIZATION_FAILED: "The user lacks a right on the cluster: ask for an ACL",
    errors.UNSUPPORTED_VERSION: "The server is too old or too new for this",
    errors.UNSUPPORTED_SASL_MECHANISM: "Choose a mechanism that the listener has",
    errors.SASL_AUTHENTICATION_FAILED: "Check user name and password (or token)",
    errors.MESSAGE_TOO_LARGE: "Send less at once, or raise max.message.bytes of the topic",
    errors.TOPIC_ALREADY_EXISTS: "Choose another name, or use the topic that is there",
    errors.OFFSET_METADATA_TOO_LARGE: "Shorten the metadata of the commit",
}


class ClientError(Exception):
    """What was asked, the error by Kafka's name, the server's own words if it had any, and what to do.

    `code` and `name` are Kafka's, also where the failure was found on this side: NETWORK_EXCEPTION if there is no
    connection, REQUEST_TIMED_OUT, INVALID_CONFIG, UNSUPPORTED_VERSION.
    """

    def __init__(self, code: int, asked: str, detail: str | None = None, hint: str | None = None) -> None:
        self.code = code
        self.name = errors.name_of(code)
        self.asked = asked
        self.detail = detail or ""
        self.hint = _HINTS.get(code, "") if hint is None else hint
        super().__init__(self._text())

    @property
    def is_retriable(self) -> bool:
        return is_retriable(self.code)

    def _text(self) -> str:
        parts = [f"{self.asked}: {self.name}"]
        if self.detail:
            parts.append(f": {self.detail.rstrip('.')}")
        if self.hint:
            parts.append(f". {self.hint.rstrip('.')}")
        return "".join(parts) + "."


def is_retriable(code: int) -> bool:
    return code in _RETRIABLE


def raise_for(code: int, asked: str, detail: str | None = None) -> None:
    """ClientError unless the code is NONE."""
    if code != errors.NONE:
        raise ClientError(code, asked, detail)
