"""The settings of what operators see of a server: its log lines and its metrics. Part of the table in `setting_keys.py`."""

from __future__ import annotations

from typing import Final

from muster.topics.config_types import ConfigKey, ConfigType, ConfigValue, Rule, at_least, one_of

LEVELS: Final = ("debug", "info", "warning", "error")


def _name_levels(value: ConfigValue) -> bool:
    return isinstance(value, tuple) and all(
        area.startswith("muster.") and level in LEVELS
        for area, _, level in (str(each).partition(":") for each in value)
    )


_AREA_LEVELS: Final = Rule(
    _name_levels,
    f"must be AREA:LEVEL, with commas between several, such as muster.server:debug; a level is one of {', '.join(LEVELS)}",
    "AREA:LEVEL,...",
)

OBSERVATION_KEYS: Final = (
    ConfigKey("muster.log.level", ConfigType.STRING, "info", "How much is logged.", one_of(*LEVELS)),
    ConfigKey(
        "muster.log.levels",
        ConfigType.LIST,
        (),
        "Other levels for some areas, such as muster.server:warning,muster.rebalances:error.",
        _AREA_LEVELS,
    ),
    ConfigKey(
        "muster.log.format",
        ConfigType.STRING,
        "text",
        "text: a line for people. json: an object a line, with time, level, area and message.",
        one_of("text", "json"),
    ),
    ConfigKey(
        "muster.log.rebalances",
        ConfigType.BOOLEAN,
        True,
        "Whether every rebalance gets a line with its cause; 100 a minute, the rest is counted.",
    ),
    ConfigKey("muster.metrics.listen", ConfigType.STRING, "", "HOST:PORT for metrics over HTTP; empty: none."),
    ConfigKey(
        "muster.metrics.max.offsets",
        ConfigType.INT,
        10_000,
        "Committed offset and lag of each group and partition are among the metrics up to so many of them; 0: never.",
        at_least(0),
    ),
)
