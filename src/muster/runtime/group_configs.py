"""The settings that groups have for themselves (resource type GROUP): durable first, then in force, then answered.

A group need not exist to have some, and keeps them when it is deleted. The broker's bounds hold for what is set; what was
stored under other bounds is moved into those of today. Kept as one document of the log store, which several nodes may share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from muster.core.consumer.group_times import ConsumerTimes, GroupTimes
from muster.log.contract import DocumentChanged, StorageError
from muster.log.documents import Documents, read_and_decode
from muster.runtime.group_config_document import DOCUMENT, GroupSettings, decode_group_configs, encode_group_configs
from muster.topics.config_changes import altered, replaced_by
from muster.topics.config_types import ConfigError, ConfigKey, ConfigTable, ConfigType, at_least
from muster.topics.refusal import TopicError
from muster.wire.errors import INVALID_CONFIG, INVALID_REQUEST, KAFKA_STORAGE_ERROR

MAX_GROUPS: Final = 100_000
_ATTEMPTS: Final = 5

SESSION: Final = "consumer.session.timeout.ms"
HEARTBEAT: Final = "consumer.heartbeat.interval.ms"
ASSIGNMENT: Final = "consumer.assignment.interval.ms"

GROUP_CONFIGS: Final = ConfigTable(
    "group",
    (
        ConfigKey(
            SESSION,
            ConfigType.INT,
            45_000,
            "How long a member of the consumer group may be silent before its partitions go to others.",
            at_least(1),
        ),
        ConfigKey(
            HEARTBEAT,
            ConfigType.INT,
            5_000,
            "How often members of the consumer group are told to send heartbeats.",
            at_least(1),
        ),
        ConfigKey(
            ASSIGNMENT,
            ConfigType.INT,
            1_000,
            "The consumer group computes a new assignment no sooner than this after the last one.",
            at_least(0),
        ),
    ),
)
"""Deviates: the settings of share groups and of streams groups are unknown here, as these groups are."""


class Bounds(NamedTuple):
    """What the broker allows for one setting, with the names of its own settings that say so."""

    low: int
    high: int
    low_name: str
    high_name: str

    def nearest(self, value: int) -> int:
        return min(max(value, self.low), self.high)


class Settings(Protocol):
    """The part of the server's settings that is needed here."""

    def integer(self, name: str) -> int: ...


