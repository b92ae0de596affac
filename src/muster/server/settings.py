"""The operator's settings, checked: what each one is, where it came from, and what they mean together.

Made once at start and handed to the node; nothing changes it later. Knows no flags and no files: `setting_sources.py` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from muster.core.config import GroupConfig
from muster.log.contract import Durability
from muster.server.endpoint import Endpoint, parse_endpoint
from muster.server.setting_keys import TABLE
from muster.server.setting_sources import SettingText, known_name
from muster.topics.config_types import ConfigError, ConfigValue, ConfigValues, text_of

if TYPE_CHECKING:
    from muster.runtime.node import Node

DEFAULT_ORIGIN: Final = "default"
_MINUTE_MS = 60_000


class Settings:
    """Effective values. `integer`, `boolean` and so on give the typed value of a name of the table."""

    __slots__ = ("_values", "origins", "texts")

    def __init__(self, texts: Mapping[str, str], origins: Mapping[str, str]) -> None:
        """Use `resolve` or `Settings.of`."""
        self.texts = dict(texts)
        """Only what the operator set, as written, by name."""
        self.origins = dict(origins)
        self._values = _parse(self.texts, self.origins)
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

    def origin(self, name: str) -> str:
        return self.origins.get(name, DEFAULT_ORIGIN)

    def text(self, name: str) -> str:
        """The effective value as text; empty if there is none."""
        value = self._values.get(name)
        return "" if value is None else text_of(value)

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
        return parse_endpoint("muster.listen", self.string("muster.listen"))

    @property
    def advertise(self) -> Endpoint | None:
        """None: clients are told the address that is listened on."""
        text = self.string("muster.advertise")
        return parse_endpoint("muster.advertise", text) if text else None

    @property
    def data(self) -> str:
        return self.string("muster.data")

    @property
    def storage(self) -> Literal["files", "memory"]:
        return "memory" if self.string("muster.storage") == "memory" else "files"

    @property
    def durability(self) -> Durability:
        return "os" if self.string("muster.durability") == "os" else "fsync"

    def group_config(self) -> GroupConfig:
        return GroupConfig(
            min_session_timeout_ms=self.integer("group.min.session.timeout.ms"),
            max_session_timeout_ms=self.integer("group.max.session.timeout.ms"),
            initial_rebalance_delay_ms=self.integer("group.initial.rebalance.delay.ms"),
            max_size=self.integer("group.max.size"),
            offset_metadata_max_bytes=self.integer("offset.metadata.max.bytes"),
            offsets_retention_ms=self.integer("offsets.retention.minutes") * _MINUTE_MS,
            offsets_retention_check_interval_ms=self.integer("offsets.retention.check.interval.ms"),
        )

    def _check_together(self) -> None:
        shortest, longest = "group.min.session.timeout.ms", "group.max.session.timeout.ms"
        if self.integer(shortest) > self.integer(longest):
            raise ConfigError(
                f"{shortest} = {self.integer(shortest)} (from {self.origin(shortest)}) is more than"
                f" {longest} = {self.integer(longest)} (from {self.origin(longest)}): no member could join"
            )
        for name in ("muster.listen", "muster.advertise", "muster.metrics.listen", "muster.control.listen"):
            if self.string(name):
                _blame(self.origin(name), parse_endpoint, name, self.string(name))
        if self.advertise is not None and self.advertise.is_everywhere:
            raise ConfigError(
                f"muster.advertise = {self.advertise} (from {self.origin('muster.advertise')}):"
                " clients cannot connect to that; name a host that they can reach"
            )


def settings_of(node: Node) -> Settings:
    """What the operator said, in full; the node itself needs only a part of it."""
    settings = node.settings
    assert isinstance(settings, Settings)
    return settings


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
        _blame(origins[name], TABLE[name].parse, text)
    return TABLE.parse(texts)


def _blame(origin: str, check: object, *arguments: str) -> None:
    """Run a check; its complaint gets the origin of the value in front."""
    assert callable(check)
    try:
        check(*arguments)
    except ConfigError as error:
        raise ConfigError(f"{origin}: {error}") from None
