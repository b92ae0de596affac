"""Flags of the steps that start Spark: any setting of it by name, and packages from Maven."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from muster.cli.support.usage_error import UsageError


def add_setting_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--conf", metavar="NAME=VALUE", action="append", default=[], help="any Spark setting; repeatable"
    )
    group.add_argument("--packages", metavar="MAVEN", action="append", default=[], help="Maven packages; repeatable")


def settings_by_name(texts: Iterable[str]) -> dict[str, str]:
    """Of --conf. The last one wins."""
    return dict(map(_setting, texts))


def named_settings(texts: Iterable[str]) -> dict[str, str]:
    """Those of --conf and those that `spark-submit` was told: access to the lake's store may be named in either place."""
    from muster.pipeline.session import submitted_settings

    return {**submitted_settings(), **settings_by_name(texts)}


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UsageError(f"--conf {text}: give NAME=VALUE")
    return name, value
