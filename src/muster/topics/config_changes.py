"""Changing settings of topics, and in part of groups: AlterConfigs and IncrementalAlterConfigs (KIP-339)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum

from muster.log.contract import StorageError
from muster.topics.catalog import Catalog
from muster.topics.config_table import TOPIC_CONFIGS
from muster.topics.config_types import ConfigError, ConfigTable, ConfigType
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
    _apply(catalog, name, replaced_by(configs), validate_only)


def alter_configs(
    catalog: Catalog,
    name: str,
    changes: Sequence[tuple[str, int, str | None]],
    *,
    validate_only: bool = False,
) -> None:
    """IncrementalAlterConfigs: (setting, operation, value) each. All are applied or none."""
    _check_changes(changes)
    overrides = altered(_topic(catalog, name).overrides, changes, TOPIC_CONFIGS, catalog.defaults.text)
    _apply(catalog, name, overrides, validate_only)


def replaced_by(configs: Sequence[tuple[str, str | None]]) -> dict[str, str]:
    """What is set after an AlterConfigs, of a topic or of a group. TopicError if the request contradicts itself."""
    _refuse_repeats([key for key, _ in configs])
    _refuse_nulls([key for key, value in configs if value is None])
    return {key: value for key, value in configs if value is not None}


def altered(
    before: Mapping[str, str],
    changes: Sequence[tuple[str, int, str | None]],
    table: ConfigTable,
    default_text: Callable[[str], str],
) -> dict[str, str]:
    """What is set after an IncrementalAlterConfigs, of a topic or of a group. `default_text` gives a list that is not set."""
    _check_changes(changes)
    overrides = dict(before)
    for key, number, value in changes:
        operation = _operation(number)
        if operation is ConfigOperation.SET:
            overrides[key] = value or ""
        elif operation is ConfigOperation.DELETE:
            overrides.pop(key, None)
        elif key not in table or table[key].type is not ConfigType.LIST:
            raise TopicError(INVALID_CONFIG, f"Can't {operation.name} to key {key} because its type is not LIST.")
        else:
            # Kafka: a list that is not overridden is changed from its default.
            text = overrides[key] if key in overrides else default_text(key)
            overrides[key] = _changed_list(text, operation, value or "")
    return overrides


def _check_changes(changes: Sequence[tuple[str, int, str | None]]) -> None:
    _refuse_repeats([key for key, _, _ in changes])
    _refuse_nulls([key for key, operation, value in changes if value is None and operation != ConfigOperation.DELETE])


def _changed_list(text: str, operation: ConfigOperation, value: str) -> str:
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