class GroupConfigs:
    def __init__(self, documents: Documents, settings: Settings, times: GroupTimes) -> None:
        """`times` is what the shards look at; it is empty until `reload`."""
        self._documents = documents
        self._bounds = {name: _bounds(settings, name) for name in (HEARTBEAT, SESSION, ASSIGNMENT)}
        self._times = times
        self.groups: GroupSettings = {}

    def reload(self) -> None:
        """Take over what the document says now. StorageError if it cannot be read."""
        self._use(*read_and_decode(self._documents, DOCUMENT, self._decode))

    def _decode(self, content: bytes | None) -> tuple[GroupSettings, Mapping[str, ConsumerTimes]]:
        groups = decode_group_configs(content)
        return groups, self._times_of(groups)

    def alter(
        self, group_id: str, changes: Sequence[tuple[str, int, str | None]], *, validate_only: bool = False
    ) -> None:
        """IncrementalAlterConfigs: (setting, operation, value) each. TopicError: nothing has changed."""
        self._change(group_id, lambda own: altered(own, changes, GROUP_CONFIGS, _no_list), validate_only)

    def replace(self, group_id: str, configs: Sequence[tuple[str, str | None]], *, validate_only: bool = False) -> None:
        """AlterConfigs: what is not named goes back to the broker's value. TopicError: nothing has changed."""
        self._change(group_id, lambda own: replaced_by(configs), validate_only)

    def _change(self, group_id: str, change: Callable[[dict[str, str]], dict[str, str]], validate_only: bool) -> None:
        for _ in range(_ATTEMPTS):
            before = self.groups.get(group_id, {})
            own = change(before)
            self._check(group_id, own)
            if validate_only or own == before:
                return
            after = {**self.groups, group_id: own}
            if not own:
                del after[group_id]
            if len(after) > MAX_GROUPS:
                message = f"{MAX_GROUPS} groups have settings of their own already: remove some, or set the broker's"
                raise TopicError(INVALID_REQUEST, message)
            try:
                is_written = self._try_to_write(after)
            except StorageError as error:
                raise TopicError(KAFKA_STORAGE_ERROR, str(error)) from error
            if is_written:
                self._use(after, self._times_of(after))
                return
        message = f"{DOCUMENT} was changed by other nodes {_ATTEMPTS} times in a row: try again"
        raise TopicError(KAFKA_STORAGE_ERROR, message)

    def _try_to_write(self, groups: GroupSettings) -> bool:
        """False if another node has changed the document: it is taken over then."""
        try:
            self._documents.write_document(DOCUMENT, encode_group_configs(groups))
        except DocumentChanged:
            self.reload()
            return False
        return True

    def _check(self, group_id: str, own: dict[str, str]) -> None:
        if not group_id:
            raise TopicError(INVALID_REQUEST, "Default group resources are not allowed.")
        try:
            for name in own:
                if name not in GROUP_CONFIGS:
                    raise ConfigError(f"Unknown group config name: {name}")
            values = {key.name: key.parse(own[key.name]) for key in GROUP_CONFIGS if key.name in own}
        except ConfigError as error:
            raise TopicError(INVALID_CONFIG, str(error)) from None
        for name, bounds in self._bounds.items():
            value = values.get(name)
            if not isinstance(value, int):
                continue
            if value < bounds.low:
                raise TopicError(INVALID_CONFIG, f"{name} must be greater than or equal to {bounds.low_name}")
            if value > bounds.high:
                raise TopicError(INVALID_CONFIG, f"{name} must be less than or equal to {bounds.high_name}")
        times = self._effective(own)
        if times.session_timeout_ms <= times.heartbeat_interval_ms:
            raise TopicError(INVALID_CONFIG, f"{SESSION} must be greater than {HEARTBEAT}")

    def _times_of(self, groups: GroupSettings) -> Mapping[str, ConsumerTimes]:
        """A group whose settings are as before keeps its object: its members need not be looked at again. StorageError if another
        release wrote what this one does not take."""
        known = self._times.own
        times: dict[str, ConsumerTimes] = {}
        for group_id, own in groups.items():
            is_known = group_id in known and self.groups.get(group_id) == own
            try:
                times[group_id] = known[group_id] if is_known else self._effective(own)
            except ValueError as error:
                raise StorageError(f"{DOCUMENT} has a setting that this release does not take: {error}") from error
        return times

    def _use(self, groups: GroupSettings, times: Mapping[str, ConsumerTimes]) -> None:
        own = self._times.own
        for group_id in [each for each in own if each not in times]:
            del own[group_id]
        own.update(times)
        self.groups = groups

    def _effective(self, own: dict[str, str]) -> ConsumerTimes:
        default = self._times.default
        return ConsumerTimes(
            self._number(own, SESSION, default.session_timeout_ms),
            self._number(own, HEARTBEAT, default.heartbeat_interval_ms),
            self._number(own, ASSIGNMENT, default.assignment_interval_ms),
        )

    def _number(self, own: dict[str, str], name: str, default: int) -> int:
        return self._bounds[name].nearest(int(own[name])) if name in own else default

    def __repr__(self) -> str:
        return f"<GroupConfigs of {len(self.groups)} groups>"


def broker_name(name: str) -> str:
    """The broker's setting for groups that have none of their own."""
    return f"group.{name}"


def _bounds(settings: Settings, name: str) -> Bounds:
    kind, _, rest = name.partition(".")
    low, high = f"group.{kind}.min.{rest}", f"group.{kind}.max.{rest}"
    return Bounds(settings.integer(low), settings.integer(high), low, high)


def _no_list(name: str) -> str:
    raise AssertionError(f"{name} is no list")
