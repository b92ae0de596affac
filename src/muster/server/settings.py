"""The operator's settings, checked: what each one is, where it came from, and what they mean together.

Made once at start and handed to the node; nothing changes it later. Knows no flags and no files: `setting_sources.py` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from muster.core.config import GroupConfig
from muster.core.time_units import MINUTE_MS
from muster.core.transactions.config import TransactionConfig
from muster.log.contract import Durability
from muster.server.endpoint import Endpoint, parse_endpoint
from muster.server.listener_addresses import (
    ADVERTISED,
    LISTENERS,
    PROTOCOLS,
    AddressError,
    ListenerAddress,
    parse_listeners,
)
from muster.server.listener_keys import full_name, split_name
from muster.server.setting_keys import TABLE
from muster.server.setting_sources import SettingText, key_of, known_name
from muster.topics.config_types import ConfigError, ConfigType, ConfigValue, ConfigValues, text_of

if TYPE_CHECKING:
    from muster.runtime.node import Node

DEFAULT_ORIGIN: Final = "default"
HIDDEN: Final = "[hidden]"


class Settings:
    """Effective values. `integer`, `boolean` and so on give the typed value of a name of the table."""

    __slots__ = ("_for_one_listener", "_values", "listeners", "origins", "texts")

    def __init__(self, texts: Mapping[str, str], origins: Mapping[str, str]) -> None:
        """Use `resolve` or `Settings.of`."""
        self.texts = dict(texts)
        """Only what the operator set, as written, by name."""
        self.origins = dict(origins)
        self._values = _parse(self.texts, self.origins)
        self._for_one_listener = {
            name: key_of(name).parse(text) for name, text in self.texts.items() if split_name(name) is not None
        }
        self.listeners = self._parse_listeners()
        self._check_together()

    @classmethod
    def of(cls, texts: Mapping[str, str] | None = None) -> Settings:
        """Settings from plain names and texts: for tests and for embedding."""
        return resolve(
            SettingText(known_name(name, "settings"), text, "settings") for name, text in (texts or {}).items()
        )

    # ---- values

    def value(self, name: str) -> ConfigValue | None:
        return self._values.get(name)

    def integer(self, name: str) -> int:
        return self._values.integer(name)

    def boolean(self, name: str) -> bool:
        return self._values.boolean(name)

    def string(self, name: str) -> str:
        return self._values.string(name)

    def words(self, name: str) -> tuple[str, ...]:
        return self._values.words(name)

    def origin(self, name: str) -> str:
        return self.origins.get(name, DEFAULT_ORIGIN)

    def text(self, name: str) -> str:
        """The effective value as text to show: empty if there is none, and a secret only as set."""
        value = self._for_one_listener[name] if name in self._for_one_listener else self._values.get(name)
        if value is None:
            return ""
        return HIDDEN if value and key_of(name).type is ConfigType.PASSWORD else text_of(value)

    def names_for_one_listener(self) -> list[str]:
        """Those that the operator set as `listener.name...`."""
        return sorted(self._for_one_listener)

    def for_listener(self, listener: str) -> ListenerSettings:
        return ListenerSettings(self, listener)

    def listener_value(self, listener: str, name: str) -> ConfigValue | None:
        """What holds for one listener: its own value, or that of all."""
        own = full_name(listener, name)
        return self._for_one_listener[own] if own in self._for_one_listener else self._values.get(name)

    # ---- what they mean together

    @property
    def node_id(self) -> int:
        return self.integer("node.id")

    @property
    def cluster_id(self) -> str:
        """Empty: the data directory says, or a new one is made."""
        return self.string("muster.cluster.id")

    @property
    def rack(self) -> str | None:
        return self.text("broker.rack") or None

    @property
    def listen(self) -> Endpoint:
        """Of the first listener."""
        return self.listeners[0].endpoint

    @property
    def data(self) -> str:
        return self.string("muster.data")

    @property
    def storage(self) -> Literal["files", "memory"]:
        return "memory" if self.string("muster.storage") == "memory" else "files"

    @property
    def store_url(self) -> str:
        """Where several nodes keep everything; empty: this node is alone. May hold a password."""
        return self.string("muster.store")

    @property
    def durability(self) -> Durability:
        return "os" if self.string("muster.durability") == "os" else "fsync"

    @property
    def is_data_group_readable(self) -> bool:
        return self.string("muster.data.permissions") == "group"

    def group_config(self) -> GroupConfig:
        return GroupConfig(
            min_session_timeout_ms=self.integer("group.min.session.timeout.ms"),
            max_session_timeout_ms=self.integer("group.max.session.timeout.ms"),
            initial_rebalance_delay_ms=self.integer("group.initial.rebalance.delay.ms"),
            max_size=self.integer("group.max.size"),
            offset_metadata_max_bytes=self.integer("offset.metadata.max.bytes"),
            offsets_retention_ms=self.integer("offsets.retention.minutes") * MINUTE_MS,
            offsets_retention_check_interval_ms=self.integer("offsets.retention.check.interval.ms"),
            consumer_session_timeout_ms=self.integer("group.consumer.session.timeout.ms"),
            consumer_heartbeat_interval_ms=self.integer("group.consumer.heartbeat.interval.ms"),
            consumer_max_size=self.integer("group.consumer.max.size"),
            consumer_assignors=self.words("group.consumer.assignors"),
            consumer_assignment_interval_ms=self.integer("group.consumer.assignment.interval.ms"),
            consumer_migration_policy=self.string("group.consumer.migration.policy").lower(),
            consumer_regex_refresh_interval_ms=self.integer("group.consumer.regex.refresh.interval.ms"),
        )

    def transaction_config(self) -> TransactionConfig:
        return TransactionConfig(
            max_timeout_ms=self.integer("transaction.max.timeout.ms"),
            transactional_id_expiration_ms=self.integer("transactional.id.expiration.ms"),
            abort_timed_out_interval_ms=self.integer("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
            remove_expired_interval_ms=self.integer("transaction.remove.expired.transaction.cleanup.interval.ms"),
        )

    def _parse_listeners(self) -> tuple[ListenerAddress, ...]:
        try:
            return parse_listeners(self.words(LISTENERS), self.words(ADVERTISED), self.words(PROTOCOLS))
        except AddressError as error:
            raise ConfigError(f"{self.origin(error.setting)}: {error}") from None

    def _check_together(self) -> None:
        shortest, longest = "group.min.session.timeout.ms", "group.max.session.timeout.ms"
        if self.integer(shortest) > self.integer(longest):
            raise ConfigError(
                f"{shortest} = {self.integer(shortest)} (from {self.origin(shortest)}) is more than"
                f" {longest} = {self.integer(longest)} (from {self.origin(longest)}): no member could join"
            )
        for what in ("session.timeout", "heartbeat.interval", "assignment.interval"):
            name, low, high = (f"group.consumer.{bound}{what}.ms" for bound in ("", "min.", "max."))
            if not self.integer(low) <= self.integer(name) <= self.integer(high):
                raise ConfigError(
                    f"{name} = {self.integer(name)} (from {self.origin(name)}) is not between"
                    f" {low} = {self.integer(low)} (from {self.origin(low)}) and"
                    f" {high} = {self.integer(high)} (from {self.origin(high)})"
                )
        silence, interval = "group.consumer.session.timeout.ms", "group.consumer.heartbeat.interval.ms"
        if self.integer(silence) <= self.integer(interval):
            raise ConfigError(
                f"{silence} = {self.integer(silence)} (from {self.origin(silence)}) is not more than"
                f" {interval} = {self.integer(interval)} (from {self.origin(interval)}): every member would be taken for dead"
            )
        largest, queued = "socket.request.max.bytes", "queued.max.request.bytes"
        if self.integer(queued) < self.integer(largest):
            raise ConfigError(
                f"{queued} = {self.integer(queued)} (from {self.origin(queued)}) is less than"
                f" {largest} = {self.integer(largest)} (from {self.origin(largest)}): the largest request would never fit"
            )
        if self.node_id < 0 and (not self.store_url or self.integer("muster.workers") > 1):
            raise ConfigError(
                f"node.id = auto (from {self.origin('node.id')}): only a node of a cluster (muster.store) without workers"
                " can have one given; say a number"
            )
        for name in ("muster.metrics.listen", "muster.control.listen"):
            if self.string(name):
                _blame(self.origin(name), parse_endpoint, name, self.string(name))
        self._check_listener_names()

    def _check_listener_names(self) -> None:
        known = [each.name.lower() for each in self.listeners]
        for name in self.names_for_one_listener():
            parts = split_name(name)
            assert parts is not None
            if parts[0] not in known:
                raise ConfigError(
                    f"{self.origin(name)}: {name}: there is no listener {parts[0]}, only {', '.join(known)}"
                )


class ListenerSettings:
    """The settings as they hold for one listener: its own `listener.name...` before those for all."""

    __slots__ = ("_listener", "_settings")

    def __init__(self, settings: Settings, listener: str) -> None:
        self._settings = settings
        self._listener = listener

    def string(self, name: str) -> str:
        value = self._settings.listener_value(self._listener, name)
        assert isinstance(value, str), name
        return value

    def integer(self, name: str) -> int:
        value = self._settings.listener_value(self._listener, name)
        assert isinstance(value, int), name
        return value

    def words(self, name: str) -> tuple[str, ...]:
        value = self._settings.listener_value(self._listener, name)
        assert isinstance(value, tuple), name
        return value

    def is_own(self, name: str) -> bool:
        """Whether it was set for this listener alone."""
        return full_name(self._listener, name) in self._settings.texts


def settings_of(node: Node) -> Settings:
    """What the operator said, in full; the node itself needs only a part of it."""
    settings = node.settings
    assert isinstance(settings, Settings)
    return settings


def serves_consumer_groups(node: Node) -> bool:
    """Whether the new group protocol is switched on (spec 7.1)."""
    return "consumer" in settings_of(node).words("group.coordinator.rebalance.protocols")


def resolve(*sources: Iterable[SettingText]) -> Settings:
    """One settings object from sources in rising order of strength; ConfigError names the place that is wrong."""
    texts: dict[str, str] = {}
    origins: dict[str, str] = {}
    for source in sources:
        for setting in source:
            texts[setting.name] = setting.text
            origins[setting.name] = setting.origin
    return Settings(texts, origins)


def _parse(texts: Mapping[str, str], origins: Mapping[str, str]) -> ConfigValues:
    for name, text in texts.items():
        _blame(origins[name], key_of(name).parse, text)
    return TABLE.parse({name: text for name, text in texts.items() if split_name(name) is None})


def _blame(origin: str, check: object, *arguments: str) -> None:
    """Run a check; its complaint gets the origin of the value in front."""
    assert callable(check)
    try:
        check(*arguments)
    except ConfigError as error:
        raise ConfigError(f"{origin}: {error}") from None
