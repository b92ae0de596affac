"""Changing the settings of topics: AlterConfigs, which replaces them all, and IncrementalAlterConfigs (KIP-339)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from muster.log.contract import StorageError
from muster.topics.catalog import Catalog
from muster.topics.config_table import TOPIC_CONFIGS
from muster.topics.config_types import ConfigError, ConfigType
from muster.topics.refusal import TopicError
from muster.topics.topic import Topic
from muster.wire.errors import (
    INVALID_CONFIG,
    INVALID_REQUEST,
    KAFKA_STORAGE_ERROR,
    UNKNOWN_TOPIC_OR_PARTITION,
)


class ConfigOperation(IntEnum):
    """Numbers as IncrementalAlterConfigs sends them."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


def replace_configs(
    catalog: Catalog, name: str, configs: Sequence[tuple[str, str | None]], *, validate_only: bool = False
) -> None:
    """AlterConfigs: what is not named goes back to its default. TopicError if it may not be."""
    _refuse_repeats([key for key, _ in configs])
    _refuse_nulls([key for key, value in configs if value is None])
    _apply(catalog, name, {key: value for key, value in configs if value is not None}, validate_only)


def alter_configs(
    catalog: Catalog,
    name: str,
    changes: Sequence[tuple[str, int, str | None]],
    *,
    validate_only: bool = False,
) -> None:
    """IncrementalAlterConfigs: (setting, operation, value) each. All are applied or none."""
    _refuse_repeats([key for key, _, _ in changes])
    _refuse_nulls([key for key, operation, value in changes if value is None and operation != ConfigOperation.DELETE])
    topic = _topic(catalog, name)
    overrides = dict(topic.overrides)
    for key, number, value in changes:
        _alter_one(catalog, overrides, key, _operation(number), value or "")
    _apply(catalog, name, overrides, validate_only)


def _alter_one(catalog: Catalog, overrides: dict[str, str], key: str, operation: ConfigOperation, value: str) -> None:
    match operation:
        case ConfigOperation.SET:
            overrides[key] = value
        case ConfigOperation.DELETE:
            overrides.pop(key, None)
        case _:
            overrides[key] = _changed_list(catalog, overrides.get(key), key, operation, value)


def _changed_list(catalog: Catalog, current: str | None, key: str, operation: ConfigOperation, value: str) -> str:
    if key not in TOPIC_CONFIGS or TOPIC_CONFIGS[key].type is not ConfigType.LIST:
        raise TopicError(INVALID_CONFIG, f"Can't {operation.name} to key {key} because its type is not LIST.")
    # Kafka: a list that is not overridden is changed from its default.
    text = catalog.defaults.text(key) if current is None else current
    items = [item for item in text.split(",") if item]
    for item in value.split(","):
        if operation is ConfigOperation.APPEND and item not in items:
            items.append(item)
        elif operation is ConfigOperation.SUBTRACT and item in items:
            items.remove(item)
    return ",".join(items)


def _operation(number: int) -> ConfigOperation:
    try:
        return ConfigOperation(number)
    except ValueError:
        raise TopicError(
            INVALID_REQUEST, f"Unknown config operation {number}: 0 sets, 1 deletes, 2 appends, 3 subtracts."
        ) from None


def _refuse_repeats(keys: Sequence[str]) -> None:
    if len(set(keys)) < len(keys):
        raise TopicError(INVALID_REQUEST, "Error due to duplicate config keys")


def _refuse_nulls(keys: Sequence[str]) -> None:
    if keys:
        raise TopicError(INVALID_REQUEST, f"Null value not supported for : {','.join(keys)}")


def _topic(catalog: Catalog, name: str) -> Topic:
    topic = catalog.get(name)
    if topic is None:
        raise TopicError(UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{name}' does not exist.")
    return topic


def _apply(catalog: Catalog, name: str, overrides: dict[str, str], validate_only: bool) -> None:
    topic = _topic(catalog, name)
    try:
        settings = catalog.defaults.settings(overrides)
    except ConfigError as error:
        raise TopicError(INVALID_CONFIG, str(error)) from None
    if validate_only or overrides == topic.overrides:
        return
    try:
        catalog.change_configs(topic, overrides, settings)
    except StorageError as error:
        raise TopicError(KAFKA_STORAGE_ERROR, str(error)) from error
